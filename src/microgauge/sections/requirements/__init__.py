"""Limits on figures, and whether the file keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.results.blocks import Part
from microgauge.results.requirements import Requirement
from microgauge.schema.limits import Limits
from microgauge.sections.requirements.explanations import EXPLANATIONS
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block
    from microgauge.study.study import Study


class Requirements(Section):
    """The limits that a release must keep."""

    name = "requirements"
    title = say("Limits")
    about = say("whether the file keeps the limits on its figures")
    page = "gate.md"
    result = tuple[Requirement, ...]
    choices = Limits
    key = "require"
    explanations = EXPLANATIONS
    on_request = True

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Nothing to ask of rows: limits are held against figures once all are there."""
        del study, log
        return
        yield  # a part that asks nothing is still one that may ask

    def brief(self, result: Assessment) -> Sequence[tuple[str, str]]:
        """A line for each limit."""
        from microgauge.sections.requirements.words import brief

        return brief(result)

    def words(self, result: Assessment) -> Sequence[Block]:
        """A line for each limit."""
        from microgauge.sections.requirements.words import words

        return words(result)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """Each limit, and whether it is kept, beside the verdict."""
        del edition, threshold
        found = sorted(result.sections[self.name], key=lambda one: one.met)
        rows = [[one.said, one.held, one.met, one.reason] for one in found]
        return [Part(name="limits", content=rows)]
