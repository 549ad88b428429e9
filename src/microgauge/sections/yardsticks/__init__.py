"""Files whose loss is known, to hold a protected file against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.results.yardsticks import Yardstick
from microgauge.sections.section import Section
from microgauge.sections.yardsticks.explanations import EXPLANATIONS

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block
    from microgauge.sections.public.told import Told


class Yardsticks(Section):
    """Files whose loss is known."""

    name = "yardsticks"
    public = True
    title = say("Yardsticks")
    about = say("files whose loss is known")
    page = "yardsticks.md"
    module = "microgauge.sections.yardsticks.section"
    answers = "useful"
    result = tuple[Yardstick, ...]
    explanations = EXPLANATIONS
    on_request = True

    def words(self, result: Assessment) -> Sequence[Block]:
        """Those files' figures, and where this one stands."""
        from microgauge.sections.yardsticks.words import words

        return words(result, result.sections[self.name])

    def for_users(self, result: Assessment, told: Told) -> Any:
        """The figures rounded."""
        from microgauge.sections.public.whole_files import yardsticks_for_users

        return yardsticks_for_users(result.sections[self.name], told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """Those files' figures, and where this one stands."""
        from microgauge.sections.yardsticks.report import report

        del edition, threshold
        return report(result, result.sections[self.name])
