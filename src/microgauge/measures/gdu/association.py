"""Is there an association between two variables, how strong is it, and which way does it go?

Every test is reduced to an effect (χ²/n, η², ε², ρ, r) and a number of units, from which the
p-value follows. So weights (effective numbers of units) and `test_n` enter in one place.

Facts and answers are of many pairs at once: an array has an entry for each pair, or what all pairs
have one after the other (`Segments`). A wide table has more pairs than there is time for calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results import Test
from microgauge.values.levels import Keys, sums_by
from microgauge.values.segments import Segments, joined

FEWEST_UNITS = 3
PairTest = Literal["chi-squared", "kruskal-wallis", "anova", "spearman", "pearson"]

CONSTANT = say("a variable is constant")
TOO_FEW = say("fewer than three complete units")
TOO_MANY_CELLS = "too-many-cells"
"""The code of a test that has too many groups or cells for test_n."""

WHY = (
    Undefined(TOO_FEW),
    Undefined(CONSTANT),
    Undefined(say("more groups or cells than test_n"), TOO_MANY_CELLS),
    Undefined(say("as many groups as units")),
)
"""Why a pair has no answer."""
_FEW, _SAME, _MANY, _GROUPS = range(1, 5)


@dataclass(frozen=True, eq=False)
class Units:
    """The complete units of pairs: how many, their weight, their effective number."""

    rows: Counts
    weight: Floats
    effective: Floats

    @staticmethod
    def of(rows: Counts, weight: Floats, squares: Floats) -> Units:
        """With Kish's effective number: (Σw)²/Σw²."""
        some = np.where(squares > 0, squares, 1.0)
        return Units(rows, weight, np.where(squares > 0, weight * weight / some, 0.0))

    def tested(self, test_n: int | None) -> Floats:
        """The number of units a test is made for."""
        return self.effective if test_n is None else np.minimum(self.effective, float(test_n))


@dataclass(frozen=True, eq=False)
class CellFacts:
    """Contingency tables by their cells that are not empty."""

    units: Units
    cells: Segments
    row: Index
    column: Index
    weight: Floats
    row_keys: Sequence[Keys]
    column_keys: Sequence[Keys]

    @cached_property
    def heights(self) -> Segments:
        """The rows of each table."""
        return Segments.of(self.row_keys)

    @cached_property
    def widths(self) -> Segments:
        """The columns of each table."""
        return Segments.of(self.column_keys)

    @property
    def row_at(self) -> Index:
        """The row of each cell among those of all tables."""
        return self.heights.starts[self.cells.owner] + self.row

    @property
    def column_at(self) -> Index:
        """The column of each cell among those of all tables."""
        return self.widths.starts[self.cells.owner] + self.column


@dataclass(frozen=True, eq=False)
class GroupFacts:
    """Scores (centred ranks or centred values) within groups."""

    units: Units
    keys: Sequence[Keys]
    weight: Floats
    """Weight of each group."""
    sums: Floats
    """Sum of the weighted scores of each group."""
    squares: Floats
    """Sum of the weighted squared scores of all units of each pair."""

    @cached_property
    def groups(self) -> Segments:
        """The groups of each pair."""
        return Segments.of(self.keys)


@dataclass(frozen=True, eq=False)
class ProductFacts:
    """Centred scores of two variables: their squares and products."""

    units: Units
    squares_a: Floats
    squares_b: Floats
    product: Floats


@dataclass(frozen=True, eq=False)
class SignedGroups:
    """Measures of the strength of the difference (MSD), per unit, by group."""

    keys: Sequence[Keys]
    groups: Segments
    signed: Floats
    """Share × squared deviation with its sign."""


