"""Whether an intruder who knows the keys of a person finds that person's record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.matches import Matches
from microgauge.measures.disclosure.shares import Interval, wilson
from microgauge.records import dataclass

ABOVE = (0.1, 0.2, 0.5)


@dataclass(frozen=True, eq=False)
class Own:
    """People with each profile of keys, and those of them whose own record is among the matches."""

    people: Counts
    """All people of the original with the profile."""
    found: Counts
    """Those whose own record is a match."""

    def chances(self, matches: Matches) -> Floats:
        """For each profile, Σ over its people of [own record is a match] / |M|."""
        chances = np.maximum(matches.records, 1, dtype=np.float64)
        np.divide(1.0, chances, out=chances)
        return np.multiply(self.found, chances, out=chances)


@dataclass(frozen=True)
class Claims:
    """What an intruder gets who believes a match that is the only one."""

    number: int
    right: float | None
    """The share of claims that are right; none without a claim."""
    interval: Interval | None


def claims(own: Own, matches: Matches) -> Claims:
    """People with exactly one match, and how often it is they.

    >>> from microgauge.measures.disclosure.matches import exact_matches
    >>> sought = np.array([[0], [1]])
    >>> matches = exact_matches(sought, sought, np.array([1, 2]), [2], [])
    >>> claims(Own(np.array([1, 2]), np.array([1, 2])), matches).right
    1.0
    """
    one = matches.records == 1
    number, right = int(own.people[one].sum()), int(own.found[one].sum())
    if not number:
        return Claims(0, None, None)
    return Claims(number, right / number, wilson(right / number, number))


def population_chances(own: Own, matches: Matches, weights: Floats) -> Floats:
    """The same where the file is a sample: the individual risk in the place of 1/|M|."""
    from microgauge.measures.risk.individual import individual_risk

    found = np.zeros(len(own.people))
    here = (own.found > 0) & (matches.records > 0)
    if here.any():
        found[here] = own.found[here] * individual_risk(matches.records[here], weights[here])
    return found


@dataclass(frozen=True)
class Spread:
    """What a mean hides: the highest figure of a person, and the shares above some."""

    largest: float
    above: dict[str, float]


def spread(own: Own, matches: Matches, scale: Floats) -> Spread:
    """How the chance of being found is spread over people; `Undefined` without any.

    `scale` is how many like itself each profile stands for, where only some were looked for.
    """
    total = own.people.sum()
    if not total:
        raise Undefined(say("nobody to look for"))
    each = np.where(own.found > 0, 1.0 / np.maximum(matches.records, 1), 0.0)
    return Spread(
        largest=float(each.max(initial=0.0)),
        above={f"{b:g}": float((own.found * scale)[each > b].sum() / total) for b in ABOVE},
    )


def nearest_own(
    pairs: Sequence[tuple[Index, Index]], moved: tuple[Index, Index, Counts], profiles: int
) -> Counts:
    """For each profile without a match: people whose own record is among the nearest.

    `moved` says how many people with a profile have a record with which protected profile.
    """
    person, record, rows = moved
    found = np.zeros(profiles, dtype=np.int64)
    if not len(rows):
        return found
    width = int(record.max(initial=0)) + 1
    wanted = person.astype(np.int64) * width + record
    order = np.argsort(wanted)
    for queries, references in pairs:
        inside = references < width
        keys = queries[inside].astype(np.int64) * width + references[inside]
        place = np.minimum(np.searchsorted(wanted[order], keys), len(order) - 1)
        hit = order[place[wanted[order][place] == keys]]
        np.add.at(found, person[hit], rows[hit])
    return found
