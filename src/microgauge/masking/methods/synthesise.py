"""Plain synthetic records: draws from simple models of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.arrays import Floats, Index
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.masking.draws import normal_draws
from microgauge.masking.step import Look, Step
from microgauge.masking.table import Data, finite
from microgauge.records import dataclass

LEAF = 5
"""Records in a leaf from which a value is drawn."""


@dataclass(frozen=True, eq=False)
class Given:
    """A column to be synthesised: numbers (NaN where missing), or codes of categories."""

    numbers: Floats | None = None
    codes: Index | None = None

    @property
    def rows(self) -> int:
        """Number of records."""
        values = self.numbers if self.numbers is not None else self.codes
        assert values is not None
        return len(values)


def normal(columns: Floats, rows: int, rng: np.random.Generator) -> Floats:
    """Normal draws with the means and covariances of complete records."""
    complete = columns[~np.isnan(columns).any(axis=1)]
    if len(complete) < 2:
        raise InputError(say("normal draws need two records without a missing number."))
    covariance = np.atleast_2d(np.cov(complete, rowvar=False))
    return np.asarray(complete.mean(axis=0) + normal_draws(covariance, rows, rng))


def independent(columns: int, records: int, rows: int, rng: np.random.Generator) -> list[Index]:
    """For each column by itself, the original records that its values are taken from."""
    return [rng.integers(0, records, rows) for _ in range(columns)]


def by_trees(columns: Sequence[Given], rows: int, rng: np.random.Generator) -> list[Index]:
    """The original records that values are taken from: the first column at random, each further one
    from a leaf of a tree on the columns before it (sequential trees, Reiter 2005).
    """
    records = columns[0].rows
    donors = [rng.integers(0, records, rows)]
    for place in range(1, len(columns)):
        before = _features(columns[:place], [np.arange(records)] * place)
        drawn = _features(columns[:place], donors)
        donors.append(_from_leaves(columns[place], before, drawn, rng))
    return donors


def _features(columns: Sequence[Given], donors: Sequence[Index]) -> Floats:
    """Numbers, and an indicator of every category but one; missing numbers at the mean."""
    found = []
    for column, rows in zip(columns, donors, strict=True):
        if column.numbers is not None:
            filled = _filled(column.numbers)
            found += [filled[rows], np.isnan(column.numbers)[rows].astype(np.float64)]
        else:
            assert column.codes is not None
            found += [
                (column.codes[rows] == code).astype(np.float64)
                for code in range(1, int(column.codes.max()) + 1)
            ]
    return np.column_stack(found) if found else np.zeros((len(donors[0]), 1))


def _filled(numbers: Floats) -> Floats:
    """Missing numbers at the mean."""
    missing = np.isnan(numbers)
    mean = float(numbers[~missing].mean()) if not missing.all() else 0.0
    return np.where(missing, mean, numbers)


def _from_leaves(column: Given, before: Floats, drawn: Floats, rng: np.random.Generator) -> Index:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    seed = int(rng.integers(0, 2**31 - 1))
    target: NDArray[Any]
    if column.numbers is not None:
        target = _filled(column.numbers)
        tree = DecisionTreeRegressor(min_samples_leaf=LEAF, random_state=seed)
    else:
        assert column.codes is not None
        target = column.codes
        tree = DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=seed)
    tree.fit(before, target)
    leaves, wanted = tree.apply(before), tree.apply(drawn)
    order = np.argsort(leaves, kind="stable")
    starts = np.searchsorted(leaves[order], wanted, side="left")
    stops = np.searchsorted(leaves[order], wanted, side="right")
    picks = starts + (rng.random(len(wanted)) * (stops - starts)).astype(np.intp)
    return np.asarray(order[picks])


@dataclass(frozen=True, kw_only=True)
class Synthesise(Step):
    """Replace variables of all records by draws from a simple model."""

    method: ClassVar[str] = "synthesise"

    model: Literal["normal", "independent", "trees"] = field(
        default="trees",
        metadata={
            "meanings": {
                "normal": say("all from a normal distribution"),
                "independent": say("each variable by itself"),
                "trees": say("each variable from those before it, by trees"),
            }
        },
    )
    """What the values are drawn from."""

    def own_faults(self, look: Look) -> list[str]:
        """Normal draws are numbers."""
        if self.model not in ("normal", "independent", "trees"):
            return [say("model must be normal, independent or trees.")]
        if self.model == "normal":
            return self.category_faults(look, say("normal draws are numbers"))
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Synthetic."""
        if self.model == "normal":
            columns = data.matrix(self.variables)
            drawn = normal(columns, data.rows, rng)
            for name, column in zip(self.variables, drawn.T, strict=True):
                data = data.with_column(name, pl.Series(finite(name, column, missing=False)))
            return data
        if self.model == "independent":
            donors = independent(len(self.variables), data.rows, data.rows, rng)
        else:
            given = [self._given(data, name) for name in self.variables]
            donors = by_trees(given, data.rows, rng)
        given_cells = {name: data.column(name) for name in self.variables}
        for (name, cells), rows in zip(given_cells.items(), donors, strict=True):
            data = data.with_column(name, cells.gather(rows))
        return data

    @staticmethod
    def _given(data: Data, name: str) -> Given:
        if data.uses[name] == "number":
            return Given(numbers=data.numbers(name))
        return Given(codes=data.codes(name)[0])
