"""What changed, in the report."""

from __future__ import annotations

from microgauge.results import Loss
from microgauge.results.blocks import Block, Group, Head, Sentence, Table
from microgauge.results.loss import LogLinearLoss, ValidityLoss
from microgauge.results.wording import general
from microgauge.sections.loss.words import CRITERIA, words


def report(loss: Loss) -> list[Group]:
    """The stories, and a row for each variable."""
    table = Table(
        caption="What changed in each variable",
        heads=(
            Head(text="variable"),
            Head(text="changed", digits=3),
            Head(text="IL1s", digits=3),
            Head(text="NCP", digits=3),
            Head(text="more missing", digits=3),
        ),
        rows=tuple(
            (v.name, v.changed_share, v.il1s, v.ncp, v.missing.increase) for v in loss.variables
        ),
    )
    blocks = (*words(loss), table, *_loglinear(loss.loglinear), *_validity(loss.validity))
    return [Group(name="loss", title="What changed", explain="il1s", blocks=blocks)]


def _loglinear(found: LogLinearLoss | None) -> list[Block]:
    """Deviances of the log-linear model, and a row for each of its terms."""
    if found is None or found.agreement is None:
        return []
    said = (
        f"Log-linear model: deviance {general(found.deviance_original)} in the original, "
        f"{general(found.deviance_protected)} in the protected file, "
        f"{general(found.deviance_under_original)} of the protected file under the original's "
        f"model; {found.freedom:,} degrees of freedom."
    )
    if found.added:
        said += (
            f" {general(found.added)} units were added to every cell of both files: without, "
            "estimates would not be finite."
        )
    table = Table(
        caption="Terms of the log-linear model",
        heads=(
            Head(text="term"),
            Head(text="parameters", right=True),
            Head(text="agree", digits=3),
            Head(text="overlap", digits=2),
        ),
        rows=tuple(
            (" × ".join(t.variables), t.parameters, t.agreement, t.overlap) for t in found.terms
        ),
    )
    return [Sentence(text=said), table]


def _validity(found: ValidityLoss | None) -> list[Block]:
    """Each criterion of analytic validity beside its limit."""
    if found is None:
        return []
    met = {True: "yes", False: "no", None: "not known"}
    return [
        Table(
            caption="Analytic validity (Winkler 1998)",
            heads=(
                Head(text="criterion"),
                Head(text="largest", digits=3),
                Head(text="limit", digits=3),
                Head(text="met"),
                Head(text="where"),
            ),
            rows=tuple(
                (
                    CRITERIA[c.name],
                    c.value,
                    c.limit,
                    met[c.passed],
                    ", ".join(c.about) if c.passed is not None else c.reason,
                )
                for c in found.criteria
            ),
        )
    ]
