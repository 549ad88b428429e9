"""Published statistics against brute force, scipy, statsmodels and hand-made figures."""

import json
from itertools import count

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import microgauge
from microgauge import InputError
from microgauge.languages.catalogue import words_of
from microgauge.languages.messages import in_language

BOOTSTRAPPED = ("total", "median", "quantile", "ratio", "gini", "s80s20", "arop")
STATISTICS = ("mean", *BOOTSTRAPPED)
FIGURES = (
    "original", "original_ci", "protected", "protected_ci", "relative_difference", "inside",
    "overlap", "units_original", "units_protected", "reason",
)  # fmt: skip


def assess(original, protected, *indicators, variables=None, **options):
    said = {"indicator": list(indicators), "variable": variables or {}, "options": options}
    return microgauge.assess(original, protected, schema=said, only=["indicators", "regressions"])


def run(original, protected, *indicators, variables=None, **options):
    return assess(original, protected, *indicators, variables=variables, **options).indicators


def only(original, protected, statistic, variable="income", variables=None, options=None, **more):
    """The one result of one indicator."""
    entry = {"statistic": statistic, "variable": variable, "resamples": 20} | more
    if statistic == "ratio":
        entry.setdefault("denominator", "rent")
    (found,) = run(original, protected, entry, variables=variables, **(options or {}))
    return found


