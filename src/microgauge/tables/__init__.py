"""Tables in: any supported file or data frame becomes a `Table` of coded columns."""

from microgauge.tables.column import Column, Table
from microgauge.tables.read import read_table

__all__ = ["Column", "Table", "read_table"]
