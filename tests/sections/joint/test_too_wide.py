"""Variables with so many categories that a column for each would not fit into memory."""

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge.measures.joint import joint as joint_rows


@pytest.fixture(scope="module")
def places():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"place": [f"p{i}" for i in range(500)], "age": rng.integers(0, 90, 500)})
    return pd.concat([frame, frame], ignore_index=True)


@pytest.mark.parametrize("model", ["cart", "boost", "logit", "additive", "spline"])
def test_a_model_that_would_not_fit_is_null_with_the_reason(places, model, monkeypatch):
    monkeypatch.setattr(joint_rows, "MOST_CELLS", 100_000)
    chosen = {"propensity": {"model": model, "permutations": 1}}
    found = microgauge.assess(places, places, only=["propensity"], schema=chosen).propensity
    assert found.value is None
    assert "numbers would have to be held at once; merge the categories" in found.reason


def test_auto_takes_a_coarse_model_in_their_place(places, monkeypatch):
    monkeypatch.setattr(joint_rows, "MOST_CELLS", 100_000)
    found = microgauge.assess(places, places, only=["propensity"]).propensity
    assert found.value == pytest.approx(0, abs=1e-9)


def test_clusters_that_would_not_fit_are_null_with_the_reason(places, monkeypatch):
    monkeypatch.setattr(joint_rows, "MOST_CELLS", 100_000)
    for found in microgauge.assess(places, places, only=["clusters"]).clusters:
        assert found.value is None
        assert "2,000 × 500 numbers would have to be held at once" in found.reason
