"""Global data utility: every variable, every pair of variables, one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.results.gdu import GDU
from microgauge.sections.gdu.choices import GduChoices
from microgauge.sections.gdu.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline
    from microgauge.sections.public.told import Told


class Gdu(Section):
    """Global data utility (Kocar 2018)."""

    name = "gdu"
    public = True
    title = say("Global data utility")
    about = say("variables, pairs and models, one figure")
    page = "gdu.md"
    module = "microgauge.sections.gdu.run"
    answers = "useful"
    choices = GduChoices
    result = GDU
    explanations = EXPLANATIONS

    def headline(self, result: Assessment) -> Headline:
        """The figure and its halves."""
        from microgauge.sections.gdu.words import headline

        return headline(result.sections[self.name])

    def brief(self, result: Assessment) -> Sequence[tuple[str, str]]:
        """The figure, the weakest variables and pairs."""
        from microgauge.sections.gdu.words import brief

        return brief(result.sections[self.name])

    def words(self, result: Assessment) -> Sequence[Block]:
        """The weakest variables and pairs, models, and how much was tested."""
        from microgauge.sections.gdu.words import words

        return words(result, result.sections[self.name])

    def for_users(self, result: Assessment, told: Told) -> Any:
        """The figure over what is told, in rounded scores."""
        from microgauge.sections.public.scores import gdu_for_users

        return gdu_for_users(result.sections[self.name], result, told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The list of variables, and the pairs."""
        from microgauge.sections.gdu.report import report

        return report(result, result.sections[self.name], edition, threshold)


GDU_SECTION = Gdu()
