"""Arithmetic on a public report: what its holder must not get, though he holds the release too.

Every case is a leak that an earlier edition had; `support.attacker` found each of them there.
"""

import numpy as np
import pandas as pd
import pytest

import microgauge
from support import attacker
from support.reports import QUICK, data_of, indicator_names, section_of, variable_of

ROWS = 300
COUNT = 10
SECTIONS = ("gdu", "indicators", "regressions")


def people(rows=ROWS, seed=5):
    """Nothing rare in it."""
    rng = np.random.default_rng([seed, 99])
    return pd.DataFrame(
        {
            "income": rng.gamma(4.0, 8_000.0, rows).round(2),
            "age": rng.integers(18, 80, rows).astype(float),
            "sex": rng.choice(["f", "m"], rows),
            "region": rng.choice(["east", "north", "south"], rows),
        }
    )


def with_few(frame, name, label, count, start=0):
    """The same, where the first few belong to a category of their own."""
    values = frame[name].to_numpy(dtype=object, copy=True)
    values[start : start + count] = label
    return frame.assign(**{name: values})


def swapped(frame, name, seed=3, part=0.2):
    """A release in which some cells of a column changed places."""
    rng = np.random.default_rng(seed)
    places = rng.permutation(len(frame))[: int(part * len(frame))]
    values = frame[name].to_numpy(copy=True)
    values[places] = values[rng.permutation(places)]
    return frame.assign(**{name: values})


def public(before, after, only=SECTIONS, count=COUNT, **said):
    result = microgauge.assess(before, after, schema=said, only=list(only), details=True)
    return data_of(result.report(edition="public", min_count=count))


def found(data, before, after, numbers=("income",), factors=("region",), count=COUNT):
    claims = attacker.attacked(data, after, len(before), count, numbers, factors)
    return attacker.leaks(claims, before, after, count)


MEANS = [
    {"statistic": "mean", "variable": "income"},
    {"statistic": "mean", "variable": "income", "by": "region"},
]
TOTALS = [{**said, "statistic": "total", "resamples": 40} for said in MEANS]
SHARES = [{"statistic": "share", "variable": "region"}]


def test_an_intercept_is_not_one_persons_income():
    before = with_few(people(), "region", "abbey", 1)
    data = public(before, swapped(before, "age"), regression=[{"formula": "income ~ region"}])
    assert found(data, before, swapped(before, "age")) == []


def test_the_attacker_sees_it_where_it_is_told():
    """The attack itself: an intercept as an earlier edition told it."""
    before = with_few(people(), "region", "abbey", 1)
    drawn = {"block": "intervals", "original_ci": [-10.25, 9e4], "protected_ci": None}
    row = ["Intercept", float(before["income"][0]), 1.0, None, "no", drawn]
    table = {"block": "table", "rows": [row]}
    group = {"block": "group", "title": "income ~ region", "blocks": [table]}
    told = {"kind": "assess", "sections": [{"name": "regressions", "blocks": [group]}]}
    claims = attacker.by_coefficients(told, "income ~ region")
    assert attacker.leaks(claims, before, before, COUNT) == claims
    assert claims


