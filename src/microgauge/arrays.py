"""Names for the arrays that all parts hand to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
"""Places, or levels."""
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.integer[Any]]
"""Small whole numbers that stand for values, in as few bytes as they need."""
Words = NDArray[np.int64]
"""Several levels packed into whole numbers: words × records."""
Hashes = NDArray[np.uint64]
Bits = NDArray[np.uint64]
"""Sets of records, 64 to a number."""
