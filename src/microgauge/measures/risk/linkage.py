"""Would an intruder who holds the original find each protected record's own unit?

Spruill 1982: a protected record is linked where its nearest original record is its own. The squared
distance of two records is a sum over attributes: the squared difference of scaled numbers, 1 for
two categories that differ, 1 where one of the two values is missing, 0 where both are.

No distance of all pairs is held, and most are never worked out. The distance to the own record is
known at once, so the question is only whether some original lies nearer: a protected record leaves
the search with the first that does. The originals are halved again and again along the attribute
in which they differ most, and a part whose nearest corner is farther than the own record is passed
by. What is left is compared in blocks by a product of matrices; pairs it cannot tell from a tie are
worked out one by one, so that rounding of the products decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Codes, Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass

BLOCK = 512
"""Profiles of either side compared at a time: their distances stay in the processor's cache."""
MOST_PRODUCTS = 5_000_000_000
"""Pairs of different profiles beyond which only a sample of the protected records is looked for."""
SAME = 1e-9
"""Distances that differ by less are one; the unit is a standard deviation."""
SAME_SHARE = 1e-12
"""The same as a share of the distance, for records far out."""
FARTHEST = 1e100
"""Numbers are cut here: squares stay finite, and nothing so far out has a nearest record."""


@dataclass(frozen=True, eq=False)
class LinkAttribute:
    """One attribute of the same units on both sides: row i is unit i in both arrays.

    A number is scaled and NaN where missing; a category is a code, the same on both sides, and -1
    where missing.
    """

    kind: Literal["number", "category"]
    original: NDArray[Any]
    protected: NDArray[Any]

    @staticmethod
    def standardised(original: Floats, protected: Floats) -> LinkAttribute | None:
        """Numbers in standard deviations (n - 1) of the original; none where that is constant.

        A constant original has no unit to measure in, and tells no original record from another.

        >>> ages = LinkAttribute.standardised(np.array([1.0, 3.0, 5.0]), np.array([3.0, 7.0, 1.0]))
        >>> ages.original, ages.protected
        (array([-1.,  0.,  1.]), array([ 0.,  2., -1.]))
        """
        known = original[np.isfinite(original)]
        if not known.size or known.min() == known.max():
            return None
        centre, unit = known.mean(), known.std(ddof=1)
        return LinkAttribute("number", (original - centre) / unit, (protected - centre) / unit)


@dataclass(frozen=True)
class Linkage:
    """The share of protected records that lead back to their own unit; less is safer."""

    share: float
    """1: every record's nearest original is its own. Originals equally near share the count."""
    records: int
    """Records of the file."""
    chance: float
    """The share that guessing would reach: 1/records."""
    sampled: int | None = None
    """How many protected records were looked for, where not all were."""
    standard_error: float | None = None
    """Of the share, by the draw of the sample."""


