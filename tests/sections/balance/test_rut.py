"""Utility on the scale of risk and the balance of the two, by hand and against numpy and scipy."""

import json
import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import microgauge
from microgauge import InputError
from microgauge.errors import Undefined
from microgauge.measures.balance.balance import SWEEP, balance, frontier, utility, weighted_total
from microgauge.measures.balance.losses import (
    bounded,
    consistency,
    entropy,
    entropy_loss,
    generalisation,
    mean_deviation,
    root_mean_square,
    with_suppressed,
)
from microgauge.measures.balance.similarities import binned, cosine, jaccard, spread_over
from microgauge.sections.balance.choices import PRESETS
from microgauge.values.rounding import Rule, found_rule, resolution
from support.figures import approx, mentions, seeds
from support.surveys import CATEGORY, KEY, NUMBER, with_holes

FEW = settings(max_examples=20, deadline=None)


# -- looking into a result -----------------------------------------------------------------------


def run(original, protected=None, said=None, *, keys=None, rut=None, risk=None, **options):
    """An assessment of the balance; every number of it is finite, every null has a reason.

    The first column is the quasi-identifier unless said. Rows correspond unless said.
    """
    protected = original if protected is None else protected
    variables = {name: dict(more) for name, more in (said or {}).items()}
    for name in [original.columns[0]] if keys is None else keys:
        variables[name] = variables.get(name, {}) | KEY
    external = options.pop("external", None)
    if "key" not in options:
        options.setdefault("aligned", len(original) == len(protected))
    schema = {
        "options": options,
        "variable": variables,
        "rut": rut or {},
        "risk": {"measure": "classes"} | (risk or {}),
    }
    result = microgauge.assess(
        original, protected, schema=schema, only=["risk", "rut"], external=external
    )
    content = result.to_dict()["rut"]
    json.dumps(content, allow_nan=False)
    assert str(result)
    assert result._repr_html_()
    assert not list(unexplained(content))
    return result


FIGURES = {"loss", "similarity", "utility", "value"}


def unexplained(content):
    """Figures that are null without a word beside them."""
    for entry in (content, *content["attributes"]):
        if any(entry[name] is None for name in FIGURES & set(entry)) and not entry.get("reason"):
            yield entry
    for entry in content["attributes"]:
        for name, value in (entry["losses"] | entry["similarities"]).items():
            if value is None and f"{name}: " not in entry.get("reason", ""):
                yield entry


def rut_of(*args, **kwargs):
    return run(*args, **kwargs).rut


def attribute(rut, name):
    return next(a for a in rut.attributes if a.name == name)


def one(before, after, said=None, **kwargs):
    """What becomes of a single attribute x, which is the quasi-identifier too."""
    tables = [pd.DataFrame({"x": column}) for column in (before, after)]
    return attribute(rut_of(*tables, {"x": said or {}}, **kwargs), "x")


def tens(ages):
    """Ages in bands of ten years, such as 20-29."""
    return [None if pd.isna(a) else f"{int(a // 10 * 10)}-{int(a // 10 * 10 + 9)}" for a in ages]


def people(rows=300, seed=1):
    """The paper's attributes: age, postcode, gender, income, diagnosis."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, rows).astype(float),
            "zip": [f"{z:05d}" for z in 10400 + rng.integers(0, 100, rows)],
            "gender": rng.choice(["f", "m"], rows, p=[0.6, 0.4]),
            "income": rng.integers(900, 9_000, rows) * 10.0,
            "diagnosis": rng.choice(list("PQRSTU"), rows, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05]),
        }
    )


SAID = {"age": NUMBER, "zip": CATEGORY, "income": NUMBER}
WARDS = {"P": "inner", "Q": "inner", "R": "outer", "S": "outer", "T": "outer", "U": "other"}


def protect(frame, level):
    """The paper's levels: the age in bands, the postcode cut, income rounded, diagnoses merged."""
    if level == 0:
        return frame.copy()
    found = frame.copy()
    width = {1: 5, 2: 10, 3: 20}[level]
    low = frame["age"] // width * width
    found["age"] = [f"{int(a)}-{int(a) + width - 1}" for a in low]
    found["zip"] = frame["zip"].str[: 5 - level]
    found["income"] = (frame["income"] / 10.0 ** (level + 1)).round() * 10.0 ** (level + 1)
    if level > 1:
        found["diagnosis"] = frame["diagnosis"].map(WARDS)
    return found


def bits(counts):
    shares = np.asarray(counts, float) / np.sum(counts)
    return stats.entropy(shares[shares > 0], base=2)


def cosine_by_hand(a, b):
    return float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))


# -- worked figures of losses --------------------------------------------------------------------


def test_thirty_four_released_as_thirty_to_thirty_nine():
    assert generalisation(np.array([10.0]), np.array([3.0])) == 0.9
    ages = np.arange(30.0, 50.0)
    for said in (NUMBER, NUMBER | {"resolution": 1}, NUMBER | {"recode": {"breaks": [30, 40]}}):
        assert one(ages, tens(ages), said).kind == "range"
    assert one(ages, tens(ages), NUMBER).loss == approx(0.9)


def test_units_and_not_bands_count():
    """Three units in a band of ten years, one in a band of twenty."""
    steps, rows = np.array([10.0, 20.0]), np.array([3.0, 1.0])
    assert generalisation(steps, rows) == approx((3 * 0.9 + 0.95) / 4)
    found = one([30, 34, 38, 55], ["30-39"] * 3 + ["40-59"], NUMBER)
    assert found.loss == approx((3 * 0.9 + 0.95) / 4)
    with pytest.raises(Undefined):
        generalisation(np.array([10.0]), np.array([0.0]))


def test_a_value_that_is_no_range_loses_nothing():
    assert generalisation(np.array([1.0, 0.0]), np.array([1.0, 1.0])) == 0.0


@pytest.mark.parametrize(
    ("label", "lost"),
    [("[30,40)", 0.9), ("(29,39]", 0.9), ("30-39", 0.9), ("30 to 39", 0.9), ("30-34", 0.8)],
)
def test_spellings_of_a_range(label, lost):
    found = one([30.0, 31.0, 32.0, 34.0] * 3, [label] * 12, NUMBER)
    assert (found.kind, found.loss) == ("range", approx(lost))


@pytest.mark.parametrize(("resolution", "lost"), [(1, 0.9), (0.5, 0.95), (5, 0.5)])
def test_the_step_of_the_original_can_be_declared(resolution, lost):
    ages = np.arange(30.0, 50.0, 5)
    assert one(ages, tens(ages), NUMBER | {"resolution": resolution}).loss == approx(lost)


def test_an_open_band_holds_as_many_steps_as_there_are():
    """80 and 81 released as 80+ are two years, as 80-81 would be: not "nothing lost"."""
    before = [78.0, 79.0, 80.0, 81.0]
    closed = one(before, ["78-79", "78-79", "80-81", "80-81"], NUMBER)
    opened = one(before, ["78-79", "78-79", "80+", "80+"], NUMBER)
    assert closed.loss == approx(1 / 2)
    assert opened.loss == approx(closed.loss)
    # Beside numbers it is a top code, and the variable a number still.
    named = one(before, ["78", "79", "80+", "80+"], NUMBER)
    coded = one(before, [78.0, 79.0, 80.0, 80.0], NUMBER)
    assert (named.kind, named.loss) == ("number", approx(coded.loss))
    assert named.loss > 0


