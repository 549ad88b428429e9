"""Texts that people read, which know the form they were made from.

A `Message` is its English text, and can be used as any text. It remembers the form that stands in
the source and what stands at the places of that form, so that it can be said in another language
later: by whoever shows it, never by whoever makes it. A plain text beside it (a name, a label, a
code) is the same in every language.

    form      looked up in a catalogue: "{n:,} of {all:,} records", with its values
    counted   two forms, one for 1 and one for all other numbers
    number    a number as it is written in English; other languages have other signs
    row       texts one after the other
    begun     a text that begins a sentence

Messages that are written into a file go there in English; `forms_of` says what they were made
from, and `said_again` makes messages of them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from numbers import Integral, Real
from string import Formatter
from typing import Any, Protocol, Self

ENGLISH = "en"
Plain = dict[str, Any]
BLANKS = " \n"
PLACES = re.compile(r"\{\{|\}\}|\{[A-Za-z_]\w*(?:!r)?(?::,?(?:\.\d{1,2})?[fg%]?)?\}")
"""All that our forms ask of what stands at their places: a name, and how a number is written."""
WHICH = "which"


class Language(Protocol):
    """What a message asks of a language."""

    def form(self, form: str) -> str:
        """A form in this language."""

    def plural(self, count: int, one: str, many: str) -> str:
        """The form for so many."""

    def written(self, number: str) -> str:
        """A number that was written in English, with the signs of this language."""


class Message(str):
    """A text that can be said in other languages, too; as a text, what it says in English."""

    __slots__ = ()

    def __str__(self) -> str:
        """Itself: a message in an error, or asked for its text, stays one."""
        return self

    def said(self, language: Language) -> str:
        """The text in a language."""
        raise NotImplementedError

    def plain(self) -> Plain:
        """What it was made from, as JSON can hold it."""
        raise NotImplementedError

    def __add__(self, other: str, /) -> Message:
        return Row((self, other))

    def __radd__(self, other: str, /) -> Message:
        return Row((other, self))

    def __reduce__(self) -> tuple[Any, ...]:
        return of_plain, (self.plain(),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def rstrip(self, signs: str | None = None, /) -> Message:
        """Without signs at its end, in any language."""
        return Row((self,), signs or BLANKS) if self != str.rstrip(self, signs) else self


class Form(Message):
    """A form with what stands at its places."""

    __slots__ = ("english", "values")
    english: str
    values: Mapping[str, Any]

    def said(self, language: Language) -> str:
        """The form in a language, with its values in that language."""
        form = language.form(self.english)
        return _filled(form, self.values, language) if self.values else form

    def plain(self) -> Plain:
        """The form and its values."""
        return {"form": self.english, **_with_values(self.values)}

    def format(self, *_: Any, **values: Any) -> str:
        """The same form with values at its places."""
        return say(self.english, **values)


class Counted(Message):
    """A form for one of something, and another for any other number of it."""

    __slots__ = ("many", "n", "one", "values")
    n: int
    one: str
    many: str
    values: Mapping[str, Any]

    def said(self, language: Language) -> str:
        """The form for so many in a language."""
        form = language.plural(self.n, self.one, self.many)
        return _filled(form, {"n": self.n, **self.values}, language)

    def plain(self) -> Plain:
        """Both forms and the number."""
        both = {"one": self.one, "many": self.many, "n": self.n}
        return {**both, **_with_values(self.values)}


class Number(Message):
    """A number as it is written."""

    __slots__ = ()

    def said(self, language: Language) -> str:
        """With the signs of a language."""
        return language.written(str.__str__(self))

    def plain(self) -> Plain:
        """As it is written in English."""
        return {"number": str.__str__(self)}


class Row(Message):
    """Texts one after the other; `without` are signs that are left out at the end."""

    __slots__ = ("parts", "without")
    parts: tuple[str, ...]
    without: str | None

    def __new__(cls, parts: Iterable[str], without: str | None = None) -> Self:
        """Of its parts, as they follow each other."""
        parts = tuple(parts)
        text = "".join(parts)
        made = super().__new__(cls, text.rstrip(without) if without else text)
        made.parts, made.without = parts, without
        return made

    def said(self, language: Language) -> str:
        """Each in a language."""
        text = "".join(in_language(part, language) for part in self.parts)
        return text.rstrip(self.without) if self.without else text

    def plain(self) -> Plain:
        """All of them."""
        row = {"row": [_value(part) for part in self.parts]}
        return {**row, "without": self.without} if self.without else row


class Begun(Message):
    """A text that begins a sentence."""

    __slots__ = ("text",)
    text: str

    def said(self, language: Language) -> str:
        """With a capital in every language."""
        return capital(in_language(self.text, language))

    def plain(self) -> Plain:
        """What begins."""
        return {"begun": _value(self.text)}


# -- making them -------------------------------------------------------------------------------


def say(form: str, /, **values: Any) -> str:
    """A form with values at its named places; without values it is said as it stands.

    >>> say("{n:,} of {all:,} records", n=3, all=1200)
    '3 of 1,200 records'
    """
    for name, value in values.items():
        if isinstance(value, Exception):  # what it says may be a message
            values[name] = str(value)
    made = Form(form.format_map(values) if values else form)
    made.english, made.values = str.__str__(form), values
    return made


def count(number: int, one: str, many: str, /, **values: Any) -> str:
    """A form for one and a form for any other number, which stands at {n:,}.

    >>> count(1, "{n:,} record", "{n:,} records"), count(1200, "{n:,} record", "{n:,} records")
    ('1 record', '1,200 records')
    """
    form = one if number == 1 else many
    made = Counted(form.format_map({"n": number, **values}))
    made.n, made.one, made.many, made.values = number, one, many, values
    return made


def number(written: str) -> str:
    """A number that was written as English writes it."""
    return Number(written)


def strung(parts: Iterable[str], between: str = "") -> str:
    """Texts one after the other with a sign between them; a message where one of them is.

    >>> strung(["a", "b"], ", ")
    'a, b'
    """
    parts = list(parts)
    if not any(isinstance(part, Message) for part in (*parts, between)):
        return between.join(parts)
    if ";" in between and not isinstance(between, Message):
        between = say(between)  # languages set it otherwise
    return Row(
        [part for at, one in enumerate(parts) for part in ((between, one) if at else (one,))]
    )


def begun(text: str) -> str:
    """The same as the beginning of a sentence.

    >>> begun("apart from age"), begun("")
    ('Apart from age', '')
    """
    if not isinstance(text, Message):
        return capital(text)
    made = Begun(capital(text))
    made.text = text
    return made


def capital(text: str) -> str:
    """With a capital letter in front."""
    return text[:1].upper() + text[1:]


# -- saying them in a language -----------------------------------------------------------------


def in_language(text: str, language: Language) -> str:
    """A text in a language; what is no message is the same in all of them."""
    return text.said(language) if isinstance(text, Message) else text


def all_in_language(plain: Any, language: Language) -> Any:
    """Lists and dicts with every message in them said in a language."""
    if isinstance(plain, str):
        return in_language(plain, language)
    if isinstance(plain, Mapping):
        return {
            in_language(name, language): all_in_language(value, language)
            for name, value in plain.items()
        }
    if isinstance(plain, list | tuple):
        return [all_in_language(value, language) for value in plain]
    return plain


class _Filling(Formatter):
    """Values at their places, with numbers as a language writes them."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        """At a place called `which` stands the role of a table: a word of ours, never a name."""
        value = super().get_value(key, args, kwargs)
        plain = isinstance(value, str) and not isinstance(value, Message)
        return say(value) if plain and key == WHICH else value

    def format_field(self, value: Any, spec: str) -> str:
        if isinstance(value, str):
            return format(in_language(value, self.language), spec)
        return self.language.written(format(value, spec))


def _filled(form: str, values: Mapping[str, Any], language: Language) -> str:
    return _Filling(language).vformat(form, (), values)


# -- in files ----------------------------------------------------------------------------------


def forms_of(plain: Any) -> dict[str, dict[str, Plain]]:
    """What all messages in plain content were made from, by the field that they stand in."""
    found: dict[str, dict[str, Plain]] = {}
    _gather(plain, "", found)
    return found


def _gather(plain: Any, field: str, found: dict[str, dict[str, Plain]]) -> None:
    if isinstance(plain, Message):
        there = found.setdefault(field, {})
        if plain not in there:
            there[plain] = plain.plain()
    elif isinstance(plain, Mapping):
        for name, value in plain.items():
            _gather(name, field, found)
            _gather(value, str(name), found)
    elif isinstance(plain, list | tuple):
        for value in plain:
            _gather(value, field, found)


def said_again(plain: Any, forms: Mapping[str, Mapping[str, Plain]], field: str = "") -> Any:
    """Plain content as it was before it was written: with messages in place of their texts."""
    if isinstance(plain, str):
        form = forms.get(field, {}).get(plain)
        return plain if form is None else of_plain(form)
    if isinstance(plain, Mapping):
        return {
            said_again(name, forms, field): said_again(value, forms, name)
            for name, value in plain.items()
        }
    if isinstance(plain, list):
        return [said_again(value, forms, field) for value in plain]
    return plain


def of_plain(plain: Any) -> Any:
    """A message again from what it was made from; `ValueError` where that is no form of ours."""
    if not isinstance(plain, Mapping):
        return plain
    values = {name: of_plain(value) for name, value in plain.get("values", {}).items()}
    if "form" in plain:
        return say(_harmless(plain["form"]), **values)
    if "one" in plain:
        return count(plain["n"], _harmless(plain["one"]), _harmless(plain["many"]), **values)
    if "row" in plain:
        return Row([of_plain(part) for part in plain["row"]], plain.get("without"))
    if "begun" in plain:
        return begun(of_plain(plain["begun"]))
    return Number(plain["number"])


@lru_cache(maxsize=4096)
def _harmless(form: str) -> str:
    """A form out of a file, which somebody else may have written: it only names its places."""
    rest = PLACES.sub("", form)
    if "{" in rest or "}" in rest:
        raise ValueError("no form of ours")
    return form


def _with_values(values: Mapping[str, Any]) -> Plain:
    return {"values": {name: _value(value) for name, value in values.items()}} if values else {}


def _value(value: Any) -> Any:
    """A value as JSON can hold it: what is no text and no number is said as a text."""
    if isinstance(value, Message):
        return value.plain()
    if isinstance(value, Integral):  # numbers of arrays are of types of their own
        return int(value)
    return float(value) if isinstance(value, Real) else str(value)
