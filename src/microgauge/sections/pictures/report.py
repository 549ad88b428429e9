"""Distributions for the report: as they are, or as data users may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microgauge.results import VariableDetail
from microgauge.sections.public import public_detail

Data = dict[str, Any]


def detail_data(detail: VariableDetail | None, public: bool, threshold: int) -> Data | None:
    """What the picture of one variable is drawn from."""
    if detail is None:
        return None
    if public:
        return public_detail(detail, threshold)
    found: Data = {"reason": detail.reason}
    if detail.numbers is not None:
        n = detail.numbers
        found |= {
            "edges": n.edges,
            "before": _short(n.before),
            "after": _short(n.after),
            "density": [[rounded(v) for v in point] for point in n.density],
            "boxes": [_short(n.box_before), _short(n.box_after)],
        }
    if detail.categories is not None:
        c = detail.categories
        found |= {
            "labels": c.labels,
            "before": _short(c.before),
            "after": _short(c.after),
            "others": c.others,
        }
    return found


def rounded(value: float) -> float:
    """Four digits: fine enough to see."""
    return float(f"{value:.4g}")


def _short(values: Sequence[float]) -> list[float]:
    return [rounded(value) for value in values]
