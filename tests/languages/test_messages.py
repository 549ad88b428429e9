"""Messages are their English text, and remember enough to be said in any language."""

import copy
import json
import pickle

import hypothesis.strategies as st
import pytest
from hypothesis import given

from microgauge.errors import Undefined
from microgauge.languages.catalogue import ENGLISH_WORDS, FOLDER, Words, entries
from microgauge.languages.messages import (
    PLACES,
    Message,
    all_in_language,
    begun,
    count,
    forms_of,
    in_language,
    number,
    said_again,
    say,
    strung,
)
from microgauge.results.wording import called, figure, in_words, per_cent

GERMAN = Words(
    "de",
    {
        "{part} of {all:,} records": "{part} von {all:,} Datensätzen",
        "apart from {names}": "außer {names}",
        "{first} and {last}": "{first} und {last}",
        "over 99.9 %": "über 99,9 %",
        "row order": "Reihenfolge",
    },
    {"{n:,} record": ("{n:,} Datensatz", "{n:,} Datensätze")},
)
RECORDS = "{n:,} record", "{n:,} records"
TEXTS = (FOLDER / "texts.pot").read_text(encoding="utf-8")
names = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)


@st.composite
def messages(draw, deep=2):
    """Any message, made of others."""
    inner = st.one_of(names, messages(deep - 1)) if deep else names
    kind = draw(st.sampled_from(["form", "counted", "number", "row", "begun"]))
    if kind == "form":
        return say("{part} of {all:,} records", part=draw(inner), all=draw(st.integers(0, 10**6)))
    if kind == "counted":
        return count(draw(st.integers(0, 10**6)), *RECORDS)
    if kind == "number":
        return figure(draw(st.floats(-1e6, 1e6)))
    parts = [draw(inner), say("apart from {names}", names=draw(inner))]
    return strung(parts, draw(st.sampled_from([", ", " "]))) if kind == "row" else begun(parts[1])


@pytest.mark.parametrize(
    "form",
    ["{a.said.__globals__}", "{a[0]}", "{a:>999999999}", "{a:{b}}", "{a!s}", "{0}", "{}", "{", "}"],
)
@pytest.mark.parametrize("kind", ["form", "counted"])
def test_a_form_out_of_a_file_asks_for_nothing_but_its_places(form, kind):
    counted = {"one": form, "many": form, "n": 2, "values": {"a": 1, "b": 2}}
    plain = counted if kind == "counted" else {"form": form, "values": {"a": {"form": "x"}}}
    with pytest.raises(ValueError, match="no form of ours"):
        said_again({"text": "t"}, {"text": {"t": plain}})


def test_every_form_of_the_catalogues_can_be_read_again():
    said = [one[key] for one in entries(TEXTS) for key in ("msgid", "msgid_plural") if key in one]
    for form in said:
        rest = PLACES.sub("", form)
        assert not set("{}") & set(rest), form


@given(messages())
def test_a_message_is_its_english_text(message):
    assert isinstance(message, str)
    assert in_language(message, ENGLISH_WORDS) == message
    assert hash(message) == hash("".join(message))
    assert json.loads(json.dumps(message)) == message


@given(messages())
def test_a_message_stays_one_wherever_it_goes(message):
    there = [
        pickle.loads(pickle.dumps(message)),
        copy.deepcopy(message),
        str(message),
        str(Undefined(message)),
    ]
    for one in there:
        assert isinstance(one, Message)
        assert one == message
        assert in_language(one, GERMAN) == in_language(message, GERMAN)


@given(st.lists(messages(), min_size=1, max_size=4), names)
def test_messages_that_were_written_can_be_said_again(told, name):
    plain = {"sentence": told[0], "about": [name], "inner": {"notes": told}}
    written = json.loads(json.dumps({"plain": plain, "forms": forms_of(plain)}))
    again = said_again(written["plain"], written["forms"])
    assert again == plain
    assert all_in_language(again, GERMAN) == all_in_language(plain, GERMAN)


@given(messages(), messages())
def test_texts_that_are_joined_are_joined_in_every_language(one, other):
    for language in (ENGLISH_WORDS, GERMAN):
        assert in_language(one + other, language) == in_language(one, language) + in_language(
            other, language
        )
        assert in_language("(" + one, language) == "(" + in_language(one, language)


def test_a_name_that_reads_like_a_message_stays_a_name():
    """A variable may be called as a field of the report is."""
    plain = {"reason": say("row order"), "about": ["row order"]}
    again = said_again(json.loads(json.dumps(plain)), forms_of(plain))
    assert all_in_language(again, GERMAN) == {"reason": "Reihenfolge", "about": ["row order"]}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            say("{part} of {all:,} records", part=figure(0.5), all=1234),
            "0,500 von 1.234 Datensätzen",
        ),
        (count(1, *RECORDS), "1 Datensatz"),
        (count(1200, *RECORDS), "1.200 Datensätze"),
        (begun(say("apart from {names}", names=in_words(["a", "b", "c"]))), "Außer a, b und c"),
        (per_cent(0.99999), "über 99,9 %"),
        (per_cent(0.123), "12,3\u00a0%"),
        (number("1,234.5"), "1.234,5"),
        (say("{a} ({b})", a="x.y", b=number("1.5")), "x.y (1,5)"),
        (strung([say("apart from {names}", names="a"), "b."], "; ").rstrip("."), "außer a; b"),
        (called("row order + another"), "Reihenfolge + another"),
        (say("{{{part}}}", part=number("1.5")), "{1,5}"),
        (say('"{name}" ({told})', name="x", told="y"), "„x“ (y)"),
    ],
)
def test_what_is_said_in_german(message, said):
    assert in_language(message, GERMAN) == said


def test_a_form_may_be_filled_later():
    form = say("{part} of {all:,} records")
    assert form == "{part} of {all:,} records"
    assert in_language(form.format(part=1, all=2), GERMAN) == "1 von 2 Datensätzen"


def test_what_no_message_is_made_of_is_no_message():
    assert not isinstance(strung(["a", "b"], ", "), Message)
    assert not isinstance(begun("a"), Message)
