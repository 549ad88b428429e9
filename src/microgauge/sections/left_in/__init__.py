"""Does the protected file still hold what names people?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from microgauge.languages.messages import say
from microgauge.results.left_in import LeftIn
from microgauge.sections.left_in.choices import LeftInChoices
from microgauge.sections.left_in.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline


class LeftInSection(Section):
    """Names, numbers and addresses that were left in. A problem to solve before publication."""

    name = "left_in"
    title = say("Left in")
    about = say("whether the protected file still holds what names people")
    page = "left_in.md"
    module = "microgauge.sections.left_in.section"
    answers = "safe"
    result = tuple[LeftIn, ...]
    choices = LeftInChoices
    explanations = EXPLANATIONS

    def headline(self, result: Assessment) -> Headline | None:
        """Stop, where something was found; on a terminal the verdict says so, if there is one."""
        from microgauge.sections.left_in.words import headline

        return headline(result.sections[self.name], on_terminal=result.verdict is None)

    def words(self, result: Assessment) -> Sequence[Block]:
        """What was found, and what to do about it; one line where nothing was."""
        from microgauge.sections.left_in.words import words

        return words(result.sections[self.name])

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """What was found, before all else."""
        from microgauge.sections.left_in.words import report

        del edition, threshold
        return report(result.sections[self.name])