@dataclass(frozen=True, eq=False)
class Associations:
    """The results of one test on one side, for some pairs."""

    test: Test
    rows: Counts
    p: Floats
    coefficient: Floats
    """The squared coefficient: V², η², ε², ρ² or r²."""
    why: NDArray[np.int8]
    """0, or why there is no result: the place in `WHY`, from 1 on. All else then says nothing."""
    correlation: Floats | None = None
    """ρ or r with its sign."""
    direction: CellFacts | SignedGroups | None = None

    def __len__(self) -> int:
        return len(self.p)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        held: list[NDArray[Any]] = [self.rows, self.p, self.coefficient, self.why]
        if isinstance(self.direction, CellFacts):
            held += [self.direction.row, self.direction.column, self.direction.weight]
        elif self.direction is not None:
            held.append(self.direction.signed)
        return sum(array.nbytes for array in held)


def _why(units: Units, *others: tuple[int, Flags]) -> NDArray[np.int8]:
    """The first reason of each pair."""
    found = np.where(units.rows < FEWEST_UNITS, _FEW, 0).astype(np.int8)
    for reason, here in others:
        found[here & (found == 0)] = reason
    return found


def _most(test_n: int | None) -> float:
    return np.inf if test_n is None else test_n


# -- the tests -------------------------------------------------------------------------------


def chi_squared(facts: CellFacts, test_n: int | None = None) -> Associations:
    """Chi-squared test of independence and V² = (χ²/n) / min(rows - 1, columns - 1)."""
    rows, columns = _margins(facts)
    height = facts.heights.only(rows > 0).lengths
    width = facts.widths.only(columns > 0).lengths
    least, cells = np.minimum(height, width), height * width
    why = _why(facts.units, (_SAME, least < 2), (_MANY, cells > _most(test_n)))
    total = facts.units.weight
    expected = rows[facts.row_at] * columns[facts.column_at] / total[facts.cells.owner]
    # Empty cells add their expected counts, which are what is left of the total.
    empty = np.maximum(total - facts.cells.sums(expected), 0.0)
    empty[facts.cells.lengths >= cells] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = (facts.cells.sums((facts.weight - expected) ** 2 / expected) + empty) / total
        p = special.chdtrc((height - 1) * (width - 1), effect * facts.units.tested(test_n))
        coefficient = np.minimum(effect / (least - 1), 1.0)
    return Associations("chi-squared", facts.units.rows, p, coefficient, why, None, facts)


def _margins(facts: CellFacts) -> tuple[Floats, Floats]:
    rows = sums_by(facts.row_at, facts.weight, facts.heights.total)
    return rows, sums_by(facts.column_at, facts.weight, facts.widths.total)


def kruskal_wallis(facts: GroupFacts, test_n: int | None = None) -> Associations:
    """Tie-corrected Kruskal–Wallis test and ε² = H (n + 1)/(n² - 1) = H/(n - 1).

    **Reading:** printed as H (n² + 1)/(n² - 1), which exceeds 1. With ties corrected, H/(n - 1) is
    the share of the ranks' variation that lies between the groups.
    """
    effect, groups, why = _between(facts, test_n)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = special.chdtrc(groups - 1, (facts.units.tested(test_n) - 1) * effect)
        n, weight = facts.units.effective, facts.units.weight
        # Doubled centred ranks, summed in units of weight, become (rank - mean rank) / (N + 1).
        direction = _signed_squares(facts, n / (2.0 * weight * (n + 1.0)))
    return Associations("kruskal-wallis", facts.units.rows, p, effect, why, None, direction)


def anova(facts: GroupFacts, test_n: int | None = None) -> Associations:
    """One-way analysis of variance and η² = SSB / TSS."""
    effect, groups, why = _between(facts, test_n)
    within = facts.units.tested(test_n) - groups
    why[(within <= 0) & (why == 0)] = _GROUPS
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (effect / (groups - 1)) / ((1.0 - effect) / within)
        p = np.where(effect >= 1.0, 0.0, special.fdtrc(groups - 1, within, ratio))
        direction = _signed_squares(facts, np.ones(len(groups)))
    return Associations("anova", facts.units.rows, p, effect, why, None, direction)


