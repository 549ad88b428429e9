"""What a terminal shows unless more is asked for: short, whatever the data are called."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microgauge
from microgauge.cli.assess import next_steps
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.render.short import MOST_LINES, revision
from microgauge.results.names import columns_of, plain, shortened

JARGON = ("U_p", "U_c", "IL1s", "CTBIL", "GCP", "AAD")
NAMES = st.lists(
    st.one_of(st.text(max_size=40), st.text("ab_短\x00 ", max_size=30)), unique=True, max_size=12
)


@pytest.fixture(scope="module")
def demo() -> microgauge.Assessment:
    return microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA, skip=["propensity", "loss"])


def assert_fits(text: str) -> None:
    lines = text.split("\n")
    assert lines.pop() == ""
    assert len(lines) <= MOST_LINES
    assert all(columns_of(line) <= 80 for line in lines)
    assert all(sign.isprintable() for line in lines for sign in line)


def test_the_demo_fits(demo):
    text = str(demo)
    assert_fits(text)
    assert text.startswith("Verdict\n  useful   Fair. ")
    assert not any(word in text for word in JARGON)
    assert len(demo.long_text()) > len(text)
    assert "Left out, as it takes long: clusters, ecdf" in " ".join(demo.long_text().split())
    assert "left out clusters, ecdf (--full)" in text  # robust eigenvalues are those of loss


def test_it_says_where_grades_begin(demo):
    line = (
        "  grades   useful: good from 90 % of that way, fair 50 %; safe: good up to 0.05,\n"
        "           fair 0.2\n"
    )
    assert line in str(demo)
    limits = {"require": {"tables": ">=0.5"}}
    by_limits = microgauge.assess(ORIGINAL, PROTECTED, schema=limits, only=["verdict"])
    assert "grades" not in str(by_limits)


def test_the_next_step_names_limits_that_can_be_kept():
    files = [pl.DataFrame({"age": [i % n for i in range(200)]}) for n in (60, 50)]
    result = microgauge.assess(*files)
    assert result.verdict.utility is None
    assert ("", 'set limits of your own: --require "gdu>=0.9"') in next_steps(result, report=True)
    microgauge.assess(*files, require="gdu>=0.9")


def test_what_stands_at_the_end_is_never_cut(demo):
    first = demo.verdict.findings[0]
    many = demo.changed(verdict=replace(demo.verdict, findings=(first,) * 30))
    ending = [("written", "result.json"), ("next", "set limits")]
    text = many.short_text(ending, "--long")
    assert_fits(text)
    assert text.endswith("  written  result.json\n  next     set limits\n")
    shown = text.count(first.sentence[:30])
    assert 0 < shown <= 6
    assert f"  {30 - shown} more findings: --long\n" in text


def test_one_finding_is_counted_as_one(demo):
    long = replace(demo.verdict.findings[0], sentence="word " * 2_000)
    text = str(demo.changed(verdict=replace(demo.verdict, findings=(long,) * 4)))
    assert_fits(text)
    assert " …\n" in text


@pytest.mark.parametrize("quick", [True, False])
def test_names_of_any_length_and_kind_fit(quick):
    names = ["x" * 10_000, "x" * 9_999 + "y", "\x1b[31mred", "مرحبا" * 50, "短" * 300]
    frame = pl.DataFrame({name: list("abcdabcd") * 10 for name in names})
    mixed = frame.with_columns(pl.col(names[0]).reverse())
    result = microgauge.assess(
        frame, mixed, keys=[names[0], names[2]], quick=quick, skip=["propensity", "loss"]
    )
    assert_fits(str(result))
    assert ("Provisional." in str(result)) is quick


def test_without_a_verdict_sections_are_cut_and_say_so():
    result = microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA, only=["gdu", "tables", "risk"])
    text = result.short_text([("written", "here")], "--long")
    assert_fits(text)
    left = len(result.long_text().split("\n"))
    assert " lines more: --long\n" in text
    assert text.endswith("  written  here\n")
    assert left > MOST_LINES


def test_rankings_and_diagnoses_fit():
    frame = pl.read_csv(ORIGINAL).head(300)
    candidates = [frame.with_columns(pl.col("SEX").shift(n).fill_null("male")) for n in range(14)]
    names = [f"a_common_beginning_of_every_candidate_{n}" for n in range(14)]
    found = microgauge.rank(frame, candidates, names=names, schema=SCHEMA, only=["tables"])
    assert_fits(str(found))
    assert not any(word in str(found) for word in JARGON)
    assert "U_p ratio" in found.long_text()
    told = microgauge.diagnose(frame, schema=SCHEMA)
    assert_fits(str(told))
    assert told.long_text() != str(told)


@given(NAMES, st.integers(8, 30))
def test_cut_names_stay_apart(names, most):
    found = shortened(names, most)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    texts = [plain(name) for name in names]
    for text, shown in zip(texts, found.values(), strict=True):
        assert columns_of(shown) <= most
        if columns_of(text) <= most and texts.count(text) == 1:
            assert shown == text


def test_a_grade_that_turns_out_otherwise_is_said(demo):
    verdict = demo.verdict
    first = replace(verdict, safe=replace(verdict.safe, grade="good"))
    assert revision(demo.changed(verdict=first), demo) == (
        "All measured, the first verdict is revised: safe was good and is fair."
    )
    assert demo.revision_of(demo) is None
