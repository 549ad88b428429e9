"""The JSON contract, the data frames and the notebook view."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import polars as pl
import pytest

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.results.plain import json_text


@pytest.fixture(scope="module")
def demo() -> microgauge.Assessment:
    return microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA)


CONTRACT = {
    "": {"microgauge", "schema_version", "inputs", "variables", "gdu", "notes"},
    "inputs": {"original", "protected", "alignment", "seed"},
    "inputs.original": {"path", "rows", "columns"},
    "inputs.alignment": {"aligned", "how", "reason", "dropped", "added"},
    "variables": {
        "name", "role", "type", "protected_type", "removed", "missing_original",
        "missing_protected", "recoding",
    },
    "gdu": {
        "value", "univariate", "bivariate", "grc", "value_with_grc", "threshold", "weights",
        "test_n", "variables", "pairs", "coverage", "models",
    },
    "gdu.variables": {
        "name", "test", "statistic", "p", "recoding_utility", "perturbation_utility", "utility",
        "bivariate_utility",
    },
    "gdu.pairs": {
        "a", "b", "test", "test_protected", "n_original", "n_protected", "p_original",
        "p_protected", "coefficient_original", "coefficient_protected", "outcome", "utility",
        "signs_flipped",
    },
    "gdu.coverage": {"pairs", "tested", "reasons"},
    "gdu.models": {
        "kind", "formula", "statistic_original", "statistic_protected", "utility", "terms",
    },
    "gdu.models.terms": {"term", "original", "protected", "outcome", "utility"},
}  # fmt: skip


@pytest.mark.parametrize("place", CONTRACT)
def test_json_has_the_names_of_the_contract(demo: microgauge.Assessment, place: str) -> None:
    entries = [json.loads(json_text(demo))]
    for step in filter(None, place.split(".")):
        found = [entry[step] for entry in entries]
        entries = [e for f in found for e in (f if isinstance(f, list) else [f])]
    assert entries
    for entry in entries:
        assert entry.keys() >= CONTRACT[place]


def test_recoding_is_shown_with_its_map(demo: microgauge.Assessment) -> None:
    recodings = {v["name"]: v["recoding"] for v in demo.to_dict()["variables"]}
    assert recodings["AGEP"]["how"] == "labels"
    assert recodings["AGEP"]["map"][0] == {"to": "16-19", "low": 16.0, "high": 19.0}
    assert recodings["SEX"] is None


def test_every_null_score_has_a_reason(demo: microgauge.Assessment) -> None:
    gdu = demo.to_dict()["gdu"]
    for entry in [*gdu["variables"], *gdu["pairs"]]:
        if entry["utility"] is None or entry.get("p", 1) is None:
            assert entry["reason"]


def test_not_a_number_never_reaches_the_json(demo: microgauge.Assessment) -> None:
    assert "NaN" not in json_text(demo)
    assert "Infinity" not in json_text(demo)


def test_results_are_frozen(demo: microgauge.Assessment) -> None:
    with pytest.raises(FrozenInstanceError):
        demo.gdu.value = 1.0  # type: ignore[misc]


def test_tables_are_data_frames(demo: microgauge.Assessment) -> None:
    variables, pairs = demo.variable_table(), demo.pair_table()
    assert isinstance(variables, pl.DataFrame)
    assert variables.height == len(demo.gdu.variables)
    assert pairs.height == len(demo.gdu.pairs)
    weakest = pairs.sort("utility", nulls_last=True).row(0, named=True)
    assert {weakest["a"], weakest["b"]} == {"RAC1P", "WKHP"}
    assert pairs.schema["p_original"] == pl.Float64
    assert variables.filter(pl.col("removed"))["name"].to_list() == ["COW"]


def test_notebook_view_escapes_names_of_the_data() -> None:
    name = "<script>alert('x')</script>"
    frame = pl.DataFrame({name: ["a", "b"] * 50, "y": ["c", "d"] * 50})
    other = frame.with_columns(pl.lit("a").alias(name))
    view = microgauge.assess(frame, other)._repr_html_()
    assert "<script>" not in view
    assert "&lt;script&gt;" in view


def test_text_and_repr(demo: microgauge.Assessment) -> None:
    ratio = demo.propensity.ratio
    assert repr(demo) == (
        f"Assessment(gdu={demo.gdu.value:.4f}, propensity_ratio={ratio:.3g}, variables=15)"
    )
    assert "RAC1P × WKHP" in str(demo)


def test_the_same_input_gives_the_same_bits(demo: microgauge.Assessment) -> None:
    assert json_text(microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA)) == json_text(demo)
