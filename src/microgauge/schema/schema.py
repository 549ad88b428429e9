"""Everything a user says about the data and the run, in one object."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, TypeVar

from microgauge.errors import hint
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.analyses import Model
from microgauge.schema.columns import Columns
from microgauge.schema.entries import Entries
from microgauge.schema.options import Options
from microgauge.schema.parts import section_parts
from microgauge.schema.reading import Reader, numbered, read_toml
from microgauge.schema.roles import weight_faults
from microgauge.schema.variables import Recode, Variable

ProtectionLevels = Mapping[str, Mapping[str, Recode | None]]
"""Protection levels to preview: what becomes of each variable; None: suppressed."""
Chosen = TypeVar("Chosen", bound=Entries)


class Parts(dict[str, Any]):
    """The choices of sections by their names, and which of them were given."""

    given: frozenset[str] = frozenset()

    @staticmethod
    def of(known: Mapping[str, Any], *given: Mapping[str, Any]) -> Parts:
        """What holds where nothing is said, and what is said; of parts, what they were given."""
        found = Parts(known)
        for some in given:
            found.update(some)
            found.given |= some.given if isinstance(some, Parts) else frozenset(some)
        return found


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Schema:
    """Everything a user says about the data and the run.

    What belongs to a section is read and given by the section's name: `schema.risk`,
    `Schema(risk=…)`. Where the type matters, ask for it by its class: `schema.of(RiskChoices)`.
    """

    options: Options
    variables: Mapping[str, Variable]
    models: tuple[Model, ...]
    parts: Mapping[str, Any]
    """The choices of each section, by its name."""
    levels: ProtectionLevels
    malformed: tuple[str, ...]
    """Faults met while reading, kept so that all faults can be told at once."""
    said: Mapping[str, str]
    """Variables that were named beside the schema, and by which option."""
    file: str | None = field(compare=False)
    """The file it was read from."""

    def __init__(
        self,
        *,
        options: Options | None = None,
        variables: Mapping[str, Variable] | None = None,
        models: tuple[Model, ...] = (),
        parts: Mapping[str, Any] | None = None,
        levels: ProtectionLevels | None = None,
        malformed: tuple[str, ...] = (),
        said: Mapping[str, str] | None = None,
        **choices: Any,
    ) -> None:
        file = choices.pop("file", None)
        known = {part.name: part.default() for part in section_parts()}
        for name in choices:
            if name not in known:
                raise TypeError(f'a schema has no part "{name}".{hint(name, known)}')
        values = {
            "options": Options() if options is None else options,
            "variables": {} if variables is None else variables,
            "models": models,
            "parts": Parts.of(known, parts or {}, choices),
            "levels": {} if levels is None else levels,
            "malformed": malformed,
            "said": {} if said is None else said,
            "file": file,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        parts = self.__dict__.get("parts", {})  # not there yet while it is unpickled
        if name in parts:
            return parts[name]
        raise AttributeError(f"a schema has no {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.parts]

    def __repr__(self) -> str:
        shown = {
            "options": self.options,
            "variables": self.variables,
            "models": self.models,
            **self.parts,
            "levels": self.levels,
        }
        return f"Schema({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def of(self, kind: type[Chosen]) -> Chosen:
        """The choices of the section whose choices are of this class."""
        return next(found for found in self.parts.values() if isinstance(found, kind))

    def changed(self, **changes: Any) -> Schema:
        """The same with some of it changed: `schema.changed(risk=…, options=…)`."""
        return replace(self, **changes)

    @property
    def named(self) -> frozenset[str]:
        """The sections that it has a table for, whatever the table says."""
        return self.parts.given if isinstance(self.parts, Parts) else frozenset(self.parts)

    @property
    def keys(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(n for n, v in self.variables.items() if v.role == "quasi_identifier")

    def of_original(self) -> Schema:
        """What it says of the original alone, for looking at that by itself."""
        variables = {
            name: replace(given, recode=None, protected_type=None)
            for name, given in self.variables.items()
        }
        weight = self.options.weight_original or self.options.weight
        options = replace(
            self.options,
            key=None,
            pairs=None,
            weight=weight,
            weight_original=None,
            weight_protected=None,
        )
        parts = {
            name: part.of_original() if isinstance(part, Entries) else part
            for name, part in self.parts.items()
        }
        return self.changed(variables=variables, options=options, parts=parts)

    @staticmethod
    def load(path: str | Path) -> Schema:
        """Read a TOML file."""
        return Schema.from_dict(read_toml(path)).changed(file=str(path))

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> Schema:
        """Build a schema from the dict a TOML file gives."""
        reader = Reader()
        reader.check_names(content, table_names())
        variables = reader.table(content.get("variable", {}), "[variable]")
        return Schema(
            options=Options.read(content.get("options", {}), "[options]", reader),
            variables={
                name: Variable.read(entry, f"[variable.{name}]", reader)
                for name, entry in variables.items()
            },
            models=tuple(
                Model.read(entry, where, reader)
                for where, entry in reader.numbered(content, "model")
            ),
            parts={
                part.name: part.read(content, reader)
                for part in section_parts()
                if part.key in content
            },
            levels=_read_levels(content.get("level", {}), reader),
            malformed=tuple(reader.faults),
        )

    def faults(self) -> list[str]:
        """Everything wrong with the schema by itself, before any table is looked at."""
        found = [*self.malformed, *self.options.faults("[options]")]
        for name, variable in self.variables.items():
            found += variable.faults(f"[variable.{name}]")
        found += weight_faults(self)
        for place, model in enumerate(self.models, start=1):
            found += model.faults(numbered("model", place))
        found += self._part_faults(several=False)
        found += self._level_faults()
        return found + self._part_faults(several=True)

    def column_faults(self, known: Columns, names: Collection[str] = ()) -> list[str]:
        """What is wrong with the columns that models and sections' choices name.

        `known` are the original's that are described, `names` all of both tables.

        Entries whose form is at fault are told of by `faults` and passed over here.
        """
        models = [(numbered("model", n), model) for n, model in enumerate(self.models, start=1)]
        entries = [*self._entries(several=False), *models, *self._entries(several=True)]
        return [
            fault
            for where, entry in entries
            if entry.columns_checkable(where)
            for fault in (*entry.column_faults(where, known), *entry.name_faults(where, names))
        ]

    def _part_faults(self, *, several: bool) -> list[str]:
        entries = self._entries(several=several)
        return [fault for where, entry in entries for fault in entry.faults(where)]

    def _entries(self, *, several: bool) -> list[tuple[str, Entries]]:
        """The tables of sections, and how each is named."""
        return [
            entry
            for part in section_parts()
            if part.several is several and part.name in self.parts
            for entry in part.entries(self.parts[part.name])
        ]

    def _level_faults(self) -> list[str]:
        return [
            fault
            for level, recodes in self.levels.items()
            for name, recode in recodes.items()
            if recode is not None
            for fault in recode.faults(say("[level.{level}] {name}", level=level, name=name))
        ]


def table_names() -> tuple[str, ...]:
    """The tables a schema file may have."""
    return ("options", "variable", "model", *(part.key for part in section_parts()), "level")


def _read_levels(entry: Any, reader: Reader) -> dict[str, dict[str, Recode | None]]:
    """Protection levels: for each variable a recoding, or "suppress"."""
    return {
        str(level): {
            str(name): None
            if recode == "suppress"
            else Recode.read(recode, say("[level.{level}] {name}", level=level, name=name), reader)
            for name, recode in reader.table(recodes, f"[level.{level}]").items()
        }
        for level, recodes in reader.table(entry, "[level]").items()
    }
