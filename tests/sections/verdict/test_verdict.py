"""The verdict: grades by limits and by files of known loss, and sentences that hold in every case.

Each case is a pair of files whose changes are known by construction, so that what the verdict says
can be held against the data frames themselves.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge.errors import InputError
from microgauge.results import Worst
from microgauge.results.figures import Measures
from microgauge.results.left_in import LeftIn
from microgauge.results.plain import json_text
from microgauge.results.verdict import Verdict
from microgauge.sections.verdict.findings_of_safety import coarser
from microgauge.sections.verdict.forming import verdict_of
from support.reports import data_of
from support.surveys import KEY, make_survey, perturb, types_of

DOCS = Path(__file__).parents[3]
ORIGINAL = make_survey(600, 1)
KEYS = dict.fromkeys(("region", "sex", "age"), KEY) | {"health": {"role": "sensitive"}}
HEAVY = ("clusters", "ecdf", "loss", "rut")
JARGON = re.compile(r"U_p|IL1s|CTBIL|pMSE|\bAUC\b|\bTV\b|nan|None|\bGDU\b|R_internal|  |\.\.")
GRADES = ("stop", "warn", "note")


def shuffled(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    changed = {name: rng.permutation(frame[name].to_numpy()) for name in names or frame.columns}
    return frame.assign(**changed)


def banded(frame: pd.DataFrame) -> pd.DataFrame:
    low = frame["age"] // 20 * 20
    return frame.assign(age=low.astype(str) + "-" + (low + 19).astype(str))


def with_fewer_incomes(frame: pd.DataFrame, share: float = 0.3) -> pd.DataFrame:
    hit = np.random.default_rng(4).random(len(frame)) < share
    return frame.assign(income=frame["income"].where(~hit))


@dataclass(frozen=True)
class Case:
    """A protected file and what its verdict must be."""

    protected: pd.DataFrame
    useful: str
    safe: str
    codes: tuple[str, ...] = ()
    """Findings that must be there."""
    none_of: tuple[str, ...] = ()
    """Findings that must not."""
    original: pd.DataFrame = field(default_factory=lambda: ORIGINAL)
    keys: bool = True
    more: dict = field(default_factory=dict)
    """Tables of the schema."""

    def assessed(self, **choices) -> microgauge.Assessment:
        said = types_of(self.original, _present(self.original) if self.keys else {}) | self.more
        return microgauge.assess(
            self.original, self.protected, schema=said, **{"skip": HEAVY} | choices
        )


def _present(frame: pd.DataFrame) -> dict:
    return {name: said for name, said in KEYS.items() if name in frame}


O = ORIGINAL  # noqa: E741
LOST = ("variables-lost", "associations-gone")
CASES = {
    "identical": Case(O, "good", "poor", ("unchanged", "risk"), (*LOST, "removed", "told-apart")),
    "identical, no keys": Case(O, "good", "poor", ("unchanged",), ("risk",), keys=False),
    "all shuffled": Case(shuffled(O), "poor", "good", LOST, ("unchanged", "risk", "coarsened")),
    "one shuffled": Case(shuffled(O, "income"), "fair", "poor", LOST, ("unchanged", "removed")),
    "a resample": Case(
        O.sample(600, replace=True, random_state=1), "good", "poor", ("risk",), ("variables-lost",)
    ),
    "a sample": Case(O.sample(180, random_state=1), "good", "poor", ("risk",), ("removed",)),
    "three records": Case(O.sample(3, random_state=1), "poor", "good", ("few-records",)),
    "bands": Case(banded(O), "fair", "fair", ("coarsened", "variables-lost"), ("removed",)),
    "merged": Case(
        O.assign(region=O["region"].replace({"north": "a", "east": "a", "west": "south"})),
        "good", "poor", ("coarsened",), ("removed",),
    ),
    "rounded": Case(O.assign(income=O["income"].round(-1)), "good", "poor", (), LOST),
    "suppressed": Case(with_fewer_incomes(O), "fair", "poor", ("more-missing",), ("coarsened",)),
    "a few suppressed": Case(with_fewer_incomes(O, 0.02), "good", "poor", ("more-missing",), LOST),
    "one removed": Case(O.drop(columns="height"), "fair", "poor", ("removed",), LOST),
    "two left": Case(O[["region", "sex"]], "fair", "good", ("removed",)),
    "one left": Case(O[["region"]], "poor", "good", ("removed",)),
    "no key left": Case(O[["income", "score", "height"]], "fair", "unknown", ("removed",)),
    "noise": Case(perturb(O, 0.3), "poor", "fair", LOST, ("unchanged", "left-in")),
    "synthetic, not aligned": Case(make_survey(500, 9), "poor", "good", (), ("unchanged", "risk")),
    "little noise, no keys": Case(perturb(O, 0.1), "good", "unknown", (), ("risk",), keys=False),
    "tiny": Case(perturb(O.head(12), 0.2), "poor", "poor", ("few-records",), original=O.head(12)),
    "an address": Case(
        perturb(O, 0.1).assign(mail=[f"a{i}@b.org" for i in range(600)]), "good", "poor",
        ("left-in",),
    ),
    "one variable": Case(
        perturb(O, 0.1)[["income"]], "unknown", "unknown", (), LOST, original=O[["income"]],
        keys=False,
    ),
    "by gdu": Case(
        perturb(O, 0.3), "poor", "fair", ("near-shuffled",), more={"verdict": {"utility": "gdu"}}
    ),
    "by gdu, one removed": Case(
        O.drop(columns="height"), "fair", "poor", ("removed",), ("near-shuffled",),
        more={"verdict": {"utility": "gdu"}},
    ),
    "by classes": Case(perturb(O, 0.3), "poor", "poor", (), more={"risk": {"measure": "classes"}}),
    "by a measure that nothing stands beside": Case(
        perturb(O, 0.3), "unknown", "fair", more={"verdict": {"utility": "propensity"}}
    ),
}  # fmt: skip


@cache
def result_of(name: str) -> microgauge.Assessment:
    return CASES[name].assessed()


def verdict_on(name: str) -> Verdict:
    found = result_of(name).verdict
    assert found is not None
    return found


ALL = pytest.mark.parametrize("name", CASES)


@ALL
def test_grades_and_findings_are_those_of_the_construction(name):
    case, verdict = CASES[name], verdict_on(name)
    codes = {finding.code for finding in verdict.findings}
    assert (verdict.useful.grade, verdict.safe.grade) == (case.useful, case.safe)
    assert set(case.codes) <= codes
    assert not codes & set(case.none_of)


def _begins_with_a_name(said: str) -> bool:
    return re.findall(r"\w+", said)[0] in O


def sentences(verdict: Verdict) -> list[str]:
    told = [f"{finding.sentence} {finding.remedy}" for finding in verdict.findings]
    return [verdict.useful.sentence, verdict.safe.sentence, *told]


@ALL
def test_sentences_are_plain_whole_and_tell_no_value(name):
    labels = {"north", "east", "south", "west"}
    for said in sentences(verdict_on(name)):
        assert said[0].isupper() or said[0].isdigit() or said[0] == '"' or _begins_with_a_name(said)
        assert said.endswith(".")
        assert not JARGON.search(said), said
        assert not labels & set(re.findall(r"\w+", said)), said


@ALL
def test_findings_stand_in_order_and_lead_to_pages_that_exist(name):
    findings = verdict_on(name).findings
    ranks = [GRADES.index(finding.grade) for finding in findings]
    assert ranks == sorted(ranks)
    codes = [f.code for f in findings if f.code not in ("left-in", "unchanged", "limit-missed")]
    assert len(codes) == len(set(codes))  # one finding for each kind of thing
    for finding in findings:
        assert (DOCS / finding.see).exists(), finding.see


def _coarser(before, after, finding):
    return all(after[name].nunique() < before[name].nunique() for name in finding.about)


def _more_missing(before, after, finding):
    grown = after[list(finding.about)].isna().mean() - before[list(finding.about)].isna().mean()
    return bool((grown >= 0.01).all())


SO = {
    "removed": lambda before, after, found: set(found.about) == set(before) - set(after),
    "coarsened": _coarser,
    "more-missing": _more_missing,
    "unchanged": lambda before, after, found: after.equals(before),
    "left-in": lambda before, after, found: set(found.about) <= set(after) - set(before),
    "few-records": lambda before, after, found: (
        f"{min(len(before), len(after))} records" in found.sentence
        and min(len(before), len(after)) < 100
    ),
    "risk": lambda before, after, found: set(found.about) <= set(KEYS) & set(after),
    "special-uniques": lambda before, after, found: bool(
        (after.groupby(list({"region", "sex", "age"} & set(after))).size() == 1).any()
    ),
}
"""For kinds of findings: whether what they say is so, told from the frames alone."""


@ALL
def test_what_findings_say_is_so_in_the_data(name):
    """Held against the frames, not against the result."""
    case = CASES[name]
    for finding in verdict_on(name).findings:
        if finding.code in SO:
            assert SO[finding.code](case.original, case.protected, finding), finding


@ALL
def test_what_was_done_to_a_variable_is_found(name):
    """The other way round: nothing that was done passes without a word."""
    case = CASES[name]
    codes = {finding.code for finding in verdict_on(name).findings}
    assert ("removed" in codes) == bool(set(case.original) - set(case.protected))
    assert ("unchanged" in codes) == case.protected.equals(case.original)
    kept = [column for column in case.original if column in case.protected]
    more = case.protected[kept].isna().mean() - case.original[kept].isna().mean()
    assert ("more-missing" in codes) == bool((more >= 0.01).any())


@ALL
def test_the_two_figures_are_those_of_the_map(name):
    result, verdict = result_of(name), verdict_on(name)
    measured = {"tables": result.tables, "gdu": result.gdu}.get(verdict.useful.measure)
    if measured is not None and not any(v.removed for v in result.variables):
        assert verdict.utility == measured.value
    risk = {"disclosure": result.disclosure and result.disclosure.risk,
            "classes": result.risk and result.risk.total}  # fmt: skip
    assert verdict.risk == risk[verdict.safe.measure]
    assert verdict.useful.limit is None
    assert verdict.useful.value == verdict.utility


@ALL
def test_the_grade_of_use_is_that_of_the_tables_alone(name):
    """Made again from the JSON result, in other words than the package's."""
    plain = json.loads(json_text(result_of(name)))
    useful = plain["verdict"]["useful"]
    if useful["measure"] != "tables" or useful["value"] is None:
        pytest.skip("graded by something else")
    gone = {v["name"] for v in plain["variables"] if v["removed"]}
    left = [t for t in plain["tables"]["worst"] if not gone & set(t["variables"])]
    if not left:
        assert useful["grade"] == "poor"
        return

    def share(tables):
        score, low, high = (
            np.mean([t[x] for t in tables]) for x in ("score", "permuted", "resample")
        )
        if high - low < 0.01:
            return 1.0 if score >= high - 0.01 else 0.0
        return (score - low) / (high - low)

    names = {n for t in left for n in t["variables"]}
    every = [share([t for t in left if n in t["variables"]]) for n in names]
    whole = share(left)
    good = whole >= 0.9 and min(every) >= 0.5 and not gone
    rows = [plain["inputs"][which]["rows"] for which in ("original", "protected")]
    if rows[1] < rows[0] and np.mean([t["score"] for t in left]) < 0.5:
        assert useful["grade"] == "poor"
        return
    assert useful["grade"] == ("good" if good else "fair" if whole >= 0.5 else "poor")
    assert useful["kept"] is None or useful["kept"] == pytest.approx(whole)


