"""A section that nobody drew anything for: on a terminal, in JSON, in a notebook, in a report.

It is made here and registered for a while; no other file knows of it.
"""

import json
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import ClassVar

import pytest

from microgauge.log import Note
from microgauge.results import Alignment, Assessment, Inputs, InputTable
from microgauge.results.blocks import (
    QUESTIONS,
    Chart,
    Figure,
    Figures,
    Group,
    Head,
    Headline,
    Intervals,
    Legend,
    Sentence,
    Stories,
    Table,
)
from microgauge.results.plain import json_text
from microgauge.sections.presenting import PRESENTER
from microgauge.sections.registry import registered, sections
from microgauge.sections.section import Section
from support.browser import CHROMIUM, chromium, watched_page
from support.reports import data_of, section_of

INPUTS = Inputs(
    original=InputTable(path="o.csv", rows=12, columns=2),
    protected=InputTable(path="p.csv", rows=12, columns=2),
    alignment=Alignment(aligned=True, how="row order", reason="as many rows"),
    seed=1,
)
HOSTILE = "</script><b>$after</b>"


@dataclass(frozen=True, kw_only=True)
class ToyResult:
    value: float | None
    reason: str | None = None


class Toy(Section):
    """How many there are of each."""

    name = "toy"
    title = "A toy"
    about = "nothing much"
    page = "index.md"
    public = True
    explanations: ClassVar = {
        "toy": {"question": "How many?", "range": "0 up", "direction": "0", "reference": "none"}
    }

    def run(self, study, log):
        raise NotImplementedError

    def for_users(self, result, told):
        return result.sections[self.name]

    def headline(self, result):
        shown = Figure(label="toys", value=result.toy.value, explain="toy", main=True)
        line = replace(shown, said="(the more the better)")
        return Headline(sentence="There are toys.", figures=(shown,), lines=(line,))

    def words(self, result):
        bounds = {"original": 1.0, "original_ci": (0.5, 2.0)}
        both = Intervals(title="Intervals", **bounds, protected=1.5, protected_ci=(1.0, 2.5))
        rows = (("dolls", 1.5, True, both), (HOSTILE, None, False, ""))
        heads = (Head(text="kind"), Head(text="mean", digits=2), Head(text="old"), Head(text=""))
        spec = {
            "data": {"values": [{"kind": HOSTILE, "n": 2, "color": "$after"}]},
            "width": 100,
            "mark": {"type": "bar", "color": "$after"},
            "encoding": {
                "y": {"field": "kind", "type": "nominal"},
                "x": {"field": "n", "type": "quantitative"},
            },
        }
        return [
            Sentence(text="Toys were counted."),
            Stories(rows=(("dolls", "most of all"), ("", "and cars"))),
            Figures(rows=(Figure(label="dolls", value=0.5, said="of all"),)),
            Legend(),
            Table(caption="Toys", heads=heads, rows=rows, notes=(None, "none was seen")),
            Chart(title="Toys by kind", spec=spec),
            Chart(title="The same again", spec=spec),
            Group(title="More toys", blocks=(Sentence(text="In the attic.", soft=True),)),
        ]


class Secret(Toy):
    """The same, not for data users."""

    name = "secret"
    title = "A secret"
    public = False
    explanations: ClassVar = {
        "secret": dict.fromkeys(("question", "range", "direction", "reference"), "-")
    }

    def headline(self, result):
        return Headline(figures=(Figure(label="secrets", value=0.25, explain="secret"),))


def assessment(**given):
    return Assessment(
        microgauge="1", schema_version=1, inputs=INPUTS, variables=(), presenter=PRESENTER, **given
    )


@pytest.fixture
def result():
    with registered(Toy()), registered(Secret()):
        yield assessment(sections={"toy": ToyResult(value=3.0), "secret": ToyResult(value=0.25)})


# -- the assessment that holds it --------------------------------------------------------------


def test_any_section_is_an_attribute(result):
    assert result.toy == ToyResult(value=3.0)
    assert result.gdu is None
    with pytest.raises(AttributeError, match="puppet"):
        _ = result.puppet
    assert assessment(toy=ToyResult(value=3.0)).toy.value == 3.0


def test_an_assessment_can_be_changed_copied_and_sent(result):
    other = replace(result, toy=ToyResult(value=4.0))
    assert (other.toy.value, other.secret.value, result.toy.value) == (4.0, 0.25, 3.0)
    assert result.changed(toy=ToyResult(value=4.0)) == other != result
    there = pickle.loads(pickle.dumps(result))
    assert there == result
    assert there.presenter is PRESENTER
    with pytest.raises(FrozenInstanceError):
        result.sections = {}


