"""One page for the committee: exactly one, whatever the result holds, and the same each time."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge.cli import main
from microgauge.render.summary.page import LEFT, RIGHT, summary_svg
from microgauge.render.summary.pdf import repeatable
from microgauge.render.summary.sheet import HEIGHT, broken, fitted, text_width
from microgauge.results.verdict import Finding
from support.command import refused

SCHEMA = {
    "variable": {
        "age": {"type": "continuous", "role": "quasi_identifier"},
        "sex": {"role": "quasi_identifier"},
    },
    "rank": {"jackknife": False},
}
HOSTILE = [
    "<script>alert(1)</script> & \"'", "bell\a nul\0 \x1b[31m", "half \ud800", "\u202egnp.exe",
    "مرحبا بالعالم", "שלום עולם", "短い名前の列", "W" * 10_000, "a " * 5_000, "\u0301" * 3000,
]  # fmt: skip


def table(step: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    age = draw.integers(18, 90, 200)
    income = (age * 300 + draw.normal(0, 3000, 200)).round(-2)
    sex = draw.choice(["f", "m"], 200)
    return pl.DataFrame({"age": age // step * step, "sex": sex, "income": income})


@pytest.fixture(scope="module")
def assessed() -> microgauge.Assessment:
    return microgauge.assess(
        table(), table(10), schema=SCHEMA, only=["verdict", "risk"], require="risk<=0.05, k>=2"
    )


@pytest.fixture(scope="module")
def ranked() -> microgauge.Ranking:
    return microgauge.rank(
        table(), [table(5), table(20)], names=["5 years", "20 years"], schema=SCHEMA,
        only=["verdict", "tables"], require="risk<=0.9",
    )  # fmt: skip


def finding(text: str, grade: str = "warn") -> Finding:
    return Finding(code="x", grade=grade, about=(), sentence=text, remedy="Do this.", see="docs/x")


def with_findings(result, *findings):
    return result.changed(verdict=replace(result.verdict, findings=findings))


def without_figures(result):
    """Everything null."""
    none = replace(
        result.verdict.useful, grade="unknown", measure=None, value=None, limit=None, kept=None,
        sentence="It is not known.", reason="nothing was measured",
    )  # fmt: skip
    nothing = replace(result.verdict, useful=none, safe=none, utility=None, risk=None, findings=())
    limits = tuple(
        replace(one, value=None, met=False, reason="it was not measured")
        for one in result.requirements
    )
    return result.changed(verdict=nothing, requirements=limits)


def renamed(result, name):
    inputs = result.inputs
    table = replace(inputs.protected, path=name)
    verdict = replace(result.verdict, title=name)
    return result.changed(inputs=replace(inputs, protected=table), verdict=verdict)


CASES = {
    "as it is": lambda a, r: a,
    "eight findings": lambda a, r: with_findings(a, *[finding("Something was found here.")] * 8),
    "thirty long findings": lambda a, r: with_findings(a, *[finding("Many words " * 90)] * 30),
    "a stop": lambda a, r: with_findings(a, finding("A name was left in.", "stop")),
    "everything null": lambda a, r: without_figures(a),
    "no verdict": lambda a, r: a.changed(verdict=None, requirements=None),
    "no manifest": lambda a, r: a.changed(manifest=None),
    "long limits": lambda a, r: a.changed(
        requirements=tuple(
            replace(a.requirements[0], value=None, met=False, reason="because " * 400)
            for _ in range(40)
        )
    ),
    "several": lambda a, r: r,
    "none recommended": lambda a, r: replace(
        r, recommended=replace(r.recommended, name=None, reason="none keeps " * 50, against=None)
    ),
    "sixty candidates": lambda a, r: replace(
        r, candidates=tuple(replace(r.candidates[0], name=f"{n} years") for n in range(60))
    ),
} | {
    f"hostile {place}": lambda a, r, name=name: with_findings(
        renamed(a, name), finding(f"{name} was removed.")
    )
    for place, name in enumerate(HOSTILE)
}  # fmt: skip


def lines_of(svg: str) -> list[tuple[float, float, float, str]]:
    """Where every line of the page's own text begins and ends, its base line, and the text."""
    found = []
    for element in ET.fromstring(svg):
        if not element.tag.endswith("text"):
            continue
        size, x = float(element.attrib["font-size"]), float(element.attrib["x"])
        width = text_width(element.text or "", size, bold="font-weight" in element.attrib)
        start = x - width if element.attrib.get("text-anchor") == "end" else x
        found.append((start, start + width, float(element.attrib["y"]), element.text or ""))
    return found


