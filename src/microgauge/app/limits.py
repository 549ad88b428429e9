"""Limits as a form has them: the two that everybody knows as numbers, all others as text."""

from __future__ import annotations

import re

from microgauge.app.asked import Asked
from microgauge.errors import InputError
from microgauge.languages.messages import say

FIELDS = {"risk": "<=", "utility": ">="}
"""Figures that have a field of their own, and what a number in it means."""


def fields_of(require: str) -> dict[str, str]:
    """What stands in each field, by the limits as the command line has them.

    >>> fields_of("k>=3, risk<=0.05")
    {'risk': '0.05', 'utility': '', 'require': 'k>=3'}
    """
    found = {**dict.fromkeys(FIELDS, ""), "require": ""}
    rest = []
    for part in (part.strip() for part in require.split(",")):
        name = next((n for n, sign in FIELDS.items() if _is_plain(part, n + sign)), None)
        if name is None or found[name]:
            rest.append(part)
        else:
            found[name] = part.removeprefix(name + FIELDS[name])
    return found | {"require": ", ".join(filter(None, rest))}


def _is_plain(limit: str, start: str) -> bool:
    """Whether a field for numbers can hold what is said."""
    try:
        return limit.startswith(start) and float(limit.removeprefix(start)) >= 0
    except ValueError:
        return False


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
