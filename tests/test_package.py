"""What the package shows to the outside, and what its parts may know of each other."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import microgauge

SOURCE = Path(microgauge.__file__).parent

LAYERS = {
    "measures": {
        "measures",
        "errors",
        "formulas",
        "hashing",
        "levels",
        "packing",
        "ranks",
        "results",
        "schema",
    },
    "render": {"render", "results"},
    "passes": {"adding", "errors", "passes", "levels", "packing"},
    "engines": {"adding", "engines", "errors", "hashing", "passes", "levels", "tables"},
    "tables": {"adding", "tables", "errors", "hashing"},
    "results": {"render"},
}
"""Which parts a part may import. Measures know facts, not files; renderers know results only."""


@pytest.mark.parametrize("part", LAYERS)
def test_imports_go_one_way(part: str) -> None:
    place = SOURCE / part
    files = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    for file in files:
        used = {name.split(".")[1] for name in _imported(file) if name.startswith("microgauge.")}
        assert used <= LAYERS[part], file


def _imported(file: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return found


def test_public_names_are_exact() -> None:
    assert sorted(microgauge.__all__) == microgauge.__all__
    for name in microgauge.__all__:
        assert getattr(microgauge, name) is not None
    assert dir(microgauge) == microgauge.__all__


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="asess"):
        _ = microgauge.asess


def test_import_loads_nothing_heavy() -> None:
    script = "import microgauge, sys; sys.exit(bool({'numpy', 'polars'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
