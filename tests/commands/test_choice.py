"""Limits on figures, the utility of the map, what chance explains, and what is recommended."""

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from benchmarks import choice
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import stats

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.commands.choosing import ranking_of
from microgauge.commands.replicates import unit_groups
from microgauge.demo import ORIGINAL, SCHEMA
from microgauge.demo.candidates import NAMES, candidates
from microgauge.errors import Undefined
from microgauge.measures.balance.jackknife import GROUPS, blocks, difference_interval
from microgauge.results import Candidate, LeftIn
from microgauge.results.figures import (
    FIGURES,
    PREFERRED_UTILITIES,
    UTILITIES,
    Measures,
    default_utility,
    figure_value,
    map_utility,
)
from microgauge.results.requirements import keeps
from microgauge.schema import Schema
from microgauge.schema.limits import Limits
from microgauge.sections.requirements.holding import measures_of
from support.command import columns_of, refused
from support.figures import approx, strict_json
from support.surveys import KEY, make_survey, types_of

NAMES_OF_LIMITS = (
    "risk found learned copied internal k uniques utility gdu gdu_1000 tables k_marginal U rut "
    "auc_cross ratio il1s overlap inside"
)


# -- tables --------------------------------------------------------------------------------------


def people(rows=300, seed=5):
    """Ages, schooling and incomes that hang together."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    school = np.clip((rng.normal(8, 3, rows) + age / 20).round(), 1, 16).astype(int)
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["female", "male"], rows),
            "region": rng.choice(["N", "E", "S", "W"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "school": school,
            "income": (rng.lognormal(6, 0.5, rows) * school + 20 * age).round(),
        }
    )


def banded(frame, step):
    low = frame["age"] // step * step
    return frame.assign(age=low.astype(str) + "-" + (low + step - 1).astype(str))


def schema(**more):
    variables = {
        "age": {"type": "continuous", **KEY}, "sex": KEY, "region": KEY,
        "school": {"type": "ordinal"}, "income": {"type": "continuous", "role": "sensitive"},
    }  # fmt: skip
    return {
        "variable": variables, "risk": {"measure": "classes"},
        "rank": {"utility": "gdu", "jackknife": False}, "propensity": {"resamples": 0},
    } | more  # fmt: skip


def rank(tables, original=None, said=None, **choices):
    result = microgauge.rank(
        people() if original is None else original,
        list(tables.values()),
        names=list(tables),
        schema=schema() if said is None else said,
        **({"only": ["rut"]} | choices),
    )
    strict_json(json.dumps(result.to_dict()))
    return result


def five():
    frame = people()
    return {"five": banded(frame, 5), "ten": banded(frame, 10), "forty": banded(frame, 40)}


@cache
def measured():
    """An assessment with every section, to be changed."""
    said = schema(
        regression=[
            {"formula": "income ~ age + sex", "bands": "midpoints"},
            {"formula": "income ~ school"},
        ],
        indicator=[{"name": "mean", "statistic": "mean", "variable": "income", "resamples": 20}],
    )
    only = ["gdu", "risk", "disclosure", "rut", "propensity", "loss", "regressions", "indicators",
            "left_in"]  # fmt: skip
    return microgauge.assess(people(), banded(people(), 10), schema=said, only=only)


def at(name, risk, utility, **changes):
    """A candidate at a place of the map of U and classes."""
    start = measured()
    changed = start.changed(
        risk=replace(start.risk, total=risk),
        rut=replace(start.rut, utility=utility, risk=risk),
        left_in=(),
        **changes,
    )
    return Candidate(name=name, assessment=changed)


def on_map(utility="U", **require):
    return Schema.from_dict(
        {"risk": {"measure": "classes"}, "rank": {"utility": utility}, "require": require}
    )


def stop(name="reach"):
    return (
        LeftIn(column=name, why="e-mail addresses", share=1.0, code="mail", grade="stop",
               sentence=f"{name} holds e-mail addresses.", remedy="Remove it."),
    )  # fmt: skip


# -- figures by name -----------------------------------------------------------------------------


def test_the_names_of_limits_are_a_contract():
    assert list(FIGURES) == NAMES_OF_LIMITS.split()
    better = {name for name, figure in FIGURES.items() if figure.better == "higher"}
    higher = "k utility gdu gdu_1000 tables k_marginal U rut overlap inside"
    assert better == set(higher.split())


def test_figures_are_those_of_the_result():
    found, measures = measured(), Measures("gdu", "classes")
    wanted = {
        "risk": found.risk.total, "found": found.disclosure.found.value,
        "learned": max(t.value for t in found.disclosure.learned if t.value is not None),
        "internal": found.risk.internal, "k": found.risk.k, "uniques": found.risk.uniques,
        "utility": found.gdu.value, "gdu": found.gdu.value, "U": found.rut.utility,
        "rut": found.rut.value, "ratio": found.propensity.ratio, "il1s": found.loss.il1s,
        "overlap": min(r.overlap for r in found.regressions),
        "inside": float(found.indicators[0].inside),
    }  # fmt: skip
    for name, value in wanted.items():
        assert figure_value(found, name, measures) == approx(value), name
    assert figure_value(found, "risk", Measures("gdu")) == found.disclosure.risk


def test_figures_that_are_not_there_say_why():
    bare = measured().changed(sections={}, gdu=replace(measured().gdu, value=None, reason="why"))
    with pytest.raises(Undefined, match="why"):
        figure_value(bare, "gdu", Measures("U"))
    for name in set(FIGURES) - {"gdu", "gdu_1000", "utility"}:
        with pytest.raises(Undefined, match="was not computed"):
            figure_value(bare, name, Measures("U"))


def test_what_utility_is_by_default_stands_in_one_place():
    assert default_utility(["tables", "gdu"]) == "tables" == PREFERRED_UTILITIES[0]
    assert default_utility(["gdu"]) == "gdu"
    assert measures_of(Schema()).utility == "tables"


# -- limits --------------------------------------------------------------------------------------


def test_limits_are_read_from_a_line():
    found = Limits.parsed("risk<=0.05, gdu >= 0.8,k≥3, uniques<10")
    assert [(x.figure, x.operator, x.limit) for x in found.limits] == [
        ("risk", "<=", 0.05), ("gdu", ">=", 0.8), ("k", ">=", 3.0), ("uniques", "<", 10.0),
    ]  # fmt: skip
    assert found.faults("--require") == []
    assert [x.said for x in found.limits] == [
        "risk at most 0.05", "gdu at least 0.8", "k at least 3", "uniques below 10",
    ]  # fmt: skip


def test_a_line_a_dict_and_the_schema_say_the_same():
    line = Limits.parsed("risk<=0.05, k>=3")
    assert Limits.parsed({"risk": "<=0.05", "k": 3}) == line
    assert Schema.from_dict({"require": {"risk": "<= 0.05", "k": ">=3"}}).requirements == line


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("gud>=0.8", 'Did you mean "gdu"'), ("risk>=0.05", "on the wrong side"),
        ("gdu<=0.5", "on the wrong side"), ("risk<=2", "from 0 to 1"), ("k>=-1", "0 or more"),
        ("risk<=0.05, risk<=0.1", "more than one limit on risk"), ("risk", "must be a limit"),
        ("risk<=nan", "must be a limit"), ("risk<=", "must be a limit"), ("", "names no limit"),
        ("risk=0.05", "must be a limit"),
    ],
)  # fmt: skip
def test_what_is_no_limit(said, fault):
    with pytest.raises(InputError, match=fault):
        rank({"a": people()}, require=said)


def test_all_faults_of_limits_at_once():
    with pytest.raises(InputError) as caught:
        rank(
            {"a": people()},
            require="gud>=1, internal>=0.2, overlap>=0.7, inside>=0.5, ratio<=3, risk<=0.1",
            max_risk=0.3,
        )
    said = caught.value.faults
    assert len(said) == 6
    for part in ('"gud"', "internal on the wrong side", "no [[regression]]", "no [[indicator]]",
                 "section propensity, which --only or --skip leaves out",
                 "limited twice"):  # fmt: skip
        assert any(part in fault for fault in said), part


def test_a_limit_on_a_section_that_is_left_out():
    with pytest.raises(InputError, match="section loss, which --only or --skip leaves out"):
        rank({"a": people()}, require="risk<=1, il1s<=2")
    with pytest.raises(InputError, match="section gdu, which --only or --skip leaves out"):
        microgauge.assess(people(), people(), schema=schema(), skip=["gdu"], require="gdu>=0.5")
    with pytest.raises(InputError, match="quasi_identifier"):
        microgauge.assess(people(), people(), only=["gdu"], require="k>=3")


@pytest.mark.parametrize("name", ["gud", "overlap", "inside", "overlap:nothing", "risk", 3])
def test_a_utility_that_there_is_not(name):
    with pytest.raises(InputError, match=r"\[rank\] utility"):
        rank({"a": people()}, utility=name)


def test_limits_beside_the_schema_replace_its_own():
    said = schema(require={"risk": "<=0.9", "k": ">=1"}, rut={"min_utility": 0.2})
    own = rank(five(), said=said)
    assert (own.max_risk, own.min_utility) == (0.9, 0.2)
    assert rank(five(), said=said, max_risk=0.5).max_risk == 0.5
    found = rank(five(), said=said, require="risk<=0.4, utility>=0.1").limits
    assert [(x["figure"], x["limit"]) for x in found] == [
        ("k", 1.0), ("risk", 0.4), ("utility", 0.1),
    ]  # fmt: skip


def test_max_risk_is_the_limit_on_risk():
    ways = [
        rank(five(), max_risk=0.5), rank(five(), require="risk<=0.5"),
        rank(five(), require={"risk": 0.5}), rank(five(), said=schema(require={"risk": "<=0.5"})),
        rank(five(), said=schema(rut={"max_risk": 0.5})),
    ]  # fmt: skip
    first = ways[0].to_dict()
    assert ways[0].recommended.name is not None
    for other in ways[1:]:
        found = other.to_dict()
        for name in ("recommended", "limits", "max_risk", "sweep", "blocks"):
            assert found[name] == first[name]


def test_requirements_stand_in_every_candidate():
    result = rank(five(), require="risk<=0.5, k>=2")
    for candidate, entry in zip(result.candidates, result.to_dict()["candidates"], strict=True):
        risk, k = entry["requirements"]
        assert (risk["figure"], risk["operator"], risk["limit"]) == ("risk", "<=", 0.5)
        assert risk["value"] == candidate.risk
        assert risk["met"] is (candidate.risk <= 0.5)
        assert k["value"] == candidate.assessment.risk.k
        assert k["met"] is (candidate.assessment.risk.k >= 2)


def test_a_figure_that_is_not_defined_meets_no_limit():
    null = replace(measured().loss, il1s=None, reason="rows do not correspond")
    result = ranking_of(
        [at("a", 0.1, 0.9, loss=null), at("b", 0.1, 0.8)], on_map(risk="<=0.5", il1s="<=1000")
    )
    assert result.recommended.name == "b"
    (missed,) = [one for one in result.candidates[0].requirements if not one.met]
    assert (missed.figure, missed.value) == ("il1s", None)
    assert missed.reason == "rows do not correspond"
    assert "a: il1s at most 1000 (it has none: rows do not correspond)" in str(result)


def test_a_limit_of_a_figure_just_beside_it_is_shown_apart():
    result = ranking_of([at("a", 0.10000004, 0.9)], on_map(risk="<=0.1"))
    assert "(it is 0.1)" not in str(result)
    assert "0.10000004" in str(result)


# -- assess --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    people().to_csv(tmp_path / "o.csv", index=False)
    banded(people(), 10).to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "s.toml").write_text(
        '[variable.age]\ntype = "continuous"\nrole = "quasi_identifier"\n'
        '[variable.sex]\nrole = "quasi_identifier"\n[rank]\nutility = "gdu"\njackknife = false\n'
    )
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("folder")
class TestCommand:
    START = ("assess", "o.csv", "p.csv", "--schema", "s.toml", "--only", "gdu,risk")

    def test_a_limit_that_is_kept_and_one_that_is_missed(self, capsys):
        assert main([*self.START, "--require", "gdu>=0.5, k>=1", "--json", "r.json"]) == 0
        assert all(one["met"] for one in json.loads(Path("r.json").read_text())["requirements"])
        assert "Kept: gdu at least 0.5" in capsys.readouterr().out
        assert main([*self.START, "--require", "gdu>=0.5, k>=1000", "--json", "r.json"]) == 1
        found = json.loads(Path("r.json").read_text())["requirements"]
        assert [one["met"] for one in found] == [True, False]
        out = capsys.readouterr().out
        assert "Missed: k at least 1000" in out
        assert max(map(columns_of, out.splitlines())) <= 80

    def test_without_limits_nothing_is_said_of_them(self, capsys):
        assert main([*self.START, "--json", "-"]) == 0
        assert "requirements" not in json.loads(capsys.readouterr().out)

    def test_faults_leave_nothing_behind(self, capsys):
        said = refused(capsys, *self.START, "--require", "gud>=1, ratio<=2", "--json", "r.json")
        assert '"gud"' in said
        assert "section propensity" in said

    def test_rank_with_limits_and_a_utility(self, capsys):
        start = ["rank", "o.csv", "p.csv", "--schema", "s.toml", "--only", "risk"]
        assert main([*start, "--require", "risk<=1, utility>=0.1", "--utility", "U"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("Release p: the only candidate has risk at most 1 and utility at")
        assert "limits: risk at most 1, utility at least 0.1" in out
        said = refused(capsys, *start, "--require", "rsik<=1", "--utility", "x", "--map", "m.svg")
        assert said.count("\n  - ") == 2


# -- what chance explains ------------------------------------------------------------------------


def test_the_interval_is_that_of_paired_differences():
    """With a unit in each group the jackknife of a mean is Student's paired interval."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(1, 1, 40), rng.normal(0.8, 1, 40)
    without = [np.delete(x, i).mean() for x in (first, second) for i in range(40)]
    found = difference_interval(first.mean(), second.mean(), without[:40], without[40:])
    wanted = stats.ttest_rel(first, second).confidence_interval(0.95)
    assert found == approx((wanted.low, wanted.high))


