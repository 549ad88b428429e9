"""Is there an association between two variables, how strong is it, and which way does it go?

Every test is reduced to an effect (χ²/n, η², ε², ρ, r) and a number of units, from which the
p-value follows. So weights (effective numbers of units) and `test_n` enter in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

import numpy as np
from scipy import special

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.results import Test
from microgauge.values.levels import Keys, common, sums_by
from microgauge.values.ranks import centred_ranks

FEWEST_UNITS = 3
PairTest = Literal["chi-squared", "kruskal-wallis", "anova", "spearman", "pearson"]

CONSTANT = "a variable is constant"
TOO_FEW = "fewer than three complete units"
TOO_MANY_CELLS = "too-many-cells"
"""The code of a test that has too many groups or cells for test_n."""


@dataclass(frozen=True)
class Units:
    """The complete units of a pair: how many, their weight, their effective number."""

    rows: int
    weight: float
    effective: float

    def tested(self, test_n: int | None) -> float:
        """The number of units a test is made for."""
        return self.effective if test_n is None else min(self.effective, float(test_n))


@dataclass(frozen=True, eq=False)
class CellFacts:
    """A contingency table by its cells that are not empty."""

    units: Units
    row: Index
    column: Index
    weight: Floats
    row_keys: Keys
    column_keys: Keys


@dataclass(frozen=True, eq=False)
class GroupFacts:
    """Scores (centred ranks or centred values) within groups."""

    units: Units
    keys: Keys
    weight: Floats
    """Weight of each group."""
    sums: Floats
    """Sum of the weighted scores of each group."""
    squares: float
    """Sum of the weighted squared scores of all units."""


@dataclass(frozen=True, eq=False)
class ProductFacts:
    """Centred scores of two variables: their squares and products."""

    units: Units
    squares_a: float
    squares_b: float
    product: float


@dataclass(frozen=True, eq=False)
class Direction:
    """Measures of the strength of the difference (MSD), per unit, by cell or group."""

    facts: CellFacts | GroupFacts
    signed: Floats | None = None
    """For groups: share × squared deviation with its sign."""


@dataclass(frozen=True, eq=False)
class Association:
    """The result of one test on one side."""

    test: Test
    rows: int
    p: float
    coefficient: float
    """The squared coefficient: V², η², ε², ρ² or r²."""
    correlation: float | None = None
    """ρ or r with its sign."""
    direction: Direction | None = None


# -- the tests -------------------------------------------------------------------------------


def chi_squared(facts: CellFacts, test_n: int | None = None) -> Association:
    """Chi-squared test of independence and V² = (χ²/n) / min(rows - 1, columns - 1)."""
    _enough(facts.units)
    rows, columns = _margins(facts)
    height, width = int((rows > 0).sum()), int((columns > 0).sum())
    if min(height, width) < 2:
        raise Undefined(CONSTANT)
    if test_n is not None and height * width > test_n:
        raise Undefined("more groups or cells than test_n", TOO_MANY_CELLS)
    total = facts.units.weight
    expected = rows[facts.row] * columns[facts.column] / total
    # Empty cells add their expected counts, which are what is left of the total.
    empty = max(total - float(expected.sum()), 0.0) if len(expected) < height * width else 0.0
    effect = (float(((facts.weight - expected) ** 2 / expected).sum()) + empty) / total
    freedom = (height - 1) * (width - 1)
    p = float(special.chdtrc(freedom, effect * facts.units.tested(test_n)))
    coefficient = min(effect / (min(height, width) - 1), 1.0)
    return Association("chi-squared", facts.units.rows, p, coefficient, None, Direction(facts))


def _margins(facts: CellFacts) -> tuple[Floats, Floats]:
    rows = sums_by(facts.row, facts.weight, len(facts.row_keys))
    return rows, sums_by(facts.column, facts.weight, len(facts.column_keys))


def kruskal_wallis(facts: GroupFacts, test_n: int | None = None) -> Association:
    """Tie-corrected Kruskal–Wallis test and ε² = H (n + 1)/(n² - 1) = H/(n - 1).

    **Reading:** printed as H (n² + 1)/(n² - 1), which exceeds 1. With ties corrected, H/(n - 1) is
    the share of the ranks' variation that lies between the groups.
    """
    effect, groups = _between(facts, test_n)
    p = float(special.chdtrc(groups - 1, (facts.units.tested(test_n) - 1) * effect))
    n, weight = facts.units.effective, facts.units.weight
    # Doubled centred ranks, summed in units of weight, become (rank - mean rank) / (N + 1).
    scale = n / (2.0 * weight * (n + 1.0))
    direction = Direction(facts, _signed_squares(facts, scale))
    return Association("kruskal-wallis", facts.units.rows, p, effect, None, direction)


def anova(facts: GroupFacts, test_n: int | None = None) -> Association:
    """One-way analysis of variance and η² = SSB / TSS."""
    effect, groups = _between(facts, test_n)
    within = facts.units.tested(test_n) - groups
    if within <= 0:
        raise Undefined("as many groups as units")
    ratio = inf if effect >= 1.0 else (effect / (groups - 1)) / ((1.0 - effect) / within)
    p = float(special.fdtrc(groups - 1, within, ratio)) if ratio < inf else 0.0
    direction = Direction(facts, _signed_squares(facts, 1.0))
    return Association("anova", facts.units.rows, p, effect, None, direction)


def _between(facts: GroupFacts, test_n: int | None) -> tuple[float, int]:
    """Share of the variation of scores between groups, and the number of groups."""
    _enough(facts.units)
    here = facts.weight > 0
    groups = int(here.sum())
    if groups < 2 or facts.squares <= 0:
        raise Undefined(CONSTANT)
    if test_n is not None and groups > test_n:
        raise Undefined("more groups or cells than test_n", TOO_MANY_CELLS)
    between = float((facts.sums[here] ** 2 / facts.weight[here]).sum())
    return min(between / facts.squares, 1.0), groups


def _signed_squares(facts: GroupFacts, scale: float) -> Floats:
    """Share of each group × (its mean less the grand mean)², negative below the grand mean."""
    weight = np.where(facts.weight > 0, facts.weight, 1.0)
    means = facts.sums / weight * scale
    return facts.weight / facts.units.weight * means * np.abs(means)


def correlation(
    facts: ProductFacts, test: Literal["spearman", "pearson"], test_n: int | None = None
) -> Association:
    """Spearman's ρ (centred ranks) or Pearson's r (centred values), tested with Student's t."""
    _enough(facts.units)
    if facts.squares_a <= 0 or facts.squares_b <= 0:
        raise Undefined(CONSTANT)
    r = facts.product / (sqrt(facts.squares_a) * sqrt(facts.squares_b))
    r = min(max(r, -1.0), 1.0)
    freedom = facts.units.tested(test_n) - 2
    if freedom <= 0:
        raise Undefined(TOO_FEW)
    t = inf if abs(r) == 1.0 else abs(r) * sqrt(freedom / ((1.0 + r) * (1.0 - r)))
    p = min(2.0 * float(special.stdtr(freedom, -t)), 1.0)
    return Association(test, facts.units.rows, p, r * r, r)


