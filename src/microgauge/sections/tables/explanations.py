"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "tables": {
        "question": say("How far do tables of two variables agree, cell by cell?"),
        "range": say("0 to 1"),
        "direction": say("1 the same tables"),
        "reference": say("total variation distance, mean over all tables"),
        "reading": (
            (0.5, say("half of the units or more are in another cell")),
            (0.8, say("a fifth to a half of the units are in another cell")),
            (0.95, say("between one unit in twenty and one in five is in another cell")),
            (None, say("at most one unit in twenty is in another cell")),
        ),
    },
    "k_marginal": {
        "question": say("The same, on NIST's scale and within groups where they are named"),
        "range": say("0 to 1000"),
        "direction": say("1000 the same tables"),
        "reference": say("NIST's k-marginal score (SDNIST)"),
        "reading": (
            (500.0, say("half of the units or more are in another cell")),
            (800.0, say("a fifth to a half of the units are in another cell")),
            (950.0, say("between one unit in twenty and one in five is in another cell")),
            (None, say("at most one unit in twenty is in another cell")),
        ),
    },
    "pmse_ratio": {
        "question": say("Is a table further off than a resample of the original would be?"),
        "range": say("0 upwards"),
        "direction": say("1 is chance, more is worse"),
        "reference": say("Snoke et al. 2018; Raab, Nowok and Dibben 2021 (synthpop)"),
        "reading": (
            (1.0, say("no more than chance alone would give")),
            (1.5, say("up to half as much again as chance alone would give: it may be chance")),
            (3.0, say("up to three times what chance would give")),
            (10.0, say("up to ten times what chance would give")),
            (None, say("more than ten times what chance would give")),
        ),
    },
    "sample_share": {
        "question": say("Which random sample of the original would score alike?"),
        "range": say("0 to 1"),
        "direction": say("1 the whole original"),
        "reference": say("expectation without replacement, in closed form"),
    },
}
