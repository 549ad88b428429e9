"""What a page says that no catalogue could say otherwise: texts that are no messages.

In the made-up language the words of every form stand in brackets, ⟦so⟧. Whatever words stand
outside of them were glued together, or never given to a catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter
from typing import Any

from microgauge.languages.catalogue import Words

OPEN, CLOSE = "⟦", "⟧"


class Brackets(Words):
    """A language in which every form stands in brackets."""

    @classmethod
    def words(cls) -> Brackets:
        """As a page is given it."""
        return cls("xx")

    def form(self, form: str) -> str:
        """What stands at a place of a form must be a message itself, or a name."""
        return "".join(
            f"{OPEN}{text.replace('{', '{{').replace('}', '}}')}{CLOSE}{_place(name, spec, turned)}"
            for text, name, spec, turned in Formatter().parse(form)
        )

    def plural(self, count: int, one: str, several: str) -> str:
        return self.form(one if count == 1 else several)


def _place(name: str | None, spec: str | None, turned: str | None) -> str:
    if name is None:
        return ""
    return f"{{{name}{f'!{turned}' if turned else ''}{f':{spec}' if spec else ''}}}"


def outside(said: str) -> str:
    """What of a text stands outside of brackets.

    >>> outside("a ⟦b ⟦c⟧ d⟧ e")
    'a   e'
    """
    found, depth = [], 0
    for sign in said:
        if sign == CLOSE:
            depth -= 1
            found.append(" " * (depth == 0))
        elif sign == OPEN:
            depth += 1
        elif depth == 0:
            found.append(sign)
    return "".join(found)


def texts(plain: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in plain content, with the names of the fields that lead to it."""
    if isinstance(plain, str):
        yield place, plain
    elif isinstance(plain, dict):
        for name, value in plain.items():
            yield from texts(name, f"{place} (key)")
            yield from texts(value, f"{place}.{outside(str(name)) or '()'}")
    elif isinstance(plain, list | tuple):
        for value in plain:
            yield from texts(value, place)


WORDS = re.compile(r"[A-Za-z]{2,}")
NAMES = re.compile(
    r"\bq_\w+|\b[0-9a-f]{8,}\b|\b(?:IL1s?|Intercept|rut|logit|cart|boosting|x86_64|linux"
    r"|microgauge|python|numpy|scipy|polars|pandas|scikit-learn|statsmodels|formulaic|platform)\b"
)


def unsaid(plain: Any) -> Iterator[tuple[str, str]]:
    """Texts with words outside of brackets, names of columns, programs and measures apart."""
    for place, text in texts(plain):
        if WORDS.search(NAMES.sub("", outside(text))):
            yield place, text
