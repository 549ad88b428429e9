"""The report as its reader meets it, in Chromium: from disk, with the mouse, by keyboard, on paper.

Every visit ends with a look at the log: no error, no warning, nothing blocked, nothing loaded.
"""

import re
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest

import microgauge
from support.browser import CHROMIUM, DRAWN, chromium, settled, visitor
from support.reports import (
    BREAKING,
    HOSTILE,
    INHERITED,
    QUICK,
    data_of,
    demo_ranking,
    demo_result,
    five_hundred_variables,
    hostile_ranking,
    hostile_result,
    hundred_variables,
    register_result,
    shuffled,
    small,
)

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: reports are not opened"
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine: reports are not opened"
)

WIDE, NARROW = 1400, 400


# -- reports ---------------------------------------------------------------------------------


def whole_result():
    """Every section there is."""
    frame = small(150)
    said = {
        "variable": {n: {"role": "quasi_identifier"} for n in ("region", "sex", "age")},
        "propensity": {"interactions": "none", "resamples": 5},
        "indicator": [{"statistic": "mean", "variable": "income", "by": "region"}],
        "regression": [{"formula": "income ~ age + sex"}],
    }
    protected = shuffled(frame, "sex").assign(income=frame["income"] * 1.3)
    return microgauge.assess(frame, protected, schema=said, details=True, yardsticks=True)


MEANS = {"a": 9.5, "b": 10.0, "c": 100.25, "d": -3.0, "e": 2.5e7, "f": 4e-5, "g": 1234.5}


def figures_result():
    """Means whose order as numbers is not their order as text; distributions changed or lost."""
    rng = np.random.default_rng(2)
    group = np.repeat(list(MEANS), 40)
    frame = pd.DataFrame(
        {
            "group": group,
            "x": [MEANS[g] for g in group] * np.tile([0.9, 1.1], 140),
            "slightly": rng.normal(size=280),
            "clearly": rng.normal(size=280),
            "wholly": rng.normal(size=280),
            "gone": rng.normal(size=280),
            "constant": 1.0,
        }
    )
    protected = frame.drop(columns="gone").assign(
        slightly=frame["slightly"] + 0.1, clearly=frame["clearly"] + 0.6, wholly=9.0
    )
    said = {"indicator": [{"statistic": "mean", "variable": "x", "by": "group"}]}
    return microgauge.assess(frame, protected, schema=said, skip=QUICK, details=True)


def empty_columns_result():
    frame = small().assign(constant=7.5, word="same", gone=1, lost=2.5)
    frame["empty"] = np.nan
    return microgauge.assess(
        frame, frame.drop(columns="gone").assign(lost=None), skip=QUICK, details=True
    )


