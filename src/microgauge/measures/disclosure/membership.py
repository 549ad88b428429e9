"""Can one tell who was in the file?

Members are the original units, controls those of a holdout: people of the same population who took
no part. Each unit has a score, higher where it looks more like a member, found without knowing
which it is. Two scores are looked at:

- distance: how near the nearest protected record is (Gower over the analysed variables);
- density: how much denser protected records are around the unit than records of the population,
  by the distances to the j-th nearest protected one and the j-th nearest of one half of the
  holdout; the controls are the other half (van Breugel et al. 2023).

An AUC of 1/2 and a true-positive rate equal to the false-positive rate mean that nobody can tell;
1 that everybody can; less is safer. The AUC speaks of the typical unit, the rate at 1 % of the few
who can be told for sure (Carlini et al. 2022): copies of one record in a hundred leave the AUC at
0.505 and double that rate.

**Reading.** The rates are those of an intruder who may also guess. At a stated rate of false
positives there are two: one takes all units above the score that this share of controls exceeds;
one is strict, takes those above the score that a quarter of it exceeds, and makes up the rest by
guessing among the others. Without any leak both reach exactly the stated rate. Few copies stand
out at the strict end, where hardly any control is, and only the strict one is sure of them.

**Reading.** Of several looks (two scores, two intruders) a figure is that of the look whose lower
limit is highest, and all intervals are simultaneous over the looks (Bonferroni), so that looking
often finds nothing that is not there. Without anything to find, the lower limit of a figure passes
1/2, or the stated rate, in at most 2.5 % of files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.draws import random_order
from microgauge.measures.disclosure.nearest import Attribute, nearest_distances
from microgauge.measures.disclosure.shares import Interval, clopper_pearson
from microgauge.records import dataclass

LEVEL = 0.95
STRICT = 0.25
"""The share of its false positives that the strict intruder spends on a threshold."""
NEIGHBOURS = 1
"""Whose distance measures density: with more, what was learned by heart of single units fades."""
LEAST = 10
"""Controls below which nothing is said."""
_DIGITS = 9
"""Distances that differ by less than 1e-9 are one."""

Score = Literal["distance", "density"]


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class Told:
    """How well one score tells members from controls."""

    auc: Estimate
    """The chance that a member scores higher than a control."""
    tpr_01: Estimate
    """The share of members found where 1 % of the controls are taken for members."""
    tpr_10: Estimate
    """The same at 10 %."""


@dataclass(frozen=True)
class Membership:
    """Membership of the file, as well as the better of two scores tells it."""

    auc: Estimate
    tpr_01: Estimate
    tpr_10: Estimate
    nearer_share: float
    """Share of original units nearer to a protected record than a holdout unit set beside them.

    About 1/2 where nothing was learned by heart. Passing proves nothing: copies of a few pass.
    """
    score: Score
    """Whose AUC is shown."""
    distance: Told
    density: Told | None
    """None where the holdout is too small to be halved; then the distance is the only look."""
    members: int
    controls: int


def delong(members: Floats, controls: Floats, *, level: float = LEVEL) -> Estimate:
    """The AUC, ties counted half, with the interval of DeLong, DeLong and Clarke-Pearson (1988).

    By mid-ranks (Sun, Xu 2014), in n log n. Where all are told apart that variance is 0; the limit
    is then the exact one of a share of 1 (or 0) in the smaller group.

    >>> delong(np.array([2.0, 3.0, 5.0]), np.array([1.0, 3.0])).value
    0.75
    """
    n, m = len(members), len(controls)
    if min(n, m) < 2:
        raise Undefined(say("fewer than two members or controls"))
    ranks = rankdata(np.concatenate([members, controls]))
    above = (ranks[:n] - rankdata(members)) / m
    below = 1.0 - (ranks[n:] - rankdata(controls)) / n
    auc = float(above.mean())
    error = float(above.var(ddof=1) / n + below.var(ddof=1) / m) ** 0.5
    if error == 0.0 and auc in (0.0, 1.0):
        return Estimate(auc, clopper_pearson(auc, min(n, m), level))
    half = float(ndtri((1.0 + level) / 2.0)) * error
    return Estimate(auc, (max(auc - half, 0.0), min(auc + half, 1.0)))


@dataclass(frozen=True, eq=False)
class Roc:
    """True positives by false positives.

    The score of the k-th of m controls is exceeded by a share of k/(m + 1) of all controls there
    could be, in expectation, and without a leak by the same share of members: the curve is
    unbiased however few the controls are. Between two controls it is straight; members and
    controls of one score are taken in turns, as if tied by chance.
    """

    false: Floats
    true: Floats
    members: int
    controls: int

    @staticmethod
    def of(members: Floats, controls: Floats) -> Roc:
        """The curve of scores that are higher for members."""
        n, m = len(members), len(controls)
        if not n or not m:
            raise Undefined(say("no member or no control"))
        ordered = np.sort(members)
        # Scores of controls from the top; of members tied with the j-th of c tied controls,
        # j/(c + 1) are above it.
        scores, counts = np.unique(-controls, return_counts=True)
        above = n - np.searchsorted(ordered, -scores, side="right")
        tied = n - np.searchsorted(ordered, -scores, side="left") - above
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        place = (np.arange(m) - starts + 1) / np.repeat(counts + 1, counts)
        true = (np.repeat(above, counts) + np.repeat(tied, counts) * place) / n
        return Roc(np.arange(m + 2) / (m + 1.0), np.concatenate([[0.0], true, [1.0]]), n, m)

    def at(self, false: float) -> float:
        """The share of true positives at a share of false ones."""
        return float(np.interp(false, self.false, self.true))

    def estimate(self, false: float, *, level: float = LEVEL) -> Estimate:
        """The same with an interval, for both members and threshold being samples.

        Exact limits of the share above the threshold, and of the share of controls the threshold
        stands for, put together by the method of variance estimates recovery (Zou, Donner 2008).
        """
        value = self.at(false)
        low, high = clopper_pearson(value, self.members, level)
        few, many = clopper_pearson(false, self.controls, level)
        lower = value - np.hypot(value - low, value - self.at(few))
        upper = value + np.hypot(high - value, self.at(many) - value)
        return Estimate(value, (max(float(lower), 0.0), min(float(upper), 1.0)))


def true_positives(
    members: Floats, controls: Floats, false: float, *, level: float = LEVEL
) -> Estimate:
    """True positives at a share of false ones, of the plain or the strict intruder.

    Shown is the one whose lower limit is higher; both limits hold for both at once.

    >>> controls = np.arange(1000.0)
    >>> copied = np.concatenate([np.full(30, 2000.0), controls])
    >>> found = true_positives(copied, controls, 0.01)
    >>> round(found.value, 3), found.interval[0] > 0.01
    (0.038, True)
    """
    roc, each = Roc.of(members, controls), 1.0 - (1.0 - level) / 2.0
    plain = roc.estimate(false, level=each)
    strict = _guessed(roc.estimate(STRICT * false, level=each), STRICT * false, false)
    return _stronger(plain, strict)


def _guessed(found: Estimate, spent: float, false: float) -> Estimate:
    """True positives if units not found are taken by chance, until there are enough false ones."""
    luck = (false - spent) / (1.0 - spent)
    low, high = (limit + luck * (1.0 - limit) for limit in found.interval)
    return Estimate(found.value + luck * (1.0 - found.value), (low, high))


def _stronger(first: Estimate, *others: Estimate) -> Estimate:
    """The one that is surely highest; the first where none is."""
    return max((first, *others), key=lambda found: found.interval[0])


def told(members: Floats, controls: Floats, *, looks: int = 1, level: float = LEVEL) -> Told:
    """How well a score tells members from controls, with intervals that allow for several looks."""
    each = 1.0 - (1.0 - level) / looks
    return Told(
        delong(members, controls, level=each),
        true_positives(members, controls, 0.01, level=each),
        true_positives(members, controls, 0.10, level=each),
    )


def nearer_share(original: Floats, holdout: Floats, twins: tuple[Index, Index]) -> float:
    """Share of original units with a smaller distance than the holdout unit beside; ties half.

    >>> beside = np.arange(2)
    >>> nearer_share(np.array([0.1, 0.3]), np.array([0.2, 0.3]), (beside, beside))
    0.75
    """
    mine, other = original[twins[0]], holdout[twins[1]]
    return float(np.mean((mine < other) + 0.5 * (mine == other)))


def membership(
    original: Sequence[Attribute],
    holdout: Sequence[Attribute],
    *,
    neighbours: int = NEIGHBOURS,
    seed: int = 0,
    level: float = LEVEL,
) -> Membership:
    """Who was in: original units against those of a holdout, by distance and by density.

    In both the queries are the units and the references the protected records; all distinct units
    are records of their own, also equal ones. Which holdout units are the reference of the density,
    and which stand beside an original one, is drawn by a seed from the values of the records, and
    does not depend on the order of rows or columns, or on which code a level has.
    """
    n, m = len(original[0].queries), len(holdout[0].queries)
    if m < LEAST:
        raise Undefined(say("fewer than {least} units in the holdout", least=LEAST))
    near, control = (np.round(nearest_distances(each), _DIGITS) for each in (original, holdout))
    order = _drawn(holdout, seed)
    reference, test = order[: m // 2], order[m // 2 :]
    possible = len(reference) >= max(neighbours, LEAST) and (
        len(original[0].references) >= neighbours
    )
    looks = 2 if possible else 1
    distance, density = told(-near, -control, looks=looks, level=level), None
    if possible:
        scores = [
            _density(some, populace, neighbours)
            for some, populace in _surroundings(original, holdout, reference, test)
        ]
        density = told(scores[0], scores[1], looks=looks, level=level)
    both = [distance] if density is None else [distance, density]
    auc = _stronger(*(each.auc for each in both))
    twins = _drawn(original, seed + 1)[: min(n, m)], order[: min(n, m)]
    return Membership(
        auc,
        _stronger(*(each.tpr_01 for each in both)),
        _stronger(*(each.tpr_10 for each in both)),
        nearer_share(near, control, twins),
        "distance" if auc is distance.auc else "density",
        distance,
        density,
        n,
        m,
    )


_Pair = tuple[list[Attribute], list[Attribute]]


def _surroundings(
    original: Sequence[Attribute], holdout: Sequence[Attribute], reference: Index, test: Index
) -> tuple[_Pair, _Pair]:
    """For members and then controls: beside protected records, and beside others of the holdout."""
    members: _Pair = (list(original), [])
    controls: _Pair = ([], [])
    for mine, other in zip(original, holdout, strict=True):
        populace = other.queries[reference]
        members[1].append(Attribute(mine.kind, mine.queries, populace))
        controls[0].append(Attribute(other.kind, other.queries[test], other.references))
        controls[1].append(Attribute(other.kind, other.queries[test], populace))
    return members, controls


def _density(
    protected: Sequence[Attribute], populace: Sequence[Attribute], neighbours: int
) -> Floats:
    """The logarithm of how much nearer protected records are than others of the population.

    A monotone function of the ratio of densities by neighbours, whatever the dimension. Distances
    of 0 count as half of 1e-9, the resolution.
    """
    near, far = (
        np.maximum(np.round(nearest_distances(each, neighbours=neighbours), _DIGITS), 0.5e-9)
        for each in (protected, populace)
    )
    return np.asarray(np.round(np.log(far) - np.log(near), _DIGITS))


def _drawn(attributes: Sequence[Attribute], seed: int) -> Index:
    """The queries in a random order that depends on their values only."""
    return random_order([(each.kind, each.queries) for each in attributes], seed)