@pytest.mark.parametrize("case", CASES)
def test_one_page_and_nothing_beyond_its_margins(case, assessed, ranked):
    result = CASES[case](assessed, ranked)
    svg = summary_svg(result)
    lines = lines_of(svg)
    assert min(start for start, *_ in lines) >= LEFT - 0.01
    assert max(end for _, end, *_ in lines) <= RIGHT + 0.01
    assert max(y for _, _, y, _ in lines) <= HEIGHT - 20
    said = [text for *_, text in lines]
    for must in ("What to know before a release", "Limits", "signature", "What was compared"):
        assert must in said
    pdf = result.summary()
    assert pdf.count(b"/Type /Page\n") == 1
    assert b"/MediaBox [0 0 595.28 841.89]" in pdf


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("case", CASES)
def test_no_line_lies_on_another(case, language, assessed, ranked):
    svg = summary_svg(CASES[case](assessed, ranked), language)
    lines = sorted(lines_of(svg), key=lambda one: one[2])
    for place, (start, end, y, text) in enumerate(lines):
        for other, until, below, more in lines[place + 1 :]:
            if 0 <= below - y < 5.5:
                assert until <= start + 0.5 or other >= end - 0.5, (text, more)


def test_room_that_is_left_goes_to_the_worst_findings(assessed):
    """Where all of them have one line each, the first are told whole as far as there is room."""
    told = [f"{place} {'many words ' * 25}end." for place in range(8)]
    svg = summary_svg(with_findings(assessed, *map(finding, told)))
    said = " ".join(text for *_, text in lines_of(svg))
    assert f"{told[0]} Do this." in said
    assert told[7] not in said


def test_the_page_says_what_the_verdict_says(assessed):
    said = " ".join(text for *_, text in lines_of(summary_svg(assessed)))
    for opinion in (assessed.verdict.useful, assessed.verdict.safe):
        assert opinion.grade.capitalize() in said
        assert opinion.sentence in said
    assert assessed.verdict.findings[0].sentence[:40] in said
    assert "missed: risk at most 0.05; it is " in said


def test_what_is_not_known_is_said(assessed):
    said = [text for *_, text in lines_of(summary_svg(without_figures(assessed)))]
    assert said.count("Unknown") == 2
    assert said.count("no figure") == 2


def test_a_first_verdict_says_that_it_is_one():
    result = microgauge.assess(table(), table(10), schema=SCHEMA, quick=True)
    said = " ".join(text for *_, text in lines_of(summary_svg(result)))
    assert "This is a first verdict, which may still change." in said
    assert result.verdict.provisional.sentence[:60] in said


def test_names_are_text_and_nothing_else(assessed):
    svg = summary_svg(with_findings(renamed(assessed, HOSTILE[0]), finding(HOSTILE[0])))
    assert "<script>" not in svg
    assert any(HOSTILE[0] in text for *_, text in lines_of(svg))


