"""Reading catalogues, and saying a text, a number and a date in a language."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from microgauge.languages.messages import ENGLISH, in_language, say
from microgauge.records import dataclass

FOLDER = Path(__file__).parent
NAMES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
"""What each language calls itself."""
SIGNS = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ","), "es": (".", ",")}
"""Between thousands, and before decimals."""
BEFORE_PER_CENT = {"de": "\u00a0", "fr": "\u202f", "es": "\u00a0"}
QUOTES = {"de": "„{}“", "fr": "«\u202f{}\u202f»", "es": "«{}»"}
"""Around a name, where a form has no words."""
QUOTED = re.compile(r'"(\{\w+\})"')
DATES = {
    "en": "%Y-%m-%d %H:%M",
    "de": "%d.%m.%Y %H:%M",
    "fr": "%d/%m/%Y %H:%M",
    "es": "%d/%m/%Y %H:%M",
}


@dataclass(frozen=True)
class Words:
    """All texts in one language."""

    language: str = ENGLISH
    texts: Mapping[str, str] = field(default_factory=dict)
    plurals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __call__(self, text: str, /, **named: Any) -> str:
        """A text, with what stands at its named places."""
        return self.of(say(text, **named))

    def many(self, count: int, one: str, several: str, **named: Any) -> str:
        """A text for one and another for any other number, which stands at {n}."""
        form = self.plural(count, one, several)
        return form.format_map({"n": self.number(count), **named})

    def of(self, text: str) -> str:
        """A message in this language; another text as it is."""
        return in_language(text, self)

    def form(self, form: str) -> str:
        """A form of a message in this language."""
        return self.texts.get(form) or self._set(form)

    def plural(self, count: int, one: str, several: str) -> str:
        """The form for so many."""
        said = self.plurals.get(one) or (one, several)
        return said[0 if self._is_one(count) else -1]

    def _set(self, form: str) -> str:
        """A form without words, whose signs are set as the language sets them."""
        around = QUOTES.get(self.language, '"{}"')
        form = QUOTED.sub(lambda name: around.replace("{}", name[1]), form)
        if self.language != "fr":
            return form
        return form.replace(": ", "\u00a0: ").replace("; ", "\u202f; ")

    def _is_one(self, count: int) -> bool:
        return count <= 1 if self.language == "fr" else count == 1

    def written(self, number: str) -> str:
        """A number that was written in English, with the signs of this language.

        >>> Words("de").written("1,234.5 %"), Words().written("1,234.5 %")
        ('1.234,5\\xa0%', '1,234.5 %')
        """
        if self.language not in SIGNS or self.language == ENGLISH:
            return number
        thousands, point = SIGNS[self.language]
        return (
            number.translate(str.maketrans(",.", "\0\1"))
            .replace("\0", thousands)
            .replace("\1", point)
            .replace(" %", f"{BEFORE_PER_CENT[self.language]}%")
        )

    @property
    def locale(self) -> dict[str, Any] | None:
        """How charts write numbers, as d3 is told of it; None: as English does."""
        if self.language not in SIGNS or self.language == ENGLISH:
            return None
        thousands, point = SIGNS[self.language]
        per_cent = f"{BEFORE_PER_CENT[self.language]}%"
        signs = {"decimal": point, "thousands": thousands, "percent": per_cent}
        return {**signs, "grouping": [3], "currency": ["", ""]}

    def number(self, value: float, decimals: int = 0) -> str:
        """A number as the language writes it, for people only.

        >>> Words().number(1234.5, 1), Words("de").number(1234.5, 1)
        ('1,234.5', '1.234,5')
        """
        return self.written(f"{value:,.{decimals}f}")

    def when(self, moment: datetime) -> str:
        """A date and a time."""
        return moment.strftime(DATES.get(self.language, DATES[ENGLISH]))


ENGLISH_WORDS = Words()


def languages() -> dict[str, str]:
    """The languages there are catalogues of, and what each calls itself."""
    there = [ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.po"))]
    return {code: NAMES.get(code, code) for code in there}


def words_asked(language: str) -> Words:
    """The texts of a language that somebody asked for by name."""
    if language not in languages():
        raise ValueError(f'there is no language "{language}"; there are {", ".join(languages())}')
    return words_of(language)


@cache
def words_of(language: str) -> Words:
    """The texts of a language; English where there is none."""
    path = FOLDER / f"{language}.po"
    if language not in languages() or language == ENGLISH:
        return Words()
    texts, plurals = {}, {}
    for entry in entries(path.read_text(encoding="utf-8")):
        if "msgid_plural" in entry:
            said = tuple(entry[key] for key in sorted(entry) if key.startswith("msgstr["))
            if all(said):
                plurals[entry["msgid"]] = said
        elif entry.get("msgstr"):
            texts[entry["msgid"]] = entry["msgstr"]
    return Words(language, texts, plurals)


def entries(text: str) -> list[dict[str, str]]:
    r"""The entries of a catalogue, each by its keywords; the head (an empty text) is left out.

    >>> entries('msgid "a"\nmsgstr "b"\n"c"\n')
    [{'msgid': 'a', 'msgstr': 'bc'}]
    """
    found: list[dict[str, str]] = []
    keyword = ""
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "msgid":
            found.append({})
        if word.startswith("msg"):
            keyword = word
            found[-1][keyword] = _text(rest)
        elif line.startswith('"') and found:
            found[-1][keyword] += _text(line.strip())
    return [entry for entry in found if entry["msgid"]]


def _text(quoted: str) -> str:
    """A text of a catalogue, which is quoted as C and Python quote."""
    return str(ast.literal_eval(quoted))
