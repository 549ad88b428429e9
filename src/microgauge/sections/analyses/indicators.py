"""Indicators: the statistics that data users publish, on both sides, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats, Index
from microgauge.engines.rounds import Asking
from microgauge.errors import Undefined
from microgauge.log import Log
from microgauge.measures.analysis.overlap import overlap
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
from microgauge.results import IndicatorResult
from microgauge.schema import Indicator
from microgauge.schema.conditions import Condition, parse_condition
from microgauge.study.conditions import rows_where
from microgauge.study.records import Records, read_records, weight_name, weights_in
from microgauge.study.study import SIDES, Study, Which
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


def run(study: Study, log: Log) -> Asking[tuple[IndicatorResult, ...] | None]:
    """All indicators of a schema, each for all units or for each group; None without any."""
    given = study.schema.indicators
    if not given:
        return None
    named = [n for one in given for which in SIDES for n in _columns(one, study, which)]
    records = yield from read_records(study, named)
    found: list[IndicatorResult] = []
    for number, indicator in enumerate(given):
        log.progress("estimating indicators", number / len(given))
        for single in _single(indicator, study):
            found += _Indicator(study, single, records).results()
    return tuple(found)


def _columns(given: Indicator, study: Study, which: Which) -> list[str]:
    """The columns that an indicator looks at in one table: all, for a user's function."""
    if given.function is not None:
        return [v.name for v in study.variables]
    condition = _condition(given, study)
    second = given.denominator if given.statistic == "ratio" else None
    named = (given.variable, second, given.by, weight_name(study, which, given.weight))
    columns = [name for name in named if name is not None]
    return [*columns, *(condition.columns if condition else ())]


