"""Risk and utility on one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.results.balance import Rut
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.study.study import Study


class Balance(Section):
    """The balance of risk and utility (Kim 2025)."""

    name = "rut"
    title = "Balance of risk and utility"
    about = "risk and utility on one scale"
    page = "rut.md"
    result = Rut
    choices = RutChoices
    public = False

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Loss and similarity of each variable, and the balance with risk."""
        from microgauge.sections.balance.section import run

        return run(study, log)
