"""A variable: its values in each of the two tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.languages.messages import say
from microgauge.passes import Axis
from microgauge.records import dataclass
from microgauge.schema import Role, Type, Variable
from microgauge.schema.columns import KnownColumn
from microgauge.values.intervals import Interval
from microgauge.values.levels import Levels, common, sums_by


@dataclass(frozen=True, eq=False)
class Side:
    """A variable in one of the two tables."""

    type: Type
    levels: Levels
    lookup: Index
    """Level of each raw value; `len(levels)` for a missing one."""
    intervals: tuple[Interval, ...] | None = None
    """The intervals that the levels name, where they all do."""
    tails: tuple[float | None, float | None] = (None, None)
    """Numbers that stand for all smaller and all larger ones, where labels ("80+") say so."""

    @property
    def empty(self) -> bool:
        """Whether every cell is missing."""
        return self.levels.present == 0

    def axis(self, column: str, scores: Floats | None = None, scored_by: str | None = None) -> Axis:
        """How passes see the variable in a column of a table."""
        return Axis(column, self.lookup, len(self.levels), scores, self._identity, scored_by)

    @cached_property
    def _identity(self) -> bool:
        size = len(self.levels)
        return len(self.lookup) == size + 1 and bool((self.lookup == np.arange(size + 1)).all())


def continuous_both(before: Side, after: Side) -> bool:
    """Whether both sides are numbers to calculate with."""
    return all(side.type == "continuous" and side.levels.numeric for side in (before, after))


@dataclass(frozen=True, eq=False)
class Described:
    """A variable with what is known of it on both sides."""

    name: str
    role: Role
    given: Variable
    original: Side
    protected: Side | None
    """None where the column is gone."""
    label: str | None = None
    """What it is, in the words of the schema or the files."""
    value_labels: Mapping[str, str] = field(default_factory=dict)
    """What its categories mean, in words, by the category as it is shown."""
    unsaid: tuple[Type, Role] = ("nominal", "analysis")
    """The type and the role that it has where the schema says none."""

    @property
    def continuous(self) -> bool:
        """Whether it is a number to calculate with on both sides."""
        return self.protected is not None and continuous_both(self.original, self.protected)

    @property
    def removed(self) -> bool:
        """Whether the protected table has nothing of it: no column, or only missing cells."""
        return not self.original.empty and (self.protected is None or self.protected.empty)

    @property
    def same_values(self) -> bool:
        """Whether each value, and a missing one, is as frequent in both tables."""
        if self.removed or self.protected is None:
            return False
        before, after = self.original.levels, self.protected.levels
        if before.missing != after.missing or len(before) != len(after):
            return False
        a, b, size = common(before.keys, after.keys)
        return bool((sums_by(a, before.rows, size) == sums_by(b, after.rows, size)).all())

    @property
    def known(self) -> KnownColumn:
        """What a schema is held against."""
        return KnownColumn(
            type=self.original.type,
            protected_type=(self.protected or self.original).type,
            values=len(self.original.levels),
            numeric=self.original.levels.numeric,
            empty=self.original.empty,
            role=self.role,
        )


def how_many_have_values(variables: Sequence[Described]) -> str:
    """How many variables there are, and of how many the original has values: where too few do."""
    known = sum(not variable.original.empty for variable in variables)
    if not known:
        return say("no variable has a value in the original")
    if len(variables) == 1:
        return say("there is one variable")
    if known == len(variables):
        return say("there are {known:,} variables", known=known)
    if known == 1:
        return say("of {n:,} variables only one has values in the original", n=len(variables))
    return say(
        "of {n:,} variables only {known:,} have values in the original",
        n=len(variables),
        known=known,
    )
