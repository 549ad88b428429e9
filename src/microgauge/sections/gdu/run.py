"""The global data utility, and what stands beside it so that it can be read."""

from __future__ import annotations

from dataclasses import replace

from microgauge.engines.rounds import Asking, together
from microgauge.log import Log
from microgauge.results import GDU
from microgauge.sections.gdu.references import (
    at_fewer_units,
    drawing,
    references,
    with_models,
)
from microgauge.sections.gdu.section import GlobalUtility
from microgauge.sections.gdu.words import warning
from microgauge.study.study import Study


def run(study: Study, log: Log) -> Asking[GDU]:
    """Tests of every variable, every pair, every model; reference points; fewer units."""
    gdu, fewer, rows = yield from together(
        GlobalUtility(study, log).result(), at_fewer_units(study), drawing(study)
    )
    # After the file's own figures: what was asked of the original is known then.
    beside = yield from references(study, rows, log)
    found: GDU = replace(
        gdu,
        permuted=beside.permuted,
        resample=beside.resample,
        at_1000=with_models(fewer, gdu),
    )
    said = warning(found)
    if said is not None:
        log.note("gdu-near-permuted", said, ["gdu"])
    return found