def _single(indicator: Indicator, study: Study) -> Iterator[Indicator]:
    """A share without a category is the share of each category of the original."""
    if indicator.statistic != "share" or indicator.category is not None:
        yield indicator
        return
    side = next(v.original for v in study.variables if v.name == indicator.variable)
    if side.empty:
        yield replace(indicator, category="")
    for label in side.levels.labels:
        yield replace(indicator, category=label, name=f"{indicator.title}: {label}")


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval on one side, or why there is none."""

    value: float | None = None
    bounds: Bounds | None = None
    units: int | None = None
    reason: str | None = None
    records: int | None = None
    """Records that the figure rests on."""


@dataclass(frozen=True, eq=False)
class _Indicator:
    """Works out one indicator."""

    study: Study
    given: Indicator
    records: tuple[Records, Records]

    @property
    def seed(self) -> int:
        """The seed of the draws."""
        return self.study.options.seed

    @property
    def _closed(self) -> bool:
        return self.given.statistic in ("mean", "share")

    def results(self) -> list[IndicatorResult]:
        """One result for each group of the original, or one for all units."""
        sides = [self._side(*side) for side in zip(SIDES, self.records, strict=True)]
        groups = self._groups()
        if not groups:
            nothing = Estimate(reason=f'"{self.given.by}", which forms the groups, has no value')
            return [self._compared(None, nothing, nothing)]
        draws = [] if self._closed else self._draws(sides, groups)
        return [
            self._compared(group, *(self._estimate(side, group, i, draws)
                                    for i, side in enumerate(sides)))
            for group in groups
        ]  # fmt: skip

    def _side(self, which: Which, records: Records) -> _Units | _Frame | Undefined:
        held = records.only(_columns(self.given, self.study, which))
        try:
            if self.given.function is not None:
                return _Frame.read(self.study, which, self.given, held)
            return _Units.read(self.study, which, self.given, held)
        except Undefined as why:
            return why

    def _groups(self) -> list[str | None]:
        if self.given.by is None:
            return [None]
        variable = next(v for v in self.study.variables if v.name == self.given.by)
        recoding = self.study.recodings.get(variable.name)
        # Groups are those a user of the protected table can form.
        levels = variable.original.levels if recoding is None else recoding.recoded.levels
        return list(levels.labels)

    def _draws(
        self, sides: Sequence[_Units | _Frame | Undefined], groups: Sequence[str | None]
    ) -> list[dict[str | None, list[float]]]:
        """Estimates in every draw: the same places in the order of units on both sides."""
        rng = np.random.default_rng([self.seed, 3])
        known = [side for side in sides if not isinstance(side, Undefined)]
        found: list[dict[str | None, list[float]]] = [{g: [] for g in groups} for _ in sides]
        size = max((side.rows for side in known), default=0)
        for _ in range(self.given.resamples if size else 0):
            uniform = rng.random(size)
            for place, side in enumerate(sides):
                if isinstance(side, Undefined):
                    continue
                drawn = side.drawn((uniform[: side.rows] * side.rows).astype(np.intp))
                for group in groups:
                    value = _tried(drawn, group)
                    if value is not None:
                        found[place][group].append(value)
        return found

    def _estimate(
        self,
        side: _Units | _Frame | Undefined,
        group: str | None,
        place: int,
        draws: list[dict[str | None, list[float]]],
    ) -> Estimate:
        if isinstance(side, Undefined):
            return Estimate(reason=str(side))
        units = None
        try:
            units = side.units(group)
            value = side.estimate(group)
        except Undefined as why:
            return Estimate(units=units, reason=str(why))
        try:
            if units < 2:
                raise Undefined("one unit has no interval")
            if isinstance(side, _Units) and self._closed:
                return Estimate(value, side.closed(group), units, None, side.records(group))
            bounds = self._percentiles(draws[place][group])
            return Estimate(value, bounds, units, None, side.records(group))
        except Undefined as why:
            return Estimate(value, None, units, str(why), side.records(group))

    def _percentiles(self, values: list[float]) -> Bounds:
        """The middle 95 % of draws. A statistic that half of the draws cannot give has none."""
        if len(values) < max(self.given.resamples / 2, 2):
            raise Undefined(f"only {len(values)} of {self.given.resamples} draws give a figure")
        low, high = np.quantile(values, [0.025, 0.975])
        return float(low), float(high)

    def _compared(
        self, group: str | None, original: Estimate, protected: Estimate
    ) -> IndicatorResult:
        reasons = [
            f"{which}: {side.reason}"
            for which, side in zip(SIDES, (original, protected), strict=True)
            if side.reason
        ]
        start = IndicatorResult(
            name=self.given.title,
            statistic=self.given.statistic or "function",
            by=self.given.by,
            group=group,
            original=original.value,
            original_ci=original.bounds,
            protected=protected.value,
            protected_ci=protected.bounds,
            interval="closed form" if self._closed else "bootstrap",
            resamples=0 if self._closed else self.given.resamples,
            units_original=original.units,
            units_protected=protected.units,
            records_original=original.records,
            records_protected=protected.records,
            seed=self.seed,
        )
        figures: dict[str, Any] = {}
        if original.value is not None and protected.value is not None:
            if original.value:
                apart = protected.value - original.value
                figures["relative_difference"] = apart / abs(original.value)
            else:
                reasons.append("relative_difference: the original is 0")
            if original.bounds is not None:
                figures["inside"] = original.bounds[0] <= protected.value <= original.bounds[1]
        if original.bounds is not None and protected.bounds is not None:
            try:
                figures["overlap"] = overlap(original.bounds, protected.bounds)
            except Undefined as why:
                reasons.append(f"overlap: {why}")
        return replace(start, **figures, reason="; ".join(reasons) or None)


def _tried(drawn: _Units | _Frame, group: str | None) -> float | None:
    try:
        return drawn.estimate(group)
    except Undefined:
        return None  # counted: too few of them and the interval is null with the reason


# -- units of a statistic --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Units:
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
    def read(study: Study, which: Which, given: Indicator, records: Records) -> _Units:
        """The units of one table that the indicator is of."""
        weight = weight_name(study, which, given.weight)
        condition = _condition(given, study)
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
            raise Undefined("no unit is left")
        groups, labels = _grouping(records, study, which, given.by)
        # A sample stands for the whole table in totals; other statistics do not see the factor.
        sizes = (np.ones(records.rows) if weights is None else weights)[keep] * records.factor
        return _sorted_units(
            _Units(
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

    def drawn(self, places: Index) -> _Units:
        """The units that a draw of the bootstrap holds, each as often as it was drawn."""
        times = np.bincount(places, minlength=self.rows).astype(np.float64)
        return replace(self, times=times)

    def _members(self, group: str | None) -> Index | slice:
        if group is None:
            return slice(None)
        if group not in self.members:
            raise Undefined("the group is gone")
        return self.members[group]

    def units(self, group: str | None) -> int:
        """Units of a group."""
        return len(self.values[self._members(group)])

    def records(self, group: str | None) -> int:
        """Records that the figure rests on: inside and outside a category, or beyond a quantile."""
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
        return len(values)

    def _sample(self, group: str | None) -> Sample:
        members = self._members(group)
        values, weights = self.values[members], self._effective[members]
        if not len(values) or weights.sum() <= 0:
            raise Undefined("no unit is left")
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


def _sorted_units(units: _Units) -> _Units:
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


def _condition(given: Indicator, study: Study) -> Condition | None:
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
        raise Undefined(f'no unit of the {which} table has this category of "{given.variable}"')
    hits = records.among(given.variable, [label]).astype(np.float64)
    return np.where(records.present(given.variable), hits, np.nan)


def _grouping(
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


# -- functions of a table --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Frame:
    """A table as a user's function sees it."""

    given: Indicator
    frame: Any
    groups: Index | None = None
    labels: tuple[str, ...] = field(default=())

    @staticmethod
    def read(study: Study, which: Which, given: Indicator, records: Records) -> _Frame:
        """All columns of one table; numbers as numbers, the rest as text."""
        import polars as pl

        condition = _condition(given, study)
        if condition is not None:
            records = records.taken(rows_where(condition, records))
        columns = {name: _column(records, name) for name in records.levels}
        groups, labels = _grouping(records, study, which, given.by)
        if not records.rows:
            raise Undefined("no unit is left")
        return _Frame(given, pl.DataFrame(columns), groups, labels)

    @property
    def rows(self) -> int:
        """Number of units."""
        return int(self.frame.height)

    def drawn(self, places: Index) -> _Frame:
        """The rows of a draw."""
        groups = None if self.groups is None else self.groups[places]
        return replace(self, frame=self.frame[places], groups=groups)

    def _members(self, group: str | None) -> Any:
        if group is None:
            return self.frame
        if group not in self.labels:
            raise Undefined("the group is gone")
        return self.frame.filter(np.asarray(self.groups == self.labels.index(group)))

    def units(self, group: str | None) -> int:
        """Rows of a group."""
        return int(self._members(group).height)

    def records(self, group: str | None) -> int:
        """All rows of a group: what a function rests on is not known."""
        return self.units(group)

    def estimate(self, group: str | None) -> float:
        """What the function says; `Undefined` where it fails or gives no finite number."""
        members = self._members(group)
        assert self.given.function is not None
        if not members.height:
            raise Undefined("no unit is left")
        try:
            value = float(self.given.function(members))
        except Exception as error:  # a user's function may fail in any way: the reason says how
            raise Undefined(f"the function raises {type(error).__name__}") from error
        if not np.isfinite(value):
            raise Undefined("the function gives no finite number")
        return value


def _column(records: Records, name: str) -> Any:
    import polars as pl

    side, levels = records.side(name), records.levels[name]
    keys = side.levels.numbers if side.levels.numeric else side.levels.labels
    return pl.Series(name, [*keys, None])[levels]
