"""The compiled loops, where there are some."""

from __future__ import annotations

import os
from typing import Any

PLAIN = "MICROGAUGE_PLAIN"
"""Set in the environment, the compiled loops are left alone."""
LOOPS = (
    "code_numbers",
    "code_views",
    "count_codes",
    "count_pairs",
    "gather_cells",
    "gram_into",
    "index_numbers",
    "merge_places",
    "paths_outside",
    "place_numbers",
    "rank_pairs",
    "rank_tables",
    "ranks_within",
    "scatter_cells",
    "score_product",
    "score_sums",
    "sort_codes",
)
"""What there is. Loops that were built from an older source lack some, and are left alone too."""


def compiled() -> Any | None:
    """The module of compiled loops; None where NumPy has to do."""
    return None if os.environ.get(PLAIN) else _LOOPS


def _found() -> Any | None:
    try:
        from microgauge.kernels import _loops  # type: ignore[attr-defined]
    except ImportError:  # built without a compiler
        return None
    return _loops if all(hasattr(_loops, name) for name in LOOPS) else None


_LOOPS = _found()
