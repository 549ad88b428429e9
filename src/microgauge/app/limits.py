"""Limits as a form has them: the two that everybody knows as numbers, all others as text."""

from __future__ import annotations

import re

from microgauge.app.asked import Asked
from microgauge.errors import InputError
from microgauge.languages.messages import say

FIELDS = {"risk": "<=", "utility": ">="}
"""Figures that have a field of their own, and what a number in it means."""
NUMBER = re.compile(r"(\d*\.)?\d+([eE][-+]?\d+)?")
"""As browsers keep it in a field for numbers; what is another they empty without a word."""


def fields_of(require: str) -> dict[str, str]:
    """What stands in each field, by the limits as the command line has them.

    >>> fields_of("k>=3, risk<=0.05")
    {'risk': '0.05', 'utility': '', 'require': 'k>=3'}
    """
    found = dict.fromkeys(FIELDS, "")
    rest = []
    for part in _texts(require):
        own = {name: _number_in(part, name + sign) for name, sign in FIELDS.items()}
        held = {name: number for name, number in own.items() if number and not found[name]}
        found |= held
        rest += [] if held else [part]
    return found | {"require": ", ".join(rest)}


def _number_in(limit: str, start: str) -> str:
    """The number of a limit that begins so; nothing where a field for numbers would drop it."""
    text = limit.removeprefix(start).strip()
    return text if limit.startswith(start) and NUMBER.fullmatch(text) else ""


def asked_for(asked: Asked) -> str:
    """All limits of a form, as the command line has them."""
    given = [(name + sign, asked[f"limit-{name}"]) for name, sign in FIELDS.items()]
    return ", ".join([*(start + text for start, text in given if text), *_texts(asked["require"])])


def _texts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def faults_of(require: str) -> tuple[str, ...]:
    """What is wrong with limits, in the command's words."""
    if not require:
        return ()
    if re.search(r"\d,\d|;", require):
        return (say("Limits stand with commas between, and numbers have a point: k>=3, gdu>=0.8."),)
    from microgauge.schema import Schema
    from microgauge.sections.requirements.holding import limited

    try:
        return tuple(limited(Schema(), require=require).faults())
    except InputError as error:
        return error.faults