def test_other_groups_are_no_pair():
    with pytest.raises(Undefined):
        difference_interval(1.0, 0.9, [1.0] * 30, [0.9] * 29)


def test_blocks_are_made_from_the_best_down():
    """Woo et al.: neighbours may be alike and the ends not."""
    values = {"a": 0.9, "b": 0.85, "c": 0.8, "d": 0.1}
    near = blocks(values, lambda x, y: abs(values[x] - values[y]) < 0.06)
    assert near == [["a", "b"], ["c"], ["d"]]


def replicated(spread):
    """Replicates whose noise is each candidate's own."""

    def of(candidate):
        rng = np.random.default_rng(sum(map(ord, candidate.name)))
        return candidate.utility + rng.normal(0, spread, GROUPS)

    return of


def test_of_equals_the_safest_is_recommended_and_the_others_are_named():
    made = [at("best", 0.4, 0.9), at("near", 0.1, 0.898), at("far", 0.05, 0.4)]
    result = ranking_of(made, on_map(risk="<=0.5"), replicates=replicated(0.001))
    found = result.recommended
    assert found.name == "near"
    assert found.best == "best"
    assert [one.name for one in found.equals] == ["best"]
    assert found.interval[0] <= 0 <= found.interval[1]
    assert result.blocks == (("best", "near"), ("far",))
    assert "the safest (0.100) of 2 whose utility chance does not tell apart" in found.reason
    assert "best has the higher utility as measured, 0.900 against 0.898" in found.against
    text = " ".join(str(result).split())
    assert "As useful as far as can be told: best." in text
    assert " += best" in str(result)


