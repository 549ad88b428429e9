"""Two of the three attacks of WP29, linkability and inference, after Giomi et al. 2023.

An opinion of the European data protection authorities (WP 216, 2014) names three things an
anonymous file must withstand: singling out a person (`singling`), linking two records of a person,
and inferring a value. An attack guesses on a number of targets of the original with the help of the
protected file, and is right on a share of them. That share says little on its own: a naive attack
guesses without the file's relations, and the same attack on a holdout, people who took no part,
says what the file tells of anyone.

risk = (attack - control) / (1 - control): 0 where taking part costs nothing, 1 where every guess on
a participant is right and not all on others are; below 0 by chance. Less is safer.

**Reading.** Records that are equally near are not taken as they stand in the file. A secret is then
guessed as the most common value among them (the middle number), and neighbours are drawn from
them by a seed. Units whose secret is missing are no targets: there is nothing to guess.

M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi (2023): A unified framework for quantifying privacy
risk in synthetic data. PoPETs 2023 (2), 312-328.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.draws import Kind, random_order
from microgauge.measures.disclosure.nearest import Attribute, Near, nearest_pairs
from microgauge.measures.disclosure.shares import Interval, wilson
from microgauge.records import dataclass
from microgauge.values.hashing import mixed

ATTACKS = 500
"""Targets attacked, as in the paper."""
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable of the tables: numbers in units of a range, NaN where missing, or codes, -1."""

    kind: Kind
    original: NDArray[Any]
    protected: NDArray[Any]
    holdout: NDArray[Any] | None = None


@dataclass(frozen=True)
class Rate:
    """The share of attacks that are right, with Wilson's interval."""

    share: float
    interval: Interval
    attacks: int

    @staticmethod
    def of(successes: float, attacks: int, level: float) -> Rate:
        """So many of so many."""
        share = float(successes) / attacks
        return Rate(share, wilson(share, attacks, level), attacks)


@dataclass(frozen=True)
class Attack:
    """How often an attack is right: on participants, by guessing, and on others."""

    attack: Rate
    naive: Rate
    control: Rate | None
    """None without a holdout."""
    risk: float | None
    """What taking part costs; None with a reason where there is nobody to compare with."""
    risk_ci: Interval | None
    reason: str | None = None

    @property
    def informed(self) -> bool:
        """Whether the attack beats guessing; if not, it was weak, and shows nothing of the file."""
        return self.attack.share > self.naive.share

    @staticmethod
    def of(attack: Rate, naive: Rate, control: Rate | None) -> Attack:
        """With the risk, or why there is none."""
        if control is None:
            return Attack(attack, naive, None, None, None, say("no holdout to compare with"))
        try:
            risk, limits = residual_risk(attack, control)
        except Undefined as undefined:
            return Attack(attack, naive, control, None, None, str(undefined))
        return Attack(attack, naive, control, risk, limits)


def residual_risk(attack: Rate, control: Rate) -> tuple[float, Interval]:
    """(attack - control) / (1 - control), with an interval.

    It is 1 less the ratio of the shares that fail. The limits of both shares are put together on
    the scale of logarithms by the method of variance estimates recovery (Zou, Donner 2008).

    >>> half, fifth = Rate.of(50, 100, 0.95), Rate.of(20, 100, 0.95)
    >>> round(residual_risk(half, fifth)[0], 6)
    0.375
    """
    fails, others = 1.0 - attack.share, 1.0 - control.share
    if others == 0.0:
        raise Undefined(say("the attack is right on every unit of the holdout"))
    ratio = fails / others
    least, most = 1.0 - attack.interval[1], 1.0 - attack.interval[0]
    few, many = 1.0 - control.interval[1], 1.0 - control.interval[0]
    if fails == 0.0:
        return 1.0, (1.0 - most / few, 1.0)
    down = np.hypot(np.log(fails / least), np.log(many / others))
    up = np.hypot(np.log(most / fails), np.log(others / few))
    return 1.0 - ratio, (float(1.0 - ratio * np.exp(up)), float(1.0 - ratio * np.exp(-down)))


# -- Inference ---------------------------------------------------------------------------------


