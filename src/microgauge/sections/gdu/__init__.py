"""Global data utility: every variable, every pair of variables, one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.results.gdu import GDU
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.study.study import Study


class Gdu(Section):
    """Global data utility (Kocar 2018)."""

    name = "gdu"
    title = "Global data utility"
    about = "variables, pairs and models, one figure"
    page = "gdu.md"
    result = GDU

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Tests of every variable and pair."""
        from microgauge.sections.gdu.section import run

        return run(study, log)
