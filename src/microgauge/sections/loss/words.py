"""What changed, in sentences."""

from __future__ import annotations

from microgauge.results import Loss
from microgauge.results.blocks import Block, Stories
from microgauge.results.wording import figure, scientific


def words(loss: Loss) -> list[Block]:
    """What changed, line by line."""
    return [Stories(rows=tuple(loss_stories(loss)))]


def loss_stories(loss: Loss, most: int = 4) -> list[tuple[str, str]]:
    """What changed, line by line: a heading and a sentence."""
    found = []
    if loss.units is not None and loss.records_changed is not None:
        found.append(("records", _records_story(loss)))
        changed = sorted(loss.variables, key=lambda v: -(v.changed_share or 0.0))
        most_changed = [f"{v.name} {v.changed_share:.0%}" for v in changed if v.changed][:most]
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
    if loss.reason is not None:
        found.append(("not defined", loss.reason))
    return found


def _records_story(loss: Loss) -> str:
    said = f"{loss.records_changed:,} of {loss.units:,} units changed in some variable"
    if loss.records_changed_recoded != loss.records_changed:
        said += f"; {loss.records_changed_recoded:,} beyond recoding"
    return said


def _tables_story(loss: Loss) -> str:
    said = f"CTBIL {loss.ctbil:,.0f} in {len(loss.tables)} tables, AAD {scientific(loss.aad)}"
    moved = [table for table in loss.tables if (table.moved or 0.0) > 0]
    recoded = any(v.ncp is not None for v in loss.variables)
    if not moved:
        return f"{said}; no unit in another cell{' beyond recoding' if recoded else ''}"
    worst = max(moved, key=lambda table: table.moved or 0.0)
    return f"{said}; {worst.moved:.0%} in another cell of {' × '.join(worst.variables)}"


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