def test_what_may_be_much_worse_is_not_called_equal():
    """An interval that holds 0 for want of units is no proof."""
    made = [at("best", 0.4, 0.9), at("near", 0.1, 0.85)]
    result = ranking_of(made, on_map(risk="<=0.5"), replicates=replicated(0.02))
    assert result.recommended.name == "best"
    (note,) = [note for note in result.notes if note.startswith("Chance may explain")]
    assert "near" in note
    assert "more than chance explains" not in result.recommended.reason


def test_a_difference_that_is_none_of_chance():
    made = [at("best", 0.4, 0.9), at("near", 0.1, 0.898)]
    result = ranking_of(made, on_map(risk="<=0.5"), replicates=replicated(1e-6))
    assert result.recommended.name == "best"
    assert result.recommended.equals == ()
    assert result.blocks == (("best",), ("near",))
    assert "more than chance explains" in result.recommended.reason


def test_what_is_not_tested_is_not_called_equal():
    made = [at("best", 0.4, 0.9), at("near", 0.1, 0.899)]
    result = ranking_of(made, on_map(risk="<=0.5"))
    assert result.recommended.name == "best"
    (note,) = [note for note in result.notes if note.startswith("Not tested")]
    assert "near" in note


def test_a_section_that_has_replicates_is_taken_at_its_word():
    def table(value, seed):
        rng = np.random.default_rng(seed)
        values = tuple(value + rng.normal(0, 0.002, GROUPS))
        return SimpleNamespace(value=value, replicates=values, reason=None)

    made = [at("a", 0.4, 0.5, tables=table(0.9, 1)), at("b", 0.2, 0.5, tables=table(0.899, 2))]
    said = on_map("tables", risk="<=0.5")
    result = ranking_of(made, said)
    assert result.recommended.name == "b"
    assert result.utility_measure == "tables"
    assert [c.utility for c in result.candidates] == [0.9, 0.899]


