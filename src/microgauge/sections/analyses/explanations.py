"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "overlap": {
        "question": say("How far do the confidence intervals of both files cover each other?"),
        "range": say("up to 1; negative where they are apart"),
        "direction": say("1 the same interval"),
        "reference": say("Karr, Kohnen, Oganian, Reiter and Sanil 2006"),
        "reading": (
            (0.0, say("the intervals are apart")),
            (0.5, say("at most half is in common")),
            (0.9, say("most is in common")),
            (None, say("nearly the same")),
        ),
    },
    "joint_overlap": {
        "question": say(
            "How far do all coefficients at once overlap, whatever the reference category?"
        ),
        "range": say("0 to 1"),
        "direction": say("1 the same estimates with the same errors"),
        "reference": say("Bhattacharyya 1943"),
        "reading": (
            (0.0, say("the intervals are apart")),
            (0.5, say("at most half is in common")),
            (0.9, say("most is in common")),
            (None, say("nearly the same")),
        ),
    },
}