def people(rows=200, seed=1):
    """Incomes, rents, weights that are whole numbers, ages and two kinds of groups."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(7, 0.6, rows).round(2)
    return pd.DataFrame(
        {
            "income": income,
            "rent": (income * rng.uniform(0.1, 0.6, rows)).round(2),
            "age": rng.integers(18, 80, rows),
            "region": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
            "times": rng.integers(1, 5, rows),
        }
    )


def noisy(table, strength=0.1, seed=9):
    rng = np.random.default_rng(seed)
    return table.assign(income=table["income"] * rng.lognormal(0, strength, len(table)))


def figures(found):
    return {name: getattr(found, name) for name in FIGURES}


def replicated(table):
    return table.loc[table.index.repeat(table["times"])].reset_index(drop=True)


# -- independent formulas ------------------------------------------------------------------------


def gini_by_sums(x, w):
    x, w = np.asarray(x, float), np.asarray(w, float)
    apart = np.abs(x[:, None] - x[None, :]) * w[:, None] * w[None, :]
    return apart.sum() / (2 * w.sum() ** 2 * (np.average(x, weights=w)))


def s80s20_by_sorting(x):
    """For a number of units that five divides."""
    x = np.sort(np.asarray(x, float))
    fifth = len(x) // 5
    assert len(x) == 5 * fifth
    return x[-fifth:].sum() / x[:fifth].sum()


def arop_of(x, line=0.6):
    x = np.asarray(x, float)
    return np.mean(x < line * np.median(x))


# -- estimates -----------------------------------------------------------------------------------


def test_gini_of_one_to_five():
    table = pd.DataFrame({"x": [3, 1, 5, 2, 4], "g": ["a", "b", "a", "b", "a"]})
    found = only(table, table.copy(), "gini", "x")
    assert found.original == pytest.approx(4 / 15, rel=1e-14)
    assert found.protected == pytest.approx(4 / 15, rel=1e-14)


def test_gini_extremes():
    """All alike: 0. One has all: 1 − 1/n."""
    alike = pd.DataFrame({"x": [7.5] * 8, "one": [0.0] * 7 + [3.5]})
    assert only(alike, alike.copy(), "gini", "x").original == pytest.approx(0, abs=1e-15)
    assert only(alike, alike.copy(), "gini", "one").original == pytest.approx(7 / 8, rel=1e-14)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.01, 1e5), st.floats(0.01, 100)), min_size=3, max_size=25).filter(
        lambda rows: len({x for x, _ in rows}) > 1
    )
)
def test_gini_by_double_sums(rows):
    x, w = (np.array(column) for column in zip(*rows, strict=True))
    table = pd.DataFrame({"x": x, "w": w})
    types = {"x": {"type": "continuous"}}
    plain = only(table, table.copy(), "gini", "x", types, resamples=10)
    assert plain.original == pytest.approx(gini_by_sums(x, np.ones_like(x)), rel=1e-9, abs=1e-12)
    weighted = only(table, table.copy(), "gini", "x", types, weight="w", resamples=10)
    assert weighted.original == pytest.approx(gini_by_sums(x, w), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("rows", [5, 10, 55, 200])
def test_quintile_share_ratio(rows):
    table = people(rows, seed=rows)
    found = only(table, table.copy(), "s80s20")
    assert found.original == pytest.approx(s80s20_by_sorting(table["income"]), rel=1e-12)


def test_quintile_share_ratio_splits_the_unit_on_the_border():
    # 1 … 7: a fifth is 1.4 units. Richest 7 + 0.4 · 6, poorest 1 + 0.4 · 2.
    table = pd.DataFrame({"x": [4, 1, 7, 3, 2, 6, 5], "g": list("aabbaab")})
    assert only(table, table.copy(), "s80s20", "x").original == pytest.approx(9.4 / 1.8)


@pytest.mark.parametrize("line", [0.4, 0.6, 0.7])
def test_at_risk_of_poverty_rate(line):
    table = people()
    found = only(table, table.copy(), "arop", line=line)
    assert found.original == pytest.approx(arop_of(table["income"], line), rel=1e-14)


def test_a_unit_on_the_poverty_line_is_not_poor():
    # The median is 10, the line 6: one unit of seven is below, one on it.
    table = pd.DataFrame({"x": [5, 6, 10, 10, 10, 20, 30], "g": list("aabbaab")})
    assert only(table, table.copy(), "arop", "x").original == pytest.approx(1 / 7)


def test_one_poverty_line_for_all_groups():
    table = people()
    found = run(
        table, table.copy(),
        {"statistic": "arop", "variable": "income", "by": "region", "resamples": 20},
    )  # fmt: skip
    line = 0.6 * table["income"].median()
    expected = (table["income"] < line).groupby(table["region"]).mean()
    assert {f.group: f.original for f in found} == pytest.approx(expected.to_dict())
    own = table.groupby("region")["income"].apply(arop_of)
    assert (own - expected).abs().max() > 0.005  # a line for each group would be seen


def test_the_poverty_line_counts_units_whose_group_is_missing():
    """The line is that of all units, whether or not rates by groups are wanted."""
    table = people()
    rich = table["income"] > table["income"].quantile(0.6)
    table.loc[rich, "region"] = None
    found = run(
        table, table.copy(),
        {"statistic": "arop", "variable": "income", "by": "region", "resamples": 20},
    )  # fmt: skip
    line = 0.6 * table["income"].median()
    expected = (table["income"] < line).groupby(table["region"]).mean()
    assert {f.group: f.original for f in found} == pytest.approx(expected.to_dict())


EXPECTED = {
    "mean": lambda t, w: np.average(t["income"], weights=w),
    "total": lambda t, w: np.dot(t["income"], w),
    "ratio": lambda t, w: np.dot(t["income"], w) / np.dot(t["rent"], w),
    "gini": lambda t, w: gini_by_sums(t["income"], w),
}


@pytest.mark.parametrize("statistic", EXPECTED)
@pytest.mark.parametrize("weighted", [False, True])
def test_against_a_formula(statistic, weighted):
    table, protected = people(), noisy(people())
    weights = [t["times"] if weighted else np.ones(len(t)) for t in (table, protected)]
    more = {"weight": "times"} if weighted else {}
    found = only(table, protected, statistic, **more)
    expected = EXPECTED[statistic]
    assert found.original == pytest.approx(expected(table, weights[0]), rel=1e-12)
    assert found.protected == pytest.approx(expected(protected, weights[1]), rel=1e-12)
    assert found.units_original == found.units_protected == len(table)
    assert found.statistic == statistic


@pytest.mark.parametrize("rows", [199, 200])
@pytest.mark.parametrize("p", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
def test_quantiles_are_those_of_numpy(rows, p):
    table = people(rows)
    found = only(table, table.copy(), "quantile", quantile=p)
    assert found.original == pytest.approx(np.quantile(table["income"], p), rel=1e-13)
    if p == 0.5:
        assert only(table, table.copy(), "median").original == found.original


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5, 0.9])
def test_weighted_quantiles_are_those_of_numpy(p):
    """Inverse of the distribution function, averaged where flat: ties are next to impossible."""
    table = people().assign(w=np.random.default_rng(3).uniform(1, 9, 200))
    found = only(table, table.copy(), "quantile", quantile=p, weight="w")
    expected = np.quantile(
        table["income"].to_numpy(), p, weights=table["w"].to_numpy(), method="inverted_cdf"
    )
    assert found.original == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
def test_shares_of_every_category(weighted):
    table = people()
    weights = table["times"] if weighted else pd.Series(1.0, table.index)
    more = {"weight": "times"} if weighted else {}
    found = run(table, table.copy(), {"statistic": "share", "variable": "region"} | more)
    expected = weights.groupby(table["region"]).sum() / weights.sum()
    assert [f.original for f in found] == pytest.approx(expected.to_list(), rel=1e-12)
    assert sum(f.original for f in found) == pytest.approx(1)
    assert [region in f.name for f, region in zip(found, expected.index, strict=True)] == [True] * 3
    said = [in_language(f.name, words_of("de")) for f in found]
    assert said == [f"Anteil von region: {region}" for region in expected.index]
    one = only(table, table.copy(), "share", "region", category="south", **more)
    assert one.original == pytest.approx(expected["south"], rel=1e-12)


@pytest.mark.parametrize("category", [2, 2.0, "2"])
def test_the_share_of_a_code_however_it_is_written(category):
    table = people()
    found = only(table, table.copy(), "share", "times", category=category)
    assert found.original == pytest.approx((table["times"] == 2).mean())


@pytest.mark.parametrize(
    "statistic", ["mean", "share", "gini", "s80s20", "arop", "total", "ratio", "median"]
)
def test_weights_that_are_frequencies(statistic):
    """A weight of 3 is three rows."""
    table, protected = people(150, 4), noisy(people(150, 4))
    more = {"variable": "region", "category": "north"} if statistic == "share" else {}
    weighted = only(table, protected, statistic, weight="times", **more)
    rows = only(replicated(table), replicated(protected), statistic, **more)
    assert weighted.original == pytest.approx(rows.original, rel=1e-10)
    assert weighted.protected == pytest.approx(rows.protected, rel=1e-10)
    unweighted = only(table, protected, statistic, **more)
    assert abs(unweighted.original - rows.original) > 1e-6  # the weights matter here


def test_quintiles_of_weights_that_are_frequencies_by_sorting():
    table = people(150, 4)
    rows = replicated(table)
    rows = rows.iloc[: len(rows) // 5 * 5]
    left = rows["income"].value_counts()
    table = table.assign(times=table["income"].map(left).fillna(0))
    found = only(table, table.copy(), "s80s20", weight="times")
    assert found.original == pytest.approx(s80s20_by_sorting(rows["income"]), rel=1e-10)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("where", ["indicator", "run"])
def test_equal_weights_give_the_unweighted_figures(statistic, where):
    table = people().assign(same=3.0)
    protected = noisy(table)
    more = {"quantile": 0.3} if statistic == "quantile" else {}
    plain = figures(only(table, protected, statistic, **more))
    if where == "indicator":
        weighted = only(table, protected, statistic, weight="same", **more)
    else:
        weighted = only(table, protected, statistic, options={"weight": "same"}, **more)
    scale = 3.0 if statistic == "total" else 1.0
    for name, value in figures(weighted).items():
        if name in ("original", "protected", "original_ci", "protected_ci"):
            assert np.divide(value, scale) == pytest.approx(plain[name], rel=1e-10), name
        elif isinstance(value, float):
            assert value == pytest.approx(plain[name], rel=1e-8), name
        else:
            assert value == plain[name], name


@pytest.mark.parametrize("statistic", STATISTICS)
def test_weights_times_seven_change_nothing(statistic):
    table = people().assign(w=np.random.default_rng(2).uniform(1, 9, 200))
    table["seven"] = 7 * table["w"]
    one = only(table, noisy(table), statistic, weight="w")
    other = only(table, noisy(table), statistic, weight="seven")
    scale = 7.0 if statistic == "total" else 1.0
    assert other.original == pytest.approx(scale * one.original, rel=1e-10)
    assert other.original_ci == pytest.approx(np.multiply(scale, one.original_ci), rel=1e-10)
    assert other.overlap == pytest.approx(one.overlap, rel=1e-8)


def test_the_weight_of_the_run_and_of_one_side():
    table = people().assign(other=lambda t: 5 - t["times"])
    both = only(table, table.copy(), "mean", options={"weight": "times"})
    expected = np.average(table["income"], weights=table["times"])
    assert both.original == both.protected == pytest.approx(expected)
    sides = {"weight_original": "times", "weight_protected": "other"}
    apart = only(table, table.copy(), "mean", options=sides)
    assert apart.original == pytest.approx(expected)
    assert apart.protected == pytest.approx(np.average(table["income"], weights=table["other"]))
    own = only(table, table.copy(), "mean", options={"weight": "times"}, weight="other")
    assert own.original == pytest.approx(np.average(table["income"], weights=table["other"]))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_missing_values_are_left_out(statistic):
    table = people()
    holed = table.copy()
    holed.loc[::7, "income"] = np.nan
    coded = table.copy()
    coded.loc[::7, "income"] = -9
    kept = table.drop(index=table.index[::7]).reset_index(drop=True)
    expected = only(kept, kept.copy(), statistic)
    found = only(holed, holed.copy(), statistic)
    assert figures(found) == figures(expected)
    declared = only(coded, coded.copy(), statistic, variables={"income": {"missing": [-9]}})
    assert figures(declared) == figures(expected)


def test_a_denominator_that_is_missing_leaves_the_unit_out_of_a_ratio():
    table = people()
    table.loc[::5, "rent"] = np.nan
    kept = table.dropna()
    found = only(table, table.copy(), "ratio")
    assert found.original == pytest.approx(kept["income"].sum() / kept["rent"].sum())


def test_a_denominator_does_not_change_a_mean():
    """It belongs to ratios: refused, or without effect."""
    table = people()
    table.loc[::2, "rent"] = np.nan
    try:
        found = only(table, table.copy(), "mean", denominator="rent")
    except InputError as error:
        assert "denominator" in str(error)  # noqa: PT017
    else:
        assert found.original == pytest.approx(table["income"].mean())


# -- closed intervals ----------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [2, 3, 30, 400])
def test_the_interval_of_a_mean_is_students(rows):
    table = people(rows)
    found = only(table, table.copy(), "mean")
    x = table["income"]
    expected = stats.t.interval(0.95, rows - 1, loc=x.mean(), scale=stats.sem(x))
    assert found.original_ci == pytest.approx(expected, rel=1e-10)
    assert found.interval == "closed form"
    assert found.resamples == 0


@pytest.mark.parametrize("category", ["north", "south", "west"])
def test_the_interval_of_a_share_is_that_of_statsmodels(category):
    table = people()
    found = only(table, table.copy(), "share", "region", category=category)
    hits = int((table["region"] == category).sum())
    expected = proportion_confint(hits, len(table), alpha=0.05, method="normal")
    assert found.original_ci == pytest.approx(expected, rel=1e-10)


def test_the_interval_of_a_weighted_mean_by_linearisation():
    """z_i = w_i (x_i − m) / W; the variance of a total of z, with replacement."""
    table = people().assign(w=np.random.default_rng(3).uniform(1, 9, 200))
    found = only(table, table.copy(), "mean", weight="w")
    x, w, n = table["income"].to_numpy(), table["w"].to_numpy(), len(table)
    centre = (w * x).sum() / w.sum()
    z = w * (x - centre) / w.sum()
    error = np.sqrt(n / (n - 1) * ((z - z.mean()) ** 2).sum())
    half = stats.t.ppf(0.975, n - 1) * error
    assert found.original_ci == pytest.approx((centre - half, centre + half), rel=1e-10)


def test_the_interval_of_a_weighted_share_by_linearisation():
    table = people().assign(w=np.random.default_rng(3).uniform(1, 9, 200))
    found = only(table, table.copy(), "share", "region", category="west", weight="w")
    hit, w = (table["region"] == "west").to_numpy(), table["w"].to_numpy()
    p = w[hit].sum() / w.sum()
    half = stats.norm.ppf(0.975) * np.sqrt(((w * (hit - p)) ** 2).sum()) / w.sum()
    assert found.original_ci == pytest.approx((p - half, p + half), rel=1e-10)


# -- the bootstrap -------------------------------------------------------------------------------


def along(statistic):
    return lambda x, axis: np.apply_along_axis(statistic, axis, x)


@pytest.mark.parametrize(
    ("statistic", "reference"),
    [
        ("median", lambda x, axis: np.median(x, axis=axis)),
        ("quantile", lambda x, axis: np.quantile(x, 0.8, axis=axis)),
        ("total", lambda x, axis: np.sum(x, axis=axis)),
        ("gini", along(lambda x: gini_by_sums(x, np.ones(len(x))))),
        ("s80s20", along(s80s20_by_sorting)),
        ("arop", along(arop_of)),
    ],
)
def test_the_interval_is_the_bootstraps_of_scipy(statistic, reference):
    """Two runs of 1,000 draws give nearly the same middle 95 %."""
    table = people(100, seed=6)
    found = only(table, table.copy(), statistic, resamples=1000, quantile=0.8)
    assert found.interval == "bootstrap"
    assert found.resamples == 1000
    expected = stats.bootstrap(
        (table["income"].to_numpy(),), reference, n_resamples=1000, method="percentile",
        rng=np.random.default_rng(5), batch=100,
    ).confidence_interval  # fmt: skip
    width = expected.high - expected.low
    assert np.abs(np.subtract(found.original_ci, expected)).max() < 0.15 * width


SIGMA = 0.5
COVERAGE = {
    # statistic: units of a sample, the figure in the population
    "mean": (60, np.exp(7 + SIGMA**2 / 2)),
    "share": (120, 0.3),
    "gini": (250, 2 * stats.norm.cdf(SIGMA / np.sqrt(2)) - 1),
    "median": (150, np.exp(7)),
    "arop": (250, stats.norm.cdf(np.log(0.6) / SIGMA)),
    "s80s20": (
        250,
        (1 - stats.norm.cdf(stats.norm.ppf(0.8) - SIGMA))
        / stats.norm.cdf(stats.norm.ppf(0.2) - SIGMA),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("statistic", COVERAGE)
def test_intervals_cover_the_truth(statistic):
    """Samples of a log-normal population whose figures are known: about 95 of 100 cover."""
    rows, truth = COVERAGE[statistic]
    rng = np.random.default_rng(20)
    more = {"variable": "group", "category": "yes"} if statistic == "share" else {}
    hits = 0
    for _ in range(50):
        samples = [
            pd.DataFrame(
                {
                    "income": rng.lognormal(7, SIGMA, rows),
                    "group": rng.choice(["yes", "no"], rows, p=[0.3, 0.7]),
                }
            )
            for _ in range(2)
        ]
        found = only(*samples, statistic, resamples=150, **more)
        for low, high in (found.original_ci, found.protected_ci):
            hits += low <= truth <= high
    assert 88 <= hits <= 99


@pytest.mark.parametrize("statistic", BOOTSTRAPPED)
def test_draws_are_seeded(statistic):
    table, protected = people(), noisy(people())
    first, again = (only(table, protected, statistic, options={"seed": 5}) for _ in range(2))
    assert first == again
    assert first.seed == 5
    other = only(table, protected, statistic, options={"seed": 6})
    assert (other.original, other.protected) == (first.original, first.protected)
    assert other.original_ci != first.original_ci
    assert other.protected_ci != first.protected_ci


@pytest.mark.parametrize("statistic", ["median", "quantile", "total", "ratio", "mean"])
def test_the_same_draws_on_both_sides(statistic):
    """Twice the income: interval ends are twice the ends, which other draws would not give."""
    table = people()
    found = only(table, table.assign(income=2 * table["income"]), statistic, quantile=0.3)
    assert found.protected_ci == pytest.approx(np.multiply(2, found.original_ci), rel=1e-10)
    assert found.relative_difference == pytest.approx(1, rel=1e-10)


@pytest.mark.parametrize("statistic", ["gini", "s80s20", "arop"])
def test_a_scale_changes_no_inequality(statistic):
    table = people()
    found = only(table, table.assign(income=4 * table["income"]), statistic)
    assert found.protected == pytest.approx(found.original, rel=1e-12)
    assert found.protected_ci == pytest.approx(found.original_ci, rel=1e-10)
    assert found.overlap == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("statistic", [*STATISTICS, "share"])
@pytest.mark.parametrize("more", [{}, {"weight": "times"}, {"by": "region"}])
def test_the_order_of_rows_changes_no_figure(statistic, more):
    table = people(90)
    table["income"] = table["income"].round(-2)  # ties
    protected = noisy(table)
    order = np.random.default_rng(4).permutation(len(table))
    entry = {"statistic": statistic, "variable": "income", "resamples": 20} | more
    if statistic == "ratio":
        entry["denominator"] = "rent"
    if statistic == "share":
        entry |= {"variable": "times", "category": 2}
    found = run(table, protected, entry)
    other, moved = (t.iloc[order].reset_index(drop=True) for t in (table, protected))
    assert [figures(f) for f in run(other, moved, entry)] == [figures(f) for f in found]
    apart = run(table, moved, entry)
    assert [figures(f) for f in apart] == [figures(f) for f in found]


# -- comparison ----------------------------------------------------------------------------------


def overlap_of(a, b):
    """Karr et al. 2006."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return ((high - low) / (a[1] - a[0]) + (high - low) / (b[1] - b[0])) / 2


