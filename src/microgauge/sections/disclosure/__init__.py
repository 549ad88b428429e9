"""What an intruder finds and learns, whatever the protection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from microgauge.languages.messages import say
from microgauge.results.disclosure import Disclosure as DisclosureResult
from microgauge.sections.disclosure.explanations import EXPLANATIONS
from microgauge.sections.section import Section, Shared

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline


class Disclosure(Section):
    """Plays the intruder against the truth."""

    name = "disclosure"
    title = say("What an intruder gets")
    about = say("who is found and what is learned by quasi-identifiers")
    page = "disclosure.md"
    module = "microgauge.sections.disclosure.section"
    answers = "safe"
    result = DisclosureResult
    explanations = EXPLANATIONS

    def quickly(self) -> Shared:
        """With the nearest records looked for only for some people."""
        from microgauge.sections.disclosure.section import QUICK_DISCLOSURE

        return QUICK_DISCLOSURE

    def headline(self, result: Assessment) -> Headline:
        """The figure."""
        from microgauge.sections.disclosure.words import headline

        return headline(result.sections[self.name])

    def words(self, result: Assessment) -> Sequence[Block]:
        """What an intruder gets, line by line."""
        from microgauge.sections.disclosure.words import words

        return words(result.sections[self.name])

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The stories, targets and groups."""
        from microgauge.sections.disclosure.report import report

        del edition, threshold
        return report(result.sections[self.name])
