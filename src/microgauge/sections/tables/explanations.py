"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "tables": {
        "question": "How far do tables of two variables agree, cell by cell?",
        "range": "0 to 1",
        "direction": "1 the same tables",
        "reference": "total variation distance, mean over all tables",
        "reading": (
            (0.5, "half of the units or more are in another cell"),
            (0.8, "a fifth to a half of the units are in another cell"),
            (0.95, "between one unit in twenty and one in five is in another cell"),
            (None, "at most one unit in twenty is in another cell"),
        ),
    },
    "k_marginal": {
        "question": "The same, on NIST's scale and within groups where they are named",
        "range": "0 to 1000",
        "direction": "1000 the same tables",
        "reference": "NIST's k-marginal score (SDNIST)",
        "reading": (
            (500.0, "half of the units or more are in another cell"),
            (800.0, "a fifth to a half of the units are in another cell"),
            (950.0, "between one unit in twenty and one in five is in another cell"),
            (None, "at most one unit in twenty is in another cell"),
        ),
    },
    "pmse_ratio": {
        "question": "Is a table further off than a resample of the original would be?",
        "range": "0 upwards",
        "direction": "1 is chance, more is worse",
        "reference": "Snoke et al. 2018; Raab, Nowok and Dibben 2021 (synthpop)",
        "reading": (
            (1.0, "no more than chance alone would give"),
            (1.5, "up to half as much again as chance alone would give: it may be chance"),
            (3.0, "up to three times what chance would give"),
            (10.0, "up to ten times what chance would give"),
            (None, "more than ten times what chance would give"),
        ),
    },
    "sample_share": {
        "question": "Which random sample of the original would score alike?",
        "range": "0 to 1",
        "direction": "1 the whole original",
        "reference": "expectation without replacement, in closed form",
    },
}