@ALL
def test_the_same_sentences_stand_everywhere(name):
    result, verdict = result_of(name), verdict_on(name)
    text, notebook = " ".join(result.long_text().split()), result._repr_html_()
    assert text.startswith("Verdict useful ")  # before all else
    page = data_of(result.report())
    blocks = json.dumps(page, ensure_ascii=False)
    plain = json.loads(json_text(result))["verdict"]
    shown = [
        plain["useful"]["sentence"],
        plain["safe"]["sentence"],
        *(finding["sentence"] for finding in plain["findings"][:6]),
    ]
    for said in shown:
        assert said in text
        assert escape(said) in notebook.replace("\u00a0", " ")
        assert json.dumps(said, ensure_ascii=False)[1:-1] in blocks.replace("\u00a0", " ")
    assert len(plain["findings"]) == len(verdict.findings)


def test_more_findings_than_a_terminal_shows_are_counted():
    result = result_of("suppressed")
    assert result.verdict is not None
    first = result.verdict.findings[0]
    many = replace(result.verdict, findings=(first,) * 9)
    assert (
        "There are 3 findings more in the JSON result." in result.changed(verdict=many).long_text()
    )
    seven = replace(result.verdict, findings=(first,) * 7)
    assert (
        "There is one finding more in the JSON result." in result.changed(verdict=seven).long_text()
    )


