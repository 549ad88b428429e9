"""Which row of one table is the same unit as which row of the other: found, not assumed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import ORIGINAL, PROTECTED, Engine, Join, has_order, in_order, join
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined, hint
from microgauge.passes import Equal, Facts, Pass, Product, Sorted
from microgauge.results import Alignment
from microgauge.schema import Options
from microgauge.study.common_levels import common_axes
from microgauge.study.variable import Described
from microgauge.tables import Table
from microgauge.values.levels import Levels, common, sums_by
from microgauge.values.ranks import centred_ranks

STANDARD_DEVIATIONS = 10.0
DIFFERENCE = 0.1
"""By how much agreement must exceed that of shuffled columns to be evidence."""
FEW_LEVELS = 10_000


@dataclass(frozen=True, eq=False)
class Matching:
    """Whether units can be compared with themselves, why, and the matched rows."""

    alignment: Alignment
    rows: Engine | None
    """Rows with both tables' values, None where the tables are not aligned."""


def match(
    original: Table,
    protected: Table,
    variables: tuple[Described, ...],
    options: Options,
    joined: Join | None,
) -> Asking[Matching]:
    """Match by key if the tables were joined by one, else by row order where shown or forced."""
    if joined is not None:
        return _by_key(original, protected, joined, options.key)
    if options.aligned is False:
        return _apart("the user says that rows do not correspond")
    if original.rows != protected.rows:
        return _apart(f"{original.rows} and {protected.rows} rows, and no key column")
    rows = in_order(original, protected)
    if rows is None:
        return _apart("rows have no order here, and no key column is named")
    if options.aligned:
        return _in_order(rows, "the user says that rows correspond")
    evidence = yield from _evidence(rows, variables)
    if evidence is None:
        return _apart("equal numbers of rows, but no variable agrees more than by chance")
    return _in_order(rows, evidence)


def _apart(reason: str) -> Matching:
    return Matching(Alignment(aligned=False, how="not aligned", reason=reason), None)


def _in_order(rows: Engine, reason: str) -> Matching:
    return Matching(
        Alignment(aligned=True, how="row order", reason=reason, dropped=0, added=0), rows
    )


# -- by key ----------------------------------------------------------------------------------


def joined_tables(
    original: Table, protected: Table, options: Options
) -> tuple[Join | None, list[str]]:
    """The tables joined by their key, if they have one; and why they cannot be matched."""
    if options.aligned is False:
        return None, []
    if options.key is not None:
        return _joined(original, protected, options.key)
    if options.aligned and original.rows != protected.rows:
        return None, [
            f"aligned = true, but the original has {original.rows} rows and the protected "
            f"table {protected.rows}. Name a key column that joins them."
        ]
    if options.aligned and not has_order(original):
        return None, ["aligned = true, but rows have no order in Spark. Name a key column."]
    return None, []


def _joined(original: Table, protected: Table, key: str) -> tuple[Join | None, list[str]]:
    sides = ((original, "original"), (protected, "protected"))
    absent = [
        f'the {which} table has no column "{key}", the key.{hint(key, table.columns)}'
        for table, which in sides
        if key not in table.columns
    ]
    if absent:
        return None, absent
    found = join(original, protected, key)
    return found, _key_faults(found, key)


def _key_faults(found: Join, key: str) -> list[str]:
    faults = []
    for which, missing, repeated in zip(
        ("original", "protected"), found.missing, found.repeated, strict=True
    ):
        if missing:
            faults.append(f'the key "{key}" is missing in {missing} rows of the {which} table.')
        elif repeated:
            faults.append(
                f'the key "{key}" is repeated in {repeated} rows of the {which} table. '
                "A key must name each unit once."
            )
    if not faults and not found.matched:
        faults.append(f'the key "{key}" has no value that occurs in both tables.')
    return faults


def _by_key(original: Table, protected: Table, found: Join, key: str | None) -> Matching:
    alignment = Alignment(
        aligned=True,
        how="key",
        reason=f'{found.matched} units joined by "{key}"',
        dropped=original.rows - found.matched,
        added=protected.rows - found.matched,
    )
    return Matching(alignment, found.rows)


def joined(a: Table, b: Table, key: str) -> Engine:
    """Rows of two tables that have the same key, as matched rows."""
    found, faults = _joined(a, b, key)
    if found is None or faults:
        raise Undefined(faults[0])
    return found.rows


# -- by row order ----------------------------------------------------------------------------