def _between(facts: GroupFacts, test_n: int | None) -> tuple[Floats, Index, NDArray[np.int8]]:
    """Share of the variation of scores between groups; the number of groups; why there is none."""
    here = facts.weight > 0
    there = facts.groups.only(here)
    groups = there.lengths
    between = there.sums(facts.sums[here] ** 2 / facts.weight[here])
    constant = (groups < 2) | (facts.squares <= 0)
    why = _why(facts.units, (_SAME, constant), (_MANY, groups > _most(test_n)))
    squares = np.where(constant, 1.0, facts.squares)
    return np.minimum(between / squares, 1.0), groups, why


def _signed_squares(facts: GroupFacts, scale: Floats) -> SignedGroups:
    """Share of each group × (its mean less the grand mean)², negative below the grand mean."""
    owner = facts.groups.owner
    weight = np.where(facts.weight > 0, facts.weight, 1.0)
    means = facts.sums / weight * scale[owner]
    signed = facts.weight / facts.units.weight[owner] * means * np.abs(means)
    return SignedGroups(facts.keys, facts.groups, signed)


def correlation(
    facts: ProductFacts, test: Literal["spearman", "pearson"], test_n: int | None = None
) -> Associations:
    """Spearman's ρ (centred ranks) or Pearson's r (centred values), tested with Student's t."""
    constant = (facts.squares_a <= 0) | (facts.squares_b <= 0)
    freedom = facts.units.tested(test_n) - 2
    why = _why(facts.units, (_SAME, constant), (_FEW, freedom <= 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        r = facts.product / (np.sqrt(facts.squares_a) * np.sqrt(facts.squares_b))
        r = np.minimum(np.maximum(r, -1.0), 1.0)
        t = np.abs(r) * np.sqrt(freedom / ((1.0 + r) * (1.0 - r)))
        p = np.minimum(2.0 * special.stdtr(freedom, -t), 1.0)
    return Associations(test, facts.units.rows, p, r * r, why, r)


# -- facts from tables of two axes -------------------------------------------------------------

Scores = Sequence[Floats]
"""A number for each level, for each pair."""


def groups_from_cells(facts: CellFacts, scores: Scores | None) -> GroupFacts:
    """Rows of the tables as groups; columns scored by the values given, or by rank."""
    rows, columns = _margins(facts)
    centred = _centred(facts.widths, columns, scores)
    sums = sums_by(facts.row_at, facts.weight * centred[facts.column_at], facts.heights.total)
    squares = facts.widths.sums(columns * centred**2)
    return GroupFacts(facts.units, facts.row_keys, rows, sums, squares)


def products_from_cells(facts: CellFacts, scores: tuple[Scores, Scores] | None) -> ProductFacts:
    """Both axes scored by the values given, or by rank."""
    rows, columns = _margins(facts)
    of_a, of_b = (None, None) if scores is None else scores
    a = _centred(facts.heights, rows, of_a)
    b = _centred(facts.widths, columns, of_b)
    return ProductFacts(
        facts.units,
        facts.heights.sums(rows * a**2),
        facts.widths.sums(columns * b**2),
        facts.cells.sums(facts.weight * a[facts.row_at] * b[facts.column_at]),
    )


def _centred(levels: Segments, weights: Floats, scores: Scores | None) -> Floats:
    """The values of the levels less their weighted mean; without values, their centred ranks."""
    total = levels.sums(weights)
    if scores is None:  # as `centred_ranks` of each
        return 2.0 * levels.before(weights) + weights - total[levels.owner]
    values = joined(scores)
    mean = levels.sums(values * weights) / np.where(total > 0, total, 1.0)
    return values - mean[levels.owner]


def centred_values(values: Floats, weights: Floats) -> Floats:
    """Values less their weighted mean."""
    total = weights.sum()
    return values - float((values * weights).sum() / total) if total > 0 else values
