"""Where rows are: on this machine, in memory or in scratch files; or in Spark."""

from __future__ import annotations

from microgauge.engines.engine import ORIGINAL, PROTECTED, Engine, Join, Weight
from microgauge.engines.local import Local
from microgauge.tables import Table

__all__ = [
    "ORIGINAL",
    "PROTECTED",
    "Engine",
    "Join",
    "Local",
    "Weight",
    "has_order",
    "in_order",
    "join",
    "over",
]


def over(table: Table, weight: Weight | None = None, key: str | None = None) -> Engine:
    """An engine over the rows of one table."""
    if table.frame is not None:
        found: Engine = table.frame.engine(weight)
        return found
    return Local.of(table, weight, key)


def has_order(table: Table) -> bool:
    """Whether the rows of a table have an order, by which two tables may correspond."""
    return table.frame is None


def in_order(original: Table, protected: Table) -> Engine | None:
    """An engine over two tables row by row; None where rows have no order."""
    if not (has_order(original) and has_order(protected)):
        return None
    from microgauge.engines.local import in_order as rows_in_order

    return rows_in_order(original, protected)


def join(original: Table, protected: Table, key: str) -> Join:
    """An engine over the units that two tables have in common. Both must have the column."""
    if original.frame is not None:
        found: Join = original.frame.joined(protected.frame)
        return found
    from microgauge.engines.joining import joined
    from microgauge.engines.local import key_of

    first, second = key_of(original, key), key_of(protected, key)
    assert first is not None
    assert second is not None
    return joined(original, protected, first.alike(second), second.alike(first))
