"""How a report reads: what comes first, at any width, in both themes, by ear, on paper.

Opened in Chromium; axe-core looks for barriers where node_modules holds it.
"""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

import microgauge
from microgauge.results.blocks import QUESTIONS
from support.browser import CHROMIUM, chromium, settled, visitor
from support.reports import (
    as_if_tested,
    data_of,
    demo_ranking,
    demo_result,
    hostile_result,
    small,
)

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: reports are not opened"
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no Chromium on this machine: reports are not opened"
    ),
]

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (360, 390, 430, 900, 1400, 1920)
SHEET = {"width": 680, "height": 1009}
"""A4 without its margins, in pixels."""


def nothing_measured():
    frame = small(40)[["sex"]].assign(sex=None)
    return microgauge.assess(frame, frame, only=["verdict"], details=True)


def with_risk(risk):
    """The demo's result with another risk, whose zone borders stand elsewhere beside its name."""
    found = demo_result()
    safe = replace(found.verdict.safe, value=risk)
    return found.changed(verdict=replace(found.verdict, risk=risk, safe=safe))


RISKS = (0.0, 0.035, 0.06, 0.12, 0.19, 0.3)
REPORTS = {
    **{f"risk {risk}": partial(with_risk, risk) for risk in RISKS},
    "demo": demo_result,
    "rank": demo_ranking,
    "hostile": hostile_result,
    "two hundred": lambda: as_if_tested(200),
    "one variable": lambda: microgauge.assess(small()[["age"]], small()[["age"]], details=True),
    "nothing": nothing_measured,
}


@cache
def page_of(kind, edition):
    return REPORTS[kind]().report(edition=edition)


@pytest.fixture(scope="module")
def browser():
    with chromium(playwright) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reading")


@pytest.fixture
def visit(browser, folder):
    return visitor(browser, folder, page_of)


def too_wide(page):
    """By how much the page is wider than its window."""
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def open_all(page):
    """Every explanation, fold and variable."""
    page.evaluate(
        "() => { document.querySelectorAll('.more').forEach((b) => b.click());"
        " document.querySelectorAll('button.why').forEach((b) => b.click());"
        " document.querySelectorAll('details').forEach((d) => { d.open = true; });"
        " [...document.querySelectorAll('#variables tbody button.name')].slice(0, 3)"
        ".forEach((b) => b.click()); }"
    )
    settled(page)


# -- what comes first --------------------------------------------------------------------------


