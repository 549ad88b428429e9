"""Formulas from a schema file: data, not code.

A formula is parsed and every part checked before it reaches formulaic, which would otherwise run
any Python written in it. Only columns, numbers, arithmetic, the formula operators + - : * ** and a
few functions of numbers pass. Names in backticks never reach it: stand-ins take their place.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from microgauge.errors import Undefined, hint, listing
from microgauge.languages.messages import say, strung
from microgauge.records import dataclass

FUNCTIONS = ("C", "I", "log", "log1p", "log2", "log10", "exp", "sqrt", "abs")

MOST_POWER = 10
LONGEST = 10_000
"""Characters of a formula or condition."""
MOST_PARTS = 2_000
"""Nodes of a formula or condition: what nests deeper than that means no good."""
MOST_TERMS = 1_000
"""Products that a power of a sum may stand for."""
MOST_COLUMNS = 2_000
"""Columns that the terms of a formula may have: products of categories multiply."""
MOST_CELLS = 1 << 28
"""Numbers in those columns, over all rows: two gigabytes."""
LARGEST = 1e300
"""Numbers in formulas and conditions are smaller."""

_PLAIN = re.compile(r"[\w\s+\-*/:^().~]*")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UAdd, ast.USub)


@dataclass(frozen=True)
class Formula:
    """A checked formula: as it was written, as formulaic gets it, and the columns it names."""

    text: str
    plain: str
    """The formula with a stand-in for every name in backticks."""
    names: Mapping[str, str]
    """Each name in `plain`, and the column it stands for."""
    response: tuple[str, ...]
    predictors: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, each once."""
        return tuple(dict.fromkeys(self.response + self.predictors))

    def in_words(self, term: str) -> str:
        """A term with columns in place of stand-ins."""
        for name, column in self.names.items():
            if name != column:
                term = term.replace(name, column)
        return term


def parse_formula(text: str, columns: Iterable[str]) -> Formula:
    """Check a formula against the columns there are; `Undefined` says what is wrong and where."""
    plain, quoted = _checked_characters(text)
    sides = plain.split("~")
    if len(sides) != 2 or not all(side.strip() for side in sides):
        raise Undefined(
            say('the formula "{text}" must have one ~ with something on both sides.', text=text)
        )
    checker = _Checker(text, quoted, list(columns))
    response, predictors = (checker.names(side) for side in sides)
    if not response or not checker.is_response(sides[0]):
        raise Undefined(
            say('the formula "{text}" must have one column, or I(…), before the ~.', text=text)
        )
    _check_grammar(plain, text)
    return Formula(
        text, plain, {**response, **predictors}, _columns(response), _columns(predictors)
    )


def parse_terms(text: str, columns: Iterable[str]) -> Formula:
    """Check the terms of a formula without a response ("~ a + b:c")."""
    plain, quoted = _checked_characters(text)
    plain = plain.strip().removeprefix("~").strip()
    if not plain or "~" in plain:
        raise Undefined(
            say('the formula "{text}" must be terms, such as "~ a + b + a:b".', text=text)
        )
    names = _Checker(text, quoted, list(columns)).names(plain)
    _check_grammar(plain, text)
    return Formula(text, plain, names, (), _columns(names))


def _columns(names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.values()))


def unquoted(text: str) -> tuple[str, dict[str, str]]:
    """Text with stand-ins for names in `backticks`, and what these stand for.

    Backticks in a quoted word are part of the word.
    """
    prefix = "_quoted_"
    while prefix in text:
        prefix = f"_{prefix}"
    quoted: dict[str, str] = {}
    parts = []
    for part in _parts(text):
        if part.startswith("`") and len(part) > 2:
            name = f"{prefix}{len(quoted)}_"
            quoted[name] = part[1:-1]
            parts.append(name)
        else:
            parts.append(part)
    return "".join(parts), quoted


