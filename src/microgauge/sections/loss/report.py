"""What changed, in the report."""

from __future__ import annotations

from microgauge.languages.messages import number, say, strung
from microgauge.results import Assessment, Loss, VariableResult
from microgauge.results.blocks import Block, Cell, Group, Head, Part, Sentence, Table
from microgauge.results.loss import LogLinearLoss, ValidityLoss, VariableLoss
from microgauge.results.wording import general
from microgauge.sections.gdu.words import recoded_as
from microgauge.sections.loss.methods import advice
from microgauge.sections.loss.words import CRITERIA, records_story, words


def report(result: Assessment, loss: Loss) -> list[Block]:
    """What was done to each variable, and the figures of the loss for experts."""
    figures = (
        *words(loss),
        _figures(loss),
        *_moments(loss),
        *_loglinear(loss.loglinear),
        *_validity(loss.validity),
    )
    return [
        *_correlations(loss),
        Group(name="changes", title=say("Each variable"), blocks=_changes(result, loss)),
        Group(
            name="loss", title=say("Information loss"), explain="il1s", blocks=figures,
            answers="experts",
        ),
    ]  # fmt: skip


def _changes(result: Assessment, loss: Loss) -> tuple[Block, ...]:
    """A row for each variable, those that were changed most first."""
    facts = {fact.name: fact for fact in result.variables}
    ordered = sorted(loss.variables, key=lambda v: (not facts[v.name].removed, -_change(v)))
    table = Table(
        caption=say("What was changed in each variable"),
        heads=(
            Head(text=say("variable")),
            Head(text=say("released")),
            Head(text=say("cells changed"), digits=3),
            Head(text=say("missing before"), right=True, optional=True),
            Head(text=say("missing after"), right=True),
            Head(text=say("more missing"), right=True, optional=True),
        ),
        rows=tuple(
            (
                v.name,
                _released(facts[v.name], v),
                v.changed_share,
                v.missing.original,
                v.missing.protected,
                _more_missing(v),
            )
            for v in ordered
        ),
    )
    if loss.units is None or loss.records_changed is None:
        return (table, *advice(loss))
    return (
        Sentence(text=say("{records_story}.", records_story=records_story(loss))),
        table,
        *advice(loss),
    )


def _more_missing(found: VariableLoss) -> str | None:
    """By how much missing cells became more, as a share of those there were."""
    rose = found.missing.relative_increase
    if rose is not None:
        if rose == 0:
            return say("none")
        return number(f"{rose:+,.0%}".replace("%", " %").replace("-", "−"))
    return say("from none") if found.missing.protected else None


def _correlations(loss: Loss) -> list[Block]:
    """Both matrices, which the report draws beside the pairs."""
    found = loss.correlations
    if found is None:
        return []
    rows = [
        [i, j, round(before, 3), round(after, 3)]
        for i, both in enumerate(zip(found.original, found.protected, strict=True))
        for j, (before, after) in enumerate(zip(*both, strict=True))
    ]
    content = {"names": found.variables, "order": list(range(len(found.variables))), "rows": rows}
    return [Part(name="correlations", content={**content, "left_out": found.left_out})]


def _moments(loss: Loss) -> list[Block]:
    """Means and variances of numbers before, after and their difference."""
    rows: list[tuple[Cell, ...]] = []
    for variable in loss.variables:
        sides = variable.moments or {}
        before, after = sides.get("original"), sides.get("protected")
        if before is None or after is None:
            continue
        variances = [None if side.sd is None else side.sd**2 for side in (before, after)]
        rows.append(
            (
                variable.name,
                *(before.mean, after.mean, after.mean - before.mean),
                *(*variances, _less(*variances)),
            )
        )
    if not rows:
        return []
    heads = (
        say("mean before"),
        say("after"),
        say("difference"),
        say("variance before"),
        say("after"),
        say("difference"),
    )
    table = Table(
        caption=say("Means and variances before and after"),
        heads=(Head(text=say("variable")), *(Head(text=text, right=True) for text in heads)),
        rows=tuple(rows),
    )
    return [table]


def _less(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _change(found: VariableLoss) -> float:
    return found.changed_share or 0.0


def _released(fact: VariableResult, found: VariableLoss) -> str:
    """What became of a variable, as far as it is known."""
    if fact.removed:
        return say("removed")
    if fact.recoding is not None:
        return recoded_as(fact.recoding)
    if found.changed is None:
        return say("not compared cell by cell")
    return say("with some other values") if found.changed else say("as it was")


def _figures(loss: Loss) -> Table:
    return Table(
        caption=say("Loss in each variable"),
        heads=(
            Head(text=say("variable")),
            Head(text=say("changed"), digits=3),
            Head(text=say("IL1s"), digits=3),
            Head(text=say("NCP"), digits=3),
            Head(text=say("more missing"), digits=3),
        ),
        rows=tuple(
            (v.name, v.changed_share, v.il1s, v.ncp, v.missing.increase) for v in loss.variables
        ),
    )


def _loglinear(found: LogLinearLoss | None) -> list[Block]:
    """Deviances of the log-linear model, and a row for each of its terms."""
    if found is None or found.agreement is None:
        return []
    said = say(
        "Log-linear model: deviance {deviance_original} in the original, "
        "{deviance_protected} in the protected file, {deviance_under_original} of "
        "the protected file under the original's model; {freedom:,} degrees of "
        "freedom.",
        deviance_original=general(found.deviance_original),
        deviance_protected=general(found.deviance_protected),
        deviance_under_original=general(found.deviance_under_original),
        freedom=found.freedom,
    )
    if found.added:
        said += say(
            " To every cell of both files {added} was added: without, estimates "
            "would not be finite.",
            added=general(found.added),
        )
    table = Table(
        caption=say("Terms of the log-linear model"),
        heads=(
            Head(text=say("term")),
            Head(text=say("parameters"), right=True),
            Head(text=say("agree"), digits=3),
            Head(text=say("overlap"), digits=2),
        ),
        rows=tuple(
            (strung(t.variables, " × "), t.parameters, t.agreement, t.overlap) for t in found.terms
        ),
    )
    return [Sentence(text=said), table]


def _validity(found: ValidityLoss | None) -> list[Block]:
    """Each criterion of analytic validity beside its limit."""
    if found is None:
        return []
    met = {True: say("yes"), False: say("no"), None: say("not known")}
    return [
        Table(
            caption=say("Analytic validity (Winkler 1998)"),
            heads=(
                Head(text=say("criterion")),
                Head(text=say("largest"), digits=3),
                Head(text=say("limit"), digits=3),
                Head(text=say("met")),
                Head(text=say("where")),
            ),
            rows=tuple(
                (
                    CRITERIA[c.name],
                    c.value,
                    c.limit,
                    met[c.passed],
                    strung(c.about, ", ") if c.passed is not None else c.reason,
                )
                for c in found.criteria
            ),
        )
    ]