def test_the_same_page_is_the_same_file(assessed, ranked, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for result in (assessed, ranked, renamed(assessed, HOSTILE[4])):
        assert len({result.summary() for _ in range(8)}) == 1
    assert "14 November 2023" in summary_svg(assessed)


def test_the_order_of_objects_is_all_that_changes(assessed):
    """Every stream is still there, and every place of the table of objects leads to one."""
    import vl_convert

    raw = vl_convert.svg_to_pdf(summary_svg(assessed))
    made = repeatable(raw)
    assert sorted(streams(raw)) == sorted(streams(made))
    start = int(made.split(b"startxref\n")[1].split(b"\n")[0])
    assert made[start:].startswith(b"xref\n")
    places = re.findall(rb"(\d{10}) 00000 n ", made[start:])
    for number, place in enumerate(places, start=1):
        assert made[int(place) :].startswith(b"%d 0 obj\n" % number)
    assert repeatable(b"%PDF-2.0 of another kind") == b"%PDF-2.0 of another kind"


def streams(pdf: bytes) -> list[bytes]:
    found = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return [zlib.decompress(one) if one[:1] == b"x" else one for one in found]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs poppler's pdftotext")
def test_another_reader_finds_the_words(assessed, tmp_path):
    path = tmp_path / "s.pdf"
    path.write_bytes(renamed(assessed, HOSTILE[0]).summary())
    read = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
    text = read.stdout.decode()
    assert text.count("\f") == 1
    assert HOSTILE[0] in text
    assert "Decision:" in text


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_widths_are_those_of_the_font(weight):
    """As the file itself gives them: signs are numbered in the order in which they first occur."""
    import vl_convert

    signs = [chr(n) for n in range(33, 127) if chr(n) not in "<&"]
    text = f'<text y="20" font-family="Liberation Sans" font-weight="{weight}">'
    size = 'xmlns="http://www.w3.org/2000/svg" width="2000" height="40"'
    pdf = vl_convert.svg_to_pdf(f"<svg {size}>{text}{' '.join(signs)}</text></svg>")
    (listed,) = re.findall(rb"/W \[([^\]]*)\]", pdf)
    numbers = [float(n) for n in listed.split()]
    ranges = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    found = {n: width / 1000 for a, b, width in ranges for n in range(int(a), int(b) + 1)}
    order = [signs[0], " ", *signs[1:]]
    for number, sign in enumerate(order, start=1):
        if weight == "normal":
            assert text_width(sign, 1) == pytest.approx(found[number], abs=0.002), sign
    words = "It misses limits that were set: risk at most 0.1 (it is 0.154)".replace(" ", "")
    true = sum(found[order.index(sign) + 1] for sign in words)
    assert text_width(words, 1, bold=weight == "bold") >= true - 0.02


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        table().write_csv("o.csv")
        table(10).write_csv("p.csv")

    def test_assess_and_rank(self):
        start = ["--keys", "age,sex", "--only", "verdict", "--summary", "s.pdf"]
        for command in ("assess", "rank"):
            assert main([command, "o.csv", "p.csv", *start]) == 0
            assert Path("s.pdf").read_bytes().startswith(b"%PDF")

    def test_hashes_are_those_of_the_manifest(self):
        result = microgauge.assess("o.csv", "p.csv", keys=["age"], only=["verdict"])
        said = [text for *_, text in lines_of(summary_svg(result))]
        for one in result.manifest.inputs:
            assert f"SHA-256 {one.sha256}" in said

    @pytest.mark.parametrize("command", ["assess", "rank"])
    def test_the_other_option_is_named(self, command, capsys):
        start = (command, "o.csv", "p.csv", "--keys", "age,sex")
        assert "--summary r.pdf" in refused(capsys, *start, "--report", "r.pdf")
        assert "--report r.html" in refused(capsys, *start, "--summary", "r.html")
        assert "must end in .pdf" in refused(capsys, *start, "--summary", "r.txt")
        both = refused(capsys, *start, "--report", "r.PDF", "--summary", "r.htm")
        assert both.count("\n  - ") == 2

    def test_not_over_an_input(self, capsys):
        shutil.copy("p.csv", "p.pdf")
        start = ("assess", "o.csv", "p.pdf", "--only", "gdu")
        assert "is an input" in refused(capsys, *start, "--summary", "p.pdf")


@pytest.mark.parametrize("text", ["word " * 300, "W" * 900, "", "a" * 5_000 + " b"])
@pytest.mark.parametrize("most", [1, 3])
def test_lines_have_room(text, most):
    lines = broken(text, 9, 120, most)
    assert len(lines) <= most
    assert all(text_width(line, 9) <= 120 for line in lines)
    assert fitted(text, 9, 120) == "" or text_width(fitted(text, 9, 120), 9) <= 120
    if len(text) > 100:
        assert lines[-1].endswith("…")
