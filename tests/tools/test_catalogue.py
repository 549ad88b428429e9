"""Every text that people read stands in the catalogues, and nothing is said beside them."""

import gettext
import importlib.util
import re
import string
import tomllib
from datetime import datetime
from pathlib import Path

import pytest

from microgauge.languages.catalogue import FOLDER, Words, entries, languages, words_of

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "src" / "microgauge" / "app" / "templates"
TRANSLATED = [code for code in languages() if code != "en"]
NAMES = {"microgauge", "app", "NAME"}
"""What is the same in every language."""
ALIKE = tomllib.loads((Path(__file__).parent / "alike.toml").read_text(encoding="utf-8"))
"""Texts that are the same as in English: symbols, entries of schemas, references, such words."""
SMALL = {
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December", "Gini coefficient"),
}
"""What has a capital in English only."""
ENGLISH = {"and", "are", "file", "files", "from", "of", "or", "row", "rows", "step", "steps"}
ENGLISH |= {"that", "the", "this", "to", "which", "with", "you"}
"""Words that none of the other languages has."""


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "make_catalogue.py"
    spec = importlib.util.spec_from_file_location("make_catalogue", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


CODE = re.compile(
    r'"[^"]*"|`[^`]*`|\[[^]]*\]|--[\w-]+|\w+ = \S+|\w+\([^)]*\)|[.\w-]+_\w+|[<>!]=|[-+:*/ ]{5,}'
)
"""What is typed, and the same in every language."""


def places(text):
    """What stands at places, and how it is written."""
    parsed = string.Formatter().parse(text)
    return sorted((name, spec, turned) for _, name, spec, turned in parsed if name)


def bare(text):
    """A text without what stands at its places."""
    return re.sub(r"\{[^{}]*\}", "x", text)


def blanks(text):
    """Those before and after a text."""
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def forms_of(language):
    """Every form of every text of a catalogue, with the text it translates."""
    for entry in entries((FOLDER / f"{language}.po").read_text(encoding="utf-8")):
        forms = [value for key, value in entry.items() if key.startswith("msgstr")]
        yield from ((entry["msgid"], form) for form in forms)


def test_the_list_of_texts_is_fresh(tool):
    assert (FOLDER / "texts.pot").read_text(encoding="utf-8") == tool.catalogue("", "")


def test_every_call_is_found(tool):
    found = tool.texts()
    for path in TEMPLATES.glob("*.html"):
        source = path.read_text(encoding="utf-8")
        calls = len(re.findall(r"\b_\(", source)) + len(re.findall(r"words\.many\(", source))
        assert calls == len(list(tool._in_template(source))), path.name
    assert ("Which files?", None) in found
    assert ("{n} step", "{n} steps") in found
    assert ("There is no such language.", None) in found


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=lambda path: path.name)
def test_no_word_of_a_template_stands_outside_of_the_catalogue(path):
    source = path.read_text(encoding="utf-8")
    bare = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", source, flags=re.DOTALL)
    said = " ".join(re.findall(r'\b(?:aria-label|title|placeholder|alt)="([^"]*)"', bare))
    bare = re.sub(r'="[^"]*"', "", bare)  # a value may hold the sign that ends a tag
    text = re.sub(r"<[^>]*>", " ", bare, flags=re.DOTALL) + " " + said
    words = set(re.findall(r"[A-Za-z]{2,}", re.sub(r"&\w+;|\w+\.json\b", " ", text)))
    assert words <= NAMES | {"risk", "utility"}, words


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_is_complete_and_keeps_every_place(language, tool):
    path = FOLDER / f"{language}.po"
    said = path.read_text(encoding="utf-8")
    assert said == tool.catalogue(language, said)
    for entry in entries(said):
        forms = [value for key, value in entry.items() if key.startswith("msgstr")]
        assert all(forms), entry["msgid"]
        for form in forms:
            assert places(form) in (
                places(entry["msgid"]),
                places(entry.get("msgid_plural", "")),
            ), entry["msgid"]