def test_notes_are_sentences_of_remarks():
    remark = Note("toys-lost", "Toys were lost.", ("dolls",))
    found = assessment(remarks=(remark,), notes=("Toys were lost.", "And found."))
    assert found.notes == ("Toys were lost.", "And found.")
    assert found.remarks[0] is remark  # sentences that are known keep their records
    assert replace(found, inputs=INPUTS).notes == found.notes
    assert replace(found, notes=("And found.",)).notes == ("And found.",)
    assert replace(found, notes=()).notes == ()
    assert found.to_dict()["notes"] == ["Toys were lost.", "And found."]
    assert "Toys were lost." in found.long_text()


def test_json_holds_it_under_its_name(result):
    plain = json.loads(json_text(result))
    assert plain["toy"] == {"value": 3.0}
    assert list(plain) == [
        "microgauge", "schema_version", "inputs", "variables", "toy", "secret", "notes",
        "forms",
    ]  # fmt: skip


def test_what_is_undefined_says_why_in_the_json():
    plain = assessment(toy=ToyResult(value=None, reason="no toys")).to_dict()
    assert plain["toy"] == {"value": None, "reason": "no toys"}


# -- where it is shown -------------------------------------------------------------------------


def test_the_terminal_shows_it(result):
    text = result.long_text()
    assert text.startswith("toys  3.000   (the more the better)\n\noriginal ")
    table = [
        "A toy",
        "  Toys were counted.",
        "  dolls        most of all",
        "               and cars",
        "  dolls        0.500   of all",
        "  kind                    mean  old",
        "  dolls                   1.50  yes",
        "  </script><b>$after</b>     –  no",
        "    none was seen",
    ]
    assert "\n".join(table) in "\n".join(line.rstrip() for line in text.splitlines())
    assert "\n\nMore toys\n  In the attic.\n" in text


def test_a_notebook_shows_it_as_text(result):
    view = result._repr_html_()
    assert "Toys were counted." in view
    assert "</script>" not in view
    assert "&lt;/script&gt;" in view


def test_the_report_holds_it(result):
    data = data_of(result.report())
    assert data["verdict"] == ["There are toys."]
    assert data["figures"][0]["label"] == "toys"
    kinds = [block["block"] for block in section_of(data, "toy")]
    assert kinds == ["sentence", "stories", "figures", "legend", "table", "chart", "chart"]
    assert data["explain"]["toy"]["question"] == "How many?"


def test_data_users_see_no_section_that_is_not_for_them(result):
    page = result.report(edition="public")
    data = data_of(page)
    assert [s["title"] for s in data["sections"]] == ["A toy", "More toys"]
    assert "secret" not in json.dumps(data).lower()
    assert "A secret" in json.dumps(data_of(result.report()))


def test_no_section_is_public_that_does_not_say_so_and_what_of_it():
    assert Section.public is False
    public = {s.name: s for s in sections() if s.public}
    assert set(public) == {
        "clusters", "details", "ecdf", "gdu", "indicators", "propensity", "regressions",
        "yardsticks",
    }  # fmt: skip
    assert all("for_users" in vars(type(section)) for section in public.values())


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_draws_it(result, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    path = tmp_path / "toy.html"
    path.write_text(result.report(), encoding="utf-8")

    def ready(page):
        page.wait_for_function(
            "() => [...document.querySelectorAll('.chart')].every((c) => c.querySelector('svg'))"
        )

    with chromium(playwright) as browser, watched_page(browser, path, ready) as page:
        assert page.inner_text(".card.main .value") == "3.000"
        assert page.inner_text("h1") == page.title() == "Release check"
        links = page.locator("nav a").evaluate_all("(all) => all.map((a) => a.hash)")
        assert links == ["#decision", *(f"#{question}" for question in QUESTIONS)]
        parts = page.locator("#experts > section").evaluate_all("(all) => all.map((s) => s.id)")
        assert parts == ["figures", "toy", "toy-more-toys", "secret", "secret-more-toys"]
        toy = page.locator("#toy")
        assert toy.locator("p").first.inner_text() == "Toys were counted."
        assert toy.locator(".charts > .chart svg").count() == 2
        rows = toy.locator("table tbody tr")
        assert rows.nth(0).locator(".chart svg").count() == 1
        assert rows.nth(1).locator("th, td").all_inner_texts() == [HOSTILE, "–", "no", ""]
        assert rows.nth(2).inner_text() == "none was seen"
        bar = toy.locator(".charts .chart").first.locator("g.mark-rect path").first
        light = bar.get_attribute("fill")
        # A colour by its name follows the theme; the same word in the data stays a word.
        page.click("#theme")
        ready(page)
        dark = bar.get_attribute("fill")
        assert (light, dark) == ("#0072b2", "#56b4e9")
        assert HOSTILE in toy.locator(".charts .chart").first.inner_text()
