"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, Mapping[str, str]] = {
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
        "direction": "1 as it was, 0 lost, appeared, reversed or its pattern changed",
        "reference": "Kocar 2018: LDUbiv",
    },
    "p": {
        "question": "Could the difference of the two distributions be chance?",
        "range": "0 to 1",
        "direction": "small: the distributions differ",
        "reference": "Kolmogorov–Smirnov or chi-squared test",
    },
}
