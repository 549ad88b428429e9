"""Attribute disclosure as synthpop counts it, and the correct attribution probabilities.

Raab, G. M., Nowok, B. and Dibben, C. (2024). Practical privacy metrics for synthetic data.
arXiv:2406.16826. Taub, J., Elliot, M., Pampaka, M. and Smith, D. (2018). Differential correct
attribution probability for synthetic data. Privacy in Statistical Databases, 122–137.
All are shares of original records; a missing value, of a key or a target, is a value of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.learned import Cells, most_common
from microgauge.measures.disclosure.matches import same_profiles
from microgauge.records import dataclass

COMMON_SHARE, COMMON_UNITS = 0.9, 50
"""A value that makes up more of more disclosed records is a flag: little may be learned."""
NEARLY = 0.95
"""A key level that so large a share of its people have in common with a value is a flag."""


@dataclass(frozen=True)
class Attribution:
    """What unique values and shares in classes give away of one target."""

    disclosed: float
    """DiS: original records whose keys show one value of the target in the protected file."""
    correct: float
    """DiSCO: of whom that value is right."""
    original: float
    """DiO: whose keys show one value in the original."""
    both: float
    """DiSDiO: right, and one value in the original too."""
    present: float
    """iS: whose keys occur in the protected file at all."""
    base: float
    """Σ p², how often two records drawn at random agree."""
    cap_original: float
    """CAPd: mean share of the own value among the records with the same keys, in the original."""
    cap_protected: float
    """CAPs: the same of protected records in the protected file."""
    dcap: float
    """DCAP: mean over original records of the share of their value among protected matches."""
    tcap: float | None
    """TCAP = DiSCO / iS; none where no keys occur in both."""


@dataclass(frozen=True, eq=False)
class Twins:
    """Profiles of the original beside equal ones of the protected file."""

    place: Index
    """For each original profile, the equal protected one; -1 where there is none."""

    @staticmethod
    def of(sought: Index, shown: Index, sizes: Sequence[int]) -> Twins:
        """Profiles × keys on both sides; a missing value is equal to a missing one."""
        return Twins(same_profiles(sought, shown, sizes))


def attribution(people: Cells, shown: Cells, twins: Twins) -> Attribution:
    """All of it for one target; `Undefined` without records."""
    number, records = int(people.rows.sum()), int(shown.rows.sum())
    if not number or not records:
        raise Undefined(say("the table has no record"))
    twin = twins.place[people.profiles]
    there = twin >= 0
    low, high = shown.ends()
    one = (low == high) & (shown.people > 0)
    discloses = there & one[twin]
    right = discloses & (people.values == low[twin])
    mine = people.ends()
    alone = (mine[0] == mine[1])[people.profiles]
    total = shown.people[twin].astype(np.float64)
    shares = np.divide(
        _shown_rows(people, shown, twin), total, where=there, out=np.zeros(len(twin))
    )
    present = float(people.rows[there].sum() / number)
    correct = float(people.rows[right].sum() / number)
    return Attribution(
        disclosed=float(people.rows[discloses].sum() / number),
        correct=correct,
        original=float(people.rows[alone].sum() / number),
        both=float(people.rows[right & alone].sum() / number),
        present=present,
        base=float(((people.counts / number) ** 2).sum()),
        cap_original=_cap(people),
        cap_protected=_cap(shown),
        dcap=float((people.rows * shares).sum() / number),
        tcap=correct / present if present else None,
    )


def _cap(cells: Cells) -> float:
    """Mean share of the own value among the records with the same profile."""
    each = cells.rows.astype(np.float64) ** 2 / cells.people[cells.profiles]
    return float(each.sum() / cells.rows.sum())


def _shown_rows(people: Cells, shown: Cells, twin: Index) -> Floats:
    """For each cell of the original, the protected records with its keys and its value."""
    width = max(people.size, shown.size) + 1
    theirs = shown.profiles.astype(np.int64) * width + shown.values
    order = np.argsort(theirs)
    wanted = twin.astype(np.int64) * width + people.values
    place = np.minimum(np.searchsorted(theirs[order], wanted), len(theirs) - 1)
    hit = theirs[order][place] == wanted
    return np.where(hit & (twin >= 0), shown.rows[order][place], 0).astype(np.float64)


def common_value(people: Cells, shown: Cells, twins: Twins) -> float | None:
    """The share of one value among disclosed records, where it is nearly all of many."""
    low, high = shown.ends()
    twin = twins.place[people.profiles]
    discloses = (twin >= 0) & (low == high)[twin]
    counts = np.bincount(low[twin[discloses]], people.rows[discloses])
    total = counts.sum()
    if total <= COMMON_UNITS or counts.max() <= COMMON_SHARE * total:
        return None
    return float(counts.max() / total)


def telling_keys(keys: Index, sizes: Sequence[int], people: Cells) -> list[int]:
    """Keys some level of which, with many people, nearly has one value of the target only."""
    found = []
    usual = float(people.counts.max() / max(people.rows.sum(), 1))
    for place, size in enumerate(sizes):
        most, total = most_common(keys[:, place], size, people)
        many = total > COMMON_UNITS
        if bool((most[many] > max(NEARLY, usual) * total[many]).any()) and usual < NEARLY:
            found.append(place)
    return found
