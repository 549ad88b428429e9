"""Aligned tables: can a protected record be led back to its original, or a value be read off it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED, Engine
from microgauge.engines.rounds import Asking, asked, together
from microgauge.errors import Undefined
from microgauge.kernels.threads import one_thread
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.loss.moments import deviation_of
from microgauge.measures.risk.linkage import LinkAttribute, linkage_share
from microgauge.passes import Column, Facts, Within
from microgauge.passes.tables import AxisPair
from microgauge.records import dataclass
from microgauge.sections.risk.choices import RiskChoices
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side
from microgauge.values.intervals import midpoints
from microgauge.values.labels import label_of
from microgauge.values.levels import common

NOT_ALIGNED = say("the tables are not aligned")


@dataclass(frozen=True, eq=False)
class UnitRisks:
    """Compares each unit's protected values with its own and everybody's original ones."""

    study: Study
    keys: Sequence[Described]
    log: Log
    _within: Facts = field(default_factory=lambda: Facts({}))
    _columns: Facts = field(default_factory=lambda: Facts({}))

    def ask(self) -> Asking[UnitRisks]:
        """What became of each unit, from one round; nothing without matched rows."""
        if self._rows is None:
            return self
        works = [asked(self._rows, list(self._close.values()))]
        if not self.study.sampled("matched"):
            columns = [c for v in self.keys for c in _columns(v)]
            works.append(asked(self.study.rows("matched"), columns))
        within, *columns_found = yield from together(*works)
        held = columns_found[0] if columns_found else Facts({})
        return replace(self, _within=within, _columns=held)

    @property
    def _rows(self) -> Engine | None:
        return self.study.matched

    # -- record linkage ----------------------------------------------------------------------

    def linkage(self, reasons: dict[str, str]) -> tuple[float | None, int | None]:
        """The share of records whose nearest original is their own, over the quasi-identifiers."""
        if self._rows is None:
            reasons["linkage"] = NOT_ALIGNED
            return None, None
        if self.study.sampled("matched"):
            # Among fewer records each is found more easily.
            most = self.study.options.sample_rows
            reasons["linkage"] = say("more than sample_rows = {most:,} matched records", most=most)
            return None, None
        self.log.progress(say("linking records"), 0.0)
        try:
            with one_thread():
                found = linkage_share(self._attributes(), seed=self.study.options.seed)
        except Undefined as why:
            reasons["linkage"] = str(why)
            return None, None
        if found.sampled is not None:
            self.log.note(
                "linkage-sampled",
                say(
                    "Record linkage looked for {sampled:,} of {records:,} records (seed "
                    "{seed}; standard error {standard_error:.2g}).",
                    sampled=found.sampled,
                    records=found.records,
                    seed=self.study.options.seed,
                    standard_error=found.standard_error,
                ),
            )
        return found.share, found.sampled or found.records

    def _attributes(self) -> list[LinkAttribute]:
        found = [
            self._attribute(v, *(self._columns[column] for column in _columns(v)))
            for v in self.keys
        ]
        return [attribute for attribute in found if attribute is not None]

    def _attribute(self, variable: Described, before: Index, after: Index) -> LinkAttribute | None:
        """Numbers by their difference, ordered categories by rank, others by being the same."""
        assert variable.protected is not None
        numbers = _as_numbers(variable.protected)
        if variable.original.type == "continuous" and numbers is not None:
            own = np.append(variable.original.levels.numbers, np.nan)
            return LinkAttribute.standardised(own[before], np.append(numbers, np.nan)[after])
        if variable.original.type == "ordinal":
            return self._ranked(variable, before, after)
        return self._category(variable, before, after)

    def _recoded(self, variable: Described) -> tuple[Side, Index]:
        """The original in the protected table's terms, and where each of its levels goes."""
        recoding = self.study.recodings.get(variable.name)
        size = len(variable.original.levels)
        if recoding is None:
            return variable.original, np.arange(size)
        return recoding.recoded, recoding.target

    def _ranked(self, variable: Described, before: Index, after: Index) -> LinkAttribute | None:
        """Positions over the range; a merged level stands in the middle of what it holds."""
        assert variable.protected is not None
        size = len(variable.original.levels)
        if size < 2:
            return None
        side, target = self._recoded(variable)
        positions = np.arange(size) / (size - 1)
        held = np.maximum(np.bincount(target, minlength=len(side.levels)), 1)
        middle = np.bincount(target, positions, len(side.levels)) / held
        mine, theirs, total = common(side.levels.keys, variable.protected.levels.keys)
        place = np.full(total, np.nan)
        place[mine] = middle
        own = np.append(positions, np.nan)[before]
        released = np.append(place[theirs], np.nan)[after]
        strange = np.isnan(released) & (after < len(theirs))
        return LinkAttribute("number", own, np.where(strange, self._new(variable, after), released))

    @staticmethod
    def _new(variable: Described, after: Index) -> Floats:
        """Where a level stands that the original never has: by the order, or a range away."""
        assert variable.protected is not None
        levels, before = variable.protected.levels, variable.original.levels
        place = np.full(len(levels) + 1, 2.0)
        size = len(before)
        if levels.numeric and before.numeric:
            own = np.arange(size) / (size - 1)
            place[:-1] = np.interp(
                levels.numbers, before.numbers, own, -1 / (size - 1), 1 + 1 / (size - 1)
            )
        elif variable.given.order is not None:
            order = {label_of(value): i for i, value in enumerate(variable.given.order)}
            first, last = order[before.labels[0]], order[before.labels[-1]]
            place[:-1] = [(order[n] - first) / max(last - first, 1) for n in levels.labels]
        return place[after]

    def _category(self, variable: Described, before: Index, after: Index) -> LinkAttribute:
        assert variable.protected is not None
        side, target = self._recoded(variable)
        mine, theirs, _ = common(side.levels.keys, variable.protected.levels.keys)
        own = np.append(mine[target], -1)[before]
        return LinkAttribute("category", own, np.append(theirs, -1)[after])

    # -- interval disclosure -----------------------------------------------------------------

    def interval(self, reasons: dict[str, str]) -> tuple[float | None, dict[str, float]]:
        """The share of numbers released within a small interval of the original one."""
        if self._rows is None:
            reasons["interval"] = NOT_ALIGNED
            return None, {}
        hidden = {v.name: v.original.levels.present for v in self._suppressed()}
        if not self._close and not hidden:
            reasons["interval"] = say("no continuous variable is released as numbers or bands")
            return None, {}
        counts = {name: np.asarray(self._within[q]) for name, q in self._close.items()}
        counts |= {name: np.array([present, 0]) for name, present in hidden.items()}
        total = np.sum(list(counts.values()), axis=0)
        shares = {n: float(close / known) for n, (known, close) in counts.items() if known}
        if not total[0]:
            reasons["interval"] = say("no value")
            return None, {}
        return float(total[1] / total[0]), shares

    @cached_property
    def _close(self) -> dict[str, Within]:
        """For each number: how often the released one is close to the original."""
        return {v.name: Within(*_number_axes(v), self._half(v)) for v in self._numbers()}

    def _numbers(self) -> list[Described]:
        return [
            v
            for v in self.study.analysed
            if v.original.type == "continuous"
            and not v.removed
            and v.protected is not None
            and _as_numbers(v.protected) is not None
            and deviation_of(v.original.levels, weighted=False)
        ]

    def _suppressed(self) -> list[Described]:
        """Continuous variables of which every cell was suppressed: they disclose nothing."""
        return [
            v
            for v in self.study.analysed
            if v.original.type == "continuous" and v.removed and v.protected is not None
        ]

    def _half(self, variable: Described) -> float:
        deviation = deviation_of(variable.original.levels, weighted=False) or 0.0
        return self.study.schema.of(RiskChoices).interval * deviation


def _as_numbers(side: Side) -> Floats | None:
    """The levels as numbers, a band by its middle; None where they are neither."""
    if side.levels.numeric:
        return side.levels.numbers
    return None if side.intervals is None else midpoints(side.intervals)


def _number_axes(variable: Described) -> AxisPair:
    assert variable.protected is not None
    after = _as_numbers(variable.protected)
    assert after is not None
    before = variable.original.levels.numbers
    return (
        variable.original.axis(ORIGINAL + variable.name, np.append(before, 0.0)),
        variable.protected.axis(PROTECTED + variable.name, np.append(after, 0.0)),
    )


def _columns(variable: Described) -> tuple[Column, Column]:
    """The levels of both sides in matched rows."""
    assert variable.protected is not None
    return (
        Column(variable.original.axis(ORIGINAL + variable.name)),
        Column(variable.protected.axis(PROTECTED + variable.name)),
    )
