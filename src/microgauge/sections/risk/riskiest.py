"""The records of the protected table with the risk of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from microgauge.errors import InputError, Undefined
from microgauge.languages.messages import say
from microgauge.sections.risk.classes import KeyClasses
from microgauge.sections.risk.population import PopulationRisks
from microgauge.sections.risk.uniques import SpecialUniques
from microgauge.values.packing import distinct, packed


def riskiest(classes: KeyClasses, uniques: SpecialUniques) -> Any:
    """A data frame: row number, class, its size, and the risks of every record, worst first.

    No value of the data is in it.
    """
    import polars as pl

    study, table = classes.study, classes.table
    if not study.protected.numbered:
        raise InputError(say("rows have no numbers in Spark: the riskiest cannot be listed."))
    if study.sampled("protected"):
        raise InputError(
            say(
                "the riskiest records are listed for tables of up to sample_rows = "
                "{sample_rows:,} records; raise it in [options].",
                sample_rows=study.options.sample_rows,
            )
        )
    levels = uniques.record_levels
    sizes = [size + 1 for size in table.sizes]
    _, places, _ = distinct(packed(list(levels.T), sizes), 1 << 62)
    columns: dict[str, Any] = {
        "row": np.arange(1, len(levels) + 1),
        "class": places + 1,
        "class_size": table.matching[places],
        "risk": table.risk[places],
    }
    try:
        columns["individual_risk"] = PopulationRisks(classes).of_classes()[places]
    except Undefined:
        columns["individual_risk"] = [None] * len(levels)  # the result says why
    if not isinstance(uniques.suda, Undefined):
        columns |= {"suda": uniques.suda.scores, "dis_suda": uniques.suda.dis}
    order = ["risk", *(["suda"] if "suda" in columns else [])]
    return pl.DataFrame(columns).sort([*order, "row"], descending=[*(True for _ in order), False])
