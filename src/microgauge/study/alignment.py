"""Which row of one table is the same unit as which row of the other: found, not assumed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import ORIGINAL, PROTECTED, Engine, Join, in_order, join
from microgauge.errors import Undefined, hint
from microgauge.passes import Axes, Axis, Equal, Product, Sorted
from microgauge.results import Alignment
from microgauge.schema import Options
from microgauge.study.describe import Described
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
) -> Matching:
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
    evidence = _evidence(rows, variables)
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
    if options.aligned and original.frame is not None:
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


def _evidence(rows: Engine, variables: tuple[Described, ...]) -> str | None:
    """A sentence on the variable that shows that rows correspond, or None.

    One variable is enough, so those with few levels, which are quick to compare, come first.
    """
    shared = [v for v in variables if v.protected is not None and v.protected.levels.present]
    few = [v for v in shared if len(v.original.levels) <= FEW_LEVELS]
    many = [v for v in shared if len(v.original.levels) > FEW_LEVELS]
    return (
        _agreement_evidence(rows, few)
        or _agreement_evidence(rows, many)
        or _rank_evidence(rows, shared)
    )


def _agreement_evidence(rows: Engine, shared: list[Described]) -> str | None:
    axes: dict[str, Axis] = {}
    for variable in shared:
        axes |= _common_axes(variable)
    if not axes:
        return None
    facts = rows.scan([Equal(ORIGINAL + v.name, PROTECTED + v.name) for v in shared], axes)
    found = []
    for variable in shared:
        share = facts[Equal(ORIGINAL + variable.name, PROTECTED + variable.name)] / rows.rows
        chance, deviation = _chance(variable, rows.rows)
        excess = share - chance
        if excess > DIFFERENCE and excess > STANDARD_DEVIATIONS * deviation:
            found.append((excess, share, chance, variable.name))
    for _, share, chance, name in sorted(found, reverse=True):
        if not _sorted_in_both(rows, name, axes):
            return (
                f'"{name}" has the same value in {share:.0%} of rows, '
                f"where chance would give {chance:.0%}"
            )
    return None


def _common_axes(variable: Described) -> Axes:
    """Axes on which equal values have equal levels."""
    assert variable.protected is not None
    original, protected = variable.original, variable.protected
    a, b, size = common(original.levels.keys, protected.levels.keys)
    return {
        ORIGINAL + variable.name: Axis(
            ORIGINAL + variable.name, np.append(a, size)[original.lookup], size
        ),
        PROTECTED + variable.name: Axis(
            PROTECTED + variable.name, np.append(b, size)[protected.lookup], size
        ),
    }


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


def _sorted_in_both(rows: Engine, name: str, axes: Axes) -> bool:
    """A variable by which both files are sorted agrees without the rows being the same units."""
    facts = rows.scan([Sorted(ORIGINAL + name), Sorted(PROTECTED + name)], axes)
    runs = [facts[Sorted(prefix + name)] for prefix in (ORIGINAL, PROTECTED)]
    return all(run.rising for run in runs) or all(run.falling for run in runs)


def _rank_evidence(rows: Engine, shared: list[Described]) -> str | None:
    """Spearman's correlation of row-matched numbers, against the 1/√(n - 1) of shuffled ones."""
    for variable in shared:
        assert variable.protected is not None
        sides = (variable.original, variable.protected)
        if not all(side.levels.numeric and side.type != "nominal" for side in sides):
            continue
        rho = _rank_correlation(rows, variable)
        spread = STANDARD_DEVIATIONS / math.sqrt(max(rows.rows - 1, 1))
        if rho <= max(DIFFERENCE, spread):
            continue
        if not _sorted_in_both(rows, variable.name, _common_axes(variable)):
            return f'"{variable.name}" has a rank correlation of {rho:.2f} from row to row'
    return None


def _rank_correlation(rows: Engine, variable: Described) -> float:
    """Ranks with missing cells in the middle: close enough to tell matched from shuffled rows."""
    assert variable.protected is not None
    axes = {}
    squares = 1.0
    for prefix, side in ((ORIGINAL, variable.original), (PROTECTED, variable.protected)):
        counts = side.levels.rows.astype(np.float64)
        ranks = centred_ranks(counts)
        name = prefix + variable.name
        axes[name] = side.axis(name, np.append(ranks, 0.0))
        squares *= float((ranks**2 * counts).sum())
    product = Product(ORIGINAL + variable.name, PROTECTED + variable.name)
    if squares == 0:
        return 0.0
    return float(rows.scan([product], axes)[product]) / math.sqrt(squares)
