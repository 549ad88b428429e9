"""Every sentence that the program can print, listed, and laws that all of them keep.

`forms.txt` lists what stands in the source; `printed.txt` what prepared tables make it print. Both
are renewed by `PYTHONPATH=src:tests python -m support.sentences`: read what is new there as a head
of unit would, for 0, 1 and many.
"""

from __future__ import annotations

import re
from difflib import unified_diff
from functools import cache

import pytest

from support.forms import SOURCE, forms, forms_in, listed
from support.sentences import (
    CODES,
    FORMS,
    PLAIN,
    PRINTED,
    Said,
    form,
    listed_codes,
    printed,
    printed_forms,
)

RENEW = "renew the list by: PYTHONPATH=src:tests python -m support.sentences"

NOT_ENGLISH = {
    "two blanks": r"\S {2,}\S",
    "two full stops": r"\.\.(?!\.)",
    "a blank before a stop": r" [.,;:](?![.\w])",
    "two signs": r"[,;:][.,;:]|\.[,;:](?!\w)",
    "nothing in parentheses": r"\(\s*\)",
    "nothing where something was to be filled in": r"\{[a-z_.]*\}",
    "a word twice": r"\b(\w{2,}) \1\b",
    "two verbs": r"\b(?:is|are|was|were) (?:is|are|was|were|can)\b",
    "what Python calls nothing": r"\b(?:None|nan|NaN|inf|True|False)\b",
    "one of many": r"(?<![\d.,])\b1 (?!times|less|was|is|has|of|everybody)(?:[a-z-]+ )?[a-z]+s\b",
    "many of one": r"(?<![\d.,])\b(?:[2-9]|\d{2,}) (?:record|unit|person|pair|variable|cell|row)\b",
    "nought times": r"\b0\.0+ times",
    "noise": r"\d(?:\.\d+)?e-(?:1\d|[2-9]\d)",
    "per cent beside its number": r"\d%",
    "an article": r"\ba (?:8\d? %|11 %|18 %|[aeio]\w{3,} (?!user))",
}
"""What no sentence has, by what is wrong with it."""
RIGHT = re.compile(r"a (?:one|once)|full=True|(?:^|p )\d(?:\.\d+)?e-\d+")
"""What would be found above and is right: very small p-values among them."""
EXPERTS = re.compile(
    r"\b(?:U_p|U_c|U_m|U_s|IL1s?|CTBIL|GCP|NCP|AAD|AUC|pMSE|SUDA|RUT|R_internal)\b"
)
"""Names of measures that a head of unit need not know."""
GLUED = re.compile(r"\(\|s\)|\(s\|\)|\{\}s\b")
"""Plurals made by gluing an s."""


@cache
def everything() -> tuple[Said, ...]:
    return tuple(printed())


def differences(kept: str, found: str) -> str:
    return "\n".join(unified_diff(kept.splitlines(), found.splitlines(), "kept", "found", n=0))


# -- lists ---------------------------------------------------------------------------------------


def test_every_form_in_the_source_is_listed():
    told = differences(FORMS.read_text(encoding="utf-8"), listed(forms()))
    assert not told, f"{told}\n{RENEW}"


def test_every_form_that_is_printed_is_listed():
    told = differences(PRINTED.read_text(encoding="utf-8"), printed_forms(list(everything())))
    assert not told, f"{told}\n{RENEW}"


def test_a_new_sentence_is_noticed():
    source = (
        'def f(n):\n    """A docstring of some words."""\n    return f"There are {n} of them"\n'
    )
    assert list(forms_in(source)) == ["There are {} of them"]


def test_every_code_of_a_note_or_finding_is_listed():
    told = differences(CODES.read_text(encoding="utf-8"), listed_codes(list(everything())))
    assert not told, f"{told}\n{RENEW}"


def test_every_finding_is_described():
    """A reader who looks up a code of a finding finds it."""
    page = (SOURCE.parents[1] / "docs" / "verdict.md").read_text(encoding="utf-8")
    found = {one.text for one in everything() if one.kind == "finding code"}
    assert found
    assert {code for code in found if f"`{code}`" not in page} == set()


# -- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", NOT_ENGLISH)
def test_every_sentence_is_english(wrong):
    pattern = re.compile(NOT_ENGLISH[wrong])
    told = (one for one in everything() if one.kind != "text")  # tables stand in columns
    found = {one.text for one in told if pattern.search(RIGHT.sub("", one.text))}
    assert found == set()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("two blanks", "one  two"),
        ("two full stops", "It is so.."),
        ("a word twice", "the the file"),
        ("two verbs", "the files are can be told apart"),
        ("what Python calls nothing", "it is None"),
        ("one of many", "merged into 1 groups"),
        ("one of many", "it holds 1 distinct values"),
        ("many of one", "2 record left"),
        ("nought times", "0.0 times what"),
        ("noise", "AAD 1.13e-15"),
        ("per cent beside its number", "93% of units"),
    ],
)
def test_what_is_wrong_is_seen(wrong, said):
    assert re.search(NOT_ENGLISH[wrong], RIGHT.sub("", said))


def test_sentences_end_as_sentences():
    kinds = ("verdict", "finding", "fault")
    found = [one.text for one in everything() if one.kind in kinds]
    assert [said for said in found if not re.search(r"[.?]$", said)] == []
    assert [said for said in found if said != said.strip()] == []


def test_what_a_head_of_unit_reads_names_no_measure_of_experts():
    found = {one.text for one in everything() if one.kind in PLAIN and EXPERTS.search(one.text)}
    assert found == set()


def test_no_plural_is_glued():
    found = {said for told in forms().values() for said in told if GLUED.search(said)}
    assert found == set()


def test_forms_keep_the_number():
    assert form("q_a was removed") == "NAME was removed"
    assert form("q_a, q_b were removed; 1 of 1,200, 0 and 0.05") == (
        "NAMES were removed; 1 of #, 0 and #"
    )
