"""Files whose loss is known, measured beside the protected one."""

import json

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from microgauge import assess
from microgauge.cli import main
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.sections.charts import OWN
from microgauge.sections.yardsticks.report import report as yardsticks_report
from support.surveys import make_survey, perturb, schema

NAMES = ["resample of the original", "50% sample", "10% sample", "1% sample", "columns permuted"]
PAIRS = {"propensity": {"model": "logit", "interactions": "pairs"}}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Threads that wait for each other make small fits slow on a busy machine."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module", params=["unweighted", "weighted"])
def survey_result(request):
    """A survey with yardsticks, with and without weights."""
    original = make_survey(3000, 1)
    said = schema() | PAIRS
    if request.param == "weighted":
        original["w"] = np.random.default_rng(1).uniform(0.5, 4, len(original))
        said["options"] = {"weight": "w"}
    protected = perturb(original.drop(columns="w", errors="ignore"), 0.1)
    if "w" in original:
        protected["w"] = original["w"]
    return assess(original, protected, schema=said, only=["gdu"], yardsticks=True)


def named(result):
    return {yardstick.name: yardstick for yardstick in result.yardsticks}


def test_names_in_order(survey_result):
    assert [y.name for y in survey_result.yardsticks] == NAMES


def test_resample_has_lost_nothing_but_chance(survey_result):
    found = named(survey_result)["resample of the original"]
    assert 0.6 < found.propensity_ratio < 1.5
    assert found.gdu > 0.8
    assert found.reason is None


def test_smaller_samples_lose_more(survey_result):
    found = named(survey_result)
    bivariate = [found[name].bivariate for name in ("50% sample", "10% sample", "1% sample")]
    assert bivariate == sorted(bivariate, reverse=True)


def test_permuted_columns_keep_only_what_was_no_association(survey_result):
    found = named(survey_result)["columns permuted"]
    pairs = [p for p in survey_result.gdu.pairs if p.outcome is not None]
    threshold = survey_result.gdu.threshold
    without = np.mean([p.p_original >= threshold for p in pairs])
    assert abs(found.bivariate - without) < 0.1
    assert found.univariate > 0.9
    assert found.propensity_ratio > 5


def test_permuted_columns_keep_their_univariate_distribution_exactly():
    original = make_survey(500, 1)
    result = assess(original, perturb(original, 0.1), schema=schema() | PAIRS, yardsticks=True)
    assert named(result)["columns permuted"].univariate == pytest.approx(1)


def test_permuted_columns_keep_weighted_distributions():
    # Weights that go with the income: cells drawn alike would have another distribution.
    original = make_survey(3000, 1)
    original["w"] = np.exp((original["score"] - 100) / 15).clip(0.2, 5)
    said = schema(weight="w") | PAIRS
    result = assess(original, original.copy(), schema=said, only=["gdu"], yardsticks=True)
    assert named(result)["columns permuted"].univariate > 0.8


@pytest.mark.parametrize("sections", [["gdu"], ["propensity"]])
def test_default_model_sees_permuted_columns(sections):
    original = make_survey(3000, 1)
    result = assess(
        original, perturb(original, 0.1), schema=schema(), only=["gdu"], yardsticks=True
    )
    found = named(result)
    assert found["columns permuted"].propensity_ratio > 5
    assert 0.6 < found["resample of the original"].propensity_ratio < 1.5


def test_only_on_request_and_set_by_the_seed():
    original = make_survey(300, 1)
    protected = perturb(original, 0.1)

    def run(seed, **more):
        return assess(original, protected, schema=schema(seed=seed) | PAIRS, only=["gdu"], **more)

    assert run(1).yardsticks is None
    first, again, other = (run(seed, yardsticks=True).yardsticks for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_yardsticks_do_not_depend_on_the_protected_file():
    original = make_survey(300, 1)
    one, other = (
        assess(original, f, schema=schema() | PAIRS, only=["gdu"], yardsticks=True).yardsticks
        for f in (perturb(original, 0.1), perturb(original, 0.9))
    )
    assert one == other


def test_yardsticks_do_not_depend_on_the_sections():
    original = make_survey(500, 1)
    # 1,000 rows bear products of the seven variables that are left, not of all eight.
    protected = perturb(original, 0.1).drop(columns="region")
    by_gdu, by_both = (
        assess(original, protected, schema=schema(), only=only, yardsticks=True)
        for only in (["gdu"], ["gdu", "propensity"])
    )
    assert by_gdu.yardsticks == by_both.yardsticks
    assert named(by_gdu)["columns permuted"].propensity_ratio > 2  # main effects alone: about 0


def test_keys_and_recodings_are_no_part_of_them():
    original = make_survey(400, 1).assign(unit=range(400))
    protected = original.assign(age=original["age"] // 10 * 10).sample(frac=1, random_state=1)
    said = schema({"age": {"recode": {"round": 10}, "recode_measure": "pairs"}})
    said["variable"]["age"]["rounding"] = "floor"
    result = assess(original, protected, schema=said, key="unit", only=["gdu"], yardsticks=True)
    found = named(result)["columns permuted"]
    assert found.univariate == pytest.approx(1)
    assert found.reason is None


def test_the_ruler_calls_them_as_the_table_does(survey_result):
    told = yardsticks_report(survey_result, survey_result.yardsticks)
    ruler, *_, figures = told
    assert {name for name, _ in ruler.points} - {OWN} == {
        row[0] for row in figures.blocks[0].rows[:-1]
    }


def test_a_tiny_original_has_reasons_and_no_crash():
    original = make_survey(12, 1)
    result = assess(original, original.copy(), schema=schema(), only=["gdu"], yardsticks=True)
    found = named(result)["1% sample"]
    assert found.propensity_ratio is None or np.isfinite(found.propensity_ratio)
    assert found.gdu is not None or found.reason


@pytest.mark.slow
def test_json_of_the_demo(capsys):
    arguments = [str(ORIGINAL), str(PROTECTED), "--schema", str(SCHEMA), "--only", "propensity"]
    assert main(["assess", *arguments, "--yardsticks", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["yardsticks"]
    assert [entry["name"] for entry in found] == NAMES
    for entry in found:
        assert {"name", "gdu", "propensity", "propensity_ratio"} <= entry.keys()
        assert 0 <= entry["gdu"] <= 1
    by_name = {entry["name"]: entry for entry in found}
    assert by_name["columns permuted"]["propensity_ratio"] > 5
    assert by_name["resample of the original"]["propensity_ratio"] < 2
