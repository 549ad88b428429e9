"""Limits on use that a file of shuffled variables would keep, too."""

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge.demo import ORIGINAL, SCHEMA
from microgauge.results.verdict import LIMIT_LOW


@pytest.fixture(scope="module")
def original():
    return pl.read_parquet(ORIGINAL) if str(ORIGINAL).endswith("parquet") else pl.read_csv(ORIGINAL)


@pytest.fixture(scope="module")
def shuffled(original):
    """Each column in an order of its own."""
    rng = np.random.default_rng(1)
    return original.select(
        pl.Series(c.name, c.gather(rng.permutation(original.height))) for c in original
    )


@pytest.fixture(scope="module")
def swapped(original):
    """One column of many in another order: the file stays useful."""
    rng = np.random.default_rng(2)
    order = rng.permutation(original.height)
    return original.with_columns(original["WKHP"].gather(order))


def ranked(original, candidates, require):
    return microgauge.rank(
        original, list(candidates.values()), names=list(candidates), schema=SCHEMA, require=require
    )


def low(result):
    return [one for one in result.verdict.findings if one.code == LIMIT_LOW]


def test_a_limit_that_shuffled_variables_keep_recommends_none_of_them(original, shuffled):
    found = ranked(original, {"shuffled": shuffled}, "risk<=0.5, utility>=0.5")
    (candidate,) = found.candidates
    assert candidate.keeps_limits
    assert candidate.assessment.verdict.useful.grade == "good"  # by the limit that was set
    assert found.recommended.name is None
    assert "nearer to shuffled variables" in found.recommended.reason
    (finding,) = low(candidate.assessment)
    assert finding.grade == "warn"
    assert "utility at least 0.5, they would have 0.8" in finding.sentence


def test_the_figure_that_is_told_is_that_of_the_reference(original, shuffled):
    result = microgauge.assess(original, shuffled, schema=SCHEMA, require="utility>=0.5")
    permuted = float(np.mean([table.permuted for table in result.tables.worst]))
    assert f"they would have {permuted:.3f}" in low(result)[0].sentence


def test_a_limit_above_them_is_a_judgement(original, shuffled):
    result = microgauge.assess(original, shuffled, schema=SCHEMA, require="utility>=0.5")
    permuted = float(np.mean([table.permuted for table in result.tables.worst]))
    above = microgauge.assess(
        original, shuffled, schema=SCHEMA, require=f"utility>={permuted + 0.001}"
    )
    assert low(above) == []


def test_a_low_limit_says_nothing_against_a_useful_file(original, swapped):
    found = ranked(original, {"swapped": swapped}, "risk<=1, utility>=0.5")
    assert low(found.candidates[0].assessment) == []
    assert found.recommended.name == "swapped"


def test_a_file_of_no_use_is_not_recommended_by_a_limit_on_risk_alone(original, shuffled, swapped):
    found = ranked(original, {"shuffled": shuffled}, "risk<=0.5")
    assert found.candidates[0].assessment.verdict.useful.grade == "poor"
    assert found.recommended.name is None
    assert "its use is called poor" in found.recommended.reason
    both = ranked(original, {"shuffled": shuffled, "swapped": swapped}, "risk<=1")
    assert both.recommended.name == "swapped"
