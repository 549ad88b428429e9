"""Classes: the records of the protected table that share all their quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.rounds import Asking, asked, together
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.risk.classes import (
    ClassTable,
    class_table,
    internal_risk,
    shown_sensitivity,
)
from microgauge.passes import Axis, Classes, Facts, Suppressed
from microgauge.schema import Variable
from microgauge.sections.risk.choices import RiskChoices
from microgauge.study.cells import Cells
from microgauge.study.common_levels import common_axes
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side
from microgauge.values.packing import unpacked

MissingKeys = Literal["value", "any"]
Why = Literal["declared", "suppression found", "none found"]


@dataclass(eq=False)
class KeyClasses:
    """The classes, with what their records weigh."""

    study: Study
    _facts: Facts = field(default_factory=lambda: Facts({}))
    _suppressed: Facts = field(default_factory=lambda: Facts({}))
    _tables: dict[MissingKeys, ClassTable] = field(default_factory=dict)

    def ask(self) -> Asking[None]:
        """The classes, and whether keys were suppressed, from one round."""
        works = [asked(self.study.protected, [self._question])]
        if self.study.matched is not None:
            works.append(asked(self.study.matched, self._suppressions))
        self._facts, *suppressed = yield from together(*works)
        self._suppressed = suppressed[0] if suppressed else Facts({})

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

    @property
    def table(self) -> ClassTable:
        """The classes and how many records each holds, missing keys taken as chosen."""
        return self.table_by(self.missing_keys[0])

    def table_by(self, how: MissingKeys) -> ClassTable:
        """The same, with missing keys taken in either way."""
        if how not in self._tables:
            cells = self._facts[self._question]
            self._tables[how] = class_table(
                unpacked(cells.keys, self._question.sizes),
                [axis.size for axis in self.axes],
                cells.rows,
                cells.sums,
                missing_matches=how == "any",
            )
        return self._tables[how]

    # -- what a missing key is ---------------------------------------------------------------

    @cached_property
    def missing_keys(self) -> tuple[MissingKeys, Why]:
        """How missing keys are taken, and why: as declared, or by whether keys were suppressed."""
        if self.chosen.missing_keys is not None:
            return self.chosen.missing_keys, "declared"
        found = self._rose if self.study.matched is None else self._lost
        return ("any", "suppression found") if found else ("value", "none found")

    @property
    def _lost(self) -> bool:
        """Whether a unit that had a value of a key has none any more."""
        return any(int(self._suppressed[question][1]) for question in self._suppressions)

    @property
    def _rose(self) -> bool:
        """Whether a key is missing more often than in the original, where units are unknown."""
        before, after = (engine.rows for engine in self.study.engines)
        return any(
            released(v).levels.missing * before > v.original.levels.missing * after
            for v in self.keys
        )

    @cached_property
    def _suppressions(self) -> list[Suppressed]:
        """For each key with missing cells, unless it is declared what these are."""
        if self.chosen.missing_keys is not None:
            return []
        return [Suppressed(*common_axes(v)) for v in self.keys if released(v).levels.missing]

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

    def weights(self) -> Floats:
        """The sampling weights of each class's records, added up."""
        return np.asarray(self.table.sums[self._weight_place])

    def matching_weights(self) -> Floats:
        """The sampling weights of the records that each class's cannot be told from, added up."""
        return np.asarray(self.table.matching_sums[self._weight_place])

    @property
    def _weight_place(self) -> int:
        if self.study.options.weight_of("protected") is None:
            raise Undefined(say("no sampling weight is given ([options] weight)"))
        if self.weight_axis is None:
            raise Undefined(say("the weight is no column of numbers in the protected table"))
        return self._question.scored.index(self.weight_axis)

    @property
    def sensitivities(self) -> dict[str, float]:
        """How sensitive each key is; empty where none is said to be more so than another."""
        said = self.chosen.sensitivity
        return {name: float(said.get(name, 1.0)) for name in self.names} if said else {}

    def internal(self, reasons: dict[str, str], how: MissingKeys | None = None) -> float | None:
        """R_internal, or null with the reason among the others."""
        table = self.table if how is None else self.table_by(how)
        try:
            return internal_risk(table, self._record_weights(table))
        except Undefined as why:
            reasons["internal"] = str(why)
            return None

    def _record_weights(self, table: ClassTable) -> Floats | None:
        """What each class's records weigh in R_internal; None where all weigh the same."""
        if self.sensitivities:
            return shown_sensitivity(table, list(self.sensitivities.values()))
        if self.chosen.record_weight is None:
            return None
        axis = self._record_weight_axis
        if axis is None:
            raise Undefined(say("the record weight is no column of numbers in the protected table"))
        if axis.scores is not None and bool((axis.scores < 0).any()):
            raise Undefined(say("the record weight is negative in some rows"))
        return np.asarray(table.sums[self._question.scored.index(axis)])


def released(variable: Described) -> Side:
    """A variable that the protected table has, as it is there."""
    assert variable.protected is not None
    return variable.protected
