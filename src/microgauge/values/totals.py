"""Sums of answers that may grow as they are added."""

from __future__ import annotations

from typing import Any

import numpy as np


class Total:
    """A sum of answers. Those that grow as they are added are added in pairs of like size.

    Adding a batch's classes to all classes so far would cost as much as there are classes each
    time; adding like to like costs each class the logarithm of the number of batches.
    """

    def __init__(self) -> None:
        self._sums: list[tuple[int, Any]] = []
        """Sums of a falling number of answers, in their order."""

    @property
    def known(self) -> bool:
        """Whether there was an answer at all."""
        return bool(self._sums)

    @property
    def parts(self) -> list[Any]:
        """Sums that have not been added yet."""
        return [total for _, total in self._sums]

    def add(self, answer: Any) -> None:
        """One more answer, after those so far."""
        if isinstance(answer, np.ndarray) and self._sums:
            self._sums = [(1, self._sums[0][1] + answer)]
            return
        size = 1
        while self._sums and self._sums[-1][0] <= size:
            before, total = self._sums.pop()
            size, answer = size + before, total + answer
        self._sums.append((size, answer))

    @property
    def value(self) -> Any:
        """The sum."""
        (_, total), *others = self._sums[::-1]
        for _, before in others:
            total = before + total
        return total