def _enough(units: Units) -> None:
    if units.rows < FEWEST_UNITS:
        raise Undefined(TOO_FEW)


# -- facts from a table of two axes ----------------------------------------------------------


def groups_from_cells(facts: CellFacts, scores: Floats | None) -> GroupFacts:
    """Rows of the table as groups; columns scored by the values given, or by rank."""
    rows, columns = _margins(facts)
    centred = centred_ranks(columns) if scores is None else centred_values(scores, columns)
    sums = sums_by(facts.row, facts.weight * centred[facts.column], len(facts.row_keys))
    squares = float((columns * centred**2).sum())
    return GroupFacts(facts.units, facts.row_keys, rows, sums, squares)


def products_from_cells(facts: CellFacts, scores: tuple[Floats, Floats] | None) -> ProductFacts:
    """Both axes scored by the values given, or by rank."""
    margins = _margins(facts)
    if scores is None:
        a, b = (centred_ranks(margin) for margin in margins)
    else:
        a, b = (centred_values(s, m) for s, m in zip(scores, margins, strict=True))
    return ProductFacts(
        facts.units,
        float((margins[0] * a**2).sum()),
        float((margins[1] * b**2).sum()),
        float((facts.weight * a[facts.row] * b[facts.column]).sum()),
    )


def centred_values(values: Floats, weights: Floats) -> Floats:
    """Values less their weighted mean."""
    total = weights.sum()
    return values - float((values * weights).sum() / total) if total > 0 else values