def test_a_digit_cut_from_a_code():
    before = [f"{z}" for z in range(10400, 10500, 7)]
    after = [z[:4] for z in before]
    found = one(before, after, CATEGORY | {"recode": {"prefix": 4}})
    assert (found.kind, found.loss) == ("prefix", approx(0.9))
    assert found.loss_measure == "generalisation"
    assert found.similarity_measure == "jaccard"
    two = one(before, [z[:3] for z in before], CATEGORY | {"recode": {"prefix": 3}})
    assert two.loss == approx(0.99)


@pytest.mark.parametrize("mask", ["", "*", "x"])
def test_a_prefix_is_found(mask):
    before = [f"{z}" for z in range(10400, 10500, 3)]
    found = one(before, [z[:4] + mask for z in before], CATEGORY)
    assert (found.kind, found.loss) == ("prefix", approx(0.9))
    assert found.similarity == approx(10 / len(before))


def test_letters_cut_count_the_codes_they_merge():
    """Codes that are no digits have no ten of each: what was merged counts."""
    before, after = ["aa", "ab", "ac", "ba"], ["a", "a", "a", "b"]
    found = one(before, after, CATEGORY | {"recode": {"prefix": 1}})
    assert found.loss == approx((3 * (1 - 1 / 3) + 0) / 4)


def test_seven_of_ten():
    """A ten times, seven times released as B and three times as C."""
    found = consistency(np.array([0, 0]), np.array([1, 2]), np.array([7.0, 3.0]))
    assert found == approx(0.3)
    before = ["A"] * 10 + ["D"] * 10
    after = ["B"] * 7 + ["C"] * 3 + ["D"] * 10
    released = one(before, after, CATEGORY | {"loss": ["consistency"]})
    assert released.loss == approx(0.15)
    with pytest.raises(Undefined):
        consistency(np.array([], np.intp), np.array([], np.intp), np.array([]))


def test_a_renamed_file_is_consistent():
    released = one(list("AABBCC"), list("XXYYZZ"), CATEGORY | {"loss": ["consistency"]})
    assert released.loss == 0.0


def test_an_entropy_of_eight_letters():
    assert entropy(np.array([2.0, 3.0, 2.0, 1.0])) == pytest.approx(1.9056, abs=5e-5)
    assert entropy(np.array([2.0, 3.0, 2.0, 1.0])) == approx(bits([2, 3, 2, 1]))
    assert entropy(np.array([5.0, 0.0])) == 0.0
    found = one(list("AABBBCCD"), list("AABBBCCC"), CATEGORY | {"loss": ["entropy"]})
    lost = bits([2, 3, 2, 1]) - bits([2, 3, 3])
    assert found.entropy_difference == approx(lost)
    assert found.loss == approx(lost / bits([2, 3, 2, 1]))


