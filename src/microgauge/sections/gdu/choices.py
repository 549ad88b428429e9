"""What a schema chooses for the global data utility: [gdu]."""

from __future__ import annotations

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.checks import flag
from microgauge.schema.entries import Entries


@dataclass(frozen=True, kw_only=True)
class GduChoices(Entries):
    """Choices of the global data utility beside those of [options]."""

    references: bool | None = None
    """Whether the figures of the permuted and the resampled original stand beside: unless said,
    where they do not take long; false: never; true: at any size that fits into memory."""

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        return flag(say("{where} references", where=where), self.references)
