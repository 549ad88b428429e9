"""Which rows of both files are the same unit's, as numbers."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Index
from microgauge.study.study import Study


def unit_numbers(study: Study) -> Index | None:
    """A number for each row, the original's rows first; None where units are not known.

    By row order these are the rows' places, by key the keys.
    """
    rows = (study.rows("original"), study.rows("protected"))
    how = study.matching.alignment.how
    if how == "row order" and rows[0].rows == rows[1].rows:
        return np.tile(np.arange(rows[0].rows), 2)
    keys = [held.keys for held in rows]
    if how != "key" or keys[0] is None or keys[1] is None:
        return None
    return np.unique(np.concatenate([keys[0], keys[1]]), return_inverse=True)[1].reshape(-1)
