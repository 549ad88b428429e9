"""How risk and utility are balanced, in the report."""

from __future__ import annotations

from microgauge.results import Rut
from microgauge.results.blocks import Block, Head, Sentence, Table
from microgauge.results.wording import figure
from microgauge.sections.balance.words import risk_said


def report(rut: Rut) -> list[Block]:
    """The figures, and a row for each variable."""
    said = (
        f"Utility {figure(rut.utility)} (similarity {figure(rut.similarity)}, loss "
        f"{figure(rut.loss)}); RUT {figure(rut.value)} with {rut.alpha:g} of utility and "
        f"{rut.beta:g} of safety"
    )
    if rut.risk is not None:
        said += f"; {risk_said(rut)}"
    table = Table(
        caption="Loss and similarity",
        heads=(
            Head(text="variable"),
            Head(text="released as"),
            Head(text="loss measure", optional=True),
            Head(text="loss", digits=3),
            Head(text="similarity measure", optional=True),
            Head(text="similarity", digits=3),
        ),
        rows=tuple(
            (a.name, a.kind, a.loss_measure, a.loss, a.similarity_measure, a.similarity)
            for a in rut.attributes
        ),
    )
    blocks: list[Block] = [Sentence(text=f"{said}.")]
    if rut.reason:
        blocks.append(Sentence(text=f"Not defined: {rut.reason}.", soft=True))
    blocks.append(table)
    return [*blocks, _vectors(rut)] if rut.vectors else blocks


def _vectors(rut: Rut) -> Table:
    return Table(
        caption="Several variables jointly",
        heads=(
            Head(text="variables"),
            Head(text="Manhattan distance", digits=3),
            Head(text="loss by it", digits=3),
            Head(text="Euclidean distance", digits=3),
            Head(text="loss by it", digits=3),
            Head(text="why there is none", optional=True),
        ),
        rows=tuple(
            (
                ", ".join(v.variables),
                v.manhattan,
                v.manhattan_loss,
                v.euclidean,
                v.euclidean_loss,
                v.reason or "",
            )
            for v in rut.vectors
        ),
    )
