"""Noise on numbers."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.masking.draws import normal_draws
from microgauge.masking.step import ColumnUse, Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema.checks import number

MOST_DRAWS = 10_000
"""How often a draw is repeated before a value stays as it is."""


def additive(columns: Floats, deviations: Floats, rng: np.random.Generator) -> Floats:
    """Independent normal noise with a deviation for each column."""
    return columns + rng.standard_normal(columns.shape) * deviations


def correlated(columns: Floats, share: float, rng: np.random.Generator) -> Floats:
    """Normal noise with share² times the covariance of the columns: correlations stay."""
    complete = columns[~np.isnan(columns).any(axis=1)]
    if len(complete) < 2:
        raise InputError(say("correlated noise needs two records without a missing number."))
    covariance = np.atleast_2d(np.cov(complete, rowvar=False)) * share**2
    return columns + normal_draws(covariance, len(columns), rng)


def on_positive(column: Floats, deviation: float, rng: np.random.Generator) -> Floats:
    """Noise on positive values only, drawn again until the result is positive; the rest stays."""
    found = column.copy()
    left = np.flatnonzero(column > 0)
    for _ in range(MOST_DRAWS):
        if not len(left):
            break
        found[left] = column[left] + rng.normal(0.0, deviation, len(left))
        left = left[found[left] <= 0]
    found[left] = column[left]
    return found


@dataclass(frozen=True, kw_only=True)
class Noise(Step):
    """Add normal noise: a share of each variable's deviation, or a deviation in its own units."""

    method: ClassVar[str] = "noise"
    takes: ClassVar[ColumnUse | None] = "number"

    share: float | None = None
    """Noise as a share of each variable's standard deviation; or give a deviation."""
    deviation: float | None = field(default=None, metadata={"tried": (10, 50, 10)})
    """Standard deviation of the noise, in the variable's own units."""
    correlated: bool = False
    """Noise with the correlations of the variables."""
    positive: bool = False
    """Only on positive values, drawn again until positive."""

    def own_faults(self, look: Look) -> list[str]:
        """A share or a deviation, and one way."""
        if (self.share is None) == (self.deviation is None):
            return [say("give share or deviation.")]
        found = number("share", self.share, above=0) + number("deviation", self.deviation, above=0)
        if self.correlated and (self.positive or self.deviation is not None):
            found.append(say("correlated noise takes a share, and goes on all values."))
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Noisy."""
        columns = data.matrix(self.variables)
        if self.correlated:
            assert self.share is not None
            found = correlated(columns, self.share, rng)
        elif self.positive:
            found = np.stack(
                [on_positive(c, self._deviation(c[c > 0]), rng) for c in columns.T], axis=1
            )
        else:
            deviations = np.array([self._deviation(column) for column in columns.T])
            found = additive(columns, deviations, rng)
        return data.with_matrix(self.variables, found)

    def _deviation(self, column: Floats) -> float:
        if self.deviation is not None:
            return float(self.deviation)
        assert self.share is not None
        known = column[~np.isnan(column)]
        return float(self.share * known.std()) if len(known) else 0.0
