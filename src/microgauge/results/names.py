"""Names that must fit: how wide a text is, and what is left of it where there is less room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, takewhile
from unicodedata import east_asian_width

FEWEST = 8
"""Columns below which names cannot be told apart."""
MARK = "…"


def plain(text: str) -> str:
    """A name on one line, without signs that cannot be printed."""
    joined = " ".join(text.split())
    printable = "".join(sign if sign.isprintable() else "�" for sign in joined)
    return text if printable == text else printable  # a message stays one


def columns_of(text: str) -> int:
    """Columns that a text takes on a terminal: characters of East Asia take two."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def within(text: str, width: int) -> str:
    """As much of the beginning as fits."""
    taken = 0
    for place, sign in enumerate(text):
        taken += 2 if east_asian_width(sign) in "WF" else 1
        if taken > width:
            return text[:place]
    return text


def cut(text: str, width: int) -> str:
    """Keep both ends of what is too long: names and paths differ at either.

    >>> cut("a long name", 7), cut("短い名前", 5)
    ('a l…ame', '短…前')
    """
    text = plain(text)
    if columns_of(text) <= width:
        return text
    tail = (width - 1) // 2
    return within(text, width - 1 - tail) + MARK + within(text[::-1], tail)[::-1]


def shortened(names: Iterable[str], most: int) -> dict[str, str]:
    """Names that are shown together in at most so many columns, each told from every other.

    Those that fit stay as they are. Of the others both ends are kept, or what follows the beginning
    that they share, or what surrounds the place where they part; else they are numbered.

    >>> shortened(["age", "household_income_net", "household_income_raw"], 12)
    {'age': 'age', 'household_income_net': 'househ…e_net', 'household_income_raw': 'househ…e_raw'}
    >>> list(shortened(["begin_with_1_and_end", "begin_with_2_and_end"], 12).values())
    ['…1_and_end', '…2_and_end']
    """
    most = max(most, FEWEST)
    every = list(dict.fromkeys(names))
    texts = [plain(name) for name in every]
    fits = {t for t in texts if columns_of(t) <= most and texts.count(t) == 1}
    long = [text for text in texts if text not in fits]
    for way in (_both_ends, _after_beginning, _around_difference):
        found = way(long, most)
        if len({*found, *fits}) == len(long) + len(fits):
            break
    else:
        found = _numbered(long, most, fits)
    left = iter(found)
    return {
        name: text if text in fits else next(left) for name, text in zip(every, texts, strict=True)
    }


def _shared(names: Sequence[str]) -> str:
    """The beginning that all of them have."""
    first, last = min(names, default=""), max(names, default="")
    same = takewhile(lambda both: both[0] == both[1], zip(first, last, strict=False))
    return "".join(sign for sign, _ in same)


def _both_ends(names: Sequence[str], most: int) -> list[str]:
    return [cut(name, most) for name in names]


def _after_beginning(names: Sequence[str], most: int) -> list[str]:
    """Without the beginning that all share, up to a place between two words."""
    shared = _shared(names)
    while shared and shared[-1].isalnum():
        shared = shared[:-1]
    return [cut(MARK + name[len(shared) :], most) if shared else cut(name, most) for name in names]


def _around_difference(names: Sequence[str], most: int) -> list[str]:
    """A beginning, and what stands where a name parts from the one most like it."""
    found = []
    ordered = sorted(names)
    beside = dict(zip(ordered, zip(["", *ordered], [*ordered[1:], ""], strict=False), strict=False))
    for name in names:
        parts = max(len(_shared([name, other])) for other in beside[name])
        head = within(name, most // 3)
        start = max(parts - 1, len(head))
        rest = name[start:]
        room = most - columns_of(head) - 1
        text = head + MARK + (rest if columns_of(rest) <= room else within(rest, room - 1) + MARK)
        found.append(text if columns_of(name) > most else name)
    return found


def _numbered(names: Sequence[str], most: int, taken: Iterable[str]) -> list[str]:
    found: list[str] = []
    seen = set(taken)
    for name in names:
        for number in count(1):
            mark = f"~{number}"
            text = cut(name, most - len(mark)) + mark
            if text not in seen:
                break
        seen.add(text)
        found.append(text)
    return found
