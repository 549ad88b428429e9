"""Distributions: one set of groups for all versions of a file, each holding enough records.

Two pictures of the same original in other bins are two sets of sums, and the difference of two sums
may be of few. So all versions show the same groups of the original, or none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from math import ceil

from microgauge.records import dataclass
from microgauge.results import CategoryDetail, NumberDetail, ToldShares, VariableDetail
from microgauge.sections.public import OTHERS
from microgauge.sections.public.rounding import share_step, to_step
from microgauge.sections.public.told import FEW, NOT_COUNTED, NOT_DRAWN, OTHER_TERMS

MOST_OF_VARIANCE = 0.5
"""Share of the sum of squares beyond which one record stands for all."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What is told of a variable, over all versions of a file."""

    details: tuple[VariableDetail, ...]
    """One for each version."""
    whole: bool
    """Whether all of it is told, and no record stands out."""
    smallest: int
    """Records of the smallest group."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """A group of records: their number and share in the original, and in each version."""

    labels: tuple[str, ...] = ()
    start: float = 0.0
    rows: tuple[int, ...]
    """Of the original, then of each version."""
    before: float
    after: tuple[float, ...]

    def joined(self, other: Block) -> Block:
        """Both as one."""
        return Block(
            labels=(*self.labels, *other.labels),
            start=self.start,
            rows=tuple(a + b for a, b in zip(self.rows, other.rows, strict=True)),
            before=self.before + other.before,
            after=tuple(a + b for a, b in zip(self.after, other.after, strict=True)),
        )


def shown(name: str, found: Sequence[VariableDetail | None], threshold: int) -> Shown:
    """A variable in all versions: in the terms that most of them have."""
    terms = [_terms(detail) for detail in found]
    known = Counter(kind for kind in terms if kind is not None)
    if not known:
        return _nothing(name, found)
    chosen = max(known, key=lambda kind: (known[kind], kind in ("numbers", "categories")))
    alike = [detail for detail, kind in zip(found, terms, strict=True) if kind == chosen]
    numbers = [d.numbers for d in alike if d is not None and d.numbers is not None]
    categories = [d.categories for d in alike if d is not None and d.categories is not None]
    blocks = _bins(numbers, threshold) if numbers else _categories(categories, threshold)
    units = numbers[0].units_before if numbers else categories[0].units_before
    step = share_step(units, threshold)
    told = iter(
        [None] * len(alike)
        if blocks is None or step is None
        else _versions(blocks, step, numbers=bool(numbers), recoded=_recoded(categories))
    )
    details = tuple(
        _detail(name, next(told) if kind == chosen else None, detail, kind == chosen)
        for detail, kind in zip(found, terms, strict=True)
    )
    return Shown(
        details=details,
        whole=blocks is not None and _whole(blocks, numbers, categories),
        smallest=0 if blocks is None else min(block.rows[0] for block in blocks),
    )


def _terms(detail: VariableDetail | None) -> Hashable:
    """By which groups of the original can be the same: its own values, or those of a recoding."""
    if detail is None or (detail.numbers is None and detail.categories is None):
        return None
    if detail.categories is None:
        return "numbers"
    return frozenset(detail.categories.labels) if detail.categories.recoded else "categories"


def _nothing(name: str, found: Sequence[VariableDetail | None]) -> Shown:
    details = tuple(
        VariableDetail(name=name, reason=NOT_COUNTED if detail is None else NOT_DRAWN)
        for detail in found
    )
    return Shown(details=details, whole=False, smallest=0)


def _detail(
    name: str, told: ToldShares | None, detail: VariableDetail | None, chosen: bool
) -> VariableDetail:
    if told is not None:
        return VariableDetail(name=name, told=told)
    if detail is None:
        return VariableDetail(name=name, reason=NOT_COUNTED)
    if chosen:
        return VariableDetail(name=name, reason=FEW)
    drawn = detail.numbers is not None or detail.categories is not None
    return VariableDetail(name=name, reason=OTHER_TERMS if drawn else NOT_DRAWN)


def _recoded(categories: Sequence[CategoryDetail]) -> bool:
    return any(one.recoded for one in categories)


def _whole(
    blocks: Sequence[Block], numbers: Sequence[NumberDetail], categories: Sequence[CategoryDetail]
) -> bool:
    if numbers:
        return all(one.dominance_before <= MOST_OF_VARIANCE for one in numbers)
    return OTHERS not in blocks[-1].labels and not any(one.others for one in categories)


def _versions(
    blocks: Sequence[Block], step: float, *, numbers: bool, recoded: bool
) -> list[ToldShares]:
    """The same groups for every version, in rounded shares."""

    def rounded(share: float) -> float:
        # A group that holds enough is never said to be empty.
        return max(to_step(share, step), step) if share > 0 else 0.0

    labels = () if numbers else tuple(_label(block) for block in blocks)
    inner = tuple(block.start for block in blocks[1:]) if numbers else ()
    return [
        ToldShares(
            labels=labels,
            inner=inner,
            before=tuple(rounded(block.before) for block in blocks),
            after=tuple(rounded(block.after[place]) for block in blocks),
            recoded=recoded,
        )
        for place in range(len(blocks[0].after))
    ]


def _label(block: Block) -> str:
    return OTHERS if OTHERS in block.labels else block.labels[0]


def _least(rows: int, units: float, threshold: int) -> int:
    """Records that a group must hold: enough, and enough for a share that does not round to 0."""
    step = share_step(units, threshold)
    return threshold if step is None else max(threshold, ceil(step * rows / 2.0))


# -- numbers ---------------------------------------------------------------------------------


def _bins(versions: Sequence[NumberDetail], threshold: int) -> list[Block] | None:
    """Bins between edges that all versions have, joined until each holds enough.

    A bin that no protected record is in tells of none: without it, a file whose upper half was cut
    off would look like its original. Edges are round numbers, and the outer bins are open.
    """
    first = versions[0]
    least = _least(sum(first.rows_before), first.units_before, threshold)
    found: list[Block] = []
    for block in _common_bins(versions):
        if found and _few(found[-1], least, threshold):
            found[-1] = found[-1].joined(block)
        else:
            found.append(block)
    if len(found) > 1 and _few(found[-1], least, threshold):
        last = found.pop()
        found[-1] = found[-1].joined(last)
    if len(found) < 2 or any(_few(block, least, threshold) for block in found):
        return None
    return found


def _few(block: Block, least: int, threshold: int) -> bool:
    return block.rows[0] < least or any(0 < rows < threshold for rows in block.rows[1:])


def _common_bins(versions: Sequence[NumberDetail]) -> list[Block]:
    edges = [set(version.edges[1:-1]) for version in versions]
    inner = sorted(set.intersection(*edges))
    starts = [versions[0].edges[0], *inner]
    found = []
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else None
        parts = [_within(version, start if place else None, end) for version in versions]
        found.append(
            Block(
                start=start,
                rows=(parts[0][0], *(part[1] for part in parts)),
                before=parts[0][2],
                after=tuple(part[3] for part in parts),
            )
        )
    return found


def _within(
    version: NumberDetail, start: float | None, end: float | None
) -> tuple[int, int, float, float]:
    """Rows and shares of both sides between two edges; without one, of all beyond."""
    places = [
        i
        for i in range(len(version.before))
        if (start is None or version.edges[i] >= start) and (end is None or version.edges[i] < end)
    ]
    return (
        sum(version.rows_before[i] for i in places),
        sum(version.rows_after[i] for i in places),
        sum(version.before[i] for i in places),
        sum(version.after[i] for i in places),
    )


# -- categories ------------------------------------------------------------------------------


def _categories(versions: Sequence[CategoryDetail], threshold: int) -> list[Block] | None:
    """Categories that hold enough everywhere; all else are the others, who hold enough too.

    Where the others would be few they would give themselves away as what is left: the smallest
    category joins them.
    """
    first = versions[0]
    least = _least(sum(first.rows_before), first.units_before, threshold)
    named = [_category(label, versions) for label in first.labels if label != OTHERS]
    kept = [block for block in named if block is not None and min(block.rows) >= least]
    rest = _rest(versions, kept)
    while kept and max(rest.rows) > 0 and min(rest.rows) < least:
        smallest = min(kept, key=lambda block: min(block.rows))
        kept.remove(smallest)
        rest = rest.joined(smallest)
    if not kept:
        return None
    return [*kept, rest] if max(rest.rows) > 0 else kept


def _category(label: str, versions: Sequence[CategoryDetail]) -> Block | None:
    """A category in all versions; None where one does not count it by itself."""
    if any(label not in version.labels for version in versions):
        return None
    places = [version.labels.index(label) for version in versions]
    both = list(zip(versions, places, strict=True))
    return Block(
        labels=(label,),
        rows=(versions[0].rows_before[places[0]], *(v.rows_after[i] for v, i in both)),
        before=versions[0].before[places[0]],
        after=tuple(v.after[i] for v, i in both),
    )


def _rest(versions: Sequence[CategoryDetail], kept: Sequence[Block]) -> Block:
    """All that is in no category that is kept."""
    rows = (sum(versions[0].rows_before), *(sum(version.rows_after) for version in versions))
    held = [sum(block.rows[place] for block in kept) for place in range(len(rows))]
    left = tuple(a - b for a, b in zip(rows, held, strict=True))
    after = (1.0 - sum(block.after[place] for block in kept) for place in range(len(versions)))
    return Block(
        labels=(OTHERS,),
        rows=left,
        before=max(1.0 - sum(block.before for block in kept), 0.0) if left[0] else 0.0,
        after=tuple(max(share, 0.0) for share in after),
    )
