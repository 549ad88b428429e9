"""What is measured of a protected file: from both tables and the schema to figures by name.

A *measurer* makes all its figures of a file in one go; figures are kept by measurer, so a new one
does not make the others work again. To add figures: read them in `figures_of_*` or write another
measurer, and say in `FIGURES` of what kind they are and which way they go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

import microgauge
from benchmarks.panel.datasets import UNIT, DataSet
from benchmarks.panel.pairs import Kind
from benchmarks.panel.protections import Protection
from microgauge.results.disclosure import Disclosure
from microgauge.sections.registry import sections

Figures = dict[str, float | None]
"""None: the measure has no figure for this file."""


@dataclass(frozen=True, eq=False)
class Case:
    """A protected file of a data set."""

    data: DataSet
    protection: Protection
    seed: int

    @cached_property
    def protected(self) -> pl.DataFrame:
        return self.protection.make(self.data, self.seed)

    @property
    def original(self) -> pl.DataFrame:
        return self.data.frame if self.protection.aligned else self.data.frame.drop(UNIT)

    @property
    def schema(self) -> dict[str, Any]:
        return self.data.schema(self.protection.aligned)

    def assessed(self, *names: str) -> microgauge.Assessment:
        """microgauge's own sections, those of the names that there are."""
        there = {section.name for section in sections()}
        only = [name for name in names if name in there]
        return microgauge.assess(self.original, self.protected, schema=self.schema, only=only)


Measurer = Callable[[Case], Figures]


@dataclass(frozen=True)
class Figure:
    """A figure's kind, who makes it, and whether more of it is riskier or more useful."""

    kind: Kind
    measurer: str
    rises: bool = True
    default: bool = False
    """Whether it is the one that the package takes where nothing is said."""


def risk(case: Case) -> Figures:
    """Class sizes and linkage; what an intruder finds and learns."""
    result = case.assessed("risk", "disclosure")
    classes = result.sections["risk"]
    return {
        "R_internal": classes.internal,
        "linkage": classes.linkage,
        **_disclosure(result.sections.get("disclosure")),
    }


def _disclosure(part: Disclosure | None) -> Figures:
    """Nothing where the section was not computed."""
    if part is None:
        return {}
    found = part.found.value
    return {
        "disclosure.risk": part.risk,
        "found": part.copied.found_copied if found is None else found,
        "learned": _largest([target.value for target in part.learned]),
        "copied": part.copied.value,
        "repU": part.replicated.replicated,
        "DiSCO": _mean([target.correct for target in part.learned]),
        "DCAP": _mean([target.dcap for target in part.learned]),
        "TCAP": _mean([target.tcap for target in part.learned]),
    }


def _largest(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(*known, 0.0) if known else None


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


MEASURERS: Mapping[str, Measurer] = {"risk": risk}

FIGURES: Mapping[str, Figure] = {
    "disclosure.risk": Figure("risk", "risk", default=True),
    "found": Figure("risk", "risk"),
    "learned": Figure("risk", "risk"),
    "R_internal": Figure("risk", "risk"),
    "linkage": Figure("risk", "risk"),
    "copied": Figure("risk", "risk"),
    "repU": Figure("risk", "risk"),
    "DiSCO": Figure("risk", "risk"),
    "DCAP": Figure("risk", "risk"),
    "TCAP": Figure("risk", "risk"),
}
