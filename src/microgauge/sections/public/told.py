"""What is known to be tellable of one result, once all results beside it were looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results import VariableDetail
from microgauge.sections.public.rounding import score_step

IndicatorKey = tuple[str, str | None, str | None]
"""Name, the variable that forms groups, and the group."""

FEW = say("it rests on few records")
NOT_COUNTED = say("its records were not counted")
NOT_DRAWN = say("it cannot be drawn")
OTHER_TERMS = say("other versions give it in other categories, and both would tell of few records")


@dataclass(frozen=True, kw_only=True)
class Told:
    """What may be told of a result."""

    threshold: int
    rows: int
    """Of the original."""
    details: Mapping[str, VariableDetail]
    """Distributions that may be told; with the reason where none may."""
    whole: frozenset[str]
    """Variables of which nothing is among the others, and no record stands out."""
    smallest: Mapping[str, int] = field(default_factory=dict)
    """Records of the smallest group that is told of a variable."""
    indicators: frozenset[IndicatorKey] = frozenset()

    @property
    def step(self) -> float:
        """Of scores."""
        return score_step(self.rows, self.threshold)

    def has(self, name: str) -> bool:
        """Whether the distribution of a variable is told."""
        found = self.details.get(name)
        return found is not None and found.told is not None

    @cached_property
    def labels(self) -> dict[str, frozenset[str]]:
        """The categories of each variable that are named."""
        return {
            name: frozenset(() if found.told is None else found.told.labels)
            for name, found in self.details.items()
        }
