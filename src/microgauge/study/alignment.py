"""Which row of one table is the same unit as which row of the other: found, not assumed."""

from __future__ import annotations

import math

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import ORIGINAL, PROTECTED, Engine, Join, has_order, in_order, join
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined, hint
from microgauge.languages.messages import say
from microgauge.passes import EqualAtLags, Facts, ProductAtLags
from microgauge.records import dataclass
from microgauge.results import Alignment
from microgauge.results.wording import counted, rounded_per_cent
from microgauge.schema import Options
from microgauge.study.common_levels import common_axes
from microgauge.study.near_misses import possible_keys
from microgauge.study.variable import Described
from microgauge.tables import Table
from microgauge.values.ranks import centred_ranks

FEWEST_ROWS = 20
"""Rows below which agreement may always be chance."""
STANDARD_DEVIATIONS = 10.0
AGREEMENT = 0.1
CORRELATION = 0.2
"""By how much equal values and rank correlations must exceed those of rows nearby.

Files are often sorted alike, and neighbours (a household, a sorted file) agree more than strangers:
what rows share with the rows around them does not show that they are the same units.
"""
LAGS_SAID = say("1, 2, 3 or 5")
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
        return _apart(say("the user says that rows do not correspond"))
    if original.rows != protected.rows:
        return _apart(
            say(
                "the numbers of rows differ ({rows:,} and {rows2:,}), and no key column is named",
                rows=original.rows,
                rows2=protected.rows,
            )
        )
    rows = in_order(original, protected)
    if rows is None:
        return _apart(say("rows have no order here, and no key column is named"))
    if options.aligned:
        return _in_order(rows, say("the user says that rows correspond"))
    return (yield from _found(rows, _shared(variables)))


def _found(rows: Engine, variables: tuple[Described, ...]) -> Asking[Matching]:
    """Whether some variable shows that rows correspond."""
    if rows.rows < FEWEST_ROWS:
        return _apart(
            say(
                "fewer than {fewest_rows} rows are too few to tell, and no key column",
                fewest_rows=FEWEST_ROWS,
            )
        )
    if not variables:
        return _apart(say("no variable beside ids and weights has values in both tables"))
    evidence = yield from _evidence(rows, variables)
    if evidence is not None:
        return _in_order(rows, evidence)
    return _apart(
        say(
            "equal numbers of rows, but no variable agrees clearly more from row to row than with "
            "rows nearby"
        )
    )


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
            say(
                "aligned = true, but the original has {rows} rows and the protected "
                "table {rows2}. Name a key column that joins them.",
                rows=original.rows,
                rows2=protected.rows,
            )
        ]
    if options.aligned and not has_order(original):
        return None, [say("aligned = true, but rows have no order in Spark. Name a key column.")]
    return None, []


def _joined(original: Table, protected: Table, key: str) -> tuple[Join | None, list[str]]:
    sides = ((original, "original"), (protected, "protected"))
    absent = [
        say(
            'the {which} table has no column "{key}", the key.{hint}',
            which=which,
            key=key,
            hint=hint(key, table.columns),
        )
        for table, which in sides
        if key not in table.columns
    ]
    if absent:
        return None, absent
    found = join(original, protected, key)
    faults = _key_faults(found, key)
    others = [name for name in possible_keys(original, protected) if name != key] if faults else []
    if others:
        faults[-1] += say(
            ' "{others}" has another value in every row of either table.', others=others[0]
        )
    return found, faults


def _key_faults(found: Join, key: str) -> list[str]:
    faults = []
    for which, missing, repeated in zip(
        ("original", "protected"), found.missing, found.repeated, strict=True
    ):
        if missing:
            rows = counted(missing, "row")
            faults.append(
                say(
                    'the key "{key}" is missing in {rows} of the {which} table.',
                    key=key,
                    rows=rows,
                    which=which,
                )
            )
        elif repeated:
            faults.append(
                say(
                    'the key "{key}" is repeated in {rows} of the {which} table. A key '
                    "must name each unit once.",
                    key=key,
                    rows=counted(repeated, "row"),
                    which=which,
                )
            )
    if not faults and not found.matched:
        faults.append(say('the key "{key}" has no value that occurs in both tables.', key=key))
    return faults


