"""Indicators: the statistics that data users publish, on both sides, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from microgauge.engines.rounds import Asking
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.analysis.overlap import overlap
from microgauge.records import dataclass
from microgauge.results import IndicatorResult
from microgauge.schema import Indicator, Which
from microgauge.sections.analyses.frames import Frame
from microgauge.sections.analyses.units import Bounds, Units, condition_of
from microgauge.study.records import Records, read_records, weight_name
from microgauge.study.study import SIDES, Study
from microgauge.values.labels import label_of


def run(study: Study, log: Log) -> Asking[tuple[IndicatorResult, ...] | None]:
    """All indicators of a schema, each for all units or for each group; None without any."""
    given = study.schema.indicators
    if not given:
        return None
    named = [n for one in given for which in SIDES for n in _columns(one, study, which)]
    records = yield from read_records(study, named)
    found: list[IndicatorResult] = []
    for number, indicator in enumerate(given):
        log.progress(say("estimating indicators"), number / len(given))
        for single in _single(indicator, study):
            found += _Indicator(study, single, records).results()
    return tuple(found)


def _columns(given: Indicator, study: Study, which: Which) -> list[str]:
    """The columns that an indicator looks at in one table: all, for a user's function."""
    if given.function is not None:
        return [v.name for v in study.variables]
    condition = condition_of(given, study)
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
        named = say("{title}: {label}", title=indicator.title, label=label)
        yield replace(indicator, category=label, name=named)


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval on one side, or why there is none."""

    value: float | None = None
    bounds: Bounds | None = None
    units: int | None = None
    reason: str | None = None
    records: int | None = None
    """Records that the figure rests on."""
    influence: float | None = None
    """The most that leaving out one of some records moves it."""


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
            nothing = Estimate(
                reason=say('"{by}", which forms the groups, has no value', by=self.given.by)
            )
            return [self._compared(None, nothing, nothing)]
        draws = [] if self._closed else self._draws(sides, groups)
        return [
            self._compared(group, *(self._estimate(side, group, i, draws)
                                    for i, side in enumerate(sides)))
            for group in groups
        ]  # fmt: skip

    def _side(self, which: Which, records: Records) -> Units | Frame | Undefined:
        held = records.only(_columns(self.given, self.study, which))
        try:
            if self.given.function is not None:
                return Frame.read(self.study, which, self.given, held)
            return Units.read(self.study, which, self.given, held)
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
        self, sides: Sequence[Units | Frame | Undefined], groups: Sequence[str | None]
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
        side: Units | Frame | Undefined,
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
        moved = side.influence(group) if place == 0 else None
        known = Estimate(value, None, units, None, side.records(group), moved)
        try:
            if units < 2:
                raise Undefined(say("one unit has no interval"))
            if isinstance(side, Units) and self._closed:
                return replace(known, bounds=side.closed(group))
            return replace(known, bounds=self._percentiles(draws[place][group]))
        except Undefined as why:
            return replace(known, reason=str(why))

    def _percentiles(self, values: list[float]) -> Bounds:
        """The middle 95 % of draws. A statistic that half of the draws cannot give has none."""
        if len(values) < max(self.given.resamples / 2, 2):
            raise Undefined(
                say(
                    "only {n} of {resamples} draws give a figure",
                    n=len(values),
                    resamples=self.given.resamples,
                )
            )
        low, high = np.quantile(values, [0.025, 0.975])
        return float(low), float(high)

    def _compared(
        self, group: str | None, original: Estimate, protected: Estimate
    ) -> IndicatorResult:
        reasons = [
            say("{which}: {reason}", which=which, reason=side.reason)
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
            influence_original=original.influence,
            variable=self.given.variable,
            category=None if self.given.category is None else label_of(self.given.category),
            where=self.given.where,
            seed=self.seed,
        )
        figures: dict[str, Any] = {}
        if original.value is not None and protected.value is not None:
            if original.value:
                apart = protected.value - original.value
                figures["relative_difference"] = apart / abs(original.value)
            else:
                reasons.append(say("relative_difference: the original is 0"))
            if original.bounds is not None:
                figures["inside"] = original.bounds[0] <= protected.value <= original.bounds[1]
        if original.bounds is not None and protected.bounds is not None:
            try:
                figures["overlap"] = overlap(original.bounds, protected.bounds)
            except Undefined as why:
                reasons.append(say("overlap: {why}", why=why))
        return replace(start, **figures, reason=strung(reasons, "; ") or None)


def _tried(drawn: Units | Frame, group: str | None) -> float | None:
    try:
        return drawn.estimate(group)
    except Undefined:
        return None  # counted: too few of them and the interval is null with the reason