def test_data_users_do_not_see_it():
    page = data_of(result_of("noise").report(edition="public"))
    assert "An intruder" not in json.dumps(page)


# -- limits --------------------------------------------------------------------------------------


NOISE = CASES["noise"]


@pytest.mark.parametrize(
    ("require", "useful", "safe", "limited"),
    [
        ("utility>=0.5", "good", "fair", "useful"),
        ("utility>=0.99", "poor", "fair", "useful"),
        ("tables>=0.5, gdu>=0.99", "poor", "fair", "useful"),
        ("risk<=0.5", "poor", "good", "safe"),
        ("risk<=0.01", "poor", "poor", "safe"),
        ("k>=1", "poor", "good", "safe"),
        ("k>=2, risk<=0.5", "poor", "poor", "safe"),
        ("auc_cross<=0.9, found<=0.5", "good", "good", "useful safe"),
    ],
)
def test_limits_decide_where_there_are_some(require, useful, safe, limited):
    verdict = NOISE.assessed(require=require).verdict
    assert (verdict.useful.grade, verdict.safe.grade) == (useful, safe)
    for which in ("useful", "safe"):
        opinion = getattr(verdict, which)
        assert ("No limit on" in opinion.sentence) == (which not in limited)
        assert (opinion.limit is None) == (which not in limited)


