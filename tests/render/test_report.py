"""The report as a file: one that loads nothing, runs nothing of the data, and tells no secrets.

What it does when it is opened is in test_report_browser.py; both take their reports from support.
"""

import base64
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
from html import unescape
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.demo import ORIGINAL, PROTECTED
from microgauge.render.report.page import _close
from support.reports import (
    BREAKING,
    GROUPS,
    HOSTILE,
    INHERITED,
    JOBS,
    LARGEST,
    QUICK,
    data_of,
    data_text,
    demo_ranking,
    demo_result,
    five_hundred_variables,
    hostile_result,
    hundred_variables,
    indicator_names,
    keys_in,
    leaves,
    many_variables,
    own_text,
    register,
    register_ranking,
    register_result,
    regressions_of,
    scripts_of,
    section_of,
    shuffled,
    small,
    variable_of,
)

MEGABYTES = 1_000_000


def small_report(**choices):
    frame = small()
    said = {"variable": {n: {"role": "quasi_identifier"} for n in ("region", "sex")}}
    result = microgauge.assess(frame, shuffled(frame, "sex"), schema=said, skip=QUICK, details=True)
    return result.report(**choices)


def test_the_verdict_says_what_an_intruder_gets():
    result = demo_result()
    said = data_of(result.report())["verdict"]
    assert any(f"What an intruder gets: {result.disclosure.risk:.3f}" in one for one in said)
    assert "intruder" not in " ".join(data_of(result.report(edition="public"))["verdict"])


def test_hashes_for_the_office_none_for_data_users():
    result = demo_result()
    hashes = [one.sha256 for one in result.manifest.inputs]
    assert len(hashes) == 2
    shown = dict(row[:2] for row in data_of(result.report())["compared"])
    for role, sha256 in zip(("original", "protected"), hashes, strict=True):
        assert shown[f"SHA-256, {role}"].replace(" ", "") == sha256
    public = own_text(result.report(edition="public")).replace(" ", "")
    assert not any(sha256 in public for sha256 in hashes)


def test_no_best_balance_where_nothing_may_be_released():
    frame = small()
    said = {"variable": {n: {"role": "quasi_identifier"} for n in ("region", "sex")}}
    ranking = microgauge.rank(frame, [frame], names=["same"], schema=said, only=["rut"])
    verdict = data_of(ranking.report())["verdict"]
    assert ranking.recommended.name is None
    assert "No candidate that may be released has a balance" in verdict[1]


# -- one file that loads nothing -------------------------------------------------------------

PAGES = {
    "assess": lambda: demo_result().report(),
    "assess public": lambda: demo_result().report(edition="public"),
    "rank": lambda: demo_ranking().report(),
    "rank public": lambda: demo_ranking().report(edition="public"),
}


@pytest.fixture(params=PAGES)
def page(request):
    return PAGES[request.param]()


class TestSelfContained:
    def test_the_data_is_json_without_nan(self, page):
        data = data_of(page)
        assert data["kind"] in ("assess", "rank")
        for name, value in leaves(data):
            assert value is None or isinstance(value, str | bool | int | float), name
            assert not isinstance(value, float) or np.isfinite(value), name

    def test_the_policy_lets_in_these_two_scripts_and_nothing_else(self, page):
        (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)">', page)
        rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy).split(";"))
        assert rules["default-src"] == "'none'"
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'"
            for s in scripts_of(page)
        ]
        assert len(hashes) == 2
        # Vega compiles its expressions, hence eval; no inline script beside ours, no source at all.
        assert sorted(rules["script-src"].split()) == sorted([*hashes, "'unsafe-eval'"])
        assert rules["img-src"] == "data:"
        assert rules["base-uri"] == rules["form-action"] == "'none'"
        assert not {"connect-src", "font-src", "frame-src", "object-src"} & set(rules)

    def test_every_script_is_one_of_the_three(self, page):
        # One that runs, what draws, which it unpacks, and one with data.
        assert len(re.findall(r"<script", own_text(page))) == 3
        assert page.index("Content-Security-Policy") < page.index("<script")

    def test_nothing_is_loaded_from_elsewhere(self, page):
        text = own_text(page)
        assert re.findall(r"<(?:link|iframe|img|object|embed|base|form)\b", text) == []
        assert re.findall(r"\bsrc\s*=", text) == []
        assert set(re.findall(r"""\bhref\s*=\s*["']?(.)""", text)) == {"#"}
        assert (
            re.findall(r"\burl\((?!#)|@import|\bfetch\(|XMLHttpRequest|WebSocket|import\(", text)
            == []
        )
        # A namespace is a name, not an address.
        assert set(re.findall(r"https?://[^\s\"'`]+", text)) <= {"http://www.w3.org/2000/svg"}

    def test_no_cookie_and_no_store(self, page):
        _, ours = scripts_of(page)
        assert re.findall(r"cookie|localStorage|sessionStorage|indexedDB|innerHTML", ours) == []

    def test_the_data_cannot_end_its_element(self, page):
        assert not set(data_text(page)) & set("<>&\u2028\u2029")


def test_two_runs_give_the_same_bytes():
    assert small_report() == small_report()
    assert small_report(edition="public") == small_report(edition="public")


def test_another_process_gives_the_same_bytes(tmp_path, monkeypatch):
    frame = small()
    frame.to_csv(tmp_path / "o.csv", index=False)
    shuffled(frame, "sex").to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "s.toml").write_text(
        '[variable.region]\nrole = "quasi_identifier"\n[variable.sex]\nrole = "quasi_identifier"\n'
        '[[regression]]\nformula = "income ~ region + sex"\n'
    )
    monkeypatch.chdir(tmp_path)
    order = ["assess", "o.csv", "p.csv", "--schema", "s.toml", "--skip", ",".join(QUICK)]
    assert main([*order, "--report", "here.html"]) == 0
    for seed in ("1", "2"):
        if seed != os.environ.get("PYTHONHASHSEED"):
            break
    subprocess.run(
        [sys.executable, "-m", "microgauge", *order, "--report", "there.html"],
        check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True,
    )  # fmt: skip
    here, there = Path("here.html").read_bytes(), Path("there.html").read_bytes()
    assert here == there
    assert len(data_text(here.decode())) > 3000


