"""Figures and names as they are written, wherever they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor

from microgauge.errors import listing
from microgauge.languages.messages import begun, count, number, say, strung

__all__ = [
    "SMALL",
    "about_per_cent",
    "abridged",
    "against_each",
    "as_sentence",
    "beginning",
    "begun",
    "called",
    "counted",
    "distinct",
    "drawable",
    "effect",
    "figure",
    "general",
    "in_words",
    "interval_words",
    "per_cent",
    "probability",
    "ratio_words",
    "rounded_per_cent",
    "scientific",
    "short",
    "whole_per_cent",
]


CALLED = {
    one: one
    for one in (
        say("banded"),
        say("anova"),
        say("bottom-coded"),
        say("bootstrap"),
        say("candidate"),
        say("category"),
        say("chi-squared"),
        say("closed form"),
        say("continuous"),
        say("cosine"),
        say("declared"),
        say("entropy"),
        say("external"),
        say("generalisation"),
        say("holdout"),
        say("inferred"),
        say("intervals"),
        say("jaccard"),
        say("key"),
        say("kolmogorov-smirnov"),
        say("kruskal-wallis"),
        say("labels"),
        say("margins"),
        say("matched"),
        say("merged"),
        say("nominal"),
        say("none"),
        say("not aligned"),
        say("number"),
        say("ordinal"),
        say("original"),
        say("pearson"),
        say("population"),
        say("protected"),
        say("proximity"),
        say("range"),
        say("recoding"),
        say("removed"),
        say("rounded"),
        say("risk"),
        say("row order"),
        say("spearman"),
        say("suppression"),
        say("text"),
        say("top- and bottom-coded"),
        say("top-coded"),
        say("utility"),
        say("vectors"),
    )
}
"""Words that results hold as codes for programs, as people read them."""


def called(code: str) -> str:
    """What people call what results hold as a code; several codes are joined by a plus.

    >>> called("row order"), called("entropy + recoding"), called("another")
    ('row order', 'entropy + recoding', 'another')
    """
    return strung([CALLED.get(one, one) for one in code.split(" + ")], " + ")


SMALL = {2: say("two"), 3: say("three")}
"""Numbers of variables in a table, in words."""


def figure(value: float | None, digits: int = 3) -> str:
    """A figure, or a dash for one that is not defined.

    >>> figure(0.12345), figure(-0.00001), figure(None)
    ('0.123', '0.000', '–')
    """
    return "–" if value is None else number(f"{value:z.{digits}f}")


NOISE = 1e-9
"""What arithmetic alone may leave of a figure that is 0."""


def scientific(value: float | None) -> str:
    """A figure that may be very small; what is 0 but for rounding is said to be 0.

    >>> scientific(0.0213), scientific(3.2e-7), scientific(1.13e-15)
    ('0.0213', '3.2e-07', '0')
    """
    if value is None:
        return "–"
    return "0" if abs(value) < NOISE else number(f"{value:.3g}")


def probability(p: float | None) -> str:
    """A p-value.

    >>> probability(0.04321), probability(3.2e-9), probability(0.0)
    ('0.043', '3e-09', '<1e-300')
    """
    if p is None:
        return "–"
    if p < 1e-300:
        return "<1e-300"
    return number(f"{p:.3f}" if p >= 0.001 else f"{p:.0e}")


def effect(value: float | None) -> str:
    """A squared coefficient, with more digits where it is small."""
    if value is None:
        return "–"
    return number(f"{value:.3f}" if value >= 0.01 else f"{value:.2g}")


def short(value: float) -> str:
    """Three digits that count.

    >>> short(41234.5), short(0.0512345), short(0.0)
    ('41,200', '0.0512', '0')
    """
    rounded = float(f"{value:.3g}")
    return number(f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:g}")


def interval_words(value: float | None, bounds: tuple[float, float] | None) -> str:
    """An estimate with its interval, short.

    >>> interval_words(41234.5, (40000.0, 42000.0)), interval_words(0.51, None)
    ('41,200 ± 1,000', '0.51')
    """
    if value is None:
        return "–"
    if bounds is None:
        return short(value)
    return strung([short(value), short((bounds[1] - bounds[0]) / 2)], " ± ")


def general(value: float | None) -> str:
    """Four digits that count, as a report writes numbers of any size.

    >>> general(41234.5), general(0.051234567), general(0.0), general(0.00001234), general(3e9)
    ('41,230', '0.05123', '0', '1.23e-5', '3.00e+9')
    """
    if value is None:
        return "–"
    if value != 0 and not 1e-3 <= abs(value) < 1e7:
        digits, exponent = f"{value:.2e}".split("e")
        power = f"{int(exponent):+d}" if int(exponent) > 0 else f"{int(exponent)}"
        return number(f"{digits}e{power}")
    return number(f"{float(f'{value:.4g}'):,.10g}")


def rounded_per_cent(share: float | None, digits: int = 0) -> str:
    """A share in per cent, rounded to so many digits.

    >>> rounded_per_cent(0.936), rounded_per_cent(0.0234, 1), rounded_per_cent(None)
    ('94 %', '2.3 %', '–')
    """
    return "–" if share is None else number(f"{share * 100:.{digits}f} %")


def about_per_cent(share: float) -> str:
    """A share in per cent, rounded; 100 % and 0 % only where they are exact.

    >>> about_per_cent(0.936), about_per_cent(0.004), about_per_cent(0.999), about_per_cent(1.0)
    ('94 %', 'under 1 %', 'over 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return say("under 1 %")
    return say("over 99 %") if 0.995 <= share < 1 else number(f"{share * 100:.0f} %")


def whole_per_cent(share: float) -> str:
    """A share in whole per cents, never more than it is.

    >>> whole_per_cent(0.899), whole_per_cent(0.9), whole_per_cent(0.004), whole_per_cent(0.29)
    ('89 %', '90 %', 'under 1 %', '29 %')
    """
    whole = floor(share * 100 + 1e-9)
    return number(f"{whole} %") if whole >= 1 else say("under 1 %")


def per_cent(share: float | None) -> str:
    """A share in per cent with one digit; 100 % and 0 % only where they are exact.

    >>> per_cent(0.9344), per_cent(0.99999), per_cent(1.0), per_cent(0.0001), per_cent(0.0)
    ('93.4 %', 'over 99.9 %', '100 %', 'under 0.1 %', '0 %')
    """
    if share is None:
        return "–"
    if share in (0.0, 1.0):
        return number(f"{share * 100:.0f} %")
    if share > 0.9995:
        return say("over 99.9 %")
    return say("under 0.1 %") if share < 0.0005 else number(f"{share * 100:.1f} %")


def counted(how_many: int, one: str, many: str | None = None) -> str:
    """How many there are of something.

    >>> counted(1, "record"), counted(1200, "record"), counted(0, "person", "people")
    ('1 record', '1,200 records', '0 people')
    """
    return count(how_many, f"{{n:,}} {one}", f"{{n:,}} {many or f'{one}s'}")


def as_sentence(said: str, names: Iterable[str]) -> str:
    """A reason as a sentence: with a capital letter, unless it begins with one of some names.

    >>> as_sentence("the safest of all", ["a.csv"]), as_sentence("a.csv is safer", ["a.csv"])
    ('The safest of all.', 'a.csv is safer.')
    """
    named = said.startswith(tuple(names))
    return say("{value}.", value=said if named else begun(said))


def abridged(text: str, most: int = 32) -> str:
    """A label that may be long, with its beginning only.

    >>> abridged("Age"), abridged("Total income of the household", 12)
    ('Age', 'Total income…')
    """
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def in_words(parts: Sequence[str], most: int | None = None) -> str:
    """Parts of a sentence in a row, cut short where there are more than `most`.

    >>> in_words(["age"]), in_words(["age", "sex", "race"]), in_words(["age", "sex", "race"], 2)
    ('age', 'age, sex and race', 'age, sex and 1 more')
    """
    if len(parts) < 2 or (most is not None and len(parts) > most):
        return listing(parts, len(parts) if most is None else most)
    return say("{first} and {last}", first=strung(parts[:-1], ", "), last=parts[-1])


def ratio_words(ratio: float) -> str:
    """A ratio to the expectation.

    >>> ratio_words(1.04), ratio_words(23.4), ratio_words(0.0)
    ('1.0 times what', '23 times what', 'less than 0.1 times what')
    """
    if ratio < 0.05:
        return say("less than 0.1 times what")
    written = number(f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}")
    return say("{ratio} times what", ratio=written)


def against_each(value: float, other: float) -> str:
    """Two figures that differ, with as many digits as show it.

    >>> against_each(0.91, 0.85), against_each(0.9104, 0.9101), against_each(0.5, 0.5)
    ('0.910 against 0.850', '0.9104 against 0.9101', '0.500 against 0.500')
    """
    for digits in (3, 4, 5, 6, 9):
        texts = figure(value, digits), figure(other, digits)
        if texts[0] != texts[1]:
            return say("{value} against {other}", value=texts[0], other=texts[1])
    return say("{value} against {other}", value=figure(value), other=figure(other))


def beginning(text: str, most: int = 40) -> str:
    """As much of a name as a chart has room for.

    >>> beginning("a name", 10), beginning("a long name", 10)
    ('a name', 'a long na…')
    """
    return f"{text[: most - 1]}…" if len(text) > most else text


def distinct(names: Sequence[str], most: int = 34) -> list[str]:
    """Names cut to fit the axis of a chart, and still told apart there.

    >>> distinct(["age", "a long name", "a long nape", ""], 8)
    ['age', 'a long …', 'a long … (2)', '(empty)']
    """
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        start = text = beginning(drawable(name), most) or say("(empty)")
        number = 2
        while text in taken:
            text = f"{start} ({number})"
            number += 1
        taken.add(text)
        found.append(text)
    return found


def drawable(text: str) -> str:
    """Without halves of characters (in names of files), which no chart or table takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
