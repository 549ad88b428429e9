"""Whatever a report or a summary says can be said in another language: nothing is glued."""

import re
from typing import ClassVar

import pytest

from microgauge.languages.catalogue import FOLDER, entries
from microgauge.languages.messages import all_in_language
from microgauge.render.report.data import assessment_data
from microgauge.render.report.page import _for_users
from microgauge.render.report.ranking import ranking_data
from microgauge.render.summary.content import content_of
from microgauge.results import Assessment, Ranking
from microgauge.results.plain import to_dict
from support.sentences import CASES
from support.unsaid import Brackets, outside, unsaid

CODES = {
    "$schema", "align", "anchor", "answers", "as", "axis", "background", "baseline", "block",
    "code", "color", "colour", "edition", "explain", "field", "fill", "font", "form",
    "format", "grade", "gridColor", "how", "key", "keys", "kind", "limits", "made", "measure",
    "name", "names", "op", "orient", "outcome", "range", "role", "see", "shape", "stroke",
    "test", "title_", "titleFontWeight", "type", "unit", "written",
}  # fmt: skip
"""Fields of a page's data that hold codes, names and colours, and no text for people."""
NAMES = {
    "microgauge", "<DataFrame>", "GDU", "IL1s", "RUT", "safe", "useful", "results",
    "changed", "experts", "measured",
}  # fmt: skip
"""Texts that are the same in every language, and names of the questions."""


def left(plain):
    """What stands in a page and in no catalogue."""
    found = set()
    for place, text in unsaid(all_in_language(plain, Brackets())):
        field = place.rsplit(".", 1)[-1]
        if place.endswith("(key)") or field in CODES or text in NAMES:
            continue
        found.add((place, text))
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_word_of_a_report_is_in_the_catalogue(case):
    result = CASES[case]()
    if isinstance(result, Assessment | Ranking):
        for told in (result, _for_users(result, 1)):
            edition = "internal" if told is result else "public"
            assert left(data_of(told, edition)) == set()


@pytest.mark.parametrize("case", ["noise and bands", "one row left", "analyses and limits"])
def test_every_reason_of_a_result_is_in_the_catalogue(case):
    """Also those that no page shows: `forms` says them in another language."""
    said = unsaid(all_in_language(to_dict(CASES[case]()), Brackets()))
    assert {text for place, text in said if place.endswith(".reason") and "⟦" not in text} == set()


def data_of(result, edition):
    """What a page holds."""
    if isinstance(result, Ranking):
        return without_maps(ranking_data(result, edition, 1))
    return assessment_data(result, edition, 1)


def without_maps(data):
    """Maps are drawn in their language, by the length of their texts."""
    return {name: value for name, value in data.items() if name not in ("map", "closer")}


@pytest.mark.parametrize("case", ["noise and bands", "ranked, limits", "analyses and limits"])
def test_every_word_of_the_summary_is_in_the_catalogue(case):
    content = content_of(CASES[case](), Brackets.words())
    assert left(to_dict(content)) == set()


class Asked(Brackets):
    """Remembers what it was asked to say."""

    forms: ClassVar[set[str]] = set()

    def form(self, form):
        self.forms.add(form)
        return super().form(form)


def test_every_form_that_is_said_stands_in_the_catalogues():
    """A form that is put together while the program runs is in none."""
    asked = Asked.words()
    for make in CASES.values():
        result = make()
        if isinstance(result, Assessment | Ranking):
            all_in_language(data_of(result, "internal"), asked)
            all_in_language(data_of(_for_users(result, 1), "public"), asked)
            content_of(result, asked)
    catalogue = entries((FOLDER / "texts.pot").read_text(encoding="utf-8"))
    known = {one[key] for one in catalogue for key in ("msgid", "msgid_plural") if key in one}
    wordless = re.compile(r"[\W\d_]*(?:[^\W\d_][\W\d_]+)*[^\W\d_]?[\W\d_]*")
    said = {
        form for form in asked.forms if not wordless.fullmatch(re.sub(r"\{[^{}]*\}", " ", form))
    }
    assert said
    assert said - known == set()


def test_what_is_outside_of_brackets_is_found():
    assert outside("⟦a ⟦b⟧⟧ c").strip() == "c"
    assert left({"text": "glued"}) == {(".text", "glued")}
    assert not left({"text": "q_age", "kind": "code"})
    assert re.fullmatch(r"⟦.*⟧", Brackets().form("a"))