def test_a_missed_limit_is_named_with_what_it_is():
    verdict = NOISE.assessed(require="tables>=0.5, gdu>=0.99, utility>=0.4").verdict
    assert re.search(
        r"^Tables of two .* shuffled variables.*\. "
        r"It misses a limit that was set: gdu at least 0\.99 \(it is 0\.\d+\)\.$",
        verdict.useful.sentence,
    )
    assert (verdict.useful.measure, verdict.useful.limit) == ("gdu", 0.99)
    assert verdict.useful.value == result_of("noise").gdu.value


def test_a_limit_on_the_risk_is_one_on_its_measure():
    verdict = NOISE.assessed(require="risk<=0.5").verdict
    assert (verdict.safe.measure, verdict.safe.limit) == ("disclosure", 0.5)
    missed = NOISE.assessed(require="risk<=0.01").verdict
    assert [one.grade for one in missed.findings if one.code == "risk"] == ["warn"]


def test_a_generous_limit_that_is_kept_does_not_hide_whom_it_leaves_to_be_found():
    """The grade is of the limit; what the risk comes from is told as it is without one."""
    plain = NOISE.assessed().verdict
    verdict = NOISE.assessed(require="risk<=0.9").verdict
    assert (plain.safe.grade, verdict.safe.grade) == ("fair", "good")
    (without,) = [one for one in plain.findings if one.code == "risk"]
    (kept,) = [one for one in verdict.findings if one.code == "risk"]
    assert (without.grade, kept.grade) == ("warn", "note")
    assert kept.sentence == without.sentence


def test_limits_on_other_figures_do_not_hide_the_risk():
    said = NOISE.assessed(require="k>=1").verdict.safe.sentence
    assert said.startswith("An intruder who knows ")
    assert "with a chance of 0.063 on average. It keeps the limit" in said
    assert said.endswith("The risk itself has no limit.")


@pytest.mark.parametrize("require", [None, "risk<=0.01", "risk<=0.01, k>=5", "risk<=0.9"])
@pytest.mark.parametrize("name", ["noise", "identical"])
def test_a_limit_takes_no_explanation_away_and_nothing_is_said_twice(name, require):
    verdict = CASES[name].assessed(only=["verdict"], skip=(), require=require).verdict
    assert verdict.safe.sentence.count("An intruder who knows ") == 1
    assert verdict.safe.sentence.count("It must not be released") == (name == "identical")
    limit = re.findall(r"It (?:keeps|misses) [^:]*:", verdict.safe.sentence)
    assert len(limit) == (require is not None)


def test_a_stop_is_poor_whatever_the_limits():
    verdict = CASES["an address"].assessed(require="risk<=0.9").verdict
    assert verdict.safe.grade == "poor"
    assert verdict.safe.sentence.startswith("It must not be released as it is: ")
    assert ". It keeps the limit" in verdict.safe.sentence
    assert verdict.safe.sentence.count("It must not be released") == 1


def test_a_missed_balance_is_a_finding_of_neither_grade():
    verdict = NOISE.assessed(require="rut>=0.99", skip=("clusters", "ecdf", "loss")).verdict
    (finding,) = [one for one in verdict.findings if one.code == "limit-missed"]
    assert finding.sentence.startswith("It misses a limit that was set: rut at least 0.99")
    assert "No limit on utility was set" in verdict.useful.sentence


# -- what is asked for ---------------------------------------------------------------------------


def test_the_verdict_alone_brings_what_it_is_made_of():
    result = NOISE.assessed(only=["verdict"], skip=())
    assert list(result.sections) == ["left_in", "tables", "disclosure", "verdict"]
    assert result.verdict.useful == result_of("noise").verdict.useful
    without = CASES["little noise, no keys"].assessed(only=["verdict"], skip=())
    assert list(without.sections) == ["left_in", "tables", "verdict"]
    limited = NOISE.assessed(only=["verdict"], skip=(), require="k>=1, gdu>=0.1")
    assert {"gdu", "risk"} <= set(limited.sections)


