"""Re-identification risk from the sizes of equivalence classes (Kim 2025).

A class holds the records that agree in all quasi-identifiers; EC(i) is the number of records that
record i cannot be told from. Sampling weights play no part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.loss.moments import quantile
from microgauge.measures.risk.compatible import compatible_sums
from microgauge.records import dataclass
from microgauge.values.packing import MOST, distinct, packed


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The classes of a table: their levels, their records, and who else they may be taken for."""

    levels: Index
    """Classes × keys; the code of a missing value is the key's size."""
    sizes: tuple[int, ...]
    """Categories of each key, missing values not counted."""
    rows: Counts
    sums: Floats
    """Sums of some columns in each class: columns × classes."""
    matching: Counts
    """EC: records that a record of the class cannot be told from."""
    matching_sums: Floats
    """The sums over these records: columns × classes."""
    missing_matches: bool = False
    """Whether a missing key matches every value; else it is a value of its own."""

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.rows.sum())

    @property
    def risk(self) -> Floats:
        """1/EC of a record of each class."""
        return np.asarray(1.0 / self.matching)


def class_table(
    levels: Index, sizes: Sequence[int], rows: Counts, sums: Floats, *, missing_matches: bool
) -> ClassTable:
    """Classes with missing keys as a value of their own, or as one that matches every value."""
    if not len(rows):
        raise Undefined(say("the table has no record"))
    matching, matching_sums = rows, sums
    if missing_matches and bool((levels >= np.asarray(sizes)).any()):
        layers = np.concatenate([rows[np.newaxis].astype(np.float64), sums])
        found = compatible_sums(levels, levels, layers, sizes)
        matching, matching_sums = found[0].astype(np.int64), found[1:]
    return ClassTable(levels, tuple(sizes), rows, sums, matching, matching_sums, missing_matches)


def equal_records(levels: Index, others: Index, rows: Counts, sizes: Sequence[int]) -> Counts:
    """For each class, the records of other classes with the same levels, missing ones included."""
    both = np.concatenate([levels, others])
    _, places, size = distinct(packed(list(both.T), [size + 1 for size in sizes]), MOST)
    counts = np.bincount(places[len(levels) :], rows, size)
    return counts[places[: len(levels)]].astype(np.int64)


def shown_sensitivity(table: ClassTable, sensitivities: Sequence[float]) -> Floats:
    """What the records of each class weigh: the sensitivities of the keys that they still show.

    **Reading** of Kim's step 2, "weights according to the sensitivity of each attribute": a key
    that was suppressed gives nothing away of a record, so it adds nothing to its weight. Equal
    sensitivities and nothing suppressed give all records the same weight.
    """
    shown = table.levels < np.asarray(table.sizes)
    return np.asarray(table.rows * (shown @ np.asarray(sensitivities, dtype=np.float64)))


def internal_risk(table: ClassTable, weights: Floats | None = None) -> float:
    """R_internal = (1/N) Σ 1/EC(i), or its mean weighted by a sensitivity of each record.

    **Reading:** table 1 of the paper prints another probability; text and tables use 1/EC(i).
    """
    shares = table.rows.astype(np.float64) if weights is None else weights
    if shares.sum() <= 0:
        raise Undefined(say("the record weights are 0"))
    return float((shares * table.risk).sum() / shares.sum())


def expected_matches(table: ClassTable) -> float:
    """Σ 1/EC(i): with missing as a value of its own, the number of classes."""
    return float((table.rows * table.risk).sum())


def records_within(table: ClassTable, most: int) -> int:
    """Records in classes of at most so many."""
    return int(table.rows[table.matching <= most].sum())


def size_quantiles(table: ClassTable, shares: Sequence[float] = (0.05, 0.5, 0.95)) -> list[float]:
    """Quantiles of EC over records."""
    order = np.argsort(table.matching)
    sizes, rows = table.matching[order].astype(np.float64), table.rows[order].astype(np.float64)
    return [quantile(sizes, rows, share, counts=True) for share in shares]


def records_above(risk: Floats, rows: Counts, threshold: float) -> int:
    """Records whose risk is above a threshold."""
    return int(rows[risk > threshold].sum())
