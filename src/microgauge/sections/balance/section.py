"""Utility of each attribute on the scale of risk, and the balance of the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microgauge.arrays import Floats, Index
from microgauge.engines.rounds import Asking, Begin, Need, together
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.balance.balance import SWEEP, balance, utility, weighted_total
from microgauge.measures.loss.values import Apart
from microgauge.records import dataclass
from microgauge.results import AttributeUtility, Disclosure, Risk, Rut, SweepStep, VectorUtility
from microgauge.sections.balance.attributes import Attribute
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.balance.vectors import Vectors
from microgauge.sections.disclosure.section import MEASURED_DISCLOSURE
from microgauge.sections.loss.values import NOT_ALIGNED, Values
from microgauge.sections.risk.choices import RiskChoices, RiskMeasureName
from microgauge.sections.risk.section import MEASURED_RISK
from microgauge.sections.section import Shared
from microgauge.study.recoding import MatchedCells, matched_cells, may_be_rounded, shown_rule
from microgauge.study.study import Study
from microgauge.study.variable import Described
from microgauge.values.rounding import Rule


def run(study: Study, log: Log) -> Asking[Rut | None]:
    """The balance of utility with the risk that was measured; None where there is none."""
    if not study.schema.keys:
        yield Need(MEASURED_RISK)  # which says why there is none
        return None
    part = _measured_part(study)
    yield Begin(part)
    own = log.child()
    attributes, vectors = yield from attribute_utilities(study, own)
    found = yield Need(part)
    if found is None:
        return None
    carried = _carried(study, found)
    log.notes += own.notes
    return balance_of(study.schema.rut, attributes, carried, vectors)


@dataclass(frozen=True)
class CarriedRisk:
    """The risk that a file carries, and what it is: what an intruder gets, or R of classes."""

    measure: RiskMeasureName
    value: float | None

    @staticmethod
    def of(
        measure: RiskMeasureName, disclosure: Disclosure | None, risk: Risk | None
    ) -> CarriedRisk:
        """The one that was chosen of those that were measured."""
        if measure == "classes":
            return CarriedRisk(measure, None if risk is None else risk.total)
        return CarriedRisk(measure, None if disclosure is None else disclosure.risk)


def _measured_part(study: Study) -> Shared:
    """What says the risk to balance with."""
    by_classes = study.schema.of(RiskChoices).measure == "classes"
    return MEASURED_RISK if by_classes else MEASURED_DISCLOSURE


def _carried(study: Study, found: Any) -> CarriedRisk:
    """The risk to balance with, of what was measured."""
    measure = study.schema.of(RiskChoices).measure
    if measure == "classes":
        return CarriedRisk.of(measure, None, found.result)
    return CarriedRisk.of(measure, found, None)


def attribute_utilities(
    study: Study, log: Log
) -> Asking[tuple[tuple[AttributeUtility, ...], tuple[VectorUtility, ...]]]:
    """Loss and similarity of every analysed variable, and distances of vectors of them."""
    values, vectors = Values(study), Vectors(study, study.schema.rut.vectors)
    counted = [v for v in study.analysed if not v.original.empty]
    wanted = [v for v in counted if _needs_cells(v)]
    _, cells, _ = yield from together(
        values.ask(), matched_cells(wanted, study.matched), vectors.ask()
    )
    attributes = {
        variable.name: Attribute(
            variable,
            study.recodings.get(variable.name),
            _Matched(values, variable, cells.get(variable.name)),
            study.schema.rut,
            log,
        )
        for variable in counted
    }
    found = tuple(attribute.result() for attribute in attributes.values())
    return found, vectors.results(attributes)


def _needs_cells(variable: Described) -> bool:
    """Whether a measure of a variable looks at which value became which."""
    if variable.removed or variable.protected is None:
        return False
    given = variable.given
    declared = given.recode is not None and given.recode.round is not None
    asked_for = "consistency" in (given.loss or ()) or "values" in (given.similarity or ())
    return asked_for or (may_be_rounded(variable) and not declared)


@dataclass(frozen=True, eq=False)
class _Matched:
    """The evidence of two tables."""

    values: Values
    variable: Described
    found: MatchedCells | None

    @property
    def matched(self) -> bool:
        return self.values.rows is not None

    @property
    def suppressed(self) -> float:
        known = self.values.known(self.variable)
        return min(self.values.suppressed(self.variable) / known, 1.0) if known > 0 else 0.0

    def apart(self) -> Apart:
        if self.values.rows is None:
            raise Undefined(NOT_ALIGNED)
        if self.variable.name not in self.values.apart_sums:
            raise Undefined(say("not a number in both tables"))
        return self.values.apart_sums[self.variable.name]

    def cells(self) -> tuple[Index, Index, Floats]:
        if self.found is None:
            raise Undefined(NOT_ALIGNED)
        return self.found

    def rule(self) -> Rule | None:
        return shown_rule(self.variable, self.found)


def balance_of(
    chosen: RutChoices,
    attributes: Sequence[AttributeUtility],
    carried: CarriedRisk,
    vectors: Sequence[VectorUtility] = (),
) -> Rut:
    """U of the whole file, and RUT with the risk it carries."""
    risk = carried.value
    totals = totals_of(attributes, chosen)
    gain = totals.utility
    reasons = [totals.reason] if totals.reason else []
    left_out = [a.name for a in attributes if a.loss is None or a.similarity is None]
    if left_out:
        reasons.append(
            say(
                "totals leave out {left_out}, of which there is no figure",
                left_out=strung(left_out, ", "),
            )
        )
    if risk is None:
        reasons.append(say("value: there is no risk to balance with"))
    alpha, beta = chosen.weights
    value, why_not = balanced(gain, risk, alpha, beta, chosen.form)
    if why_not:
        reasons.append(say("value: {why_not}", why_not=why_not))
    return Rut(
        loss=totals.loss,
        similarity=totals.similarity,
        utility=gain,
        form=chosen.form,
        alpha=alpha,
        beta=beta,
        value=value,
        attributes=tuple(attributes),
        sweep=tuple(_step(a, gain, risk, chosen.form) for a in SWEEP),
        risk=risk,
        risk_measure=carried.measure,
        attribute_combine=chosen.attribute_combine,
        vectors=tuple(vectors),
        max_risk=chosen.max_risk,
        min_utility=chosen.min_utility,
        meets_limits=meets(chosen, risk, gain),
        reason=strung(reasons, "; ") or None,
    )


def _step(alpha: float, gain: float | None, risk: float | None, form: str) -> SweepStep:
    value, why = balanced(gain, risk, alpha, round(1.0 - alpha, 1), form)
    if value is None and why is None:
        why = say("there is no risk or no utility")
    return SweepStep(alpha=alpha, value=value, reason=why)


@dataclass(frozen=True)
class Totals:
    """Loss, similarity and utility over all attributes, or why one is not defined."""

    loss: float | None = None
    similarity: float | None = None
    utility: float | None = None
    reason: str | None = None


def totals_of(attributes: Sequence[AttributeUtility], chosen: RutChoices) -> Totals:
    """Over the attributes that have both figures."""
    loss = similarity = None
    try:
        loss = _over(attributes, "loss", chosen, worst=True)
        similarity = _over(attributes, "similarity", chosen, worst=False)
        return Totals(loss, similarity, utility(similarity, loss, chosen.utility))
    except Undefined as why:
        return Totals(loss, similarity, None, str(why))


def _over(
    attributes: Sequence[AttributeUtility], name: str, chosen: RutChoices, *, worst: bool
) -> float:
    known = [a for a in attributes if a.loss is not None and a.similarity is not None]
    values = [float(getattr(a, name)) for a in known]
    return weighted_total(values, [a.weight for a in known], chosen.combine, worst=worst)


def balanced(
    gain: float | None, risk: float | None, alpha: float, beta: float, form: str
) -> tuple[float | None, str | None]:
    """RUT, or why it is not defined; neither without risk or utility."""
    if gain is None or risk is None:
        return None, None
    try:
        return balance(gain, risk, alpha, beta, form), None
    except Undefined as why:
        return None, str(why)


def meets(chosen: RutChoices, risk: float | None, gain: float | None) -> bool | None:
    """Whether the limits hold; None where there are none, or nothing to hold against them."""
    limits = [(chosen.max_risk, risk, 1.0), (chosen.min_utility, gain, -1.0)]
    asked = [(limit, value, sign) for limit, value, sign in limits if limit is not None]
    if not asked or any(value is None for _, value, _ in asked):
        return None
    return all(sign * (value or 0.0) <= sign * limit for limit, value, sign in asked)
