"""A batch of coded rows, and the fold that reads each row once for all passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats, Index
from microgauge.values.totals import Total


@dataclass(frozen=True, eq=False)
class Axis:
    """How a column is seen: which level each raw value belongs to, and a score per level."""

    column: str
    lookup: Index
    """Level of each raw value, `size` for a missing one."""
    size: int
    scores: Floats | None = None
    """A number for each level (a rank, say) and 0 for missing cells."""
    identity: bool = False
    """Whether raw codes are the levels themselves, which spares looking them up."""


Axes = Mapping[str, Axis]


class Pass(Protocol):
    """A question to a batch. Equal passes are one question."""

    def read(self, batch: Batch) -> Any:
        """The answer for these rows."""
        ...

    def __hash__(self) -> int: ...


Facts = dict[Any, Any]
"""Each pass with its summed answer."""


class Batch:
    """Some rows of a table, as codes. What one pass has worked out, the next one finds ready."""

    def __init__(
        self, codes: Mapping[str, NDArray[Any]], axes: Axes, weights: Floats | None = None
    ) -> None:
        self._codes = codes
        self._axes = axes
        self.weights = weights
        self._raw: dict[str, Index] = {}
        self._levels: dict[str, Index] = {}
        self._scores: dict[str, Floats] = {}
        self._stacks: dict[tuple[str, ...], Floats] = {}

    def size(self, axis: str) -> int:
        """Number of levels on an axis; also the code of a missing cell."""
        return self._axes[axis].size

    def levels(self, axis: str) -> Index:
        """The level of every row."""
        found = self._levels.get(axis)
        if found is None:
            seen = self._axes[axis]
            raw = self._index(seen.column)
            # Clipping skips numpy's check of every index; codes never exceed the lookup.
            found = raw if seen.identity else seen.lookup.take(raw, mode="clip")
            self._levels[axis] = found
        return found

    def _index(self, column: str) -> Index:
        found = self._raw.get(column)
        if found is None:
            found = self._raw[column] = self._codes[column].astype(np.intp)
        return found

    def scores(self, axis: str) -> Floats:
        """The score of every row."""
        found = self._scores.get(axis)
        if found is None:
            scores = self._axes[axis].scores
            if scores is None:
                raise ValueError(f"the axis {axis} has no scores")
            found = self._scores[axis] = scores.take(self.levels(axis), mode="clip")
        return found

    def stack(self, axes: tuple[str, ...]) -> Floats:
        """The scores of several axes, rows × axes."""
        found = self._stacks.get(axes)
        if found is None:
            found = self._stacks[axes] = np.stack([self.scores(axis) for axis in axes], axis=1)
        return found


def fold(batches: Iterable[Batch], passes: Sequence[Pass]) -> Facts:
    """Read the rows once, however many passes are asked for."""
    asked = {question: Total() for question in passes}
    for batch in batches:
        for question, total in asked.items():
            total.add(question.read(batch))
    return {question: total.value for question, total in asked.items() if total.known}
