"""A first verdict, what is left out unless it is asked for, and progress where someone looks."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge.cli import main
from microgauge.commands import estimate
from microgauge.errors import InputError
from microgauge.log import Line, Output, Shown
from microgauge.results.plain import json_text
from microgauge.sections.disclosure import section as disclosure_section

KEYS = {"keys": ["age", "region"], "sensitive": ["income"]}
SKIP = ("propensity", "loss", "rut")


def people(rows=600, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 90, rows).astype(float)
    return pl.DataFrame(
        {
            "age": age,
            "region": rng.choice(list("abcdefgh"), rows),
            "income": np.where(age + rng.normal(0, 10, rows) > 50, "high", "low"),
            "job": rng.choice(["x", "y", "z"], rows),
        }
    )


@pytest.fixture(scope="module")
def files():
    original = people()
    noise = np.random.default_rng(2).normal(0, 2, original.height)
    return original, original.with_columns(pl.col("age") + noise)


class Watched(Shown):
    """Somebody who looks."""

    def __init__(self):
        self.kept, self.told, self.warned = [], [], []

    def __call__(self, what, share):
        self.told.append(what)

    def keep(self, text):
        self.kept.append(text)

    def warn(self, text):
        self.warned.append(text)

    def clear(self):
        pass


def test_what_takes_long_is_left_out_unless_it_is_asked_for(files):
    usual = microgauge.assess(*files, **KEYS)
    assert usual.clusters is usual.ecdf is usual.loss.eigenvalues_robust is None
    assert usual.propensity.boosted is None
    left = next(note for note in usual.remarks if note.code == "left-out")
    assert left.about == ("clusters", "ecdf", "boosted scores", "robust eigenvalues")
    assert not {"clusters", "ecdf"} & usual.to_dict().keys()
    named = microgauge.assess(*files, schema={"clusters": {}, "ecdf": {}}, skip=SKIP, **KEYS)
    assert named.clusters is not None
    assert named.ecdf is not None
    assert not [note for note in named.remarks if note.code == "left-out"]
    assert microgauge.assess(*files, only=["ecdf"]).ecdf == named.ecdf
    refused = microgauge.assess(*files, skip=[*SKIP, "clusters", "ecdf"])
    assert not [note for note in refused.remarks if note.code == "left-out"]


def test_full_is_everything(files, monkeypatch):
    monkeypatch.setattr("microgauge.measures.joint.boost.TREES", 3)
    schema = {"propensity": {"permutations": 2}, "options": {"aligned": True}}
    small = [frame.head(120) for frame in files]
    found = microgauge.assess(*small, schema=schema, full=True, **KEYS)
    assert found.clusters is not None
    assert found.ecdf is not None
    assert 0.4 < found.propensity.boosted.auc_cross <= 1
    assert "by boosted trees" in " ".join(found.long_text().split())
    assert not [note for note in found.remarks if note.code == "left-out"]
    alone = microgauge.propensity(*small, schema=schema, model="boost", permutations=2)
    beside = found.propensity.boosted
    assert (beside.value, beside.auc_cross) == (alone.value, alone.auc_cross)


def test_quick_has_the_verdict_and_says_that_it_is_a_first_one(files):
    quick = microgauge.assess(*files, quick=True, **KEYS)
    whole = microgauge.assess(*files, only=["verdict"], **KEYS)
    assert set(quick.sections) == {"left_in", "tables", "disclosure", "verdict"}
    # Few combinations of keys: nothing is drawn, and both grades are final.
    assert quick.disclosure == whole.disclosure
    assert quick.verdict.useful == whole.verdict.useful
    assert quick.verdict.safe == whole.verdict.safe
    assert whole.verdict.provisional is None
    said = json.loads(json_text(quick))["verdict"]["provisional"]
    assert said["looked_for"] is None
    assert said["not_measured"] == ["gdu", "propensity", "loss", "risk", "rut"]
    assert said["sentence"].startswith("Provisional.")


def test_the_first_verdict_says_why_it_is_one_and_what_stops_the_file(files):
    original, _ = files
    quick = microgauge.assess(original, original, quick=True, **KEYS)
    same = " ".join(quick.headline_text().split())
    assert "safe Poor: risk " in same
    assert "It must not be released as it is: nothing was changed." in same
    assert "Provisional. Findings of other sections are not in it: gdu, " in same
    named = original.with_columns(mail=pl.format("a{}@b.org", pl.int_range(pl.len())))
    left = microgauge.assess(original, named, quick=True, **KEYS).headline_text()
    assert "what may name people is still in it (mail)" in " ".join(left.split())
    nothing_later = microgauge.assess(*files, quick=True, skip=ALL_BUT_THE_VERDICT, **KEYS)
    assert nothing_later.verdict.provisional is None


ALL_BUT_THE_VERDICT = ["gdu", "propensity", "loss", "risk", "rut"]


@pytest.mark.parametrize("aligned", [True, False])
def test_a_quick_reading_draws_people_and_says_how_many(files, monkeypatch, aligned):
    monkeypatch.setattr(disclosure_section, "QUICKLY", 100)
    schema = {"options": {"aligned": aligned}}
    quick = microgauge.assess(*files, schema=schema, quick=True, **KEYS)
    again = microgauge.assess(*files, schema=schema, quick=True, **KEYS)
    whole = microgauge.assess(*files, schema=schema, only=["disclosure"], **KEYS)
    assert quick == again
    few = quick.disclosure.looked_for
    assert (few.drawn, few.of) == (100, 600)
    assert whole.disclosure.looked_for is None
    exact = [(t.target, t.exact) for t in whole.disclosure.learned]
    assert [(t.target, t.exact) for t in quick.disclosure.learned] == exact
    assert quick.disclosure.found.exact == whole.disclosure.found.exact
    low, high = quick.disclosure.risk_ci
    assert low <= whole.disclosure.risk <= high
    assert high - low > whole.disclosure.risk_ci[1] - whole.disclosure.risk_ci[0]
    assert "looked for only for 100" in quick.verdict.provisional.sentence


def test_drawn_people_stand_for_all_of_them(files, monkeypatch):
    """Over seeds, the mean of the estimates is the figure of all people."""
    monkeypatch.setattr(disclosure_section, "QUICKLY", 150)
    found = []
    for seed in range(12):
        schema = {"options": {"seed": seed, "aligned": True}, "tables": {}}
        result = microgauge.assess(*files, schema=schema, quick=True, skip=["tables"], **KEYS)
        found.append(result.disclosure.found.nearest)
    whole = microgauge.assess(*files, schema=schema, only=["disclosure"], **KEYS)
    spread = np.std(found, ddof=1) / np.sqrt(len(found))
    assert np.std(found) > 0
    assert abs(np.mean(found) - whole.disclosure.found.nearest) < 4 * spread


def test_looking_changes_no_figure(files, monkeypatch):
    monkeypatch.setattr(disclosure_section, "QUICKLY", 100)
    watched = Watched()
    seen = microgauge.assess(*files, skip=SKIP, progress=watched, **KEYS)
    unseen = microgauge.assess(*files, skip=SKIP, progress=lambda what, share: None, **KEYS)
    assert seen == unseen
    assert seen.verdict.provisional is None
    assert watched.kept[0].startswith("A first verdict, while the rest is measured\n  useful")
    assert "Of 600 people whose keys agree with no record" in " ".join(watched.kept[0].split())
    assert watched.told


def test_a_grade_that_turns_out_otherwise_is_told(files, monkeypatch):
    watched = Watched()
    first = microgauge.assess(*files, quick=True, **KEYS)
    safe = replace(first.verdict.safe, grade="unknown")
    other = first.changed(verdict=replace(first.verdict, safe=safe))
    monkeypatch.setattr("microgauge.commands.assess.Measuring.first", lambda self: other)
    microgauge.assess(*files, skip=SKIP, progress=watched, **KEYS)
    assert len(watched.kept) == 2
    assert watched.kept[1].startswith("All measured, the first verdict is revised: safe was unkn")


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"quick": True, "full": True}, "exclude each other"),
        ({"quick": True, "only": ["gdu"]}, "leave only out"),
        ({"quick": True, "skip": ["verdict"]}, "do not skip it"),
        ({"full": True, "only": ["gdu"]}, "goes with no full"),
    ],
)
def test_contradictions_are_told(files, choices, said):
    with pytest.raises(InputError, match=said):
        microgauge.assess(*files, **choices)


def test_a_terminal_sees_the_first_verdict_and_stdout_the_last(
    files, tmp_path, capsys, monkeypatch
):
    paths = [str(tmp_path / name) for name in ("original.csv", "protected.csv")]
    for frame, path in zip(files, paths, strict=True):
        frame.write_csv(path)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    skip = ["--skip", ",".join(SKIP)]
    assert main(["assess", *paths, "--keys", "age,region", *skip]) == 0
    told = capsys.readouterr()
    assert told.err.count("A first verdict") == 1
    assert "first verdict" not in told.out
    assert told.out.startswith("Verdict\n")
    assert '  next     set limits of your own: --require "utility>=0.9, risk<=0.05"' in told.out
    assert main(["assess", *paths, "--quick", "--json", str(tmp_path / "q.json")]) == 0
    out = capsys.readouterr().out
    assert "  next     measure everything: the same without --quick\n" in out
    assert "say by what a person could be recognised, perhaps --keys\n" in out
    assert out.endswith(" age,region,job\n")
    assert f"  written  {tmp_path / 'q.json'}"[:60] in out


def test_a_bar_is_drawn_below_a_cell_of_a_notebook():
    shown = []

    class Handle:
        def update(self, content, raw):
            assert raw
            shown.append(content["text/plain"])

    with Output(lambda content, raw, display_id: Handle()) as progress:
        progress("reading", 0.5)
        progress("reading", 0.6)  # too soon after the other
        progress.keep("A first verdict")
    assert shown == ["██████████··········  50% reading …", "A first verdict\n", "A first verdict"]


def test_nobody_looks_where_stderr_is_no_terminal(capsys):
    with Line() as progress:
        progress("reading", 0.5)
        progress.keep("said")
    assert not progress.shows
    assert capsys.readouterr().err == ""


def test_a_run_that_takes_minutes_is_announced_and_others_are_not(files, monkeypatch):
    quiet, warned = Watched(), Watched()
    microgauge.assess(*files, only=["gdu"], progress=quiet)
    monkeypatch.setattr(estimate, "LONG", 0.0)
    microgauge.assess(*files, only=["gdu"], progress=warned)
    assert quiet.warned == []
    [said] = warned.warned
    assert "this may take about 0 minutes; --only" in said
    both = Watched()
    microgauge.rank(files[0], [files[1], files[1]], names=["a", "b"], progress=both, **KEYS)
    assert len(both.warned) == 1


def test_larger_runs_are_estimated_to_take_longer():
    sections = {"gdu", "tables", "propensity"}
    shapes = [(1_000, 10), (100_000, 10), (100_000, 100), (10_000_000, 100)]
    found = [estimate.estimated_seconds(*shape, sections) for shape in shapes]
    assert found == sorted(found)
    assert found[0] < 10 < estimate.LONG < found[-1]


def test_a_log_is_told_now_and_then(capsys, monkeypatch):
    line = Line()
    line("reading\x1b[2J", 0.5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(Line, "SELDOM", 0.0)
    line("reading\x1b[2J", 0.5)
    assert capsys.readouterr().err == "microgauge: reading�[2J (50%)\n"