@pytest.mark.parametrize("statistic", [*STATISTICS, "share"])
def test_a_table_against_itself(statistic):
    table = people()
    more = {"variable": "region", "category": "west"} if statistic == "share" else {}
    found = only(table, table.copy(), statistic, **more)
    assert found.overlap == 1
    assert found.relative_difference == 0
    assert found.inside is True
    assert found.protected == found.original
    assert found.reason is None


@pytest.mark.parametrize("statistic", STATISTICS)
def test_noise_and_distance(statistic):
    table = people()
    near = only(table, noisy(table, 0.25), statistic)
    assert 0 < near.overlap < 1
    assert near.overlap == pytest.approx(overlap_of(near.original_ci, near.protected_ci))
    assert near.relative_difference == pytest.approx(near.protected / near.original - 1)
    low, high = near.original_ci
    assert near.inside == (low <= near.protected <= high)
    poor = table["income"] < table["income"].quantile(0.4)
    far = table.assign(income=np.where(poor, 1, 9e6))
    far = far.assign(income=far["income"] * np.random.default_rng(1).uniform(1, 2, len(far)))
    apart = only(table, far, statistic)
    assert apart.overlap < 0
    assert apart.overlap == pytest.approx(overlap_of(apart.original_ci, apart.protected_ci))
    assert apart.inside is False


