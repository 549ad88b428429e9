"""Recoding is seen by measures of both files together: numbers are compared as they were."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.figures import assess
from support.reports import data_of, variable_of

ROWS = 600
RNG = np.random.default_rng(8)
AGES = RNG.integers(16, 96, ROWS)
INCOMES = np.round(RNG.lognormal(10, 0.8, ROWS) + 90 * AGES)
ORIGINAL = pd.DataFrame({"age": AGES, "income": INCOMES})
SAID = {"variable": {"age": {"type": "continuous"}, "income": {"type": "continuous"}}}
CUT = ORIGINAL.assign(income=np.minimum(INCOMES, np.median(INCOMES)))
ONLY = ["gdu", "propensity", "clusters", "ecdf"]


def compared(protected, schema=SAID, **more):
    return assess(ORIGINAL, protected, schema=schema, only=ONLY, **more)


def largest_gap(a, b):
    """U_m by its definition."""
    points = np.concatenate([a, b])
    below = [(table[None, :, :] <= points[:, None, :]).all(axis=2).mean(axis=1) for table in (a, b)]
    return np.abs(below[0] - below[1]).max()


@pytest.mark.parametrize(
    "protected",
    [
        CUT,
        ORIGINAL.assign(income=np.rint(INCOMES / 20_000) * 20_000),
        ORIGINAL.assign(age=AGES // 10 * 10),
        ORIGINAL.assign(age=np.clip(AGES, 30, 70)),
    ],
)
def test_recoded_numbers_are_compared_with_the_original_as_it_was(protected):
    result = compared(protected)
    assert result.inputs.alignment.aligned
    assert any(v.recoding is not None for v in result.variables)
    gap = largest_gap(ORIGINAL.to_numpy(float), protected.to_numpy(float))
    assert result.ecdf.maximum == pytest.approx(gap)
    assert gap > 0.03
    # That the recoding is known changes nothing: the same without rows that correspond.
    apart = compared(protected, SAID | {"options": {"aligned": False}})
    assert result.ecdf.mean_square == pytest.approx(apart.ecdf.mean_square)
    assert result.propensity.value == pytest.approx(apart.propensity.value)
    assert [c.value for c in result.clusters] == pytest.approx([c.value for c in apart.clusters])
    assert "apart from the recoding" not in str(result).lower()


def test_incomes_cut_at_the_median_show_everywhere():
    result = compared(CUT)
    assert result.ecdf.maximum > 0.3
    assert result.propensity.ratio > 10
    full, public = (
        variable_of(data_of(result_report(CUT, edition)), "income")
        for edition in ("internal", "public")
    )
    assert full["detail"]["ends"][0][1] == pytest.approx(INCOMES.max(), rel=1e-3)
    quartile = full["detail"]["boxes"][0][3]
    assert quartile == pytest.approx(np.quantile(INCOMES, 0.75), rel=0.02)
    for detail in (full["detail"], public["detail"]):
        assert detail["after"][-1] == 0.0
        assert detail["before"][-1] > 0.0
    assert public["story"].startswith("top-coded")
    assert "kept" not in public["story"]
    assert "recoding" not in public


def result_report(protected, edition, schema=SAID):
    result = assess(ORIGINAL, protected, schema=schema, only=ONLY, details=True)
    return result.report(edition=edition)


def in_bands(edges):
    labels = [f"{a}-{b - 1}" for a, b in pairwise(edges)]
    return np.array(labels)[np.searchsorted(edges, AGES, side="right") - 1]


@pytest.mark.parametrize(("edges", "said"), [([16, 50, 96], "2"), (range(16, 97, 16), "5")])
def test_bands_are_told_to_data_users_without_their_map(edges, said):
    edges = list(edges)
    data = data_of(result_report(ORIGINAL.assign(age=in_bands(edges)), "public"))
    shown = variable_of(data, "age")
    assert shown["story"] == f"given in {said} bands"
    assert shown["detail"]["recoded"] is True
    assert "recoding" not in shown
    assert any("The recoding of age is not counted in this." in said for said in data["verdict"])


def test_bands_are_recoded_first_and_the_words_say_what_that_costs():
    result = compared(ORIGINAL.assign(age=in_bands([16, 50, 96])))
    found = next(v for v in result.variables if v.name == "age")
    assert found.left_scale
    assert result.ecdf.maximum == 0.0  # apart from the recoding, nothing happened
    said = " ".join(str(result).split())
    assert "apart from the recoding of age" in said
    assert f"recoding alone keeps: age {found.recoding.utility:.2f}" in said
    assert said.count("apart from the recoding of age") == 1


@pytest.mark.parametrize("only", [["clusters"], ["ecdf"], ["clusters", "ecdf"]])
def test_every_one_of_these_sections_says_so(only):
    banded = ORIGINAL.assign(age=in_bands([16, 50, 96]))
    said = str(assess(ORIGINAL, banded, schema=SAID, only=only))
    assert said.count("apart from the recoding of age") == 1


def test_the_outer_bars_say_what_they_hold():
    tailed = ORIGINAL.assign(income=np.where(np.arange(ROWS) < 2, 9e6, INCOMES))
    result = assess(tailed, tailed, schema=SAID, only=["gdu"], details=True)
    detail = variable_of(data_of(result.report()), "income")["detail"]
    beyond = (tailed["income"] > detail["edges"][-1]).mean()
    assert beyond > 0
    assert detail["outside"].startswith(
        f"Drawn in the outer bars: {100 * beyond:.2f} % of the original values lie above"
    )
    assert detail["ends"][0][1] == pytest.approx(9e6)
    plain = variable_of(data_of(result.report()), "age")["detail"]
    assert plain["outside"] == ""


def test_kept_is_said_only_of_what_is_exactly_so():
    noisy = ORIGINAL.assign(income=INCOMES + RNG.normal(0, 30, ROWS))
    assert stats.ks_2samp(noisy["income"], INCOMES).pvalue > 0.9
    said = str(compared(noisy))
    assert "distribution is as it was" not in said
    assert "No variable's distribution was found to differ" in said
    shuffled = ORIGINAL.assign(income=RNG.permutation(INCOMES))
    assert "Every variable's distribution is as it was." in str(compared(shuffled))
    public = data_of(result_report(noisy, "public"))
    assert variable_of(public, "income")["story"] == "no change of the distribution found"
    # Data users are not told that it is exactly so: that would confirm every released value.
    assert variable_of(public, "age")["story"] == "no change of the distribution found"
