"""What changed, in sentences."""

from __future__ import annotations

from microgauge.languages.messages import say, strung
from microgauge.results import Loss
from microgauge.results.blocks import Block, Stories
from microgauge.results.loss import LogLinearLoss, ValidityLoss
from microgauge.results.wording import about_per_cent, counted, figure, scientific


def words(loss: Loss) -> list[Block]:
    """What changed, line by line."""
    return [Stories(rows=tuple(loss_stories(loss)))]


def loss_stories(loss: Loss, most: int = 4) -> list[tuple[str, str]]:
    """What changed, line by line: a heading and a sentence."""
    found = []
    if loss.units is not None and loss.records_changed is not None:
        found.append((say("records"), records_story(loss)))
        changed = sorted(loss.variables, key=lambda v: -(v.changed_share or 0.0))
        most_changed = [
            say(
                "{name} {changed_share}",
                name=v.name,
                changed_share=about_per_cent(v.changed_share or 0.0),
            )
            for v in changed
            if v.changed
        ][:most]
        if most_changed:
            found.append(
                ("", say("most of all {most_changed}", most_changed=strung(most_changed, ", ")))
            )
    if loss.il1s is not None:
        said = say("IL1s {il1s}, IL1 {il1}", il1s=scientific(loss.il1s), il1=scientific(loss.il1))
        far = [v for v in loss.variables if v.il1s]
        far.sort(key=lambda v: -(v.il1s or 0.0))
        names = strung(
            (say("{name} {il1s}", name=v.name, il1s=scientific(v.il1s)) for v in far[:most]), ", "
        )
        told = say("{said} (IL1s of {names})", said=said, names=names) if names else said
        found.append((say("distance"), told))
    if loss.gcp is not None:
        coarse = [
            say("{name} {ncp}", name=v.name, ncp=figure(v.ncp))
            for v in loss.variables
            if v.ncp is not None
        ]
        found.append(
            (
                say("coarsening"),
                say(
                    "GCP {gcp} (NCP of {coarse})",
                    gcp=figure(loss.gcp),
                    coarse=strung(coarse[:most], ", "),
                ),
            )
        )
    if loss.ctbil is not None:
        found.append((say("tables"), _tables_story(loss)))
    found += _matrices_story(loss)
    found += _loglinear_story(loss.loglinear)
    found += _validity_story(loss.validity)
    if loss.reason is not None:
        found.append((say("not defined"), loss.reason))
    return found


def records_story(loss: Loss) -> str:
    """How many units were changed."""
    units = counted(loss.units or 0, "unit")
    said = say(
        "{records_changed:,} of {units} changed in some variable",
        records_changed=loss.records_changed or 0,
        units=units,
    )
    if loss.records_changed_recoded == loss.records_changed:
        return said
    return say(
        "{said}; {records_changed_recoded:,} beyond recoding",
        said=said,
        records_changed_recoded=loss.records_changed_recoded or 0,
    )


def _tables_story(loss: Loss) -> str:
    tables = counted(len(loss.tables), "table")
    said = say(
        "CTBIL {ctbil:,.0f} in {tables}, AAD {aad}",
        ctbil=loss.ctbil,
        tables=tables,
        aad=scientific(loss.aad),
    )
    moved = [table for table in loss.tables if (table.moved or 0.0) > 0]
    recoded = any(v.ncp is not None for v in loss.variables)
    if not moved:
        same = (
            say("no unit in another cell beyond recoding")
            if recoded
            else say("no unit in another cell")
        )
        return say("{said}; {same}", said=said, same=same)
    worst = max(moved, key=lambda table: table.moved or 0.0)
    share = about_per_cent(worst.moved or 0.0)
    return say(
        "{said}; {share} in another cell of {variables}",
        said=said,
        share=share,
        variables=strung(worst.variables, " × "),
    )


def _matrices_story(loss: Loss) -> list[tuple[str, str]]:
    correlation = loss.matrices.get("correlation")
    if correlation is None or correlation.mae is None:
        return []
    said = say("correlations differ by {mae} on average", mae=scientific(correlation.mae))
    if loss.eigenvalues is not None:
        said += say(", eigenvalues by {eigenvalues}", eigenvalues=scientific(loss.eigenvalues))
    if loss.eigenvalues_robust is not None:
        said += say(
            " (robust {eigenvalues_robust})", eigenvalues_robust=scientific(loss.eigenvalues_robust)
        )
    return [(say("statistics"), said)]


def _loglinear_story(found: LogLinearLoss | None) -> list[tuple[str, str]]:
    """How far a log-linear model says the same on both sides."""
    if found is None or found.agreement is None:
        return []
    worst = min(found.terms, key=lambda term: (term.agreement, term.overlap))
    said = say(
        "in a model of {variables}, {agreement} of parameters agree (verdict at 5 % "
        "and sign), mean overlap {overlap}",
        variables=strung(found.variables, ", "),
        agreement=about_per_cent(found.agreement),
        overlap=figure(found.overlap, 2),
    )
    if worst.agreement < 1:
        said += say(
            "; fewest in {variables}: {agreement}",
            variables=strung(worst.variables, " × "),
            agreement=about_per_cent(worst.agreement),
        )
    return [(say("log-linear"), said)]


CRITERIA = {
    "means": say("means in subdomains"),
    "covariances": say("covariances in subdomains"),
    "margins": say("margins"),
    "distribution": say("distributions"),
}
"""What each criterion of analytic validity looks at."""


def _validity_story(found: ValidityLoss | None) -> list[tuple[str, str]]:
    """Which of Winkler's criteria are met within the limits, in a sentence."""
    known = [] if found is None else [c for c in found.criteria if c.passed is not None]
    if found is None or not known:
        return []
    beyond = [c for c in known if not c.passed]
    if not beyond:
        said = (
            say("all of Winkler's criteria are met within their limits")
            if found.valid
            else say("as many of Winkler's criteria as are known are met within their limits")
        )
    elif len(beyond) == 1:
        said = say("one of Winkler's criteria goes beyond its limit")
    else:
        said = say("{n} of Winkler's criteria go beyond their limits", n=len(beyond))
    told = strung(
        (
            say(
                "{criteria} {value} (limit {limit:g})",
                criteria=CRITERIA[c.name],
                value=scientific(c.value),
                limit=c.limit,
            )
            for c in beyond or known
        ),
        ", ",
    )
    return [(say("validity"), say("{said}: {told}", said=said, told=told))]
