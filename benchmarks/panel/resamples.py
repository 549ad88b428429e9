"""Is the expectation of U_p right? Its ratio over resamples of every data set, which is 1 then.

A resample differs from the original by chance alone. The mean ratio of 20 of them may be off 1 by
three of its standard deviations, √(2/(20 K)) for K terms, and 0.05 for what is of higher order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import mean

from benchmarks.panel import datasets
from benchmarks.panel.cases import Case
from benchmarks.panel.listed import PROTECTIONS
from benchmarks.panel.utility import QUICK
from benchmarks.processes import in_processes

DRAWS = 20
DEVIATIONS = 3
BEYOND = 0.05


@dataclass(frozen=True)
class Resampled:
    """The ratios of the resamples of a data set."""

    data: str
    rows: int
    terms: int
    ratios: tuple[float, ...]

    @property
    def mean(self) -> float:
        return mean(self.ratios)

    @property
    def allowed(self) -> float:
        """By how much the mean may be off 1."""
        return DEVIATIONS * sqrt(2 / (len(self.ratios) * self.terms)) + BEYOND

    @property
    def met(self) -> bool:
        return abs(self.mean - 1) <= self.allowed


def resampled(rows: int, name: str) -> Resampled | None:
    """Of one data set; None where it is not there or U_p has no expectation."""
    data = datasets.named(name, rows)
    if data is None:
        return None
    ratios, terms = [], 0
    for seed in range(1, DRAWS + 1):
        case = Case(data, PROTECTIONS["resample"], seed)
        found = case.plain("propensity", **QUICK)["propensity"]
        if found["ratio"] is None:
            return None
        ratios.append(found["ratio"])
        terms = found["rank"] or found["terms"]
    return Resampled(name, data.rows, terms, tuple(ratios))


def run(names: Sequence[str], rows: int, jobs: int) -> list[Resampled]:
    """All data sets."""
    found = in_processes(partial(resampled, rows), names, jobs)
    return [one for one in found if one is not None]


def table(found: Sequence[Resampled]) -> Iterator[str]:
    """A line for each data set."""
    yield f"| data set | rows | terms | mean ratio of {DRAWS} resamples | allowed | |"
    yield "|---|---|---|---|---|---|"
    for one in found:
        said = "met" if one.met else "MISSED"
        yield (
            f"| {one.data} | {one.rows:,} | {one.terms} | {one.mean:.3f} "
            f"| 1 ± {one.allowed:.3f} | {said} |"
        )
