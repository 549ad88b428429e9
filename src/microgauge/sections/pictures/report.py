"""Distributions for the report: as they are, or as data users may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microgauge.languages.messages import say, strung
from microgauge.results import NumberDetail, VariableDetail
from microgauge.results.wording import rounded_per_cent

Data = dict[str, Any]


def told_data(detail: VariableDetail | None) -> Data | None:
    """What the picture of one variable is drawn from that data users see; nothing else."""
    told = None if detail is None else detail.told
    if told is None:
        return None
    both: Data = {"before": told.before, "after": told.after}
    if told.inner:
        return {"inner": told.inner, **both}
    return {"labels": told.labels, **both, "recoded": told.recoded}


def detail_data(detail: VariableDetail | None) -> Data | None:
    """What the picture of one variable is drawn from."""
    if detail is None:
        return None
    found: Data = {"reason": detail.reason}
    if detail.numbers is not None:
        n = detail.numbers
        found |= {
            "edges": n.edges,
            "before": _short(n.before),
            "after": _short(n.after),
            "density": [[rounded(v) for v in point] for point in n.density],
            "boxes": [_short(n.box_before), _short(n.box_after)],
            "ends": [_short(n.ends_before), _short(n.ends_after)],
            "whiskers": [_short(n.whiskers_before), _short(n.whiskers_after)],
            "outliers": [_short(n.outliers_before), _short(n.outliers_after)],
            "beyond": [n.beyond_before, n.beyond_after],
            "outside": _outside(n),
        }
    if detail.categories is not None:
        c = detail.categories
        found |= {
            "labels": c.labels,
            "before": _short(c.before),
            "after": _short(c.after),
            "others": c.others,
            "recoded": c.recoded,
        }
    return found


OUTSIDE = (
    say("{share} of the {which} values lie below"),
    say("{share} of the {which} values lie above"),
)


def _outside(detail: NumberDetail) -> str:
    """What a histogram does not show where it lies; nothing where it shows all."""
    sides = {"original": detail.outside_before, "protected": detail.outside_after}
    told = [
        form.format(share=rounded_per_cent(share, 2), which=side)
        for side, shares in sides.items()
        for share, form in zip(shares, OUTSIDE, strict=True)
        if share > 0
    ]
    return say("Drawn in the outer bars: {told}.", told=strung(told, ", ")) if told else ""


def rounded(value: float) -> float:
    """Four digits: fine enough to see."""
    return float(f"{value:.4g}")


def _short(values: Sequence[float]) -> list[float]:
    return [rounded(value) for value in values]
