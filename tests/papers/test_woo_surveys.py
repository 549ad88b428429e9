"""Tables 3 and 4 of Woo, Reiter, Oganian and Karr (2009) made again on files of today."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge.papers import FOLDER, woo, woo_survey, woo_universe
from microgauge.render.text import columns_of
from microgauge.sections.joint.choices import EcdfChoices
from microgauge.sections.joint.ecdf import EcdfMeasure


def few_groups(whole, method, groups):
    """The cluster measure in a moment: its figures are not what most tests are about."""
    return woo_clustered(whole, "kmeans", [20 + place for place, _ in enumerate(groups)])


def few_points(whole):
    """The distribution functions at some rows."""
    measure = EcdfMeasure(whole.joint, whole.seed)
    found = measure.result(EcdfChoices(exact_limit=0, points=500))
    return found.maximum, found.mean_square


woo_clustered, woo_distribution = woo.clustered, woo.distribution


@pytest.fixture(scope="module")
def survey():
    """woo-3 with U_p in full, and quick stand-ins for the other measures."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(woo_survey, "clustered", few_groups)
        patched.setattr(woo_survey, "distribution", few_points)
        yield microgauge.reproduce("woo-3")


@pytest.fixture(scope="module")
def universe():
    """woo-4 in the same way, with fewer draws of what is shown beside U_p."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(woo_universe, "clustered", few_groups)
        patched.setattr(woo_universe, "distribution", few_points)
        patched.setattr(woo_universe, "MODEL_DRAWS", 2)
        patched.setattr(woo_universe, "RAW_DRAWS", 2)
        yield microgauge.reproduce("woo-4")


@pytest.fixture(scope="module", params=["survey", "universe"])
def study(request):
    """Either of them."""
    return request.getfixturevalue(request.param)


def own(table, column):
    """Our figures of one column of a table."""
    place = table.columns.index(column)
    return [row.own[place] for row in table.rows]


def verdict(claims, start):
    """The verdict on the one claim that starts so."""
    found = [claim for claim in claims if claim.claim.startswith(start)]
    assert len(found) == 1, start
    return found[0].holds


# -- the paper's figures ---------------------------------------------------------------------------


def test_published_figures_are_those_of_the_paper():
    table_3, table_4 = woo_survey.PUBLISHED, woo_universe.PUBLISHED
    assert [version.name for version in woo_survey.VERSIONS] == [
        "Age",
        "Age+Race10",
        "Age+Mar10",
        "Age+Race10+Mar10",
        "Age+Race10+Mar10+Tax",
        "Age+Race10+Mar10+Tax+Inc20",
        "Age+Race30+Mar30",
        "Age+Race30+Mar30+Tax",
        "Age+Race30+Mar30+Tax+Inc20",
    ]
    assert [table_3[row][4] for row in woo_survey.MEASURES] == [208.79, 388.14, 545.06, 0.39, 20.48]
    assert [table_3[row][8] for row in woo_survey.MEASURES] == [
        525.44,
        741.25,
        1003.04,
        0.40,
        52.14,
    ]
    assert woo_universe.SETTINGS[5] == (20, 10)
    assert [table_4[row][5] for row in woo_universe.MEASURES] == [
        184.63,
        38.87,
        72.82,
        0.14404,
        0.02074,
    ]
    assert {len(values) for values in table_3.values()} == {9}
    assert {len(values) for values in table_4.values()} == {10}


def test_the_paper_s_claims_hold_in_its_own_figures():
    for said in woo_survey.SENTENCES:
        assert not said.printed or said.tried(woo_survey.PUBLISHED)[0], said.claim
    for said in woo_universe.SENTENCES:
        assert not said.printed or said.tried(woo_universe.PUBLISHED)[0], said.claim


def test_u_s_of_table_4_is_u_m_squared():
    squares = [value**2 for value in woo_universe.PUBLISHED[woo_universe.U_M]]
    assert squares == pytest.approx(woo_universe.PUBLISHED[woo_universe.U_S], abs=1e-5)


def test_arrows_lead_to_versions_that_do_all_and_more():
    def done(version):
        return (version.race, version.marital, version.tax, version.income)

    versions = woo_survey.VERSIONS
    below = {
        (a, b)
        for a, one in enumerate(versions)
        for b, other in enumerate(versions)
        if a != b and all(x <= y for x, y in zip(done(one), done(other), strict=True))
    }
    direct = {
        (a, b) for a, b in below if not any((a, c) in below and (c, b) in below for c in range(9))
    }
    assert direct == set(woo_survey.ARROWS)


# -- what must come out ----------------------------------------------------------------------------


@pytest.mark.slow
def test_u_p_keeps_every_arrow_of_figure_1(survey):
    assert verdict(survey.claims, "U_p keeps every arrow of figure 1") is True
    assert {row.own[0] for row in survey.tables[2].rows} == {"kept"}
    values = own(survey.tables[0], "U_p")
    assert all(values[before] < values[after] for before, after in woo_survey.ARROWS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_u_p_keeps_every_arrow_with_other_seeds(seed):
    original = woo_survey.householders()
    base = woo.Base.of(original, woo_survey.TYPES)
    values = [
        woo.propensity(
            base.against(microgauge.mask(original, version.recipe(seed)), seed).joint,
            woo.smooth_design,
        )
        for version in woo_survey.VERSIONS
    ]
    assert set(woo_survey.verdicts(values).values()) == {"kept"}


@pytest.mark.slow
def test_u_p_orders_all_settings_as_table_4_does(universe):
    assert verdict(universe.claims, "U_p orders all ten swap settings") is True
    values = own(universe.tables[0], "U_p")
    assert values == sorted(values)
    assert universe.tables[3].rows[0].own == ("45", 1.0)


@pytest.mark.long
def test_u_p_orders_all_settings_with_another_seed():
    bench = woo_universe.Bench.of(woo_universe.logged(woo_universe.systems()))
    draws = [
        bench.drawn(
            woo_universe.draw_seed(2, draw),
            lambda whole: [woo.propensity(whole.joint, woo.smooth_design)],
        )[:, 0]
        for draw in range(woo_universe.DRAWS)
    ]
    assert woo_universe.ordered_pairs(np.mean(draws, axis=0)) == 45


# -- verdicts --------------------------------------------------------------------------------------


def changed(figures, row, place, value):
    """Figures of which one is another."""
    values = list(figures[row])
    values[place] = value
    return {**figures, row: tuple(values)}


def with_models(module):
    """The paper's figures, with U_p for the models that it does not print."""
    found = dict(module.PUBLISHED)
    return {**found, module.SPLINE: found["U_p"], module.POLYNOMIAL: found["U_p"]}


