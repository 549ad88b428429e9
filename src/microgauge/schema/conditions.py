"""Conditions from a schema file ("WAGP > 0 and SEX == 1"): data, not code.

Python's grammar is borrowed to read them, nothing is ever executed: the parts that are allowed are
walked one by one, anything else is refused.
"""

from __future__ import annotations

import ast
import io
import operator
import tokenize
from collections.abc import Callable, Iterable
from typing import Any

from microgauge.errors import Undefined, hint, listing
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.formulas import LARGEST, LONGEST, parsed, unquoted

ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True)
class Condition:
    """A checked condition: its text, its tree, and the columns it names."""

    text: str
    tree: ast.expr
    quoted: dict[str, str]
    columns: tuple[str, ...]


def parse_condition(text: str, columns: Iterable[str]) -> Condition:
    """Check a condition against the columns there are; `Undefined` says what is wrong."""
    if len(text) > LONGEST or not text.isprintable():
        raise Undefined(
            say(
                "the condition is longer than {longest:,} characters or cannot be printed.",
                longest=LONGEST,
            )
        )
    expression, quoted = unquoted(text.strip())
    tree = None if _commented(expression) else parsed(expression)
    if tree is None:
        raise Undefined(
            say(
                'the condition "{text}" does not parse; it is written like "AGEP >= 18 '
                'and SEX == 1".',
                text=text,
            )
        )
    condition = Condition(text, tree, quoted, ())
    columns = list(columns)
    try:
        names = list(dict.fromkeys(_checked(tree, condition)))
    except RecursionError:
        raise Undefined(say("the condition nests too deeply.")) from None
    for name in names:
        if name not in columns:
            raise Undefined(
                say(
                    'the condition "{text}" names "{name}", which is no column.{hint} '
                    "The original has: {columns}.",
                    text=text,
                    name=name,
                    hint=hint(name, columns),
                    columns=listing(columns),
                )
            )
    if not names:
        raise Undefined(say('the condition "{text}" names no column.', text=text))
    return Condition(text, tree, quoted, tuple(names))


def _commented(expression: str) -> bool:
    """Whether a part of the text would be taken for a comment and not be read."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(expression).readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(token.type == tokenize.COMMENT for token in tokens)


def _checked(node: ast.expr, condition: Condition) -> list[str]:
    """The columns of a condition: comparisons joined by and, or, not."""
    if isinstance(node, ast.BoolOp):
        return [name for part in node.values for name in _checked(part, condition)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        return _checked(node.operand, condition)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        return _checked(node.left, condition) + _checked(node.right, condition)
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        for op, right in zip(node.ops, node.comparators, strict=True):
            _check_comparison(op, parts, right, condition)
        left = _checked_value(node.left, condition)
        return left + [n for part in node.comparators for n in _checked_side(part, condition)]
    raise _refused(condition)


def _check_comparison(
    op: ast.cmpop, parts: list[ast.expr], right: ast.expr, condition: Condition
) -> None:
    listed = isinstance(right, ast.List | ast.Tuple | ast.Set)
    if isinstance(op, ast.In | ast.NotIn) != listed:
        raise Undefined(
            say(
                'the condition "{text}": a list such as [1, 2] goes with "in", and only with it.',
                text=condition.text,
            )
        )
    if isinstance(op, ast.Is | ast.IsNot):
        raise _refused(condition)
    words = any(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in parts)
    if words and type(op) in ORDER:
        raise Undefined(say('the condition "{text}" compares words by size.', text=condition.text))


def _checked_value(node: ast.expr, condition: Condition) -> list[str]:
    """The columns of one side of a comparison."""
    if isinstance(node, ast.Name):
        return [condition.quoted.get(node.id, node.id)]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, str, bool):
        if not isinstance(node.value, str) and not abs(node.value) < LARGEST:  # type: ignore[arg-type]
            raise Undefined(
                say('the condition "{text}" holds a number that is too large.', text=condition.text)
            )
        return []
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _checked_value(node.operand, condition)
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        return _checked_value(node.left, condition) + _checked_value(node.right, condition)
    raise _refused(condition)


def _checked_side(node: ast.expr, condition: Condition) -> list[str]:
    """The columns of a side of a comparison, which after "in" is a list."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [name for part in node.elts for name in _checked_value(part, condition)]
    return _checked_value(node, condition)


def _refused(condition: Condition) -> Undefined:
    return Undefined(
        say(
            'the condition "{text}" holds something other than columns, numbers, quoted '
            "words, comparisons (== != < <= > >= in, not in), + - * / and, or, not.",
            text=condition.text,
        )
    )
