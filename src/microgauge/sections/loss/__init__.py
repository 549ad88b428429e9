"""What changed: values, tables, moments, covariances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.results.loss import Loss as LossResult
from microgauge.sections.loss.choices import LossChoices
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.study.study import Study


class Loss(Section):
    """Information loss (the practice guide)."""

    name = "loss"
    title = "What changed"
    about = "what became of values, tables and covariances"
    page = "loss.md"
    result = LossResult
    choices = LossChoices
    public = False

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Everything the practice guide compares."""
        from microgauge.sections.loss.section import run

        return run(study, log)
