"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

PROPENSITY: Mapping[str, Explanation] = {
    "propensity": {
        "question": say("Can a classifier tell the two files apart?"),
        "range": say("0 to c(1 − c); the ratio is to what a resample of the original would have"),
        "direction": say(
            "0 not at all; a ratio near 1 is chance; how large a difference is says the "
            "AUC of rows that the model did not see"
        ),
        "reference": say("Woo, Reiter, Oganian and Karr 2009"),
        "reading": (
            (1.0, say("no more than chance alone would give")),
            (
                1.5,
                say("up to half as much again as chance alone would give: it may be chance"),
            ),
            (3.0, say("up to three times what chance would give")),
            (10.0, say("up to ten times what chance would give")),
            (None, say("more than ten times what chance would give")),
        ),
    },
}

CLUSTERS: Mapping[str, Explanation] = {
    "clusters": {
        "question": say("Do clusters hold the rows of both files in equal shares?"),
        "range": say("0 upwards"),
        "direction": say("0 they do"),
        "reference": say("Woo et al. 2009"),
    },
}

ECDF: Mapping[str, Explanation] = {
    "ecdf": {
        "question": say("How far apart are the joint distribution functions?"),
        "range": say("0 to 1"),
        "direction": say("0 they are the same"),
        "reference": say("Woo et al. 2009"),
    },
}
