"""Singling out, the first attack of WP29, after Giomi et al. 2023 (`attacks`).

The attacker makes predicates ("over 90, and a judge") that exactly one protected record meets, and
hopes that exactly one person does. Univariate ones say a value that occurs once, the lowest or
highest number, or that a value is missing where one is; multivariate ones take some variables of
a protected record, categories as they are and numbers from there on outwards, away from the median.
The naive attack makes them of random values.

How many predicates single somebody out by chance depends on the number of people (Cohen, Nissim
2020), so the share on the holdout is stated for as many people as the original has: exactly, by the
hypergeometric distribution, where the holdout is at least as large, otherwise from the estimated
chances of a person to meet the predicates.

**Reading.** The paper fits a curve to smaller parts of a small holdout, for chances that spread
evenly up to a highest one. They do not, and the curve is too low: the risk would be too high. Here
their distribution is estimated itself, and the interval is that of fewer attacks, in the proportion
of holdout to original.

**Reading.** A person is a record: two people with equal records are two, and nobody is singled out
by what both meet. Shares are of the predicates that could be made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import and_
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom

from microgauge.arrays import Bits, Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.attacks import ATTACKS, LEVEL, Attack, Rate, Variable
from microgauge.measures.disclosure.draws import Kind, column_order, random_order
from microgauge.measures.disclosure.shares import wilson

COLUMNS = 3
"""Variables of a multivariate predicate, as in the paper."""
ATTEMPTS = 200
"""Tries for each predicate asked for, until it is said that there are no more."""
MOST_BYTES = 64_000_000
"""Of sets of records that are kept."""
_STEPS = 200
"""Of the estimation of chances; more change the third digit."""

Sign = Literal["=", "≠", "<", ">", "≤", "≥", "missing", "known"]
Ways = Literal["univariate", "multivariate"]


class Clause(NamedTuple):
    """One condition on one variable."""

    column: int
    sign: Sign
    value: float = 0.0


Predicate = tuple[Clause, ...]
Table = Sequence[tuple[Kind, NDArray[Any]]]

_COMPARED: dict[Sign, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "≠": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "≤": np.less_equal,
    "≥": np.greater_equal,
}
_SIGNS: dict[Kind, tuple[Sign, ...]] = {
    "number": ("=", "≠", "<", ">", "≤", "≥"),
    "category": ("=", "≠"),
}


def singling_out(
    variables: Sequence[Variable],
    ways: Ways = "multivariate",
    *,
    columns: int = COLUMNS,
    attacks: int = ATTACKS,
    seed: int = 0,
    level: float = LEVEL,
) -> Attack:
    """How often a predicate that one protected record meets is met by exactly one person."""
    if not variables:
        raise Undefined(say("no variable to single out by"))
    if not len(variables[0].protected):
        raise Undefined(say("no protected record"))
    places = column_order([(v.kind, v.protected) for v in variables])
    kept = [variables[place] for place in places]
    protected: Table = [(v.kind, v.protected) for v in kept]
    rng, order = np.random.default_rng(seed), random_order(protected, seed)
    many = 1 if ways == "univariate" else min(columns, len(kept))
    if ways == "univariate":
        made = _univariate(protected, order, attacks, rng)
    else:
        made = _multivariate(protected, order, many, attacks, rng)
    if not made:
        raise Undefined(say("no predicate was found that one protected record meets"))
    people: Table = [(v.kind, v.original) for v in kept]
    found = Rate.of(_singled(people, made), len(made), level)
    guesses = _naive(protected, order, many, len(made), rng)
    naive = Rate.of(_singled(people, guesses), len(guesses), level)
    return Attack.of(found, naive, _control(kept, made, level))


def _control(variables: Sequence[Variable], made: Sequence[Predicate], level: float) -> Rate | None:
    """The share of predicates that single somebody out of as many people who took no part."""
    others = [(v.kind, v.holdout) for v in variables if v.holdout is not None]
    if not others or not len(others[0][1]):
        return None
    records, people = len(others[0][1]), len(variables[0].original)
    share = expected_share(met(others, made), records=records, people=people)
    known = max(round(len(made) * min(records / people, 1.0)), 1)
    return Rate(share, wilson(share, known, level), len(made))


def _singled(table: Table, predicates: Sequence[Predicate]) -> int:
    return int(np.count_nonzero(met(table, predicates) == 1))


def met(table: Table, predicates: Sequence[Predicate]) -> Counts:
    """How many records meet each predicate.

    >>> ages = [("number", np.array([20.0, 30.0, np.nan]))]
    >>> met(ages, [(Clause(0, "≥", 25.0),), (Clause(0, "≠", 20.0),), (Clause(0, "missing"),)])
    array([1, 1, 1])
    """
    return _Crowd(table).met(predicates)


class _Crowd:
    """Records as sets, a bit for each: who meets a condition is worked out once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.unknown = [_unknown(kind, cells) for kind, cells in table]
        self.sets: dict[Clause, Bits] = {}
        self.room = MOST_BYTES

    def met(self, predicates: Sequence[Predicate]) -> Counts:
        """How many records meet each predicate."""
        found = np.empty(len(predicates), dtype=np.int64)
        for place, predicate in enumerate(predicates):
            meeting = reduce(and_, map(self._meeting, predicate))
            found[place] = np.bitwise_count(meeting).sum(dtype=np.int64)
        return found

    def _meeting(self, clause: Clause) -> Bits:
        held = self.sets.get(clause)
        if held is not None:
            return held
        cells, unknown = self.table[clause.column][1], self.unknown[clause.column]
        flags = _meeting(cells, unknown, clause)
        padded = np.packbits(np.pad(flags, (0, -len(flags) % 64)))
        meeting: Bits = padded.view(np.uint64)
        if self.room >= meeting.nbytes:
            self.room -= meeting.nbytes
            self.sets[clause] = meeting
        return meeting


