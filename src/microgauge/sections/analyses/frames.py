"""A table as a user's own function of an indicator sees it."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np

from microgauge.arrays import Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema import Indicator, Which
from microgauge.sections.analyses.units import condition_of, grouping
from microgauge.study.conditions import rows_where
from microgauge.study.records import Records
from microgauge.study.study import Study


@dataclass(frozen=True, eq=False)
class Frame:
    """A table as a user's function sees it."""

    given: Indicator
    frame: Any
    groups: Index | None = None
    labels: tuple[str, ...] = field(default=())

    @staticmethod
    def read(study: Study, which: Which, given: Indicator, records: Records) -> Frame:
        """All columns of one table; numbers as numbers, the rest as text."""
        import polars as pl

        condition = condition_of(given, study)
        if condition is not None:
            records = records.taken(rows_where(condition, records))
        columns = {name: _column(records, name) for name in records.levels}
        groups, labels = grouping(records, study, which, given.by)
        if not records.rows:
            raise Undefined(say("no unit is left"))
        return Frame(given, pl.DataFrame(columns), groups, labels)

    @property
    def rows(self) -> int:
        """Number of units."""
        return int(self.frame.height)

    def drawn(self, places: Index) -> Frame:
        """The rows of a draw."""
        groups = None if self.groups is None else self.groups[places]
        return replace(self, frame=self.frame[places], groups=groups)

    def _members(self, group: str | None) -> Any:
        if group is None:
            return self.frame
        if group not in self.labels:
            raise Undefined(say("the group is gone"))
        return self.frame.filter(np.asarray(self.groups == self.labels.index(group)))

    def units(self, group: str | None) -> int:
        """Rows of a group."""
        return int(self._members(group).height)

    def records(self, group: str | None) -> int:
        """All rows of a group: what a function rests on is not known."""
        return self.units(group)

    def influence(self, group: str | None) -> None:
        """Not known of a function."""
        del group

    def estimate(self, group: str | None) -> float:
        """What the function says; `Undefined` where it fails or gives no finite number."""
        members = self._members(group)
        assert self.given.function is not None
        if not members.height:
            raise Undefined(say("no unit is left"))
        try:
            value = float(self.given.function(members))
        except Exception as error:  # a user's function may fail in any way: the reason says how
            raise Undefined(say("the function raises {name}", name=type(error).__name__)) from error
        if not np.isfinite(value):
            raise Undefined(say("the function gives no finite number"))
        return value


def _column(records: Records, name: str) -> Any:
    import polars as pl

    side, levels = records.side(name), records.levels[name]
    keys = side.levels.numbers if side.levels.numeric else side.levels.labels
    return pl.Series(name, [*keys, None])[levels]
