"""Every text of the app stands in the catalogues, and nothing is said beside them."""

import importlib.util
import re
import string
from pathlib import Path

import pytest

from microgauge.languages import Words, languages, words_of
from microgauge.languages.catalogue import FOLDER, entries

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "src" / "microgauge" / "app" / "templates"
TRANSLATED = [code for code in languages() if code != "en"]
NAMES = {"microgauge", "kB", "app", "NAME"}
"""What is the same in every language."""


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "make_catalogue.py"
    spec = importlib.util.spec_from_file_location("make_catalogue", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def places(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


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
    words = set(re.findall(r"[A-Za-z]{2,}", re.sub(r"&\w+;", " ", text)))
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