def labels_result(labels):
    """A variable of its own for each label, among others."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(
        {f"v{i}": rng.choice([label, "usual", "other"], 90) for i, label in enumerate(labels)}
        | {"number": rng.normal(size=90)}
    )
    return microgauge.assess(frame, shuffled(frame, "v0"), only=["gdu"], details=True)


SAME_START = [f"living in a household of the {kind} kind" for kind in ("1st", "2nd", "3rd")]
SAME_NAMES = [f"a protected version with a long name, of level {i}" for i in (1, 2)]


def same_start_result():
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"kind": rng.choice(SAME_START, 90), "number": rng.normal(size=90)})
    return microgauge.assess(frame, frame, only=["gdu"], details=True)


def same_start_ranking():
    frame = small(150)
    said = {"variable": {"region": {"role": "quasi_identifier"}}}
    return microgauge.rank(
        frame, [frame, shuffled(frame, "sex")], names=SAME_NAMES, schema=said, only=["gdu"],
        details=True,
    )  # fmt: skip


def narrow_result():
    """Numbers of five digits that differ in the last ones."""
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"x": rng.integers(10_001, 10_061, 400), "y": rng.normal(size=400)})
    said = {"variable": {"x": {"type": "continuous"}}}
    return microgauge.assess(frame, frame, schema=said, only=["gdu"], details=True)


def one_section(section):
    frame = small()
    return microgauge.assess(frame, shuffled(frame, "sex"), only=[section], details=True)


REPORTS = {
    "demo": demo_result,
    "rank": demo_ranking,
    "whole": whole_result,
    "figures": figures_result,
    "empty columns": empty_columns_result,
    "loss only": partial(one_section, "loss"),
    "gdu only": partial(one_section, "gdu"),
    "one variable": lambda: microgauge.assess(
        small()[["age"]], small()[["age"]], only=["gdu"], details=True
    ),
    "hundred": hundred_variables,
    "five hundred": five_hundred_variables,
    "hostile": hostile_result,
    "hostile rank": hostile_ranking,
    "breaking": partial(labels_result, BREAKING),
    "inherited": partial(labels_result, INHERITED),
    "narrow": narrow_result,
    "same start": same_start_result,
    "same names": same_start_ranking,
    "register": partial(register_result, 1),
}


@cache
def page_of(kind, edition="internal"):
    return REPORTS[kind]().report(edition=edition)


def data_in(kind, edition="internal"):
    return data_of(page_of(kind, edition))


# -- visits ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    with chromium(playwright) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


@pytest.fixture
def visit(browser, folder):
    return visitor(browser, folder, page_of)


def table(page, label):
    return page.locator(f'table[aria-label="{label}"]').first


def unfold(page, label):
    """Show all rows of a table."""
    page.evaluate(
        "(label) => [...document.querySelectorAll('.folded')]"
        ".filter((f) => f.querySelector('table').ariaLabel === label)"
        ".forEach((f) => f.querySelector('.more')?.click())",
        label,
    )


def cells(page, label, place):
    """The texts of a column, in the order of the rows that are visible once all are shown."""
    unfold(page, label)
    return table(page, label).evaluate(
        "(t, i) => [...t.tBodies[0].rows].filter((r) => !r.hidden && !r.matches('.detail'))"
        ".map((r) => r.cells[i].innerText.trim())",
        place,
    )


def value(text):
    """A figure as printed; None for a dash."""
    if text == "–":
        return None
    return float(text.replace(",", "").replace("−", "-").removeprefix("<"))


def sort_by(page, label, head):
    """Click on a head; which way the table is sorted after it."""
    heads = table(page, label).locator("thead th")
    buttons = table(page, label).locator("thead th > .sort")
    place = [text.strip() for text in buttons.all_inner_texts()].index(head)
    heads.nth(place).locator("> .sort").click()
    said = heads.evaluate_all("(all) => all.map((h) => h.getAttribute('aria-sort'))")
    assert [i for i, way in enumerate(said) if way] == [place]
    return place, said[place]


def assert_sorted(texts, way):
    """By value, whatever has none last."""
    values = [value(text) for text in texts]
    known = [v for v in values if v is not None]
    assert values[len(known) :] == [None] * (len(values) - len(known))
    assert known == sorted(known, reverse=way == "descending")


def variable_buttons(page):
    unfold(page, "Variables")
    return page.locator('table[aria-label="Variables"] tbody button.name')


def open_variable(page, name):
    button = variable_buttons(page).filter(has_text=re.compile(f"^{re.escape(name)}$"))
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    settled(page)
    return page.locator("tr.detail .open")


def open_all_variables(page):
    unfold(page, "Variables")
    page.evaluate(
        "document.querySelectorAll('table[aria-label=\"Variables\"] tbody button.name')"
        ".forEach((b) => b.click())"
    )
    settled(page)
    assert page.locator("tr.detail").count() == variable_buttons(page).count()


def open_pair(page, first, second):
    """By the two lists and the button beside them."""
    page.select_option("select[aria-label='First variable']", str(first))
    page.select_option("select[aria-label='Second variable']", str(second))
    page.click(".open-pair")
    settled(page)
    return page.locator("[aria-live] .open")


def visible(text):
    """Without blanks, control characters and what may stand for them."""
    return re.sub(r"[\s\x00-\x1f\ufffd…]", "", text)


def pair_name(page):
    names = page.locator("[aria-live] .open h4").first.locator(".name").all_inner_texts()
    return {name.strip() for name in names}


def heat_cell(page, place):
    """A cell of the heat map of all pairs, and the two variables it stands for."""
    cell = page.locator(".triangle rect[data-row]").nth(place)
    cell.hover()
    return cell, set(page.locator(".pointed .name").all_text_contents())


def assert_no_overflow(page):
    found = page.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth;
          const over = [...document.querySelectorAll('body *')].filter((e) =>
            e.getBoundingClientRect().right > wide + 1 &&
            !e.closest('.scroll, .chart, .skip, nav'));
          return [document.documentElement.scrollWidth - wide,
                  over.slice(0, 5).map((e) => `${e.tagName}.${e.className}`)];
        }"""
    )
    assert found == [0, []]


# -- the demo --------------------------------------------------------------------------------


class TestPage:
    @pytest.mark.parametrize("edition", ["internal", "public"])
    @pytest.mark.parametrize("kind", ["demo", "rank", "whole"])
    def test_opens_from_disk_with_every_section(self, visit, kind, edition):
        with visit(kind, edition) as page:
            links = page.locator("nav a").evaluate_all("(all) => all.map((a) => a.hash)")
            assert len(links) >= 3
            for link in links:
                assert page.locator(link).count() == 1
            ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
            assert len(ids) == len(set(ids))
            sizes = page.locator(".chart svg").evaluate_all(
                "(all) => all.map((s) => s.getBoundingClientRect().width)"
            )
            assert min(sizes) > 20

    def test_says_what_the_result_says(self, visit):
        result = demo_result()
        with visit("demo") as page:
            first = page.inner_text("#decision").replace("\u00a0", " ")
            assert result.verdict.useful.sentence in first
            assert result.verdict.safe.sentence in first
            for finding in result.verdict.findings[:6]:
                assert finding.sentence in first
                assert finding.remedy in first
            experts = page.inner_text("#experts").replace("\u00a0", " ")
            told = [h.sentence for h in result.presenter.headlines(result, "internal")]
            assert all(sentence in experts for sentence in told if sentence)
            assert page.inner_text(".card.main .value") == f"{result.gdu.value:.3f}"
            assert cells(page, "Variables", 0)[0] == "COW"  # the worst first
            assert len(cells(page, "Variables", 0)) == 14

    def test_every_section_has_a_chart_where_it_should(self, visit):
        with visit("whole") as page:
            assert page.locator("#pairs svg").count() > 0
            for part in ("whole", "indicators", "regressions", "risk"):
                assert page.locator(f"#{part} .chart svg").count() > 0
            for part in ("loss", "yardsticks-yardsticks-in-figures", "rut"):
                assert page.locator(f"#{part} tbody tr").count() > 1

    def test_the_language_and_the_title(self, visit):
        with visit("demo") as page:
            assert page.evaluate("document.documentElement.lang") == "en"
            assert page.title() == page.inner_text("h1") == "Release check"


