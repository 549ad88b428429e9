"""Ways to look into a result, and to compare two."""

import json
import math
import warnings
from dataclasses import asdict
from functools import partial

import pandas as pd
import pytest
from hypothesis import strategies as st
from scipy import stats

import microgauge
from microgauge.results.plain import json_text

approx = partial(pytest.approx, rel=1e-9, abs=1e-12)
seeds = st.integers(0, 10_000)

assess = partial(microgauge.assess, only=["gdu"])


def one(original, protected, said=None, **options):
    """A run with the single variable x."""
    tables = [pd.DataFrame({"x": column}) for column in (original, protected)]
    return assess(*tables, schema={"options": options, "variable": {"x": said or {}}})


def variable(result, name):
    """What happened to a variable."""
    return next(v for v in result.variables if v.name == name)


def score(result, name):
    """A variable's score."""
    return next(v for v in result.gdu.variables if v.name == name)


def pair(result, a, b):
    """A pair's score, whichever way round it stands."""
    return next(p for p in result.gdu.pairs if {p.a, p.b} == {a, b})


def figures(result):
    """Every number of a result by its name, with pairs named regardless of their order."""
    gdu = result.gdu
    found = {
        "value": gdu.value,
        "univariate": gdu.univariate,
        "bivariate": gdu.bivariate,
        "grc": gdu.grc,
    }
    for v in gdu.variables:
        for field in ("statistic", "p", "recoding_utility", "utility", "bivariate_utility"):
            found[v.name, field] = getattr(v, field)
    for p in gdu.pairs:
        for field in (
            "p_original",
            "p_protected",
            "coefficient_original",
            "coefficient_protected",
            "utility",
            "n_original",
            "n_protected",
            "outcome",
            "test",
            "test_protected",
        ):
            found["-".join(sorted((p.a, p.b))), field] = getattr(p, field)
    return found


def assert_same_figures(one, other, rel=1e-9):
    """Equal words, equal nulls, numbers equal but for the last digits."""
    one, other = figures(one), figures(other)
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, float):
            assert other[name] == pytest.approx(value, rel=rel, abs=1e-290), name
        else:
            assert other[name] == value, name


def scipy_ks(original, protected):
    """scipy's two-sample Kolmogorov–Smirnov test of two pandas columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy tells where it falls back on the asymptotic p
        return stats.ks_2samp(original.dropna(), protected.dropna(), method="auto")


def says(sentences, *words):
    """Whether one of the sentences holds all the words."""
    return any(all(word in sentence for word in words) for sentence in sentences)


def mentions(result, *words):
    """Whether one note of a result holds all the words."""
    return says(result.notes, *words)


def strict_json(text):
    """What a text of JSON says; NaN and Infinity are no JSON."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def without_paths(result):
    """A result as JSON, without what may differ: where and how tables are read."""
    found = json.loads(json_text(result))
    for name in ("path", "manifest", "forms"):  # what sentences are made from, also the manifest's
        found.pop(name, None)
    for one in found.get("candidates", [found]):
        for side in ("original", "protected"):
            one.get("inputs", {}).get(side, {}).pop("path", None)
    return found


def with_details(result):
    """The same with what a report draws; a text is itself."""
    if isinstance(result, str):
        return result
    found = without_paths(result)
    if getattr(result, "details", None) is not None:
        found["details"] = json.loads(json.dumps(asdict(result.details)))
    return found


def differences(a, b, where="result"):
    """Where two results differ: floats by more than 1e-9, all else at all."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [line for key in a for line in differences(a[key], b[key], f"{where}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [line for i, (x, y) in pairs for line in differences(x, y, f"{where}[{i}]")]
    if type(a) is float and type(b) is float:
        return [] if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) else [f"{where}: {a} {b}"]
    return [] if type(a) is type(b) and a == b else [f"{where}: {a} {b}"]
