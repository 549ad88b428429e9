"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

PROPENSITY: Mapping[str, Mapping[str, str]] = {
    "propensity": {
        "question": "Can a classifier tell the two files apart?",
        "range": "0 to c(1 − c); the ratio is to what a resample of the original would have",
        "direction": "0 not at all; a ratio near 1 is chance; how large a difference is says the "
        "AUC of rows that the model did not see",
        "reference": "Woo, Reiter, Oganian and Karr 2009",
    },
}

CLUSTERS: Mapping[str, Mapping[str, str]] = {
    "clusters": {
        "question": "Do clusters hold the rows of both files in equal shares?",
        "range": "0 upwards",
        "direction": "0 they do",
        "reference": "Woo et al. 2009",
    },
}

ECDF: Mapping[str, Mapping[str, str]] = {
    "ecdf": {
        "question": "How far apart are the joint distribution functions?",
        "range": "0 to 1",
        "direction": "0 they are the same",
        "reference": "Woo et al. 2009",
    },
}