def test_overlap_by_hand():
    """Means 0 and 1 of two and two units: 12.706 standard errors of 1 to each side."""
    original = pd.DataFrame({"x": [-1.0, 1.0], "g": ["a", "b"]})
    protected = pd.DataFrame({"x": [0.0, 2.0], "g": ["a", "b"]})
    found = only(original, protected, "mean", "x")
    t = stats.t.ppf(0.975, 1)
    assert found.original_ci == pytest.approx((-t, t))
    assert found.protected_ci == pytest.approx((1 - t, 1 + t))
    assert found.overlap == pytest.approx((2 * t - 1) / (2 * t))
    assert found.inside is True
    assert found.relative_difference is None  # the original is 0
    assert "relative_difference" in found.reason


def test_differences_below_zero_are_relative_to_the_size():
    """From −10 to −12 is a fifth down."""
    original = pd.DataFrame({"x": [-9.5, -10.5], "g": ["a", "b"]})
    found = only(original, original.assign(x=original["x"] - 2), "mean", "x")
    assert found.relative_difference == pytest.approx(-0.2)


def test_an_interval_of_width_0_has_no_overlap():
    table = people()
    flat = table.assign(income=1000.0)
    for original, protected in ((table, flat), (flat, table)):
        for statistic in ("mean", "median", "gini"):
            found = only(original, protected, statistic)
            assert found.overlap is None
            assert "width 0" in found.reason
    everyone = table.assign(region="north")
    found = only(table, everyone, "share", "region", category="north")
    assert found.protected == 1
    assert found.protected_ci == (1, 1)
    assert found.overlap is None
    assert "width 0" in found.reason


