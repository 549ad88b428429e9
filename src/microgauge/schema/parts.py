"""The tables of a schema that belong to sections. The schema is handed them and names none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from microgauge.records import dataclass
from microgauge.schema.entries import Entries
from microgauge.schema.reading import Reader, numbered


@dataclass(frozen=True)
class Part:
    """A table of the schema, [risk], or a list of tables, [[indicator]]."""

    name: str
    """Of the section it belongs to; in Python `schema.NAME`."""
    key: str
    """How a file calls it."""
    kind: type[Entries]
    several: bool = False
    """Whether it is a list of tables."""

    def default(self) -> Any:
        """What holds where the schema says nothing."""
        return () if self.several else self.kind()

    def read(self, content: Mapping[str, Any], reader: Reader) -> Any:
        """What a schema file says of it."""
        if not self.several:
            return self.kind.read(content.get(self.key, {}), f"[{self.key}]", reader)
        return tuple(
            self.kind.read(entry, where, reader)
            for where, entry in reader.numbered(content, self.key)
        )

    def entries(self, value: Any) -> list[tuple[str, Entries]]:
        """What a schema says of it, table by table, and how each is named."""
        if not self.several:
            return [(f"[{self.key}]", value)]
        return [(numbered(self.key, place), entry) for place, entry in enumerate(value, start=1)]


REGISTRY = "microgauge.sections.registry"
"""Who hands over as it is loaded: at the latest when the parts are asked for, by its name only, as
a schema lies below the sections and must work for whoever makes one first."""
_SOURCES: list[Callable[[], Iterable[Part]]] = []


def hand_over(source: Callable[[], Iterable[Part]]) -> None:
    """Name the function that tells the parts there are, asked anew each time."""
    _SOURCES.append(source)


def section_parts() -> tuple[Part, ...]:
    """The parts of all sections, in their order."""
    if not _SOURCES:
        import_module(REGISTRY)
    return tuple(part for source in _SOURCES for part in source())