def _unknown(kind: Kind, cells: NDArray[Any]) -> Flags:
    return np.asarray(np.isnan(cells) if kind == "number" else cells < 0)


def _meeting(cells: NDArray[Any], unknown: Flags, clause: Clause) -> Flags:
    if clause.sign == "missing":
        return unknown
    if clause.sign == "known":
        return ~unknown
    meeting = _COMPARED[clause.sign](cells, clause.value)
    # Of a missing number everything would be different, and of a missing level, all would be more.
    return np.asarray(meeting & ~unknown)


# -- Predicates --------------------------------------------------------------------------------


def _univariate(
    table: Table, order: Index, attacks: int, rng: np.random.Generator
) -> list[Predicate]:
    """Values, extremes and gaps that one record has."""
    found = [clause for place in range(len(table)) for clause in _rare(table, place, order)]
    # The lowest number alone is rare and extreme: two ways of saying it, both kept.
    lonely = met(table, [(clause,) for clause in found]) == 1
    made = [(clause,) for clause, alone in zip(found, lonely, strict=True) if alone]
    return [made[i] for i in rng.permutation(len(made))[:attacks]]


def _rare(table: Table, place: int, order: Index) -> Iterator[Clause]:
    kind, cells = table[place]
    yield Clause(place, "missing")
    known = cells[order][~_unknown(kind, cells[order])]
    if not len(known):
        return
    if kind == "number":
        yield Clause(place, "≤", float(known.min()))
        yield Clause(place, "≥", float(known.max()))
    levels, first, counts = np.unique(known, return_index=True, return_counts=True)
    for i in np.argsort(first)[counts[np.argsort(first)] == 1]:
        yield Clause(place, "=", float(levels[i]))