def test_fewer_rows_in_the_protected_table():
    table = people()
    sample = table.sample(80, random_state=1).reset_index(drop=True)
    for statistic in ("mean", "median", "gini"):
        found = only(table, sample, statistic, resamples=50)
        assert (found.units_original, found.units_protected) == (200, 80)
        widths = [high - low for low, high in (found.original_ci, found.protected_ci)]
        assert widths[1] > widths[0]


# -- groups and conditions -----------------------------------------------------------------------


def test_groups_are_those_of_pandas():
    table, protected = people(), noisy(people())
    entry = {"variable": "income", "by": "region", "resamples": 20}
    for statistic, reference in (("mean", "mean"), ("median", "median"), ("total", "sum")):
        found = run(table, protected, entry | {"statistic": statistic})
        expected = table.groupby("region")["income"].agg(reference)
        after = protected.groupby("region")["income"].agg(reference)
        assert [f.group for f in found] == list(expected.index)
        assert {f.by for f in found} == {"region"}
        assert [f.original for f in found] == pytest.approx(expected.to_list(), rel=1e-12)
        assert [f.protected for f in found] == pytest.approx(after.to_list(), rel=1e-12)
        sizes = table["region"].value_counts()
        assert [f.units_original for f in found] == [sizes[f.group] for f in found]


def test_the_interval_of_a_group_is_that_of_its_units():
    table = people()
    found = run(table, table.copy(), {"statistic": "mean", "variable": "income", "by": "region"})
    for group in found:
        x = table.loc[table["region"] == group.group, "income"]
        expected = stats.t.interval(0.95, len(x) - 1, loc=x.mean(), scale=stats.sem(x))
        assert group.original_ci == pytest.approx(expected, rel=1e-10)