def test_the_attacker_sees_it_where_records_have_weights():
    """The attacks themselves: shares, totals and means that are told as they are."""
    before = with_few(people(), "region", "abbey", 2)
    weights = np.random.default_rng(4).choice([1.0, 2.5, 40.0], ROWS)
    weights[:2] = 1.0
    before = before.assign(weight=weights)
    income = before["income"].copy()
    income[income.idxmax()] = income.nlargest(2).iloc[1]
    after = before.assign(income=income)
    held = (before["income"] * weights).groupby(before["region"]).sum()
    size = before["weight"].groupby(before["region"]).sum()
    named = ["east", "north", "south"]
    rows = [["total of income", held.sum()], ["mean of income", held.sum() / size.sum()]]
    rows += [[f"total of income, region {label}", held[label]] for label in named]
    rows += [[f"mean of income, region {label}", held[label] / size[label]] for label in named]
    table = {"block": "table", "rows": [[*row, None, None, None] for row in rows]}
    shares = [*(size[named] / size.sum()), size["abbey"] / size.sum()]
    detail = {"labels": [*named, "(others)"], "before": shares, "after": shares}
    told = {
        "kind": "assess",
        "sections": [{"name": "indicators", "blocks": [table]}],
        "variables": [{"name": "region", "utility": None, "detail": detail}],
    }
    claims = attacker.by_shares(told, after, ROWS, "weight")
    for statistic in ("total", "mean"):
        claims += attacker.by_the_rest(told, after, statistic, "income", ROWS, "weight")
        claims += attacker.by_subtraction(told, after, statistic, "income", "region", "weight")
    leaks = attacker.leaks(claims, before, after, COUNT, "weight")
    assert [leak.attack for leak in leaks if leak.attack == "shares"]
    assert [leak.attack for leak in leaks if leak.attack == "dominance"] == ["dominance"] * 2
    assert [leak.attack for leak in leaks if leak.attack == "subtraction"] == ["subtraction"] * 2


def test_nor_is_a_sum_of_intercept_and_coefficient():
    before = with_few(people(), "region", "west", 2)
    data = public(before, swapped(before, "age"), regression=[{"formula": "income ~ region"}])
    assert found(data, before, swapped(before, "age")) == []


def test_two_common_categories_that_one_person_tells_apart():
    """Both factors are common; only one record has the one without the other."""
    before = people()
    first = np.arange(ROWS) < 150
    before["a"] = np.where(first, "p", "q")
    before["b"] = np.where(first | (np.arange(ROWS) == 200), "r", "s")
    data = public(before, swapped(before, "age"), regression=[{"formula": "income ~ a + b"}])
    told = [
        row
        for group in section_of(data, "regressions") if group["block"] == "group"
        for row in attacker.table_rows(group["blocks"])
    ]  # fmt: skip
    sums = dict.fromkeys(row[0] for row in told)
    assert not {"Intercept", "a[T.q]"} <= set(sums)


def test_the_share_of_a_hidden_category():
    before = with_few(people(), "region", "west", 3)
    after = swapped(before, "region")
    data = public(before, after, indicator=SHARES)
    assert found(data, before, after) == []
    assert any("share of region" in name for name in indicator_names(data))


@pytest.mark.parametrize("said", [MEANS, TOTALS], ids=["means", "totals"])
def test_a_hidden_region_is_not_the_whole_less_the_others(said):
    before = with_few(people(), "region", "west", 2)
    after = swapped(before, "age")
    data = public(before, after, indicator=said)
    assert found(data, before, after) == []
    assert indicator_names(data)


@pytest.mark.parametrize("said", [MEANS, TOTALS], ids=["means", "totals"])
def test_one_who_makes_up_most_of_a_total(said):
    before = people()
    before.loc[7, "income"] = 40_000_000.0
    after = before.copy()
    after.loc[7, "income"] = 90_000.0
    data = public(before, after, indicator=said)
    assert found(data, before, after) == []


def test_a_score_that_is_withheld_is_not_the_mean_less_the_others():
    before = people()
    before["flag"] = ["yes"] * 4 + ["no"] * (ROWS - 4)
    after = swapped(before, "age").assign(flag=["yes"] * 7 + ["no"] * (ROWS - 7))
    data = public(before, after)
    assert variable_of(data, "flag")["utility"] is None
    assert found(data, before, after) == []
    assert attacker.pairs_of_the_untold(data) == []


def test_pairs_of_a_withheld_variable():
    before = people()
    before["flag"] = ["yes"] * 4 + ["no"] * (ROWS - 4)
    data = public(before, swapped(before, "age"))
    assert attacker.pairs_of_the_untold(data) == []