class TestFirst:
    def test_two_answers_before_all_else(self, visit):
        verdict = demo_result().verdict
        with visit("demo") as page:
            answers = page.locator("#decision .answer")
            assert answers.locator("h2").all_inner_texts() == [
                "Useful??",
                "Safe??",
            ]  # each with its "?"
            for answer, said in zip(answers.all(), (verdict.useful, verdict.safe), strict=True):
                text = answer.inner_text()
                assert said.grade.capitalize() in text
                assert f"{said.value:.3f}" in text
                assert "no limit set" in text
                assert answer.bounding_box()["y"] < 900  # on the first screen
                assert answer.locator(".icon .shape").count() == 1  # no grade by colour alone
            colours = answers.locator(".value").evaluate_all(
                "(all) => all.map((e) => getComputedStyle(e).color)"
            )
            assert colours[0] != colours[1]
            first = page.inner_text("#decision")
            assert not any(word in first for word in ("U_p", "CTBIL", "IL1s", "GDU", "RUT"))

    def test_findings_worst_first_each_with_a_remedy(self, visit):
        found = demo_result().verdict.findings
        with visit("demo") as page:
            shown = page.locator(".finding").evaluate_all("(all) => all.map((f) => f.className)")
            assert shown == [f"finding {one.grade}" for one in found]
            assert page.locator(".finding .remedy").count() == len(found)

    def test_the_questions_in_their_order(self, visit):
        with visit("demo") as page:
            heads = page.locator(".question > h2").all_inner_texts()
            assert heads == [title for title, _ in QUESTIONS.values()]
        with visit("demo", "public") as page:
            heads = page.locator(".question > h2").all_inner_texts()
            assert heads == ["Is it useful?", "Do published results hold?", "For experts",
                             "How it was measured"]  # fmt: skip

    def test_variables_that_lost_something_are_shown_the_others_folded(self, visit):
        variables = data_of(page_of("demo", "internal"))["variables"]
        changed = {v["name"] for v in variables if v["lost"]}
        missing = {v["name"] for v in variables if v["more_missing"]} - changed
        assert changed == {"COW", "AGEP"}
        assert missing == {"SCHL", "WKHP"}
        lost = changed | missing
        with visit("demo") as page:
            names = page.locator("#variables tbody button.name")
            assert len(lost) <= names.count() < len(variables)
            assert lost <= set(names.all_inner_texts())
            assert (
                "2 of 14 variables were removed, recoded or found changed. Of 2 more, more values "
                "are missing than before." in page.inner_text("#variables")
            )
            page.locator("#variables .more").click()
            assert names.count() == len(variables)

    @pytest.mark.parametrize("width", [390, 700, 1400])
    def test_each_end_of_a_bar_is_told_at_that_end(self, visit, width):
        with visit("demo", width=width) as page:
            first, last = page.locator("#decision .answer.useful .ends > span").all()
            meter = page.locator("#decision .answer.useful .meter").bounding_box()
            left, right = meter["x"], meter["x"] + meter["width"]
            lines = last.evaluate(
                "(e) => { const r = document.createRange(); r.selectNodeContents(e);"
                " return [...r.getClientRects()].map((b) => b.right); }"
            )
            assert first.bounding_box()["x"] == pytest.approx(left, abs=1)
            assert lines == pytest.approx([right] * len(lines), abs=2)

    @pytest.mark.parametrize("risk", RISKS)
    def test_no_border_of_a_zone_crosses_the_name_of_the_file(self, visit, risk):
        with visit(f"risk {risk}", width=390) as page:
            crossed = page.evaluate(
                "() => { const text = document.querySelector('.map .strong').getBBox();"
                " const inside = (v, low, high) => low < v && v < high;"
                " return [...document.querySelectorAll('.map > svg .zone')].filter((zone) => {"
                "   const b = zone.getBBox();"
                "   const across = inside(b.x + b.width, text.x, text.x + text.width)"
                "     && b.y < text.y + text.height && b.y + b.height > text.y;"
                "   const along = inside(b.y + b.height, text.y + 2, text.y + text.height - 2)"
                "     && b.x + b.width > text.x;"
                "   return across || along;"
                " }).length; }"
            )
            assert crossed == 0

    def test_nothing_measured_is_said(self, visit):
        with visit("nothing") as page:
            first = page.inner_text("#decision")
            assert first.count("Not known") == 2
            assert "not measured" in first
            assert "no place on the risk–utility map" in first

    def test_a_choice_says_which_why_and_what_speaks_against_it(self, visit):
        found = demo_ranking().recommended
        with visit("rank") as page:
            first = page.inner_text("#decision")
            assert f"Release\n{found.name}" in first or f"Release {found.name}" in first
            assert found.reason[1:] in first
            assert found.against[1:] in first
            assert "risk at most 0.15" in first
            assert page.locator("#decision .chart svg").first.bounding_box()["width"] > 500

    def test_one_number_style(self, visit):
        with visit("demo") as page:
            shown = page.locator(".answer .value, .card .value, #variables td.number")
            texts = [text.strip() for text in shown.all_inner_texts()]
            assert {len(t.split(".")[-1]) for t in texts if t.startswith(("0.", "1."))} == {3}


# -- explanations ------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [390, 1400])
def test_every_explanation_opens_wide_below_what_it_explains(visit, width):
    with visit("demo", width=width) as page:
        for button in page.locator("button.why:visible").all():
            button.focus()
            page.keyboard.press("Enter")
            assert button.get_attribute("aria-expanded") == "true"
            box = page.locator(f"#{button.get_attribute('aria-controls')}")
            place = box.bounding_box()
            assert place["width"] > 0.9 * (min(width, 1140) - 60)
            assert place["y"] >= button.bounding_box()["y"]
            lines = box.locator("dd").evaluate_all(
                "(all) => all.map((d) => d.textContent.length / (d.offsetHeight / 24))"
            )
            assert min(lines) > 3  # letters in a line
            page.keyboard.press("Space")
            assert box.is_hidden()


def test_an_explanation_says_what_to_think_of_the_value(visit):
    with visit("demo") as page:
        page.locator(".answer.safe .why").click()
        said = page.locator(".answers > .explain:visible").inner_text()
        assert f"{demo_result().disclosure.risk:.3f}: called fair where no limit is set" in said


