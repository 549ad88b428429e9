"""What is measured of a protected file: from both tables and the schema to figures by name.

A *measurer* makes all its figures of a file in one go; figures are kept by measurer, so a new one
does not make the others work again. To add figures: read them in `figures_of_*` or write another
measurer, and say in `FIGURES` of what kind they are and which way they go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.panel import peers, utility
from benchmarks.panel.cases import Case, Figures
from benchmarks.panel.pairs import Kind
from microgauge.results.disclosure import Disclosure
from microgauge.results.figures import PREFERRED_UTILITIES

Measurer = Callable[[Case], Figures]


@dataclass(frozen=True)
class Figure:
    """A figure's kind, who makes it, and whether more of it is riskier or more useful."""

    kind: Kind
    measurer: str
    rises: bool = True
    default: bool = False
    """Whether it is the one that the package takes where nothing is said."""
    main: bool = True
    """Whether it stands in the tables by data set and by pair too."""


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
        "DiSCO": utility.mean([target.correct for target in part.learned]),
        "DCAP": utility.mean([target.dcap for target in part.learned]),
        "TCAP": utility.mean([target.tcap for target in part.learned]),
    }


def _largest(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(*known, 0.0) if known else None


MEASURERS: Mapping[str, Measurer] = {
    "risk": risk,
    "risk_peers": peers.risk_peers,
    "utility": utility.utility,
    "gdu_1000": utility.gdu_small,
    "propensity": utility.propensity,
    "loss": utility.loss,
    "clusters": utility.clusters,
    "boost": utility.boost,
    "sdmetrics": peers.sdmetrics,
    "syntheval": peers.syntheval,
    "table_evaluator": peers.table_evaluator,
}
EXTRA: Mapping[str, frozenset[str]] = {
    "peers": frozenset(peers.PEERS),
    "boost": frozenset({"boost"}),
}
"""Measurers that have to be asked for, by option: they take long."""
MOST_SEEDS: Mapping[str, int] = {
    "propensity": 2,
    "loss": 1,
    "clusters": 1,
    "boost": 1,
}
"""Measurers that take long look at the first seeds only: all of the panel in forty minutes."""
DEFAULT_UTILITY = PREFERRED_UTILITIES[0]

_OF_RISK: Mapping[str, Figure] = {
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
    "SDMetrics DisclosureProtection": Figure("risk", "risk_peers", rises=False),
    "SDMetrics NewRowSynthesis": Figure("risk", "risk_peers", rises=False),
    "Anonymeter inference": Figure("risk", "risk_peers"),
    "Anonymeter linkability": Figure("risk", "risk_peers"),
}

_RISING = {"tables", "k_marginal", "gdu", "gdu_with_grc", "gdu_univariate", "gdu_bivariate"}
_RISING |= {"rut", "rut_similarity"}
_MAIN = {"tables", "k_marginal", "gdu", "U_p", "ratio", "auc", "auc_cross", "U_m", "U_s", "rut"}
_MAIN |= {"il1s", "ctbil", "hellinger"}


def _utility(name: str) -> Figure:
    """A figure that is read from the result by its place."""
    section = utility.PLACES[name][0].split(".")[0]
    measurer = section if section in ("propensity", "loss") else "utility"
    rises, default = name in _RISING, name == DEFAULT_UTILITY
    return Figure("utility", measurer, rises, default, main=name in _MAIN)


_OF_UTILITY: Mapping[str, Figure] = {
    **{name: _utility(name) for name in utility.PLACES},
    "gdu_1000": Figure("utility", "gdu_1000"),
    "gdu_1000_bivariate": Figure("utility", "gdu_1000", main=False),
    "U_c": Figure("utility", "clusters", rises=False),
    "boost_auc": Figure("utility", "boost", rises=False),
    "boost_U_p": Figure("utility", "boost", rises=False, main=False),
    **{name: Figure("utility", measurer) for name, measurer in peers.UTILITY_PEERS.items()},
}

FIGURES: Mapping[str, Figure] = {**_OF_RISK, **_OF_UTILITY}