def test_p_is_not_turned_back_into_a_count():
    before = with_few(people(), "region", "west", 3)
    after = with_few(people(), "region", "west", 9)
    data = public(before, after)
    claims = attacker.by_p(data, after, ROWS, COUNT)
    assert attacker.leaks(claims, before, after, COUNT) == []


@pytest.mark.parametrize("count", [1, 3, 6, 9])
def test_what_is_hidden_changes_nothing_that_is_told(count):
    """However many of those who are not named belong to the rare category: the same page."""
    whole = with_few(people(), "region", "north", 12)
    release = with_few(whole, "region", "west", 4)
    pages = [
        public(with_few(whole, "region", "west", some), release, only=("gdu",))
        for some in (4, count)
    ]
    assert "(others)" in variable_of(pages[0], "region")["detail"]["labels"]
    assert variable_of(pages[0], "region")["utility"] is not None
    assert pages[0]["variables"] == pages[1]["variables"]
    assert pages[0]["figures"] == pages[1]["figures"]


def test_joint_distances_are_no_counts():
    before = people()
    after = before.copy()
    after.loc[:3, "age"] = 18.0
    data = public(before, after, only=("gdu", "ecdf"))
    assert found(data, before, after) == []


def candidates_of(before):
    """Releases whose ranges differ, and with them the bins of an earlier edition."""
    scales = (1.0, 1.25, 1.6, 2.1, 2.6, 3.3, 4.0)
    return [before.assign(income=(before["income"] * scale).round(2)) for scale in scales]


def ranked(before, several, names=None, **said):
    said["variable"] = {"sex": {"role": "quasi_identifier"}}
    result = microgauge.rank(before, several, names=names, schema=said, skip=QUICK, details=True)
    return data_of(result.report(edition="public", min_count=COUNT))


def test_small_intervals_of_numbers_over_candidates():
    before = people()
    several = candidates_of(before)
    data = ranked(before, several)
    claims = attacker.by_bins(data, several[0], ROWS)
    assert claims
    assert attacker.leaks(claims, before, several[0], COUNT) == []


def test_small_categories_over_candidates():
    """What is among the others in one candidate is told in the other: the rest is what is rare."""
    before = with_few(people(), "region", "west", 4)
    before = with_few(with_few(before, "region", "upland", 14, 20), "region", "moor", 12, 50)
    several = [before.copy(), before.copy()]
    several[0].loc[20:27, "region"] = "north"
    several[1].loc[50:55, "region"] = "north"
    data = ranked(before, several)
    claims = attacker.by_shares(data, before, ROWS)
    assert attacker.leaks(claims, before, before, COUNT) == []


def test_candidates_are_numbered():
    before = people()
    names = ["drop_Mr_Smith", "keep_Mr_Smith"]
    data = ranked(before, [swapped(before, "age"), swapped(before, "sex")], names)
    assert attacker.names_in(data, names, "candidates") == []
    assert data["candidates"] == ["candidate 1", "candidate 2"]


def test_a_category_only_the_original_has():
    before = with_few(people(), "region", "Gonewick", 40)
    after = before.assign(region=before["region"].replace("Gonewick", "north"))
    said = {"indicator": [*SHARES, *MEANS], "regression": [{"formula": "income ~ region"}]}
    data = public(before, after, **said)
    assert attacker.names_in(data, ["Gonewick"], "categories") == []


def test_a_median_is_no_ones_income():
    before = people(ROWS + 1)
    after = before.assign(income=(before["income"] * 1.01).round(1))
    said = {"statistic": "median", "variable": "income", "resamples": 40}
    data = public(before, after, indicator=[said])
    assert indicator_names(data)
    assert attacker.single_values(data, before, after, ["income"]) == []


def test_indicators_of_nearly_the_same_people():
    """All, and all but three: the difference is of three."""
    before = people()
    before.loc[:2, "age"] = 97.0
    after = swapped(before, "sex")
    some = {"statistic": "mean", "variable": "income", "where": "age < 90", "name": "Some"}
    data = public(before, after, indicator=[MEANS[0], some])
    assert indicator_names(data) == ["mean of income"]


