"""What is measured of a protected file: from both tables and the schema to figures by name.

A *measurer* makes all its figures of a file in one go; figures are kept by measurer, so a new one
does not make the others work again. To add figures: read them in `figures_of_*` or write another
measurer, and say in `FIGURES` of what kind they are and which way they go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.panel.cases import Case, Figures
from benchmarks.panel.pairs import Kind
from benchmarks.panel.peers import peers
from microgauge.results.disclosure import Disclosure

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


PEERS = "peers"
MEASURERS: Mapping[str, Measurer] = {"risk": risk, PEERS: peers}

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
    "SDMetrics DisclosureProtection": Figure("risk", PEERS, rises=False),
    "SDMetrics NewRowSynthesis": Figure("risk", PEERS, rises=False),
    "Anonymeter inference": Figure("risk", PEERS),
    "Anonymeter linkability": Figure("risk", PEERS),
}
