"""Questions asked of every batch of rows, whose answers add up to facts.

A pass is a small hashable value, so that the same question is asked once however many measures
need the answer. It knows the axes of a batch by name and nothing of files, engines or measures.
"""

from microgauge.passes.batch import Axes, Axis, Batch, Facts, Pass, fold
from microgauge.passes.matching import Equal, Sorted
from microgauge.passes.sums import Gram, GroupSums, Product, Rows
from microgauge.passes.tables import Crosstab, Cube, Present, SparseCrosstab, Tally

__all__ = [
    "Axes",
    "Axis",
    "Batch",
    "Crosstab",
    "Cube",
    "Equal",
    "Facts",
    "Gram",
    "GroupSums",
    "Pass",
    "Present",
    "Product",
    "Rows",
    "Sorted",
    "SparseCrosstab",
    "Tally",
    "fold",
]