def _multivariate(
    table: Table, order: Index, columns: int, attacks: int, rng: np.random.Generator
) -> list[Predicate]:
    """Some variables of a record, as many predicates as are asked for or can be found."""
    crowd, medians = _Crowd(table), [_median(kind, cells) for kind, cells in table]
    found: dict[Predicate, None] = {}
    tries = 0
    while len(found) < attacks and tries < ATTEMPTS * attacks:
        records = order[rng.integers(0, len(order), attacks)]
        chosen = np.sort(rng.random((attacks, len(table))).argsort(axis=1)[:, :columns], axis=1)
        made = list(
            dict.fromkeys(
                tuple(_clause(table, medians, int(c), record) for c in some)
                for record, some in zip(records, chosen, strict=True)
            )
        )
        lonely = crowd.met(made) == 1
        found.update(dict.fromkeys(p for p, one in zip(made, lonely, strict=True) if one))
        tries += attacks
    return list(found)[:attacks]


def _median(kind: Kind, cells: NDArray[Any]) -> float:
    known = cells[~_unknown(kind, cells)]
    return float(np.median(known)) if kind == "number" and len(known) else 0.0


def _clause(table: Table, medians: Sequence[float], column: int, record: int) -> Clause:
    """What a record says of a variable; a number and everything farther out."""
    kind, cells = table[column]
    value = float(cells[record])
    if np.isnan(value) or (kind == "category" and value < 0):
        return Clause(column, "missing")
    if kind == "category":
        return Clause(column, "=", value)
    return Clause(column, "≥" if value > medians[column] else "≤", value)


def _naive(
    table: Table, order: Index, columns: int, attacks: int, rng: np.random.Generator
) -> list[Predicate]:
    """Random signs before random values out of those that occur."""
    values = [_distinct(kind, cells[order]) for kind, cells in table]
    chosen = np.sort(rng.random((attacks, len(table))).argsort(axis=1)[:, :columns], axis=1)
    return [tuple(_random(table, values, int(c), rng) for c in some) for some in chosen]


def _distinct(kind: Kind, cells: NDArray[Any]) -> Floats:
    """Values that occur, NaN for missing, in an order that names of levels do not change."""
    values = np.where(_unknown(kind, cells), np.nan, cells)
    distinct, first = np.unique(values, return_index=True)
    return np.asarray(distinct[np.argsort(first)] if kind == "category" else distinct)


def _random(
    table: Table, values: Sequence[Floats], column: int, rng: np.random.Generator
) -> Clause:
    signs = _SIGNS[table[column][0]]
    value = float(values[column][rng.integers(len(values[column]))])
    sign = signs[rng.integers(len(signs))]
    if np.isnan(value):
        return Clause(column, "missing" if sign == "=" else "known")
    return Clause(column, sign, value)


# -- Sizes -------------------------------------------------------------------------------------


def expected_share(counts: Counts, *, records: int, people: int) -> float:
    """The share of predicates met by exactly one of so many people, from a table of records.

    Of people drawn from the records the share is exact in expectation. For more people than
    records, the chances of a person to meet the predicates are estimated.

    >>> expected_share(np.array([1, 2, 0, 5]), records=100, people=100)
    0.25
    """
    if people <= records:
        return float(hypergeom.pmf(1, records, counts, people).mean())
    weights, shares = _weights(counts, records, people)
    return float(shares @ binom.pmf(1, people, weights))


def _weights(counts: Counts, records: int, people: int) -> tuple[Floats, Floats]:
    """Chances to meet a predicate, and the shares of predicates that have them.

    The likeliest mixture of binomial distributions (Laird 1978), by steps that each raise the
    likelihood (EM), from an even start.
    """
    weights = np.concatenate([[0.0], np.geomspace(0.02 / people, 1.0, 80)])
    values, repeats = np.unique(counts, return_counts=True)
    likely = binom.pmf(values[:, None], records, weights)
    shares = np.full(len(weights), 1.0 / len(weights))
    for _ in range(_STEPS):
        joint = likely * shares
        shares = repeats @ (joint / joint.sum(axis=1, keepdims=True)) / len(counts)
    return weights, shares
