"""What one attribute lost, and how like the original it still is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.balance.balance import weighted_total
from microgauge.measures.balance.losses import (
    bounded,
    consistency,
    entropy_loss,
    generalisation,
    mean_deviation,
    root_mean_square,
    with_suppressed,
)
from microgauge.measures.balance.similarities import binned, cosine, jaccard, spread_over
from microgauge.measures.loss.values import Apart
from microgauge.results import AttributeUtility
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.loss.certainty import resolution_of, widths_of
from microgauge.study.recoding import Recoding
from microgauge.study.variable import Described, Side, continuous_both
from microgauge.values.levels import common, sums_by
from microgauge.values.rounding import Rule, resolution

Released = Literal["range", "prefix", "number", "category", "merged"]
"""As what a variable was released."""

DEFAULTS: dict[Released, tuple[str, str]] = {
    "range": ("generalisation", "cosine"),
    "prefix": ("generalisation", "jaccard"),
    "number": ("proximity", "cosine"),
    "category": ("entropy", "cosine"),
    "merged": ("entropy", "jaccard"),
}
"""Tables 7 and 8 of the paper."""


class Evidence(Protocol):
    """What is known of an attribute unit by unit; `Undefined` where units are not matched."""

    @property
    def matched(self) -> bool:
        """Whether units can be compared with themselves."""
        ...

    @property
    def suppressed(self) -> float:
        """Share of the original's values that were suppressed."""
        ...

    def apart(self) -> Apart:
        """How far the numbers are apart."""
        ...

    def cells(self) -> tuple[Index, Index, Floats]:
        """Original level, released level and units of every pair of values that occurs."""
        ...

    def rule(self) -> Rule | None:
        """The rounding that units show."""
        ...


