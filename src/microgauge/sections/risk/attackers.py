"""Attackers: who knows that a person is in the file, and who looks them up in another table."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Counts
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.risk.classes import internal_risk, records_above
from microgauge.measures.risk.external import (
    class_risk,
    journalist_risk,
    matched_risk,
    mean_of,
    unmatched_share,
)
from microgauge.records import dataclass
from microgauge.results import AttackerRisk
from microgauge.sections.risk.classes import KeyClasses
from microgauge.sections.risk.external import Linked


@dataclass(frozen=True, eq=False)
class Attackers:
    """The classes beside the tables that an attacker may hold."""

    classes: KeyClasses
    linked: Linked | None
    """The external table; None without."""
    in_population: Linked | None
    """The population table; None without."""
    log: Log

    def external_keys(self) -> tuple[str, ...]:
        """The quasi-identifiers that the external table has."""
        return () if self.linked is None else tuple(v.name for v in self.linked.shared)

    def external(
        self, reasons: dict[str, str]
    ) -> tuple[float | None, dict[str, float | None], dict[str, str]]:
        """R_external, its value by each method, and why a method has none."""
        if self.linked is None:
            reasons["external"] = say("no external table is given")
            return None, {}, {}
        methods, why = self.linked.methods(self.classes.table)
        weights = self.classes.chosen.method_weights
        wanted = {name: methods[name] for name, weight in weights.items() if weight > 0}
        missing = [
            say("{name}: {why}", name=name, why=why[name])
            for name, value in wanted.items()
            if value is None
        ]
        if missing:
            reasons["external"] = strung(missing, "; ")
            self.log.note(
                "external-undefined",
                say(
                    "External risk is not defined, and the risk is the internal one: {missing}.",
                    missing=missing[0],
                ),
            )
            return None, methods, why
        known = {n: v for n, v in wanted.items() if v is not None}
        return mean_of(known, [weights[name] for name in known]), methods, why

    def external_matches(self, reasons: dict[str, str]) -> tuple[float | None, float | None]:
        """The share of records that no external record matches; mean 1/ext over the others."""
        if self.linked is None:
            return None, None  # said of the external risk
        rows = self.classes.table.rows
        try:
            matches = self.linked.matches(self.classes.table)
        except Undefined as why:
            reasons["external_unmatched, external_matched"] = str(why)
            return None, None
        try:
            return unmatched_share(rows, matches), matched_risk(rows, matches)
        except Undefined as why:
            reasons["external_matched"] = str(why)
            return unmatched_share(rows, matches), None

    def population_uniques(self, reasons: dict[str, str]) -> int | None:
        """Sample uniques that are unique in the population table too."""
        if self.in_population is None:
            reasons["population_uniques"] = say("no population table is given")
            return None
        table = self.classes.table
        try:
            alone = (table.matching == 1) & (self.in_population.matches(table) == 1)
        except Undefined as why:
            reasons["population_uniques"] = str(why)
            return None
        return int(table.rows[alone].sum())

    def prosecutor(self) -> AttackerRisk:
        """The risk from one who knows that a person is in the file."""
        table = self.classes.table
        above = records_above(table.risk, table.rows, self.classes.chosen.threshold)
        return AttackerRisk(
            largest=float(table.risk.max()),
            mean=internal_risk(table),
            at_risk=above / table.records,
        )

    def journalist(self) -> AttackerRisk:
        """The risk from one who looks any record up in another table."""
        table = self.classes.table
        try:
            matches = self._matches()
            risks = np.where(matches > 0, 1.0 / np.maximum(matches, 1), 0.0)
            above = records_above(risks, table.rows, self.classes.chosen.threshold)
            return AttackerRisk(
                largest=journalist_risk(matches),
                mean=class_risk(table.rows, matches),
                at_risk=above / table.records,
            )
        except Undefined as why:
            return AttackerRisk(largest=None, mean=None, at_risk=None, reason=str(why))

    def marketer(self, reasons: dict[str, str]) -> float | None:
        """Mean risk of a record in the population or external table."""
        try:
            return class_risk(self.classes.table.rows, self._matches())
        except Undefined as why:
            reasons["marketer"] = str(why)
            return None

    def _matches(self) -> Counts:
        """Records of the population table, or else of the external one, for each class."""
        linked = self.in_population or self.linked
        if linked is None:
            raise Undefined(say("no external or population table is given"))
        return linked.matches(self.classes.table)
