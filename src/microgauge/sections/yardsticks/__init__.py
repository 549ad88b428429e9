"""Files whose loss is known, to hold a protected file against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from microgauge.results.yardsticks import Yardstick
from microgauge.sections.section import Section
from microgauge.sections.yardsticks.explanations import EXPLANATIONS

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block
    from microgauge.sections.public.told import Told
    from microgauge.study.study import Study


class Yardsticks(Section):
    """Files whose loss is known."""

    name = "yardsticks"
    public = True
    title = "Yardsticks"
    about = "files whose loss is known"
    page = "yardsticks.md"
    answers = "useful"
    result = tuple[Yardstick, ...]
    explanations = EXPLANATIONS
    on_request = True

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """The measures of each file whose loss is known."""
        from microgauge.sections.yardsticks.section import run

        return run(study, log)

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
