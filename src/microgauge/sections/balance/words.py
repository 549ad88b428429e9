"""How risk and utility are balanced, in sentences."""

from __future__ import annotations

from microgauge.results import Rut
from microgauge.results.blocks import Block, Figure, Figures, Headline, Stories
from microgauge.results.wording import figure

MOST_LOST = 4


def headline(rut: Rut) -> Headline:
    """The balance."""
    return Headline(
        figures=(Figure(label="balance of risk and utility", value=rut.value, explain="rut"),)
    )


def words(rut: Rut) -> list[Block]:
    """Utility and balance, what was lost most, and whether limits are met."""
    parts = f"similarity {figure(rut.similarity)}, loss {figure(rut.loss)}"
    weights = f"{rut.alpha:g} of utility, {rut.beta:g} of safety"
    figures = Figures(
        rows=(
            Figure(label="utility", value=rut.utility, said=parts),
            Figure(label="RUT", value=rut.value, said=weights),
        )
    )
    return [figures, Stories(rows=tuple(("", said) for said in _told(rut)))]


def _told(rut: Rut) -> list[str]:
    worst = sorted(rut.attributes, key=lambda a: -(a.loss or 0.0))
    lost = [f"{a.name} {figure(a.loss, 2)}" for a in worst if (a.loss or 0.0) >= 0.005]
    told = [] if rut.risk is None else [risk_said(rut)]
    told += [f"loss of {', '.join(lost[:MOST_LOST])}"] if lost else []
    told += [
        f"{' and '.join(v.variables)} jointly: loss {figure(v.manhattan_loss)} (sums), "
        f"{figure(v.euclidean_loss)} (straight)"
        for v in rut.vectors
    ]
    if rut.meets_limits is not None:
        limits = [] if rut.max_risk is None else [f"risk at most {rut.max_risk:g}"]
        limits += [] if rut.min_utility is None else [f"U at least {rut.min_utility:g}"]
        held = " and ".join(limits)
        told.append(f"keeps the limits: {held}" if rut.meets_limits else f"not so: {held}")
    if rut.reason:
        told.append(f"not defined: {rut.reason}")
    return told


def risk_said(rut: Rut) -> str:
    """Which of the risks of a file is balanced, and how large it is."""
    which = {"disclosure": "what an intruder gets", "classes": "the class risk"}[rut.risk_measure]
    return f"safety is 1 - {figure(rut.risk)}, {which}"
