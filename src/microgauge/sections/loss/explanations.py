"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "il1s": {
        "question": "How far is a unit's number from its original, in standard deviations?",
        "range": "0 upwards",
        "direction": "0 nothing changed",
        "reference": "Yancey, Winkler and Creecy 2002",
        "reading": (
            (0.0, "nothing changed"),
            (0.1, "small changes, as seen from the spread of the numbers"),
            (0.5, "changes that are a good part of the spread of the numbers"),
            (None, "changes as large as the spread of the numbers, or nearly so"),
        ),
    },
    "gcp": {
        "question": "How much of its range may a recoded cell come from?",
        "range": "0 to 1",
        "direction": "0 nothing coarsened",
        "reference": "Xu et al. 2006; Ghinita et al. 2009",
        "reading": (
            (0.0, "nothing was coarsened"),
            (0.1, "values are known to a tenth of their range"),
            (0.5, "values are known to half of their range"),
            (None, "little of where values lie is left"),
        ),
    },
    "ctbil": {
        "question": "How many units are in another cell of the tables?",
        "range": "0 to 2n for each table",
        "direction": "0 the same tables",
        "reference": "Domingo-Ferrer and Torra 2001",
    },
    "eigenvalues": {
        "question": "Is the correlation structure of the numbers as it was?",
        "range": "0 upwards",
        "direction": "0 the same",
        "reference": "the SDC practice guide",
    },
    "loglinear": {
        "question": "Does a log-linear model of the categories say the same on both sides?",
        "range": "shares of parameters, 0 to 1",
        "direction": "1 all parameters agree",
        "reference": "Kocar 2018, 2.2; Agresti 2013",
    },
    "validity": {
        "question": "Does the file keep means, covariances, margins and distributions nearly?",
        "range": "the largest shift of each, from 0",
        "direction": "at most its limit: met",
        "reference": "Winkler 1998",
    },
}
