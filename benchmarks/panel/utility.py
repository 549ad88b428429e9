"""Figures of utility, read by name from the JSON result: those to come appear once they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from benchmarks.panel.cases import Case, Figures
from microgauge.sections.joint.choices import PropensityChoices

SMALL = 1_000
"""Units as if from which GDU's tests are made where all files count alike."""

QUICK: Mapping[str, dict[str, Any]] = {
    "gdu": {"references": False},
    "propensity": {"resamples": 0},
}
"""What takes long and moves no figure that is read here: GDU's references, draws of U_p's null."""
PLACES: Mapping[str, Sequence[str]] = {
    "tables": ("tables.value", "tables.score"),
    "k_marginal": ("tables.k_marginal",),
    "gdu": ("gdu.value",),
    "gdu_with_grc": ("gdu.value_with_grc",),
    "gdu_univariate": ("gdu.univariate",),
    "gdu_bivariate": ("gdu.bivariate",),
    "U_p": ("propensity.value",),
    "ratio": ("propensity.ratio",),
    "auc": ("propensity.auc",),
    "auc_cross": ("propensity.auc_cross",),
    "specks": ("propensity.specks",),
    "U_m": ("ecdf.maximum",),
    "U_s": ("ecdf.mean_square",),
    "rut": ("rut.utility",),
    "rut_loss": ("rut.loss",),
    "rut_similarity": ("rut.similarity",),
    "il1s": ("loss.il1s",),
    "il1": ("loss.il1",),
    "gcp": ("loss.gcp",),
    "ctbil": ("loss.ctbil",),
    "aad": ("loss.aad",),
    "moved": ("loss.tables.*.moved",),
    "hellinger": ("loss.tables.*.hellinger",),
    "rcv": ("loss.tables.*.rcv",),
    "eigenvalues": ("loss.eigenvalues",),
    "eigenvalues_robust": ("loss.eigenvalues_robust",),
    "correlation": ("loss.matrices.correlation.mae",),
    "covariance": ("loss.matrices.covariance.mean_variation",),
}
"""Where each figure stands in the result, the first place that there is; `*`: the mean of sizes."""


def utility(case: Case) -> Figures:
    """What is quick, as it is by default."""
    return _read(case.plain("gdu", "tables", "ecdf", "rut", **QUICK))


def propensity(case: Case) -> Figures:
    """U_p as it is by default; its null is not drawn."""
    return _read(case.plain("propensity", **QUICK))


def loss(case: Case) -> Figures:
    """What became of values, tables and statistics."""
    return _read(case.plain("loss"))


def _read(result: Mapping[str, Any]) -> Figures:
    """All figures that the result has, defined or not."""
    return {name: found(result, places) for name, places in PLACES.items() if there(result, places)}


def clusters(case: Case) -> Figures:
    """U_c, the mean over the numbers of groups."""
    return {"U_c": mean([part["value"] for part in case.plain("clusters").get("clusters") or []])}


def gdu_small(case: Case) -> Figures:
    """GDU with every test as if from a thousand units."""
    result = case.plain("gdu", options={"test_n": SMALL}, **QUICK)
    return {
        "gdu_1000": found(result, PLACES["gdu"]),
        "gdu_1000_bivariate": found(result, PLACES["gdu_bivariate"]),
    }


def boost(case: Case) -> Figures:
    """The boosted classifier, where this version has one."""
    if PropensityChoices(model="boost").faults(""):  # type: ignore[arg-type, unused-ignore]
        return {}
    result = case.plain("propensity", propensity={"model": "boost", "permutations": 1})
    return {
        "boost_auc": found(result, ("propensity.auc_cross", "propensity.auc")),
        "boost_U_p": found(result, PLACES["U_p"]),
    }


def there(result: Mapping[str, Any], places: Sequence[str]) -> bool:
    """Whether the result has a section and a name of a figure, with a value or without."""
    return any(_has(result, place) for place in places)


def _has(result: Mapping[str, Any], place: str) -> bool:
    section, name, *_ = place.split(".")
    return name in (result.get(section) or {})


def found(result: Mapping[str, Any], places: Sequence[str]) -> float | None:
    """A figure by its place; None where it is undefined or not there."""
    for place in places:
        if _has(result, place):
            return _at(result, place.split("."))
    return None


def _at(part: Any, steps: Sequence[str]) -> float | None:
    if part is None or not steps:
        return float(part) if isinstance(part, int | float) and isfinite(part) else None
    if steps[0] == "*":
        values = [_at(one, steps[1:]) for one in part]
        return mean([None if value is None else abs(value) for value in values])
    return _at(part.get(steps[0]), steps[1:])


def mean(values: Sequence[float | None]) -> float | None:
    """Of those that there are."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