def test_a_utility_without_replicates_is_measured_again_on_small_files():
    """Two draws of the same noise are equals; a destroyed file is none."""
    frame = people(200)

    def noisy(seed, spread):
        blur = np.random.default_rng(seed).normal(0, spread, 200)
        return frame.assign(income=(frame["income"] * (1 + blur)).round())

    shuffled = frame.apply(lambda c: c.sample(frac=1, random_state=len(c.name)).to_numpy())
    tables = {"a": noisy(1, 0.01), "b": noisy(2, 0.01), "shuffled": shuffled}
    said = schema(rank={"utility": "gdu"}, left_in={"ignore": ["income"]})
    result = rank(tables, frame, said, max_risk=1.0)
    assert set(result.blocks[0]) == {"a", "b"}
    assert result.blocks[1] == ("shuffled",)
    assert result.recommended.name in ("a", "b")
    assert not any(note.startswith("Not tested") for note in result.notes)


def test_groups_follow_units_whatever_the_order_of_rows_and_columns():
    frame = pl.from_pandas(people())
    groups = unit_groups(frame)
    order = np.random.default_rng(1).permutation(frame.height)
    assert (unit_groups(frame[order].select(sorted(frame.columns))) == groups[order]).all()
    assert set(groups) == set(range(GROUPS))
    assert np.bincount(groups).max() < 30


