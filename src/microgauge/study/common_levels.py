"""Both sides of a variable on common levels: the original as it was, or recoded first."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED
from microgauge.passes import Axis
from microgauge.records import dataclass
from microgauge.schema import Type
from microgauge.study.recoding import Recoding
from microgauge.study.variable import Described, Side
from microgauge.values.levels import common

_DEMANDS: tuple[Type, ...] = ("nominal", "ordinal", "continuous")


@dataclass(frozen=True, eq=False)
class Placed:
    """A variable on common levels, and where each side's own levels stand among them."""

    name: str
    type: Type
    size: int
    numbers: Floats
    """The common levels as numbers: values, or positions of ordered ones."""
    original: Side
    protected: Side
    original_places: Index
    protected_places: Index

    def original_axis(self, column: str) -> Axis:
        """How passes see the original's column."""
        return self._axis(column, self.original, self.original_places)

    def protected_axis(self, column: str) -> Axis:
        """How passes see the protected column."""
        return self._axis(column, self.protected, self.protected_places)

    @property
    def sides(self) -> tuple[tuple[Side, Index], tuple[Side, Index]]:
        """Each side, original first, with its places."""
        return (self.original, self.original_places), (self.protected, self.protected_places)

    @property
    def labels(self) -> list[str]:
        """The common levels by name, as the original spells them where it has them."""
        labels = [""] * self.size
        for side, places in reversed(self.sides):
            for place, label in zip(places.tolist(), side.levels.labels, strict=True):
                labels[place] = label
        return labels

    def _axis(self, column: str, side: Side, places: Index) -> Axis:
        return Axis.of(column, np.append(places, self.size)[side.lookup], self.size)


def comparable(variable: Described) -> bool:
    """Whether both tables have values of a variable."""
    return not (variable.removed or variable.original.empty or variable.protected is None)


def common_axes(variable: Described) -> tuple[Axis, Axis]:
    """Axes of matched rows on which equal values have equal levels."""
    assert variable.protected is not None
    original, protected = variable.original, variable.protected
    a, b, size = common(original.levels.keys, protected.levels.keys)
    return (
        Axis.of(ORIGINAL + variable.name, np.append(a, size)[original.lookup], size),
        Axis.of(PROTECTED + variable.name, np.append(b, size)[protected.lookup], size),
    )


def still_numbers(variable: Described) -> bool:
    """Whether released values are on the original's scale: rounded or top-coded numbers are."""
    return variable.continuous


def compared(variable: Described, recoding: Recoding | None) -> Placed | None:
    """A variable on common levels as data users meet it: numbers against numbers as they were.

    Only where released values left the original's scale (bands as labels, merged categories) is
    the original recoded first. None where numbers became categories in an unknown way.
    """
    return placed(variable, None if still_numbers(variable) else recoding)


def placed(variable: Described, recoding: Recoding | None) -> Placed | None:
    """A variable on common levels, the original recoded as the protected table was.

    None where numbers became categories in an unknown way.
    """
    assert variable.protected is not None
    before = variable.original if recoding is None else recoding.recoded
    after = variable.protected
    kind = min(before.type, after.type, key=_DEMANDS.index)
    if recoding is None and before.type == "continuous" and not after.levels.numeric:
        return None
    if kind == "ordinal":
        places, other_places, size = common_order(before, after)
        numbers: Floats = np.arange(size, dtype=np.float64)
    else:
        places, other_places, size = common(before.levels.keys, after.levels.keys)
        numbers = np.zeros(size)
        if kind == "continuous":
            numbers[places] = before.levels.numbers
            numbers[other_places] = after.levels.numbers
    return Placed(variable.name, kind, size, numbers, before, after, places, other_places)


def common_order(before: Side, after: Side) -> tuple[Index, Index, int]:
    """Levels of both sides in one order: numbers by size, labels after those they follow."""
    if before.levels.numeric and after.levels.numeric:
        return common(before.levels.keys, after.levels.keys)
    order = list(before.levels.labels)
    known = set(order)
    last = -1
    for label in after.levels.labels:
        if label in known:
            last = order.index(label)
        else:
            last += 1
            order.insert(last, label)
    place = {label: i for i, label in enumerate(order)}
    found = [
        np.array([place[label] for label in side.levels.labels], dtype=np.intp)
        for side in (before, after)
    ]
    return found[0], found[1], len(order)
