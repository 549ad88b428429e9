"""What became of each unit's values: changed, moved, suppressed, coarsened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED, Engine
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.loss.certainty import mean_penalty
from microgauge.measures.loss.moments import Summary, deviation_of, summary_of
from microgauge.measures.loss.values import Apart, il1, il1s
from microgauge.passes import Changes, Differences, Facts, Pass, Suppressed
from microgauge.passes.tables import AxisPair
from microgauge.results import MissingCells, MomentsResult, VariableLoss
from microgauge.sections.loss.certainty import penalties
from microgauge.study.common_levels import common_axes
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side
from microgauge.values.levels import common

NOT_ALIGNED = say("the tables are not aligned, so no unit can be compared with itself")


@dataclass(eq=False)
class Values:
    """Compares units with themselves, once for all variables."""

    study: Study
    log: Log = field(default_factory=Log)
    _facts: Facts = field(default_factory=lambda: Facts({}))

    def ask(self) -> Asking[None]:
        """What became of every unit's values, from one round; nothing without matched rows."""
        if self.rows is not None:
            self._facts = yield from asked(self.rows, self._questions)

    @property
    def rows(self) -> Engine | None:
        """Rows that hold both tables' values; None where tables are not aligned."""
        return self.study.matched

    @cached_property
    def compared(self) -> list[Described]:
        """Variables that both tables have; a column with every cell suppressed is one."""
        return [v for v in self.study.analysed if v.protected is not None and not v.original.empty]

    @cached_property
    def numbers(self) -> list[Described]:
        """Variables that are continuous on both sides."""
        return [v for v in self.compared if v.continuous and not v.removed]

    # -- facts -------------------------------------------------------------------------------

    @property
    def _questions(self) -> list[Pass]:
        passes: list[Pass] = [self._apart[v.name] for v in self.numbers]
        passes += [Suppressed(*self._released[v.name]) for v in self.compared]
        if self.compared:
            passes += [self._changes(how) for how in _HOW]
        return passes

    def _changes(self, how: How) -> Changes:
        axes = self._released if how == "released" else self._recoded
        return Changes(tuple(axes[v.name] for v in self.compared))

    @cached_property
    def _apart(self) -> dict[str, Differences]:
        return {v.name: Differences(*_number_axes(v)) for v in self.numbers}

    @cached_property
    def _released(self) -> dict[str, AxisPair]:
        """Values as they were and as they are, on axes on which equal ones have equal levels."""
        return {v.name: common_axes(v) for v in self.compared}

    @cached_property
    def _recoded(self) -> dict[str, AxisPair]:
        """The same with the original recoded as the protected table was."""
        found = dict(self._released)
        for name in self.study.recodings:
            if name in found:
                both = self.study.placed[name]
                found[name] = (
                    both.original_axis(ORIGINAL + name),
                    both.protected_axis(PROTECTED + name),
                )
        return found

    def _changed(self, how: How) -> dict[str, int]:
        if self.rows is None or not self.compared:
            return {}
        counts = np.asarray(self._facts[self._changes(how)])
        names = [*(v.name for v in self.compared), ""]
        return {name: int(count) for name, count in zip(names, counts, strict=True)}

    @cached_property
    def apart_sums(self) -> dict[str, Apart]:
        """How far the numbers of each continuous variable are apart; empty without alignment."""
        if self.rows is None:
            return {}
        found = {}
        for variable in self.numbers:
            sums = np.asarray(self._facts[self._apart[variable.name]])
            try:
                deviation = deviation_of(variable.original.levels, weighted=False)
            except Undefined:
                deviation = np.inf  # its distances are not finite either, and null for that reason
            found[variable.name] = Apart.of(sums, deviation or 0.0)
        return found

    # -- results -----------------------------------------------------------------------------

    def records_changed(self) -> tuple[int | None, int | None]:
        """Units with a change in any variable: as released, and after recoding the original."""
        return self._changed("released").get(""), self._changed("recoded").get("")

    def in_all(self) -> tuple[float | None, float | None, str | None]:
        """IL1s and IL1 over all continuous variables, and why they are null."""
        if self.rows is None:
            return None, None, say("il1s, il1: {not_aligned}", not_aligned=NOT_ALIGNED)
        if not self.numbers:
            return None, None, say("il1s, il1: no variable is continuous in both tables")
        apart = list(self.apart_sums.values())
        constant = [name for name, a in self.apart_sums.items() if a.deviation == 0]
        if constant:
            self.log.note(
                "il1s-constant",
                say(
                    "IL1s leaves out constant variables: {constant}.",
                    constant=strung(constant, ", "),
                ),
                constant,
            )
        reasons = []
        found: list[float | None] = []
        for name, measure in (("il1s", il1s), ("il1", il1)):
            try:
                found.append(measure(apart))
            except Undefined as why:
                found.append(None)
                reasons.append(say("{name}: {why}", name=name, why=why))
        return found[0], found[1], strung(reasons, "; ") or None

    def gcp(self) -> tuple[float | None, str | None]:
        """Mean penalty over the cells of all recoded variables."""
        total = cells = 0.0
        for variable in self.compared:
            try:
                penalty, here = self._penalty(variable)
            except Undefined:
                continue
            total, cells = total + penalty * here, cells + here
        if not cells:
            return None, say("gcp: no variable is recoded")
        return total / cells, None

    def variables(self) -> tuple[VariableLoss, ...]:
        """What changed in each variable."""
        found = tuple(self._variable(v) for v in self.study.analysed)
        self._note_swapped(found)
        removed = [v.name for v in self.study.analysed if v.protected is None]
        if removed and self.rows is not None:
            self.log.note(
                "changes-removed",
                say(
                    "Changed records leave out what was removed: {removed}.",
                    removed=strung(removed, ", "),
                ),
                removed,
            )
        return found

    def _variable(self, variable: Described) -> VariableLoss:
        missing = self._missing(variable)
        if variable.original.empty:
            return VariableLoss(name=variable.name, missing=missing, reason=say("all missing"))
        moments = _moments(variable)
        changed, recoded = (self._changed(how).get(variable.name) for how in _HOW)
        if variable.removed:
            return VariableLoss(
                name=variable.name,
                missing=missing,
                changed=changed,
                changed_share=self._share(changed),
                changed_recoded=recoded,
                moments=moments,
                reason=say("removed"),
            )
        reasons: dict[str, list[str]] = {}
        figures = self._distances(variable, reasons)
        figures["ncp"] = self._ncp(variable, reasons)
        if moments is None:
            reasons.setdefault(say("no numbers"), []).append("moments")
        elif any(side.sd is None for side in moments.values()):
            reasons.setdefault(say("one unit"), []).append("moments.sd")
        if self.rows is None:
            reasons.setdefault(NOT_ALIGNED, []).insert(0, "changed")
        return VariableLoss(
            name=variable.name,
            missing=missing,
            changed=changed,
            changed_share=self._share(changed),
            changed_recoded=recoded,
            moments=moments,
            reason=strung(
                (say("{n}: {why}", n=strung(n, ", "), why=why) for why, n in reasons.items()), "; "
            )
            or None,
            **figures,
        )

    def _share(self, changed: int | None) -> float | None:
        if changed is None or self.rows is None or not self.rows.rows:
            return None
        return changed / self.rows.rows

    def _missing(self, variable: Described) -> MissingCells:
        engines = self.study.description
        before = variable.original.levels.missing
        after = None if variable.protected is None else variable.protected.levels.missing
        shares = [
            None if count is None or not rows else count / rows
            for count, rows in ((before, engines.original.rows), (after, engines.protected.rows))
        ]
        rose = None if shares[0] is None or shares[1] is None else shares[1] - shares[0]
        return MissingCells(
            original=before,
            protected=after,
            share_original=shares[0],
            share_protected=shares[1],
            increase=rose,
            relative_increase=None if not before or after is None else (after - before) / before,
            reason=_no_relative_increase(before, after),
        )

    def _distances(self, variable: Described, reasons: dict[str, list[str]]) -> dict[str, Any]:
        names = ["il1s", "il1", "mae", "mse", "mean_variation"]
        if not variable.continuous:
            reasons[say("not continuous in both tables")] = names
            return {}
        if self.rows is None:
            reasons[NOT_ALIGNED] = names
            return {}
        apart = self.apart_sums[variable.name]
        figures: dict[str, Any] = {
            "compared": apart.compared,
            "left_out": self.rows.rows - apart.compared,
        }
        measures: dict[str, Callable[[], float]] = {
            "il1s": lambda: il1s([apart]),
            "il1": lambda: il1([apart]),
            "mae": lambda: apart.mean(apart.absolute),
            "mse": lambda: apart.mean(apart.square),
            "mean_variation": lambda: il1([apart]),
        }
        for name, measure in measures.items():
            try:
                figures[name] = measure()
            except Undefined as why:
                reasons.setdefault(str(why), []).append(name)
        return figures

    def _ncp(self, variable: Described, reasons: dict[str, list[str]]) -> float | None:
        try:
            return self._penalty(variable)[0]
        except Undefined as why:
            reasons.setdefault(str(why), []).append("ncp")
            return None

    def _penalty(self, variable: Described) -> tuple[float, float]:
        """The mean penalty of a recoded variable, and over how many cells."""
        recoding = self.study.recodings.get(variable.name)
        if recoding is None or variable.protected is None:
            raise Undefined(say("not recoded"))
        rows = variable.protected.levels.rows.astype(np.float64)
        return mean_penalty(penalties(variable, recoding), rows, self.suppressed(variable))

    def _suppressed_of(self, variable: Described) -> Index:
        return np.asarray(self._facts[Suppressed(*self._released[variable.name])])

    def known(self, variable: Described) -> float:
        """Cells that had a value and could have been suppressed."""
        if self.rows is not None:
            return float(self._suppressed_of(variable)[0])
        levels = variable.original.levels
        share = levels.present / max(levels.missing + levels.present, 1)
        return self.study.description.protected.rows * share

    def suppressed(self, variable: Described) -> float:
        """Cells that had a value: counted in matched rows, else the rise of the missing share."""
        if self.rows is not None:
            return float(self._suppressed_of(variable)[1])
        rose = self._missing(variable).increase or 0.0
        return max(rose, 0.0) * self.study.description.protected.rows

    def _note_swapped(self, variables: tuple[VariableLoss, ...]) -> None:
        """The guide's warning: values of a unit say little where values were exchanged."""
        sides = {v.name: v for v in self.compared}
        swapped = [
            loss.name
            for loss in variables
            if (loss.changed_share or 0.0) > MOST
            and not sides[loss.name].removed
            and loss.name not in self.study.recodings
            and _same_distribution(sides[loss.name])
        ]
        if swapped:
            self.log.note(
                "values-swapped",
                say(
                    "Most values of {swapped} changed while the distribution hardly did, "
                    "as after swapping or shuffling: there IL1s and changed records say "
                    "little about what an analysis loses.",
                    swapped=strung(swapped, ", "),
                ),
                swapped,
            )


