"""The engine for rows in Spark: passes run inside partitions, classes and joins are its shuffles.

A table is read twice: once for the values of its columns, which the driver keeps, and once to turn
rows into codes, which stay in Spark. Everything sent to workers is a plain function with its
arguments, so that any session will do: classic, or Spark Connect.
"""

from microgauge.engines.spark.reading import read_frame
from microgauge.engines.spark.session import session_of

__all__ = ["read_frame", "session_of"]
