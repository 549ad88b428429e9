"""The JSON contract, the data frames and the notebook view."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path

import polars as pl
import pytest

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.results.plain import json_text
from support.tables import people, protected_version, said


@pytest.fixture(scope="module")
def demo() -> microgauge.Assessment:
    return microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA)


CONTRACT = {
    "": "microgauge schema_version inputs variables left_in gdu propensity clusters ecdf tables"
    " loss indicators regressions disclosure risk rut verdict yardsticks manifest notes forms",
    "inputs": "original protected alignment seed",
    "inputs.original": "path rows columns",
    "inputs.protected": "path rows columns",
    "inputs.alignment": "aligned how reason dropped added",
    "variables": "name role type protected_type removed missing_original missing_protected"
    " recoding label value_labels",
    "variables.recoding": "how form measure utility cost groups unit map",
    "variables.recoding.map": "to from low high",
    "left_in": "column why share code grade sentence remedy",
    "gdu": "value univariate bivariate grc value_with_grc threshold weights test_n variables pairs"
    " coverage models multivariate permuted resample at_1000",
    "gdu.permuted": "value univariate bivariate rows files",
    "gdu.resample": "value univariate bivariate rows files",
    "gdu.at_1000": "value univariate bivariate",
    "gdu.variables": "name test statistic p recoding_utility perturbation_utility utility"
    " bivariate_utility importance",
    "gdu.pairs": "a b test test_protected n_original n_protected p_original p_protected"
    " coefficient_original coefficient_protected outcome utility signs_flipped",
    "gdu.coverage": "pairs tested reasons",
    "gdu.models": "kind formula statistic_original statistic_protected outcome utility terms",
    "gdu.models.terms": "term original protected outcome utility",
    "propensity": "model description degree interactions sees design terms rank rank_original rows"
    " value expected ratio null_deviation resamples null_share beyond_chance permuted_ratio"
    " sees_permuted auc auc_cross size specks po50"
    " percentiles_original percentiles_protected variables seed boosted",
    "propensity.sees": "share how pairs of names",
    "propensity.design": "degree groups pairs rows terms categories",
    "propensity.percentiles_original": "1 5 10 25 50 75 90 95 99",
    "propensity.percentiles_protected": "1 5 10 25 50 75 90 95 99",
    "propensity.variables": "name drop",
    "propensity.boosted": "value expected ratio null_share beyond_chance auc_cross size rows seed",
    "clusters": "method groups weights rows value null_share seed expected ratio resamples"
    " clusters",
    "clusters.clusters": "rows original weight",
    "ecdf": "maximum mean_square exact points null_share_maximum null_share_mean_square seed"
    " resamples",
    "tables": "ways tables value score standard_error value_ci k_marginal by sample_share permuted"
    " resample one_way variables worst replicates possible seed",
    "tables.variables": "name value one_way cells permuted resample removed",
    "tables.worst": "variables score moved recoding permuted resample pmse_ratio",
    "loss": "units records_changed records_changed_recoded il1s il1 gcp ctbil aad eigenvalues"
    " eigenvalues_robust variables tables matrices correlations subdomains loglinear validity seed",
    "loss.correlations": "variables original protected left_out",
    "loss.validity": "valid criteria groups least_records",
    "loss.validity.criteria": "name value limit passed compared about",
    "loss.loglinear": "variables margins cells parameters added units_original units_protected"
    " freedom deviance_original deviance_protected deviance_under_original agreement same_sign"
    " overlap rank_correlation terms",
    "loss.loglinear.terms": "variables parameters agreement overlap",
    "loss.variables": "name missing changed changed_share changed_recoded compared left_out il1s"
    " il1 mae mse mean_variation ncp moments methods",
    "loss.variables.missing": "original protected share_original share_protected increase"
    " relative_increase",
    "loss.variables.moments": "original protected",
    "loss.variables.moments.original": "mean sd q1 median q3",
    "loss.variables.moments.protected": "mean sd q1 median q3",
    "loss.tables": "variables cells ctbil aad moved hellinger cramers_v_original"
    " cramers_v_protected rcv",
    "loss.matrices": "covariance correlation loadings communalities score_coefficients",
    "loss.matrices.covariance": "mse mae mean_variation",
    "loss.matrices.correlation": "mse mae mean_variation",
    "loss.matrices.loadings": "mse mae mean_variation",
    "loss.matrices.communalities": "mse mae mean_variation",
    "loss.matrices.score_coefficients": "mse mae mean_variation",
    "loss.subdomains": "group category rows_original rows_protected means covariance",
    "loss.subdomains.means.*": "original protected",
    "loss.subdomains.covariance": "mse mae mean_variation",
    "indicators": "name statistic by group original original_ci protected protected_ci"
    " relative_difference inside overlap interval resamples units_original units_protected"
    " records_original records_protected influence_original variable category where seed",
    "regressions": "formula kind where robust bands overlap units_original units_protected"
    " fit_original fit_protected inside joint_overlap joint_distance joint_terms coefficients",
    "regressions.coefficients": "term original original_ci protected protected_ci inside overlap"
    " standardised_difference same_sign same_verdict records_original influence_original",
    "disclosure": "risk risk_ci upper_bound worst keys keys_gone targets units released found"
    " copied replicated learned learned_ci excess excess_ci holdout holdout_shared membership"
    " attacks intruders looked_for seed",
    "disclosure.worst": "part variable",
    "disclosure.found": "value exact nearest released ci population min_matches claims claims_right"
    " claims_right_ci largest above group groups looked_for",
    "disclosure.found.above": "0.1 0.2 0.5",
    "disclosure.found.groups": "level units found",
    "disclosure.copied": "value uniques present found_copied found_copied_ci control excess"
    " excess_ci found_copied_control found_copied_excess found_copied_excess_ci variables interval",
    "disclosure.replicated": "unique_original unique_protected unique_present replicated",
    "disclosure.learned": "target value exact exact_ci nearest nearest_ci gain null ci disclosed"
    " correct original both present cap_base cap_original cap_protected dcap tcap holdout excess"
    " excess_ci flags",
    "disclosure.membership": "auc auc_ci tpr_01 tpr_01_ci tpr_10 tpr_10_ci score nearer_share",
    "disclosure.attacks": "singling_out linkability inference",
    "disclosure.attacks.*": "attack attack_ci naive naive_ci control control_ci risk ci attacks"
    " target",
    "disclosure.intruders": "knows keys found learned target error",
    "risk": "keys records internal external external_methods external_reasons external_keys combine"
    " total safety missing_keys missing_keys_why internal_value internal_any k k_value k_any"
    " sensitivity external_unmatched external_matched external_weights uniques_value uniques_any"
    " classes_total uniques classes class_quantiles"
    " expected_reidentifications threshold above_threshold population_uniques marketer linkage"
    " linkage_records interval interval_width interval_variables individual loglinear sensitive"
    " suda prosecutor journalist seed",
    "risk.external_methods": "class correlation probability unique",
    "risk.classes": "1 2 3 5",
    "risk.classes.*": "records share",
    "risk.class_quantiles": "5% 50% 95%",
    "risk.individual": "sum mean largest above_threshold",
    "risk.loglinear": "tau1 tau2 model fraction converged",
    "risk.sensitive": "name distinct_l entropy_l recursive_l c l_asked satisfied t",
    "risk.suda": "scores dis contributions level_contributions msus most fraction",
    "risk.suda.scores": "50% 95% 99% largest mean",
    "risk.suda.dis": "50% 95% 99% largest mean",
    "risk.prosecutor": "largest mean at_risk",
    "risk.journalist": "largest mean at_risk",
    "rut": "loss similarity utility form alpha beta value sweep attributes max_risk min_utility"
    " meets_limits risk risk_measure attribute_combine vectors",
    "rut.vectors": "variables manhattan euclidean manhattan_bound euclidean_bound manhattan_loss"
    " euclidean_loss compared suppressed",
    "rut.sweep": "alpha value",
    "rut.attributes": "name kind loss loss_measure similarity similarity_measure weight losses"
    " similarities loss_weights similarity_weights rule loss_by_rule entropy_difference"
    " suppressed",
    "verdict": "useful safe utility risk findings title provisional",
    "verdict.useful": "grade measure value limit kept sentence brief steps stop",
    "verdict.safe": "grade measure value limit kept sentence brief steps stop",
    "verdict.findings": "code grade about sentence remedy see",
    "manifest": "command inputs schema recipe options seed versions",
    "manifest.inputs": "role name given files sha256",
    "manifest.schema": "path sha256 content content_sha256",
    "manifest.options": "left_out sections engine memory quick",
    "yardsticks": "name gdu univariate bivariate propensity propensity_ratio",
}
"""Every object of the result and the names it has. They are added to, never renamed."""
NAMED_BY_DATA = {
    "disclosure.attacks",
    "gdu.coverage.reasons",
    "loss.subdomains.means",
    "manifest.versions",
    "risk.classes",
    "risk.external_reasons",
    "risk.external_weights",
    "risk.interval_variables",
    "risk.sensitivity",
    "risk.suda.contributions",
    "risk.suda.level_contributions",
    "risk.suda.level_contributions.*",
    "risk.suda.msus",
    "rut.attributes.loss_weights",
    "rut.attributes.losses",
    "rut.attributes.similarities",
    "rut.attributes.similarity_weights",
}
"""Objects whose names are those of variables, categories, sizes, measures or reasons."""


@pytest.fixture(scope="module")
def everything() -> dict[str, object]:
    """The JSON of a run with every section, and something to say in each."""
    original = people()
    protected = protected_version(original).head(120)
    asked = said(key="number", weight="w") | {"loss": {"groups": ["sex"]}}
    asked |= {"clusters": {"weights": [2, 1]}, "propensity": {"permutations": 2}}
    asked |= {"rut": {"vectors": [["income", "score"]]}}
    asked |= {"risk": {"attacks": True, "intruders": True, "group": "sex"}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microgauge.sections.gdu.references.LARGE", 100)
        patch.setattr("microgauge.measures.joint.boost.TREES", 3)
        result = microgauge.assess(
            original, protected, schema=asked, external=original[::2], population=original,
            holdout=people(seed=8), yardsticks=True, full=True,
        )  # fmt: skip
    content: dict[str, object] = json.loads(json_text(result))
    return content


def names_in(content: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Every object of a result, by its place, with each of its names."""
    if isinstance(content, list):
        for entry in content:
            yield from names_in(entry, place)
    elif isinstance(content, dict):
        for name, value in content.items():
            yield place, name
            if (place, name) in (("manifest.schema", "content"), ("", "forms")):
                continue  # whatever the schema says, and what sentences were made from
            step = "*" if place in NAMED_BY_DATA else name
            yield from names_in(value, f"{place}.{step}".removeprefix("."))