BREAKS = [18, 30, 45, 60, 80]
LABELS = ["18-29", "30-44", "45-59", "60-79"]


def banded(table):
    bands = pd.cut(table["age"], BREAKS, right=False, labels=LABELS)
    return table.assign(age=bands.astype(str))


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("statistic", ["mean", "gini"])
def test_groups_of_a_banded_variable(declared, statistic):
    """The original is grouped by the protected bands."""
    table = people()
    protected = banded(noisy(table))
    recode = {"recode": {"breaks": BREAKS[:-1], "labels": LABELS}} if declared else {}
    found = run(
        table, protected,
        {"statistic": statistic, "variable": "income", "by": "age", "resamples": 50},
        variables={"age": {"type": "continuous"} | recode},
    )  # fmt: skip
    assert [f.group for f in found] == LABELS
    bands = banded(table)["age"]
    for f in found:
        x, z = table["income"][bands == f.group], protected["income"][bands == f.group]
        assert (f.units_original, f.units_protected) == (len(x), len(z))
        reference = np.mean if statistic == "mean" else lambda v: gini_by_sums(v, np.ones(len(v)))
        assert f.original == pytest.approx(reference(x), rel=1e-12)
        assert f.protected == pytest.approx(reference(z), rel=1e-12)


def test_a_banded_variable_in_its_own_groups():
    """The original still has its ages; only users of the protected table have lost them."""
    table = people()
    found = run(
        table, banded(table), {"statistic": "mean", "variable": "age", "by": "age"},
        variables={"age": {"type": "continuous"}},
    )  # fmt: skip
    expected = table["age"].groupby(banded(table)["age"]).mean()
    assert {f.group: f.original for f in found} == pytest.approx(expected.to_dict())
    assert {f.protected for f in found} == {None}
    assert all("bands" in f.reason for f in found)


def test_a_condition_on_the_variable_that_forms_banded_groups():
    table = people()
    found = run(
        table, banded(table),
        {"statistic": "mean", "variable": "income", "by": "age", "where": "age >= 30"},
        variables={"age": {"type": "continuous"}},
    )  # fmt: skip
    kept = table[table["age"] >= 30]
    expected = kept["income"].groupby(banded(kept)["age"]).mean()
    groups = {f.group: f.original for f in found if f.group in expected.index}
    assert groups == pytest.approx(expected.to_dict())
    assert {f.protected for f in found} == {None}


def test_a_group_of_one_unit():
    table = people()
    table.loc[0, "region"] = "isle"
    for statistic in ("mean", "median"):
        entry = {"statistic": statistic, "variable": "income", "by": "region", "resamples": 20}
        found = {f.group: f for f in run(table, table.copy(), entry)}
        isle = found["isle"]
        assert isle.original == isle.protected == table.loc[0, "income"]
        assert isle.original_ci is None
        assert isle.protected_ci is None
        assert isle.overlap is None
        assert isle.inside is None
        assert isle.units_original == 1
        assert "one unit" in isle.reason
        assert found["north"].overlap == 1


def test_a_group_that_vanished():
    table = people()
    gone = table[table["region"] != "west"].reset_index(drop=True)
    x = table.loc[table["region"] == "west", "income"]
    for statistic, expected in (("mean", x.mean()), ("gini", gini_by_sums(x, np.ones(len(x))))):
        entry = {"statistic": statistic, "variable": "income", "by": "region", "resamples": 20}
        found = {f.group: f for f in run(table, gone, entry)}
        west = found["west"]
        assert west.original == pytest.approx(expected, rel=1e-12)
        assert west.protected is None
        assert west.overlap is None
        assert west.relative_difference is None
        assert west.reason.startswith("protected:")
        assert found["north"].overlap is not None


def test_a_group_whose_values_are_all_missing():
    table = people()
    holed = table.copy()
    holed.loc[holed["region"] == "west", "income"] = np.nan
    entry = {"statistic": "median", "variable": "income", "by": "region", "resamples": 20}
    found = {f.group: f for f in run(table, holed, entry)}
    assert found["west"].protected is None
    assert found["west"].reason.startswith("protected:")
    assert found["south"].reason is None


@pytest.mark.parametrize("statistic", ["mean", "median", "gini", "arop"])
def test_where(statistic):
    table, protected = people(), noisy(people())
    found = only(table, protected, statistic, where="age >= 40 and region != 'west'")
    kept = [
        t[(t["age"] >= 40) & (t["region"] != "west")].reset_index(drop=True)
        for t in (table, protected)
    ]
    assert figures(found) == figures(only(*kept, statistic))
    assert found.units_original == len(kept[0]) < len(table)


def test_where_nothing_is_left():
    table = people()
    for statistic in ("mean", "median"):
        found = only(table, table.copy(), statistic, where="age > 200")
        assert found.original is None
        assert found.protected is None
        assert found.original_ci is None
        assert found.overlap is None
        assert found.inside is None
        assert "original: no unit" in found.reason
        assert "protected: no unit" in found.reason
    old = table.assign(age=np.minimum(table["age"], 50))
    found = only(table, old, "mean", where="age > 50")
    assert found.original == pytest.approx(table.loc[table["age"] > 50, "income"].mean())
    assert found.protected is None
    assert found.reason.startswith("protected: no unit")