def test_more_entropy_than_before_counts_nothing_and_is_reported():
    loss, difference = entropy_loss(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    assert loss == 0.0
    assert difference == approx(bits([3, 1]) - 1.0)
    found = one(list("AAABAAAB"), list("ABABABAB"), CATEGORY | {"loss": ["entropy"]})
    assert found.loss == 0.0
    assert found.entropy_difference == approx(bits([3, 1]) - 1.0)


def test_entropy_has_no_share_of_nothing():
    with pytest.raises(Undefined, match="constant"):
        entropy_loss(np.array([4.0]), np.array([2.0, 2.0]))
    with pytest.raises(Undefined):
        entropy_loss(np.array([4.0, 1.0]), np.array([0.0]))


def test_numbers_that_moved_by_one():
    before, after = np.array([5.0, 10.0, 15.0]), np.array([6.0, 9.0, 14.0])
    assert mean_deviation(float(np.abs(before - after).sum()), 3) == 1.0
    found = one(before, after, NUMBER | {"loss": ["deviation", "proximity"]})
    assert found.losses == approx({"deviation": 0.1, "proximity": 0.1})
    with pytest.raises(Undefined):
        mean_deviation(0.0, 0)


def test_proximity_is_absolute_or_squared():
    before, after = np.array([0.0, 10.0, 20.0, 40.0]), np.array([1.0, 7.0, 20.0, 40.0])
    found = one(before, after, NUMBER | {"loss": ["proximity", "euclidean"]})
    assert found.losses == approx({"proximity": 1.0 / 40, "euclidean": math.sqrt(10 / 4) / 40})
    assert found.loss == approx((1 / 40 + math.sqrt(2.5) / 40) / 2)
    assert found.loss_measure == "proximity + euclidean"
    assert root_mean_square(10.0, 4) == approx(math.sqrt(2.5))
    with pytest.raises(Undefined):
        root_mean_square(0.0, 0)


def test_a_distance_is_at_most_one():
    assert bounded(50.0, 10.0) == 1.0
    with pytest.raises(Undefined, match="constant"):
        bounded(1.0, 0.0)
    assert one([0.0, 1.0, 2.0], [500.0, 600.0, 700.0], NUMBER).loss == 1.0


def test_suppressed_values_are_lost():
    assert with_suppressed(0.2, 0.5) == approx(0.6)
    assert with_suppressed(0.2, 0.0) == 0.2
    assert with_suppressed(0.0, 1.0) == 1.0
    before = np.arange(0.0, 20.0)
    after = np.where(np.arange(20) < 5, np.nan, before)
    found = one(before, after, NUMBER)
    assert found.suppressed == 0.25
    assert found.loss == approx(0.25)
    moved = one(before, after + 1.9, NUMBER)
    assert moved.loss == approx(0.75 * 1.9 / 19 + 0.25)
    assert one(before, np.where(before < 19, np.nan, 19.0), NUMBER).loss == approx(0.95)


def test_suppressed_values_of_a_range():
    before = np.arange(20.0, 60.0)
    after = [None if i % 4 == 0 else band for i, band in enumerate(tens(before))]
    found = one(before, after, NUMBER)
    assert (found.kind, found.suppressed) == ("range", 0.25)
    assert found.loss == approx(0.75 * 0.9 + 0.25)


def test_what_was_missing_before_is_not_suppressed():
    before = [1.0, 2.0, 3.0, 4.0, None, None]
    after = [1.0, 2.0, 3.0, None, None, None]
    assert one(before, after, NUMBER).suppressed == 0.25


def test_suppressed_cells_of_units_that_a_key_joins():
    """Only units with a value were kept, and one of these five lost it."""
    original = pd.DataFrame(
        {"id": [f"u{i}" for i in range(10)], "x": [1.0, 2, 3, 4, 5] + [None] * 5}
    )
    protected = original.head(5).assign(x=[1.0, 2, 3, 4, None])
    found = attribute(rut_of(original, protected, {"x": NUMBER}, keys=["x"], key="id"), "x")
    assert found.suppressed == approx(0.2)


# -- worked figures of similarities --------------------------------------------------------------


def test_cosine_of_one_two_three():
    found = cosine(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    assert found == pytest.approx(0.9746, abs=5e-5)
    assert found == approx(cosine_by_hand([1, 2, 3], [4, 5, 6]))
    values = one([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], NUMBER | {"similarity": ["values"]})
    assert values.similarity == pytest.approx(0.9746, abs=5e-5)
    with pytest.raises(Undefined):
        cosine(np.zeros(3), np.ones(3))


@pytest.mark.parametrize("scale", [1e-200, 1e-10, 1e200])
def test_cosine_of_very_large_and_small_numbers(scale):
    a, b = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    assert cosine(a * scale, b / scale) == approx(cosine_by_hand(a, b))


def test_two_of_six_values_in_common():
    assert jaccard(2, 6) == pytest.approx(0.3333, abs=5e-5)
    before, after = [1, 2, 3, 4] * 2, [3, 4, 5, 6] * 2
    found = one(before, after, CATEGORY | {"similarity": ["jaccard"]})
    assert found.similarity == approx(1 / 3)
    with pytest.raises(Undefined):
        jaccard(0, 0)


def test_values_merged_into_few():
    """q/n for n values merged into q."""
    frame = people()
    found = attribute(rut_of(frame, protect(frame, 2), SAID), "diagnosis")
    assert (found.kind, found.similarity_measure) == ("merged", "jaccard")
    assert found.similarity == approx(3 / 6)
    kept = {"P": "P", "Q": "P", "R": "P", "S": "S", "T": "T", "U": "U"}
    merged = frame.assign(diagnosis=frame["diagnosis"].map(kept))
    assert attribute(rut_of(frame, merged, SAID), "diagnosis").similarity == approx(4 / 6)


def test_frequencies_of_categories():
    before, after = list("AAAABBBCCD"), list("AAABBBBCCE")
    found = one(before, after, CATEGORY | {"similarity": ["cosine", "jaccard"]})
    expected = cosine_by_hand([4, 3, 2, 1, 0], [3, 4, 2, 0, 1])
    assert found.similarities == approx({"cosine": expected, "jaccard": 3 / 5})
    assert found.similarity == approx((expected + 3 / 5) / 2)
    assert found.similarity_measure == "cosine + jaccard"


def test_a_band_is_spread_over_the_values_it_covers():
    """21 twice, 22 once, 25 once, 31 twice: 20-29 holds 4 over three values, 30-39 2 over one."""
    assert spread_over(np.array([4.0, 2.0]), np.array([0, 1]), 2, np.array([0, 0, 0, 1])) == approx(
        np.array([4 / 3, 4 / 3, 4 / 3, 2])
    )
    before = [21.0, 21.0, 22.0, 25.0, 31.0, 31.0]
    found = one(before, tens(before), NUMBER)
    assert found.similarity_measure == "cosine"
    assert found.similarity == approx(cosine_by_hand([2, 1, 1, 2], [4 / 3, 4 / 3, 4 / 3, 2]))


def test_a_band_that_covers_no_original_value_is_apart():
    before = [21.0, 21.0, 22.0, 31.0]
    after = ["20-29", "20-29", "20-29", "60-69"]
    expected = cosine_by_hand([2, 1, 1, 0], [3 / 2, 3 / 2, 0, 1])
    assert one(before, after, NUMBER).similarity == approx(expected)


def test_merged_categories_spread_their_share_where_cosine_is_wanted():
    """As the study of the American Community Survey does."""
    frame = people()
    said = SAID | {"diagnosis": {"similarity": ["cosine"]}}
    found = attribute(rut_of(frame, protect(frame, 2), said), "diagnosis")
    counts = frame["diagnosis"].value_counts().reindex(list("PQRSTU"))
    spread = [counts[[m for m in WARDS if WARDS[m] == WARDS[d]]].mean() for d in "PQRSTU"]
    assert found.similarity == approx(cosine_by_hand(counts, spread))


def histogram(values, low, high, bins):
    return np.histogram(np.clip(values, low, high), bins, (low, high))[0]


@pytest.mark.parametrize("bins", [7, 50])
def test_numbers_are_counted_in_bins_of_the_originals_range(bins):
    rng = np.random.default_rng(3)
    before = rng.normal(size=300)
    after = before + rng.normal(size=300)
    found = one(before, after, NUMBER | {"bins": bins, "loss": ["entropy"]})
    low, high = before.min(), before.max()
    counts = [histogram(side, low, high, bins) for side in (before, after)]
    assert found.similarity == approx(cosine_by_hand(*counts))
    assert found.entropy_difference == approx(bits(counts[0]) - bits(counts[1]))


def test_what_lies_outside_counts_in_the_outer_bins():
    found = binned(np.array([-99.0, 0.0, 5.0, 10.0, 99.0]), np.ones(5), 0.0, 10.0, 2)
    assert found.tolist() == [2.0, 3.0]
    with pytest.raises(Undefined, match="constant"):
        binned(np.array([1.0]), np.ones(1), 1.0, 1.0, 5)


@pytest.mark.parametrize(("high", "bins"), [(50, 50), (100, 50), (100, 100), (60, 30)])
def test_a_number_on_an_edge_is_in_the_upper_bin(high, bins):
    """Whole years fall on edges; 29/50 · 50 is not 29 on a computer, but 29 is in bin 29."""
    years = np.arange(high + 1.0)
    found = binned(years, np.ones(len(years)), 0.0, float(high), bins)
    assert found.tolist() == histogram(years, 0, high, bins).tolist()


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 7.0, 1e6])
def test_the_unit_of_numbers_does_not_matter(unit):
    """A number multiplied by a positive constant in both tables changes no figure."""
    rng = np.random.default_rng(1)
    before = rng.integers(0, 101, 400).astype(float)
    before[:2] = 0.0, 100.0
    after = np.clip(before + rng.integers(-9, 10, 400), 0, 100)
    said = NUMBER | {
        "loss": ["proximity", "euclidean", "entropy"],
        "similarity": ["cosine", "values"],
    }
    whole, scaled = one(before, after, said), one(before * unit, after * unit, said)
    assert scaled.losses == approx(whole.losses)
    assert scaled.similarities == approx(whole.similarities)


# -- the balance ---------------------------------------------------------------------------------

SYNTHETIC = """
S1 P1 1    0.48 0    1    0.5
S1 P2 0.99 0.48 0.01 0.89 0.45
S1 P3 0.81 0.48 0.19 0.76 0.47
S2 P1 0.47 0.28 0.53 1    0.76
S2 P2 0.41 0.21 0.59 0.86 0.72
S2 P3 0.35 0.21 0.65 0.75 0.7
S3 P1 1    0.46 0    1    0.5
S3 P2 0.99 0.46 0.01 0.81 0.41
S3 P3 0.87 0.47 0.13 0.74 0.43
"""
"""Table 9: scenario, level, R_internal, R_external, R_safety, U, RUT."""

