"""What changed, in sentences."""

from __future__ import annotations

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
        found.append(("records", records_story(loss)))
        changed = sorted(loss.variables, key=lambda v: -(v.changed_share or 0.0))
        most_changed = [
            f"{v.name} {about_per_cent(v.changed_share or 0.0)}" for v in changed if v.changed
        ][:most]
        if most_changed:
            found.append(("", f"most of all {', '.join(most_changed)}"))
    if loss.il1s is not None:
        said = f"IL1s {scientific(loss.il1s)}, IL1 {scientific(loss.il1)}"
        far = [v for v in loss.variables if v.il1s]
        far.sort(key=lambda v: -(v.il1s or 0.0))
        names = ", ".join(f"{v.name} {scientific(v.il1s)}" for v in far[:most])
        found.append(("distance", f"{said}{f' (IL1s of {names})' if names else ''}"))
    if loss.gcp is not None:
        coarse = [f"{v.name} {figure(v.ncp)}" for v in loss.variables if v.ncp is not None]
        found.append(("coarsening", f"GCP {figure(loss.gcp)} (NCP of {', '.join(coarse[:most])})"))
    if loss.ctbil is not None:
        found.append(("tables", _tables_story(loss)))
    found += _matrices_story(loss)
    found += _loglinear_story(loss.loglinear)
    found += _validity_story(loss.validity)
    if loss.reason is not None:
        found.append(("not defined", loss.reason))
    return found


def records_story(loss: Loss) -> str:
    """How many units were changed."""
    units = counted(loss.units or 0, "unit")
    said = f"{loss.records_changed or 0:,} of {units} changed in some variable"
    if loss.records_changed_recoded == loss.records_changed:
        return said
    return f"{said}; {loss.records_changed_recoded or 0:,} beyond recoding"


def _tables_story(loss: Loss) -> str:
    tables = counted(len(loss.tables), "table")
    said = f"CTBIL {loss.ctbil:,.0f} in {tables}, AAD {scientific(loss.aad)}"
    moved = [table for table in loss.tables if (table.moved or 0.0) > 0]
    recoded = any(v.ncp is not None for v in loss.variables)
    if not moved:
        same = "no unit in another cell beyond recoding" if recoded else "no unit in another cell"
        return f"{said}; {same}"
    worst = max(moved, key=lambda table: table.moved or 0.0)
    share = about_per_cent(worst.moved or 0.0)
    return f"{said}; {share} in another cell of {' × '.join(worst.variables)}"


def _matrices_story(loss: Loss) -> list[tuple[str, str]]:
    correlation = loss.matrices.get("correlation")
    if correlation is None or correlation.mae is None:
        return []
    said = f"correlations differ by {scientific(correlation.mae)} on average"
    if loss.eigenvalues is not None:
        said += f", eigenvalues by {scientific(loss.eigenvalues)}"
    if loss.eigenvalues_robust is not None:
        said += f" (robust {scientific(loss.eigenvalues_robust)})"
    return [("statistics", said)]


def _loglinear_story(found: LogLinearLoss | None) -> list[tuple[str, str]]:
    """How far a log-linear model says the same on both sides."""
    if found is None or found.agreement is None:
        return []
    worst = min(found.terms, key=lambda term: (term.agreement, term.overlap))
    said = (
        f"in a model of {', '.join(found.variables)}, {about_per_cent(found.agreement)} "
        f"of parameters agree (verdict at 5 % and sign), mean overlap {figure(found.overlap, 2)}"
    )
    if worst.agreement < 1:
        said += f"; fewest in {' × '.join(worst.variables)}: {about_per_cent(worst.agreement)}"
    return [("log-linear", said)]


CRITERIA = {
    "means": "means in subdomains",
    "covariances": "covariances in subdomains",
    "margins": "margins",
    "distribution": "distributions",
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
            "all of Winkler's criteria are met within their limits"
            if found.valid
            else "as many of Winkler's criteria as are known are met within their limits"
        )
    elif len(beyond) == 1:
        said = "one of Winkler's criteria goes beyond its limit"
    else:
        said = f"{len(beyond)} of Winkler's criteria go beyond their limits"
    told = ", ".join(
        f"{CRITERIA[c.name]} {scientific(c.value)} (limit {c.limit:g})" for c in beyond or known
    )
    return [("validity", f"{said}: {told}")]
