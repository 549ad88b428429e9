"""What a schema chooses for the verdict: [verdict]."""

from __future__ import annotations

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.entries import Entries


@dataclass(frozen=True, kw_only=True)
class VerdictChoices(Entries):
    """Choices of the verdict."""

    title: str | None = None
    """What is judged: heads the verdict wherever it is shown."""
    utility: str | None = None
    """The utility that is judged, as in [rank]; one that is named there holds here."""

    def faults(self, where: str) -> list[str]:
        """What is wrong by itself; whether the utility is one is told with the analyses known."""
        found: list[str] = []
        if not isinstance(self.title, str | None):
            found.append(say("{where} title must be a text.", where=where))
        if not isinstance(self.utility, str | None):
            found.append(say("{where} utility must be the name of a utility.", where=where))
        return found