def test_a_report_without_details_has_its_figures():
    frame = small()
    result = microgauge.assess(frame, frame, only=["gdu"])
    data = data_of(result.report())
    assert [v["name"] for v in data["variables"]] == list(frame)
    assert all(v["detail"] is None for v in data["variables"])
    assert data["pairs"]["tables"] == {}


# -- the command -----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    frame = small()
    frame.to_csv(tmp_path / "original.csv", index=False)
    shuffled(frame, "sex").to_csv(tmp_path / "protected.csv", index=False)
    (tmp_path / "s.toml").write_text(
        "".join(f'[variable.{n}]\nrole = "quasi_identifier"\n' for n in ("region", "sex", "age"))
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*arguments, verb="assess"):
    given = [verb, "original.csv", "protected.csv", "--schema", "s.toml"]
    return main([*given, "--skip", ",".join(QUICK), *arguments])


def no_work(*_, **__):
    raise AssertionError("the work was begun")


@pytest.mark.usefixtures("folder")
class TestCommand:
    @pytest.mark.parametrize("verb", ["assess", "rank"])
    def test_writes_a_report(self, verb, capsys):
        assert command("--report", "r.html", verb=verb) == 0
        page = Path("r.html").read_text(encoding="utf-8")
        assert data_of(page)["kind"] == verb
        assert data_of(page)["edition"] == "internal"
        assert capsys.readouterr().out

    @pytest.mark.parametrize("verb", ["assess", "rank"])
    def test_editions_and_the_least_count(self, verb):
        order = ["--report", "r.html", "--edition", "public", "--min-count", "37"]
        assert command(*order, verb=verb) == 0
        data = data_of(Path("r.html").read_text(encoding="utf-8"))
        assert data["edition"] == "public"
        assert any("fewer than 37 records" in told for told in data["left_out"])

    @pytest.mark.parametrize("verb", ["assess", "rank"])
    @pytest.mark.parametrize("place", ["no/where.html", "."])
    def test_a_place_that_is_none_is_refused_before_the_work(
        self, verb, place, monkeypatch, capsys
    ):
        monkeypatch.setattr("microgauge.commands.assess.assess", no_work)
        monkeypatch.setattr("microgauge.commands.rank.rank", no_work)
        before = sorted(Path().iterdir())
        assert command("--report", place, verb=verb) == 2
        assert sorted(Path().iterdir()) == before
        assert "folder" in capsys.readouterr().err

    def test_an_edition_that_is_none(self):
        with pytest.raises(SystemExit) as stopped:
            command("--report", "r.html", "--edition", "Public")
        assert stopped.value.code == 2
        assert not Path("r.html").exists()

    @pytest.mark.parametrize("count", ["0", "-3"])
    @pytest.mark.parametrize("verb", ["assess", "rank"])
    def test_a_least_count_that_protects_nobody_is_refused(self, verb, count, capsys):
        order = ["--report", "r.html", "--edition", "public", "--min-count", count]
        try:
            code = command(*order, verb=verb)
        except SystemExit as stopped:
            code = stopped.code
        assert code == 2
        assert not Path("r.html").exists()
        assert capsys.readouterr().err

    def test_what_cannot_be_written_leaves_the_old_one(self, monkeypatch, capsys):
        Path("r.html").write_text("the old one")
        before = sorted(Path().iterdir())

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        assert command("--report", "r.html") == 2
        assert "No space left" in capsys.readouterr().err
        assert Path("r.html").read_text() == "the old one"
        assert sorted(Path().iterdir()) == before

    def test_a_refusal_at_the_end_leaves_no_report(self, capsys):
        Path("s.toml").write_text("")  # no quasi-identifier, hence no risky records
        before = sorted(Path().iterdir())
        assert command("--report", "r.html", "--risky", "k.csv") == 2
        assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("edition", ["Public", "PUBLIC", "", "intern"])
def test_a_misspelt_edition_is_never_the_internal_one(edition):
    """Who asks for "Public" must not be handed the risks."""
    with pytest.raises((InputError, ValueError)):
        small_report(edition=edition)


@pytest.mark.parametrize("count", [0, -1])
def test_a_least_count_below_one(count):
    with pytest.raises((InputError, ValueError)):
        small_report(edition="public", min_count=count)


# -- names of every kind ---------------------------------------------------------------------


class TestNames:
    def test_names_and_labels_arrive_as_they_are(self):
        names = HOSTILE + BREAKING + INHERITED
        data = data_of(hostile_result(names).report())
        assert [v["name"] for v in data["variables"]] == list(names)
        told = {label for v in data["variables"] for label in v["detail"].get("labels", ())}
        assert told >= {name.strip() for name in names}  # cells are read without blanks around

    def test_no_name_is_markup_anywhere(self):
        text = own_text(hostile_result().report())
        for name in HOSTILE:
            if set(name) & set("<>&"):
                assert name not in text
        assert text.count("<script") == text.count("</script>") == 3
        assert "<!--" not in text

    def test_the_title_of_the_page_is_not_a_place_for_data(self):
        page = hostile_result().report()
        assert page.count("TITLE") == data_text(page).count("TITLE") > 0


FORMULAS = ("=1+1", "+SUM(A1)", "-2+3", "@SUM(A1)", "\tcmd", "\rcmd", "=cmd|' /C calc'!A0")