def _parts(text: str) -> Iterator[str]:
    """Names in backticks and quoted words by themselves, and what is between them."""
    start = 0
    for match in re.finditer(r"""`[^`]*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", text):
        yield text[start : match.start()]
        yield match[0]
        start = match.end()
    yield text[start:]


def _checked_characters(text: str) -> tuple[str, dict[str, str]]:
    """The formula without quoted names; what is left has nothing that could hide or quote."""
    if len(text) > LONGEST:
        raise Undefined(say("the formula is longer than {longest:,} characters.", longest=LONGEST))
    plain, quoted = unquoted(text)
    if not text.isprintable() or not _PLAIN.fullmatch(plain):
        raise Undefined(
            say(
                'the formula "{printable}" holds {allowed}',
                printable=_printable(text),
                allowed=_ALLOWED,
            )
        )
    return plain, quoted


_ALLOWED = say(
    "something other than columns, numbers, + - : * / ** and {functions}. Names with "
    "other signs go in backticks.",
    functions=strung(FUNCTIONS, ", "),
)


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "�" for sign in text)


def _check_grammar(plain: str, text: str) -> None:
    """Whether formulaic can read the formula, whose parts are known to be harmless by now."""
    from formulaic import Formula as Grammar
    from formulaic.errors import FormulaicError

    try:
        Grammar(plain)
    except (FormulaicError, RecursionError):
        raise Undefined(
            say('the formula "{text}" does not parse; arithmetic belongs into I(…).', text=text)
        ) from None


def parsed(expression: str) -> ast.expr | None:
    """The tree of an expression; None where it is none, or one that nests without end."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python finds odd, we refuse or know
            tree = ast.parse(expression, mode="eval").body
        return tree if sum(1 for _ in ast.walk(tree)) <= MOST_PARTS else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@dataclass(frozen=True)
class _Checker:
    """Walks through one formula and refuses what is not allowed."""

    text: str
    quoted: Mapping[str, str]
    columns: list[str]

    def _tree(self, side: str) -> ast.expr:
        # Python has no operator ":"; "@" binds like it closely enough to check the parts.
        tree = parsed(side.replace(":", "@").replace("^", "**").strip())
        if tree is None:
            raise Undefined(
                say(
                    'the formula "{text}" does not parse near "{strip}".',
                    text=self.text,
                    strip=side.strip()[:40],
                )
            )
        return tree

    def is_response(self, side: str) -> bool:
        """Whether a side is one column, or one function of columns that gives a number."""
        tree = self._tree(side)
        if isinstance(tree, ast.Call):
            return isinstance(tree.func, ast.Name) and tree.func.id != "C"
        return isinstance(tree, ast.Name)

    def names(self, side: str) -> dict[str, str]:
        """Each name of a side, and the column it stands for."""
        try:
            found = [node.id for node in self._visited(self._tree(side), inside=False)]
        except RecursionError:
            raise Undefined(say('the formula "{text}" nests too deeply.', text=self.text)) from None
        names = {name: self.quoted.get(name, name) for name in found}
        for column in names.values():
            if column not in self.columns:
                raise Undefined(
                    say(
                        'the formula "{text}" names "{column}", which is no '
                        "column.{hint} The original has: {columns}.",
                        text=self.text,
                        column=column,
                        hint=hint(column, self.columns),
                        columns=listing(self.columns),
                    )
                )
        return names

    def _visited(self, node: ast.expr, *, inside: bool) -> list[ast.Name]:
        """The column names of an expression; `inside` of a function it is arithmetic."""
        if isinstance(node, ast.Name):
            return [node]
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            self._number(node.value)
            return []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self._power(node, inside=inside)
        crossed = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and not inside
        if isinstance(node, ast.BinOp) and (crossed or isinstance(node.op, _OPERATORS)):
            left = self._visited(node.left, inside=inside)
            return left + self._visited(node.right, inside=inside)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, _OPERATORS):
            return self._visited(node.operand, inside=inside)
        if self._is_function(node):
            return self._visited(node.args[0], inside=True)  # type: ignore[attr-defined]
        raise Undefined(
            say('the formula "{text}" holds {allowed}', text=self.text, allowed=_ALLOWED)
        )

    @staticmethod
    def _is_function(node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in FUNCTIONS
            and len(node.args) == 1
            and not node.keywords
        )

    def _number(self, value: object) -> None:
        if not abs(value) < LARGEST:  # type: ignore[arg-type]
            raise Undefined(
                say('the formula "{text}" holds a number that is too large.', text=self.text)
            )

    def _power(self, node: ast.BinOp, *, inside: bool) -> list[ast.Name]:
        """A column, or a few, to a small power: others could keep a machine busy for ever."""
        names = self._visited(node.left, inside=inside)
        exponent = node.right.value if isinstance(node.right, ast.Constant) else None
        small = type(exponent) in (int, float) and 0 < exponent <= MOST_POWER  # type: ignore[operator]
        nested = any(isinstance(part, ast.Pow) for part in ast.walk(node.left))
        if names and small and not nested:
            if inside or len(names) ** float(exponent) <= MOST_TERMS:  # type: ignore[arg-type]
                return names
            raise Undefined(
                say('the formula "{text}" has a power with too many products.', text=self.text)
            )
        raise Undefined(
            say(
                'the formula "{text}" has a power that is not of a column or not between '
                "0 and {most_power}.",
                text=self.text,
                most_power=MOST_POWER,
            )
        )


CONTEXT: Mapping[str, object] = {
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
}
"""What the functions of a formula mean."""


def factor_names(expression: str, names: Iterable[str]) -> set[str]:
    """The names of a formula's plain text that one of its factors holds."""
    return set(re.findall(r"[^\W\d]\w*", expression)) & set(names)


def check_width(terms: Iterable[Any], names: Mapping[str, str], frame: Any) -> None:
    """`Undefined` where the terms of a formula would have too many columns to be formed.

    `frame` is the pandas data frame of the names in the formula.
    """
    width = sum(
        math.prod(_categories(factor.expr, name, frame) for name, factor in _named(term, names))
        for term in terms
    )
    most = min(MOST_COLUMNS, max(MOST_CELLS // max(len(frame), 1), 1))
    if width > most:
        raise Undefined(
            say(
                "its terms would have up to {width:,} columns, and at most {most:,} are "
                "formed for {n:,} records; leave out products of variables with many "
                "categories",
                width=width,
                most=most,
                n=len(frame),
            )
        )


def _named(term: Any, names: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Each name in a term, with the factor that holds it."""
    for factor in term.factors:
        for name in factor_names(factor.expr, names):
            yield name, factor


def _categories(expression: str, name: str, frame: Any) -> int:
    """How many columns a name gives: its categories, or one if it counts as a number."""
    if frame[name].dtype == "category":
        return len(frame[name].cat.categories)
    return int(frame[name].nunique()) if expression.startswith("C(") else 1
