"""What changed: values, tables, moments, covariances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from microgauge.results.loss import Loss as LossResult
from microgauge.sections.loss.choices import LossChoices
from microgauge.sections.loss.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block
    from microgauge.study.study import Study


class Loss(Section):
    """Information loss (the practice guide)."""

    name = "loss"
    title = "What changed"
    about = "what became of values, tables and covariances"
    page = "loss.md"
    answers = "changed"
    result = LossResult
    choices = LossChoices
    explanations = EXPLANATIONS
    slow_choices: ClassVar[Mapping[str, str]] = {"robust": "robust eigenvalues"}

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Everything the practice guide compares."""
        from microgauge.sections.loss.section import run

        return run(study, log)

    def words(self, result: Assessment) -> Sequence[Block]:
        """What changed, line by line."""
        from microgauge.sections.loss.words import words

        return words(result.sections[self.name])

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The stories, and a row for each variable."""
        from microgauge.sections.loss.report import report

        del edition, threshold
        return report(result, result.sections[self.name])