@dataclass(eq=False)
class Attribute:
    """Works out loss and similarity of one attribute."""

    variable: Described
    recoding: Recoding | None
    evidence: Evidence
    chosen: RutChoices
    log: Log
    difference: float | None = field(default=None, init=False)

    def result(self) -> AttributeUtility:
        """Loss and similarity by the chosen measures, or the defaults for its kind."""
        given, weight = self.variable.given, self.variable.given.rut_weight
        if self.variable.removed or self.variable.protected is None:
            return AttributeUtility(
                name=self.variable.name, kind="removed", loss=1.0, loss_measure="none",
                similarity=0.0, similarity_measure="none", weight=weight,
            )  # fmt: skip
        kind = self._kind
        chosen = given.loss or (self._default_loss(kind),)
        alike = given.similarity or (DEFAULTS[kind][1],)
        reasons: list[str] = []
        losses = self._figures(chosen, self._loss, reasons)
        similarities = self._figures(alike, self._similarity, reasons)
        return AttributeUtility(
            name=self.variable.name,
            kind=kind,
            loss=self._one(losses, given.loss_weights, worst=True),
            loss_measure=" + ".join(chosen),
            similarity=self._one(similarities, given.similarity_weights, worst=False),
            similarity_measure=" + ".join(alike),
            weight=weight,
            losses=losses,
            similarities=similarities,
            loss_weights=dict(zip(chosen, given.loss_weights or (), strict=False)),
            similarity_weights=dict(zip(alike, given.similarity_weights or (), strict=False)),
            rule=None if self._rule is None else str(self._rule),
            loss_by_rule=self._loss_by_rule(),
            entropy_difference=self.difference,
            suppressed=self.evidence.suppressed,
            reason=strung(reasons, "; ") or None,
        )

    @staticmethod
    def _figures(
        names: Sequence[str], measure: Callable[[str], float], reasons: list[str]
    ) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for name in names:
            try:
                found[name] = measure(name)
            except Undefined as why:
                found[name] = None
                reasons.append(say("{name}: {why}", name=name, why=why))
        return found

    def _one(
        self,
        figures: Mapping[str, float | None],
        weights: Sequence[float] | None,
        *,
        worst: bool,
    ) -> float | None:
        """Of several figures, their weighted mean or the worst; those that are null left out."""
        shares = [1.0] * len(figures) if weights is None else list(weights)
        pairs = zip(figures.values(), shares, strict=True)
        known = [(value, share) for value, share in pairs if value is not None and share > 0]
        if not known:
            return None
        values, kept = [value for value, _ in known], [share for _, share in known]
        return weighted_total(values, kept, self.chosen.attribute_combine, worst=worst)

    # -- what was done -----------------------------------------------------------------------

    @property
    def _sides(self) -> tuple[Side, Side]:
        assert self.variable.protected is not None
        return self.variable.original, self.variable.protected

    @cached_property
    def _kind(self) -> Released:
        before, after = self._sides
        if self._cut is not None:
            return "prefix"
        if before.levels.numeric and not after.levels.numeric and self.recoding is not None:
            return "range" if before.type != "nominal" else "merged"
        if before.type == "continuous" and after.levels.numeric:
            return "number"
        merged = self.recoding is not None
        return "merged" if merged else "category"

    @cached_property
    def _cut(self) -> int | None:
        """How many characters were cut from the end of a code, where that is what was done."""
        recode, recoding = self.variable.given.recode, self.recoding
        if recoding is None or self.variable.original.type == "continuous":
            return None
        before = self.variable.original.levels.labels
        if recode is not None and recode.prefix is not None:
            return max(max(map(len, before), default=0) - recode.prefix, 0)
        after = [label.rstrip("*xX") for label in recoding.recoded.levels.labels]
        lengths = {len(label) for label in before}
        kept = {len(label) for label in after}
        if len(lengths) != 1 or len(kept) != 1 or min(kept) == 0:
            return None
        cut = lengths.pop() - kept.pop()
        pairs = zip(before, recoding.target, strict=True)
        return cut if cut > 0 and all(b.startswith(after[t]) for b, t in pairs) else None

    def _default_loss(self, kind: Released) -> str:
        if kind == "number" and not self.evidence.matched:
            self.log.note(
                "loss-by-entropy",
                say(
                    'The loss of "{name}" is that of entropy: proximity needs aligned tables.',
                    name=self.variable.name,
                ),
                [self.variable.name],
            )
            return "entropy"
        return DEFAULTS[kind][0]

    # -- losses ------------------------------------------------------------------------------

    def _loss(self, name: str) -> float:
        measures: dict[str, Callable[[], float]] = {
            "generalisation": self._generalisation,
            "proximity": lambda: bounded(self._deviation(), self.largest()),
            "deviation": lambda: bounded(self._deviation(), self.largest()),
            "euclidean": lambda: bounded(self._root_mean_square(), self.largest()),
            "entropy": self._entropy,
            "consistency": self._consistency,
        }
        return with_suppressed(measures[name](), self.evidence.suppressed)

    def _generalisation(self) -> float:
        recoding, rule = self.recoding, self._rule
        if rule is not None and self._kind == "number":
            own = self._own_resolution() or rule.unit
            return 1.0 - 1.0 / max(rule.unit / own, 1.0)
        if recoding is None:
            return 0.0
        ours, theirs, size = common(recoding.recoded.levels.keys, self._sides[1].levels.keys)
        steps = np.ones(size)
        steps[ours] = self._steps(recoding)
        return generalisation(steps[theirs], self._sides[1].levels.rows.astype(np.float64))

    def _steps(self, recoding: Recoding) -> Floats:
        """Original resolution steps in each recoded level."""
        merged = np.bincount(recoding.target, minlength=len(recoding.recoded.levels))
        if self._cut is not None:
            digits = all(label.isdigit() for label in self.variable.original.levels.labels)
            return np.full(len(merged), 10.0**self._cut) if digits else merged.astype(np.float64)
        if not self.variable.original.levels.numeric or self._kind == "merged":
            return merged.astype(np.float64)
        own = self._own_resolution()
        if own is None:
            raise Undefined(say("the resolution of the original is not known; declare resolution"))
        # An open band holds the values up to the original's extreme, that one included.
        numbers = self.variable.original.levels.numbers
        low, high = np.full(len(merged), np.inf), np.full(len(merged), -np.inf)
        np.minimum.at(low, recoding.target, numbers)
        np.maximum.at(high, recoding.target, numbers)
        held = np.where(high > low, (high - low) / own + 1.0, 1.0)
        return np.maximum(widths_of(self.variable, recoding) / own, held)

    def _own_resolution(self) -> float | None:
        declared = resolution_of(self.variable)
        return declared if declared > 0 else resolution(self.variable.original.levels.numbers)

    def _deviation(self) -> float:
        apart = self.evidence.apart()
        return mean_deviation(apart.absolute, apart.compared)

    def _root_mean_square(self) -> float:
        apart = self.evidence.apart()
        return root_mean_square(apart.square, apart.compared)

    def largest(self) -> float:
        """L_max: the original's range; or the bound of the rule that was used."""
        if self.chosen.lmax == "rule":
            if self._rule is None:
                raise Undefined(say("no rounding rule is declared or found (lmax = rule)"))
            return self._rule.largest_error
        numbers = self.variable.original.levels.numbers
        # Halved first: the range of numbers near the largest there are is beyond them.
        half = float(numbers[-1] / 2 - numbers[0] / 2)
        if half > sys.float_info.max / 2:
            raise Undefined(say("the original's range is larger than any number"))
        return float(numbers[-1] - numbers[0])

    def _loss_by_rule(self) -> float | None:
        if self._rule is None:
            return None
        try:
            return bounded(self._deviation(), self._rule.largest_error)
        except Undefined:
            return None  # said beside the loss itself

    @cached_property
    def _rule(self) -> Rule | None:
        """The rounding rule that is declared, or that aligned rows show."""
        given = self.variable.given
        if given.recode is not None and given.recode.round is not None:
            return Rule(given.recode.round, given.rounding)
        return self.evidence.rule()

    def _entropy(self) -> float:
        before, after = self._sides
        if continuous_both(before, after):
            weights = self._binned()
        else:
            weights = before.levels.sums, after.levels.sums
        loss, self.difference = entropy_loss(*weights)
        return loss

    def _consistency(self) -> float:
        return consistency(*self.evidence.cells())

    # -- similarities ------------------------------------------------------------------------

    def _similarity(self, name: str) -> float:
        if name == "jaccard":
            return self._jaccard()
        return self._cosine() if name == "cosine" else self._values_cosine()

    def _binned(self) -> tuple[Floats, Floats]:
        before, after = self._sides
        low, high = before.levels.numbers[0], before.levels.numbers[-1]
        bins = self.variable.given.bins
        found = [
            binned(side.levels.numbers, side.levels.sums, low, high, bins)
            for side in (before, after)
        ]
        return found[0], found[1]

    def _cosine(self) -> float:
        before, after = self._sides
        recoding = self.recoding
        if continuous_both(before, after):
            return cosine(*self._binned())
        if recoding is not None:
            ours, theirs, size = common(recoding.recoded.levels.keys, after.levels.keys)
            target = ours[recoding.target]
            released = spread_over(after.levels.sums, theirs, size, target)
            outside = np.setdiff1d(theirs, target)
            # Released values that stand for no original one are apart from all of them.
            strange = sums_by(theirs, after.levels.sums, size)[outside]
            return cosine(
                np.append(before.levels.sums, np.zeros(len(outside))), np.append(released, strange)
            )
        if before.levels.numeric != after.levels.numeric and before.type == "continuous":
            raise Undefined(say("numbers became categories, and the recoding is not known"))
        first, second, size = common(before.levels.keys, after.levels.keys)
        return cosine(
            sums_by(first, before.levels.sums, size), sums_by(second, after.levels.sums, size)
        )

    def _jaccard(self) -> float:
        before, after = self._sides
        base = before if self.recoding is None else self.recoding.recoded
        ours, theirs, _ = common(base.levels.keys, after.levels.keys)
        shared = len(np.intersect1d(ours, theirs))
        return jaccard(shared, len(before.levels) + len(theirs) - shared)

    def _values_cosine(self) -> float:
        """Cosine of the two vectors of aligned values."""
        before, after = self._sides
        if not continuous_both(before, after):
            raise Undefined(say("not a number in both tables"))
        first, second, counts = self.evidence.cells()
        roots = np.sqrt(counts)
        return cosine(before.levels.numbers[first] * roots, after.levels.numbers[second] * roots)
