"""Normalised certainty penalty: how much of its range a recoded cell may come from.

Xu et al. 2006, Ghinita et al. 2009.
"""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say


def width_penalties(widths: Floats, span: float) -> Floats:
    """Width of each cell's interval / range of the variable; no cell is less certain than none."""
    if span <= 0:
        raise Undefined(say("the original is constant"))
    return np.minimum(widths / span, 1.0)


def merge_penalties(target: Index, size: int) -> Floats:
    """Original categories merged / all categories; 0 for a category standing alone.

    >>> merge_penalties(np.array([0, 0, 1, 2]), 3)
    array([0.5, 0. , 0. ])
    """
    merged = np.bincount(target, minlength=size)
    return np.where(merged > 1, merged / len(target), 0.0)


def mean_penalty(penalties: Floats, rows: Floats, suppressed: float) -> tuple[float, float]:
    """NCP of a variable and its cells: the mean over cells, 1 for a suppressed one."""
    cells = float(rows.sum()) + suppressed
    if cells <= 0:
        raise Undefined(say("no cell"))
    return (float((penalties * rows).sum()) + suppressed) / cells, cells
