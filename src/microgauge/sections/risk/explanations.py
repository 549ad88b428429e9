"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "risk": {
        "question": "If every record of the released file were true, what is the mean chance to "
        "pick the right one among those with the same quasi-identifiers?",
        "range": "0 to 1",
        "direction": "0 safe",
        "reference": "Kim 2025",
        "reading": (
            (0.05, "called good where no limit is set"),
            (0.2, "called fair where no limit is set"),
            (None, "called poor where no limit is set"),
        ),
    },
    "k": {
        "question": "How many records share their quasi-identifiers in the smallest class?",
        "range": "1 upwards",
        "direction": "more is safer",
        "reference": "Sweeney 2002",
        "reading": (
            (1.0, "somebody is alone with their quasi-identifiers"),
            (2.0, "nobody is alone, but two may know each other's records"),
            (4.0, "every record shares its quasi-identifiers with two or three others at least"),
            (None, "every record shares its quasi-identifiers with at least four others"),
        ),
    },
    "linkage": {
        "question": "How many records are nearest to their own original?",
        "range": "0 to 1",
        "direction": "0 none",
        "reference": "Spruill 1982",
        "reading": (
            (0.01, "at most one record in a hundred"),
            (0.05, "at most one record in twenty"),
            (0.2, "at most one record in five"),
            (None, "more than one record in five"),
        ),
    },
}
