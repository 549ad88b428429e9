"""How long a run will take, roughly: said before one that takes minutes."""

from __future__ import annotations

from collections.abc import Collection

from microgauge.languages.messages import say
from microgauge.log import Progress, Shown

LONG = 120.0
"""Seconds from which a run is worth a warning."""

PER_PAIR = {"gdu": 2e-4, "tables": 0.6e-3, "loss": 0.3e-3}
PER_ROW_AND_PAIR = {"gdu": 5e-8, "tables": 1e-8}
PER_ROW = {"left_in": 1e-6, "loss": 2e-6, "risk": 3e-6, "disclosure": 3e-6, "rut": 2e-6}
SAMPLED = 50_000
"""Rows of both files beyond which models and clusters take a sample."""
PER_SAMPLED_ROW_AND_PAIR = {"propensity": 1.5e-6}
MOST_PAIRS = 400
"""Pairs beyond which a propensity model gets no larger."""
PER_SAMPLED_ROW = {"clusters": 2.5e-4, "ecdf": 2e-5}


def estimated_seconds(rows: int, variables: int, sections: Collection[str]) -> float:
    """Seconds that sections take on two cores of 2025: right to a factor of about three.

    >>> round(estimated_seconds(2_000, 60, {"gdu", "tables", "propensity"}))
    4
    """
    pairs = variables * (variables - 1) / 2
    sampled = min(2 * rows, SAMPLED)
    sizes = (
        (PER_PAIR, pairs),
        (PER_ROW_AND_PAIR, rows * pairs),
        (PER_ROW, rows),
        (PER_SAMPLED_ROW_AND_PAIR, sampled * min(pairs, MOST_PAIRS)),
        (PER_SAMPLED_ROW, sampled),
    )
    return sum(costs.get(name, 0.0) * size for costs, size in sizes for name in sections)


def warn_if_long(
    progress: Progress, rows: int, variables: int, sections: Collection[str], files: int = 1
) -> None:
    """Say before the work begins that it will take minutes, to whoever looks or keeps a log."""
    seconds = files * estimated_seconds(rows, variables, sections)
    if seconds >= LONG and isinstance(progress, Shown):
        said = (
            say("about {seconds:.0f} minutes", seconds=seconds / 60)
            if seconds < 5400
            else say("hours")
        )
        progress.warn(
            say(
                "{rows:,} rows × {variables:,} variables: this may take {said}; --only "
                "measures some sections alone.",
                rows=rows,
                variables=variables,
                said=said,
            )
        )
