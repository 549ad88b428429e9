"""What changed: values, tables, moments, covariances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from microgauge.languages.messages import say
from microgauge.results.loss import Loss as LossResult
from microgauge.sections.loss.choices import LossChoices
from microgauge.sections.loss.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block


class Loss(Section):
    """Information loss (the practice guide)."""

    name = "loss"
    title = say("What changed")
    about = say("what became of values, tables and covariances")
    page = "loss.md"
    module = "microgauge.sections.loss.section"
    answers = "changed"
    result = LossResult
    choices = LossChoices
    explanations = EXPLANATIONS
    slow_choices: ClassVar[Mapping[str, str]] = {"robust": say("robust eigenvalues")}

    def words(self, result: Assessment) -> Sequence[Block]:
        """What changed, line by line."""
        from microgauge.sections.loss.words import words

        return words(result.sections[self.name])

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The stories, and a row for each variable."""
        from microgauge.sections.loss.report import report

        del edition, threshold
        return report(result, result.sections[self.name])