def inference(
    known: Sequence[Variable],
    secret: Variable,
    *,
    tolerance: float = 0.05,
    attacks: int = ATTACKS,
    seed: int = 0,
    level: float = LEVEL,
) -> Attack:
    """How often the secret of the nearest protected record, by what is known, is the target's own.

    A number is right within the tolerance, in the units it is handed over in (ranges). The naive
    attack says the secret of any protected record.
    """
    if not known:
        raise Undefined(say("nothing is known of the targets"))
    shares = []
    for side in _sides([*known, secret]):
        asked = _targets([*known, secret], side, attacks, seed, needs=secret)
        truth = getattr(secret, side)[asked]
        attributes = [Attribute(v.kind, getattr(v, side)[asked], v.protected) for v in known]
        guess = inferred(attributes, secret.kind, secret.protected)
        shares.append(_rate(_right(secret.kind, guess, truth, tolerance), level))
    asked = _targets([*known, secret], "original", attacks, seed, needs=secret)
    any_record = _any_records([*known, secret], len(asked), seed)
    truth = secret.original[asked]
    luck = _right(secret.kind, secret.protected[any_record], truth, tolerance)
    return Attack.of(shares[0], _rate(luck, level), shares[1] if len(shares) > 1 else None)


def inferred(known: Sequence[Attribute], kind: Kind, secrets: NDArray[Any]) -> NDArray[Any]:
    """For each query, the secret of the nearest reference, given the secrets of all references.

    Of several that tie, a number is the middle one (the lower of two), a category the most common,
    then the one more common in the file. Missing where all of them are.

    >>> ages = Attribute("number", np.array([0.2, 0.8]), np.array([0.1, 0.3, 0.7]))
    >>> inferred([ages], "category", np.array([4, 4, 6]))
    array([4, 6])
    """
    guesses = np.empty(len(known[0].queries), dtype=secrets.dtype)
    standing = None if kind == "number" else _standing(known, secrets)
    for near in nearest_pairs(known):
        values = secrets[near.references]
        if standing is None:
            asked, said = _middle(near.queries, values)
        else:
            asked, said = _most_common(near.queries, values, standing)
        guesses[asked] = said
    return guesses


def _standing(known: Sequence[Attribute], secrets: NDArray[Any]) -> Index:
    """For each level, its place among all: common ones first, missing (the last) at the end.

    Levels as common as each other stand as records do that are drawn by their values, so that
    names of levels decide nothing.
    """
    levels = int(secrets.max(initial=-1)) + 2
    counts = np.bincount(np.where(secrets < 0, levels - 1, secrets), minlength=levels)
    counts[-1] = -1
    first = np.full(levels, len(secrets))
    if len(np.unique(counts[counts > 0])) < np.count_nonzero(counts > 0):
        columns = [(each.kind, each.references) for each in known]
        order = random_order([*columns, ("category", secrets)], 0)
        np.minimum.at(first, secrets[order], np.arange(len(order)))
    standing = np.empty(levels, dtype=np.intp)
    standing[np.lexsort((first, -counts))] = np.arange(levels)
    return standing


def _most_common(
    queries: Index, values: NDArray[Any], standing: Index
) -> tuple[Index, NDArray[Any]]:
    """The most common known value of each query."""
    levels = len(standing)
    places = np.where(values < 0, levels - 1, values)
    cells, counts = np.unique(queries * levels + places, return_counts=True)
    query, level = cells // levels, cells % levels
    counts = np.where(level == levels - 1, 0, counts)
    order = np.lexsort((standing[level], -counts, query))
    first = order[np.concatenate([[True], np.diff(query[order]) > 0])]
    return query[first], np.where(level[first] == levels - 1, -1, level[first])


