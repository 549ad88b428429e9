"""Which parts of a result are computed: what was named, what is quick enough, or all there is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from importlib import import_module
from typing import Literal

from microgauge.errors import InputError, hint
from microgauge.languages.messages import say, strung
from microgauge.log import Note
from microgauge.records import dataclass
from microgauge.schema import Schema
from microgauge.sections.registry import choosable, sections
from microgauge.sections.section import Section, Shared
from microgauge.sections.verdict.forming import needed_by

Depth = Literal["quick", "default", "full"]


def depth_of(quick: bool, full: bool) -> Depth:
    """How much is computed where nothing is named."""
    if quick and full:
        raise InputError(say("quick and full exclude each other."))
    return "quick" if quick else "full" if full else "default"


@dataclass(frozen=True)
class Wanted:
    """What is to be computed: sections by name, and whether the riskiest records are listed."""

    sections: frozenset[str]
    risky: bool = False
    left_out: tuple[str, ...] = ()
    """What takes long and is not computed."""
    quick: bool = False
    """Whether a first verdict is enough."""

    @property
    def parts(self) -> dict[str, Section | Shared]:
        """Parts by the names of their results."""
        parts: dict[str, Section | Shared] = {
            section.name: section for section in sections() if section.name in self.sections
        }
        if self.risky and "risk" in self.sections:
            from microgauge.sections.risk.section import RISKY

            parts["risky"] = RISKY
        return parts

    def load(self) -> None:
        """Load what measures the sections: of long tables, that goes on while they are read."""
        for section in sections():
            if section.name in self.sections and section.module:
                import_module(section.module)

    def first(self, schema: Schema) -> dict[str, Section | Shared]:
        """What the verdict is made of, each as quickly as it can be read."""
        wanted = needed_by(schema) & self.sections
        return {section.name: section.quickly() for section in sections() if section.name in wanted}

    def later(self, schema: Schema) -> tuple[str, ...]:
        """The sections that a first reading does not have."""
        first = self.first(schema)
        return tuple(
            section.name
            for section in sections()
            if section.name in self.sections
            and section.name not in first
            and section.name != "verdict"
            and not section.on_request
            and not (section.several and not schema.parts[section.name])
        )

    @property
    def notes(self) -> list[Note]:
        """What was left out, and how to get it."""
        if not self.left_out:
            return []
        return [
            Note(
                "left-out",
                say(
                    "Left out, as it takes long: {left_out} (--full, in Python full=True).",
                    left_out=strung(self.left_out, ", "),
                ),
                self.left_out,
            )
        ]


def wanted_of(
    only: Collection[str] | None, skip: Collection[str], schema: Schema, *, full: bool = False
) -> Wanted:
    """The sections that were named; else those that are quick, or all."""
    if full and only is not None:
        raise InputError(say("only names what is computed, and goes with no full."))
    names = chosen_sections(only, skip, schema, full=full)
    return Wanted(names, left_out=() if only is not None else left_out(schema, names, skip))


def chosen_sections(
    only: Collection[str] | None,
    skip: Collection[str],
    schema: Schema,
    *,
    full: bool = False,
) -> frozenset[str]:
    """The sections to compute; `InputError` for a name that is none."""
    known = choosable()
    every = [section.name for section in sections()]  # those on request too, where named
    unknown = [name for name in [*(only or ()), *skip] if name not in every]
    if unknown:
        raise InputError(
            *(
                say(
                    'there is no section "{name}"; there are {known}.{hint}',
                    name=name,
                    known=strung(known, ", "),
                    hint=hint(name, known),
                )
                for name in unknown
            )
        )
    usual = known if full else _usual(schema)
    left = frozenset(usual if only is None else only) - frozenset(skip)
    if not left:
        raise InputError(say("no section is left to compute."))
    return left


def _usual(schema: Schema) -> list[str]:
    """Those that are quick, and those that the schema has a table for."""
    return [
        section.name
        for section in sections()
        if not section.on_request and (not section.slow or section.name in schema.named)
    ]


def in_full(schema: Schema) -> Schema:
    """The schema with everything asked for that takes long."""
    changes = {
        section.name: replace(
            schema.parts[section.name], **dict.fromkeys(section.slow_choices, True)
        )
        for section in sections()
        if section.slow_choices
    }
    return schema.changed(**changes)


def left_out(schema: Schema, names: Collection[str], skip: Collection[str]) -> tuple[str, ...]:
    """What takes long and nobody asked for, though it was not refused either."""
    found = [
        section.name
        for section in sections()
        if section.slow and section.name not in names and section.name not in skip
    ]
    for section in sections():
        if section.name in names:
            chosen = schema.parts.get(section.name)
            slow = section.slow_choices.items()
            found += [what for name, what in slow if not getattr(chosen, name)]
    return tuple(found)
