"""The worked example by hand: two people's regions are exchanged, nobody can be trusted."""

import polars as pl
import pytest

import microgauge

KEY = {"role": "quasi_identifier", "type": "nominal"}
ORIGINAL = pl.DataFrame(
    {
        "id": [1, 2, 3, 4, 5],
        "sex": ["f", "f", "m", "m", "f"],
        "region": ["A", "A", "A", "B", "B"],
        "job": ["nurse", "nurse", "smith", "judge", "judge"],
    }
)
PROTECTED = ORIGINAL.with_columns(region=pl.Series(["B", "A", "B", "A", "A"]))
SCHEMA = {
    "options": {"key": "id"},
    "variable": {"sex": KEY, "region": KEY, "job": {"role": "sensitive", "type": "nominal"}},
}


@pytest.fixture(scope="module")
def result():
    return microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA, only=["disclosure", "risk"])


def test_found(result):
    """M(2) = {2, 5} alone holds the own record."""
    found = result.disclosure.found
    assert found.exact == pytest.approx(0.1, abs=1e-15)
    assert found.released == pytest.approx(0.1, abs=1e-15)
    assert found.value == found.nearest == pytest.approx(0.1, abs=1e-15)
    assert (found.largest, found.above) == (0.5, {"0.1": 0.2, "0.2": 0.2, "0.5": 0.0})
    assert result.risk.internal_any == pytest.approx(0.8, abs=1e-15)
    assert result.risk.internal == pytest.approx(0.8, abs=1e-15)


def test_claims(result):
    """M(3) = {4}, M(4) = {3}, M(5) = {1}: three who match one record, and it is another's."""
    found = result.disclosure.found
    assert (found.min_matches, found.claims, found.claims_right) == (1, 3, 0.0)
    assert found.claims_right_ci[0] == 0.0
    assert found.claims_right_ci[1] == pytest.approx(0.5614970317550455)


def test_learned(result):
    """Judge for the smith, smith for a judge, nurse for a judge: all wrong."""
    [job] = result.disclosure.learned
    assert job.gain == pytest.approx(-0.2, abs=1e-15)
    # Units 1 and 2 have two matches, the others one: what that gives by chance of each job.
    q = p = {"nurse": 0.4, "smith": 0.2, "judge": 0.4}
    null = 0.0
    for truth, matches in zip(ORIGINAL["job"], [2, 2, 1, 1, 1], strict=True):
        null += sum(q[v] ** matches * ((truth == v) - p[v]) for v in q) / 5
    assert job.null == pytest.approx(null, abs=1e-15)
    assert job.exact == pytest.approx(-0.2 - null, abs=1e-15)
    assert (job.disclosed, job.correct, job.present, job.tcap) == (0.6, 0.0, 1.0, 0.0)


def test_three_of_four_classes_look_unique(result):
    """They do, and none of them is who it seems."""
    assert result.risk.classes_total == 4
    assert result.risk.uniques == 3
    replicated = result.disclosure.replicated
    assert replicated.unique_original == replicated.unique_protected == 0.6
    assert replicated.unique_present == replicated.replicated == 0.6


def test_the_figure(result):
    found = result.disclosure
    assert found.risk == pytest.approx(0.1, abs=1e-15)
    assert (found.worst.part, found.worst.variable, found.upper_bound) == ("found", None, False)
    assert (found.units, found.released) == (5, 5)
    assert found.risk_ci[0] <= found.risk <= found.risk_ci[1]
