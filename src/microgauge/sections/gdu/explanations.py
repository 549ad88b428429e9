"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import SHARE_KEPT, Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "gdu": {
        "question": say("How much of the file's utility is left, over variables and pairs?"),
        "range": say("0 to 1"),
        "direction": say("1 nothing lost"),
        "reference": say("Kocar 2018"),
        "reading": SHARE_KEPT,
    },
    "univariate": {
        "question": say("Are the distributions of single variables as they were?"),
        "range": say("0 to 1"),
        "direction": say("1 nothing lost"),
        "reference": say("Kocar 2018"),
        "reading": SHARE_KEPT,
    },
    "bivariate": {
        "question": say("Are the associations of pairs as they were?"),
        "range": say("0 to 1"),
        "direction": say("1 nothing lost"),
        "reference": say("Kocar 2018"),
        "reading": SHARE_KEPT,
    },
    "utility": {
        "question": say(
            "What is left of a variable: by its recoding, and by the test of its distribution?"
        ),
        "range": say("0 to 1"),
        "direction": say("1 nothing lost"),
        "reference": say("Kocar 2018: LDUuni"),
        "reading": SHARE_KEPT,
    },
    "pair": {
        "question": say("Is an association still there, as strong, in the same direction?"),
        "range": say("0 to 1"),
        "direction": say("1 as it was, 0 lost, appeared, reversed or its pattern changed"),
        "reference": say("Kocar 2018: LDUbiv"),
        "reading": (
            (0.0, say("lost, appeared, reversed or its pattern changed")),
            (0.8, say("clearly weaker or stronger than it was")),
            (0.995, say("a little weaker or stronger than it was")),
            (None, say("as it was")),
        ),
    },
    "p": {
        "question": say("Could the difference of the two distributions be chance?"),
        "range": say("0 to 1"),
        "direction": say("small: the distributions differ"),
        "reference": say("Kolmogorov–Smirnov or chi-squared test"),
        "reading": (
            (0.01, say("chance alone would rarely make such a difference")),
            (0.05, say("chance alone makes such a difference at most once in twenty times")),
            (None, say("chance alone may well make such a difference")),
        ),
    },
}