def linkage_share(
    attributes: Sequence[LinkAttribute],
    *,
    seed: int = 0,
    block: int = BLOCK,
    most_products: int = MOST_PRODUCTS,
) -> Linkage:
    """The share of protected records whose nearest original record is their own.

    The first record below is linked, the second half (it is as near to 5), the third not.

    >>> ages = LinkAttribute("number", np.array([0.0, 1.0, 5.0]), np.array([0.2, 3.0, 1.1]))
    >>> linkage_share([ages]).share
    0.5
    """
    if not attributes:
        raise Undefined(say("no attribute to link by"))
    records = len(attributes[0].original)
    if not records:
        raise Undefined(say("no record to link"))
    original, protected = _sides(attributes)
    originals, masked = _Profiles.of(original), _Profiles.of(protected)
    if len(masked.counts) * len(originals.counts) <= most_products:
        linked = _linked(originals, masked, originals.each, block)
        return Linkage(float(linked.mean()), records, 1.0 / records)
    drawn = _draw(masked.each, originals.each, most_products // len(originals.counts), seed)
    masked = _Profiles.of(protected.take(drawn))
    linked = _linked(originals, masked, originals.each[drawn], block)
    error = _standard_error(linked, records)
    return Linkage(float(linked.mean()), records, 1.0 / records, len(drawn), error)


def _draw(masked: Index, original: Index, size: int, seed: int) -> Index:
    """Some records at random, at least two: the same ones in whatever order the rows are.

    They are drawn from the records in the order of their values; equal ones are interchangeable.
    """
    by_value = np.lexsort((original, masked))
    size = min(max(size, 2), len(masked))
    return by_value[np.random.default_rng(seed).choice(len(masked), size, replace=False)]


def _standard_error(linked: Floats, records: int) -> float:
    """Of the mean of a sample drawn without replacement."""
    size = len(linked)
    return float(linked.std(ddof=1) * np.sqrt((1.0 - size / records) / size))


@dataclass(frozen=True, eq=False)
class _Side:
    """Records of one side: a row for each number, an array for each category."""

    numbers: Floats
    codes: tuple[Codes, ...]

    @property
    def records(self) -> int:
        return int(self.numbers.shape[1])

    @cached_property
    def known(self) -> Flags:
        return np.asarray(~np.isnan(self.numbers))

    def take(self, records: Index) -> _Side:
        return _Side(self.numbers[:, records], _each(self.codes, records))


def _each(codes: Sequence[Codes], records: Index) -> tuple[Codes, ...]:
    return tuple(one[records] for one in codes)


def _sides(attributes: Sequence[LinkAttribute]) -> tuple[_Side, _Side]:
    """Both sides, their numbers centred: products of small numbers round little."""
    records = len(attributes[0].original)
    before, after = np.empty((0, records)), np.empty((0, records))
    codes: list[tuple[Codes, Codes]] = []
    for each in attributes:
        if each.kind == "category":
            codes.append(_small(each.original, each.protected))
            continue
        centre = _centre(each.original)
        before, after = (
            np.vstack([rows, np.clip(side - centre, -FARTHEST, FARTHEST)])
            for rows, side in ((before, each.original), (after, each.protected))
        )
    return _Side(before, tuple(a for a, _ in codes)), _Side(after, tuple(b for _, b in codes))


def _small(a: NDArray[Any], b: NDArray[Any]) -> tuple[Codes, Codes]:
    """Codes in as few bytes as hold them: they are compared several times faster."""
    kind = np.min_scalar_type(-1 - max(int(a.max()), int(b.max()), 0))
    return a.astype(kind), b.astype(kind)


def _centre(numbers: Floats) -> float:
    known = numbers[np.isfinite(numbers)]
    return float(known.mean()) if known.size else 0.0


@dataclass(frozen=True, eq=False)
class _Profiles:
    """Different records of one side, how often each occurs, and which one each record is."""

    side: _Side
    counts: Counts
    each: Index

    @staticmethod
    def of(side: _Side) -> _Profiles:
        each = np.zeros(side.records, dtype=np.intp)
        for column in [*side.numbers, *side.codes]:
            codes = np.unique(column, return_inverse=True)[1]
            each = np.unique(each * (codes.max() + 1) + codes, return_inverse=True)[1]
        _, first, counts = np.unique(each, return_index=True, return_counts=True)
        return _Profiles(side.take(first), counts, each)


def _linked(originals: _Profiles, masked: _Profiles, own: Index, block: int) -> Floats:
    """For each protected record, 1 / the number of its nearest originals if its own is one, or 0.

    Of the records with one profile, only those nearest to their own can be linked.
    """
    apart = np.sqrt(_squares(masked.side.take(masked.each), originals.side.take(own)))
    radii = np.full(len(masked.counts), np.inf)
    np.minimum.at(radii, masked.each, apart)
    search = _Search(originals, masked.side, radii, block)
    search.visit(np.arange(len(originals.counts)), np.arange(len(radii)))
    shares = np.where(search.beaten, 0.0, 1.0 / np.maximum(search.ties, 1))
    nearest = apart <= (radii + _tolerance(radii))[masked.each]
    return np.asarray(np.where(nearest, shares[masked.each], 0.0))


def _tolerance(distances: Floats) -> Floats:
    """How much more or less still is the same distance."""
    return SAME + SAME_SHARE * distances


def _squares(a: _Side, b: _Side) -> Floats:
    """The squared distance of record i of one side and record i of the other."""
    total = np.zeros(a.records)
    for x, z in zip(a.numbers, b.numbers, strict=True):
        gap = x - z
        total += np.where(np.isnan(gap), np.isnan(x) != np.isnan(z), gap * gap)
    for x, z in zip(a.codes, b.codes, strict=True):
        total += x != z
    return total


class _Search:
    """Looks for originals within a radius of each protected profile: nearer ones and ties."""

    def __init__(self, originals: _Profiles, masked: _Side, radii: Floats, block: int) -> None:
        self.originals, self.masked, self.radii, self.block = originals, masked, radii, block
        self.beaten = np.zeros(len(radii), dtype=np.bool_)
        """Whether some original is nearer than the radius."""
        self.ties = np.zeros(len(radii), dtype=np.int64)
        """Original records seen at the radius."""
        self.left, self.right = _features(masked, originals.side, radii)
        tolerance = _tolerance(radii)
        self.band = (2.0 * radii + tolerance) * tolerance
        """How far from the squared radius a squared distance may be and still mean a tie."""
        self.norms = tuple(
            np.sqrt(np.nansum(side.numbers**2, axis=0)) for side in (masked, originals.side)
        )

    def visit(self, part: Index, rows: Index) -> None:
        """Compare protected profiles with a part of the originals, unless it is too far away."""
        rows = rows[~self.beaten[rows]]
        near = self._floor(part, rows) <= self.radii[rows] ** 2 + self.band[rows]
        rows = rows[near]
        if not len(rows):
            return
        if len(part) <= self.block:
            self._compare(part, rows)
            return
        for half in self._halves(part):
            self.visit(half, rows)

    def _floor(self, part: Index, rows: Index) -> Floats:
        """A squared distance that no original of the part comes below."""
        mine, its = self.masked.take(rows), self.originals.side.take(part)
        total = np.zeros(len(rows))
        for x, z in zip(mine.numbers, its.numbers, strict=True):
            total += _number_floor(x, z)
        for x, z in zip(mine.codes, its.codes, strict=True):
            total += ~np.isin(x, z)
        return total

    def _halves(self, part: Index) -> tuple[Index, Index]:
        """The part cut in two along the attribute that keeps its records farthest apart."""
        its = self.originals.side.take(part)
        columns: list[NDArray[Any]] = [*its.numbers, *its.codes]
        spreads = [*map(_number_spread, its.numbers), *map(_category_spread, its.codes)]
        order = part[np.argsort(columns[int(np.argmax(spreads))], kind="stable")]
        return order[: len(part) // 2], order[len(part) // 2 :]

    def _compare(self, part: Index, rows: Index) -> None:
        """Tell for each pair whether the original is nearer than the radius, at it or beyond."""
        its = self.right[part].T
        codes = _each(self.originals.side.codes, part)
        for start in range(0, len(rows), self.block):
            some = rows[start : start + self.block]
            beyond = self.left[some] @ its
            if codes:
                beyond += _mismatches(_each(self.masked.codes, some), codes)
            nearest, slack = beyond.min(axis=1), self.band[some] + self._rounding(part, some)
            self.beaten[some[nearest < -slack]] = True
            unsure = np.flatnonzero(np.abs(nearest) <= slack)
            row, column = np.nonzero(beyond[unsure] <= slack[unsure, None])
            self._settle(some[unsure[row]], part[column])

    def _rounding(self, part: Index, rows: Index) -> Floats:
        """The most that rounding adds to or takes from products: less where numbers are small."""
        attributes = len(self.masked.numbers) + len(self.masked.codes)
        longest = self.norms[0][rows] + self.norms[1][part].max()
        scale = longest**2 + self.radii[rows] ** 2 + attributes
        return np.asarray(4.0 * np.finfo(np.float64).eps * (self.left.shape[1] + 4) * scale)

    def _settle(self, rows: Index, found: Index) -> None:
        """Work out the distances of pairs that may be ties."""
        apart = np.sqrt(_squares(self.masked.take(rows), self.originals.side.take(found)))
        radii = self.radii[rows]
        tolerance = _tolerance(radii)
        self.beaten[rows[apart < radii - tolerance]] = True
        tied = apart <= radii + tolerance
        np.add.at(self.ties, rows[tied], self.originals.counts[found[tied]])


def _number_floor(x: Floats, part: Floats) -> Floats:
    """The least that one number adds to the squared distance from any record of a part."""
    missing = np.isnan(part)
    if missing.all():
        return np.where(np.isnan(x), 0.0, 1.0)
    outside = np.maximum(np.maximum(np.nanmin(part) - x, x - np.nanmax(part)), 0.0) ** 2
    if missing.any():
        return np.where(np.isnan(x), 0.0, np.minimum(outside, 1.0))
    return np.where(np.isnan(x), 1.0, outside)


def _number_spread(numbers: Floats) -> float:
    """Half the mean of the squared distances of all pairs of records in one number."""
    known = numbers[~np.isnan(numbers)]
    share = len(known) / len(numbers)
    return float(share**2 * known.var() + share * (1.0 - share)) if share else 0.0


def _category_spread(codes: Codes) -> float:
    """The same for a category."""
    shares = np.bincount(codes.astype(np.intp) + 1) / len(codes)
    return float(1.0 - (shares**2).sum()) / 2.0


def _mismatches(a: Sequence[Codes], b: Sequence[Codes]) -> NDArray[Any]:
    """In how many categories each record of one side differs from each of the other.

    Bytes are added as they are compared; indicators in the product of matrices would be as fast
    for few categories and much slower for many.
    """
    total = np.zeros((len(a[0]), len(b[0])), dtype=np.min_scalar_type(len(a)))
    for x, z in zip(a, b, strict=True):
        total += (x[:, None] != z[None, :]).view(np.uint8)
    return total


def _features(masked: _Side, original: _Side, radii: Floats) -> tuple[Floats, Floats]:
    """Vectors whose product is how far the squared distance in numbers exceeds the squared radius.

    With known values x and z marked by p = 1 and q = 1, else 0, a number adds
    pq(x - z)² + p(1 - q) + (1 - p)q = px²·q - 2px·qz + p·(qz² - 2q + 1) + q.
    Where a number is known everywhere, x² and z² go to what all of them share.
    """
    left, right = [-(radii**2), np.ones(masked.records)], [np.ones(original.records)]
    right.append(np.zeros(original.records))
    for i in range(len(masked.numbers)):
        p, q = masked.known[i], original.known[i]
        x, z = np.where(p, masked.numbers[i], 0.0), np.where(q, original.numbers[i], 0.0)
        left.append(x)
        right.append(-2.0 * z)
        if p.all() and q.all():
            left[0] = left[0] + x * x
            right[1] = right[1] + z * z
        else:
            left += [x * x, p.astype(np.float64)]
            right += [q.astype(np.float64), z * z - 2.0 * q + 1.0]
            right[1] = right[1] + q
    return np.column_stack(left), np.column_stack(right)
