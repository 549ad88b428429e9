"""Questions asked of every batch of rows, whose answers add up to facts.

A pass is a small hashable value, so that the same question is asked once however many measures
need the answer. It knows the axes of a batch by name and nothing of files, engines or measures.
"""

from microgauge.passes.batch import Axes, Axis, Batch, Facts, Pass, fold
from microgauge.passes.classes import Classes
from microgauge.passes.matching import Changes, Differences, Equal, Sorted, Suppressed, Within
from microgauge.passes.sums import Gram, GroupSums, Moments, Product
from microgauge.passes.tables import Crosstab, Cube, Present, SparseCrosstab, Tally

__all__ = [
    "Axes",
    "Axis",
    "Batch",
    "Changes",
    "Classes",
    "Crosstab",
    "Cube",
    "Differences",
    "Equal",
    "Facts",
    "Gram",
    "GroupSums",
    "Moments",
    "Pass",
    "Present",
    "Product",
    "Sorted",
    "SparseCrosstab",
    "Suppressed",
    "Tally",
    "Within",
    "fold",
]
