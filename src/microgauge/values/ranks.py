"""Mid-ranks from counts."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats


def centred_ranks(counts: Floats) -> Floats:
    """Twice the mid-rank of each level less its mean: whole numbers where counts are whole.

    With counts c and N = Σc, the mid-rank of level i is Σ_{j<i} c_j + (c_i + 1)/2 and the mean rank
    (N + 1)/2. Weighted mid-ranks are the same with weights for counts.

    >>> centred_ranks(np.array([1.0, 2.0, 1.0]))  # ranks 1, 2.5, 2.5, 4
    array([-3.,  0.,  3.])
    """
    counts = np.asarray(counts, dtype=np.float64)
    below = np.concatenate([[0.0], np.cumsum(counts)[:-1]])
    return np.asarray(2.0 * below + counts - counts.sum(), dtype=np.float64)
