"""How risk and utility are balanced, in sentences."""

from __future__ import annotations

from microgauge.languages.messages import say, strung
from microgauge.results import Rut
from microgauge.results.blocks import Block, Figure, Figures, Headline, Stories
from microgauge.results.wording import figure

MOST_LOST = 4


def headline(rut: Rut) -> Headline:
    """The balance."""
    return Headline(
        figures=(Figure(label=say("balance of risk and utility"), value=rut.value, explain="rut"),)
    )


def words(rut: Rut) -> list[Block]:
    """Utility and balance, what was lost most, and whether limits are met."""
    parts = say(
        "similarity {similarity}, loss {loss}",
        similarity=figure(rut.similarity),
        loss=figure(rut.loss),
    )
    weights = say("{alpha:g} of utility, {beta:g} of safety", alpha=rut.alpha, beta=rut.beta)
    figures = Figures(
        rows=(
            Figure(label=say("utility"), value=rut.utility, said=parts),
            Figure(label=say("RUT"), value=rut.value, said=weights),
        )
    )
    return [figures, Stories(rows=tuple(("", said) for said in _told(rut)))]


def _told(rut: Rut) -> list[str]:
    worst = sorted(rut.attributes, key=lambda a: -(a.loss or 0.0))
    lost = [
        say("{name} {loss}", name=a.name, loss=figure(a.loss, 2))
        for a in worst
        if (a.loss or 0.0) >= 0.005
    ]
    told = [] if rut.risk is None else [risk_said(rut)]
    told += [say("loss of {lost}", lost=strung(lost[:MOST_LOST], ", "))] if lost else []
    told += [
        say(
            "{variables} jointly: loss {manhattan_loss} (sums), {euclidean_loss} (straight)",
            variables=strung(v.variables, say(" and ")),
            manhattan_loss=figure(v.manhattan_loss),
            euclidean_loss=figure(v.euclidean_loss),
        )
        for v in rut.vectors
    ]
    if rut.meets_limits is not None:
        limits = (
            []
            if rut.max_risk is None
            else [say("risk at most {max_risk:g}", max_risk=rut.max_risk)]
        )
        limits += (
            []
            if rut.min_utility is None
            else [say("U at least {min_utility:g}", min_utility=rut.min_utility)]
        )
        held = strung(limits, say(" and "))
        told.append(
            say("keeps the limits: {held}", held=held)
            if rut.meets_limits
            else say("not so: {held}", held=held)
        )
    if rut.reason:
        told.append(say("not defined: {reason}", reason=rut.reason))
    return told


def risk_said(rut: Rut) -> str:
    """Which of the risks of a file is balanced, and how large it is."""
    which = {"disclosure": say("what an intruder gets"), "classes": say("the class risk")}[
        rut.risk_measure
    ]
    return say("safety is 1 - {risk}, {which}", risk=figure(rut.risk), which=which)
