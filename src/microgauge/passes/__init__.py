"""Questions asked of every batch of rows, whose answers add up to facts.

A pass is a small hashable value that holds the axes it looks at, so that the same question is asked
once however many measures need the answer. It knows nothing of files, engines or measures.
"""

from microgauge.passes.batch import Axis, Batch, Facts, Pass, finished, fold
from microgauge.passes.classes import Classes, MovedClasses, OwnClasses
from microgauge.passes.fingerprint import Fingerprint
from microgauge.passes.lags import LAGS, EqualAtLags, ProductAtLags
from microgauge.passes.matching import (
    Changes,
    Differences,
    Distances,
    Suppressed,
    Within,
)
from microgauge.passes.parted import PartedTables
from microgauge.passes.ranks import PairRanks, RankProduct, Ranks, RankSums
from microgauge.passes.rows import Column
from microgauge.passes.sums import Gram, GroupSums, Moments, Product
from microgauge.passes.tables import Absent, Crosstab, Cube, PairTables, SparseCrosstab, Tally

__all__ = [
    "LAGS",
    "Absent",
    "Axis",
    "Batch",
    "Changes",
    "Classes",
    "Column",
    "Crosstab",
    "Cube",
    "Differences",
    "Distances",
    "EqualAtLags",
    "Facts",
    "Fingerprint",
    "Gram",
    "GroupSums",
    "Moments",
    "MovedClasses",
    "OwnClasses",
    "PairRanks",
    "PairTables",
    "PartedTables",
    "Pass",
    "Product",
    "ProductAtLags",
    "RankProduct",
    "RankSums",
    "Ranks",
    "SparseCrosstab",
    "Suppressed",
    "Tally",
    "Within",
    "finished",
    "fold",
]
