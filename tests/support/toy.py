"""A section that no list of the package knows: what derives from the registry must find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from microgauge.schema import Entries
from microgauge.schema.checks import whole
from microgauge.sections.section import Section


@dataclass(frozen=True, kw_only=True)
class ToyChoices(Entries):
    """One choice, and a list."""

    lists: ClassVar[tuple[str, ...]] = ("playmates",)

    size: int = 3
    playmates: tuple[str, ...] = ()

    def faults(self, where: str) -> list[str]:
        """A toy has a size."""
        return whole(f"{where} size", self.size, 1)


class Toy(Section):
    """A section with choices, and nothing to compute."""

    name = "toy"
    title = "Toy"
    about = "nothing"
    page = "toy.md"
    choices = ToyChoices

    def run(self, study: Any, log: Any) -> Any:
        """Is never asked."""
        raise NotImplementedError