def test_of_many_candidates_the_most_useful_are_measured_again(monkeypatch):
    monkeypatch.setattr("microgauge.commands.replicates.MOST_CANDIDATES", 2)
    frame = people(100)
    tables = {str(step): banded(frame, step) for step in (40, 20, 5)}
    result = rank(tables, frame, schema(rank={"utility": "U"}), max_risk=1.0)
    (note,) = [note for note in result.notes if "most useful are measured again" in note]
    assert "40 (only the 2 most" in note


def test_large_files_are_not_measured_again_unless_asked_to():
    frame = people(1001)
    tables = {"a": banded(frame, 5), "b": banded(frame, 10)}
    result = rank(tables, frame, schema(rank={"utility": "U"}), max_risk=1.0)
    assert any("jackknife = true" in note for note in result.notes)


# -- what is said --------------------------------------------------------------------------------


def test_a_limit_on_something_else_is_none_on_risk():
    result = rank(five(), require="utility>=0.1, k>=1")
    assert result.recommended.name is None
    assert "no limit on risk" in result.recommended.reason
    assert result.recommended.against is None


def test_none_within_the_limits():
    result = ranking_of(
        [at("near", 0.21, 0.7), at("far", 0.9, 0.9)], on_map(risk="<=0.2", U=">=0.5")
    )
    assert result.recommended.name is None
    assert result.recommended.reason == (
        "no candidate has risk at most 0.2 and U at least 0.5; the nearest is near with risk 0.21"
    )
    assert {step.leader for step in result.sweep} == {None}
    several = ranking_of([at("b", 0.3, 0.4), at("c", 0.9, 0.1)], on_map(risk="<=0.2", U=">=0.5"))
    assert several.recommended.reason.endswith("; the nearest is b with risk 0.3 and U 0.4")


def test_one_candidate_within_and_without():
    inside = ranking_of([at("a", 0.1, 0.7)], on_map(risk="<=0.2"))
    assert inside.recommended.name == "a"
    assert inside.recommended.reason.startswith("the only candidate has risk at most 0.2;")
    assert "only one within the limits" in inside.recommended.against
    outside = ranking_of([at("a", 0.3, 0.7)], on_map(risk="<=0.2"))
    assert outside.recommended.name is None
    assert outside.recommended.reason == (
        "no candidate has risk at most 0.2; the only one, a, has risk 0.3"
    )