def test_other_sections_alone_have_no_verdict():
    assert NOISE.assessed(only=["tables"], skip=()).verdict is None
    assert NOISE.assessed(skip=(*HEAVY, "verdict")).verdict is None


def test_what_was_not_measured_is_unknown_and_says_so():
    found = NOISE.assessed(skip=(*HEAVY, "tables", "gdu", "disclosure", "propensity")).verdict
    assert (found.useful.grade, found.safe.grade) == ("unknown", "unknown")
    assert found.safe.reason == "disclosure was not computed for it"
    assert "quasi-identifier" not in found.safe.sentence  # they are named
    assert (found.utility, found.risk) == (None, None)


def test_without_tables_gdu_is_judged():
    found = NOISE.assessed(skip=(*HEAVY, "tables")).verdict
    assert found.useful.measure == "gdu"
    assert found.utility == result_of("noise").gdu.value


def test_without_keys_it_says_how_to_name_them():
    found = verdict_on("little noise, no keys").safe
    assert "--keys age,sex" in found.sentence


def test_a_bound_is_called_one():
    bound = verdict_on("a resample").safe.sentence  # not aligned, no holdout
    assert "The true risk may be lower" in bound
    assert "may be lower" not in verdict_on("noise").safe.sentence  # aligned: people are found


@pytest.mark.parametrize(("before", "after"), [(1, 1), (600, 1), (1, 600)])
def test_nothing_is_said_of_one_record(before, after):
    case = replace(NOISE, original=O.head(before), protected=perturb(O, 0.1).head(after))
    found = case.assessed().verdict
    assert found.safe.grade == "unknown"
    # One record of 600 keeps too little, whichever it is.
    assert found.useful.grade == ("poor" if before > after else "unknown")
    opinion = found.safe
    assert "one record shows no pattern" in opinion.reason
    assert opinion.reason in opinion.sentence
    assert opinion.steps is None
    assert not {"variables-lost", "tables-changed"} & codes_of(found)
    assert after > 1 or "special-uniques" not in codes_of(found)


def codes_of(found: Verdict) -> set[str]:
    return {one.code for one in found.findings}


def test_one_record_that_names_people_is_still_stopped():
    case = replace(NOISE, original=O.head(1), protected=O.head(1).assign(mail="a@b.org"))
    result = case.assessed()
    stop = LeftIn(
        column=None, why="", share=None, code="unchanged", grade="stop", sentence="", remedy=""
    )
    found = verdict_of(result.changed(left_in=(stop,)), Measures("tables")).safe
    assert found.grade == "poor"
    assert found.stop == "It must not be released as it is: nothing was changed."


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("region", "quasi_identifier", "The key region has no value in the original: "),
        ("health", "sensitive", "health is sensitive and has no value in the original: "),
    ],
)
def test_a_key_or_target_without_values_is_told(name, code, said):
    empty = {name: None}
    case = replace(NOISE, original=O.assign(**empty), protected=perturb(O, 0.1).assign(**empty))
    result = case.assessed()
    found = [one for one in result.verdict.findings if one.code == "without-values"]
    assert [(one.grade, one.about) for one in found] == [("warn", (name,))]
    assert found[0].sentence.startswith(said)
    assert said[:40] in " ".join(str(result).split())
    assert not [note for note in result.remarks if note.code == "keys-not-compared"]
    assert "without-values" not in codes_of(verdict_on("noise"))


def test_where_only_one_variable_has_values_that_is_the_reason():
    others = {name: None for name in O.columns if name != "age"}
    case = replace(NOISE, original=O.assign(**others), protected=O.assign(**others), keys=False)
    result = case.assessed()
    reason = f"of {len(O.columns)} variables only one has values in the original"
    assert reason in result.verdict.useful.sentence
    assert reason in result.gdu.reason
    assert "with one variable there are no pairs" not in " ".join(result.long_text().split())
    assert "distributions of 1 variable\n" in result.long_text()
    alone = result_of("one variable")
    assert "there is one variable, and a table takes two" in alone.verdict.useful.sentence
    assert "with one variable there are no pairs" in alone.gdu.reason


