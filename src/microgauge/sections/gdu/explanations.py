"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import SHARE_KEPT, Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "gdu": {
        "question": "How much of the file's utility is left, over variables and pairs?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018",
        "reading": SHARE_KEPT,
    },
    "univariate": {
        "question": "Are the distributions of single variables as they were?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018",
        "reading": SHARE_KEPT,
    },
    "bivariate": {
        "question": "Are the associations of pairs as they were?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018",
        "reading": SHARE_KEPT,
    },
    "utility": {
        "question": "What is left of a variable: by its recoding, and by the test of its "
        "distribution?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kocar 2018: LDUuni",
        "reading": SHARE_KEPT,
    },
    "pair": {
        "question": "Is an association still there, as strong, in the same direction?",
        "range": "0 to 1",
        "direction": "1 as it was, 0 lost, appeared, reversed or its pattern changed",
        "reference": "Kocar 2018: LDUbiv",
        "reading": (
            (0.0, "lost, appeared, reversed or its pattern changed"),
            (0.8, "clearly weaker or stronger than it was"),
            (0.995, "a little weaker or stronger than it was"),
            (None, "as it was"),
        ),
    },
    "p": {
        "question": "Could the difference of the two distributions be chance?",
        "range": "0 to 1",
        "direction": "small: the distributions differ",
        "reference": "Kolmogorov–Smirnov or chi-squared test",
        "reading": (
            (0.01, "chance alone would rarely make such a difference"),
            (0.05, "chance alone makes such a difference at most once in twenty times"),
            (None, "chance alone may well make such a difference"),
        ),
    },
}