# -- what has no figure --------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", ["gini", "s80s20"])
def test_inequality_with_negative_incomes(statistic):
    table = people()
    debts = table.copy()
    debts.loc[3, "income"] = -50.0
    found = only(table, debts, statistic)
    assert found.original is not None
    assert found.protected is None
    assert found.overlap is None
    assert "negative" in found.reason
    assert "50" not in found.reason


def test_totals_of_nothing():
    table = people().assign(income=0.0)
    assert "total" in only(table, table.copy(), "gini").reason
    assert only(table, table.copy(), "s80s20").original is None
    found = only(people(), people().assign(rent=0.0), "ratio")
    assert found.protected is None
    assert "denominator" in found.reason


def test_a_banded_variable_has_no_mean():
    table = people()
    for statistic in ("mean", "median", "arop"):
        said = {"age": {"type": "continuous"}}
        found = only(table, banded(table), statistic, "age", variables=said)
        assert found.original is not None
        assert found.original_ci is not None
        assert found.protected is None
        assert found.overlap is None
        assert found.reason.startswith("protected:")
        assert "bands" in found.reason


@pytest.mark.parametrize("role", ["variable", "by", "weight", "denominator", "where"])
@pytest.mark.parametrize("how", ["no column", "empty column"])
def test_a_removed_variable(role, how):
    table = people()
    entry = {"statistic": "ratio", "variable": "income", "denominator": "rent", "resamples": 20}
    entry |= {"by": "region", "weight": "times", "where": "age > 20"}
    name = "age" if role == "where" else entry[role]
    protected = table.drop(columns=name)
    if how == "empty column":
        protected[name] = np.nan
    found = run(table, protected, entry)
    assert len(found) == 3
    for f in found:
        assert f.original is not None
        assert f.protected is None
        assert f.overlap is None
        assert f.reason == f'protected: "{name}" is gone'


def test_a_variable_that_is_empty_in_the_original():
    """Null with a reason, never left out silently."""
    table = people().assign(nothing=np.nan)
    for entry in (
        {"statistic": "mean", "variable": "nothing"},
        {"statistic": "share", "variable": "nothing"},
        {"statistic": "mean", "variable": "income", "by": "nothing"},
    ):
        found = run(table, table.copy(), entry)
        assert found, entry
        for f in found:
            assert f.original is None
            assert f.protected is None
            assert f.reason


@pytest.mark.parametrize("fault", [-1.0, np.nan])
def test_weights_that_are_none(fault):
    table = people().assign(w=2.5)
    table.loc[::2, "w"] = 1.5
    broken = table.copy()
    broken.loc[0, "w"] = fault
    found = only(table, broken, "mean", weight="w")
    assert found.original is not None
    assert found.protected is None
    assert "weight" in found.reason
    zero = only(table, table.assign(w=0.0), "mean", weight="w")
    assert zero.protected is None
    assert zero.reason.startswith("protected:")


def test_numbers_beyond_all_sums_are_no_nan():
    """Never NaN in JSON."""
    huge = people().assign(income=lambda t: 1e304 * t["income"])
    result = assess(
        huge, huge.copy(),
        *({"statistic": s, "variable": "income", "resamples": 10}
          for s in ("mean", "total", "median", "gini", "s80s20", "arop")),
    )  # fmt: skip
    json.dumps(result.to_dict(), allow_nan=False)
    for f in result.indicators:
        assert f.original is None or np.isfinite(f.original)


def test_every_null_stands_beside_a_reason_in_json():
    table = people()
    protected = banded(table).drop(columns="rent")
    entries = [
        {"statistic": s, "variable": v, "by": by, "denominator": "rent", "resamples": 20}
        if s == "ratio"
        else {"statistic": s, "variable": v, "by": by, "resamples": 20}
        for s in ("mean", "median", "gini", "ratio")
        for v in ("income", "age", "rent")
        for by in ("region", "age")
    ]
    result = assess(table, protected, *entries, variables={"age": {"type": "continuous"}})
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))["indicators"]
    assert len(written) == len(result.indicators) == 12 * 3 + 12 * 4
    figures = ("original", "original_ci", "protected", "protected_ci", "overlap")
    for one in written:
        assert all(name in one for name in figures)
        if any(one[name] is None for name in figures):
            assert one["reason"]
    assert str(result)  # the summary can be written
    assert result._repr_html_()


# -- functions -----------------------------------------------------------------------------------


def test_a_python_function():
    table, protected = people(), noisy(people())
    seen = []

    def spread(frame):
        seen.append(frame)
        return frame["income"].quantile(0.9) / frame["income"].quantile(0.1)

    (found,) = run(table, protected, {"name": "P90/P10", "function": spread, "resamples": 30})
    assert all(isinstance(frame, pl.DataFrame) for frame in seen)
    assert set(seen[0].columns) == set(table.columns)
    assert found.name == "P90/P10"
    assert found.statistic == "function"
    assert found.interval == "bootstrap"
    assert found.original == spread(pl.from_pandas(table))
    assert found.protected == spread(pl.from_pandas(protected))
    assert found.original_ci[0] < found.original < found.original_ci[1]
    assert found.overlap == pytest.approx(overlap_of(found.original_ci, found.protected_ci))


