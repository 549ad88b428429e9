"""What a case is, and the parts that families share."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from dataclasses import dataclass, field

PLANTED = "Zq7planted"
"""How values start that no message may show."""


@dataclass
class Case:
    """Files, a call of the command, and what must not be told."""

    files: dict[str, bytes] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    finite: bool = True
    """Whether the inputs hold no infinite or undefined number and no such word."""
    before: Callable[[], None] | None = None
    """Done in the folder before the command is called."""
    after: Callable[[], list[str]] | None = None
    """What else is wrong afterwards."""


Family = Callable[[random.Random], Case]

NASTY = ["", " ", "*", "^v$", "__proto__", "constructor", "<script>alert(1)</script>", "=1+1",
         "a,b", 'a"b', "a\tb", "'", "\u202e", "é", "日本", "😀", "%s", "{}", "${x}", "../x", "-x",
         "x" * 300, "nan", "inf", "NULL", "[0,1)", "1e308", "\u0085", "\u2028", "a b", "row",
         "case", "0", "weight"]  # fmt: skip
NUMBERS = ["1e308", "-1e308", "1.7976931348623157e308", "5e-324", "9007199254740993", "-0",
           "18446744073709551616", "9" * 400, "0." + "1" * 400, "1e-400", "00400", "1_000", "٣",
           "0x10", "1,5", "+7", ".5", "5.", "1e5", "12345678901234567890"]  # fmt: skip


def word(rng: random.Random) -> str:
    """A short word."""
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(rng.randint(1, 5)))


def planted(rng: random.Random) -> str:
    """A value that must not be told."""
    return f"{PLANTED}{rng.randint(0, 9999):04}"


def plain_rows(rng: random.Random, rows: int | None = None) -> list[list[str]]:
    """A small table as lists of texts, its header first."""
    count = rows or rng.choice([2, 3, 8, 25, 60])
    header = ["age", "sex", "income", "town"]
    towns = ["A", "B", "C", planted(rng)]
    return [header] + [
        [str(rng.randint(16, 80)), rng.choice("mf"), str(rng.randint(0, 9) * 100),
         rng.choice(towns)]
        for _ in range(count)
    ]  # fmt: skip


def csv_bytes(rows: list[list[str]], delimiter: str = ",") -> bytes:
    """Rows as text; what needs quotes has them."""

    def cell(text: str) -> str:
        odd = any(sign in text for sign in (delimiter, '"', "\n", "\r"))
        return '"' + text.replace('"', '""') + '"' if odd else text

    lines = [delimiter.join(cell(text) for text in row) for row in rows]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def changed_rows(rng: random.Random, rows: list[list[str]]) -> list[list[str]]:
    """The same with some cells moved: a protected file."""
    found = [list(row) for row in rows]
    for _ in range(len(rows) // 3):
        column = rng.randrange(len(rows[0]))
        one, other = (rng.randrange(1, len(rows)) for _ in range(2))
        found[one][column], found[other][column] = found[other][column], found[one][column]
    return found


SECTIONS = ["gdu", "tables", "loss", "risk", "disclosure", "left_in", "propensity", "ecdf",
            "clusters", "rut"]  # fmt: skip


def looks(rng: random.Random) -> list[str]:
    """Options that choose what is computed, mostly little."""
    if rng.random() < 0.1:
        return ["--quick", "--keys", "age,sex"]
    some = rng.sample(SECTIONS, rng.choice([1, 1, 1, 2]))
    return ["--only", ",".join(some), "--keys", "age,sex"]


def any_value(rng: random.Random, depth: int = 0) -> str:
    """A value of TOML, of whatever type."""
    pool = ["0", "1", "-1", "2", "0.5", "1e308", "nan", "inf", "true", "false", '""', '"x"',
            "9223372036854775807", "18446744073709551615", "9" * 400, "[]", "[[]]", "{}",
            "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", '"age"', '["age"]', '["age","sex"]',
            '[["age","sex"]]', "[0.5, 0.5]", "[1, 2, 3]", '{ age = 1 }', '{ x = [1] }',
            '"' + "y" * 5000 + '"', '"*"', '"\\u0000"', "1000000",
            '{ grid = [1, 2] }', "[" * 60 + "]" * 60]  # fmt: skip
    if depth < 2 and rng.random() < 0.15:
        inner = [any_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
        return f"[{', '.join(inner)}]"
    return rng.choice(pool)