# -- widths ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["demo", "rank", "two hundred"])
def test_no_page_is_wider_than_its_window(visit, kind):
    with visit(kind) as page:
        open_all(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert too_wide(page) == 0, width


@pytest.mark.parametrize("kind", ["demo", "rank"])
def test_the_header_is_one_line_on_a_telephone(visit, kind):
    with visit(kind, width=360) as page:
        for width in (360, 390, 430):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.locator("header").bounding_box()["height"] < 56


def test_no_name_is_cut_among_two_hundred(visit):
    with visit("two hundred", width=390) as page:
        page.locator("#variables .more").click()
        names = page.locator("#variables tbody button.name")
        assert names.count() == 200
        cut = names.evaluate_all(
            "(all) => all.filter((b) => b.scrollWidth > b.clientWidth + 1 ||"
            " b.scrollHeight > b.clientHeight + 1).length"
        )
        assert cut == 0


# -- on paper ----------------------------------------------------------------------------------

BROKEN = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.parentElement.closest('svg') || !node.parentElement.checkVisibility()) continue;
    for (const word of node.textContent.matchAll(/[\\p{L}\\p{N}]{2,20}/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map((r) => Math.round(r.top)));
      if (tops.size > 1) found.push(word[0]);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("kind", ["demo", "rank"])
def test_no_word_is_broken_on_paper(visit, kind):
    with visit(kind) as page:
        page.emulate_media(media="print")
        page.set_viewport_size(SHEET)
        assert page.evaluate(BROKEN) == []


@pytest.mark.parametrize("kind", ["demo", "hostile", "nothing", "one variable"])
def test_the_first_page_stands_alone(visit, kind):
    with visit(kind, color_scheme="dark") as page:
        assert not page.locator("div.sign").is_visible()
        page.emulate_media(media="print")
        page.set_viewport_size(SHEET)
        first = page.locator("#decision")
        assert first.evaluate("(e) => getComputedStyle(e).breakAfter") == "page"
        assert first.bounding_box()["height"] <= SHEET["height"]
        for part in (".answer", ".paper .compared", "div.sign"):
            assert first.locator(part).first.is_visible()


def test_folded_notes_are_open_on_paper_and_folded_after(visit):
    with visit("demo") as page:
        folded = page.locator("#measured details")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert folded.get_attribute("open") is not None
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert folded.get_attribute("open") is None


# -- barriers ----------------------------------------------------------------------------------


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not in node_modules: npm install")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("edition", ["internal", "public"])
@pytest.mark.parametrize("kind", ["demo", "rank"])
def test_no_barriers(visit, kind, edition, theme):
    """Contrast of at least 4.5 : 1, names of all controls, order of headings, and the rest."""
    with visit(kind, edition, color_scheme=theme) as page:
        open_all(page)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run().then((r) => r.violations)")
        told = [
            f"{v['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
            for v in found
            for node in v["nodes"][:3]
        ]
        assert told == []


def test_every_control_is_reached_by_the_keyboard(visit):
    with visit("demo") as page:
        wanted = page.evaluate(
            "[...document.querySelectorAll('a, button, select, input, summary')]"
            ".filter((e) => e.checkVisibility()).length"
        )
        reached = set()
        for _ in range(wanted + 60):
            page.keyboard.press("Tab")
            place = page.evaluate(
                "[...document.querySelectorAll('*')].indexOf(document.activeElement)"
            )
            if place in reached and len(reached) >= wanted:
                break
            reached.add(place)
        unreached = page.evaluate(
            "(seen) => [...document.querySelectorAll('*')].map((e, i) => [e, i])"
            ".filter(([e, i]) => e.matches('a, button, select, input, summary')"
            " && e.checkVisibility() && !seen.includes(i)).map(([e]) => e.outerHTML.slice(0, 90))",
            sorted(reached),
        )
        assert unreached == []


def test_no_finding_is_cut_or_covered_on_paper(visit):
    """The first page holds what the demo has to say, above what was compared."""
    with visit("demo") as page:
        page.set_viewport_size(SHEET)
        page.emulate_media(media="print")
        cut, above = page.evaluate(
            "() => { const list = document.querySelector('#decision .findings');"
            " const paper = document.querySelector('#decision .paper');"
            " return [list.scrollHeight - list.clientHeight,"
            " paper.getBoundingClientRect().top - list.getBoundingClientRect().bottom]; }"
        )
    assert cut <= 0
    assert above >= 0
