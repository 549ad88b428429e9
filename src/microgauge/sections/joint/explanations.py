"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import Explanation

PROPENSITY: Mapping[str, Explanation] = {
    "propensity": {
        "question": "Can a classifier tell the two files apart?",
        "range": "0 to c(1 − c); the ratio is to what a resample of the original would have",
        "direction": "0 not at all; a ratio near 1 is chance; how large a difference is says the "
        "AUC of rows that the model did not see",
        "reference": "Woo, Reiter, Oganian and Karr 2009",
        "reading": (
            (1.0, "no more than chance alone would give"),
            (
                1.5,
                "up to half as much again as chance alone would give: it may be chance",
            ),
            (3.0, "up to three times what chance would give"),
            (10.0, "up to ten times what chance would give"),
            (None, "more than ten times what chance would give"),
        ),
    },
}

CLUSTERS: Mapping[str, Explanation] = {
    "clusters": {
        "question": "Do clusters hold the rows of both files in equal shares?",
        "range": "0 upwards",
        "direction": "0 they do",
        "reference": "Woo et al. 2009",
    },
}

ECDF: Mapping[str, Explanation] = {
    "ecdf": {
        "question": "How far apart are the joint distribution functions?",
        "range": "0 to 1",
        "direction": "0 they are the same",
        "reference": "Woo et al. 2009",
    },
}
