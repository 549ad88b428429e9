"""What changed, in the report."""

from __future__ import annotations

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
        Group(name="changes", title="Each variable", blocks=_changes(result, loss)),
        Group(
            name="loss", title="Information loss", explain="il1s", blocks=figures,
            answers="experts",
        ),
    ]  # fmt: skip


def _changes(result: Assessment, loss: Loss) -> tuple[Block, ...]:
    """A row for each variable, those that were changed most first."""
    facts = {fact.name: fact for fact in result.variables}
    ordered = sorted(loss.variables, key=lambda v: (not facts[v.name].removed, -_change(v)))
    table = Table(
        caption="What was changed in each variable",
        heads=(
            Head(text="variable"),
            Head(text="released"),
            Head(text="cells changed", digits=3),
            Head(text="missing before", right=True, optional=True),
            Head(text="missing after", right=True),
            Head(text="more missing", right=True, optional=True),
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
    return (Sentence(text=f"{records_story(loss)}."), table, *advice(loss))


def _more_missing(found: VariableLoss) -> str | None:
    """By how much missing cells became more, as a share of those there were."""
    rose = found.missing.relative_increase
    if rose is not None:
        return "none" if rose == 0 else f"{rose:+,.0%}".replace("%", " %").replace("-", "−")
    return "from none" if found.missing.protected else None


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
    heads = ("mean before", "after", "difference", "variance before", "after", "difference")
    table = Table(
        caption="Means and variances before and after",
        heads=(Head(text="variable"), *(Head(text=text, right=True) for text in heads)),
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
        return "removed"
    if fact.recoding is not None:
        return recoded_as(fact.recoding)
    if found.changed is None:
        return "not compared cell by cell"
    return "with some other values" if found.changed else "as it was"


def _figures(loss: Loss) -> Table:
    return Table(
        caption="Loss in each variable",
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
            f" To every cell of both files {general(found.added)} was added: without, estimates "
            "would not be finite."
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
