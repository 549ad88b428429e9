"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "il1s": {
        "question": say("How far is a unit's number from its original, in standard deviations?"),
        "range": say("0 upwards"),
        "direction": say("0 nothing changed"),
        "reference": say("Yancey, Winkler and Creecy 2002"),
        "reading": (
            (0.0, say("nothing changed")),
            (0.1, say("small changes, as seen from the spread of the numbers")),
            (0.5, say("changes that are a good part of the spread of the numbers")),
            (None, say("changes as large as the spread of the numbers, or nearly so")),
        ),
    },
    "gcp": {
        "question": say("How much of its range may a recoded cell come from?"),
        "range": say("0 to 1"),
        "direction": say("0 nothing coarsened"),
        "reference": say("Xu et al. 2006; Ghinita et al. 2009"),
        "reading": (
            (0.0, say("nothing was coarsened")),
            (0.1, say("values are known to a tenth of their range")),
            (0.5, say("values are known to half of their range")),
            (None, say("little of where values lie is left")),
        ),
    },
    "ctbil": {
        "question": say("How many units are in another cell of the tables?"),
        "range": say("0 to 2n for each table"),
        "direction": say("0 the same tables"),
        "reference": say("Domingo-Ferrer and Torra 2001"),
    },
    "eigenvalues": {
        "question": say("Is the correlation structure of the numbers as it was?"),
        "range": say("0 upwards"),
        "direction": say("0 the same"),
        "reference": say("the SDC practice guide"),
    },
    "loglinear": {
        "question": say("Does a log-linear model of the categories say the same on both sides?"),
        "range": say("shares of parameters, 0 to 1"),
        "direction": say("1 all parameters agree"),
        "reference": say("Kocar 2018, 2.2; Agresti 2013"),
    },
    "validity": {
        "question": say("Does the file keep means, covariances, margins and distributions nearly?"),
        "range": say("the largest shift of each, from 0"),
        "direction": say("at most its limit: met"),
        "reference": say("Winkler 1998"),
    },
}
