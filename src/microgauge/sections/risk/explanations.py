"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, Mapping[str, str]] = {
    "risk": {
        "question": "If every record of the released file were true, what is the mean chance to "
        "pick the right one among those with the same quasi-identifiers?",
        "range": "0 to 1",
        "direction": "0 safe",
        "reference": "Kim 2025",
    },
    "k": {
        "question": "How many records share their quasi-identifiers in the smallest class?",
        "range": "1 upwards",
        "direction": "more is safer",
        "reference": "Sweeney 2002",
    },
    "linkage": {
        "question": "How many records are nearest to their own original?",
        "range": "0 to 1",
        "direction": "0 none",
        "reference": "Spruill 1982",
    },
}