def test_a_function_agrees_with_the_statistic():
    table, protected = people(), noisy(people())
    entry = {"by": "region", "where": "age > 30", "resamples": 20}
    by_name = run(table, protected, entry | {"statistic": "median", "variable": "income"})
    by_function = run(
        table, protected, entry | {"name": "m", "function": lambda t: t["income"].median()}
    )
    for one, other in zip(by_name, by_function, strict=True):
        assert one.group == other.group
        assert one.original == pytest.approx(other.original)
        assert one.protected == pytest.approx(other.protected)
        assert one.units_original == other.units_original


def test_a_function_in_groups_of_a_banded_variable():
    """Groups are those of statistics: the original in the protected bands."""
    table = people()
    found = run(
        table, banded(table),
        {"name": "m", "by": "age", "function": lambda t: t["income"].mean(), "resamples": 20},
        variables={"age": {"type": "continuous"}},
    )  # fmt: skip
    expected = table["income"].groupby(banded(table)["age"]).mean()
    assert {f.group: f.original for f in found} == pytest.approx(expected.to_dict())
    assert {f.group: f.protected for f in found} == pytest.approx(expected.to_dict())


def test_a_function_sees_missing_values_as_null():
    table = people()
    table.loc[::4, "income"] = np.nan
    table.loc[::5, "region"] = None

    def holes(frame):
        return frame["income"].null_count() + 1000 * frame["region"].null_count()

    (found,) = run(table, table.copy(), {"name": "n", "function": holes, "resamples": 10})
    assert found.original == 50 + 1000 * 40


def test_a_function_that_raises():
    table = people()

    def refuse(frame):
        raise ValueError(f"cannot stand {frame['income'][0]}")

    (found,) = run(table, table.copy(), {"name": "f", "function": refuse, "resamples": 10})
    assert found.original is None
    assert found.protected is None
    assert found.overlap is None
    assert found.reason.count("ValueError") == 2
    assert str(table["income"][0]) not in found.reason


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), None, "many", 1j])
def test_a_function_that_gives_no_number(value):
    table = people()
    (found,) = run(table, table.copy(), {"name": "f", "function": lambda t: value, "resamples": 10})
    assert found.original is None
    assert found.protected is None
    assert found.reason.startswith("original: the function")
    json.dumps(found.__dict__, allow_nan=False)


def test_a_function_that_fails_in_most_draws():
    """It works on the table alone: an estimate without an interval."""
    table = people()

    def fussy(frame):
        assert frame["income"].n_unique() == len(set(table["income"]))
        return 1.5

    (found,) = run(table, table.copy(), {"name": "f", "function": fussy, "resamples": 10})
    assert found.original == 1.5
    assert found.original_ci is None
    assert found.overlap is None
    assert "0 of 10 draws" in found.reason


@pytest.mark.parametrize(("works", "has"), [(8, False), (10, True)])
def test_an_interval_needs_half_of_the_draws(works, has):
    table = people()
    calls = count(1)

    def moody(frame):
        """Fails in the first draws, which come before the figures of the tables, side by side."""
        assert next(calls) > 2 * (20 - works)
        return float(frame["income"].mean())

    (found,) = run(table, table.copy(), {"name": "f", "function": moody, "resamples": 20})
    assert found.original is not None
    assert (found.original_ci is not None) is has


def test_a_function_without_a_name_has_some_name():
    table = people()

    def upper_half(frame):
        return frame["income"].mean()

    (found,) = run(table, table.copy(), {"function": upper_half, "resamples": 10})
    assert "None" not in found.name


# -- refusals ------------------------------------------------------------------------------------


def test_statistics_of_text_and_every_other_fault_at_once():
    table = people()
    entries = [
        {"statistic": "mean", "variable": "region"},
        {"statistic": "gini", "variable": "incme"},
        {"statistic": "ratio", "variable": "income", "denominator": "region"},
        {"statistic": "median", "variable": "income", "by": "regoin"},
        {"statistic": "mean", "variable": "income", "weight": "region"},
        {"statistic": "mean", "variable": "income", "where": "agee > 3"},
        {"statistic": "average", "variable": "income"},
        {"statistic": "ratio", "variable": "income"},
        {"statistic": "quantile", "variable": "income", "quantile": 1.5},
        {"statistic": "arop", "variable": "income", "line": 0},
        {"statistic": "mean"},
        {"variable": "income"},
        {"statistic": "median", "variable": "income", "resamples": 3},
        {"statistic": "mean", "variable": "income", "wher": "age > 3"},
        {"function": "os.system"},
        {"function": len, "statistic": "mean", "variable": "income"},
        {"statistic": "mean", "variable": 3},
    ]
    with pytest.raises(InputError) as caught:
        run(table, table.copy(), *entries)
    for number in range(1, len(entries) + 1):
        about = [f for f in caught.value.faults if f"[[indicator]] number {number}" in f]
        assert about, entries[number - 1]
    said = str(caught.value)
    for shown in ('Did you mean "income"?', 'Did you mean "region"?', '"age"', '"average"'):
        assert shown in said
    for cell in ("north", "south", "west"):
        assert cell not in said


@pytest.mark.parametrize("category", [["north"], {"a": 1}, pd.Timestamp("2020-01-01").date()])
def test_a_category_that_is_no_value(category):
    table = people()
    entry = {"statistic": "share", "variable": "region", "category": category}
    with pytest.raises(InputError, match="category"):
        run(table, table.copy(), entry)


def test_nothing_asked_nothing_computed():
    table = people()
    result = assess(table, table.copy())
    assert result.indicators is None
    assert result.regressions is None
