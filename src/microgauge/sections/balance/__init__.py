"""Risk and utility on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from microgauge.languages.messages import say
from microgauge.results.balance import Rut
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.balance.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline


class Balance(Section):
    """The balance of risk and utility (Kim 2025)."""

    name = "rut"
    title = say("Balance of risk and utility")
    about = say("risk and utility on one scale")
    page = "rut.md"
    module = "microgauge.sections.balance.section"
    result = Rut
    choices = RutChoices
    explanations = EXPLANATIONS

    def headline(self, result: Assessment) -> Headline:
        """The balance."""
        from microgauge.sections.balance.words import headline

        return headline(result.sections[self.name])

    def words(self, result: Assessment) -> Sequence[Block]:
        """Utility, balance, and what was lost most."""
        from microgauge.sections.balance.words import words

        return words(result.sections[self.name])

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The figures, and a row for each variable."""
        from microgauge.sections.balance.report import report

        del edition, threshold
        return report(result.sections[self.name])