class TestTables:
    def test_by_utility(self, visit):
        known = {v["name"]: v["utility"] for v in data_in("demo")["variables"]}
        with visit("demo") as page:
            for way in ("descending", "ascending"):
                place, said = sort_by(page, "Variables", "utility")
                assert said == way
                shown = [known[name] for name in cells(page, "Variables", 0)]
                assert shown == sorted(known.values(), reverse=way == "descending")
                assert_sorted(cells(page, "Variables", place), way)

    def test_by_name(self, visit):
        with visit("demo") as page:
            _, way = sort_by(page, "Variables", "variable")
            names = cells(page, "Variables", 0)
            assert way == "ascending"
            assert names == sorted(names)
            _, way = sort_by(page, "Variables", "variable")
            assert way == "descending"
            assert cells(page, "Variables", 0) == sorted(names, reverse=True)

    @pytest.mark.parametrize("locale", ["en-US", "de-DE"])
    def test_figures_are_sorted_by_value_not_as_text(self, visit, locale):
        with visit("figures", locale=locale) as page:
            assert page.evaluate("navigator.language") == locale
            for head in ("original", "protected"):
                for wanted in ("descending", "ascending"):
                    place, way = sort_by(page, "Indicators", head)
                    assert way == wanted
                    shown = cells(page, "Indicators", place)
                    assert_sorted(shown, way)
                    assert shown != sorted(shown, reverse=way == "descending")
            groups = [name[-1] for name in cells(page, "Indicators", 0)]
            assert groups == sorted(MEANS, key=MEANS.__getitem__)

    def test_german_readers_see_the_same_figures(self, visit):
        with visit("demo") as page:
            english = page.inner_text("main")
        with visit("demo", locale="de-DE") as page:
            assert page.inner_text("main") == english
            place, way = sort_by(page, "Variables", "utility")
            assert_sorted(cells(page, "Variables", place), way)

    def test_p_values_are_sorted_by_value_and_none_comes_last(self, visit):
        with visit("figures") as page:
            for _ in range(2):
                place, way = sort_by(page, "Variables", "p")
                shown = cells(page, "Variables", place)
                assert "–" in shown
                assert any("e-" in text for text in shown)
                assert_sorted(shown, way)

    def test_what_was_not_measured_comes_last(self, visit):
        with visit("empty columns") as page:
            for head in ("utility", "utility", "pairs", "pairs"):
                place, way = sort_by(page, "Variables", head)
                assert "–" in cells(page, "Variables", place)
                assert_sorted(cells(page, "Variables", place), way)

    def test_filter(self, visit):
        with visit("demo") as page:
            box = page.locator("input[type=search]")
            box.fill("pincp")
            assert cells(page, "Variables", 0) == ["PINCP"]
            box.fill("banded")
            assert cells(page, "Variables", 0) == ["AGEP"]
            sort_by(page, "Variables", "variable")
            assert cells(page, "Variables", 0) == ["AGEP"]
            box.fill("no such thing")
            assert cells(page, "Variables", 0) == []
            box.fill("")
            assert len(cells(page, "Variables", 0)) == 14

    def test_filter_and_sorting_leave_no_stray_panel(self, visit):
        with visit("demo") as page:
            open_variable(page, "MAR")
            page.locator("input[type=search]").fill("pincp")
            assert page.locator("tr.detail").count() == 0
            page.locator("input[type=search]").fill("")
            open_variable(page, "MAR")
            sort_by(page, "Variables", "variable")
            for button in variable_buttons(page).all():
                expanded = button.get_attribute("aria-expanded") == "true"
                after = button.evaluate(
                    "(b) => b.closest('tr').nextElementSibling?.matches('.detail') ?? false"
                )
                assert expanded == after

    def test_candidates(self, visit):
        rows = data_in("rank")["table"]["rows"]
        with visit("rank") as page:
            for label, key in (("Candidates", "table"), ("Other figures", "experts")):
                for place, head in enumerate(data_in("rank")[key]["heads"], start=1):
                    found, way = sort_by(page, label, head)
                    assert found == place
                    if head not in ("useful", "safe"):
                        assert_sorted(cells(page, label, place), way)
            assert len(cells(page, "Candidates", 0)) == len(rows) == 5

    def test_all_weakest_pairs(self, visit):
        wanted = data_in("demo")["pairs"]["weakest"]
        with visit("demo") as page:
            assert table(page, "Weakest pairs").locator("tbody tr").count() == 12 < len(wanted)
            page.locator("#pairs").get_by_role("button", name=f"Show all {len(wanted)}").click()
            assert len(cells(page, "Weakest pairs", 0)) == len(wanted)
            assert_sorted(cells(page, "Weakest pairs", 1), "ascending")
            place, way = sort_by(page, "Weakest pairs", "utility")
            assert_sorted(cells(page, "Weakest pairs", place), way)
            table(page, "Weakest pairs").locator("tbody button").last.click()
            settled(page)
            assert page.locator("[aria-live] .open .chart svg").count() >= 2


