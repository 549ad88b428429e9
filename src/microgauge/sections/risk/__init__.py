"""Risk of re-identification by quasi-identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.results.risk import Risk as RiskResult
from microgauge.sections.risk.choices import RiskChoices
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.study.study import Study


class Risk(Section):
    """Classes, special uniques, linkage."""

    name = "risk"
    title = "Risk of re-identification"
    about = "what quasi-identifiers give away"
    page = "risk.md"
    result = RiskResult
    choices = RiskChoices
    public = False

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Every figure of risk."""
        from microgauge.sections.risk.section import run

        return run(study, log)