# -- direction -------------------------------------------------------------------------------

_BLOCK_CELLS = 1 << 22


@dataclass(frozen=True)
class Turn:
    """Whether an association changed its direction."""

    opposite: bool
    """Σ|MSD_o - MSD_p| > Σ|MSD_o|, or correlations of different sign."""
    signs_flipped: bool
    """Whether cells or groups of opposite sign carry more than half of Σ|MSD_o · MSD_p|.

    A file may change the pattern of an association, or double it, and flip few signs: only with
    this does the association point the other way.
    """


def turn(original: Association, protected: Association) -> Turn:
    """Compare directions. Both sides must have been tested with levels that mean the same."""
    if original.correlation is not None and protected.correlation is not None:
        flipped = original.correlation * protected.correlation < 0
        return Turn(flipped, flipped)
    if original.direction is None or protected.direction is None:
        raise ValueError("directions of different tests cannot be compared")
    change = strength = against = weight = 0.0
    for before, after in _strengths(original.direction, protected.direction):
        change += float(np.abs(before - after).sum())
        strength += float(np.abs(before).sum())
        product = before * after
        against -= float(product[product < 0].sum())
        weight += float(np.abs(product).sum())
    return Turn(change - strength > 0, 2.0 * against > weight)


def _strengths(original: Direction, protected: Direction) -> Iterator[tuple[Floats, Floats]]:
    if isinstance(original.facts, CellFacts) and isinstance(protected.facts, CellFacts):
        yield from _residuals(original.facts, protected.facts)
        return
    assert original.signed is not None
    assert protected.signed is not None
    a, b, size = common(original.facts.keys, protected.facts.keys)  # type: ignore[union-attr]
    yield sums_by(a, original.signed, size), sums_by(b, protected.signed, size)


def _residuals(original: CellFacts, protected: CellFacts) -> Iterator[tuple[Floats, Floats]]:
    """Standardised residuals per √N of both tables, over the cells of both, some rows at a time."""
    rows_o, rows_p, height = common(original.row_keys, protected.row_keys)
    columns_o, columns_p, width = common(original.column_keys, protected.column_keys)
    before = _SharedTable.of(original, rows_o, height, columns_o, width)
    after = _SharedTable.of(protected, rows_p, height, columns_p, width)
    step = max(_BLOCK_CELLS // width, 1)
    for start in range(0, height, step):
        stop = min(start + step, height)
        yield before.residuals(start, stop), after.residuals(start, stop)


@dataclass(frozen=True, eq=False)
class _SharedTable:
    """A table's shares on rows and columns that both sides have in common."""

    row: Index
    column: Index
    share: Floats
    rows: Floats
    columns: Floats

    @staticmethod
    def of(facts: CellFacts, rows: Index, height: int, columns: Index, width: int) -> _SharedTable:
        share = facts.weight / facts.units.weight
        row, column = rows[facts.row], columns[facts.column]
        return _SharedTable(
            row,
            column,
            share,
            sums_by(row, share, height),
            sums_by(column, share, width),
        )

    def residuals(self, start: int, stop: int) -> Floats:
        """(p_ij - p_i p_j) / √(p_i p_j) for some rows; 0 where a margin is empty."""
        here = (self.row >= start) & (self.row < stop)
        width = len(self.columns)
        keys = (self.row[here] - start) * width + self.column[here]
        observed = sums_by(keys, self.share[here], (stop - start) * width)
        expected = np.outer(self.rows[start:stop], self.columns).ravel()
        root = np.sqrt(expected)
        return np.divide(observed - expected, root, out=np.zeros_like(root), where=root > 0)