class TestVariables:
    def test_charts_appear(self, visit):
        with visit("demo") as page:
            before = page.locator(".chart svg").count()
            for name, charts in (("PINCP", 2), ("MAR", 1), ("AGEP", 1)):
                panel = open_variable(page, name)
                assert panel.locator(".chart svg").count() == charts
                assert page.locator(".chart svg").count() == before + charts
                assert panel.locator("dt", has_text="missing values").count() == 1
                variable_buttons(page).filter(has_text=name).click()
                assert page.locator("tr.detail").count() == 0

    def test_every_label_is_on_the_axis(self, visit):
        detail = next(v for v in data_in("demo")["variables"] if v["name"] == "MAR")["detail"]
        with visit("demo") as page:
            panel = open_variable(page, "MAR")
            shown = panel.locator(".role-axis-label text").all_text_contents()
            assert set(detail["labels"]) <= set(shown)
            bars = panel.locator("g.mark-rect.role-mark path").count()
            assert bars == 2 * len(detail["labels"])

    def test_the_recoding_is_told(self, visit):
        with visit("demo") as page:
            panel = open_variable(page, "AGEP")
            assert "banded" in panel.inner_text()
            assert panel.locator("table tbody tr").count() == 8

    def test_a_tooltip(self, visit):
        with visit("demo") as page:
            panel = open_variable(page, "MAR")
            panel.locator("g.mark-rect.role-mark path").first.hover()
            tip = page.locator("#vg-tooltip-element.visible")
            tip.wait_for()
            assert "married" in tip.inner_text()

    @pytest.mark.parametrize(
        ("kind", "edition"),
        [
            ("one variable", "internal"), ("empty columns", "internal"), ("loss only", "internal"),
            ("gdu only", "internal"), ("empty columns", "public"), ("loss only", "public"),
            ("register", "public"),
        ],
    )  # fmt: skip
    def test_variables_of_every_kind(self, visit, kind, edition):
        with visit(kind, edition) as page:
            open_all_variables(page)
            panels = page.locator("tr.detail .open")
            for panel in panels.all():
                charts = panel.locator(".chart svg").count()
                assert charts > 0 or panel.locator("p.soft").inner_text()
            assert_no_overflow(page)


class TestPairs:
    def test_by_the_list_of_the_weakest(self, visit):
        i, j, *_ = data_in("demo")["pairs"]["weakest"][2]
        names = data_in("demo")["pairs"]["names"]
        with visit("demo") as page:
            table(page, "Weakest pairs").locator("tbody button").nth(2).click()
            settled(page)
            assert pair_name(page) == {names[i], names[j]}
            assert page.locator("[aria-live] .open .chart svg").count() >= 2
            focused = page.evaluate("document.activeElement.className")
            assert focused == "open"  # whoever reads by ear is taken there

    def test_by_two_lists(self, visit):
        pairs = data_in("demo")["pairs"]
        wanted = (
            (("SEX", "MAR"), 3), (("MAR", "SEX"), 3),  # two mosaics and their difference
            (("SEX", "PINCP"), 2), (("PINCP", "SEX"), 2),  # box plots and the difference
            (("WAGP", "PINCP"), 3),
        )  # fmt: skip
        with visit("demo") as page:
            for pair, charts in wanted:
                i, j = sorted(pairs["names"].index(name) for name in pair)
                utility = next(u for a, b, u in pairs["matrix"] if [a, b] == [i, j])
                panel = open_pair(page, *(pairs["names"].index(name) for name in pair))
                assert pair_name(page) == set(pair)
                assert panel.locator(".chart svg").count() == charts
                assert f"Utility {utility:.3f}" in panel.inner_text()
                assert pairs["stories"][f"{i},{j}"] in panel.inner_text()

    def test_a_variable_with_itself_is_no_pair(self, visit):
        with visit("demo") as page:
            page.select_option("select[aria-label='First variable']", "1")
            page.select_option("select[aria-label='Second variable']", "1")
            page.click(".open-pair")
            assert page.locator("[aria-live] .open").count() == 0

    def test_by_the_heat_map(self, visit):
        with visit("demo") as page:
            page.wait_for_timeout(600)
            for place in (1, 60):
                cell, names = heat_cell(page, place)
                cell.click()
                page.wait_for_selector("[aria-live] .open")
                assert pair_name(page) == names
            assert page.locator("[aria-live] .open .chart svg").count() >= 2

    def test_by_the_heat_map_in_another_theme(self, visit):
        with visit("demo") as page:
            page.wait_for_timeout(600)
            page.click("#theme")
            settled(page)
            page.wait_for_timeout(600)
            cell, names = heat_cell(page, 30)
            cell.click()
            page.wait_for_selector("[aria-live] .open", timeout=5_000)
            assert pair_name(page) == names

    def test_groups_whose_names_begin_alike(self, visit):
        """Each group has a box of its own on both sides."""
        with visit("same start") as page:
            panel = open_pair(page, 0, 1)
            boxes = panel.locator(".chart").first
            assert boxes.locator(".role-axis-label text").count() >= 2 * 3
            ticks = boxes.locator(".mark-rect.role-mark path, .mark-tick path")
            heights = ticks.evaluate_all(
                "(all) => [...new Set(all.map((e) => Math.round(e.getBoundingClientRect().top)))]"
            )
            assert len(heights) >= 2 * 3


