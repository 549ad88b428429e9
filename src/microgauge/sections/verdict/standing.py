"""Where a file stands between shuffled variables and a fresh sample of the original."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results import GDU, Assessment
from microgauge.results.tables import Tables, TableScore

NARROW = 0.01
"""A distance of the reference points below which a score cannot be placed between them."""
DIGITS = 9
"""Digits of differences that count: what sums leave behind is not a step of a grade."""
HALF = 0.5
"""What every variable of a good file keeps, and a fair file as a whole."""


@dataclass(frozen=True)
class Place:
    """A score beside those of two files whose loss is known: the same measure, the same variables.

    **Reading**: tables and variables are those that are still there. A removed variable counts 0 in
    the utility of the map, and with it every file without one variable would be poor; what is
    left is judged here, and a removed variable caps the grade.
    """

    value: float
    permuted: float
    """Of the original with every column shuffled by itself: no relation left."""
    resample: float
    """Of a fresh sample of the original: nothing lost but by chance."""

    @property
    def narrow(self) -> bool:
        """Whether the measure cannot tell the two apart here."""
        return round(self.resample - self.permuted, DIGITS) < NARROW

    @property
    def kept(self) -> float | None:
        """0 like shuffled variables, 1 like a fresh sample.

        Below 0 where the variables' own distributions changed, too; above 1 where little was
        changed: most of the records then are not drawn but the original's own.

        >>> round(Place(0.9, 0.7, 0.95).kept, 3), Place(0.9, 0.899, 0.9).kept
        (0.8, None)
        """
        if self.narrow:
            return None
        return round((self.value - self.permuted) / (self.resample - self.permuted), DIGITS)

    def keeps(self, share: float) -> bool:
        """Whether it keeps so much; where that cannot be told, whether it is like a fresh sample.

        >>> Place(0.9, 0.899, 0.9).keeps(0.9), Place(0.88, 0.899, 0.9).keeps(0.5)
        (True, False)
        """
        kept = self.kept
        return self.above_fresh >= -NARROW if kept is None else kept >= share

    @property
    def above_fresh(self) -> float:
        """By how much it exceeds a fresh sample's."""
        return round(self.value - self.resample, DIGITS)


def removed(result: Assessment) -> list[str]:
    """Analysed variables that the protected file does not have."""
    return [v.name for v in result.variables if v.removed and v.analysed]


def is_one_record(result: Assessment) -> bool:
    """Whether one of the two files is a single record, of which nothing can be said."""
    return 1 in (result.inputs.original.rows, result.inputs.protected.rows)


def one_record_said(result: Assessment) -> str:
    """Which of the two it is."""
    if result.inputs.original.rows != 1:
        return say("the protected file holds one record, and one record shows no pattern")
    if result.inputs.protected.rows != 1:
        return say("the original holds one record, and one record shows no pattern")
    return say("both files hold one record, and one record shows no pattern")


def tables_left(tables: Tables) -> list[TableScore]:
    """The tables that can still be made."""
    gone = {v.name for v in tables.variables if v.removed}
    return [table for table in tables.worst if not gone & set(table.variables)]


def tables_judged(tables: Tables) -> list[TableScore]:
    """The tables that can still be made and that could show a relation, where there are any.

    **Reading**: a variable with one value relates to nothing. Shuffled, its tables are those of the
    original, and a fresh sample's are not: counted, they would hide what other tables lost.
    """
    left, still = tables_left(tables), constants(tables)
    return [table for table in left if not still & set(table.variables)] or left


def constants(tables: Tables) -> set[str]:
    """Variables with one cell, in the original and still."""
    return {v.name for v in tables.variables if v.cells < 2 and round(v.one_way, DIGITS) == 1}


def tables_place(tables: Sequence[TableScore]) -> Place | None:
    """The mean of some tables; None where there are none."""
    if not tables:
        return None
    return Place(
        fsum(table.score for table in tables) / len(tables),
        fsum(table.permuted for table in tables) / len(tables),
        fsum(table.resample for table in tables) / len(tables),
    )


