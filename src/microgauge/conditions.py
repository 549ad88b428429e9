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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microgauge.cells import label_of
from microgauge.errors import Undefined, hint, listing
from microgauge.formulas import LARGEST, LONGEST, parsed, unquoted
from microgauge.levels import Floats

if TYPE_CHECKING:
    from microgauge.records import Records

Flags = NDArray[np.bool_]

_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
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
            f"the condition is longer than {LONGEST:,} characters or cannot be printed."
        )
    expression, quoted = unquoted(text.strip())
    tree = None if _commented(expression) else parsed(expression)
    if tree is None:
        raise Undefined(
            f'the condition "{text}" does not parse; it is written like "AGEP >= 18 and SEX == 1".'
        )
    condition = Condition(text, tree, quoted, ())
    columns = list(columns)
    try:
        names = list(dict.fromkeys(_checked(tree, condition)))
    except RecursionError:
        raise Undefined("the condition nests too deeply.") from None
    for name in names:
        if name not in columns:
            raise Undefined(
                f'the condition "{text}" names "{name}", which is no column.'
                f"{hint(name, columns)} The original has: {listing(columns)}."
            )
    if not names:
        raise Undefined(f'the condition "{text}" names no column.')
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
            f'the condition "{condition.text}": a list such as [1, 2] goes with "in", and only '
            "with it."
        )
    if isinstance(op, ast.Is | ast.IsNot):
        raise _refused(condition)
    words = any(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in parts)
    if words and type(op) in _ORDER:
        raise Undefined(f'the condition "{condition.text}" compares words by size.')


def _checked_value(node: ast.expr, condition: Condition) -> list[str]:
    """The columns of one side of a comparison."""
    if isinstance(node, ast.Name):
        return [condition.quoted.get(node.id, node.id)]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, str, bool):
        if not isinstance(node.value, str) and not abs(node.value) < LARGEST:  # type: ignore[arg-type]
            raise Undefined(f'the condition "{condition.text}" holds a number that is too large.')
        return []
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _checked_value(node.operand, condition)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return _checked_value(node.left, condition) + _checked_value(node.right, condition)
    raise _refused(condition)


def _checked_side(node: ast.expr, condition: Condition) -> list[str]:
    """The columns of a side of a comparison, which after "in" is a list."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [name for part in node.elts for name in _checked_value(part, condition)]
    return _checked_value(node, condition)


def _refused(condition: Condition) -> Undefined:
    return Undefined(
        f'the condition "{condition.text}" holds something other than columns, numbers, quoted '
        "words, comparisons (== != < <= > >= in, not in), + - * / and, or, not."
    )


# -- which rows ------------------------------------------------------------------------------


def rows_where(condition: Condition, records: Records) -> Flags:
    """The rows in which a condition holds; where a missing value leaves it open, it does not."""
    for name in condition.columns:
        records.side(name)
    with np.errstate(all="ignore"):
        return _Judge(condition, records).judged(condition.tree)[0]


@dataclass(frozen=True)
class _Judge:
    condition: Condition
    records: Records

    def judged(self, node: ast.expr) -> tuple[Flags, Flags]:
        """Rows in which a condition is true, and in which it is false; the rest is not known."""
        if isinstance(node, ast.UnaryOp):
            true, false = self.judged(node.operand)
            return false, true
        if isinstance(node, ast.Compare):
            return self._chain(node)
        if isinstance(node, ast.BoolOp):
            parts = [self.judged(part) for part in node.values]
            both = isinstance(node.op, ast.And)
        else:
            assert isinstance(node, ast.BinOp)
            parts = [self.judged(node.left), self.judged(node.right)]
            both = isinstance(node.op, ast.BitAnd)
        every, some = np.logical_and.reduce, np.logical_or.reduce
        if not both:
            every, some = some, every
        return every([part[0] for part in parts]), some([part[1] for part in parts])

    def _chain(self, node: ast.Compare) -> tuple[Flags, Flags]:
        """a < b < c holds where both comparisons do."""
        sides = [node.left, *node.comparators]
        parts = [
            self._compared(left, op, right)
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        true = np.logical_and.reduce([part[0] for part in parts])
        return true, np.logical_or.reduce([part[1] for part in parts])

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> tuple[Flags, Flags]:
        if isinstance(op, ast.In | ast.NotIn):
            assert isinstance(right, ast.List | ast.Tuple | ast.Set)
            found = self._equal(left, right.elts)
        elif isinstance(op, ast.Eq | ast.NotEq):
            if _constant(left) is not None:
                left, right = right, left
            found = self._equal(left, [right])
        else:
            return self._ordered(left, _ORDER[type(op)], right)
        return found if isinstance(op, ast.In | ast.Eq) else (found[1], found[0])

    def _ordered(
        self, left: ast.expr, compare: Callable[[Any, Any], Any], right: ast.expr
    ) -> tuple[Flags, Flags]:
        a, b = self._numbers(left), self._numbers(right)
        known = ~np.isnan(a) & ~np.isnan(b)
        true = np.asarray(compare(a, b)) & known
        return true, ~true & known

    def _equal(self, left: ast.expr, values: list[ast.expr]) -> tuple[Flags, Flags]:
        """A column against constants, by label; other expressions as numbers."""
        constants = [_constant(value) for value in values]
        if isinstance(left, ast.Name) and None not in constants:
            name = self.condition.quoted.get(left.id, left.id)
            true = self.records.among(name, [label_of(c) for c in constants if c is not None])
            return true, ~true & self.records.present(name)
        parts = [self._ordered(left, operator.eq, value) for value in values]
        true = np.logical_or.reduce([part[0] for part in parts])
        return true, np.logical_and.reduce([part[1] for part in parts])

    def _numbers(self, node: ast.expr) -> Floats:
        if isinstance(node, ast.Name):
            return self.records.numbers(self.condition.quoted.get(node.id, node.id))
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            return np.full(self.records.rows, float(node.value))  # type: ignore[arg-type]
        if isinstance(node, ast.UnaryOp):
            value = self._numbers(node.operand)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.BinOp):
            parts = self._numbers(node.left), self._numbers(node.right)
            return np.asarray(_ARITHMETIC[type(node.op)](*parts), dtype=np.float64)
        raise Undefined(f'the condition "{self.condition.text}" compares words by size')


def _constant(node: ast.expr) -> Any:
    """The value of a constant, also of -1; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if isinstance(value, int | float):
            return -value if isinstance(node.op, ast.USub) else value
    return None