@pytest.mark.parametrize("language", TRANSLATED)
def test_nothing_is_unsure_or_left_in_english(language):
    said = (FOLDER / f"{language}.po").read_text(encoding="utf-8")
    assert "fuzzy" not in said
    same = {text for text, form in forms_of(language) if text == form}
    assert same == {*ALIKE["all"], *ALIKE[language]}
    for text, form in forms_of(language):
        said = CODE.sub("", bare(form)).lower()
        said = said.replace("and, or", "")  # words of conditions
        said = said.replace("«and», «or»", "")
        assert text in same or not ENGLISH & set(re.findall(r"\w+", said)), (text, form)


@pytest.mark.parametrize("language", TRANSLATED)
def test_files_limits_and_numbers_are_those_of_the_text(language):
    """What is typed or looked for is the same in every language: 5,497 may be written 5.497."""
    signs = r"[\w-]+\.(?:csv|toml)|\w+[<>]=[\d.]*\d|release-NAME|\d+|TOML|SHA|UTF|N/A"
    for text, form in forms_of(language):
        assert sorted(re.findall(signs, form)) == sorted(re.findall(signs, text)), text


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_text_begins_and_ends_as_the_english_one(language):
    """A label stays a label, and a question a question."""
    for text, form in forms_of(language):
        for sign in ".:?…":
            assert form.endswith(sign) == text.endswith(sign), (text, form)
        assert text == ", and " or blanks(form) == blanks(text), (text, form)
        assert "  " not in form.strip()
        if text[0].isupper() and text not in SMALL:
            assert form.lstrip("¿„«\u202f")[0].isupper() or form.startswith("{"), (text, form)


@pytest.mark.parametrize("language", TRANSLATED)
def test_signs_are_set_as_the_language_sets_them(language):
    for text, form in forms_of(language):
        for code in re.findall(r'"[^"]*"', form):
            assert code in text, (text, form)
        form = CODE.sub("x", bare(form))
        assert not re.search(r"['\"]|\.\.\.", form), (text, form)
        if language == "fr":
            assert not re.search(r"(?<![\u00a0\u202f])[:;!?%»]|«(?![\u00a0\u202f])", form), form
            assert "\u00a0;" not in form, form
        else:
            assert not re.search(r"\s[:;!?]", form), form
        if language == "es":
            assert form.count("¿") == form.count("?"), form
        if language == "de" or "…" not in text:
            assert ("\u0020…" in form) == ("…" in form), form


@pytest.mark.parametrize("language", TRANSLATED)
def test_one_and_many_are_told_apart_as_the_head_says(language):
    head = (FOLDER / f"{language}.po").read_text(encoding="utf-8")
    rule = gettext.c2py(re.search(r"plural=(.*?);", head)[1])
    for count in (0, 1, 2, 5, 21, 1000):
        said = Words(language, plurals={"x": ("one", "many")}).many(count, "x", "x")
        assert said == ("one", "many")[rule(count)], count


@pytest.mark.parametrize("language", list(languages()))
def test_a_range_may_be_typed_as_the_page_says_it(language):
    from microgauge.app.recipes import numbers_in

    ends = {"low": "0.1", "second": "0.2", "high": "0.5", "by": "0.1"}
    form = "Several values are explored: {low}, {second} or {low} to {high} by {by}"
    assert form in (FOLDER / "texts.pot").read_text(encoding="utf-8")
    said = words_of(language)(form, **ends)
    typed = re.search(r"0\.2 \w+ (0\.1 .*)", said)[1]
    assert numbers_in(typed) == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_a_text_that_is_not_translated_is_said_in_english():
    assert Words("xx")("Which files?") == "Which files?"
    assert words_of("nowhere").language == "en"


@pytest.mark.parametrize(("count", "said"), [(0, "0 files"), (1, "1 file"), (1234, "1,234 files")])
def test_one_and_many(count, said):
    assert Words().many(count, "{n} file", "{n} files") == said


def test_numbers_are_those_of_the_language():
    assert [Words(code).number(1234567.25, 2) for code in ("en", "de", "es")] == [
        "1,234,567.25",
        "1.234.567,25",
        "1.234.567,25",
    ]
    assert Words("fr").number(1234.5, 1) == "1\u202f234,5"


def test_dates_are_those_of_the_language():
    moment = datetime(2026, 3, 9, 17, 5)
    assert {code: Words(code).when(moment) for code in languages()} == {
        "en": "2026-03-09 17:05",
        "de": "09.03.2026 17:05",
        "es": "09/03/2026 17:05",
        "fr": "09/03/2026 17:05",
    }
