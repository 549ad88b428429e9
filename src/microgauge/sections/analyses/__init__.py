"""Analyses that the schema names: do they still hold?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.results.analyses import IndicatorResult, RegressionResult
from microgauge.schema.analyses import Indicator, Regression
from microgauge.sections.analyses.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block
    from microgauge.sections.public.told import Told


class Indicators(Section):
    """Published statistics on both sides."""

    name = "indicators"
    public = True
    title = say("Indicators")
    about = say("statistics that the schema names, with intervals")
    page = "indicators.md"
    module = "microgauge.sections.analyses.indicators"
    answers = "results"
    result = tuple[IndicatorResult, ...]
    choices = Indicator
    key = "indicator"
    several = True
    explanations = EXPLANATIONS

    def brief(self, result: Assessment) -> Sequence[tuple[str, str]]:
        """How many still lie where they did."""
        from microgauge.sections.analyses.words import indicators_brief

        return indicators_brief(result.sections[self.name])

    def words(self, result: Assessment) -> Sequence[Block]:
        """Both sides of each indicator."""
        from microgauge.sections.analyses.words import indicators_words

        return indicators_words(result.sections[self.name])

    def for_users(self, result: Assessment, told: Told) -> Any:
        """Those that rest on enough, rounded."""
        from microgauge.sections.public.indicators import indicators_for_users

        return indicators_for_users(result.sections[self.name], told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """Both sides of each indicator that may be told."""
        from microgauge.sections.analyses.report import indicators_report

        del threshold
        return indicators_report(result.sections[self.name], edition)


class Regressions(Section):
    """Regressions on both sides."""

    name = "regressions"
    public = True
    title = say("Regressions")
    about = say("regressions that the schema names")
    page = "regressions.md"
    module = "microgauge.sections.analyses.regressions"
    answers = "results"
    result = tuple[RegressionResult, ...]
    choices = Regression
    key = "regression"
    several = True
    explanations = EXPLANATIONS

    def brief(self, result: Assessment) -> Sequence[tuple[str, str]]:
        """How far their intervals overlap."""
        from microgauge.sections.analyses.words import regressions_brief

        return regressions_brief(result.sections[self.name])

    def words(self, result: Assessment) -> Sequence[Block]:
        """How each regression fares."""
        from microgauge.sections.analyses.words import regressions_words

        return regressions_words(result.sections[self.name])

    def for_users(self, result: Assessment, told: Told) -> Any:
        """Terms that rest on enough, rounded."""
        from microgauge.sections.public.regressions import regressions_for_users

        return regressions_for_users(result.sections[self.name], told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """Both sides of each coefficient that may be told."""
        from microgauge.sections.analyses.report import regressions_report

        del threshold
        return regressions_report(result.sections[self.name], edition)
