"""Distinct texts of a column, while there are few."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from microgauge.arrays import Codes, Index
from microgauge.kernels.loading import compiled

MOST_TEXTS = 1 << 12
"""Beyond so many different texts, a library that hashes them is as quick."""


class Texts(Protocol):
    """A column of texts that any library holds, in one part."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def __len__(self) -> int: ...


def few_texts(texts: Texts) -> tuple[Index, Codes] | None:
    """A row that holds each distinct text, and of each row the text's number from 1; 0: missing.

    Long texts may stand there more than once. None where there are many, where they come in several
    parts, or without compiled loops.
    """
    loops = compiled()
    if loops is None:
        return None
    codes, first = np.empty(len(texts), dtype=np.uint32), np.empty(MOST_TEXTS, dtype=np.int64)
    count = loops.code_views(texts.__arrow_c_stream__(), codes, first)
    return None if count < 0 else (first[:count], codes)
