"""What every figure of a report means: the question, range, direction and reference."""

from __future__ import annotations

EXPLAIN: dict[str, dict[str, str]] = {
    "gdu": {
        "question": "How much of the file's utility is left, over variables and pairs?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018",
    },
    "univariate": {
        "question": "Are the distributions of single variables as they were?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018",
    },
    "bivariate": {
        "question": "Are the associations of pairs as they were?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018",
    },
    "utility": {
        "question": "What is left of a variable: by its recoding, and by the test of its "
        "distribution?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018: LDUuni",
    },
    "pair": {
        "question": "Is an association still there, as strong, in the same direction?",
        "range": "0 to 1",
        "direction": "1 as it was, 0 lost, appeared or reversed",
        "reference": "Kocar 2018: LDUbiv",
    },
    "p": {
        "question": "Could the difference of the two distributions be chance?",
        "range": "0 to 1",
        "direction": "small: the distributions differ",
        "reference": "Kolmogorov–Smirnov or chi-squared test",
    },
    "propensity": {
        "question": "Can a classifier tell the two files apart?",
        "range": "0 to c(1 − c); the ratio is to what a resample of the original would have",
        "direction": "0 not at all; a ratio near 1 is chance",
        "reference": "Woo, Reiter, Oganian and Karr 2009",
    },
    "clusters": {
        "question": "Do clusters hold the rows of both files in equal shares?",
        "range": "0 upwards",
        "direction": "0 they do",
        "reference": "Woo et al. 2009",
    },
    "ecdf": {
        "question": "How far apart are the joint distribution functions?",
        "range": "0 to 1",
        "direction": "0 they are the same",
        "reference": "Woo et al. 2009",
    },
    "il1s": {
        "question": "How far is a unit's number from its original, in standard deviations?",
        "range": "0 upwards",
        "direction": "0 nothing changed",
        "reference": "Yancey, Winkler and Creecy 2002",
    },
    "gcp": {
        "question": "How much of its range may a recoded cell come from?",
        "range": "0 to 1",
        "direction": "0 nothing coarsened",
        "reference": "Xu et al. 2006; Ghinita et al. 2009",
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
    "overlap": {
        "question": "How far do the confidence intervals of both files cover each other?",
        "range": "up to 1; negative where they are apart",
        "direction": "1 the same interval",
        "reference": "Karr, Kohnen, Oganian, Reiter and Sanil 2006",
    },
    "risk": {
        "question": "What is a record's mean chance of being found by its quasi-identifiers?",
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
    "rut_utility": {
        "question": "How alike are distributions, and how little is lost, on the scale of risk?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kim 2025",
    },
    "rut": {
        "question": "How well are utility and safety balanced?",
        "range": "0 to 1",
        "direction": "1 full utility without risk",
        "reference": "Kim 2025",
    },
    "linkage": {
        "question": "How many records are nearest to their own original?",
        "range": "0 to 1",
        "direction": "0 none",
        "reference": "Spruill 1982",
    },
    "yardsticks": {
        "question": "What would files score whose loss is known?",
        "range": "as the measures",
        "direction": "hold the protected file against them",
        "reference": "resample, samples, permuted columns",
    },
}
