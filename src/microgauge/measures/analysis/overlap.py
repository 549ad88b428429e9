"""How far two confidence intervals share their ground."""

from __future__ import annotations

from microgauge.errors import Undefined

Bounds = tuple[float, float]


def overlap(original: Bounds, protected: Bounds) -> float:
    """Mean share of each interval that the other covers (Karr et al. 2006).

    1 for the same interval, 0 where they touch, negative where they are apart.

    >>> overlap((0.0, 2.0), (1.0, 3.0)), overlap((0.0, 1.0), (2.0, 3.0))
    (0.5, -1.0)
    """
    widths = [high - low for low, high in (original, protected)]
    # What rounding leaves of an exact fit is no width.
    sizes = [max(abs(low), abs(high)) for low, high in (original, protected)]
    if any(width <= 1e-12 * size for width, size in zip(widths, sizes, strict=True)):
        raise Undefined("a confidence interval has width 0")
    shared = min(original[1], protected[1]) - max(original[0], protected[0])
    return 0.5 * (shared / widths[0] + shared / widths[1])
