"""Which rows are the same units: found, joined by a key, or forced."""

import numpy as np
import pandas as pd
import pytest

from microgauge import InputError
from support.figures import assess
from support.surveys import make_survey, perturb, schema, types_of


def alignment(original, protected, said=None, key=None):
    return assess(original, protected, schema=said, key=key).inputs.alignment


def test_row_order_is_found(survey):
    found = alignment(survey, perturb(survey, 0.3), schema())
    assert (found.aligned, found.how, found.dropped, found.added) == (True, "row order", 0, 0)
    assert found.reason


def test_row_order_is_found_by_ranks_alone():
    # Not one value is the same, but the order of the numbers is.
    original = make_survey(500)[["income", "score"]]
    protected = original * np.random.default_rng(1).uniform(0.9, 1.1, original.shape)
    found = alignment(original, protected, types_of(original))
    assert found.how == "row order"
    assert "rank" in found.reason


def test_shuffled_rows_are_not_aligned(survey):
    for seed in range(5):
        shuffled = survey.sample(frac=1, random_state=seed)
        found = alignment(survey, shuffled, schema())
        assert (found.aligned, found.how) == (False, "not aligned")
        assert found.reason


def test_synthetic_rows_are_not_aligned():
    assert not alignment(make_survey(400, 1), make_survey(400, 2), schema()).aligned


def test_unequal_numbers_of_rows_are_not_aligned(survey):
    found = alignment(survey, survey.iloc[:-1], schema())
    assert (found.aligned, found.how) == (False, "not aligned")
    assert "400" in found.reason
    assert "399" in found.reason


@pytest.mark.parametrize("ascending", [True, False])
def test_a_variable_by_which_both_files_are_sorted_is_no_evidence(survey, ascending):
    original = survey.sort_values("age", ascending=ascending)
    synthetic = make_survey(400, 77).sort_values("age", ascending=ascending)
    names = ["age", "sex", "height"]
    agree = (original["age"].to_numpy() == synthetic["age"].to_numpy()).mean()
    assert agree > 0.2  # the sorted variable would speak for alignment
    found = alignment(original[names], synthetic[names], types_of(original[names]))
    assert not found.aligned


def test_a_sorted_category_is_no_evidence(survey):
    original = survey.sort_values("region")
    synthetic = make_survey(400, 77).sort_values("region")
    names = ["region", "sex", "height"]
    assert not alignment(original[names], synthetic[names], types_of(original[names])).aligned


def test_other_variables_still_speak_in_sorted_files(survey):
    original = survey.sort_values("age")
    assert alignment(original, original.copy(), schema()).aligned


def test_agreement_by_a_common_value_is_no_evidence():
    # 95 % zeros on both sides agree in nine rows of ten, whatever the order.
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"x": (rng.random(500) < 0.05).astype(int)})
    protected = pd.DataFrame({"x": (rng.random(500) < 0.05).astype(int)})
    assert not alignment(original, protected).aligned


def test_a_key_joins_rows(survey):
    original = survey.assign(unit=[f"u{i}" for i in range(400)])
    protected = perturb(survey, 0.2).assign(unit=original["unit"])
    added = protected.iloc[:7].assign(unit=[f"new{i}" for i in range(7)])
    protected = pd.concat([protected.iloc[30:], added]).sample(frac=1, random_state=1)
    found = alignment(original, protected, schema(), key="unit")
    assert (found.aligned, found.how, found.dropped, found.added) == (True, "key", 30, 7)


def test_joined_rows_are_the_right_ones(survey):
    # Merged categories can only be inferred where units are matched with themselves.
    original = survey.assign(unit=np.random.default_rng(0).permutation(10_000)[:400])
    protected = original.assign(region=original["region"].replace({"west": "south"}))
    protected = protected.sample(frac=0.9, random_state=3)
    said = schema(key="unit")
    result = assess(original, protected, schema=said)
    region = next(v for v in result.variables if v.name == "region")
    assert region.recoding.map == ({"to": "south", "from": ["south", "west"]},)
    assert result.inputs.alignment.dropped == 40
    unit = next(v for v in result.variables if v.name == "unit")
    assert unit.role == "id"