ALASKA = """
P1 0.6151 0.6260 0.3740 0.9972 0.6856
P2 0.2132 0.2156 0.7844 0.8580 0.8212
P3 0.0739 0.0725 0.9261 0.7579 0.8420
"""
"""Table 10: level, R_internal, R_external, R_safety, U, RUT."""


@pytest.mark.parametrize("line", SYNTHETIC.strip().splitlines())
def test_table_nine(line):
    inside, outside, safety, gain, printed = map(float, line.split()[2:])
    risk = max(inside, outside)
    assert 1 - risk == approx(safety)
    assert balance(gain, risk, 0.5, 0.5) == pytest.approx(printed, abs=0.01)


@pytest.mark.parametrize("line", ALASKA.strip().splitlines())
def test_table_ten(line):
    inside, outside, safety, gain, printed = map(float, line.split()[1:])
    risk = max(inside, outside)
    assert round(1 - risk, 4) == safety
    assert round(balance(gain, risk, *PRESETS["balanced"]), 4) == printed


def test_balance_of_the_paper():
    """U = 0.86, R_safety = 0.59."""
    assert balance(0.86, 1 - 0.59, 0.5, 0.5) == approx(0.725)
    assert balance(0.86, 1 - 0.59, 0.7, 0.3, "difference") == approx(0.7 * 0.86 - 0.3 * 0.41)
    assert balance(0.86, 1 - 0.59, 0.7, 0.3, "ratio") == approx(0.86 / 0.41)
    with pytest.raises(Undefined):
        balance(0.86, 0.0, 0.5, 0.5, "ratio")


def test_more_risk_is_never_better():
    for form in ("sum", "difference", "ratio"):
        assert balance(0.8, 0.6, 0.5, 0.5, form) < balance(0.8, 0.4, 0.5, 0.5, form)
        assert balance(0.7, 0.4, 0.5, 0.5, form) < balance(0.8, 0.4, 0.5, 0.5, form)


def test_utility_by_hand():
    assert utility(0.9, 0.2) == approx(0.85)
    assert utility(0.9, 0.2, (0.8, 0.2)) == approx(0.8 * 0.9 + 0.2 * 0.8)
    assert utility(0.9, 0.2, (4.0, 1.0)) == approx(0.8 * 0.9 + 0.2 * 0.8)
    assert utility(0.9, 0.2, "ratio") == approx(4.5)
    with pytest.raises(Undefined):
        utility(0.9, 0.0, "ratio")


def test_totals_by_hand():
    assert weighted_total([0.2, 0.6], [3.0, 1.0]) == approx(0.3)
    assert weighted_total([0.2, 0.6], [3.0, 1.0], "max") == 0.6
    assert weighted_total([0.2, 0.6], [3.0, 1.0], "max", worst=False) == 0.2
    with pytest.raises(Undefined):
        weighted_total([], [])


def test_the_sweep_has_seven_steps():
    assert SWEEP == (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def test_frontier():
    points = {"a": (0.1, 0.5), "b": (0.2, 0.9), "c": (0.2, 0.6), "d": (0.1, 0.5), "e": (0.9, 0.1)}
    assert frontier(points) == ["a", "d", "b"]
    assert frontier({}) == []


def released(**kwargs):
    frame = people()
    return run(frame, protect(frame, 2), SAID, keys=["age", "zip", "gender"], **kwargs)


def test_the_whole_of_it():
    result = released()
    rut, risk = result.rut, result.risk
    losses = [a.loss for a in rut.attributes]
    alike = [a.similarity for a in rut.attributes]
    assert [a.name for a in rut.attributes] == ["age", "zip", "gender", "income", "diagnosis"]
    assert rut.loss == approx(np.mean(losses))
    assert rut.similarity == approx(np.mean(alike))
    assert rut.utility == approx(0.5 * rut.similarity + 0.5 * (1 - rut.loss))
    assert rut.value == approx(0.5 * rut.utility + 0.5 * (1 - risk.total))
    assert (rut.form, rut.alpha, rut.beta) == ("sum", 0.5, 0.5)
    assert all(0 <= figure <= 1 for figure in [*losses, *alike])
    assert 0 < rut.utility < 1
    assert rut.meets_limits is None


@pytest.mark.parametrize(
    ("chosen", "alpha", "beta"),
    [
        ({"preset": "analysis"}, 0.7, 0.3),
        ({"preset": "balanced"}, 0.5, 0.5),
        ({"preset": "sharing"}, 0.4, 0.6),
        ({"preset": "public"}, 0.3, 0.7),
        ({"alpha": 0.9}, 0.9, 0.1),
        ({"beta": 0.9}, 0.1, 0.9),
        ({"alpha": 0.25, "beta": 0.75}, 0.25, 0.75),
        ({"alpha": 0.0}, 0.0, 1.0),
    ],
)
def test_weights_of_utility_and_safety(chosen, alpha, beta):
    result = released(rut=chosen)
    rut = result.rut
    assert (rut.alpha, rut.beta) == approx((alpha, beta))
    assert rut.value == approx(alpha * rut.utility + beta * (1 - result.risk.total))


@pytest.mark.parametrize("form", ["sum", "difference", "ratio"])
def test_forms_and_their_sweep(form):
    result = released(rut={"form": form, "preset": "public"})
    rut, risk = result.rut, result.risk.total
    law = {
        "sum": lambda a: a * rut.utility + (1 - a) * (1 - risk),
        "difference": lambda a: a * rut.utility - (1 - a) * risk,
        "ratio": lambda a: rut.utility / risk,
    }[form]
    assert rut.form == form
    assert rut.value == approx(law(0.3))
    assert [step.alpha for step in rut.sweep] == list(SWEEP)
    assert [step.value for step in rut.sweep] == approx([law(a) for a in SWEEP])


def no_risk(**rut):
    """No record of the release is in the external table, and nothing else counts."""
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("pppq")})
    external = pd.DataFrame({"a": list("xx"), "b": list("qq")})
    return run(
        frame,
        keys=["a", "b"],
        risk={"combine": "mean", "weights": [0, 1]},
        external=external,
        rut=rut,
    )


def test_no_ratio_to_no_risk():
    result = no_risk(form="ratio")
    assert result.risk.total == 0.0
    assert result.rut.value is None
    assert "the risk is 0" in result.rut.reason
    assert no_risk().rut.value == 1.0


def test_a_null_in_the_sweep_has_its_reason_beside_it():
    content = no_risk(form="ratio").to_dict()["rut"]
    assert [step["value"] for step in content["sweep"]] == [None] * 7
    assert all(step.get("reason") for step in content["sweep"])


def test_weights_of_similarity_and_loss():
    rut = released(rut={"utility": [3, 1]}).rut
    assert rut.utility == approx(0.75 * rut.similarity + 0.25 * (1 - rut.loss))
    rut = released(rut={"utility": "ratio"}).rut
    assert rut.utility == approx(rut.similarity / rut.loss)