def test_a_file_to_stop_is_never_recommended():
    mail = replace(at("mail", 0.1, 0.9), assessment=at("x", 0.1, 0.9).assessment.changed(
        left_in=stop()))  # fmt: skip
    good = at("good", 0.1, 0.8)
    both = ranking_of([mail, good], on_map(risk="<=0.2"))
    assert both.recommended.name is None
    assert both.recommended.best == "mail"
    for part in ("mail has the highest utility", "e-mail addresses", "then good has the highest"):
        assert part in both.recommended.reason
    assert {step.leader for step in both.sweep} == {"good"}
    worse = replace(mail, assessment=mail.assessment.changed(
        rut=replace(mail.assessment.rut, utility=0.5)))  # fmt: skip
    found = ranking_of([worse, good], on_map(risk="<=0.2")).recommended
    assert found.name == "good"
    assert "the only one within the limits that may be released" in found.against
    alone = ranking_of([mail], on_map(risk="<=0.2"))
    assert alone.recommended.name is None
    assert alone.recommended.reason.startswith(
        "the only candidate must not be released as it is: people are named by"
    )
    same = ranking_of([mail, replace(mail, name="other")], on_map(risk="<=0.2"))
    assert same.recommended.reason.startswith(
        "no candidate may be released as it is: people are named by"
    )
    kept = replace(mail, name="kept", assessment=mail.assessment.changed(left_in=stop(None)))
    apart = ranking_of([mail, kept], on_map(risk="<=0.2"))
    assert "(mail: people are named by" in apart.recommended.reason
    assert "; kept: nothing was changed)" in apart.recommended.reason


def test_the_argument_against_is_the_strongest():
    start = measured()
    ci = replace(start.disclosure, risk=0.1, risk_ci=(0.05, 0.3), upper_bound=False)
    said = Schema.from_dict({"rank": {"utility": "U"}, "require": {"risk": "<=0.2"}})
    doubtful = ranking_of([at("a", 0.1, 0.9, disclosure=ci)], said)
    assert "may be above the limit of 0.2" in doubtful.recommended.against
    made = [
        at("a", 0.1, 0.9, gdu=replace(start.gdu, value=0.5)),
        at("b", 0.1, 0.8, gdu=replace(start.gdu, value=0.9)),
    ]
    other = ranking_of(made, on_map(risk="<=0.2")).recommended
    assert other.name == "a"
    assert other.against.startswith("b, within the limits too, keeps more by global data utility")
    safer = ranking_of([at("a", 0.1, 0.9), at("b", 0.05, 0.8)], on_map(risk="<=0.2")).recommended
    assert safer.against.startswith("b is safer, with risk 0.050 against 0.100")


def test_u_of_files_that_correspond_and_of_others_is_not_compared_unsaid():
    frame = people()
    blur = np.random.default_rng(1).normal(0, 0.05, len(frame))
    noisy = frame.assign(income=(frame["income"] * (1 + blur)).round())
    tables = {"rows": noisy, "others": noisy.sample(frac=0.9, random_state=1)}
    said = schema(rank={"utility": "U", "jackknife": False})
    (note,) = [n for n in rank(tables, frame, said, max_risk=1.0).notes if n.startswith("U does")]
    for word in ("rows", "others", "income"):
        assert word in note
    alike = rank({"rows": noisy, "same": banded(frame, 5)}, frame, said, max_risk=1.0)
    assert not any(n.startswith("U does not compare") for n in alike.notes)


# -- files that must not win -----------------------------------------------------------------------


def permuted(frame, names, seed=1):
    rng = np.random.default_rng(seed)
    return frame.with_columns([frame[n][rng.permutation(frame.height)] for n in names])