class TestLook:
    def test_theme(self, visit):
        with visit("demo") as page:
            panel = open_variable(page, "MAR")
            ink = "(e) => getComputedStyle(e).fill"
            label = ".role-axis-label text"
            before = panel.locator(label).first.evaluate(ink)
            page.evaluate(
                "document.querySelectorAll('.chart svg').forEach((s) => { s.dataset.old = '1'; })"
            )
            for theme, word in (("dark", "Light"), ("light", "Dark")):
                page.click("#theme")
                assert page.evaluate("document.documentElement.dataset.theme") == theme
                assert page.inner_text("#theme") == word
                page.wait_for_function("() => !document.querySelector('.chart svg[data-old]')")
                settled(page)
                same = panel.locator(label).first.evaluate(ink) == before
                assert same == (theme == "light")

    def test_legends_have_the_colours_of_the_charts(self, visit):
        with visit("demo") as page:
            panel = open_variable(page, "MAR")
            for _ in range(2):
                settled(page)
                page.wait_for_timeout(200)
                dots = panel.locator(".legend i").evaluate_all(
                    "(all) => all.map((e) => getComputedStyle(e).backgroundColor)"
                )
                bars = panel.locator("g.mark-rect.role-mark path").evaluate_all(
                    "(all) => all.map((e) => getComputedStyle(e).fill)"
                )
                assert set(bars) == set(dots)
                page.click("#theme")

    def test_a_reader_who_prefers_the_dark(self, visit):
        with visit("demo", color_scheme="dark") as page:
            assert page.evaluate("document.documentElement.dataset.theme") == "dark"
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert max(map(int, re.findall(r"\d+", paper)[:3])) < 80

    def test_explanations(self, visit):
        with visit("whole") as page:
            buttons = page.locator("button.why")
            assert buttons.count() > 10
            for button in buttons.all():
                box = page.locator(f"#{button.get_attribute('aria-controls')}")
                assert button.get_attribute("aria-expanded") == "false"
                assert box.is_hidden()
                button.click()
                assert button.get_attribute("aria-expanded") == "true"
                assert box.is_visible()
                told = box.locator("dt").all_inner_texts()
                assert told[:3] == ["question", "range", "direction"]
                assert set(told[3:-1]) <= {"this value", "values"}
                assert told[-1] == "reference"
                assert all(box.locator("dd").all_inner_texts())
                assert box.evaluate("(b) => b.scrollWidth - b.clientWidth") <= 1
                button.click()
                assert button.get_attribute("aria-expanded") == "false"
                assert box.is_hidden()

    def test_an_explanation_does_not_sort(self, visit):
        with visit("demo") as page:
            before = cells(page, "Variables", 0)
            table(page, "Variables").locator("thead button.why").first.click()
            assert cells(page, "Variables", 0) == before
            assert page.locator("th[aria-sort]").count() == 0

    def test_keyboard_only(self, visit):
        with visit("demo") as page:
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.className") == "skip"
            box = page.locator(".skip").bounding_box()
            assert box["x"] >= 0  # it shows itself to whom it is for
            wanted = "document.activeElement.matches('#variables tbody button.name')"
            for _ in range(120):
                page.keyboard.press("Tab")
                if page.evaluate(wanted):
                    break
            name = page.evaluate("document.activeElement.innerText")
            assert name == "COW"
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.innerText") == "AGEP"
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none"
            page.keyboard.press("Enter")
            settled(page)
            assert page.locator("tr.detail .chart svg").count() == 1
            assert page.evaluate("document.activeElement.ariaExpanded") == "true"
            page.keyboard.press("Space")
            assert page.locator("tr.detail").count() == 0

    def test_sorting_and_pairs_by_keyboard(self, visit):
        with visit("demo") as page:
            head = table(page, "Variables").locator("thead th > .sort").first
            head.focus()
            page.keyboard.press("Enter")
            assert cells(page, "Variables", 0)[0] == "AGEP"
            page.locator("select[aria-label='First variable']").focus()
            page.keyboard.press("Tab")
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            settled(page)
            assert pair_name(page) == set(data_in("demo")["pairs"]["names"][:2])

    def test_on_paper(self, visit):
        with visit("demo", color_scheme="dark") as page:
            open_variable(page, "MAR")
            page.emulate_media(media="print")
            for hidden in (".tools", "nav", ".filters", ".why", "header", ".more"):
                assert not any(e.is_visible() for e in page.locator(hidden).all())
            for shown in ("#decision .answer", "#variables table", "tr.detail .chart svg", "#risk"):
                assert page.locator(shown).first.is_visible()
            ink, paper = page.evaluate(
                "[getComputedStyle(document.body).color,"
                " getComputedStyle(document.body).backgroundColor]"
            )
            assert ink == "rgb(0, 0, 0)"
            assert paper == "rgb(255, 255, 255)"
            printed = page.pdf()
            assert printed.startswith(b"%PDF")
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= 2

    @pytest.mark.parametrize("kind", ["demo", "rank", "whole", "hundred"])
    def test_fits_its_width(self, visit, kind):
        with visit(kind, width=NARROW) as page:
            assert_no_overflow(page)
            if kind != "hundred":
                open_all_variables(page)
            open_pair(page, 0, 2)
            for width in (NARROW, WIDE):
                page.set_viewport_size({"width": width, "height": 900})
                assert_no_overflow(page)
                answers = page.locator(".answers").first.bounding_box()
                assert answers["width"] > 0.6 * min(width, 1140)

    def test_explanations_fit_a_narrow_page(self, visit):
        with visit("demo", width=NARROW) as page:
            page.evaluate("document.querySelectorAll('button.why').forEach((b) => b.click())")
            assert_no_overflow(page)

    def test_charts_have_names_for_whom_cannot_see_them(self, visit):
        with visit("whole") as page:
            open_all_variables(page)
            open_pair(page, 0, 1)
            held = page.locator(".chart, .triangle")
            names = held.evaluate_all("(all) => all.map((c) => c.ariaLabel)")
            assert "Utility of every pair" in names
            assert "Shares of categories" in names
            assert "Box plot" in names
            assert "Difference" in names
            assert "Vega visualization" not in names