def test_json_has_the_names_of_the_contract_and_no_others(everything: dict[str, object]) -> None:
    found: dict[str, set[str]] = {}
    for place, name in names_in(everything):
        if place not in NAMED_BY_DATA - CONTRACT.keys():
            found.setdefault(place, set()).add(name)
    wanted = {place: set(names.split()) for place, names in CONTRACT.items()}
    for place in found.keys() | wanted.keys():
        # A reason stands beside a null, so it may be there or not.
        assert found.get(place, set()) | {"reason"} == wanted.get(place, set()) | {"reason"}, place


def test_the_documentation_has_the_names_of_the_contract() -> None:
    text = Path("docs/results.md").read_text(encoding="utf-8")
    numbers = {place for place in CONTRACT if "percentiles" in place}
    names = {n for place, said in CONTRACT.items() if place not in numbers for n in said.split()}
    assert sorted(name for name in names if not re.search(rf"\b{name}", text)) == []


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
    found = demo.verdict
    grades = f"useful={found.useful.grade}, safe={found.safe.grade}"
    figures = f"utility={found.utility:.3f}, risk={found.risk:.3f}, gdu={demo.gdu.value:.3f}"
    assert repr(demo) == f"Assessment({grades}, {figures}, rows=5497→5497, variables=15)"
    assert "RAC1P × WKHP" in str(demo)


def test_the_same_input_gives_the_same_bits(demo: microgauge.Assessment) -> None:
    assert json_text(microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA)) == json_text(demo)