class TestSpreadsheets:
    """A cell that begins with = + - @, tab or return is run by spreadsheets, quoted or not."""

    @pytest.fixture
    def written(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        rng = np.random.default_rng(1)
        frame = pd.DataFrame(
            {name: rng.choice(["=a", "+b", "@c"], 150) for name in FORMULAS}
            | {"empty": [None] * 150, "=one": ["x"] * 150}
        )
        frame.to_parquet("o.parquet")
        shuffled(frame, *FORMULAS[:2]).to_parquet("p.parquet")
        keys = "".join(
            f'[variable.{json.dumps(n)}]\nrole = "quasi_identifier"\n' for n in FORMULAS[:3]
        )
        Path("s.toml").write_text(keys)
        tables = ["o.parquet", "p.parquet", "--schema", "s.toml", "--skip", ",".join(QUICK)]
        assert main(["assess", *tables, "--pairs", "pairs.csv", "--risky", "risky.csv"]) == 0
        found = {}
        for name in ("pairs.csv", "risky.csv"):
            with Path(name).open(encoding="utf-8", newline="") as file:
                found[name] = list(csv.reader(file))
        return found

    @pytest.mark.parametrize("name", ["pairs.csv", "risky.csv"])
    def test_no_cell_is_a_formula(self, written, name):
        def number(cell):
            return re.fullmatch(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", cell) is not None

        cells = [cell for row in written[name] for cell in row]
        assert [c for c in cells if c[:1] in set("=+-@\t\r") and not number(c)] == []

    def test_the_names_can_still_be_read(self, written):
        header, *rows = written["pairs.csv"]
        shown = {row[header.index(side)] for row in rows for side in "ab"}
        for name in FORMULAS:
            assert any(name.strip() in cell for cell in shown), name


# -- sizes -----------------------------------------------------------------------------------


def report_data(before, after, **choices):
    page = microgauge.assess(before, after, details=True, **choices).report()
    assert len(page.encode()) < 5 * MEGABYTES
    return data_of(page)


class TestSizes:
    def test_one_variable(self):
        frame = small()[["age"]]
        data = report_data(frame, frame, only=["gdu"])
        assert len(data["variables"]) == 1
        assert data["pairs"]["names"] == []

    def test_a_hundred_variables(self):
        page = hundred_variables().report()
        data = data_of(page)
        assert len(page.encode()) < 5 * MEGABYTES
        assert len(data["variables"]) == 100
        assert len(data["pairs"]["matrix"]) == 4950
        tables, left_out = data["pairs"]["tables"], data["pairs"]["tables_left_out"]
        tested = [p for p in data["pairs"]["matrix"] if p[2] is not None]
        assert len(tables) + left_out == len(tested)
        # Pairs that lost most have a table: no other one lost more than any of these.
        held = [u for i, j, u in tested if f"{i},{j}" in tables]
        rest = [u for i, j, u in tested if f"{i},{j}" not in tables]
        assert rest
        assert max(held) <= min(rest)

    def test_five_hundred_variables(self):
        page = five_hundred_variables().report()
        data = data_of(page)
        assert len(data["variables"]) == 500
        assert len(page.encode()) < 3 * MEGABYTES
        # Beyond so many pairs the report holds those that are drawn or listed.
        pairs = data["pairs"]
        held = {(i, j) for i, j, _ in pairs["matrix"]}
        assert len(held) == len(pairs["matrix"]) == len(pairs["stories"])
        assert len(held) + pairs["untold"] == 500 * 499 // 2
        drawn = sorted(pairs["order"][:40])
        assert held >= set(combinations(drawn, 2))
        assert len(pairs["weakest"]) == 200
        assert held >= {(i, j) for i, j, *_ in pairs["weakest"]}

    def test_a_thousand_rows_of_fifty_variables(self):
        before, after = many_variables(50, 1000)
        data = report_data(before, after, only=["gdu", "loss"])
        assert len(data["variables"]) == 50
        assert len(data["pairs"]["tables"]) == 1225

    def test_ten_thousand_categories(self):
        rng = np.random.default_rng(1)
        codes = np.concatenate([np.arange(10_000), rng.integers(0, 30, 3000)])
        frame = pd.DataFrame({"code": [f"c{i}" for i in codes], "y": rng.normal(size=len(codes))})
        data = report_data(frame, frame, only=["gdu"])
        detail = variable_of(data, "code")["detail"]
        most = frame["code"].value_counts()
        *top, others = detail["labels"]
        assert len(top) == 20
        assert others == "(others)"
        assert detail["others"] == most.size - 20
        assert min(most[label] for label in top) >= most.iloc[19]
        for side in ("before", "after"):
            assert sum(detail[side]) == pytest.approx(1, abs=0.01)
            assert detail[side][0] == pytest.approx(most[top[0]] / len(frame), rel=1e-3)
            assert detail[side][-1] == pytest.approx(most.iloc[20:].sum() / len(frame), rel=1e-3)
        assert len(data["pairs"]["axes"]["code"]["labels"]) <= 11

    def test_columns_without_values(self):
        before = small().assign(empty=None, constant=7.5, word="same", gone=1, lost=2.5)
        after = before.drop(columns="gone").assign(lost=None)
        before["empty"] = before["empty"].astype(float)
        data = report_data(before, after, skip=QUICK)
        details = {v["name"]: v["detail"] for v in data["variables"]}
        assert details["gone"] == {"reason": "removed"}
        assert details["lost"]["reason"]
        assert details["empty"]["reason"]
        assert sum(details["constant"]["before"]) == pytest.approx(1)
        assert details["word"]["labels"] == ["same"]
        assert variable_of(data, "gone")["story"] == "removed"
        for edition in ("internal", "public"):
            result = microgauge.assess(before, after, skip=QUICK, details=True)
            assert data_of(result.report(edition=edition))["variables"]

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    @pytest.mark.parametrize("edition", ["internal", "public"])
    @pytest.mark.parametrize(
        ("low", "high"),
        [
            (0, 1e300), (-1.7e308, 1.7e308), (0, 5e-322), (0, 1e-300), (1e9, 1e9 + 1e-6),
            (1e16, 1e16 + 20),
        ],
    )  # fmt: skip
    def test_numbers_of_every_size(self, low, high, edition):
        u = np.random.default_rng(1).uniform(size=150)
        frame = pd.DataFrame({"x": low * (1 - u) + high * u})
        said = {"variable": {"x": {"type": "continuous"}}}
        result = microgauge.assess(frame, frame, schema=said, only=["gdu"], details=True)
        (variable,) = data_of(result.report(edition=edition))["variables"]
        detail = variable["detail"] or {}
        edges = detail.get("edges") or detail.get("inner") or []
        assert (np.diff(edges) > 0).all()
        if edges:
            assert sum(detail["before"]) == pytest.approx(1, abs=0.01)

    @pytest.mark.parametrize("section", ["gdu", "loss", "ecdf"])
    @pytest.mark.parametrize("edition", ["internal", "public"])
    def test_one_section(self, section, edition):
        frame = small()
        result = microgauge.assess(frame, frame, only=[section], details=True)
        data = data_of(result.report(edition=edition))
        assert [v["name"] for v in data["variables"]] == list(frame)
        assert all(v["detail"] for v in data["variables"])
        assert bool(data["figures"]) == (section == "gdu")
        assert bool(section_of(data, "loss")) == (section == "loss" and edition == "internal")
        if section != "gdu":
            assert data["pairs"]["names"] == []
            assert all(v["utility"] is None for v in data["variables"])


# -- what the pictures say -------------------------------------------------------------------


class TestPictures:
    """The figures that are drawn, against the tables they come from."""

    @pytest.fixture
    def data(self):
        return data_of(demo_result().report())

    @pytest.fixture
    def tables(self):
        return pd.read_csv(ORIGINAL), pd.read_csv(PROTECTED)

    def test_shares_are_weighted(self, data, tables):
        detail = variable_of(data, "MAR")["detail"]
        for side, table in zip(("before", "after"), tables, strict=True):
            sums = table.groupby("MAR")["PWGTP"].sum() / table["PWGTP"].sum()
            for label, share in zip(detail["labels"], detail[side], strict=True):
                assert share == pytest.approx(sums[label], rel=1e-3)

    def test_bins_hold_all_units(self, data, tables):
        detail = variable_of(data, "PINCP")["detail"]
        edges = np.array(detail["edges"])
        bins = len(edges) - 1
        assert 15 <= bins <= 40
        assert (np.diff(edges) > 0).all()
        for side, table in zip(("before", "after"), tables, strict=True):
            place = np.clip(np.searchsorted(edges, table["PINCP"], side="right") - 1, 0, bins - 1)
            shares = np.bincount(place, table["PWGTP"], bins) / table["PWGTP"].sum()
            assert detail[side] == pytest.approx(shares.tolist(), abs=2e-4)

    def test_tables_of_pairs(self, data, tables):
        pairs = data["pairs"]
        i, j = pairs["names"].index("SEX"), pairs["names"].index("MAR")
        axes = [pairs["axes"][name]["labels"] for name in ("SEX", "MAR")]
        for shown, table in zip(pairs["tables"][f"{i},{j}"], tables, strict=True):
            share = table.pivot_table("PWGTP", "SEX", "MAR", "sum") / table["PWGTP"].sum()
            wanted = share.loc[axes[0], axes[1]].to_numpy() * 10_000
            assert np.abs(np.array(shown) - wanted).max() <= 1

    def test_the_original_is_shown_in_the_terms_of_the_protected(self, data):
        detail = variable_of(data, "AGEP")["detail"]
        assert "20-29" in detail["labels"]
        assert detail["before"] == pytest.approx(detail["after"])
        assert detail["recoded"] is True  # so that no picture calls it the original
        assert variable_of(data, "MAR")["detail"]["recoded"] is False

    def test_every_figure_shown_is_explained(self, data):
        for figure in data["figures"]:
            words = data["explain"][figure["key"]]
            assert {"question", "range", "direction", "reference"} <= set(words)
            assert all(words.values())

    @pytest.mark.parametrize(
        ("require", "undecided"), [(None, True), ("risk<=0.9", False), ("risk<=0", False)]
    )
    def test_without_a_limit_on_risk_nothing_is_decided_yet(self, require, undecided):
        original = small(60)
        result = microgauge.rank(
            original, [shuffled(original, "sex"), shuffled(original, "age")],
            schema={"variable": {"age": {"role": "quasi_identifier"}}}, only=["verdict"],
            require=require,
        )  # fmt: skip
        choice = data_of(result.report())["choice"]
        assert choice["undecided"] is undecided
        assert (choice["name"] is None) == (require != "risk<=0.9")

    def test_what_must_not_be_released_is_not_undecided(self):
        original = small(60)
        result = microgauge.rank(
            original, [original.copy()],
            schema={"variable": {"age": {"role": "quasi_identifier"}}}, only=["verdict"],
        )  # fmt: skip
        assert not data_of(result.report())["choice"]["undecided"]
        assert "Release none: the only candidate must not be released" in str(result)

    @pytest.mark.parametrize(("utility", "same"), [("tables", False), ("U", True)])
    def test_both_balances_of_a_ranking_say_what_they_are_made_of(self, utility, same):
        original = small(80)
        result = microgauge.rank(
            original, [shuffled(original, "sex"), shuffled(original, "age")],
            schema={
                "variable": {"age": {"role": "quasi_identifier"}}, "rank": {"utility": utility},
            },
            only=["verdict", "rut"],
        )  # fmt: skip
        own, other = data_of(result.report())["balances"]
        assert own.startswith("RUT is 0.5 · U + 0.5 · (1 − R): U is how little each variable")
        assert ("is the same figure" in other) == same
        assert ("in place of U" in other) == (not same)
        # Nothing is called by the other's name.
        long = " ".join(result.long_text().split())
        assert own in long
        assert "The best balance on the map" in long
        assert "balances" not in data_of(result.report(edition="public"))

    @pytest.mark.parametrize("yardsticks", [False, True])
    def test_references_of_utility_say_that_they_have_what_was_removed(self, yardsticks):
        original = small(200)
        headings = [
            block["heading"]
            for gone in ([], ["sex"], ["sex", "age"])
            for section in data_of(
                microgauge.assess(
                    original, shuffled(original, "income").drop(columns=gone),
                    only=["gdu", *(["yardsticks"] if yardsticks else [])],
                ).report()
            )["sections"]
            for block in section["blocks"]
            if block["block"] == "ruler"
        ]  # fmt: skip
        assert [h.startswith("Global data utility: ") for h in headings] == [True, False, False]
        assert "the removed variable counted as lost in this file only" in headings[1]
        assert "the 2 removed variables counted as lost in this file only" in headings[2]

    def test_a_variable_lost_something_only_where_that_was_found(self):
        original = small(400)
        chance = original.sample(frac=1, replace=True, random_state=1).reset_index(drop=True)
        chance.loc[:200, "sex"] = "female"
        chance.loc[:2, "age"] = None
        internal, public = (
            data_of(microgauge.assess(original, chance, only=["gdu"], details=True).report(edition))
            for edition in ("internal", "public")
        )
        assert any(v["utility"] < 0.9995 and v["p_value"] >= 0.05 for v in internal["variables"])
        for data in (internal, public):
            assert {v["name"] for v in data["variables"] if v["lost"]} == {"sex"}
        assert {v["name"] for v in internal["variables"] if v["more_missing"]} == {"age"}
        assert not any("more_missing" in v for v in public["variables"])

    def test_a_ranking_holds_the_report_of_every_candidate(self):
        data = data_of(demo_ranking().report())
        assert data["candidates"] == ["light", "bands", "joined", "coarse", "strong"]
        assert len(data["reports"]) == len(data["table"]["rows"]) == 5
        first = demo_ranking().candidates[0].assessment
        assert data["reports"][0]["figures"][0]["value"] == first.gdu.value
        (name, *values) = data["table"]["rows"][0]
        assert dict(zip(data["table"]["heads"], values, strict=True))["risk"] == first.risk.total
        assert name == "light"

    def test_coefficients_over_the_candidates(self):
        ranking = demo_ranking()
        data = data_of(ranking.report())
        terms = data["regressions"][1]["terms"]
        wanted = ranking.candidates[0].assessment.regressions[1].coefficients
        assert [t["name"] for t in terms] == [c.term for c in wanted]
        rows = terms[0]["rows"]
        assert rows[0][:2] == ["original", wanted[0].original]
        expected = {
            c.name: c.assessment.risk.expected_reidentifications for c in ranking.candidates
        }
        order = [expected[name] for name, *_ in rows[1:]]
        assert order == sorted(order, reverse=True)


# -- the edition for data users --------------------------------------------------------------


def in_released_terms(before):
    """The register as a user of the release would code it; numbers are compared as they were."""
    return before.assign(
        job=[GROUPS[JOBS.index(name) % 3] for name in before["job"]],
        age=[f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in before["age"]],
    )


SEEDS = (0, 1, 2)
COUNTS = (3, 10, 25)


def step(before, count):
    """What shares are rounded to, at most: the register's weights differ by much."""
    return 2.5 * 1.5 * count / len(before)


def forbidden_labels(before, after, count):
    """Labels with fewer than so many records on either side, whichever way they are coded."""
    released = in_released_terms(before)
    found = set()
    for name in ("town", "job", "age", "health"):
        coded = [frame[name].astype(str).value_counts() for frame in (released, after)]
        for label in set(before[name].astype(str)) | set(coded[0].index) | set(coded[1].index):
            if min(counts.get(label, 0) for counts in coded) < count:
                found.add(label)
    return {label for label in found if not label.isdecimal()}  # a bare age may be any figure


def forms(value):
    """A number as it may be printed."""
    size = abs(value)
    shapes = ("{}", "{:.2f}", "{:.1f}", "{:.0f}", "{:.6g}", "{:.5g}", "{:.4g}", "{:.3e}", "{:.2e}")
    made = {shape.format(size) for shape in shapes} | {str(round(size)), str(int(size))}
    short = float(f"{size:.3g}")
    made |= {f"{size:,.2f}", f"{size:,.0f}", f"{int(size):,}", f"{short:,.0f}", f"{short:.0f}"}
    return made


def edges_of(frame, name):
    return set().union(*(forms(value) for value in (frame[name].min(), frame[name].max())))


HIDDEN_KEYS = {
    "risk", "rut", "loss", "notes", "recoding", "tables", "axes", "map", "levels",
    "sweep", "recommended", "frontier", "boxes", "density", "edges", "suda",
}  # fmt: skip
HIDDEN_WORDS = re.compile(
    r"risk|identif|unique|disclos|anonym|\brut\b|merged|inferred"
    r"|suppress|removed|more cells|/tmp|\.csv|\.parquet",
    re.IGNORECASE,
)


def told(data):
    """The data of a public report without what it says of itself, and without constant words."""
    if isinstance(data, dict):
        return {k: told(v) for k, v in data.items() if k not in ("left_out", "explain")}
    return [told(v) for v in data] if isinstance(data, list) else data


def reports_in(data):
    return data["reports"] if data["kind"] == "rank" else [data]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("seed", SEEDS)
class TestPublic:
    """Over the whole file, against the tables: what no reader may find in it."""

    def test_labels_of_few(self, seed, count):
        before, after = register(seed)
        text = own_text(register_result(seed).report(edition="public", min_count=count))
        hidden = forbidden_labels(before, after, count)
        assert {"Gonewick", "Jobword3", "Rareham0", "Rareham1"} <= hidden
        assert "Eastmere" in hidden or count == 3
        assert sorted(label for label in hidden if label in text) == []
        internal = own_text(register_result(seed).report())
        assert {"Gonewick", "Jobword3", "Rareham0"} <= {x for x in hidden if x in internal}

    def test_labels_of_enough_are_told(self, seed, count):
        data = data_of(register_result(seed).report(edition="public", min_count=count))
        assert {"Aldbrook", "Brindle", "Carrow"} <= set(
            variable_of(data, "town")["detail"]["labels"]
        )
        assert variable_of(data, "job")["detail"]["labels"]

    def test_shown_categories_hold_enough_on_both_sides(self, seed, count):
        before, after = register(seed)
        sides = in_released_terms(before), after
        data = data_of(register_result(seed).report(edition="public", min_count=count))
        for name in ("town", "job", "age", "health"):
            detail = variable_of(data, name)["detail"]
            *labels, last = detail["labels"]
            labels += [last] if last != "(others)" else []
            for frame in sides:
                counts = frame[name].value_counts()
                assert min(counts[label] for label in labels) >= count
                rest = counts.drop(labels).sum()
                assert (rest >= count) if last == "(others)" else (rest == 0)
            for side in ("before", "after"):
                assert sum(detail[side]) == pytest.approx(1, abs=step(before, count) * len(labels))

    def test_shown_bins_hold_enough_on_both_sides(self, seed, count):
        """As a reader must take them: by the edges that are printed."""
        before, after = register(seed)
        sides = in_released_terms(before), after
        data = data_of(register_result(seed).report(edition="public", min_count=count))
        for name in ("income", "wage", "hours"):
            detail = variable_of(data, name)["detail"]
            for frame in sides:
                place = np.searchsorted(detail["inner"], frame[name].dropna(), side="right")
                held = np.bincount(place, minlength=len(detail["inner"]) + 1)
                if frame is after:  # above a top code there is nobody, which tells of nobody
                    held = held[held > 0]
                assert held.min() >= count, (name, held.tolist())

    def test_bins_hold_the_share_that_is_shown(self, seed, count):
        before, after = register(seed)
        weights = before["w"] if seed % 2 else before["w"] * 0 + 1
        data = data_of(register_result(seed).report(edition="public", min_count=count))
        for name in ("income", "wage", "hours"):
            detail = variable_of(data, name)["detail"]
            for side, frame in zip(
                ("before", "after"), (in_released_terms(before), after), strict=True
            ):
                known = frame[name].notna()
                place = np.searchsorted(detail["inner"], frame.loc[known, name], side="right")
                shares = np.bincount(place, weights[known], len(detail["inner"]) + 1)
                shares /= weights[known].sum()
                # Rounded; a bin that holds enough is never said to be empty.
                known = detail[side], step(before, count) / 2 + 0.003 * bool(seed % 2)
                assert known[0] == pytest.approx(shares.tolist(), abs=known[1] * 1.2), name

    def test_no_smallest_and_no_largest_number(self, seed, count):
        before, _ = register(seed)
        result = register_result(seed)
        data = json.dumps(told(data_of(result.report(edition="public", min_count=count))))
        for name in ("income", "wage"):
            for form in edges_of(before, name):
                if len(re.sub(r"\D", "", form)) > 2:
                    assert re.search(rf"(?<![\d.]){re.escape(form)}(?!\d)", data) is None, form
        numbers = [v for _, v in leaves(json.loads(data)) if isinstance(v, float)]
        for name in ("income", "wage", "w"):
            for end in (before[name].min(), before[name].max()):
                assert not any(np.isclose(v, end, rtol=1e-4) for v in numbers)

    def test_no_risk_no_recoding_no_notes(self, seed, count):
        for result in (register_result(seed), register_ranking(seed)):
            data = told(data_of(result.report(edition="public", min_count=count)))
            assert not HIDDEN_KEYS & set(keys_in(data))
            assert {value for name, value in leaves(data) if name == "reason"} <= {None}
            shown = {s["name"] for report in reports_in(data) for s in report["sections"]}
            assert shown <= {"whole", "indicators", "regressions", "yardsticks"}
            words = [v for _, v in leaves(data) if isinstance(v, str)]
            assert [w for w in words if HIDDEN_WORDS.search(w)] == []
            # The same search finds all that in the internal edition.
            internal = data_of(result.report())
            assert {"recoding", "tables", "notes"} <= set(keys_in(internal))
            shown = {s["name"] for report in reports_in(internal) for s in report["sections"]}
            assert {"risk", "rut", "loss"} <= shown
            assert any(HIDDEN_WORDS.search(v) for _, v in leaves(internal) if isinstance(v, str))

    def test_no_figure_of_risk_or_loss(self, seed, count):
        result = register_result(seed)
        data = told(data_of(result.report(edition="public", min_count=count)))
        numbers = {v for _, v in leaves(data) if isinstance(v, float)}
        risk, rut, loss = result.risk, result.rut, result.loss
        hidden = [risk.total, risk.internal, rut.value, rut.utility, rut.loss, loss.il1s, loss.gcp]
        hidden += [
            risk.expected_reidentifications,
            risk.individual.sum,
            *risk.suda.contributions.values(),
        ]
        for value in hidden:
            if value is not None and value % 1:  # a whole number may be any other figure
                assert not any(np.isclose(v, value, rtol=1e-4, atol=0) for v in numbers), value
        internal = {v for _, v in leaves(data_of(result.report())) if isinstance(v, float)}
        assert risk.total in internal

    def test_missing_cells_of_the_release_only_and_no_small_number(self, seed, count):
        data = data_of(register_result(seed).report(edition="public", min_count=count))
        missing = {v["name"]: v["missing"] for v in data["variables"]}
        assert missing["town"] == ["0"]
        assert missing["hours"] == (["3"] if count <= 3 else [f"fewer than {count}"])
        assert missing["wage"] == (["16"] if count <= 16 else [f"fewer than {count}"])

    def test_indicators_of_small_groups(self, seed, count):
        before, after = register(seed)
        data = data_of(register_result(seed).report(edition="public", min_count=count))
        names = indicator_names(data)
        for label in forbidden_labels(before, after, count):
            assert [name for name in names if label in name] == []
        assert "Income, town Brindle" in names
        assert "median of hours, health good" in names
        assert "share of town: Brindle" in names
        internal = indicator_names(data_of(register_result(seed).report()))
        assert "Income, town Rareham0" in internal

    def test_terms_of_rare_categories(self, seed, count):
        before, after = register(seed)
        data = data_of(register_result(seed).report(edition="public", min_count=count))
        terms = [t["name"] for r in regressions_of(data) for t in r["terms"]]
        hidden = forbidden_labels(before, after, count)
        assert [t for t in terms if any(f"[T.{label}]" in t for label in hidden)] == []
        assert "town[T.Brindle]" in terms
        assert "wage" in terms or count == 25  # one wage is worth more than a 25th of all
        internal = regressions_of(data_of(register_result(seed).report()))[0]["terms"]
        assert "town[T.Rareham3]" in [t["name"] for t in internal]

    def test_it_says_what_it_leaves_out(self, seed, count):
        for result in (register_result(seed), register_ranking(seed)):
            data = data_of(result.report(edition="public", min_count=count))
            said = "\n".join(data["left_out"])
            for what in ("risk", "recoding", "suppressed", "smallest and largest", "pairs"):
                assert what in said
            assert f"fewer than {count} records" in said

    def test_a_ranking(self, seed, count):
        page = register_ranking(seed).report(edition="public", min_count=count)
        text, data = own_text(page), data_of(page)
        rare = {f"Rareham{i}" for i, n in enumerate((1, 2, 4, 6, 8, 11, 19, 24)) if n < count}
        assert [label for label in rare if label in text] == []
        # The second candidate leaves towns alone; but what is hidden in one is hidden in both.
        first, second = (
            {v["name"]: (v["detail"] or {}).get("labels") for v in r["variables"]}
            for r in data["reports"]
        )
        assert "Gonewick" not in text
        assert first["town"] == second["town"]
        assert data["candidates"] == ["candidate 1", "candidate 2"]
        assert data["experts"]["heads"] == ["GDU", "variables", "pairs", "U_p ratio"]
        assert data["mosaics"] == data["regressions"] == []


class TestPublicCorners:
    """What is small by another way than by being a rare category."""

    @staticmethod
    def both(rows=300, seed=8):
        frame = small(rows, seed)
        return frame, shuffled(frame, "sex", seed=seed)

    @staticmethod
    def public(before, after, count=10, **said):
        result = microgauge.assess(
            before, after, schema=said, only=["gdu", "indicators", "regressions"], details=True
        )
        page = result.report(edition="public", min_count=count)
        return data_of(page), own_text(page)

    def test_edges_are_where_the_bins_end(self):
        """Numbers of a narrow range: rounded to two digits, all lie on one side of the edge."""
        rng = np.random.default_rng(1)
        frame = pd.DataFrame({"x": rng.uniform(1001, 1099, 60), "y": rng.normal(size=60)})
        data, _ = self.public(frame, frame, count=25)
        detail = variable_of(data, "x")["detail"]
        if detail is not None:
            place = np.searchsorted(detail["inner"], frame["x"], side="right")
            assert np.bincount(place, minlength=len(detail["inner"]) + 1).min() >= 25

    def test_a_weighted_share_counts_records_not_weights(self):
        before, after = self.both()
        before["kind"] = after["kind"] = ["Rarewort"] * 3 + ["usual"] * 200 + ["other"] * 97
        before["w"] = after["w"] = [9.0] * 3 + [1.0] * 297
        data, text = self.public(
            before, after, options={"weight": "w"},
            indicator=[{"statistic": "share", "variable": "kind"}],
        )  # fmt: skip
        assert "share of kind: usual" in indicator_names(data)
        assert "Rarewort" not in text

    def test_a_share_whose_rest_is_few(self):
        """297 of 300 say no: the share of no is the number of those who say yes."""
        before, after = self.both()
        before["flag"] = after["flag"] = ["yes"] * 3 + ["no"] * 297
        shares = [{"statistic": "share", "variable": "flag", "category": "no", "name": "Flag"}]
        data, _ = self.public(before, after, indicator=shares)
        assert variable_of(data, "flag")["detail"] is None
        assert indicator_names(data) == []

    @pytest.mark.parametrize("quantile", [0.0, 0.999, 1.0])
    def test_a_quantile_that_is_the_smallest_or_largest_number(self, quantile):
        before, after = self.both()
        before.loc[0, "income"] = LARGEST
        before.loc[1, "income"] = -LARGEST
        said = {"statistic": "quantile", "variable": "income", "quantile": quantile}
        median = {"statistic": "median", "variable": "income", "resamples": 20}
        data, text = self.public(before, after, indicator=[said | {"resamples": 20}, median])
        assert indicator_names(data) == ["median of income"]
        for form in forms(LARGEST):
            assert form not in text

    def test_a_label_that_is_common_in_another_variable(self):
        before, after = self.both()
        before["kind"] = after["kind"] = ["north"] * 3 + ["usual"] * 200 + ["a"] * 97
        data, _ = self.public(before, after, regression=[{"formula": "income ~ kind + region"}])
        (found,) = regressions_of(data)
        terms = [t["name"] for t in found["terms"]]
        assert "kind[T.usual]" in terms
        assert "region[T.north]" in terms
        assert "kind[T.north]" not in terms

    def test_a_label_with_brackets(self):
        before, after = self.both()
        before["kind"] = after["kind"] = ["north]Rarewort"] * 3 + ["usual"] * 200 + ["a"] * 97
        data, text = self.public(before, after, regression=[{"formula": "income ~ kind + region"}])
        assert "kind[T.usual]" in [t["name"] for t in regressions_of(data)[0]["terms"]]
        assert "Rarewort" not in text

    def test_an_interaction_of_common_categories_that_few_have(self):
        before, after = self.both()
        a = np.array(["p", "q"])[np.arange(300) % 2]
        b = np.where((np.arange(300) % 2 == 1) & (np.arange(300) > 5), "s", "r")
        b[::4] = "s"
        for frame in (before, after):
            frame["a"], frame["b"] = a, b
        held = ((a == "q") & (b == "r")).sum()
        assert held < 10
        data, _ = self.public(before, after, regression=[{"formula": "income ~ a*b + age"}])
        terms = [t["name"] for t in regressions_of(data)[0]["terms"]]
        assert "age" in terms
        assert [t for t in terms if ":" in t] == []

    def test_a_regression_of_few_units(self):
        before, after = self.both()
        before["age"] = after["age"] = [95] * 6 + [40 + i % 30 for i in range(294)]
        few = {"formula": "income ~ sex", "where": "age > 90"}
        data, _ = self.public(before, after, regression=[few, {"formula": "income ~ sex"}])
        shown = {r["title"]: r["terms"] for r in regressions_of(data)}
        assert shown["income ~ sex"]
        assert not any(terms for title, terms in shown.items() if "where" in title)

    def test_a_condition_that_names_a_rare_category(self):
        before, after = self.both()
        before["kind"] = after["kind"] = ["Rarewort"] * 3 + ["usual"] * 200 + ["a"] * 97
        said = {"formula": "income ~ sex", "where": "kind != 'Rarewort'"}
        data, text = self.public(before, after, regression=[said])
        assert "Rarewort" not in text
        assert all(t["name"] for r in regressions_of(data) for t in r["terms"])

    def test_a_mean_of_overlaps_is_over_the_terms_that_are_shown(self):
        """Or nothing is said of it: what rare categories add to it is not told by halves."""
        before, after = self.both()
        before["kind"] = ["Rarewort"] * 3 + ["usual"] * 200 + ["a"] * 97
        after["kind"] = ["a"] * 3 + ["usual"] * 190 + ["Rarewort"] * 4 + ["a"] * 103
        data, _ = self.public(before, after, regression=[{"formula": "income ~ kind + age"}])
        (found,) = regressions_of(data)
        assert "kind[T.Rarewort]" not in [t["name"] for t in found["terms"]]
        overlaps = [t["overlap"] for t in found["terms"]]
        assert found["said"].startswith(
            f"Mean overlap {np.mean(overlaps):.2f} of {len(overlaps)} coefficients; "
        )
        assert found["others"] == []  # nothing of all terms at once

    def test_two_categories_one_of_them_rare(self):
        """The rare one is what is left: neither is shown."""
        before, after = self.both()
        before["flag"] = after["flag"] = ["Rarewort"] * 9 + ["common"] * 291
        data, text = self.public(before, after)
        assert variable_of(data, "flag")["detail"] is None
        assert "Rarewort" not in text
        data, _ = self.public(before, after, count=9)
        assert variable_of(data, "flag")["detail"]["labels"] == ["common", "Rarewort"]

    def test_fewer_records_than_the_least_count(self):
        frame = small(9)
        data, _ = self.public(frame, frame)
        assert all(v["detail"] is None for v in data["variables"])
        words = json.dumps(told(data))
        for label in ("north", "south", "east", "female"):
            assert not re.search(rf"\b{label}\b", words)


def test_a_page_holds_no_more_than_it_draws():
    """Pictures are made for the width of a page there, and not stored for every width."""
    page = demo_result().report()
    blocks = [block for section in data_of(page)["sections"] for block in section["blocks"]]
    rulers = [block for block in blocks if block["block"] == "ruler"]
    assert [sorted(ruler) for ruler in rulers] == [["block", "heading", "points", "title"]] * 2
    assert all(len(json.dumps(ruler)) < 500 for ruler in rulers)
    values = [value for _, value in rulers[0]["points"]]
    assert values == sorted(values)
    assert "this file" in [name for name, _ in rulers[0]["points"]]
    assert "Which version to release" not in page  # what only rankings say
    assert "Which version to release" in demo_ranking().report()


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("const a = (b, c) => b === c && !d;", "const a=(b,c)=>b===c&&!d;"),
        ('say("a, b => c", d);', 'say("a, b => c",d);'),
        ('say("a \\" , b", c);', 'say("a \\" , b",c);'),
        ("const a = `b , ${c} = d`;", "const a = `b , ${c} = d`;"),
        ("text.replace(/a , b/g, c);", "text.replace(/a , b/g, c);"),
        ("a - -b;", "a - -b;"),
        ("margin: 0 auto; width: calc(1px + 2px);", "margin: 0 auto; width: calc(1px + 2px);"),
    ],
)
def test_scripts_without_blanks_say_the_same(line, short):
    assert _close(line) == short