def test_no_ratio_to_no_loss():
    rut = rut_of(people(), None, SAID, rut={"utility": "ratio"})
    assert rut.loss == 0.0
    assert (rut.utility, rut.value) == (None, None)
    assert "the loss is 0" in rut.reason


def test_the_worst_attribute():
    rut = released(rut={"combine": "max"}).rut
    assert rut.loss == max(a.loss for a in rut.attributes)
    assert rut.similarity == min(a.similarity for a in rut.attributes)


def test_attributes_weigh():
    frame = people()
    weights = {"age": 5.0, "zip": 1.0, "gender": 2.0, "income": 0.5, "diagnosis": 3.0}
    said = {name: SAID.get(name, {}) | {"rut_weight": w} for name, w in weights.items()}
    rut = rut_of(frame, protect(frame, 2), said)
    shares = [weights[a.name] for a in rut.attributes]
    assert [a.weight for a in rut.attributes] == shares
    assert rut.loss == approx(np.average([a.loss for a in rut.attributes], weights=shares))
    expected = np.average([a.similarity for a in rut.attributes], weights=shares)
    assert rut.similarity == approx(expected)


@pytest.mark.parametrize(
    ("risk_margin", "utility_margin", "expected"),
    [(0.01, 0.01, True), (-0.01, 0.01, False), (0.01, -0.01, False), (0.0, 0.0, True)],
)
def test_limits(risk_margin, utility_margin, expected):
    result = released()
    limits = {
        "max_risk": result.risk.total + risk_margin,
        "min_utility": result.rut.utility - utility_margin,
    }
    again = released(rut=limits).rut
    assert again.meets_limits is expected
    assert (again.max_risk, again.min_utility) == (limits["max_risk"], limits["min_utility"])


def test_one_limit():
    result = released()
    assert released(rut={"max_risk": result.risk.total}).rut.meets_limits is True
    assert released(rut={"max_risk": result.risk.total / 2}).rut.meets_limits is False
    assert released(rut={"min_utility": result.rut.utility}).rut.meets_limits is True
    assert released(rut={"min_utility": 1.0}).rut.meets_limits is False
    assert released(rut={"max_risk": 0.0}).rut.meets_limits is False


def test_without_a_risk_there_is_no_balance():
    result = released(risk={"record_weight": "nobody"}, rut={"max_risk": 0.5})
    assert result.risk.total is None
    assert result.rut.utility is not None
    assert result.rut.value is None
    assert result.rut.meets_limits is None
    assert "risk" in result.rut.reason