@pytest.mark.parametrize("gone", [0, 17, 201])
def test_two_editions_that_differ_by_one_record(gone):
    """Of one original with a record and without it: most figures are the same."""
    before = people(2_300)
    said = {"indicator": [*MEANS, *SHARES], "regression": [{"formula": "income ~ region + age"}]}
    pages = [
        public(frame, swapped(before, "sex"), **said) for frame in (before, before.drop(index=gone))
    ]
    assert attacker.differing(*pages) < 0.1


def few_ill(rows=2_000, ill=3):
    """Nearly all have 0; who has 1 is f or m."""
    frame = people(rows)
    flags = np.zeros(rows)
    flags[np.flatnonzero(frame["sex"] == "f")[:ill]] = 1.0
    return frame.assign(ill=flags)


@pytest.mark.parametrize("statistic", ["mean", "total", "gini"])
@pytest.mark.parametrize(("ill", "told"), [(3, False), (9, False), (60, True)])
def test_a_mean_of_what_few_have_is_their_number(statistic, ill, told):
    before = few_ill(ill=ill)
    data = public(
        before,
        swapped(before, "income"),
        variable={"ill": {"type": "continuous"}},
        indicator=[{"name": "of the ill", "statistic": statistic, "variable": "ill"}],
    )
    assert ("of the ill" in indicator_names(data)) == told


def test_nor_is_it_that_of_all_less_those_of_the_others():
    """60 ill men and 3 ill women: the mean of all less that of men would count the women."""
    before = few_ill()
    before.loc[np.flatnonzero(before["sex"] == "m")[:60], "ill"] = 1.0
    data = public(
        before,
        swapped(before, "income"),
        variable={"ill": {"type": "continuous"}},
        indicator=[
            {"name": "all", "statistic": "mean", "variable": "ill"},
            {"name": "sexes", "statistic": "mean", "variable": "ill", "by": "sex"},
        ],
    )
    assert indicator_names(data) == ["all"]


@pytest.mark.parametrize(
    "said",
    [
        {"formula": "ill ~ age"},
        {"formula": "ill ~ sex"},
        {"formula": "ill ~ sex", "kind": "logistic"},
        {"formula": "ill ~ region + age", "kind": "logistic"},
    ],
)
def test_a_regression_of_what_few_have_is_their_number(said):
    data = {}
    for ill in (3, 300):
        before = few_ill(ill=ill)
        if ill == 300:
            before.loc[np.flatnonzero(before["sex"] == "m")[:60], "ill"] = 1.0
        data[ill] = public(
            before,
            swapped(before, "income"),
            variable={"ill": {"type": "continuous"}},
            regression=[said],
        )
    assert "Coefficients of" in str(data[300])
    assert "Coefficients of" not in str(data[3])


@pytest.mark.parametrize("section", ["propensity", "clusters"])
def test_ratios_to_chance_count_no_hidden_category(section):
    """In a file of one variable each person of a category that was hidden adds as much to U_p."""
    rows = 1_000
    after = pd.DataFrame({"kind": np.random.default_rng(3).choice(list("ABC"), rows)})
    pages = set()
    for hidden in (3, 6, 9, 10):
        before = with_few(after, "kind", "Z", hidden)
        data = public(before, after, only=("gdu", section), clusters={"groups": [4]})
        told = section_of(data, "whole")
        assert told
        pages |= {
            text for text in map(str, attacker.leaves(told)) if " U_p is" in text or "U_c" in text
        }
        pages |= {f["value"] for f in data["figures"] if f["key"] == "propensity"}
    ratios = {text.split(": U_p is")[-1] if isinstance(text, str) else text for text in pages}
    assert len(ratios) == (2 if section == "propensity" else 1)
