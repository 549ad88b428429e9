"""What data users may see: nothing that rests on few records, no extremes, no original labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from microgauge.results import (
    CategoryDetail,
    CoefficientResult,
    IndicatorResult,
    NumberDetail,
    VariableDetail,
    VariableResult,
)

OTHERS = "(others)"


def public_missing(fact: VariableResult, threshold: int) -> list[str]:
    """Missing cells of the protected file only; a small number is not told."""
    count = fact.missing_protected
    if count is None:
        return ["–"]
    return [f"{count:,}" if count == 0 or count >= threshold else f"fewer than {threshold}"]


def public_detail(detail: VariableDetail, threshold: int) -> dict[str, Any] | None:
    """A distribution in bins or categories that hold enough records on both sides."""
    if detail.numbers is not None:
        return _numbers(detail.numbers, threshold)
    if detail.categories is not None:
        return _categories(detail.categories, threshold)
    return None


def _numbers(detail: NumberDetail, threshold: int) -> dict[str, Any] | None:
    """Neighbouring bins joined until each holds enough; the outer ones are open.

    A bin that no protected record is in tells of none: without it, a file whose upper half was cut
    off would look like its original.
    """
    few = partial(_few, threshold=threshold)
    bins: list[list[float]] = []
    for i in range(len(detail.before)):
        held = [
            detail.edges[i], detail.edges[i + 1], detail.before[i], detail.after[i],
            detail.rows_before[i], detail.rows_after[i],
        ]  # fmt: skip
        if bins and few(bins[-1]):
            bins[-1] = _joined(bins[-1], held)
        else:
            bins.append(held)
    if len(bins) > 1 and few(bins[-1]):
        last = bins.pop()
        bins[-1] = _joined(bins[-1], last)
    if len(bins) < 2 or any(few(b) for b in bins):
        return None
    # Edges are round numbers; the outer bins are open, so that no extreme is told.
    return {
        "inner": [b[0] for b in bins[1:]],
        "before": [_share(b[2]) for b in bins],
        "after": [_share(b[3]) for b in bins],
    }


def _few(held: list[float], threshold: int) -> bool:
    """Whether a bin rests on few records of either file; none of the protected file is not few."""
    return held[4] < threshold or 0 < held[5] < threshold


def _joined(a: list[float], b: list[float]) -> list[float]:
    return [a[0], b[1], *(x + y for x, y in zip(a[2:], b[2:], strict=True))]


def _share(value: float) -> float:
    return round(value, 3)


def _categories(detail: CategoryDetail, threshold: int) -> dict[str, Any] | None:
    """Categories with few records on either side are among the others, without their labels."""
    rows = list(
        zip(
            detail.labels, detail.before, detail.after, detail.rows_before, detail.rows_after,
            strict=True,
        )
    )  # fmt: skip
    kept = [row for row in rows if row[0] != OTHERS and min(row[3], row[4]) >= threshold]
    rest = [row for row in rows if row not in kept]
    held = min(sum(row[3] for row in rest), sum(row[4] for row in rest))
    if rest and held < threshold:
        # The others would give themselves away as what is left: the smallest one joins them.
        if not kept:
            return None
        smallest = min(kept, key=lambda row: min(row[3], row[4]))
        kept.remove(smallest)
        rest.append(smallest)
    if not kept:
        return None
    labels = [str(row[0]) for row in kept]
    before, after = [[_share(float(row[place])) for row in kept] for place in (1, 2)]
    if rest:
        labels.append(OTHERS)
        before.append(_share(sum(row[1] for row in rest)))
        after.append(_share(sum(row[2] for row in rest)))
    return {"labels": labels, "before": before, "after": after, "recoded": detail.recoded}


def public_indicators(results: Sequence[IndicatorResult], threshold: int) -> list[IndicatorResult]:
    """Indicators that rest on enough records on both sides; a share, on enough in its category."""
    return [found for found in results if _records(found) >= threshold]


def _records(found: IndicatorResult) -> float:
    """Records that an indicator rests on, on the smaller side.

    Of a share: those in the category and those outside it; of a quantile: those beyond it.
    """
    return min(found.records_original or 0, found.records_protected or 0)


def public_labels(variables: Sequence[dict[str, Any]]) -> dict[str, frozenset[str]]:
    """The categories of each variable that the public page names."""
    return {
        variable["name"]: frozenset((variable["detail"] or {}).get("labels", ())) - {OTHERS}
        for variable in variables
    }


_DUMMY = re.compile(r"(?:C\()?([^\[\]()]+)\)?\[(?:T\.)?([^\[\]]*)\]")


def may_be_told(coefficient: CoefficientResult, told: Mapping[str, frozenset[str]]) -> bool:
    """Whether a term is on both sides and names no category that is not told.

    Products of categories rest on fewer records than either, and are not told.
    """
    if coefficient.original is None or coefficient.protected is None:
        return False
    if not set("[]") & set(coefficient.term):
        return True
    found = _DUMMY.fullmatch(coefficient.term)
    return found is not None and found[2] in told.get(found[1], frozenset())
