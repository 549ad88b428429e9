"""Risk of re-identification by quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from microgauge.languages.messages import say
from microgauge.results.risk import Risk as RiskResult
from microgauge.sections.risk.choices import RiskChoices
from microgauge.sections.risk.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline


class Risk(Section):
    """Classes, special uniques, linkage."""

    name = "risk"
    title = say("Risk of re-identification")
    about = say("what quasi-identifiers give away")
    page = "risk.md"
    module = "microgauge.sections.risk.section"
    answers = "safe"
    result = RiskResult
    choices = RiskChoices
    explanations = EXPLANATIONS

    def headline(self, result: Assessment) -> Headline:
        """The whole risk."""
        from microgauge.sections.risk.words import headline

        return headline(result.sections[self.name])

    def words(self, result: Assessment) -> Sequence[Block]:
        """How risky the file is, line by line."""
        from microgauge.sections.risk.words import words

        return words(result)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The stories, small classes, and what makes records special."""
        from microgauge.sections.risk.report import report

        del edition, threshold
        return report(result)
