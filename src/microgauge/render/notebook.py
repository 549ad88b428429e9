"""What a notebook shows. Names from the data are escaped: they may hold anything."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from microgauge.render.text import MOST_PAIRS, MOST_VARIABLES, weakest_pairs
from microgauge.render.words import figure, pair_story, probability, variable_story
from microgauge.results import Assessment


def notebook_view(result: Assessment) -> str:
    """The figure with its halves, the weakest variables and the weakest pairs."""
    gdu = result.gdu
    if gdu is None:
        return f"<pre>{escape(str(result))}</pre>"
    facts = {variable.name: variable for variable in result.variables}
    scored = [s for s in gdu.variables if s.utility is not None]
    variables = [
        (s.name, figure(s.utility), probability(s.p), variable_story(facts[s.name], s))
        for s in sorted(scored, key=lambda s: s.utility or 0.0)[:MOST_VARIABLES]
    ]
    pairs = [
        (f"{p.a} × {p.b}", figure(p.utility), pair_story(p))
        for p in weakest_pairs(gdu.pairs)[:MOST_PAIRS]
    ]
    return (
        f"<div><p><b>Global data utility {figure(gdu.value, 4)}</b> "
        f"(variables {figure(gdu.univariate, 4)}, pairs {figure(gdu.bivariate, 4)}; "
        f"{gdu.coverage.tested} of {gdu.coverage.pairs} pairs tested)</p>"
        + _table(("variable", "utility", "p", "what happened"), variables)
        + _table(("pair", "utility", "what happened"), pairs)
        + "</div>"
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f'<th style="text-align:left">{escape(text)}</th>' for text in heads)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
