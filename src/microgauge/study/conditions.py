"""Which rows of a table a condition holds in."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from microgauge.arrays import Flags, Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.conditions import ARITHMETIC, ORDER, Condition
from microgauge.study.records import Records
from microgauge.values.labels import label_of


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
            return self._ordered(left, ORDER[type(op)], right)
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
            return np.asarray(ARITHMETIC[type(node.op)](*parts), dtype=np.float64)
        raise Undefined(
            say('the condition "{text}" compares words by size', text=self.condition.text)
        )


def _constant(node: ast.expr) -> Any:
    """The value of a constant, also of -1; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if isinstance(value, int | float):
            return -value if isinstance(node.op, ast.USub) else value
    return None
