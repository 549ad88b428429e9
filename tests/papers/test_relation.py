"""Whether scores of variables and pairs tell what becomes of models: Kocar (2018), section 4."""

import json

import numpy as np
import pytest
from scipy import stats

import microgauge
from microgauge.log import silent
from microgauge.papers import relation
from microgauge.papers.relation import (
    BIVARIATE,
    MODEL,
    OUTCOMES,
    OVERLAP,
    TABLES,
    UNIVARIATE,
    WHOLE,
    Case,
    Panel,
)  # fmt: skip
from microgauge.render.text import columns_of


@pytest.fixture(scope="module")
def small():
    """The study on one file, with fewer rows and protections."""
    survey = relation.SURVEYS[0]
    wanted = ("noise 0.05", "noise 0.6", "swap 0.05", "swap 0.4", "synthetic, independent")
    chosen = {name: steps for name, steps in relation.recipes(survey).items() if name in wanted}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relation, "SURVEYS", (survey,))
        patch.setattr(relation, "ROWS", 500)
        patch.setattr(relation, "RESAMPLES", 50)
        patch.setattr(relation, "recipes", lambda survey: chosen)
        cases = relation.cases_of(survey, 1, silent)
        yield Panel(tuple(cases), 1), microgauge.reproduce("relation")


def test_cases_hold_the_scores_of_their_own_variables(small):
    panel, _ = small
    survey = relation.SURVEYS[0]
    assert len(panel.cases) == 5 * len(survey.formulas)
    case = next(
        c for c in panel.cases if c.file == "swap 0.4" and c.formula.startswith("PINCP ~ S")
    )
    original = survey.table(1)
    protected = microgauge.mask(original, {"seed": 1, "step": relation.recipes(survey)["swap 0.4"]})
    named = ["SCHL", "SEX", "MAR", "PINCP"]
    assert sorted(survey.named(case.formula)) == sorted(named)
    said = {
        "options": {"aligned": False},
        "variable": {name: {"type": survey.types[name]} for name in named},
    }
    alone = microgauge.assess(
        original.select(named), protected.select(named), schema=said, only=["gdu"]
    ).gdu
    assert case.scores[UNIVARIATE] == pytest.approx(alone.univariate)
    assert case.scores[BIVARIATE] == pytest.approx(np.mean([p.utility for p in alone.pairs]))
    assert {UNIVARIATE, BIVARIATE, WHOLE, *OUTCOMES} <= set(case.scores)


def test_correlations_are_scipys():
    rng = np.random.default_rng(0)
    for _ in range(5):
        a, b = rng.integers(0, 6, 40) / 5, rng.normal(size=40)
        assert relation.spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)
    assert relation.spearman(np.ones(5), np.arange(5.0)) is None


def made_panel(noise, surveys=("one", "two")):
    """Models follow pairs but for noise; variables tell nothing."""
    rng = np.random.default_rng(1)
    cases = []
    for survey in surveys:
        for file in range(40):
            utility = rng.random()
            scores = {
                UNIVARIATE: rng.random(),
                BIVARIATE: utility,
                WHOLE: utility + rng.normal(0.0, 1.0),
                MODEL: utility + rng.normal(0.0, noise),
                OVERLAP: utility + rng.normal(0.0, noise),
            }
            cases.append(Case(survey, f"file {file}", "y ~ x", scores))
    return Panel(tuple(cases), 1)


def test_verdicts_follow_from_the_figures():
    panel = made_panel(0.05)
    found = panel.relation(BIVARIATE, MODEL)
    assert found.low < found.rho < found.high
    assert found.rho > 0.9
    held = {said.claim: said.judged(panel).holds for said in relation.SAID}
    assert list(held.values()) == [False, True, True, True, False]
    lost = {**panel.cases[0].scores, UNIVARIATE: 0.95, BIVARIATE: 0.95, MODEL: 0.1}
    more = Panel((*panel.cases, Case("one", "another", "y ~ x", lost)), 1)
    assert relation.SAID[-1].judged(more).holds is True


def test_intervals_hold_nothing_where_there_is_nothing():
    found = made_panel(0.05).relation(UNIVARIATE, OVERLAP)
    assert found.low < 0 < found.high


def test_intervals_narrow_with_more_files():
    few, many = made_panel(0.5), made_panel(0.5, ("one", "two", "three", "four"))
    widths = [r.high - r.low for r in (p.relation(BIVARIATE, MODEL) for p in (few, many))]
    assert widths[1] < widths[0]


def test_what_is_printed(small):
    _, result = small
    assert max(columns_of(line) for line in str(result).splitlines()) <= 80
    json.dumps(result.to_dict(), allow_nan=False)
    for table in result.tables:
        for row in table.rows:
            assert len(row.own) == len(row.published) == len(table.columns)
    there = any(row.name == TABLES for row in result.tables[0].rows)
    assert there != any("no section" in note for note in result.notes)


def test_the_same_seed_gives_the_same_study(small):
    panel, _ = small
    again = relation.cases_of(relation.SURVEYS[0], 1, silent)
    assert tuple(again) == panel.cases