@pytest.mark.parametrize(
    ("age", "told"),
    [
        (O["age"], "Give age in coarser steps, or cut off its ends."),
        (O["age"] // 5 * 5, "Give age in still coarser steps, or cut off its ends."),
        (O["age"].clip(upper=70), "Give age in coarser steps, or cut off more of its ends."),
    ],
)
def test_no_remedy_is_what_was_done_already(age, told):
    schema = types_of(O, {"age": KEY | {"type": "continuous"}})
    result = microgauge.assess(O, O.assign(age=age), schema=schema, only=["tables"])
    assert coarser(result, "age") == told
    assert coarser(result, "sex") == "Swap or suppress sex in some of such records."
    assert coarser(result, "region") == "Join the rare groups of region first."


def test_two_values_are_not_to_be_joined():
    few = O.assign(old=(O["age"] > 40).astype(str), rich=(O["income"] > 0).astype(str))
    schema = {"variable": {"old": KEY, "rich": KEY, "health": {"role": "sensitive"}}}
    result = microgauge.assess(few, few.sample(frac=1, random_state=2), schema=schema, skip=HEAVY)
    for part in ("found", "learned"):
        worst = Worst(part=part, variable="rich" if part == "learned" else None)
        found = replace(result.disclosure, risk=0.5, worst=worst)
        verdict = verdict_of(result.changed(disclosure=found), Measures("tables"))
        remedy = next(one.remedy for one in verdict.findings if one.code == "risk")
        assert "oarsen" not in remedy


def test_the_title_and_the_utility_are_chosen_in_the_schema():
    case = replace(NOISE, more={"verdict": {"title": "Survey 2026", "utility": "gdu"}})
    result = case.assessed()
    assert str(result).startswith("Verdict: Survey 2026\n")
    assert result.verdict.useful.measure == "gdu"
    assert result.to_dict()["verdict"]["title"] == "Survey 2026"


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"verdict": {"utility": "gdo"}}, r"\[verdict\] utility is \"gdo\"; it must be one of"),
        ({"verdict": {"utility": "gdu"}, "rank": {"utility": "U"}}, "give one"),
        ({"verdict": {"title": 3}}, r"\[verdict\] title must be a text"),
        ({"verdict": {"utility": 3}}, r"\[verdict\] utility must be the name"),
    ],
)
def test_wrong_choices_are_told(more, fault):
    with pytest.raises(InputError, match=fault):
        replace(NOISE, more=more).assessed()


def test_it_is_a_pure_function_of_the_result():
    result = result_of("noise")
    again = verdict_of(result, Measures("tables"))
    assert again == result.verdict
    assert verdict_of(result, Measures("gdu")).useful.measure == "gdu"


def test_it_does_not_depend_on_the_order_of_rows_and_columns():
    order = np.random.default_rng(8).permutation(len(O))
    columns = list(reversed(O.columns))
    turned = replace(
        NOISE,
        original=O.iloc[order][columns].reset_index(drop=True),
        protected=NOISE.protected.iloc[order][columns].reset_index(drop=True),
    ).assessed(only=["verdict"], skip=())
    straight = NOISE.assessed(only=["verdict"], skip=())
    assert turned.verdict.useful == straight.verdict.useful
    assert turned.verdict.safe.grade == straight.verdict.safe.grade
    codes = [[f.code for f in r.verdict.findings] for r in (turned, straight)]
    assert codes[0] == codes[1]


def test_the_three_figures_of_use_are_those_of_the_tables_compared():
    for name in ("noise", "one removed", "by gdu", "by gdu, one removed"):
        said = verdict_on(name).useful.sentence
        assert ("the removed variable counts as nothing" in said) == ("removed" in name)
        if "removed" in name:
            assert f"On the map its utility is {verdict_on(name).utility:.3f}: there" in said
        assert ("with all variables, a fresh" in said) == (name == "by gdu, one removed")


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(number=[f"n{i}" for i in range(len(frame))])


def told_unchanged(protected: pd.DataFrame):
    found = Case(protected, "", "").assessed(only=["verdict"], skip=()).verdict.findings
    return [one for one in found if one.code == "unchanged-records"]


def test_a_sample_of_unchanged_records_is_told():
    (found,) = told_unchanged(O.sample(180, random_state=1))
    assert found.grade == "warn"
    assert set(found.about) == set(O)
    number = int(re.match(r"(\d+) people of the original", found.sentence)[1])
    assert 0.95 * 180 <= number <= 180
    assert "this file of 180 records" in found.sentence
    for other in (make_survey(500, 9), perturb(O, 0.3), O, shuffled(O).head(200)):
        assert not told_unchanged(other)


