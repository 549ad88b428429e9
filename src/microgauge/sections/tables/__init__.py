"""Do the tables that users make still hold?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from microgauge.languages.messages import say
from microgauge.results.tables import Tables as TablesResult
from microgauge.sections.section import Section
from microgauge.sections.tables.choices import TablesChoices
from microgauge.sections.tables.explanations import EXPLANATIONS

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block


class Tables(Section):
    """All tables of two variables, cell by cell."""

    name = "tables"
    title = say("Tables")
    about = say("how far tables of two variables agree")
    page = "tables.md"
    module = "microgauge.sections.tables.section"
    answers = "useful"
    result = TablesResult
    choices = TablesChoices
    explanations = EXPLANATIONS

    def words(self, result: Assessment) -> Sequence[Block]:
        """How far tables agree, and the worst of them."""
        from microgauge.sections.tables.words import words

        return words(result.sections[self.name])

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The same with a picture of the worst tables, and a row for each variable."""
        from microgauge.sections.tables.report import report

        del edition, threshold
        return report(result.sections[self.name])
