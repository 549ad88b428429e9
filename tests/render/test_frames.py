"""Results as data frames: every column, its type, and whose figure stands in it."""

import polars as pl
import pytest

from microgauge.render.frames import csv_text
from microgauge.results import (
    GDU,
    Alignment,
    Assessment,
    CoefficientResult,
    Coverage,
    IndicatorResult,
    Inputs,
    InputTable,
    Loss,
    MissingCells,
    MomentsResult,
    PairScore,
    RecodingResult,
    RegressionResult,
    TableLoss,
    VariableLoss,
    VariableResult,
    VariableScore,
)
from microgauge.results.disclosure import (
    CopiedUnits,
    Disclosure,
    Found,
    Intruder,
    LearnedTarget,
    Replicated,
)

TABLE = InputTable(path="t.csv", rows=9, columns=2)
INPUTS = Inputs(
    original=TABLE,
    protected=TABLE,
    alignment=Alignment(aligned=True, how="row order", reason="so"),
    seed=1,
)
FACTS = {"role": "attribute", "protected_type": "ordinal", "removed": False}
MERGED = RecodingResult(how="declared", measure="pairs", form="merged", utility=0.5, map=())


def assessment(**sections):
    variables = (
        VariableResult(
            name="age", type="continuous", missing_original=1, missing_protected=4,
            recoding=MERGED, **FACTS,
        ),
        VariableResult(
            name="sex", type="nominal", missing_original=0, missing_protected=None,
            recoding=None, **FACTS | {"removed": True, "protected_type": None},
        ),
    )  # fmt: skip
    return Assessment(
        microgauge="1", schema_version=1, inputs=INPUTS, variables=variables, **sections
    )


def gdu():
    return GDU(
        value=0.5, univariate=0.6, bivariate=0.4, grc=None, value_with_grc=None, threshold=0.05,
        weights=(0.5, 0.5), test_n=None, coverage=Coverage(pairs=1, tested=1),
        variables=(
            VariableScore(
                name="age", test="kolmogorov-smirnov", statistic=0.11, p=0.12,
                recoding_utility=0.13, perturbation_utility=0.14, utility=0.15,
                bivariate_utility=0.16, importance=2.0,
            ),
            VariableScore(name="sex", utility=0.0, reason="removed"),
        ),
        pairs=(
            PairScore(
                a="age", b="sex", test="anova", test_protected="kruskal-wallis", n_original=7,
                n_protected=6, p_original=0.21, p_protected=0.22, coefficient_original=0.23,
                coefficient_protected=0.24, outcome="reversed", utility=0.25, signs_flipped=True,
            ),
        ),
    )  # fmt: skip


def loss():
    cells = MissingCells(
        original=1, protected=4, share_original=0.1, share_protected=0.4, increase=0.3
    )
    moments = {"original": MomentsResult(mean=1.0, sd=2.0, q1=0.0, median=1.0, q3=2.0)}
    figures = {
        "changed": 5, "changed_share": 0.31, "changed_recoded": 3, "compared": 8, "left_out": 2,
        "il1s": 0.32, "il1": 0.33, "mae": 0.34, "mse": 0.35, "mean_variation": 0.36, "ncp": 0.37,
    }  # fmt: skip
    table = TableLoss(
        variables=("age", "sex"), cells=6, ctbil=0.41, aad=0.42, moved=0.43, hellinger=0.44,
        cramers_v_original=0.45, cramers_v_protected=0.46, rcv=0.47,
    )  # fmt: skip
    nothing = dict.fromkeys(
        ("units", "records_changed", "records_changed_recoded", "il1s", "il1", "gcp", "ctbil",
         "aad", "eigenvalues", "eigenvalues_robust")
    )  # fmt: skip
    return Loss(
        **nothing,
        variables=(VariableLoss(name="age", missing=cells, moments=moments, **figures),),
        tables=(table,),
        matrices={},
    )


def only_row(frame):
    (row,) = frame.rows(named=True)
    return row