def test_a_joined_sample_of_unchanged_records_is_told():
    whole = numbered(O)
    said = types_of(whole, KEYS | {"number": {"role": "id"}})

    def told(protected):
        result = microgauge.assess(
            whole, protected, schema=said, key="number", only=["verdict", "loss"]
        )
        return [one for one in result.verdict.findings if one.code == "unchanged-records"]

    (found,) = told(whole.head(180))
    assert found.grade == "warn"
    assert found.sentence.startswith("All 180 records of this file are unchanged records")
    few = whole.head(180).copy()
    few.loc[:4, "age"] += 1
    (found,) = told(few)
    assert found.sentence.startswith("175 of 180 records of this file are unchanged records")
    few.loc[:20, "age"] += 1
    assert not told(few)


# -- the steps of the grades ---------------------------------------------------------------------


def with_tables(score: float, permuted: float, resample: float) -> microgauge.Assessment:
    """An assessment all of whose tables have the same scores."""
    result = result_of("little noise, no keys")
    same = {"score": score, "moved": 1 - score, "permuted": permuted, "resample": resample}
    worst = tuple(replace(table, **same) for table in result.tables.worst)
    return result.changed(tables=replace(result.tables, worst=worst, value=score))


@pytest.mark.parametrize(
    ("score", "permuted", "resample", "grade"),
    [
        (0.90, 0.0, 1.0, "good"),
        (0.8999, 0.0, 1.0, "fair"),
        (0.5, 0.0, 1.0, "fair"),
        (0.4999, 0.0, 1.0, "poor"),
        (0.895, 0.9, 0.904, "good"),
        (0.893, 0.9, 0.904, "poor"),
        (0.7, 0.9, 0.8, "poor"),
        (0.8, 0.9, 0.8, "good"),
    ],
)
def test_steps_of_use(score, permuted, resample, grade):
    useful = verdict_of(with_tables(score, permuted, resample), Measures("tables")).useful
    assert useful.grade == grade


def test_words_of_use_hold_for_any_scores():
    rng = np.random.default_rng(5)
    for _ in range(300):
        permuted, resample = np.round(rng.uniform(0.5, 1.0, 2), 2)
        score = float(np.round(rng.choice([rng.uniform(0.4, 1.0), permuted, resample]), 2))
        useful = verdict_of(with_tables(score, permuted, resample), Measures("tables")).useful
        said = useful.sentence
        shown = [float(number) for number in re.findall(r"in ([\d.]+) %", said)]
        assert shown == [pytest.approx(100 * x) for x in (score, resample, permuted)]
        if resample - permuted < 0.01 - 1e-9:
            assert "less than one percentage point above shuffled" in said
            assert ("within one percentage point of a fresh" in said) == (
                abs(score - resample) <= 0.01 + 1e-9
            )
            assert ("That is less than a fresh sample has" in said) == (
                score < resample - 0.01 - 1e-9
            )
            continue
        assert ("That is all of the way" in said) == (score >= resample)
        assert ("no further than shuffled variables" in said) == (score <= permuted)
        way = re.search(r"That is (under )?(\d+) % of the way from", said)
        kept = (score - permuted) / (resample - permuted)
        assert (way is not None) == (0 < kept < 1)
        if way is not None and not way[1]:
            assert int(way[2]) / 100 <= kept + 1e-9 < int(way[2]) / 100 + 0.01
            assert (int(way[2]) >= 90) == (kept >= 0.9 - 1e-9)


@pytest.mark.parametrize(
    ("risk", "grade"),
    [
        (0.0, "good"),
        (0.00001, "good"),
        (0.05, "good"),
        (0.05001, "fair"),
        (0.2, "fair"),
        (0.200001, "poor"),
        (1.0, "poor"),
    ],
)
@pytest.mark.parametrize("part", ["found", "learned", "found_copied", "excess"])
def test_steps_of_safety(risk, grade, part):
    """And no figure is rounded into another grade."""
    result = result_of("noise")
    worst = Worst(part=part, variable="health" if part in ("learned", "excess") else None)
    bound = part in ("learned", "found_copied")
    found = replace(result.disclosure, risk=risk, worst=worst, upper_bound=bound)
    verdict = verdict_of(result.changed(disclosure=found), Measures("tables"))
    safe = verdict.safe
    assert safe.grade == grade
    assert ("may be lower" in safe.sentence) == (bound and risk > 0)
    assert ("nothing beyond chance" in safe.sentence) == (risk == 0)
    assert any(one.code == "risk" for one in verdict.findings) == (risk > 0.05)
    shown = re.search(r"(?:chance of|learns) (?:under )?([\d.]+\d)", safe.sentence)
    assert (shown is None) == (risk == 0)
    if shown is not None:
        number = float(shown[1])
        assert ("good" if number <= 0.05 else "fair" if number <= 0.2 else "poor") == grade


