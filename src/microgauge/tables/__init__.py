"""Tables in: any supported file or data frame becomes a `Table` of coded columns."""

from microgauge.tables.column import Column, Key, Sliceable, Table
from microgauge.tables.dictionary import NULL_WORDS, PADDED
from microgauge.tables.read import named_table, read_table
from microgauge.tables.source import exists, is_paths
from microgauge.tables.streaming import Reading

__all__ = [
    "NULL_WORDS",
    "PADDED",
    "Column",
    "Key",
    "Reading",
    "Sliceable",
    "Table",
    "exists",
    "is_paths",
    "named_table",
    "read_table",
]
