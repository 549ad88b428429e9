"""How risk and utility are balanced, in the report."""

from __future__ import annotations

from microgauge.results import Rut
from microgauge.results.blocks import Block, Head, Sentence, Table
from microgauge.results.wording import figure


def report(rut: Rut) -> list[Block]:
    """The figures, and a row for each variable."""
    said = (
        f"Utility {figure(rut.utility)} (similarity {figure(rut.similarity)}, loss "
        f"{figure(rut.loss)}); RUT {figure(rut.value)} with {rut.alpha:g} of utility and "
        f"{rut.beta:g} of safety."
    )
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
    return [Sentence(text=f"{said} {rut.reason}" if rut.reason else said), table]