def test_keys_may_be_spelled_differently(survey):
    original = survey.assign(unit=range(400))
    protected = survey.assign(unit=[f"{float(i)}" for i in range(400)])
    assert alignment(original, protected, schema(), key="unit").dropped == 0


@pytest.mark.parametrize("side", ["original", "protected"])
def test_a_repeated_key_is_an_error_that_names_the_key(survey, side):
    good = survey.assign(unit=range(400))
    bad = good.assign(unit=[0, 0, *range(2, 400)])
    tables = (bad, good) if side == "original" else (good, bad)
    with pytest.raises(InputError, match="unit") as caught:
        assess(*tables, schema=schema(), key="unit")
    assert side in str(caught.value)


def test_a_key_that_a_table_lacks_is_an_error(survey):
    with pytest.raises(InputError, match="unit"):
        assess(survey.assign(unit=range(400)), survey, schema=schema(), key="unit")


def test_a_key_without_common_values_is_an_error(survey):
    original, protected = survey.assign(unit=range(400)), survey.assign(unit=range(400, 800))
    with pytest.raises(InputError, match="unit"):
        assess(original, protected, schema=schema(), key="unit")


def test_forced_apart(survey):
    found = alignment(survey, survey.copy(), schema(aligned=False))
    assert (found.aligned, found.how) == (False, "not aligned")


def test_forced_together(survey):
    found = alignment(survey, survey.sample(frac=1, random_state=1), schema(aligned=True))
    assert (found.aligned, found.how) == (True, "row order")


def test_unequal_rows_cannot_be_forced_together(survey):
    with pytest.raises(InputError, match="399"):
        assess(survey, survey.iloc[:-1], schema=schema(aligned=True))


def equal_in(share, rows, seed=3):
    """Two columns of two categories, half and half, equal in a share of the rows."""
    half = rows // 2
    changed = round((1 - share) * half)
    original = np.repeat(["a", "b"], half)
    protected = original.copy()
    protected[:changed], protected[half : half + changed] = "b", "a"
    order = np.random.default_rng(seed).permutation(rows)
    return [pd.DataFrame({"x": column[order]}) for column in (original, protected)]


def ranked_alike(rho, rows, seed=3):
    """Two columns of numbers without a common value, whose ranks correlate as said."""
    rng = np.random.default_rng(seed)
    one, other = np.linalg.qr(np.column_stack([np.ones(rows), rng.normal(size=(rows, 2))]))[0].T[1:]
    return [
        pd.DataFrame({"x": column}) for column in (one, rho * one + np.sqrt(1 - rho**2) * other)
    ]


@pytest.mark.parametrize(
    ("rows", "excess"),
    # By chance half of the rows are equal, with a standard deviation of 0.5/√n.
    [(10_000, 0.1), (400, 10 * 0.5 / np.sqrt(400))],
    ids=["a difference of 0.1", "ten standard deviations"],
)
def test_how_much_agreement_is_evidence(rows, excess):
    assert not alignment(*equal_in(0.5 + 0.8 * excess, rows)).aligned
    assert alignment(*equal_in(0.5 + 1.2 * excess, rows)).aligned


@pytest.mark.parametrize(
    ("rows", "rho"),
    # By chance the correlation is 0, with a standard deviation of 1/√(n - 1).
    [(40_001, 0.2), (401, 10 / np.sqrt(400))],
    ids=["a difference of 0.2", "ten standard deviations"],
)
def test_how_much_rank_correlation_is_evidence(rows, rho):
    assert not alignment(*ranked_alike(0.8 * rho, rows)).aligned
    assert alignment(*ranked_alike(1.2 * rho, rows)).aligned
