"""Rows of codes drawn by hypothesis, and records compared by brute force."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def coded_rows(draw, sizes):
    """Codes of columns (the last of each is a missing cell), how many rows, weights or none."""
    rows = draw(st.integers(1, 40))
    codes = {
        name: np.array(draw(st.lists(st.integers(0, size), min_size=rows, max_size=rows)))
        for name, size in sizes.items()
    }
    weights = None
    if draw(st.booleans()):
        # Eighths add up without rounding, so that answers must be equal to the last bit.
        weights = np.array(draw(st.lists(st.integers(0, 64), min_size=rows, max_size=rows))) / 8
    return codes, rows, weights


def alike(one, other):
    """Two records match if every key is equal or missing on either side."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))