UP, UC1, UC2, UM, US = woo_survey.MEASURES


@pytest.mark.parametrize(
    ("start", "row", "place", "value"),
    [
        ("U_p keeps every arrow of figure 1", UP, 8, 525.30),
        ("U_p keeps every arrow of figure 1", UP, 8, 525.31),
        ("U_p keeps every arrow with a spline", woo_survey.SPLINE, 1, 0.40),
        ("Results are similar", woo_survey.POLYNOMIAL, 4, 1.0),
        ("U_c with 2,500 groups keeps", UC2, 8, 991.0),
        ("U_m keeps", UM, 8, 0.1),
        ("U_s keeps", US, 4, 18.0),
        ("U_c with 1,250 groups does not", UC1, 8, 752.0),
        ("Adding Inc20 engenders negligible further distortion by U_p", US, 5, 21.0),
        ("Adding Inc20 engenders negligible further distortion by U_c", UC2, 5, 600.0),
        ("U_p and U_s find", UP, 1, 47.0),
        ("U_c finds Age+Race10", UC2, 1, 169.0),
        ("U_m does not find", UM, 1, 0.34),
        ("U_m has effectively no", UM, 8, 0.9),
        ("U_s tells", US, 7, 90.0),
        ("Uniquely", UP, 1, 20.0),
        ("Uniquely", UP, 3, 60.0),
        ("U_p is the preferred measure", UP, 0, 3.0),
    ],
)
def test_verdicts_on_table_3_follow_from_figures(start, row, place, value):
    figures = with_models(woo_survey)
    assert verdict(woo_survey.claims_of(figures), start) is True
    doctored = changed(figures, row, place, value)
    assert verdict(woo_survey.claims_of(doctored), start) is False


@pytest.mark.parametrize(
    ("start", "row", "place", "value"),
    [
        ("U_p orders all ten", "U_p", 5, 170.0),
        ("A second-order polynomial", woo_universe.POLYNOMIAL, 5, 170.0),
        ("A second-order polynomial", woo_universe.SPLINE, 5, 170.0),
        ("U_m and U_s hardly", "U_m", 9, 0.5),
        ("U_m and U_s hardly", "U_s", 9, 0.5),
        ("The cluster measures", woo_universe.U_C[0], 9, 90.0),
        ("From 20 % to 30 %", woo_universe.U_C[1], 9, 90.0),
        ("From 20 % to 30 %", woo_universe.U_C[0], 9, 50.0),
        ("U_p outperforms", "U_p", 0, 400.0),
    ],
)
def test_verdicts_on_table_4_follow_from_figures(start, row, place, value):
    figures = with_models(woo_universe)
    assert verdict(woo_universe.claims_of(figures), start) is True
    assert verdict(woo_universe.claims_of(changed(figures, row, place, value)), start) is False