def _by_key(original: Table, protected: Table, found: Join, key: str | None) -> Matching:
    alignment = Alignment(
        aligned=True,
        how="key",
        reason=say('{matched} units joined by "{key}"', matched=found.matched, key=key),
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
    few = [_Compared(v) for v in variables if len(v.original.levels) <= FEW_LEVELS]
    facts = yield from asked(rows, [one.question for one in few])
    found = _agreement_evidence(rows.rows, few, facts)
    if found is not None:
        return found
    many = [_Compared(v) for v in variables if len(v.original.levels) > FEW_LEVELS]
    ranked = [_Ranked(v) for v in variables if _ordered(v)]
    questions = [*(one.question for one in many), *(one.question for one in ranked)]
    facts = yield from asked(rows, questions)
    return _agreement_evidence(rows.rows, many, facts) or _rank_evidence(rows.rows, ranked, facts)


def _shared(variables: tuple[Described, ...]) -> tuple[Described, ...]:
    """Variables with values in both tables; ids and weights say nothing of who a row is."""
    return tuple(
        v
        for v in variables
        if v.role not in ("id", "weight")
        and v.protected is not None
        and v.protected.levels.present
        and v.original.levels.present
    )


class _Compared:
    """A variable on axes on which equal values have equal levels."""

    def __init__(self, variable: Described) -> None:
        self.name = variable.name
        self.question = EqualAtLags(*common_axes(variable))


@dataclass(frozen=True, order=True)
class _Excess:
    """How much more a variable goes together row by row than with rows nearby."""

    by: float
    here: float
    nearby: float
    """The most at any other lag."""
    name: str

    @staticmethod
    def of(name: str, at_lags: Floats) -> _Excess:
        here, nearby = float(at_lags[0]), float(at_lags[1:].max())
        return _Excess(here - nearby, here, nearby, name)


def _agreement_evidence(rows: int, compared: list[_Compared], facts: Facts) -> str | None:
    """Agreement beyond the largest one nearby, by a tenth and by ten standard deviations of it."""
    found = []
    for one in compared:
        excess = _Excess.of(one.name, facts[one.question])
        spread = math.sqrt(excess.nearby * (1.0 - excess.nearby) / rows)
        if excess.by >= max(AGREEMENT, STANDARD_DEVIATIONS * spread):
            found.append(excess)
    if not found:
        return None
    most = max(found)
    return say(
        '"{name}" has the same value in {here} of rows, and in at most {nearby} of '
        "rows that are {lags_said} apart",
        name=most.name,
        here=rounded_per_cent(most.here),
        nearby=rounded_per_cent(most.nearby),
        lags_said=LAGS_SAID,
    )


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
        self.name = variable.name
        axes = []
        self._squares = 1.0
        for prefix, side in ((ORIGINAL, variable.original), (PROTECTED, variable.protected)):
            counts = side.levels.rows.astype(np.float64)
            ranks = centred_ranks(counts)
            axes.append(side.axis(prefix + variable.name, np.append(ranks, 0.0)))
            self._squares *= float((ranks**2 * counts).sum())
        self.question = ProductAtLags(axes[0], axes[1])

    def correlations(self, rows: int, facts: Facts) -> Floats:
        """Spearman's at each lag; 0 for a constant."""
        found: Floats = facts[self.question]
        if self._squares == 0:
            return np.zeros_like(found)
        return np.asarray(found * rows / math.sqrt(self._squares))


def _rank_evidence(rows: int, ranked: list[_Ranked], facts: Facts) -> str | None:
    """Spearman's correlation beyond the largest one nearby, by 0.2 and by ten times 1/√n."""
    enough = max(CORRELATION, STANDARD_DEVIATIONS / math.sqrt(rows))
    excesses = [_Excess.of(one.name, one.correlations(rows, facts)) for one in ranked]
    found = [excess for excess in excesses if excess.by >= enough]
    if not found:
        return None
    most = max(found)
    return say(
        '"{name}" has a rank correlation of {here:.2f} from row to row, and of at '
        "most {nearby:.2f} with rows that are {lags_said} apart",
        name=most.name,
        here=most.here,
        nearby=most.nearby,
        lags_said=LAGS_SAID,
    )
