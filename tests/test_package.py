"""What the package shows to the outside, and what its parts may know of each other."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import microgauge

SOURCE = Path(microgauge.__file__).parent

ROOMS = (
    {"arrays", "records", "_version"},
    {"languages"},
    {"errors"},
    {"log", "kernels"},
    {"schema", "results"},
    {"values"},
    {"tables"},
    {"passes"},
    {"engines"},
    {"measures"},
    {"study"},
    {"sections"},
    {"masking"},
    {"commands"},
    {"papers", "testing"},
    {"demo"},
    {"app"},
    {"cli"},
)
"""The rooms of the house, lowest first: each may import from its own floor and those below."""
BESIDE = {
    "render": {"render", "results", "records", "languages"},
    "__init__": None,
    "__main__": {"cli"},
}
"""Rooms beside the floors and what they may import; None: a front that only names things."""
DOORS = {"results": {"render"}, "cli": {"render"}}
"""Declared ways from a floor to a room beside it: results show themselves, the command draws."""


def _allowed(room: str) -> set[str] | None:
    if room in BESIDE:
        return BESIDE[room]
    below: set[str] = set()
    for floor in ROOMS:
        below |= floor
        if room in floor:
            return below | DOORS.get(room, set())
    raise AssertionError(f"{room} is in no room of the table")


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda f: str(f.name))
def test_imports_go_one_way(file: Path) -> None:
    allowed = _allowed(file.relative_to(SOURCE).parts[0].removesuffix(".py"))
    used = {name.split(".")[1] for name in _imported(file) if name.startswith("microgauge.")}
    assert allowed is None or used <= allowed, file


MOST_LINES, MOST_PARAMETERS = 60, 8
MANY_CHOICES = {"assess", "rank", "diagnose", "explore", "verify"}
"""Commands that offer every choice by name."""


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda f: str(f.name))
def test_functions_are_short(file: Path) -> None:
    """Of at most 60 lines and 8 parameters, `self` not counted."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            offers = node.name in MANY_CHOICES and file.parent.parts[-1] in ("commands", node.name)
            # A command says a line of help for each of its choices; what it does is short.
            start = node.body[1].lineno if offers else node.lineno
            assert node.end_lineno - start < MOST_LINES, node.name
            if not offers:
                assert len(_parameters(node.args)) <= MOST_PARAMETERS, node.name


def _parameters(given: ast.arguments) -> list[str]:
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    rest = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [one.arg for one in (*named, *rest) if one.arg not in ("self", "cls")]


def test_the_root_is_no_storeroom() -> None:
    assert len(list(SOURCE.glob("*.py"))) <= 8


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


def test_the_help_loads_no_results() -> None:
    """Records of results take a fifth of a second to define."""
    script = (
        "import sys; from microgauge.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(any(name.startswith('microgauge.results') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0
