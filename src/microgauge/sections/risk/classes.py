"""Classes: the records of the protected table that share all their quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined
from microgauge.measures.risk.classes import ClassTable, class_table, internal_risk
from microgauge.passes import Axis, Classes, Facts
from microgauge.schema import Variable
from microgauge.sections.risk.choices import RiskChoices
from microgauge.study.cells import Cells
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side
from microgauge.values.packing import unpacked


@dataclass(eq=False)
class KeyClasses:
    """The classes, with what their records weigh."""

    study: Study
    _facts: Facts = field(default_factory=lambda: Facts({}))

    def ask(self) -> Asking[None]:
        """The classes, from one round."""
        self._facts = yield from asked(self.study.protected, [self._question])

    @property
    def chosen(self) -> RiskChoices:
        """The choices of the schema."""
        return self.study.schema.of(RiskChoices)

    @cached_property
    def keys(self) -> list[Described]:
        """The quasi-identifiers that the protected table still has."""
        return [
            v for v in self.study.variables if v.role == "quasi_identifier" and not v.removed
            and v.protected is not None
        ]  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(v.name for v in self.keys)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The quasi-identifiers as passes see them."""
        return tuple(released(v).axis(v.name) for v in self.keys)

    @cached_property
    def table(self) -> ClassTable:
        """The classes and how many records each holds."""
        cells = self._facts[self._question]
        return class_table(
            unpacked(cells.keys, self._question.sizes),
            [axis.size for axis in self.axes],
            cells.rows,
            cells.sums,
            missing_matches=self.chosen.missing_keys == "any",
        )

    @cached_property
    def _question(self) -> Classes:
        scored = [a for a in (self.weight_axis, self._record_weight_axis) if a is not None]
        return Classes(self.axes, tuple(dict.fromkeys(scored)))

    # -- what records weigh ------------------------------------------------------------------

    @cached_property
    def weight_axis(self) -> Axis | None:
        """The sampling weight of protected records; None where there is none."""
        return self._scored(self.study.options.weight_of("protected"))

    @cached_property
    def _record_weight_axis(self) -> Axis | None:
        return self._scored(self.chosen.record_weight)

    def _scored(self, name: str | None) -> Axis | None:
        """A column of numbers of the protected table, which the original may not have."""
        column = None if name is None else self.study.tables[1].columns.get(name)
        if name is None or column is None:
            return None
        given = self.study.schema.variables.get(name, Variable())
        cells = Cells.read(column, given.missing)
        if not cells.all_numbers or cells.empty:
            return None
        numbers = np.append(np.where(cells.missing, 0.0, cells.numbers), 0.0)
        return Axis(name, np.arange(0), len(column.values), numbers, identity=True)

    def _sums(self, axis: Axis | None) -> Floats | None:
        scored = self._question.scored
        return None if axis is None else self.table.sums[scored.index(axis)]

    def weights(self) -> Floats:
        """The sampling weights of each class's records, added up."""
        if self.study.options.weight_of("protected") is None:
            raise Undefined("no sampling weight is given ([options] weight)")
        weights = self._sums(self.weight_axis)
        if weights is None:
            raise Undefined("the weight is no column of numbers in the protected table")
        return weights

    def internal(self, reasons: dict[str, str]) -> float | None:
        """R_internal, or null with the reason among the others."""
        try:
            if self.chosen.record_weight is None:
                return internal_risk(self.table)
            axis = self._record_weight_axis
            weights = self._sums(axis)
            if axis is None or weights is None:
                raise Undefined("the record weight is no column of numbers in the protected table")
            if axis.scores is not None and bool((axis.scores < 0).any()):
                raise Undefined("the record weight is negative in some rows")
            return internal_risk(self.table, weights)
        except Undefined as why:
            reasons["internal"] = str(why)
            return None


def released(variable: Described) -> Side:
    """A variable that the protected table has, as it is there."""
    assert variable.protected is not None
    return variable.protected