class TestRanking:
    def test_the_map_and_the_levels(self, visit):
        with visit("rank") as page:
            drawn = page.locator("#decision .chart").first
            shown = drawn.locator("text").all_text_contents()
            assert set(data_in("rank")["candidates"]) <= set(shown)
            assert page.locator("#experts .chart svg").count() >= 1
            assert page.locator("#candidates .mark").inner_text().strip() == "recommended"

    def test_which_risk_it_is_and_the_notes(self, visit):
        data = data_in("rank")
        with visit("rank") as page:
            assert data["table"]["keys"][3] == "disclosure"
            shown = page.inner_text("#candidates")
            assert data["risk"] in shown
            assert "intruder" in data["risk"]
            assert data["notes"]
            assert page.locator("#experts details li").all_text_contents() == data["notes"]

    def test_tabs(self, visit):
        data = data_in("rank")
        with visit("rank") as page:
            tabs = page.locator(".tabs button")
            assert tabs.all_inner_texts() == data["candidates"]
            chosen = data["candidates"].index(data["recommended"])
            for place in (chosen, 4, 0):
                if place != chosen:
                    tabs.nth(place).click()
                pressed = tabs.evaluate_all("(all) => all.map((b) => b.ariaPressed)")
                assert pressed == [str(i == place).lower() for i in range(5)]
                settled(page)
                verdict = data["reports"][place]["decision"]["useful"]["sentence"]
                assert verdict in page.inner_text("#each .decision").replace("\u00a0", " ")
                assert page.locator("#each .decision").count() == 1
            assert "removed" in page_text_of_tab(page, 4)

    def test_pairs_of_the_candidate_that_is_open(self, visit):
        with visit("rank") as page:
            page.locator(".tabs button").nth(4).click()
            settled(page)
            page.wait_for_timeout(600)
            cell, names = heat_cell(page, 20)
            cell.click()
            page.wait_for_selector("[aria-live] .open")
            assert pair_name(page) == names

    def test_one_variable_over_the_candidates(self, visit):
        data = data_in("rank")
        with visit("rank") as page:
            pick = page.locator("#mosaics select")
            assert pick.locator("option").all_inner_texts() == [m["name"] for m in data["mosaics"]]
            for place in (0, len(data["mosaics"]) - 1):
                pick.select_option(str(place))
                settled(page)
                shown = page.locator("#mosaics .role-axis-label text").all_text_contents()
                wanted = {row[0] for row in data["mosaics"][place]["rows"]}
                assert wanted <= set(shown)
                labels = {row[1] for row in data["mosaics"][place]["rows"]}
                legend = page.locator("#mosaics .role-legend-label text").all_text_contents()
                assert set(legend) == labels

    @pytest.mark.parametrize("kind", ["coefficients", "indicators"])
    def test_intervals_over_the_candidates(self, visit, kind):
        """The original on top, then by the expected re-identifications, which are told."""
        data = data_in("rank")
        several = data["regressions" if kind == "coefficients" else "indicators"]
        terms = [t for one in several for t in one["terms"]]
        assert terms
        with visit("rank") as page:
            charts = page.locator(f"#{kind} .chart")
            assert charts.count() == len(terms)
            for chart, term in zip(charts.all()[:3], terms, strict=False):
                shown = chart.locator(".role-axis-label text").all_text_contents()
                names = [text.split(" · ")[0] for text in shown]
                assert names[-len(term["rows"]) :] == [row[0] for row in term["rows"]]
                expected = [row[4] for row in term["rows"][1:]]
                assert expected == sorted(expected, reverse=True)
                told = [text.split(" · ")[1] for text in shown if " · " in text]
                figures = [float(text.replace(",", "")) for text in told]
                assert figures == pytest.approx(expected, rel=1e-3)

    def test_candidates_whose_names_begin_alike(self, visit):
        with visit("same names") as page:
            marks = page.locator("#mosaics g.mark-rect.role-mark path")
            rows = marks.evaluate_all(
                "(all) => [...new Set(all.map((e) => Math.round(e.getBoundingClientRect().top)))]"
            )
            assert len(rows) == 3  # the original, and both
            assert len(set(page.locator(".tabs button").all_inner_texts())) == 2


def page_text_of_tab(page, place):
    page.locator(".tabs button").nth(place).click()
    settled(page)
    return page.inner_text("#each")


class TestPublicEdition:
    SECRET = re.compile(
        r"\brisk|identif|unique|\bRUT\b|inferred|suppress|balance",
        re.IGNORECASE,
    )

    @pytest.mark.parametrize("kind", ["demo", "rank", "register"])
    def test_no_word_of_risk_or_of_how(self, visit, kind):
        with visit(kind, "public") as page:
            open_all_variables(page)
            page.evaluate("document.querySelectorAll('.filters button').forEach((b) => b.click())")
            settled(page)
            said = page.locator("h2, h3", has_text="leaves out").first.locator("+ ul").inner_text()
            assert "risk" in said
            page.evaluate(
                "document.querySelectorAll('h2 + ul, h3 + ul').forEach((u) =>"
                " u.previousElementSibling.textContent.includes('leaves out') && u.remove())"
            )
            text = page.inner_text("body").replace("At risk of poverty", "")  # an indicator
            assert self.SECRET.findall(text) == []
        with visit(kind) as page:
            assert self.SECRET.search(page.inner_text("body"))

    @pytest.mark.parametrize(("kind", "name"), [("demo", "PINCP"), ("narrow", "x")])
    def test_bins_are_told_by_their_edges(self, visit, kind, name):
        data = data_in(kind, "public")
        inner = next(v for v in data["variables"] if v["name"] == name)["detail"]["inner"]
        with visit(kind, "public") as page:
            panel = open_variable(page, name)
            assert panel.locator(".chart svg").count() == 1
            texts = panel.locator(".role-axis-label text").all_text_contents()
            bins = [text for text in texts if text[0] in "<≥" or " – " in text]
            assert len(bins) == len(set(bins)) == len(inner) + 1
            assert bins[0].startswith("<")
            assert bins[-1].startswith("≥")
            told = [value(text.split(" – ")[0].strip("<≥ ")) for text in (bins[0], *bins[2:])]
            assert told == inner

    def test_a_pair_has_its_figure_but_no_table(self, visit):
        with visit("demo", "public") as page:
            panel = open_pair(page, 0, 2)
            assert "Utility" in panel.inner_text()
            assert panel.locator(".chart, ul").count() == 0

    def test_the_public_ranking_recommends_nothing(self, visit):
        with visit("rank", "public") as page:
            assert page.locator(".mark").count() == 0
            assert page.locator("#decision .chart").count() == 0
            assert page.locator(".tabs button").count() == 5


