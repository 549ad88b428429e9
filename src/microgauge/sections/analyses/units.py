"""Units of one table that an indicator is of, and a statistic of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.analysis.resting import rests_on
from microgauge.measures.analysis.statistics import (
    Estimator,
    Sample,
    below_line,
    gini,
    mean,
    mean_interval,
    quantile_at,
    quintile_share_ratio,
    ratio,
    share_interval,
    total,
)
from microgauge.measures.loss.values import finite
from microgauge.records import dataclass
from microgauge.schema import Indicator, Which
from microgauge.schema.conditions import Condition, parse_condition
from microgauge.study.conditions import rows_where
from microgauge.study.records import Records, weight_name, weights_in
from microgauge.study.study import Study
from microgauge.values.labels import label_of

Bounds = tuple[float, float]

ESTIMATORS: dict[str, Estimator] = {
    "mean": mean,
    "share": mean,
    "total": total,
    "median": quantile_at(0.5),
    "ratio": ratio,
    "gini": gini,
    "s80s20": quintile_share_ratio,
}


@dataclass(frozen=True, eq=False)
class Units:
    """Units sorted by value, so that no figure depends on the order of rows."""

    given: Indicator
    values: Floats
    weights: Floats
    unit: float | None
    """The weight of every unit where all have the same."""
    groups: Index | None
    labels: tuple[str, ...]
    second: Floats | None = None
    members: Mapping[str, Index] = field(default_factory=dict)
    """The units of each group."""
    times: Floats | None = None
    """How often each unit was drawn."""

    @staticmethod
    def read(study: Study, which: Which, given: Indicator, records: Records) -> Units:
        """The units of one table that the indicator is of."""
        weight = weight_name(study, which, given.weight)
        condition = condition_of(given, study)
        second_name = given.denominator if given.statistic == "ratio" else None
        values = _values(_with_category(records, study, which, given), given, which)
        second = None if second_name is None else records.numbers(second_name)
        weights = weights_in(records, weight)
        keep = ~np.isnan(values)
        if second is not None:
            keep &= ~np.isnan(second)
        if condition is not None:
            keep &= rows_where(condition, records)
        if weights is not None:
            keep &= weights > 0
        if not keep.any():
            raise Undefined(say("no unit is left"))
        groups, labels = grouping(records, study, which, given.by)
        # A sample stands for the whole table in totals; other statistics do not see the factor.
        sizes = (np.ones(records.rows) if weights is None else weights)[keep] * records.factor
        return _sorted_units(
            Units(
                given,
                values[keep],
                sizes,
                _equal_weight(sizes),
                None if groups is None else groups[keep],
                labels,
                None if second is None else second[keep],
            )
        )

    @property
    def rows(self) -> int:
        """Number of units."""
        return len(self.values)

    @cached_property
    def _effective(self) -> Floats:
        return self.weights if self.times is None else self.weights * self.times

    def drawn(self, places: Index) -> Units:
        """The units that a draw of the bootstrap holds, each as often as it was drawn."""
        times = np.bincount(places, minlength=self.rows).astype(np.float64)
        return replace(self, times=times)

    def _members(self, group: str | None) -> Index | slice:
        if group is None:
            return slice(None)
        if group not in self.members:
            raise Undefined(say("the group is gone"))
        return self.members[group]

    def units(self, group: str | None) -> int:
        """Units of a group."""
        return len(self.values[self._members(group)])

    def records(self, group: str | None) -> int:
        """Records that the figure rests on: inside and outside a category, beyond a quantile, or
        those by which a sum differs from what most have.
        """
        values = self.values[self._members(group)]
        if self.given.statistic == "share":
            inside = int(values.sum())
            return min(inside, len(values) - inside)
        if self.given.statistic == "arop":
            line = self.given.line * quantile_at(0.5)(self._sample(None))
            below = int((values < line).sum())
            return min(below, len(values) - below)
        if self.given.statistic == "quantile":
            value = self.estimate(group)
            return min(int((values < value).sum()), int((values > value).sum()))
        if self.given.statistic == "median":
            return len(values)
        weights = self.weights[self._members(group)]
        found = rests_on(values, weights)
        if self.second is None:
            return found
        second = self.second[self._members(group)]
        return found if (second == second[0]).all() else min(found, rests_on(second, weights))

    def influence(self, group: str | None) -> float | None:
        """The most that leaving out one record moves the figure; None where it leaves none.

        Left out are those at the ends, and those that weigh most: no other moves it by more.
        """
        whole = np.arange(self.rows)
        members = whole[self._members(group)]
        if len(members) < 2:
            return None
        size = self._effective[members]
        second = None if self.second is None else self.second[members] * size
        pulls = [self.values[members], size, self.values[members] * size]
        pulls += [] if second is None else [second]
        ends = {int(members[end]) for pull in pulls for end in (pull.argmin(), pull.argmax())}
        start = self.estimate(group)
        return max(abs(self._without(place, group) - start) for place in ends)

    def _without(self, place: int, group: str | None) -> float:
        """The figure without one record; infinite where there is none."""
        times = np.ones(self.rows)
        times[place] = 0.0
        try:
            return replace(self, times=times).estimate(group)
        except Undefined:
            return np.inf

    def _sample(self, group: str | None) -> Sample:
        members = self._members(group)
        values, weights = self.values[members], self._effective[members]
        if not len(values) or weights.sum() <= 0:
            raise Undefined(say("no unit is left"))
        second = None if self.second is None else self.second[members]
        return Sample(values, weights, self.unit, second)

    def estimate(self, group: str | None) -> float:
        """The statistic of a group."""
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self._estimate(group))

    def _estimate(self, group: str | None) -> float:
        if self.given.statistic == "arop":
            # One line for all groups, as poverty rates are published.
            line = self.given.line * quantile_at(0.5)(self._sample(None))
            return below_line(self._sample(group), line)
        if self.given.statistic == "quantile":
            return quantile_at(self.given.quantile)(self._sample(group))
        return ESTIMATORS[str(self.given.statistic)](self._sample(group))

    def closed(self, group: str | None) -> Bounds:
        """The interval of a mean or share."""
        sample = self._sample(group)
        interval = share_interval if self.given.statistic == "share" else mean_interval
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = interval(sample, len(sample.values), sample.weights**2)
        return finite(low), finite(high)


def _equal_weight(weights: Floats) -> float | None:
    return float(weights[0]) if weights[0] > 0 and bool((weights == weights[0]).all()) else None


def _sorted_units(units: Units) -> Units:
    keys: list[NDArray[Any]] = [units.weights, units.values]
    if units.groups is not None:
        keys.insert(0, units.groups)
    if units.second is not None:
        keys.insert(0, units.second)
    order = np.lexsort(keys)
    groups = None if units.groups is None else units.groups[order]
    return replace(
        units,
        values=units.values[order],
        weights=units.weights[order],
        groups=groups,
        second=None if units.second is None else units.second[order],
        members={} if groups is None else _members_of(groups, units.labels),
    )


def _members_of(groups: Index, labels: tuple[str, ...]) -> dict[str, Index]:
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(len(labels) + 1))
    return {
        label: order[start:end]
        for label, start, end in zip(labels, ends[:-1], ends[1:], strict=True)
    }


def condition_of(given: Indicator, study: Study) -> Condition | None:
    """The units that an indicator is limited to; None for all."""
    if given.where is None:
        return None
    return parse_condition(given.where, [v.name for v in study.variables])


def _values(records: Records, given: Indicator, which: Which) -> Floats:
    """The numbers a statistic is of; 1 and 0 for a category and the others."""
    assert given.variable is not None
    if given.statistic != "share":
        return records.numbers(given.variable)
    assert given.category is not None
    label = label_of(given.category)
    if label not in records.side(given.variable).levels.labels:
        raise Undefined(
            say(
                'no unit of the {which} table has this category of "{variable}"',
                which=which,
                variable=given.variable,
            )
        )
    hits = records.among(given.variable, [label]).astype(np.float64)
    return np.where(records.present(given.variable), hits, np.nan)


def grouping(
    records: Records, study: Study, which: Which, by: str | None
) -> tuple[Index | None, tuple[str, ...]]:
    """The group of every row, those of the original as a user of the protected table forms them."""
    if by is None:
        return None, ()
    if which == "original" and by in study.recodings:
        records = _recoded(records, study, by)
    labels = records.side(by).levels.labels
    return records.levels[by], labels


def _with_category(records: Records, study: Study, which: Which, given: Indicator) -> Records:
    """The original in the protected table's terms, where only these have the category."""
    name, category = given.variable, given.category
    if which == "protected" or name is None or category is None or name not in study.recodings:
        return records
    label, recoding = label_of(category), study.recodings[name]
    known = records.side(name).levels.labels
    if label not in known and label in recoding.recoded.levels.labels:
        records = _recoded(records, study, name)
    return records


def _recoded(records: Records, study: Study, name: str) -> Records:
    """A column of the original in the protected table's terms."""
    recoding = study.recodings[name]
    size = len(recoding.recoded.levels)
    levels = np.append(recoding.target, size)[records.levels[name]]
    return Records(
        {**records.sides, name: recoding.recoded}, {**records.levels, name: levels}, records.rows
    )
