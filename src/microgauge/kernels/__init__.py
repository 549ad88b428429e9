"""Loops over codes, compiled where the package was built with a compiler, else the same in NumPy.

Both give the same answers to the last bit: which of them runs is only a matter of time. Wheels come
with the compiled ones; from the source they are built if there is a compiler.
"""

from microgauge.kernels.cells import as_places, gathered_cells, scattered_cells, sparse_gram
from microgauge.kernels.counting import Pairs, count_codes, count_pairs, sorted_codes
from microgauge.kernels.loading import compiled
from microgauge.kernels.ordering import Places, distinct_numbers, merged_places
from microgauge.kernels.ranking import TableRanks, pair_ranks, table_ranks
from microgauge.kernels.scoring import ranks_within, score_product, score_sums
from microgauge.kernels.sharing import in_threads
from microgauge.kernels.texts import few_texts

__all__ = [
    "Pairs",
    "Places",
    "TableRanks",
    "as_places",
    "compiled",
    "count_codes",
    "count_pairs",
    "distinct_numbers",
    "few_texts",
    "gathered_cells",
    "in_threads",
    "merged_places",
    "pair_ranks",
    "ranks_within",
    "scattered_cells",
    "score_product",
    "score_sums",
    "sorted_codes",
    "sparse_gram",
    "table_ranks",
]
