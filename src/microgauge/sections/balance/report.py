"""How risk and utility are balanced, in the report."""

from __future__ import annotations

from microgauge.languages.messages import say, strung
from microgauge.results import Rut
from microgauge.results.blocks import Block, Head, Sentence, Table
from microgauge.results.wording import called, figure
from microgauge.sections.balance.words import risk_said


def report(rut: Rut) -> list[Block]:
    """The figures, and a row for each variable."""
    said = say(
        "Utility {utility}, of each variable by itself (similarity {similarity}, loss {loss}); RUT "
        "{value} with {alpha:g} of utility and {beta:g} of safety",
        utility=figure(rut.utility),
        similarity=figure(rut.similarity),
        loss=figure(rut.loss),
        value=figure(rut.value),
        alpha=rut.alpha,
        beta=rut.beta,
    )
    if rut.risk is not None:
        said += say("; {risk_said}", risk_said=risk_said(rut))
    table = Table(
        caption=say("Loss and similarity"),
        heads=(
            Head(text=say("variable")),
            Head(text=say("released as")),
            Head(text=say("loss measure"), optional=True),
            Head(text=say("loss"), digits=3),
            Head(text=say("similarity measure"), optional=True),
            Head(text=say("similarity"), digits=3),
        ),
        rows=tuple(
            (
                a.name,
                called(a.kind),
                called(a.loss_measure),
                a.loss,
                called(a.similarity_measure),
                a.similarity,
            )
            for a in rut.attributes
        ),
    )
    blocks: list[Block] = [Sentence(text=say("{said}.", said=said))]
    if rut.reason:
        blocks.append(Sentence(text=say("Not defined: {reason}.", reason=rut.reason), soft=True))
    blocks.append(table)
    return [*blocks, _vectors(rut)] if rut.vectors else blocks


def _vectors(rut: Rut) -> Table:
    return Table(
        caption=say("Several variables jointly"),
        heads=(
            Head(text=say("variables")),
            Head(text=say("Manhattan distance"), digits=3),
            Head(text=say("loss by it"), digits=3),
            Head(text=say("Euclidean distance"), digits=3),
            Head(text=say("loss by it"), digits=3),
            Head(text=say("why there is none"), optional=True),
        ),
        rows=tuple(
            (
                strung(v.variables, ", "),
                v.manhattan,
                v.manhattan_loss,
                v.euclidean,
                v.euclidean_loss,
                v.reason or "",
            )
            for v in rut.vectors
        ),
    )
