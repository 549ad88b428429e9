"""Analyses that the schema names: do they still hold?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.results.analyses import IndicatorResult, RegressionResult
from microgauge.schema.analyses import Indicator, Regression
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.study.study import Study


class Indicators(Section):
    """Published statistics on both sides."""

    name = "indicators"
    title = "Indicators"
    about = "statistics that the schema names, with intervals"
    page = "indicators.md"
    result = tuple[IndicatorResult, ...]
    choices = Indicator
    key = "indicator"
    several = True

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Each indicator on both sides."""
        from microgauge.sections.analyses.indicators import run

        return run(study, log)


class Regressions(Section):
    """Regressions on both sides."""

    name = "regressions"
    title = "Regressions"
    about = "regressions that the schema names"
    page = "regressions.md"
    result = tuple[RegressionResult, ...]
    choices = Regression
    key = "regression"
    several = True

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Each regression on both sides."""
        from microgauge.sections.analyses.regressions import run

        return run(study, log)
