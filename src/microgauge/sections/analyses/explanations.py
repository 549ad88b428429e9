"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "overlap": {
        "question": "How far do the confidence intervals of both files cover each other?",
        "range": "up to 1; negative where they are apart",
        "direction": "1 the same interval",
        "reference": "Karr, Kohnen, Oganian, Reiter and Sanil 2006",
        "reading": (
            (0.0, "the intervals are apart"),
            (0.5, "at most half is in common"),
            (0.9, "most is in common"),
            (None, "nearly the same"),
        ),
    },
    "joint_overlap": {
        "question": "How far do all coefficients at once overlap, whatever the reference category?",
        "range": "0 to 1",
        "direction": "1 the same estimates with the same errors",
        "reference": "Bhattacharyya 1943",
        "reading": (
            (0.0, "the intervals are apart"),
            (0.5, "at most half is in common"),
            (0.9, "most is in common"),
            (None, "nearly the same"),
        ),
    },
}