def test_rank_holds_the_limits_of_the_ranking():
    said = types_of(O, KEYS)
    ranking = microgauge.rank(
        O, [NOISE.protected], schema=said, require="risk<=0.01", only=["verdict"], utility="gdu"
    )
    verdict = ranking.candidates[0].assessment.verdict
    assert (verdict.safe.grade, verdict.safe.limit) == ("poor", 0.01)
    assert verdict.useful.measure == "gdu"
    assert verdict.utility == ranking.candidates[0].utility
    assert verdict.risk == ranking.candidates[0].risk


def test_a_variable_left_alone_is_not_blamed_for_one_that_was_destroyed():
    """Tables of both are poor; only one of them was protected too hard."""
    verdict = Case(O.assign(income=O["income"] * 1000), "poor", "poor").assessed().verdict
    (found,) = [one for one in verdict.findings if one.code == "variables-lost"]
    assert found.about == ("income",)
    assert "income" in found.sentence
    both = Case(O.assign(income=O["income"] * 1000, height=-O["height"]), "poor", "poor").assessed()
    (found,) = [one for one in both.verdict.findings if one.code == "variables-lost"]
    assert set(found.about) == {"income", "height"}


def test_a_sample_is_held_against_samples_of_its_size_and_says_so():
    assert "a fresh sample of 180 records of the original" in verdict_on("a sample").useful.sentence
    said = verdict_on("three records").useful.sentence
    assert said.startswith("It holds 3 records of 600, and its tables agree")


def test_constant_variables_do_not_hide_that_relations_are_gone():
    """Their tables are the same however the file is shuffled."""
    steady = dict.fromkeys("abcdef", 1)
    rng = np.random.default_rng(1)
    pair = pd.DataFrame({"x": rng.normal(size=600)})
    pair["y"] = pair["x"] + rng.normal(size=600) / 2
    plain, padded = (
        microgauge.assess(o, shuffled(o), only=["verdict"]).verdict.useful
        for o in (pair, pair.assign(**steady))
    )
    assert plain.grade == padded.grade == "poor"
    assert plain.kept == padded.kept
    assert padded.sentence.startswith("Tables of two variables that vary agree")
    changed = pair.assign(**steady)
    spoilt = microgauge.assess(changed, changed.assign(a=rng.permutation(600)), only=["verdict"])
    assert spoilt.verdict.useful.grade != "good"


def decision_on(name: str) -> dict:
    """What a report's first part is drawn from."""
    return data_of(result_of(name).report())["decision"]


@pytest.mark.parametrize("name", ["noise", "all shuffled", "a resample"])
def test_zones_of_the_map_give_the_grades(name):
    verdict, zones = verdict_on(name), decision_on(name)["map"]["zones"]
    assert zones["said"] == {"good": "both good", "fair": "both fair or better"}
    within = [
        grade
        for grade in ("good", "fair")
        if verdict.risk <= zones[grade][0] and verdict.utility >= zones[grade][1] - 1e-9
    ]
    order = ["good", "fair", "poor"]
    worse = max(verdict.useful.grade, verdict.safe.grade, key=order.index)
    assert (within or ["poor"])[0] == worse


def test_zones_are_drawn_only_where_they_give_the_grade():
    removed = decision_on("one removed")["map"]["zones"]  # a removed variable caps the grade
    assert removed["said"]["good"] == "safety good"
    assert (removed["good"], removed["fair"]) == ([0.05, 0.0], [0.2, 0.0])
    stopped = decision_on("identical")["map"]["zones"]  # what stops it is not the risk
    assert stopped["said"]["good"] == "use good"
    assert stopped["good"][0] == stopped["fair"][0] == 1.0
    assert decision_on("one variable")["map"]["zones"] is None


@pytest.mark.parametrize("name", ["noise", "all shuffled", "a resample", "identical"])
def test_a_bar_is_as_long_as_the_number_beside_it(name):
    decision, kept = decision_on(name), verdict_on(name).useful.kept
    bar = decision["useful"]["bar"]
    ends = {"all of the way": "100", "no further than shuffled variables": "0"}
    shown = next((n for said, n in ends.items() if bar["said"].startswith(said)), None)
    shown = shown or re.match(r"(\d+) % of the way", bar["said"])[1]
    assert abs(float(shown) / 100 - bar["value"]) < 0.01
    assert (kept >= 1) == ("all of the way" in bar["said"])
    assert bar["said"] in verdict_on(name).useful.sentence
    assert decision["safe"]["bar"]["value"] == decision["safe"]["value"]
