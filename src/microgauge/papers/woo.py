"""What the studies of real files in Woo, Reiter, Oganian and Karr (2009) share: how the measures
are taken of several protected versions of one original, and how a claim is tried on figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal

import numpy as np
import polars as pl

from microgauge.engines.rounds import run_one
from microgauge.kernels.threads import one_thread
from microgauge.log import Log
from microgauge.measures.joint.designs import Design, chosen_design, spline_design
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.ladder import ROWS_PER_TERM
from microgauge.measures.joint.propensity import LogitModel, score_distance
from microgauge.records import dataclass
from microgauge.results import FigureRow, FigureTable
from microgauge.schema import Schema
from microgauge.sections.joint.choices import ClusterChoices, EcdfChoices
from microgauge.sections.joint.clusters import ClusterMeasure
from microgauge.sections.joint.ecdf import EcdfMeasure
from microgauge.study.describe import OriginalCache
from microgauge.study.joint_rows import joint_rows
from microgauge.study.study import Study
from microgauge.tables import Table, read_table

PAPER = (
    "Woo, M.-J., Reiter, J. P., Oganian, A., Karr, A. F. (2009). Global measures of data utility "
    "for microdata masked for disclosure limitation. Journal of Privacy and Confidentiality 1(1)."
)

LITTLE = 2.0
"""A measure whose largest figure is less than so many times its least one hardly discriminates."""

Figures = Mapping[str, Sequence[float]]
"""For each measure its figures, file by file, in the order of the paper's table."""
Trial = Callable[[Figures], tuple[bool, str]]
"""Whether something holds in figures, and those that decide."""


# -- measures --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Base:
    """An original that is read once, whatever is compared with it."""

    table: Table
    types: Mapping[str, str]
    cache: OriginalCache = field(default_factory=OriginalCache)

    @staticmethod
    def of(original: pl.DataFrame, types: Mapping[str, str]) -> Base:
        """From a data frame and the type of each variable."""
        return Base(read_table(original, which="original"), types)

    def against(self, protected: pl.DataFrame, seed: int) -> Compared:
        """The rows of both files, one below the other, as `assess` compares them."""
        schema = Schema.from_dict(
            {
                "options": {"seed": seed},
                "variable": {name: {"type": kind} for name, kind in self.types.items()},
            }
        )
        table = read_table(protected, which="protected")
        return Compared(joint_of(self.table, table, schema, self.cache).ordered(), seed)


@dataclass(frozen=True, eq=False)
class Compared:
    """The rows of two files in an order that depends on values only, and the seed of all chance."""

    joint: Joint
    seed: int


def joint_of(
    original: Table, protected: Table, schema: Schema, cache: OriginalCache | None = None
) -> Joint:
    """The rows of both tables, one below the other."""
    study = run_one(Study.prepare(original, protected, schema, Log(), cache))
    return run_one(joint_rows(study, Log()))


def smooth_design(joint: Joint) -> Design:
    """Indicators of all categories, cubes of numbers and products of pairs where rows allow it."""
    for degree, interactions in ((3, "pairs"), (3, "none"), (1, "none")):
        design = chosen_design(joint, degree, interactions, None)
        if joint.rows >= ROWS_PER_TERM * design.columns.shape[1]:
            return design
    return design


def basis_design(joint: Joint) -> Design:
    """A spline basis for each number, and products of pairs."""
    return spline_design(joint, None)


def polynomial_design(degree: int) -> Callable[[Joint], Design]:
    """All products of variables up to a degree."""
    return lambda joint: chosen_design(joint, degree, "full", None)


def propensity(joint: Joint, design: Callable[[Joint], Design]) -> float:
    """N · U_p. What else `microgauge.propensity` finds takes longer and is not needed here."""
    with one_thread():
        labels = joint.protected.astype(np.float64)
        fitted = LogitModel.of(design(joint).columns).fitted(labels)
    return joint.rows * score_distance(fitted.probability, joint.share)


def clustered(
    whole: Compared, method: Literal["average", "kmeans"], groups: Sequence[int]
) -> list[float]:
    """G · U_c of all rows, for each number of groups."""
    found = ClusterMeasure(whole.joint, whole.seed).results(
        ClusterChoices(method=method, groups=tuple(groups), sample=whole.joint.rows)  # all of them
    )
    assert all(result.value is not None for result in found)
    return [result.groups * float(result.value or 0.0) for result in found]


def distribution(whole: Compared) -> tuple[float, float]:
    """U_m and U_s at every row."""
    measure = EcdfMeasure(whole.joint, whole.seed)
    found = measure.result(EcdfChoices(exact_limit=whole.joint.rows))
    assert found.maximum is not None
    assert found.mean_square is not None
    return found.maximum, found.mean_square


def beside(
    title: str,
    names: Sequence[str],
    rows: Sequence[str],
    sides: tuple[Figures, Figures],
    digits: int,
) -> FigureTable:
    """Published figures of some measures and ours, file by file."""
    published, own = sides
    return FigureTable(
        title=title,
        columns=tuple(rows),
        rows=tuple(
            FigureRow(
                name=name,
                published=tuple(published[row][place] for row in rows),
                own=tuple(own[row][place] for row in rows),
            )
            for place, name in enumerate(names)
        ),
        digits=digits,
    )


# -- what is said of figures -----------------------------------------------------------------------


def number(value: float) -> str:
    """Enough digits to tell figures apart.

    >>> number(1609.8537), number(0.02148)
    ('1,609.85', '0.02148')
    """
    return f"{value:,.2f}" if abs(value) >= 1.0 else f"{value:.4g}"


def opposite(trial: Trial) -> Trial:
    """Holds where another does not."""

    def tried(figures: Figures) -> tuple[bool, str]:
        holds, shown = trial(figures)
        return not holds, shown

    return tried


def spread(values: Sequence[float]) -> float:
    """How many times the least figure the largest is."""
    return max(values) / min(values)


def hardly_discriminates(rows: Sequence[str], beside: str, files: slice = slice(None)) -> Trial:
    """Whether measures are within a small factor over all files, where another is not."""

    def tried(figures: Figures) -> tuple[bool, str]:
        spreads = {row: spread(figures[row][files]) for row in (*rows, beside)}
        shown = ", ".join(f"{row} {value:,.3g}" for row, value in spreads.items())
        little = all(spreads[row] < LITTLE for row in rows) and spreads[beside] >= LITTLE
        return little, f"largest to least figure, where less than {LITTLE:g} is little: {shown}"

    return tried
