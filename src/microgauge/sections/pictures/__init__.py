"""What a report draws: distributions of variables, tables of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.results.blocks import Part
from microgauge.results.pictures import Details
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.sections.public.told import Told


class Pictures(Section):
    """Distributions and tables for the report."""

    name = "details"
    public = True
    title = say("Pictures")
    about = say("what a report draws")
    page = "report.md"
    module = "microgauge.sections.pictures.section"
    answers = "useful"
    result = Details
    on_request = True

    def for_users(self, result: Assessment, told: Told) -> Any:
        """Distributions of groups that hold enough."""
        from microgauge.sections.public.edition import details_for_users

        del result
        return details_for_users(told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> list[Part]:
        """The list of variables, where the section that scores them was not computed."""
        from microgauge.sections.gdu.report import variables

        if result.gdu is not None:
            return []
        return [Part(name="variables", content=variables(result, edition, threshold))]
