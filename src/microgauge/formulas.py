"""Formulas from a schema file: data, not code.

A formula is parsed and every part checked before it reaches formulaic, which would otherwise run
any Python written in it. Only columns, numbers, arithmetic, the formula operators + - : * ** and a
few functions of numbers pass.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from microgauge.errors import Undefined, hint, listing

FUNCTIONS = ("C", "I", "log", "log1p", "log2", "log10", "exp", "sqrt", "abs")

MOST_POWER = 10
LONGEST = 10_000
"""Characters of a formula or condition."""

_QUOTED = re.compile(r"`([^`]+)`")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.UAdd, ast.USub)


@dataclass(frozen=True)
class Formula:
    """A checked formula: its text and the columns each side names."""

    text: str
    response: tuple[str, ...]
    predictors: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, each once."""
        return tuple(dict.fromkeys(self.response + self.predictors))


def parse_formula(text: str, columns: Iterable[str]) -> Formula:
    """Check a formula against the columns there are; `Undefined` says what is wrong and where."""
    columns = list(columns)
    _check_characters(text)
    sides = text.split("~")
    if len(sides) != 2 or not all(side.strip() for side in sides):
        raise Undefined(f'the formula "{text}" must have one ~ with something on both sides.')
    response, predictors = (_names(side, text, columns) for side in sides)
    if not response or not isinstance(_parsed(sides[0], text)[0], ast.Name | ast.Call):
        raise Undefined(f'the formula "{text}" must have one column, or I(…), before the ~.')
    _check_grammar(text)
    return Formula(text, response, predictors)


def parse_terms(text: str, columns: Iterable[str]) -> tuple[str, ...]:
    """Check the terms of a formula without a response ("~ a + b:c"); the columns it names."""
    terms = text.strip().removeprefix("~").strip()
    if not terms or "~" in terms:
        raise Undefined(f'the formula "{text}" must be terms, such as "~ a + b + a:b".')
    _check_characters(text)
    names = _names(terms, text, list(columns))
    _check_grammar(terms)
    return names


def _check_characters(text: str) -> None:
    """A comment would hide from Python's parser what formulaic still reads."""
    if len(text) > LONGEST:
        raise Undefined(f"the formula is longer than {LONGEST:,} characters.")
    if not text.isprintable() or "#" in _QUOTED.sub("", text):
        raise Undefined("the formula holds a # or characters that cannot be printed.")


def _check_grammar(text: str) -> None:
    """Whether formulaic can read the formula, whose parts are known to be harmless by now."""
    from formulaic import Formula as Grammar
    from formulaic.errors import FormulaicError

    try:
        Grammar(text)
    except FormulaicError:
        raise Undefined(
            f'the formula "{text}" does not parse; arithmetic belongs into I(…).'
        ) from None


def unquoted(text: str) -> tuple[str, dict[str, str]]:
    """Text with plain names in place of `quoted` ones, and what these stand for."""
    quoted: dict[str, str] = {}

    def placeholder(match: re.Match[str]) -> str:
        name = f"_quoted_{len(quoted)}"
        quoted[name] = match[1]
        return name

    return _QUOTED.sub(placeholder, text), quoted


def _parsed(side: str, text: str) -> tuple[ast.expr, dict[str, str]]:
    """The expression of one side, and the quoted names that placeholders stand for."""
    expression, quoted = unquoted(side)
    # Python has no operator ":"; "@" binds like it closely enough to check the parts.
    expression = expression.replace(":", "@").replace("^", "**").strip()
    try:
        return ast.parse(expression, mode="eval").body, quoted
    except (SyntaxError, RecursionError, MemoryError):
        raise Undefined(f'the formula "{text}" does not parse near "{side.strip()}".') from None


def _names(side: str, text: str, columns: list[str]) -> tuple[str, ...]:
    tree, quoted = _parsed(side, text)
    names = []
    for node in _visited(tree, text):
        name = quoted.get(node.id, node.id)
        if name not in columns:
            raise Undefined(
                f'the formula "{text}" names "{name}", which is no column.{hint(name, columns)} '
                f"The original has: {listing(columns)}."
            )
        names.append(name)
    return tuple(dict.fromkeys(names))


def _visited(node: ast.expr, text: str) -> list[ast.Name]:
    """The column names of an expression; anything but the allowed parts is refused."""
    if isinstance(node, ast.Name):
        return [node]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _powers(node, text)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
        return _visited(node.left, text) + _visited(node.right, text)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, _OPERATORS):
        return _visited(node.operand, text)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FUNCTIONS
        and len(node.args) == 1
        and not node.keywords
    ):
        return _visited(node.args[0], text)
    raise Undefined(
        f'the formula "{text}" holds something other than columns, numbers, + - : * / ** and '
        f"{', '.join(FUNCTIONS)}."
    )


def _powers(node: ast.BinOp, text: str) -> list[ast.Name]:
    """A column to a small power: powers of numbers could keep a machine busy for ever."""
    names = _visited(node.left, text)
    exponent = node.right.value if isinstance(node.right, ast.Constant) else None
    if names and type(exponent) in (int, float) and 0 < exponent <= MOST_POWER:  # type: ignore[operator]
        return names
    raise Undefined(
        f'the formula "{text}" has a power that is not of a column or not between 0 and '
        f"{MOST_POWER}."
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


def factor_columns(expression: str, columns: Iterable[str]) -> set[str]:
    """Columns named by one factor of a parsed formula."""
    names = set(columns)
    if expression in names:
        return {expression}
    quoted = set(_QUOTED.findall(expression))
    plain = set(re.findall(r"[^\W\d]\w*", _QUOTED.sub(" ", expression)))
    return (quoted | plain) & names