def test_variables():
    frame = assessment(gdu=gdu()).variable_table()
    assert frame.rows(named=True)[0] == {
        "name": "age", "type": "continuous", "test": "kolmogorov-smirnov", "statistic": 0.11,
        "p": 0.12, "recoding_utility": 0.13, "perturbation_utility": 0.14, "utility": 0.15,
        "bivariate_utility": 0.16, "importance": 2.0, "reason": None, "protected_type": "ordinal",
        "removed": False, "missing_original": 1, "missing_protected": 4, "recoded": "declared",
    }  # fmt: skip
    assert frame.columns == list(frame.rows(named=True)[0])
    second = frame.rows(named=True)[1]
    assert (second["name"], second["type"], second["removed"]) == ("sex", "nominal", True)
    assert (second["missing_protected"], second["recoded"], second["reason"]) == (
        None, None, "removed",
    )  # fmt: skip
    assert frame.schema["p"] == pl.Float64
    assert frame.schema["missing_protected"] == pl.Int64
    assert frame.schema["removed"] == pl.Boolean


def test_pairs():
    frame = assessment(gdu=gdu()).pair_table()
    assert only_row(frame) == {
        "a": "age", "b": "sex", "test": "anova", "test_protected": "kruskal-wallis",
        "n_original": 7, "n_protected": 6, "p_original": 0.21, "p_protected": 0.22,
        "coefficient_original": 0.23, "coefficient_protected": 0.24, "outcome": "reversed",
        "utility": 0.25, "signs_flipped": True, "reason": None,
    }  # fmt: skip


def test_losses_of_variables():
    frame = assessment(loss=loss()).loss_table()
    assert only_row(frame) == {
        "name": "age", "changed": 5, "changed_share": 0.31, "changed_recoded": 3, "compared": 8,
        "left_out": 2, "il1s": 0.32, "il1": 0.33, "mae": 0.34, "mse": 0.35,
        "mean_variation": 0.36, "ncp": 0.37, "methods": None, "reason": None,
    }  # fmt: skip


def test_losses_of_tables():
    frame = assessment(loss=loss()).table_table()
    assert only_row(frame) == {
        "variables": "age × sex", "cells": 6, "ctbil": 0.41, "aad": 0.42, "moved": 0.43,
        "hellinger": 0.44, "cramers_v_original": 0.45, "cramers_v_protected": 0.46, "rcv": 0.47,
        "reason": None,
    }  # fmt: skip


def test_indicators():
    found = IndicatorResult(
        name="Income", statistic="mean", by="sex", group="female", original=10.0,
        original_ci=(9.0, 11.5), protected=20.0, protected_ci=(18.0, 22.5),
        relative_difference=1.0, inside=False, overlap=-0.5, interval="bootstrap", resamples=200,
        units_original=40, units_protected=41, records_original=42, records_protected=43, seed=7,
        influence_original=0.5, variable="income", category=None, where="age > 20", reason="so",
    )  # fmt: skip
    frame = assessment(indicators=(found,)).indicator_table()
    assert only_row(frame) == {
        "name": "Income", "statistic": "mean", "by": "sex", "group": "female", "original": 10.0,
        "original_low": 9.0, "original_high": 11.5, "protected": 20.0, "protected_low": 18.0,
        "protected_high": 22.5, "relative_difference": 1.0, "inside": False, "overlap": -0.5,
        "interval": "bootstrap", "resamples": 200, "units_original": 40, "units_protected": 41,
        "records_original": 42, "records_protected": 43, "influence_original": 0.5,
        "variable": "income", "category": None, "where": "age > 20", "seed": 7, "reason": "so",
    }  # fmt: skip
    assert frame.columns == list(only_row(frame))


def test_coefficients():
    coefficient = CoefficientResult(
        term="age", original=1.0, original_ci=(0.5, 1.75), protected=2.0, protected_ci=(1.5, 2.75),
        inside=False, overlap=0.1, standardised_difference=3.0, same_sign=True, same_verdict=False,
    )  # fmt: skip
    bare = CoefficientResult(term="sex", reason="removed")
    found = RegressionResult(
        formula="y ~ age + sex", kind="linear", where=None, overlap=0.1,
        coefficients=(coefficient, bare),
    )  # fmt: skip
    frame = assessment(regressions=(found,)).coefficient_table()
    first, second = frame.rows(named=True)
    assert first == {
        "formula": "y ~ age + sex", "term": "age", "original": 1.0, "original_low": 0.5,
        "original_high": 1.75, "protected": 2.0, "protected_low": 1.5, "protected_high": 2.75,
        "inside": False, "overlap": 0.1, "standardised_difference": 3.0, "same_sign": True,
        "same_verdict": False, "records_original": None, "influence_original": None,
        "reason": None,
    }  # fmt: skip
    assert second == {**dict.fromkeys(first), "formula": found.formula, "term": "sex",
                      "reason": "removed"}  # fmt: skip
    assert frame.schema["original_low"] == pl.Float64


