"""A masking method is one file and one entry: whatever lists methods finds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

import microgauge
from microgauge.cli import main
from microgauge.commands.explore.grid import Grid
from microgauge.errors import InputError
from microgauge.masking import methods
from microgauge.masking.forms import forms
from microgauge.masking.recipe import Recipe
from microgauge.masking.step import Step
from microgauge.masking.table import ColumnUse

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Shift(Step):
    """Add a number: a toy."""

    method: ClassVar[str] = "shift"
    takes: ClassVar[ColumnUse | None] = "number"

    by: float = 0.0

    def own_faults(self, look):
        return ["by must not be 0."] if self.by == 0 else []

    def applied(self, data, rng):
        for name in self.variables:
            data = data.with_numbers(name, data.numbers(name) + self.by)
        return data


@pytest.fixture
def shift() -> Iterator[None]:
    with methods.registered(Shift):
        yield


TABLE = pl.DataFrame({"age": range(20, 60), "name": ["a", "b"] * 20})


def recipe(**values):
    return {"step": [{"method": "shift", "variable": "age", **values}]}


@pytest.mark.usefixtures("shift")
def test_a_toy_method_is_used_by_recipes() -> None:
    found = microgauge.mask(TABLE, recipe(by=5))
    assert found["age"].to_list() == list(range(25, 65))
    assert found["name"].equals(TABLE["name"])


@pytest.mark.usefixtures("shift")
def test_a_toy_method_has_its_faults_told() -> None:
    steps = [
        {"method": "shift", "variable": "age", "by": "much"},
        {"method": "shift", "variable": "name", "by": 0},
        {"method": "shift", "variable": "age", "bye": 1},
        {"method": "shfit", "variable": "age", "by": 1},
    ]
    with pytest.raises(InputError) as caught:
        microgauge.mask(TABLE, {"step": steps})
    assert caught.value.faults == (
        "step 1 (shift): by must be a number.",
        'step 3 (shift): there is no parameter "bye". Did you mean "by"?',
        'step 4: there is no method "shfit". Did you mean "shift"? There are '
        f"{', '.join(methods.method_names())}.",
        'step 2 (shift): "name" is a category; shift is for numbers.',
        "step 2 (shift): by must not be 0.",
        "step 3 (shift): by must not be 0.",
    )


@pytest.mark.usefixtures("shift")
def test_a_toy_method_is_tried_by_grids() -> None:
    grid = Grid.load(recipe(by={"grid": [1, 2, 3]}))
    assert not grid.faults
    assert [tried.settings for tried in grid.tries] == [{"age by": n} for n in (1, 2, 3)]
    schema = {"variable": {"name": {"role": "quasi_identifier"}}}
    found = microgauge.explore(TABLE, recipe(by={"grid": [1, 2]}), schema=schema, only=["gdu"])
    assert [candidate.settings for candidate in found.candidates] == [{"age by": 1}, {"age by": 2}]


@pytest.mark.usefixtures("shift")
def test_a_toy_method_is_told_by_help(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["mask", "--help"])
    assert "synthesise, shift" in " ".join(capsys.readouterr().out.split())


def test_a_method_is_there_no_longer_than_it_is_registered() -> None:
    with methods.registered(Shift):
        assert methods.method_names()[-1] == "shift"
        with pytest.raises(ValueError, match="already"):
            methods.register(Shift)
    assert "shift" not in methods.method_names()
    assert Recipe.load(recipe(by=1)).faults


@pytest.mark.parametrize("name", methods.method_names())
def test_every_method_says_what_it_is_and_is_on_the_page(name: str) -> None:
    step = methods.method(name)
    assert step.method == name
    row = next(
        line
        for line in (ROOT / "docs" / "mask.md").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| `{name}` |")
    )
    untold = [p for p in forms(step) if p != "variables" and p not in row]
    assert not untold
