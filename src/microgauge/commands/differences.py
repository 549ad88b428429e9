"""What differs between two results: figures, words, and parts that one of them lacks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.verification import FigureCheck

NEAR = 1e-9
"""Relative and absolute: figures that differ by less are the same."""
NOT_COMPARED = frozenset({"manifest", "microgauge", "path"})
"""Names whose values are places or versions."""
WORDS = frozenset(
    {"notes", "sentence", "brief", "remedy", "reason", "see", "against", "description", "said"}
)
"""Names whose values are words."""


@dataclass(frozen=True)
class Leaf:
    """One figure or sentence of two results; what one of them lacks is None there."""

    place: str
    was: Any
    now: Any
    words: bool

    @property
    def differs(self) -> bool:
        """Whether it is another one now."""
        return not _near(self.was, self.now)

    @property
    def check(self) -> FigureCheck:
        """To be told."""
        return FigureCheck(place=self.place, was=self.was, now=self.now)


def leaves(was: Any, now: Any, place: str = "", *, words: bool = False) -> Iterator[Leaf]:
    """Every figure and sentence of both results, by its place; a part that is not there as one.

    >>> [(one.place, one.differs) for one in leaves({"a": [1, 2], "b": []}, {"a": [1, 3]})]
    [('a[0]', False), ('a[1]', True), ('b', True)]
    """
    if isinstance(was, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*was, *now]):
            if name not in NOT_COMPARED:
                where = f"{place}.{name}".lstrip(".")
                said = words or name in WORDS
                yield from leaves(was.get(name), now.get(name), where, words=said)
    elif words and isinstance(was, list) and isinstance(now, list):
        yield from _sentences(was, now, place)
    elif isinstance(was, list) and isinstance(now, list):
        for i in range(max(len(was), len(now))):
            a, b = (some[i] if i < len(some) else None for some in (was, now))
            yield from leaves(a, b, f"{place}[{i}]", words=words)
    else:
        yield Leaf(place, _part(was), _part(now), words)


def _sentences(was: Sequence[Any], now: Sequence[Any], place: str) -> Iterator[Leaf]:
    """Sentences in a row: those of only one result, where one was cut out or put in."""
    gone = [text for text in was if text not in now]
    new = [text for text in now if text not in was]
    for a, b in zip_longest(gone, new):
        yield Leaf(place, a, b, words=True)
    if not gone and not new and was != now:
        yield Leaf(place, say("another order"), say("the order of the program"), words=True)


def _part(value: Any) -> Any:
    """A part that the other result has not, as it is told of."""
    if isinstance(value, list):
        return say("a list of {n:,}", n=len(value))
    return say("a part of {n:,}", n=len(value)) if isinstance(value, dict) else value


def _near(was: Any, now: Any) -> bool:
    """Whether two figures are the same, to 1e-9 relative or absolute."""
    numbers = [isinstance(x, int | float) and not isinstance(x, bool) for x in (was, now)]
    if all(numbers):
        with suppress(OverflowError):  # a whole number that someone wrote: no figure is so large
            return math.isclose(was, now, rel_tol=NEAR, abs_tol=NEAR)
    return bool(was == now)
