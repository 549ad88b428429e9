"""What a paper says of its figures, and how it is tried on figures: the paper's own or ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from microgauge.records import dataclass
from microgauge.results import Claim

Figures = TypeVar("Figures")
NEITHER = "The paper's own figures do not show it either."


@dataclass(frozen=True)
class Said(Generic[Figures]):
    """A sentence of a paper. `tried`: whether it holds in figures, and those that decide."""

    claim: str
    tried: Callable[[Figures], tuple[bool, str]]
    why_not: str | None = None
    """Why it may not come out here."""
    printed: bool = True
    """Whether the paper prints the figures that it needs."""

    def judged(self, own: Figures, published: Figures | None = None) -> Claim:
        """The verdict on our figures; and where the paper's own figures say no, that they do."""
        holds, shown = self.tried(own)
        reasons = [] if holds or self.why_not is None else [self.why_not]
        if published is not None and self.printed and not self.tried(published)[0]:
            if holds:
                shown += " (in the paper's own figures it does not hold)"
            else:
                reasons.append(NEITHER)
        return Claim(claim=self.claim, holds=holds, shown=shown, reason=" ".join(reasons) or None)