def _middle(queries: Index, values: Floats) -> tuple[Index, Floats]:
    """The middle known number of each query, the lower of two; NaN where none is known."""
    order = np.lexsort((values, queries))
    queries, values = queries[order], values[order]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(queries) > 0]))
    known = np.add.reduceat((~np.isnan(values)).astype(np.intp), starts)
    return queries[starts], values[starts + np.maximum(known - 1, 0) // 2]


def _right(kind: Kind, guess: NDArray[Any], truth: NDArray[Any], tolerance: float) -> Flags:
    if kind == "number":
        # A hair of room: 0.35 - 0.3 is more than 0.05 in floating point.
        return np.asarray(np.abs(guess - truth) <= tolerance * (1.0 + 1e-9))
    return np.asarray((guess == truth) & (truth >= 0))


# -- Linkability -------------------------------------------------------------------------------


def linkability(
    first: Sequence[Variable],
    second: Sequence[Variable],
    *,
    neighbours: int = 1,
    attacks: int = ATTACKS,
    seed: int = 0,
    level: float = LEVEL,
) -> Attack:
    """How often two parts of a target's record lead to the same protected record.

    The attacker holds two tables with different variables of the same people, and takes two records
    for one person's if some protected record is among those nearest to both. The naive attack
    draws protected records at random.
    """
    if not first or not second:
        raise Undefined(say("one of the two parts has no variable"))
    everything = [*first, *second]
    records = len(first[0].protected)
    if records < neighbours:
        raise Undefined(say("fewer than {neighbours} protected records", neighbours=neighbours))
    order = random_order([(v.kind, v.protected) for v in everything], seed)
    number = np.empty(records, dtype=np.uint64)
    number[order] = np.arange(records, dtype=np.uint64)
    shares = []
    for side in _sides(everything):
        asked = _targets(everything, side, attacks, seed)
        ends = [
            _neighbours(part, side, asked, neighbours, mixed(number + np.uint64(records * half)))
            for half, part in enumerate((first, second))
        ]
        shares.append(_rate((ends[0][:, :, None] == ends[1][:, None, :]).any(axis=(1, 2)), level))
    made = shares[0].attacks
    luck = np.random.default_rng(seed).random(made) < _meeting(records, neighbours)
    return Attack.of(shares[0], _rate(luck, level), shares[1] if len(shares) > 1 else None)


def _neighbours(
    part: Sequence[Variable], side: str, asked: Index, neighbours: int, luck: NDArray[np.uint64]
) -> Index:
    """The nearest protected records of each target; where more tie, some of them by luck."""
    attributes = [Attribute(v.kind, getattr(v, side)[asked], v.protected) for v in part]
    found = np.empty((len(asked), neighbours), dtype=np.intp)
    for near in nearest_pairs(attributes, neighbours=neighbours):
        queries, references = _first(near, neighbours, luck)
        found[queries] = references
    return found


def _first(near: Near, neighbours: int, luck: NDArray[np.uint64]) -> tuple[Index, Index]:
    """Queries, and for each its nearest references, as many as asked for."""
    chance = mixed(luck[near.references] ^ mixed(near.queries.astype(np.uint64)))
    order = np.lexsort((chance, np.round(near.distances, 9), near.queries))
    queries = near.queries[order]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(queries) > 0]))
    places = starts[:, None] + np.arange(neighbours)
    return queries[starts], near.references[order][places]


def _meeting(records: int, neighbours: int) -> float:
    """The chance that two draws of so many records have one in common.

    >>> _meeting(8, 1), _meeting(3, 2)
    (0.125, 1.0)
    """
    left = np.arange(records, records - neighbours, -1, dtype=np.float64)
    return float(1.0 - np.prod(np.maximum(left - neighbours, 0.0) / left))


# -- Targets -----------------------------------------------------------------------------------


def _sides(variables: Sequence[Variable]) -> list[str]:
    """The tables whose units are attacked."""
    if not len(variables[0].protected):
        raise Undefined(say("no protected record"))
    held = variables[0].holdout is not None and len(variables[0].holdout) > 0
    return ["original", "holdout"] if held else ["original"]


def _targets(
    variables: Sequence[Variable],
    side: str,
    attacks: int,
    seed: int,
    *,
    needs: Variable | None = None,
) -> Index:
    """Some units of a table, drawn by their values; of those with a known secret."""
    order = random_order([(v.kind, getattr(v, side)) for v in variables], seed)
    if needs is not None:
        cells = getattr(needs, side)[order]
        order = order[~np.isnan(cells) if needs.kind == "number" else cells >= 0]
    if not len(order):
        raise Undefined(say("no unit of the {which} to attack", which=side))
    return order[:attacks]


def _any_records(variables: Sequence[Variable], attacks: int, seed: int) -> Index:
    """Protected records at random, drawn by their values."""
    order = random_order([(v.kind, v.protected) for v in variables], seed)
    return order[np.random.default_rng(seed).integers(0, len(order), attacks)]


def _rate(right: Flags, level: float) -> Rate:
    return Rate.of(int(np.count_nonzero(right)), len(right), level)