# -- hostile data ----------------------------------------------------------------------------


class TestHostile:
    @pytest.mark.parametrize("edition", ["internal", "public"])
    def test_nothing_of_the_data_runs(self, visit, edition):
        names = data_in("hostile", edition)["pairs"]["names"]
        with visit("hostile", edition) as page:
            open_all_variables(page)
            for i in range(0, len(names) - 3, 4):
                open_pair(page, i, i + 1)
                open_pair(page, i + 3, i)
            assert page.evaluate("window.hacked") is None
            assert page.locator("img, iframe, object").count() == 0
            # Data, what draws as it is packed and unpacked, and ours.
            assert page.evaluate("document.scripts.length") == 4
            shown = variable_buttons(page).evaluate_all("(all) => all.map((b) => b.textContent)")
            assert set(shown) == set(HOSTILE)

    def test_labels_are_text_on_the_axis(self, visit):
        variable = data_in("hostile")["variables"][0]
        with visit("hostile") as page:
            panel = open_variable(page, variable["name"])
            texts = panel.locator(".role-axis-label text").all_text_contents()
            shown = [visible(text) for text in texts]
            for label in variable["detail"]["labels"]:
                assert any(text.startswith(visible(label)[:14]) for text in shown), label

    def test_tooltips_are_text(self, visit):
        with visit("hostile") as page:
            panel = open_variable(page, HOSTILE[0])
            bars = panel.locator("g.mark-rect.role-mark path")
            seen = ""
            for bar in bars.all()[:40:2]:
                bar.hover()
                tip = page.locator("#vg-tooltip-element.visible")
                tip.wait_for()
                assert tip.locator("img, script, a").count() == 0
                seen += tip.inner_text()
            assert "<script>" in seen
            assert "onerror" in seen

    @pytest.mark.parametrize("kind", ["breaking", "inherited"])
    def test_labels_that_a_language_may_stumble_on(self, visit, kind):
        """Line separators, and names that every object of JavaScript has."""
        labels = BREAKING if kind == "breaking" else INHERITED
        with visit(kind) as page:
            lacking = []
            for place, label in enumerate(labels):
                button = variable_buttons(page).filter(has_text=f"v{place}")
                button.click()
                page.wait_for_function(f"() => ({DRAWN}) && document.querySelector('tr.detail')")
                shown = page.locator("tr.detail .role-axis-label text").all_text_contents()
                if visible(label) not in map(visible, shown):
                    lacking.append(label)
                button.click()
            assert lacking == []
            open_pair(page, 0, 1)
            open_pair(page, 0, len(labels))

    @pytest.mark.parametrize("kind", ["hostile", "hostile rank"])
    def test_the_layout_holds(self, visit, kind):
        with visit(kind) as page:
            open_all_variables(page)
            open_pair(page, 0, 1)
            for width in (WIDE, NARROW):
                page.set_viewport_size({"width": width, "height": 900})
                assert_no_overflow(page)
                tall = page.evaluate(
                    "Math.max(...[...document.querySelectorAll("
                    "'#variables button.name, .tabs button')]"
                    ".map((b) => b.getBoundingClientRect().height))"
                )
                assert tall < 200

    def test_notes_with_long_names(self, visit):
        with visit("hostile") as page:
            page.locator("#measured summary").click()
            assert "y" * 1000 in page.locator("#measured details").inner_text()
            assert_no_overflow(page)

    @pytest.mark.parametrize("edition", ["internal", "public"])
    def test_candidates_with_such_names(self, visit, edition):
        with visit("hostile rank", edition) as page:
            tabs = page.locator(".tabs button")
            assert tabs.count() == len(HOSTILE)
            for place in (1, 2, 8):
                tabs.nth(place).click()
                settled(page)
            assert page.locator("img, iframe, object").count() == 0
            # Data, what draws as it is packed and unpacked, and ours.
            assert page.evaluate("document.scripts.length") == 4
            if edition == "internal":
                assert page.locator("#decision .chart svg").count() >= 1

    def test_filter_finds_markup_as_text(self, visit):
        with visit("hostile") as page:
            page.locator("input[type=search]").fill("<!--")
            assert set(cells(page, "Variables", 0)) == {"<!--", "<!--<script>"}


