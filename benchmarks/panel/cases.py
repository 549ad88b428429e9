"""A protected file with all that is known of it: what measures look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

import microgauge
from benchmarks.panel.datasets import UNIT, DataSet
from benchmarks.panel.protections import Protection
from microgauge.results.plain import to_dict
from microgauge.sections.registry import sections

Figures = dict[str, float | None]
"""None: the measure has no figure for this file."""


def offered(choices: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Without what this version has no choice of: nothing is there then to be turned off."""
    known = {s.name: getattr(s.choices, "__dataclass_fields__", {}) for s in sections()}
    found = {
        table: {n: v for n, v in entries.items() if table == "options" or n in known.get(table, ())}
        for table, entries in choices.items()
    }
    return {table: entries for table, entries in found.items() if entries}


@dataclass(frozen=True, eq=False)
class Case:
    """A protected file of a data set."""

    data: DataSet
    protection: Protection
    seed: int

    @cached_property
    def protected(self) -> pl.DataFrame:
        return self.protection.make(self.data, self.seed)

    @property
    def original(self) -> pl.DataFrame:
        return self.data.frame if self.protection.aligned else self.data.frame.drop(UNIT)

    @property
    def schema(self) -> dict[str, Any]:
        said = self.data.schema(self.protection.aligned)
        if self.protection.declared is not None:
            for name, entry in self.protection.declared(self.data).items():
                said["variable"][name] = said["variable"].get(name, {}) | entry
        return said

    def assessed(self, *names: str) -> microgauge.Assessment:
        """microgauge's own sections, those of the names that there are."""
        return self._assessed(names, {})

    def plain(self, *names: str, **choices: dict[str, Any]) -> dict[str, Any]:
        """The same as the JSON result, with choices of the schema by its tables."""
        found: dict[str, Any] = to_dict(self._assessed(names, choices))
        return found

    def _assessed(
        self, names: Sequence[str], choices: Mapping[str, dict[str, Any]]
    ) -> microgauge.Assessment:
        there = {section.name for section in sections()}
        only = [name for name in names if name in there]
        schema = self.schema
        for table, entries in offered(choices).items():
            schema[table] = schema.get(table, {}) | entries
        return microgauge.assess(self.original, self.protected, schema=schema, only=only)
