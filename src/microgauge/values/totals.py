"""Sums of answers that may grow as they are added."""

from __future__ import annotations

from typing import Any

import numpy as np

TOGETHER = 4
"""Answers of like size that are added at once, where they know how (`sum_of`)."""
MOST_TOGETHER = 1 << 24
"""How long such answers may be in all: longer ones are added in pairs, which needs less memory."""


class Total:
    """A sum of answers. Those that grow as they are added are added to others of like size.

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
        if hasattr(answer, "sum_of"):
            self._sums.append((1, answer))
            while self._alike():
                self._sums[-TOGETHER:] = [_summed(self._sums[-TOGETHER:])]
            return
        size = 1
        while self._sums and self._sums[-1][0] <= size:
            before, total = self._sums.pop()
            size, answer = size + before, total + answer
        self._sums.append((size, answer))

    def _alike(self) -> bool:
        """Whether the last answers are so many, and of like size."""
        last = self._sums[-TOGETHER:]
        return len(last) == TOGETHER and last[0][0] <= last[-1][0]

    @property
    def value(self) -> Any:
        """The sum."""
        return _summed(self._sums)[1]


def _summed(parts: list[tuple[int, Any]]) -> tuple[int, Any]:
    """How many answers there are, and their sum: at once where they are short, else in pairs."""
    number = sum(size for size, _ in parts)
    answers = [answer for _, answer in parts]
    several = len(answers) > 1 and hasattr(answers[0], "sum_of")
    if several and sum(map(len, answers)) <= MOST_TOGETHER:
        return number, answers[0].sum_of(answers)
    total = answers.pop()
    while answers:
        total = answers.pop() + total
    return number, total