def weak_variables(tables: Tables | None) -> dict[str, Place]:
    """Variables that keep less than half, those first whose tables lost most beyond chance.

    A variable's place is the mean of its tables that can still be made. One that was left alone
    has poor tables with one that was not, and is not to blame: once a variable is named, its
    tables count no more against the others.
    """
    if tables is None:
        return {}
    left = _Left.of(tables)
    whole = left.places()
    found: dict[str, Place] = {}
    places = whole
    while weak := [name for name, place in places.items() if not place.keeps(HALF)]:
        worst = min(weak, key=lambda name: (places[name].above_fresh, name))
        found[worst] = whole[worst]
        left.leave_out(worst)
        places = left.places()
    return found


_WHOLE = 1 << 1074
"""Times this, every number is a whole one: sums are exact, also when some are taken out."""


@dataclass(frozen=True, eq=False)
class _Left:
    """The tables of each variable, and the exact sums of those that still count."""

    tables: dict[str, list[TableScore]]
    sums: dict[str, list[int]]
    """How many, and the sums of score, permuted and resample."""
    out: set[int]
    """Tables that count no more."""

    @staticmethod
    def of(tables: Tables) -> _Left:
        names = [v.name for v in tables.variables]
        left = _Left({name: [] for name in names}, {name: [0, 0, 0, 0] for name in names}, set())
        for table in tables_judged(tables):
            for name in table.variables:
                left.tables[name].append(table)
            left._add(table, 1)
        return left

    def _add(self, table: TableScore, times: int) -> None:
        added = [times, *(times * _exact(x) for x in (table.score, table.permuted, table.resample))]
        for name in table.variables:
            self.sums[name] = [a + b for a, b in zip(self.sums[name], added, strict=True)]

    def leave_out(self, name: str) -> None:
        """Count the tables of a variable no more."""
        for table in self.tables[name]:
            if id(table) not in self.out:
                self.out.add(id(table))
                self._add(table, -1)

    def places(self) -> dict[str, Place]:
        """The mean of the tables of each variable that has some."""
        return {
            name: Place(*(number / _WHOLE / count for number in sums))
            for name, (count, *sums) in self.sums.items()
            if count
        }


def _exact(number: float) -> int:
    numerator, denominator = number.as_integer_ratio()
    return numerator * (_WHOLE // denominator)


def gdu_place(gdu: GDU) -> Place | None:
    """By variables and pairs, as the reference points are; None where there is no such point."""
    permuted = None if gdu.permuted is None else gdu.permuted.value
    resample = None if gdu.resample is None else gdu.resample.value
    if permuted is None or resample is None:
        return None
    gone = [v.name for v in gdu.variables if v.reason == "removed"]
    univariate, bivariate = _mean_utility(gdu, gone), _mean_of_pairs(gdu, gone)
    if univariate is None:
        return None
    first, second = gdu.weights[:2]
    if bivariate is None:
        return Place(univariate, permuted, resample)
    if first + second == 0:
        first = second = 0.5
    value = (first * univariate + second * bivariate) / (first + second)
    return Place(value, permuted, resample)


def _mean_utility(gdu: GDU, gone: Collection[str]) -> float | None:
    known = [(v.importance, v.utility) for v in gdu.variables if v.name not in gone]
    return _weighted([(weight, value) for weight, value in known if value is not None])


def _mean_of_pairs(gdu: GDU, gone: Collection[str]) -> float | None:
    if gdu.bivariate is None:
        return None
    known = [(v.importance, v.bivariate_utility) for v in gdu.variables if v.name not in gone]
    return _weighted([(weight, value) for weight, value in known if value is not None])


def _weighted(values: Sequence[tuple[float, float]]) -> float | None:
    total = sum(weight for weight, _ in values)
    return sum(weight * value for weight, value in values) / total if total > 0 else None