def ages(step):
    low = (pl.col("AGEP") // step) * step
    return pl.format("{}-{}", low, low + (step - 1)).alias("AGEP")


@cache
def survey():
    return pl.read_csv(ORIGINAL, schema_overrides={"PUMA": pl.String})


def chosen(tables, limit):
    result = microgauge.rank(
        survey(), list(tables.values()), names=list(tables), schema=SCHEMA, only=["rut"],
        max_risk=limit,
    )  # fmt: skip
    return result.recommended.name


@pytest.mark.parametrize("beside", ["3-merged", "4-coarse"])
def test_a_shuffled_file_does_not_win(beside):
    made = dict(zip(NAMES, candidates(), strict=True))
    shuffled = permuted(made["4-coarse"], [n for n in survey().columns if n != "PWGTP"])
    assert chosen({beside: made[beside], "shuffled": shuffled}, 0.2) == beside


def test_a_permuted_variable_does_not_win_by_finer_ages():
    finer = permuted(survey().with_columns(ages(5)), ["SCHL"])
    tables = {"finer, education permuted": finer, "by decade": survey().with_columns(ages(10))}
    assert chosen(tables, 0.5) == "by decade"


@pytest.mark.parametrize("limit", [0.1, 0.02])
def test_real_records_and_independent_columns_do_not_win(limit):
    result = choice.ranked(1200, max_risk=limit, only=["rut"])
    assert choice.faults(result) == []
    assert result.recommended.name not in ("bootstrap", "independent")


# -- no utility on the map rises when something is taken away --------------------------------------

ANALYSES = {
    "regression": [{"formula": "income ~ school + sex"}, {"formula": "income ~ age",
                                                          "bands": "midpoints"}],
    "indicator": [{"name": "mean", "statistic": "mean", "variable": "income", "by": "sex",
                   "resamples": 20}],
}  # fmt: skip


def noisy(frame, names, seed=2):
    """Some variables replaced by others of the same kind: what is taken away was worth nothing."""
    rng = np.random.default_rng(seed)
    return frame.assign(**{name: frame[name].to_numpy()[rng.permutation(len(frame))] * 1
                           if frame[name].dtype.kind in "if"
                           else frame[name].to_numpy()[rng.permutation(len(frame))]
                           for name in names})  # fmt: skip


def chains(rows=400):
    """Files each of which is the one before with more taken away."""
    frame = people(rows)
    merged = frame.assign(region=frame["region"].replace({"E": "N or E", "N": "N or E"}))
    coarser = merged.assign(region=merged["region"].replace({"S": "S or W", "W": "S or W"}))
    lost = noisy(frame, ["region"])
    shifted = frame.assign(school=17 - noisy(frame, ["school"])["school"])
    return {
        "bands": [frame, *(banded(frame, step) for step in (5, 10, 20, 40))],
        "merges": [frame, merged, coarser],
        "bands and merges": [frame, banded(merged, 10), banded(coarser, 20), banded(coarser, 40)],
        "removed": [frame, frame.drop(columns="region"), frame.drop(columns=["region", "school"])],
        "a permuted one removed": [lost, lost.drop(columns="region")],
        "a destroyed one removed": [shifted, shifted.drop(columns="school")],
        "removed with bands": [lost, banded(lost, 10), banded(lost, 10).drop(columns="region"),
                               banded(lost, 20).drop(columns="region")],
    }  # fmt: skip


ON_THE_MAP = (*UTILITIES, "overlap:income ~ age", "overlap:mean")
"""All of it, and of `overlap:NAME` a regression and an indicator."""
TAKEN = ["gdu", "propensity", "rut", "regressions", "indicators", "tables"]


def utility_of(result, name):
    try:
        return map_utility(result, name)
    except Undefined:
        return None


def assert_never_rises(original, tables, names, only=TAKEN):
    """Each utility is there to begin with, between 0 and 1, and never above the file's before.

    A file that has none any more keeps nothing, so that no later one may have it back.
    """
    said = schema(**ANALYSES)
    found = [microgauge.assess(original, table, schema=said, only=only) for table in tables]
    for name in names:
        first, *rest = (utility_of(result, name) for result in found)
        assert first is not None, name
        values = [first, *(value or 0.0 for value in rest)]
        assert all(0 <= value <= 1 + 1e-12 for value in values), name
        for before, after in pairwise(values):
            assert after <= before + 1e-9, (name, values)


@pytest.mark.parametrize("chain", chains())
def test_no_utility_rises_when_something_is_taken_away(chain):
    # Files of 400 rows do not have the one as if from 1,000.
    names = [name for name in ON_THE_MAP if name != "gdu_1000"]
    assert_never_rises(people(400), chains()[chain], names)


@pytest.mark.parametrize("chain", chains())
def test_gdu_as_if_from_1000_does_not_rise_when_something_is_taken_away(chain):
    rows = 5_100
    assert_never_rises(people(rows), chains(rows)[chain], ["gdu_1000"], ["gdu"])


def merged(frame):
    return frame.assign(region=frame["region"].replace({"E": "N or E", "N": "N or E"}))


UNSHRUNK = settings(max_examples=6, deadline=None, phases=[Phase.explicit, Phase.generate])
"""Every example is several assessments: a smaller one is not worth the minutes."""
SPOILT = st.sets(st.sampled_from(["sex", "region", "school", "income"]), max_size=2)


@UNSHRUNK
@given(
    seed=st.integers(0, 1000),
    spoilt=SPOILT,
    widths=st.lists(st.sampled_from([5, 10, 20, 40]), max_size=2, unique=True).map(sorted),
    gone=st.sampled_from(["sex", "school", "income"]),
)
def test_no_utility_rises_whatever_is_coarsened_or_removed(seed, spoilt, widths, gone):
    """Of files of which some variables say nothing any more."""
    original = people(250, seed)
    start = noisy(original, sorted(spoilt), seed)
    tables = [start, *(banded(start, width) for width in widths)]
    tables.append(merged(tables[-1]))
    tables.append(tables[-1].drop(columns=gone))
    assert_never_rises(original, tables, [name for name in ON_THE_MAP if name != "gdu_1000"])


def test_what_would_not_see_damage_within_bands_is_no_utility_of_recoded_files():
    result = microgauge.assess(
        people(400), banded(people(400), 20), schema=schema(**ANALYSES), only=TAKEN
    )
    for name in ("propensity", "overlap", "overlap:income ~ age"):
        with pytest.raises(Undefined, match=r"before a recoding .*\(age\); take tables"):
            map_utility(result, name)
    for name in ("inside", "overlap:mean", "overlap:income ~ school + sex"):
        assert map_utility(result, name) == pytest.approx(1)
    merges = microgauge.assess(
        people(400), people(400).assign(sex="all"), schema=schema(**ANALYSES), only=TAKEN
    )
    for name in ("inside", "overlap:mean", "overlap:income ~ school + sex"):
        with pytest.raises(Undefined, match=r"\(sex\); take tables"):
            map_utility(merges, name)


@UNSHRUNK
@given(
    seed=st.integers(0, 1000),
    spoilt=SPOILT,
    gone=st.permutations(["sex", "region", "school", "income"]),
)
def test_no_utility_rises_whatever_is_removed(seed, spoilt, gone):
    original = people(250, seed)
    tables = [noisy(original, sorted(spoilt), seed)]
    tables += [tables[0].drop(columns=gone[:count]) for count in (1, 2)]
    names = [name for name in ON_THE_MAP if name != "gdu_1000"]
    assert_never_rises(original, tables, names)


def test_gdu_by_itself_would_rise():
    """The law is the map's: GDU itself leaves a removed variable's pairs out of the others'."""
    frame = people(400)
    shifted = frame.assign(school=17 - noisy(frame, ["school"])["school"])
    both = [
        microgauge.assess(frame, table, schema=schema(), only=["gdu"])
        for table in (shifted, shifted.drop(columns="school"))
    ]
    assert both[1].gdu.value > both[0].gdu.value
    assert map_utility(both[1], "gdu") <= map_utility(both[0], "gdu")
    assert keeps(None)


def test_one_file_in_two_orders_of_rows_is_said_to_be_measured_in_two_ways():
    original = make_survey(300, 1)
    rounded = original.assign(age=original["age"] // 10 * 10)
    said = types_of(original, {"age": {"role": "quasi_identifier"}})
    files = [rounded, rounded.sample(frac=1, random_state=1)]

    def notes(said):
        found = microgauge.rank(
            original, files, names=["kept", "mixed"], schema=said, require="risk<=0.9",
            only=["tables", "disclosure"],
        )  # fmt: skip
        return [note for note in found.notes if "correspond to the original's" in note]

    (note,) = notes(said)
    assert note.startswith("The records of kept correspond to the original's, those of mixed do")
    assert "rounding" in note
    assert not notes(said | {"options": {"aligned": False}})


def test_gdu_as_if_from_1000_does_not_rise_when_a_destroyed_variable_is_removed():
    rng = np.random.default_rng(1)
    x = rng.normal(size=5_200)
    original = pd.DataFrame({n: x + rng.normal(size=len(x)) for n in "abc"})
    spoilt = original.assign(a=rng.normal(50, 1, len(x)))

    def utility(protected, name="gdu_1000"):
        return map_utility(microgauge.assess(original, protected, only=["gdu"]), name)

    whole, gone = utility(spoilt), utility(spoilt.drop(columns="a"))
    assert gone <= whole + 1e-12
    assert utility(original) == pytest.approx(1.0, abs=1e-6)
    few = microgauge.assess(original.head(50), spoilt.head(50), only=["gdu"])
    with pytest.raises(Undefined, match="above 5,000 rows"):
        map_utility(few, "gdu_1000")


def test_gdu_of_the_map_has_models_too_where_they_weigh():
    original = people()
    said = {
        "model": [{"kind": "linear", "formula": "income ~ age"}],
        "options": {"balance": [0.4, 0.4, 0.2]},
    }
    removed = microgauge.assess(original, original.drop(columns="school"), schema=said)
    gdu, k = removed.gdu, len(removed.gdu.variables)
    assert gdu.multivariate == pytest.approx(1.0)
    # Each variable that is left has k - 2 of its k - 1 pairs, all of them kept.
    pairs = (k - 1) / k * (k - 2) / (k - 1)
    assert map_utility(removed, "gdu") == pytest.approx(
        0.4 * (k - 1) / k + 0.4 * pairs + 0.2, abs=1e-5
    )
