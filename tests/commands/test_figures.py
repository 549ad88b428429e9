"""Figures that were kept: no change of how the program is built may move them."""

from __future__ import annotations

import gzip
import json
import math
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
KEPT = Path(__file__).parent / "figures"
FITTED = ("propensity", "clusters", "ecdf", "yardsticks", "loss/eigenvalues_robust")
"""Figures of models and draws, whose last digits depend on the processor."""


@pytest.fixture(scope="module")
def runs():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(TOOLS)
        import keep_figures

        yield keep_figures.RUNS
    sys.modules.pop("keep_figures", None)


def moved(kept, found, place=""):
    """Where a result differs from a kept one by more than the last digits, or lacks a name of it.

    Names are added to, and a name that was not kept has no figure that could have moved.
    """
    if isinstance(kept, dict) and isinstance(found, dict):
        gone = [f"{place}/{n}" for n in kept if n not in found]
        both = [n for n in kept if n in found and n not in ("path", "microgauge")]
        return gone + [m for n in both for m in moved(kept[n], found[n], f"{place}/{n}")]
    if isinstance(kept, list) and isinstance(found, list):
        if len(kept) != len(found):
            return [f"{place}: {len(kept)} became {len(found)}"]
        pairs = enumerate(zip(kept, found, strict=True))
        return [m for i, (a, b) in pairs for m in moved(a, b, f"{place}[{i}]")]
    if isinstance(kept, float) and isinstance(found, int | float):
        loose = any(name in place for name in FITTED)
        near = math.isclose(kept, found, rel_tol=1e-6 if loose else 1e-9, abs_tol=1e-9)
        return [] if near else [f"{place}: {kept} became {found}"]
    return [] if kept == found else [f"{place}: {kept!r} became {found!r}"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["everything", "ranked", "diagnosed"])
def test_no_figure_moves(runs, name):
    kept = json.loads(gzip.decompress((KEPT / f"{name}.json.gz").read_bytes()))
    found = json.loads(json.dumps(runs[name]()))
    assert moved(kept, found) == []


def test_a_figure_that_moves_is_seen():
    kept = {"gdu": {"value": 0.5, "pairs": [1.0, None]}, "notes": ["a"]}
    assert moved(kept, kept) == []
    assert moved(kept, kept | {"added": 1.0}) == []
    for change in (
        {"gdu": {"value": 0.5 + 1e-8, "pairs": [1.0, None]}, "notes": ["a"]},
        {"gdu": {"value": 0.5, "pairs": [1.0, 0.0]}, "notes": ["a"]},
        {"gdu": {"value": 0.5, "pairs": [1.0]}, "notes": ["a"]},
        {"gdu": {"value": None, "pairs": [1.0, None]}, "notes": ["a"]},
        {"gdu": {"value": 0.5, "pairs": [1.0, None]}, "notes": ["b"]},
        {"gdu": {"value": 0.5, "pairs": [1.0, None]}},
    ):
        assert len(moved(kept, change)) == 1