@pytest.mark.parametrize("row", ["U_m", "U_s"])
def test_a_measure_that_orders_the_settings_is_seen(row):
    figures = {**with_models(woo_universe), row: tuple(0.14 + place / 1000 for place in range(10))}
    assert verdict(woo_universe.claims_of(figures), f"{row} does not order") is False


def test_claims_that_fail_say_why():
    figures = changed(with_models(woo_universe), woo_universe.U_C[0], 9, 90.0)
    failed = [claim for claim in woo_universe.claims_of(figures) if not claim.holds]
    assert failed
    assert all(claim.reason for claim in failed)


def test_ties_are_no_arrows_kept():
    values = (1.0,) * 9
    assert set(woo_survey.verdicts(values).values()) == {"tie"}


def test_rank_agreement_is_kendall_s():
    from scipy.stats import kendalltau

    values = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0, 9.0, 7.0, 8.0, 10.0]
    assert woo_universe.rank_agreement(values) == pytest.approx(kendalltau(range(10), values)[0])
    assert woo_universe.ordered_pairs(list(range(10))) == 45
    assert woo_universe.rank_agreement(list(range(10, 0, -1))) == -1.0


# -- design ----------------------------------------------------------------------------------------


def test_householders_are_as_many_as_in_the_paper():
    found = woo_survey.householders()
    assert found.height == woo_survey.ROWS
    assert found["RACE"].n_unique() == 4
    assert found.null_count().sum_horizontal().item() == 0


def test_versions_share_swaps_and_noise():
    original = woo_survey.householders().head(5000)
    names = {
        version.name: microgauge.mask(original, version.recipe(1))
        for version in woo_survey.VERSIONS
    }
    both = names["Age+Race10+Mar10"]
    assert both["RACE"].equals(names["Age+Race10"]["RACE"])
    assert both["MAR"].equals(names["Age+Mar10"]["MAR"])
    assert both["MAR"].equals(names["Age+Race10+Mar10+Tax+Inc20"]["MAR"])
    tax = names["Age+Race10+Mar10+Tax"]["VALP"]
    assert tax.equals(names["Age+Race30+Mar30+Tax+Inc20"]["VALP"])
    assert names["Age"].drop("AGEP").equals(original.drop("AGEP"))
    none = original["VALP"] == 0
    assert (tax.filter(none) == 0).all()
    assert (tax.filter(~none) > 0).all()
    assert set((names["Age"]["AGEP"] % 5).to_list()) == {0}


def test_noise_has_a_hundredth_of_the_variance():
    original = woo_survey.householders()
    masked = microgauge.mask(original, woo_survey.VERSIONS[4].recipe(1))
    high = original["VALP"] > 1_000_000  # never drawn again there
    moved = (masked["VALP"] - original["VALP"]).filter(high).to_numpy()
    wanted = 0.1 * original["VALP"].filter(original["VALP"] > 0).to_numpy().std()
    assert moved.std() == pytest.approx(wanted, rel=0.05)


def test_systems_are_complete_cases_of_the_nine_largest_states():
    found = woo_universe.systems()
    raw = pl.read_parquet(FOLDER / "libraries.parquet")
    assert found["STATE"].n_unique() == 9
    assert found["LOCALE"].n_unique() == 3
    assert found.null_count().sum_horizontal().item() == 0
    least = found["STATE"].value_counts()["count"].min()
    others = raw.filter(~pl.col("STABR").is_in(found["STATE"].unique().to_list()))
    assert others["STABR"].value_counts()["count"].max() <= least


def test_settings_share_all_but_the_swaps():
    original = woo_universe.logged(woo_universe.systems())
    plain, swapped = (
        microgauge.mask(original, woo_universe.recipe(original, setting, 1))
        for setting in ((0, 0), (10, 20))
    )
    assert plain.drop("STATE", "LOCALE").equals(swapped.drop("STATE", "LOCALE"))
    assert plain.select("STATE", "LOCALE").equals(original.select("STATE", "LOCALE"))
    assert 0 < (swapped["STATE"] != original["STATE"]).mean() <= 0.1
    assert 0 < (swapped["LOCALE"] != original["LOCALE"]).mean() <= 0.2
    assert (swapped["STAFF"] >= 0).all()


