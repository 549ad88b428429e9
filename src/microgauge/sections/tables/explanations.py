"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, Mapping[str, str]] = {
    "tables": {
        "question": "How far do tables of two variables agree, cell by cell?",
        "range": "0 to 1",
        "direction": "1 the same tables",
        "reference": "total variation distance, mean over all tables",
    },
    "k_marginal": {
        "question": "The same, on NIST's scale and within groups where they are named",
        "range": "0 to 1000",
        "direction": "1000 the same tables",
        "reference": "NIST's k-marginal score (SDNIST)",
    },
    "pmse_ratio": {
        "question": "Is a table further off than a resample of the original would be?",
        "range": "0 upwards",
        "direction": "1 is chance, more is worse",
        "reference": "Snoke et al. 2018; Raab, Nowok and Dibben 2021 (synthpop)",
    },
    "sample_share": {
        "question": "Which random sample of the original would score alike?",
        "range": "0 to 1",
        "direction": "1 the whole original",
        "reference": "expectation without replacement, in closed form",
    },
}
