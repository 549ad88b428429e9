"""Tables in: any supported file or data frame becomes a `Table` of coded columns.

Names load on first use: help lists the formats without loading what reads them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from microgauge.tables.column import Column, Key, Sliceable, Table
    from microgauge.tables.dictionary import NULL_WORDS, PADDED
    from microgauge.tables.read import (
        changed_table,
        coded_table,
        read_held,
        read_table,
    )
    from microgauge.tables.source import exists, is_paths
    from microgauge.tables.streaming import Reading

_WHERE = {
    "NULL_WORDS": "dictionary",
    "PADDED": "dictionary",
    "Column": "column",
    "Key": "column",
    "Reading": "streaming",
    "Sliceable": "column",
    "Table": "column",
    "changed_table": "read",
    "coded_table": "read",
    "exists": "source",
    "is_paths": "source",
    "read_held": "read",
    "read_table": "read",
}

__all__ = [
    "NULL_WORDS",
    "PADDED",
    "Column",
    "Key",
    "Reading",
    "Sliceable",
    "Table",
    "changed_table",
    "coded_table",
    "exists",
    "is_paths",
    "read_held",
    "read_table",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