def test_measures_are_those_of_the_package():
    original = woo_universe.logged(woo_universe.systems())
    protected = microgauge.mask(original, woo_universe.recipe(original, (10, 10), 1))
    whole = woo.Base.of(original, woo_universe.TYPES).against(protected, 1)
    schema: dict[str, object] = {}
    beside = {
        woo.smooth_design: {"model": "auto"},
        woo.basis_design: {"model": "spline", "permutations": 1},
        woo.polynomial_design(2): {"model": "logit", "degree": 2, "interactions": "full"},
    }
    for design, choices in beside.items():
        found = microgauge.propensity(original, protected, schema=schema, resamples=0, **choices)
        assert woo.propensity(whole.joint, design) == pytest.approx(found.rows * found.value)
    described = woo.smooth_design(whole.joint)
    assert (described.degree, described.interactions) == (3, "pairs")
    found = microgauge.ecdf(original, protected, schema=schema)
    assert woo_distribution(whole) == (found.maximum, found.mean_square)
    found = microgauge.clusters(original, protected, schema=schema, method="average", groups=[110])
    assert woo_clustered(whole, "average", [110]) == [110 * found[0].value]


@pytest.mark.slow
def test_clusters_of_the_survey_are_as_many_as_in_the_paper():
    original = woo_survey.householders()
    protected = microgauge.mask(original, woo_survey.VERSIONS[0].recipe(1))
    whole = woo.Base.of(original, woo_survey.TYPES).against(protected, 1)
    found = woo_clustered(whole, "kmeans", woo_survey.GROUPS)
    assert found == woo_clustered(whole, "kmeans", woo_survey.GROUPS)
    assert 0 < found[0] < found[1] < 0.25 * 2 * woo_survey.ROWS


def test_ages_are_compared_as_they_were():
    original = woo_survey.householders().head(5000)
    protected = microgauge.mask(original, woo_survey.VERSIONS[0].recipe(1))
    whole = woo.Base.of(original, woo_survey.TYPES).against(protected, 1)
    assert woo_distribution(whole)[0] > 0
    ages = next(i for i, v in enumerate(whole.joint.variables) if v.name == "AGEP")
    held = whole.joint.values[ages][~whole.joint.protected]
    assert sorted(held) == sorted(original["AGEP"])
    found = microgauge.assess(original, protected, only=["gdu", "ecdf"])  # rows correspond
    assert next(v for v in found.variables if v.name == "AGEP").recoding.unit == 5
    assert found.ecdf.maximum > 0


def test_figures_depend_on_the_seed_only():
    bench = woo_universe.Bench.of(woo_universe.logged(woo_universe.systems()))
    first, second, other = (
        woo_universe.model_figures(bench.whole((20, 10), seed)) for seed in (1000, 1000, 2000)
    )
    assert first == second
    assert first != other


# -- what is printed -------------------------------------------------------------------------------


@pytest.mark.slow
def test_text_fits_in_80_columns(study):
    assert all(columns_of(line) <= 80 for line in str(study).splitlines())


@pytest.mark.slow
def test_text_shows_both_sides_and_the_seed(study):
    text = str(study)
    assert "Seed 1." in text
    for table in study.tables:
        for row in table.rows:
            assert row.name in text
            assert len(row.published) == len(row.own) == len(table.columns)


@pytest.mark.slow
def test_json_has_no_nan(study):
    text = json.dumps(study.to_dict(), allow_nan=False)
    assert json.loads(text)["seed"] == 1


@pytest.mark.slow
def test_claims_show_figures_and_only_failed_ones_a_reason(study):
    assert all(any(sign.isdigit() for sign in claim.shown) for claim in study.claims)
    assert not any(claim.reason for claim in study.claims if claim.holds)
    known = {"woo-3": woo_survey, "woo-4": woo_universe}[study.study].SENTENCES
    for claim, said in zip(study.claims, known, strict=True):
        assert claim.reason == (None if claim.holds else said.why_not)


@pytest.mark.slow
def test_progress_rises(universe):
    said = []
    with pytest.MonkeyPatch.context() as patched:
        for name, value in (("DRAWS", 2), ("MODEL_DRAWS", 1), ("RAW_DRAWS", 1)):
            patched.setattr(woo_universe, name, value)
        patched.setattr(woo_universe, "clustered", few_groups)
        patched.setattr(woo_universe, "distribution", few_points)
        found = microgauge.reproduce("woo-4", progress=lambda what, share: said.append(share))
    assert said == sorted(said)
    assert 0 <= said[0] <= said[-1] <= 1
    assert found.tables[0].rows[0].published == universe.tables[0].rows[0].published