def test_regressions():
    found = RegressionResult(
        formula="y ~ x", kind="linear", where=None, overlap=0.1, coefficients=(), inside=0.5,
        joint_overlap=0.9, joint_distance=0.4, joint_terms=2,
    )  # fmt: skip
    (row,) = assessment(regressions=(found,)).regression_table().rows(named=True)
    assert (row["formula"], row["overlap"], row["inside"]) == ("y ~ x", 0.1, 0.5)
    assert (row["joint_overlap"], row["joint_distance"], row["joint_terms"]) == (0.9, 0.4, 2)
    assert assessment().regression_table().height == 0


def disclosure(**parts):
    return Disclosure(
        risk=0.1, found=Found(value=0.1), copied=CopiedUnits(value=None, reason="aligned"),
        replicated=Replicated(unique_original=0.2), **parts,
    )  # fmt: skip


def test_targets():
    income = LearnedTarget(
        target="income", value=0.2, exact=0.1, exact_ci=(0.05, 0.15), nearest=0.2,
        nearest_ci=(0.16, 0.24), gain=0.11, null=0.01, ci=(0.14, 0.26), disclosed=0.5, correct=0.4,
        original=0.6, both=0.3, present=0.9, cap_base=0.12, cap_original=0.13, cap_protected=0.17,
        dcap=0.18, tcap=0.19, holdout=0.07, excess=0.08, excess_ci=(-0.01, 0.09),
        flags=("one", "two"),
    )  # fmt: skip
    gone = LearnedTarget(target="wage", value=None, reason="not in the file")
    frame = assessment(disclosure=disclosure(learned=(income, gone))).disclosure_table()
    first, second = frame.rows(named=True)
    assert first == {
        "target": "income", "value": 0.2, "exact": 0.1, "exact_low": 0.05, "exact_high": 0.15,
        "nearest": 0.2, "nearest_low": 0.16, "nearest_high": 0.24, "gain": 0.11, "null": 0.01,
        "ci_low": 0.14, "ci_high": 0.26, "disclosed": 0.5, "correct": 0.4, "original": 0.6,
        "both": 0.3, "present": 0.9, "cap_base": 0.12, "cap_original": 0.13,
        "cap_protected": 0.17, "dcap": 0.18, "tcap": 0.19, "holdout": 0.07, "excess": 0.08,
        "excess_low": -0.01, "excess_high": 0.09, "flags": "one; two", "reason": None,
    }  # fmt: skip
    assert second == {**dict.fromkeys(first), "target": "wage", "reason": "not in the file"}
    assert frame.columns == list(first)
    assert frame.schema["excess_low"] == pl.Float64


def test_intruders():
    erring = Intruder(
        knows="with error", keys=("age", "sex"), found=0.3, learned=0.2, target="wage", error=0.1
    )
    frame = assessment(disclosure=disclosure(intruders=(erring,))).intruder_table()
    assert only_row(frame) == {
        "knows": "with error", "keys": "age, sex", "found": 0.3, "learned": 0.2, "target": "wage",
        "error": 0.1, "reason": None,
    }  # fmt: skip
    assert assessment(disclosure=disclosure()).intruder_table().height == 0


def test_what_was_not_computed():
    bare = assessment()
    for method in (bare.disclosure_table, bare.intruder_table):
        with pytest.raises(ValueError, match="disclosure"):
            method()
    for method in (bare.variable_table, bare.pair_table):
        with pytest.raises(ValueError, match="gdu"):
            method()
    for method in (bare.loss_table, bare.table_table):
        with pytest.raises(ValueError, match="loss"):
            method()
    assert bare.indicator_table().height == bare.coefficient_table().height == 0
    assert bare.indicator_table().schema["original_high"] == pl.Float64


def test_no_cell_of_a_csv_is_a_formula():
    assert csv_text(pl.DataFrame({"=a": ["=1+1", "b"], "n": [-1, 2]})) == "'=a,n\n'=1+1,-1\nb,2\n"