@pytest.mark.parametrize(
    "wrong",
    [
        {"preset": "secret"},
        {"preset": "public", "alpha": 0.3},
        {"alpha": 0.5, "beta": 0.6},
        {"alpha": 1.5},
        {"form": "product"},
        {"lmax": "span"},
        {"combine": "min"},
        {"utility": [0, 0]},
        {"utility": [1, 2, 3]},
        {"utility": "sum"},
        {"max_risk": 2},
        {"min_utility": -0.1},
        {"surprise": 1},
    ],
)
def test_choices_that_make_no_sense(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        released(rut=wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"loss": ["guess"]},
        {"similarity": ["sine"]},
        {"rut_weight": 0},
        {"bins": 0},
        {"resolution": 0},
    ],
)
def test_choices_of_a_variable_that_make_no_sense(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        rut_of(people(), None, SAID | {"age": NUMBER | wrong})


# -- kinds and what is chosen for them -----------------------------------------------------------

ZIPS = [f"{z}" for z in range(10400, 10440)]
FORTY = np.arange(20.0, 60.0)
MERGED = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
KINDS = {
    "range": (FORTY, tens(FORTY), NUMBER, "generalisation", "cosine"),
    "prefix": (ZIPS, [z[:4] for z in ZIPS], CATEGORY, "generalisation", "jaccard"),
    "number": (FORTY, FORTY + 1, NUMBER, "proximity", "cosine"),
    "category": (list("abcd") * 10, list("abdc") * 10, CATEGORY, "entropy", "cosine"),
    "merged": (list("abcd") * 10, [MERGED[v] for v in "abcd"] * 10, CATEGORY, "entropy", "jaccard"),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_default_of_each_kind(kind):
    before, after, said, loss, alike = KINDS[kind]
    found = one(before, after, said)
    assert (found.kind, found.loss_measure, found.similarity_measure) == (kind, loss, alike)
    assert list(found.losses) == [loss]
    assert list(found.similarities) == [alike]


def test_rounded_numbers_are_numbers():
    found = one(FORTY, np.round(FORTY / 5) * 5, NUMBER)
    assert (found.kind, found.loss_measure) == ("number", "proximity")


def test_codes_merged_to_words_are_merged():
    before = [1, 2, 3, 4] * 10
    found = one(before, ["low", "low", "high", "high"] * 10, CATEGORY)
    assert (found.kind, found.loss_measure) == ("merged", "entropy")
    assert found.similarity == approx(2 / 4)
    assert found.loss == approx(1 / 2)


def test_other_measures_can_be_chosen():
    frame = people()
    said = {
        "age": NUMBER | {"loss": ["entropy"], "similarity": ["jaccard"]},
        "zip": CATEGORY | {"loss": ["entropy", "consistency"], "similarity": ["cosine"]},
        "income": NUMBER | {"loss": ["consistency"], "similarity": ["values"]},
    }
    protected = protect(frame, 2)
    rut = rut_of(frame, protected, said)
    age, code, income = (attribute(rut, name) for name in ("age", "zip", "income"))
    before, after = frame["age"].value_counts(), protected["age"].value_counts()
    assert age.loss == approx((bits(before) - bits(after)) / bits(before))
    assert age.similarity == approx(len(after) / len(before))
    assert code.losses["consistency"] == 0.0
    before, after = frame["zip"].value_counts(), protected["zip"].value_counts()
    expected = (bits(before) - bits(after)) / bits(before)
    assert code.losses["entropy"] == approx(expected)
    assert code.loss == approx(expected / 2)
    assert code.loss_measure == "entropy + consistency"
    assert income.loss == 0.0
    assert income.similarity == approx(cosine_by_hand(frame["income"], protected["income"]))


def test_a_measure_that_does_not_fit_is_null_with_a_reason():
    found = one(list("aabb"), list("abab"), CATEGORY | {"loss": ["proximity", "entropy"]})
    assert found.losses["proximity"] is None
    assert found.losses["entropy"] == 0.0
    assert found.loss == 0.0
    assert "proximity: not a number" in found.reason
    alone = rut_of(
        pd.DataFrame({"x": list("aabb"), "y": list("abab")}), None, {"x": {"loss": ["proximity"]}}
    )
    assert attribute(alone, "x").loss is None
    assert alone.loss == 0.0
    assert "x" in alone.reason


def test_no_figure_at_all():
    rut = rut_of(
        pd.DataFrame({"x": list("aabb")}),
        None,
        {"x": {"loss": ["proximity"], "similarity": ["values"]}},
    )
    assert (rut.loss, rut.similarity, rut.utility, rut.value) == (None, None, None, None)
    assert rut.reason


def test_tables_that_are_not_aligned():
    frame = people()
    protected = protect(frame, 2).sample(200, random_state=1)
    result = run(frame, protected, SAID | {"gender": {"loss": ["consistency"]}}, aligned=False)
    income = attribute(result.rut, "income")
    assert income.loss_measure == "entropy"
    assert mentions(result, '"income"', "entropy")
    low, high = frame["income"].min(), frame["income"].max()
    counts = [histogram(t["income"], low, high, 50) for t in (frame, protected)]
    assert income.entropy_difference == approx(bits(counts[0]) - bits(counts[1]))
    assert attribute(result.rut, "age").loss == approx(0.9)
    assert attribute(result.rut, "gender").loss is None
    assert "aligned" in attribute(result.rut, "gender").reason


def test_suppressed_cells_of_tables_that_are_not_aligned():
    """The rise of the missing share, as a share of what was known."""
    before = pd.DataFrame({"x": list("ab") * 50})
    after = pd.DataFrame({"x": list("ab") * 30 + [None] * 20})
    found = attribute(rut_of(before, after, {"x": CATEGORY}, aligned=False), "x")
    assert found.suppressed == approx(0.25)
    assert found.loss == approx(0.25)


@pytest.mark.parametrize("gone", ["column", "cells"])
def test_a_removed_attribute_is_lost(gone):
    frame = people()
    protected = frame.drop(columns="income")
    if gone == "cells":
        protected = frame.assign(income=np.nan)
    rut = rut_of(frame, protected, SAID)
    found = attribute(rut, "income")
    assert (found.kind, found.loss, found.similarity) == ("removed", 1.0, 0.0)
    assert rut.loss == approx(1 / 5)
    assert rut.similarity == approx(4 / 5)


def test_what_is_not_analysed_does_not_count():
    frame = people().assign(number=range(300), w=1.5)
    said = SAID | {"number": {"role": "id"}, "diagnosis": {"role": "exclude"}}
    rut = rut_of(frame, frame.drop(columns=["number", "diagnosis"]), said, weight="w")
    assert [a.name for a in rut.attributes] == ["age", "zip", "gender", "income"]
    assert rut.utility == approx(1.0)


def test_sensitive_variables_count_in_utility():
    frame = people()
    rut = rut_of(frame, protect(frame, 2), SAID | {"diagnosis": {"role": "sensitive"}})
    assert attribute(rut, "diagnosis").loss > 0


def test_constant_attributes():
    """Neither an entropy nor a range to measure against: null with a reason, not 0 and not NaN."""
    frame = pd.DataFrame({"g": list("fm") * 5, "c": ["same"] * 10, "n": [7.0] * 10})
    rut = rut_of(frame, None, {"n": NUMBER})
    category, number = attribute(rut, "c"), attribute(rut, "n")
    assert (category.loss, category.similarity) == (None, 1.0)
    assert (number.loss, number.similarity) == (None, None)
    assert "constant" in category.reason
    assert "constant" in number.reason
    assert rut.utility == 1.0
    assert "c, n" in rut.reason


def test_an_attribute_without_values_does_not_count():
    frame = people().assign(nothing=np.nan)
    rut = rut_of(frame, None, SAID)
    assert "nothing" not in [a.name for a in rut.attributes]
    assert rut.utility == approx(1.0)


def test_values_exchanged_wholly_between_missing_and_known():
    """No unit has a value on both sides, though a rounding rule is declared."""
    before, after = [1.0, 2.0, 6.0, None, None, None], [None, None, None, 5.0, 0.0, 5.0]
    found = one(before, after, NUMBER | {"recode": {"round": 5}})
    assert found.loss is None
    assert "no unit has a value on both sides" in found.reason


def test_one_record():
    rut = rut_of(pd.DataFrame({"x": ["a"], "y": [1.0]}), None, {"y": NUMBER})
    assert attribute(rut, "x").similarity == 1.0
    assert attribute(rut, "y").loss is None


def test_names_of_the_contract():
    content = released().to_dict()["rut"]
    names = {"loss", "similarity", "utility", "form", "alpha", "beta", "value", "attributes"}
    assert names <= set(content)
    names = {"name", "loss", "loss_measure", "similarity", "similarity_measure"}
    assert all(names <= set(entry) for entry in content["attributes"])


# -- rounding and what errors are divided by -----------------------------------------------------


def test_resolution_of_numbers():
    assert resolution(np.array([10.0, 25.0, 40.0])) == 5.0
    assert resolution(np.array([0.5, 1.25])) == 0.25
    assert resolution(np.array([-30.0, 0.0, 20.0])) == 10.0
    assert resolution(np.array([0.1, 0.2, 0.3])) == 0.1
    assert resolution(np.array([0.0])) is None
    assert resolution(np.array([])) is None
    assert resolution(np.array([math.pi, math.e])) is None


@pytest.mark.parametrize("mode", ["nearest", "floor", "ceiling"])
@pytest.mark.parametrize("unit", [0.5, 5.0, 10.0, 1000.0])
def test_a_rounding_rule_is_found(mode, unit):
    rng = np.random.default_rng(1)
    before = np.unique(np.round(rng.uniform(-40, 60, 300), 2)) * unit
    step = {"nearest": np.rint, "floor": np.floor, "ceiling": np.ceil}[mode]
    after = step(np.round(before / unit, 9)) * unit
    found = found_rule(before, after, np.ones(len(before)), resolution(before))
    assert found == Rule(unit, mode)
    released = one(before, after, NUMBER)
    assert released.rule == f"{mode}, to {unit:g}"
    error = np.abs(before - after).mean() / (unit / 2 if mode == "nearest" else unit)
    assert released.loss_by_rule == approx(error)
    assert 0.4 < error < 0.6
    assert released.loss == approx(np.abs(before - after).mean() / np.ptp(before))


@pytest.mark.parametrize(("hits", "expected"), [(95, Rule(10.0, "nearest")), (94, None)])
def test_a_rule_must_give_all_but_one_row_in_twenty(hits, expected):
    before = np.arange(1.0, 101.0)
    after = np.round(before / 10) * 10
    wrong = np.arange(hits, 100)
    after[wrong] = np.where(after[wrong] > 50, after[wrong] - 30, after[wrong] + 30)
    assert found_rule(before, after, np.ones(100), 1.0) == expected
    found = one(before, after, NUMBER)
    assert found.rule == (None if expected is None else "nearest, to 10")
    assert (found.loss_by_rule is None) == (expected is None)


def test_rows_and_not_values_must_obey_a_rule():
    before, after = np.array([1.0, 12.0, 23.0]), np.array([0.0, 10.0, 50.0])
    assert found_rule(before, after, np.array([50.0, 49.0, 1.0]), 1.0) == Rule(10.0, "nearest")
    assert found_rule(before, after, np.array([1.0, 49.0, 50.0]), 1.0) is None
    assert found_rule(before, after, np.zeros(3), 1.0) is None


def test_a_rule_that_changed_nothing_is_none():
    """Where odd values were suppressed those left are even, and were so before."""
    left = np.array([20.0, 22.0, 26.0])
    assert found_rule(left, left, np.ones(3), 1.0) is None


def test_a_rule_is_coarser_than_the_original():
    """Incomes in tens that stay in tens are not "rounded to ten"."""
    before = np.arange(10.0, 1000.0, 10.0)
    assert found_rule(before, before, np.ones(99), 10.0) is None
    after = np.where(np.arange(99) < 4, 10.0, before)
    found = one(before, after, NUMBER)
    assert found.rule is None
    assert found.loss_by_rule is None


def test_noise_is_no_rule():
    rng = np.random.default_rng(1)
    before = rng.normal(size=200)
    assert one(before, before + rng.normal(size=200), NUMBER).rule is None


@pytest.mark.parametrize(
    ("rounding", "bound"), [("nearest", 5.0), ("floor", 10.0), ("ceiling", 10.0)]
)
def test_what_errors_are_divided_by(rounding, bound):
    step = {"nearest": np.rint, "floor": np.floor, "ceiling": np.ceil}[rounding]
    before = np.arange(3.0, 90.0)
    after = step(before / 10) * 10
    said = NUMBER | {"recode": {"round": 10}, "rounding": rounding}
    error = np.abs(before - after).mean()
    by_range, by_rule = (one(before, after, said, rut={"lmax": lmax}) for lmax in ("range", "rule"))
    assert by_range.loss == approx(error / 86)
    assert by_rule.loss == approx(error / bound)
    assert by_range.loss_by_rule == approx(by_rule.loss)
    assert by_rule.rule == f"{rounding}, to 10"


def test_errors_against_a_rule_that_there_is_not():
    rng = np.random.default_rng(1)
    before = rng.normal(size=100)
    found = one(before, before + 0.1 * rng.normal(size=100), NUMBER, rut={"lmax": "rule"})
    assert found.loss is None
    assert "rule" in found.reason


def test_rounding_is_comparable_between_levels_only_over_the_range():
    before = np.arange(1.0, 400.0)
    figures = []
    for unit in (5, 20, 50):
        found = one(before, np.round(before / unit) * unit, NUMBER)
        figures.append((found.loss, found.loss_by_rule))
    over_range, over_rule = zip(*figures, strict=True)
    assert over_range[0] < over_range[1] < over_range[2]
    assert all(0.4 < share < 0.6 for share in over_rule)


@pytest.mark.parametrize("unit", [5, 10])
def test_a_rounded_age_can_be_taken_for_a_range(unit):
    """As the study of the American Community Survey does: five years of one, 0.8 is lost."""
    before = np.arange(20.0, 70.0)
    after = np.round(before / unit) * unit
    chosen = NUMBER | {"loss": ["generalisation"]}
    declared = one(before, after, chosen | {"recode": {"round": unit}})
    found = one(before, after, chosen)
    assert declared.loss == approx(1 - 1 / unit)
    assert found.rule == f"nearest, to {unit}"
    assert found.loss == approx(declared.loss)


def test_a_rounded_income_can_be_taken_for_a_range():
    rng = np.random.default_rng(4)
    before = rng.integers(1, 100_000, 500).astype(float)
    after = np.round(before / 1000) * 1000
    found = one(before, after, NUMBER | {"loss": ["generalisation"]})
    assert found.loss == approx(1 - 1 / 1000)


# -- weights -------------------------------------------------------------------------------------


def weighted_people():
    frame = people()
    frame["w"] = np.random.default_rng(5).exponential(10, len(frame)) + 1
    return frame


def test_weights_enter_entropies_and_histograms():
    frame = weighted_people()
    protected = protect(frame, 2)
    protected["gender"] = protected["gender"].where(np.arange(300) % 7 > 0, "m")
    result = run(frame, protected, SAID, weight="w")
    gender, diagnosis = (attribute(result.rut, n) for n in ("gender", "diagnosis"))
    income, age = attribute(result.rut, "income"), attribute(result.rut, "age")

    def sums(table, name):
        return table.groupby(name)["w"].sum()

    before, after = sums(frame, "gender"), sums(protected, "gender")
    assert gender.similarity == approx(cosine_by_hand(before, after))
    assert gender.entropy_difference == approx(bits(before) - bits(after))
    before, after = sums(frame, "diagnosis"), sums(protected, "diagnosis")
    assert diagnosis.loss == approx((bits(before) - bits(after)) / bits(before))
    low, high = frame["income"].min(), frame["income"].max()
    counts = [
        np.histogram(np.clip(t["income"], low, high), 50, (low, high), weights=t["w"])[0]
        for t in (frame, protected)
    ]
    assert income.similarity == approx(cosine_by_hand(*counts))
    before = sums(frame, "age")
    bands = pd.Series(tens(before.index), index=before.index)
    assert age.similarity == approx(cosine_by_hand(before, before.groupby(bands).transform("mean")))
    plain = run(frame.drop(columns="w"), protected.drop(columns="w"), SAID)
    assert plain.risk.internal == result.risk.internal
    assert attribute(plain.rut, "gender").similarity != approx(gender.similarity)
    assert attribute(plain.rut, "age").loss == age.loss


@pytest.mark.parametrize("change", ["equal", "seven"])
def test_weights_that_say_nothing_new(change):
    frame = weighted_people()
    protected = protect(frame, 2)
    if change == "equal":
        frame["w"] = protected["w"] = 3.0
        tables = frame.drop(columns="w"), protected.drop(columns="w")
        other = run(*tables, SAID).rut
    else:
        other = run(
            frame.assign(w=frame["w"] * 7), protected.assign(w=protected["w"] * 7), SAID, weight="w"
        ).rut
    found = run(frame, protected, SAID, weight="w").rut
    assert found.utility == approx(other.utility)
    for mine, theirs in zip(found.attributes, other.attributes, strict=True):
        assert (mine.loss, mine.similarity) == (approx(theirs.loss), approx(theirs.similarity))


# -- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("aligned", [True, False])
def test_identical_files(missing, aligned):
    frame = people()
    rng = np.random.default_rng(2)
    for name in frame:
        frame.loc[rng.random(300) < missing, name] = None
    rut = rut_of(frame, None, SAID, aligned=aligned)
    assert (rut.loss, rut.similarity, rut.utility) == (approx(0.0), approx(1.0), approx(1.0))
    for entry in rut.attributes:
        assert (entry.loss, entry.similarity) == (approx(0.0), approx(1.0)), entry.name
    assert rut.value == approx(0.5 + 0.5 * (1 - run(frame, None, SAID).risk.total))


@pytest.mark.parametrize(
    "loss", ["generalisation", "proximity", "euclidean", "entropy", "consistency", "deviation"]
)
def test_identical_numbers_lose_nothing_by_any_measure(loss):
    found = one(
        FORTY, FORTY, NUMBER | {"loss": [loss], "similarity": ["cosine", "jaccard", "values"]}
    )
    assert found.loss == 0.0
    assert found.similarities == approx({"cosine": 1.0, "jaccard": 1.0, "values": 1.0})


def figures(rut):
    """Every number of a balance by its name."""
    found = {n: getattr(rut, n) for n in ("loss", "similarity", "utility", "value")}
    for entry in rut.attributes:
        for name in ("loss", "similarity", "suppressed", "entropy_difference", "loss_by_rule"):
            found[entry.name, name] = getattr(entry, name)
    return {name: value for name, value in found.items() if value is not None}


@settings(max_examples=6, deadline=None)
@given(seeds)
def test_rows_permuted_together_change_nothing(seed):
    frame = people(150, seed)
    protected = with_holes(protect(frame, 1 + seed % 3), 0.1, np.random.default_rng(seed))
    order = np.random.default_rng(seed).permutation(150)
    keys = ["age", "zip"]
    one, other = (
        rut_of(*tables, SAID, keys=keys)
        for tables in ((frame, protected), (frame.iloc[order], protected.iloc[order]))
    )
    assert figures(other) == approx(figures(one))
    reordered = rut_of(frame[frame.columns[::-1]], protected, SAID, keys=keys)
    assert figures(reordered) == approx(figures(one))


@settings(max_examples=6, deadline=None)
@given(seeds)
def test_categories_renamed_on_both_sides_change_nothing(seed):
    rng = np.random.default_rng(seed)
    frame = people(150, seed)
    protected = frame.copy()
    moved = rng.random(150) < 0.3
    protected.loc[moved, "diagnosis"] = rng.choice(list("PQ"), moved.sum())
    protected["gender"] = protected["gender"].where(rng.random(150) < 0.9)
    names = {"P": "z1", "Q": "b", "R": "a a", "S": "Ω", "T": "0x", "U": "y"}
    sexes = {"f": "woman", "m": "man"}
    said = SAID | {"gender": CATEGORY, "diagnosis": CATEGORY}
    renamed = [
        t.assign(diagnosis=t["diagnosis"].map(names), gender=t["gender"].map(sexes))
        for t in (frame, protected)
    ]
    keys = ["gender", "diagnosis"]
    before = run(frame, protected, said, keys=keys)
    after = run(*renamed, said, keys=keys)
    assert figures(after.rut) == approx(figures(before.rut))
    assert after.risk.internal == approx(before.risk.internal)


@pytest.mark.parametrize("seed", range(4))
def test_the_stronger_the_protection_the_less_risk_and_utility(seed):
    """What the paper found: safety rises and utility falls from level to level."""
    frame = people(400, seed)
    keys = ["age", "zip", "gender"]
    found = [
        run(frame, protect(frame, level), SAID, keys=keys, external=frame) for level in range(4)
    ]
    risks = [result.risk.internal for result in found]
    gains = [result.rut.utility for result in found]
    assert risks == sorted(risks, reverse=True)
    assert risks[0] > risks[-1] + 0.2
    assert gains[0] == approx(1.0)
    assert all(later < earlier + 0.02 for earlier, later in pairwise(gains))
    assert gains[-1] < 0.9
    for result in found:
        assert result.risk.external == approx(result.risk.internal)


@FEW
@given(seeds, st.integers(2, 12), st.integers(2, 4))
def test_coarser_bands_never_raise_the_risk_and_lose_more(seed, width, times):
    """Bands that are unions of others: fewer classes, a larger loss, a smaller Jaccard index."""
    ages = np.random.default_rng(seed).integers(0, 90, 60).astype(float)

    def bands(size):
        low = ages // size * size
        return [f"{int(a)}-{int(a) + size - 1}" for a in low]

    said = {"x": NUMBER | {"similarity": ["jaccard"]}}
    results = [
        run(pd.DataFrame({"x": ages}), pd.DataFrame({"x": bands(size)}), said)
        for size in (width, width * times)
    ]
    fine, coarse = (attribute(result.rut, "x") for result in results)
    assert results[1].risk.internal <= results[0].risk.internal + 1e-12
    assert fine.loss == approx(1 - 1 / width)
    assert coarse.loss == approx(1 - 1 / (width * times))
    assert coarse.similarity <= fine.similarity + 1e-12


@FEW
@given(
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=30),
    st.lists(st.sampled_from(["a", "b", "d", None]), min_size=30, max_size=30),
)
def test_figures_of_any_categories(before, after):
    after = after[: len(before)]
    frames = [pd.DataFrame({"x": pd.Series(side, dtype="string")}) for side in (before, after)]
    known = [frame["x"].dropna() for frame in frames]
    if known[0].empty or known[1].empty:
        return
    said = {
        "loss": ["entropy", "consistency"],
        "similarity": ["cosine", "jaccard"],
        "type": "nominal",
    }
    frames = [frame.assign(key="k") for frame in frames]
    result = run(*frames, {"x": said | {"recode": {"map": {v: v for v in "abcd"}}}}, keys=["key"])
    found = attribute(result.rut, "x")
    suppressed = (frames[0]["x"].notna() & frames[1]["x"].isna()).sum() / len(known[0])
    counts = [side.value_counts().reindex(list("abcd"), fill_value=0) for side in known]
    assert found.suppressed == approx(suppressed)
    assert found.similarities["cosine"] == approx(cosine_by_hand(*counts))
    sets = [set(side) for side in known]
    assert found.similarities["jaccard"] == approx(len(sets[0] & sets[1]) / len(sets[0] | sets[1]))
    if len(sets[0]) > 1:
        lost = max(0.0, bits(counts[0]) - bits(counts[1])) / bits(counts[0])
        assert found.losses["entropy"] == approx(lost * (1 - suppressed) + suppressed)
    both = pd.DataFrame({"before": frames[0]["x"], "after": frames[1]["x"]}).dropna()
    if len(both):
        kept = both.groupby("before")["after"].agg(lambda values: values.value_counts().iloc[0])
        lost = 1 - kept.sum() / len(both)
        assert found.losses["consistency"] == approx(lost * (1 - suppressed) + suppressed)


@FEW
@given(
    st.lists(st.integers(-50, 50), min_size=3, max_size=30).filter(lambda v: len(set(v)) > 1),
    st.lists(st.one_of(st.none(), st.integers(-80, 80)), min_size=30, max_size=30),
)
def test_figures_of_any_numbers(before, after):
    before, after = np.array(before, float), np.array(after[: len(before)], float)
    if np.isnan(after).all():
        return
    said = NUMBER | {"loss": ["proximity", "euclidean", "deviation"], "bins": 8}
    frames = [pd.DataFrame({"x": side, "key": "k"}) for side in (before, after)]
    found = attribute(rut_of(*frames, {"x": said}, keys=["key"]), "x")
    gone = np.isnan(after)
    apart, width = np.abs(before - after)[~gone], np.ptp(before)
    share = gone.mean()

    def lost(distance):
        return min(distance / width, 1.0) * (1 - share) + share

    assert found.losses["proximity"] == approx(lost(apart.mean()))
    assert found.losses["deviation"] == approx(lost(apart.mean()))
    assert found.losses["euclidean"] == approx(lost(math.sqrt((apart**2).mean())))
    assert 0 <= found.similarity <= 1
