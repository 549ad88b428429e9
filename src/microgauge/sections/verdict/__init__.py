"""Is the file useful, is it safe, and what is to be done about it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.results.verdict import Verdict as VerdictResult
from microgauge.sections.section import Section
from microgauge.sections.verdict.choices import VerdictChoices
from microgauge.sections.verdict.explanations import EXPLANATIONS

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline
    from microgauge.study.study import Study


class Verdict(Section):
    """Two grades and what was found, from the results of the other sections."""

    name = "verdict"
    title = say("Verdict")
    about = say("is it useful, is it safe, what to do")
    page = "verdict.md"
    result = VerdictResult
    choices = VerdictChoices
    explanations = EXPLANATIONS

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Nothing to ask of rows: it is made of figures once all are there (`forming`)."""
        del study, log
        return
        yield  # a part that asks nothing is still one that may ask

    def headline(self, result: Assessment) -> Headline:
        """Both grades and the worst findings, before all else."""
        from microgauge.sections.verdict.words import headline

        return headline(result.sections[self.name])

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """Both answers, the findings and the map, before all else."""
        from microgauge.sections.verdict.report import report

        del edition, threshold
        return report(result, result.sections[self.name])
