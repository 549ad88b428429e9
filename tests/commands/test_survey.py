"""A real survey protected in the ways that make other programs crash or look away."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge.demo import ORIGINAL


@pytest.fixture(scope="module")
def result() -> microgauge.Assessment:
    """Ages in bands as text, hours top-coded, cells suppressed, and `*` declared as missing."""
    rng = np.random.default_rng(11)
    original = pl.read_csv(ORIGINAL, schema_overrides={"PUMA": pl.String})
    low = original["AGEP"] // 10 * 10
    bands = [f"{a}-{a + 9}" if a < 80 else "80+" for a in low]
    n = original.height
    protected = original.with_columns(
        pl.Series("AGEP", bands),
        pl.col("WKHP").clip(upper_bound=60),
        pl.when(pl.Series(rng.random(n) > 0.05)).then("RAC1P").alias("RAC1P"),
        pl.when(pl.Series(rng.random(n) > 0.03))
        .then(pl.col("SCHL").cast(pl.String))
        .otherwise(pl.lit("*"))
        .alias("SCHL"),
    )
    schema = {"variable": {"SCHL": {"type": "ordinal", "missing": ["*"]}}}
    return microgauge.assess(original, protected, schema=schema)


def test_every_variable_and_pair_is_assessed(result: microgauge.Assessment) -> None:
    assert all(score.utility is not None for score in result.gdu.variables)
    assert result.gdu.coverage.tested == result.gdu.coverage.pairs == 105
    assert result.gdu.coverage.reasons == {}


def test_bands_are_compared_as_bands(result: microgauge.Assessment) -> None:
    age = next(v for v in result.variables if v.name == "AGEP")
    assert (age.type, age.protected_type) == ("continuous", "ordinal")
    assert age.recoding is not None
    assert (age.recoding.how, age.recoding.form) == ("labels", "banded")
    score = next(s for s in result.gdu.variables if s.name == "AGEP")
    assert score.p == 1.0  # nothing was changed but the bands
    assert score.utility == pytest.approx(age.recoding.utility, abs=1e-6)
    assert 0.5 < score.utility < 0.95


def test_top_coding_is_found(result: microgauge.Assessment) -> None:
    hours = next(v for v in result.variables if v.name == "WKHP")
    assert hours.recoding is not None
    assert (hours.recoding.how, hours.recoding.form) == ("inferred", "top-coded")
    assert hours.recoding.map[0]["to"] == "60"
    assert hours.protected_type == "continuous"


def test_suppression_is_counted_and_is_no_recoding(result: microgauge.Assessment) -> None:
    for name in ("RAC1P", "SCHL"):
        variable = next(v for v in result.variables if v.name == name)
        assert variable.recoding is None
        assert variable.missing_protected is not None
        assert variable.missing_protected > 100 + variable.missing_original
        score = next(s for s in result.gdu.variables if s.name == name)
        assert score.utility is not None
        assert score.utility > 0.9


def test_coverage_and_losses_are_printed(result: microgauge.Assessment) -> None:
    printed = result.long_text()
    assert "Coverage: 105 of 105 pairs tested." in printed
    assert "top-coded (inferred)" in printed
    assert "More missing values: RAC1P" in printed