def _evidence(rows: Engine, variables: tuple[Described, ...]) -> Asking[str | None]:
    """A sentence on the variable that shows that rows correspond, or None.

    One variable is enough, so those with few levels, which are quick to compare, come first.
    """
    shared = [v for v in variables if v.protected is not None and v.protected.levels.present]
    few = [_Compared(v) for v in shared if len(v.original.levels) <= FEW_LEVELS]
    many = [_Compared(v) for v in shared if len(v.original.levels) > FEW_LEVELS]
    facts = yield from asked(rows, [question for c in few for question in c.agreement])
    found = _agreement_evidence(rows.rows, few, facts)
    if found is not None:
        return found
    ranked = [_Ranked(v) for v in shared if _ordered(v)]
    facts = yield from asked(
        rows,
        [
            *(question for c in many for question in c.agreement),
            *(question for r in ranked for question in r.questions),
        ],
    )
    return _agreement_evidence(rows.rows, many, facts) or _rank_evidence(rows.rows, ranked, facts)


class _Compared:
    """A variable on axes on which equal values have equal levels."""

    def __init__(self, variable: Described) -> None:
        self.variable = variable
        self.axes = common_axes(variable)
        self.equal = Equal(*self.axes)
        self.runs = (Sorted(self.axes[0]), Sorted(self.axes[1]))

    @property
    def agreement(self) -> list[Pass]:
        """Questions: in how many rows both agree, and whether both are sorted by it."""
        return [self.equal, *self.runs]

    def sorted_in_both(self, facts: Facts) -> bool:
        """A variable by which both files are sorted agrees without the rows being the same."""
        runs = [facts[question] for question in self.runs]
        return all(run.rising for run in runs) or all(run.falling for run in runs)


def _agreement_evidence(rows: int, compared: list[_Compared], facts: Facts) -> str | None:
    found = []
    for one in compared:
        share = facts[one.equal] / rows
        chance, deviation = _chance(one.variable, rows)
        excess = share - chance
        if excess > DIFFERENCE and excess > STANDARD_DEVIATIONS * deviation:
            if one.sorted_in_both(facts):
                continue
            found.append((excess, share, chance, one.variable.name))
    if not found:
        return None
    _, share, chance, name = max(found)
    return (
        f'"{name}" has the same value in {share:.0%} of rows, where chance would give {chance:.0%}'
    )


def _chance(variable: Described, rows: int) -> tuple[float, float]:
    """Mean and standard deviation of the share of equal rows when one column is shuffled.

    With a_v and b_v rows of value v, the number of matches M of a random permutation has
    E M = Σ a b / n and E M(M - 1) = (Σ_{u≠v} a_u b_u a_v b_v + Σ a(a-1) b(b-1)) / (n(n-1)).
    """
    assert variable.protected is not None
    a, b = _common_counts(variable.original.levels, variable.protected.levels)
    both = a * b
    mean = both.sum() / rows
    if rows < 2:
        return mean / rows, 0.0
    twice = both.sum() ** 2 - (both**2).sum() + (a * (a - 1) * b * (b - 1)).sum()
    variance = twice / (rows * (rows - 1)) + mean - mean**2
    return mean / rows, math.sqrt(max(variance, 0.0)) / rows


def _common_counts(original: Levels, protected: Levels) -> tuple[Floats, Floats]:
    a, b, size = common(original.keys, protected.keys)
    return sums_by(a, original.rows, size), sums_by(b, protected.rows, size)


def _ordered(variable: Described) -> bool:
    assert variable.protected is not None
    sides = (variable.original, variable.protected)
    return all(side.levels.numeric and side.type != "nominal" for side in sides)


class _Ranked:
    """A number with its ranks; missing cells stand in the middle.

    That is close enough to tell matched from shuffled rows.
    """

    def __init__(self, variable: Described) -> None:
        assert variable.protected is not None
        self.compared = _Compared(variable)
        axes = []
        self._squares = 1.0
        for prefix, side in ((ORIGINAL, variable.original), (PROTECTED, variable.protected)):
            counts = side.levels.rows.astype(np.float64)
            ranks = centred_ranks(counts)
            axes.append(side.axis(prefix + variable.name, np.append(ranks, 0.0)))
            self._squares *= float((ranks**2 * counts).sum())
        self._product = Product(axes[0], axes[1])

    @property
    def questions(self) -> list[Pass]:
        """The sum of products of ranks, and whether both files are sorted by the number."""
        return [self._product, *self.compared.runs]

    def correlation(self, facts: Facts) -> float:
        """Spearman's."""
        return float(facts[self._product]) / math.sqrt(self._squares) if self._squares else 0.0


def _rank_evidence(rows: int, ranked: list[_Ranked], facts: Facts) -> str | None:
    """Spearman's correlation of row-matched numbers, against the 1/√(n - 1) of shuffled ones."""
    spread = STANDARD_DEVIATIONS / math.sqrt(max(rows - 1, 1))
    for one in ranked:
        rho = one.correlation(facts)
        if rho > max(DIFFERENCE, spread) and not one.compared.sorted_in_both(facts):
            name = one.compared.variable.name
            return f'"{name}" has a rank correlation of {rho:.2f} from row to row'
    return None
