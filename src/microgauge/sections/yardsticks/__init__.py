"""Files whose loss is known, to hold a protected file against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.results.yardsticks import Yardstick
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.study.study import Study


class Yardsticks(Section):
    """Files whose loss is known."""

    name = "yardsticks"
    title = "Yardsticks"
    about = "files whose loss is known"
    page = "yardsticks.md"
    result = tuple[Yardstick, ...]
    on_request = True

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """The measures of each file whose loss is known."""
        from microgauge.sections.yardsticks.section import run

        return run(study, log)