MOST = 0.5
KEPT = 0.02
"""Total variation distance up to which a distribution counts as kept."""
How = Literal["released", "recoded"]
_HOW: tuple[How, How] = ("released", "recoded")


def _number_axes(variable: Described) -> AxisPair:
    assert variable.protected is not None
    before, after = (
        side.axis(prefix + variable.name, np.append(side.levels.numbers, 0.0))
        for prefix, side in ((ORIGINAL, variable.original), (PROTECTED, variable.protected))
    )
    return before, after


def _moments(variable: Described) -> dict[str, MomentsResult] | None:
    found = {}
    for which, side in (("original", variable.original), ("protected", variable.protected)):
        if side is not None and side.type == "continuous" and side.levels.numeric:
            try:
                found[which] = _moments_result(summary_of(side.levels))
            except Undefined:
                continue  # nothing to calculate with: said by the variable's own reason
    return found or None


def _moments_result(found: Summary) -> MomentsResult:
    return MomentsResult(
        mean=found.mean,
        sd=found.deviation,
        q1=found.lower,
        median=found.median,
        q3=found.upper,
    )


def _same_distribution(variable: Described) -> bool:
    assert variable.protected is not None
    shares = []
    sides: tuple[Side, Side] = (variable.original, variable.protected)
    *places, size = common(*(side.levels.keys for side in sides))
    for side, place in zip(sides, places, strict=True):
        share: Floats = np.zeros(size)
        share[place] = side.levels.rows / max(side.levels.present, 1)
        shares.append(share)
    return bool(np.abs(shares[0] - shares[1]).sum() / 2.0 <= KEPT)


def _no_relative_increase(before: int, after: int | None) -> str | None:
    """Why an increase of missing cells is not a share of what there was."""
    if after is None:
        return say("relative_increase: the variable was removed")
    return None if before else say("relative_increase: no cell was missing before")