def test_five_hundred_variables(visit):
    """Pairs without a table have their figure, whichever way round they are asked for.

    Where there are very many, those that lost little are not in the report, which says so.
    """
    pairs = data_in("five hundred")["pairs"]
    assert pairs["untold"] > 100_000
    i, j, utility = pairs["matrix"][-1]
    held = {(a, b) for a, b, _ in pairs["matrix"]}
    untold = next((0, b) for b in range(1, 500) if (0, b) not in held)
    assert f"{i},{j}" not in pairs["tables"]
    with visit("five hundred") as page:
        assert len(cells(page, "Variables", 0)) == 500
        page.locator("input[type=search]").fill("v499")
        assert cells(page, "Variables", 0) == ["v499"]
        open_variable(page, "v499")
        assert page.locator("tr.detail .chart svg").count() > 0
        assert_no_overflow(page)
        for one, other in ((j, i), (i, j)):
            panel = open_pair(page, one, other)
            assert pair_name(page) == {pairs["names"][i], pairs["names"][j]}
            assert f"Utility {utility:.3f}" in panel.inner_text()
        said = open_pair(page, *untold).inner_text()
        assert "The report holds the pairs that lost most, and not this one." in said
        assert "The JSON result has every pair that was tested." in said
        assert "Utility" not in said


def test_a_hundred_variables_on_the_heat_map(visit):
    """The worst are shown, and said so; cells are large enough to point at; names apart."""
    with visit("hundred") as page:
        page.wait_for_selector(".triangle")
        assert "Shown are the 40 variables of 100 that lost most" in page.inner_text("#pairs")
        cells = page.locator(".triangle rect[data-row]")
        assert cells.count() == 40 * 39 / 2
        cell, names = heat_cell(page, 500)
        box = cell.bounding_box()
        assert min(box["width"], box["height"]) >= 12
        boxes = page.locator(".triangle svg > text").evaluate_all(
            "(all) => all.map((t) => t.getBoundingClientRect()).map((b) => [b.top, b.bottom])"
        )
        assert len(boxes) == 40
        tops = sorted(top for top, _ in boxes)
        assert np.diff(tops).min() >= 12
        cell.click()
        page.wait_for_selector("[aria-live] .open")
        assert pair_name(page) == names


class TestHeatMap:
    def test_weakest_first_and_removed_hatched(self, visit):
        pairs = data_in("demo")["pairs"]
        kept = {place: [] for place in range(len(pairs["names"]))}
        for i, j, utility in pairs["matrix"]:
            for place in (i, j):
                kept[place] += [] if utility is None else [utility]
        means = [np.mean(kept[i]) for i in pairs["order"] if kept[i]]
        assert means == sorted(means)
        assert pairs["order"][: len(pairs["removed"])] == pairs["removed"] != []
        with visit("demo") as page:
            page.wait_for_selector(".triangle")
            names = page.locator(".triangle svg > text").all_text_contents()
            first = [t for t in names if not re.fullmatch(r"[+−]?\.\d\d|[+−]?1\.00", t)]
            assert first == [pairs["names"][i] for i in pairs["order"]]
            hatched = page.locator(".triangle rect[data-column='0'][data-kind='removed']")
            assert hatched.count() == len(pairs["names"]) - 1

    def test_the_more_was_lost_the_farther_from_the_paper(self, visit):
        with visit("demo") as page:
            page.wait_for_selector(".triangle")
            for _ in range(2):
                light = page.evaluate(
                    """() => [...document.querySelectorAll('.triangle rect[data-row]')]
                      .filter((r) => !r.dataset.kind)
                      .map((r) => {
                        r.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
                        const told = document.querySelector('.pointed').textContent;
                        const [, u] = told.match(/utility ([\\d.]+)/) ?? [];
                        const canvas = document.createElement('canvas').getContext('2d');
                        canvas.fillStyle = getComputedStyle(r).fill; canvas.fillRect(0, 0, 1, 1);
                        const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
                        return [Number(u), 0.3 * red + 0.59 * green + 0.11 * blue]; })
                      .filter(([u]) => !Number.isNaN(u))"""
                )
                assert len(light) > 50
                paper = page.evaluate("document.documentElement.dataset.theme") != "dark"
                ranked = [shade for _, shade in sorted(light)]
                assert np.all(np.diff(ranked) * (1 if paper else -1) >= -1.5)
                page.click("#theme")

    def test_by_the_keyboard(self, visit):
        with visit("demo") as page:
            page.wait_for_selector(".triangle")
            page.focus(".triangle svg")
            seen = []
            for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp"):
                page.keyboard.press(key)
                seen.append(page.inner_text(".pointed"))
            assert len(set(seen)) >= 4
            names = set(page.locator(".pointed .name").all_text_contents())
            page.keyboard.press("Enter")
            page.wait_for_selector("[aria-live] .open")
            assert pair_name(page) == names

    def test_before_after_and_difference_on_request(self, visit):
        pairs = data_in("demo")["pairs"]
        with visit("demo") as page:
            page.click("[data-kind=associations]")
            three = page.locator(".three .triangle")
            assert three.count() == 3
            assert three.evaluate_all("(all) => all.map((t) => t.ariaLabel)") == [
                "Before", "After", "Difference",
            ]  # fmt: skip
            tops = three.evaluate_all("(all) => all.map((t) => t.getBoundingClientRect().top)")
            assert len(set(tops)) == 1
            i, j, before, after = pairs["associations"]["rows"][0]
            order = pairs["order"]
            row, column = sorted((order.index(i), order.index(j)), reverse=True)
            cell = three.nth(2).locator(f"rect[data-row='{row}'][data-column='{column}']")
            cell.hover()
            told = three.nth(2).locator(".pointed").inner_text()
            assert f"{before:.3f} before, {after:.3f} after" in told

    def test_the_page_stays_quick_with_very_many_variables(self, visit):
        with visit("five hundred") as page:
            page.wait_for_selector(".triangle")
            assert page.locator(".triangle rect").count() < 1000
            assert "variables of 500" in page.inner_text("#pairs")
