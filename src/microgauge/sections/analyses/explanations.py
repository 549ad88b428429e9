"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, Mapping[str, str]] = {
    "overlap": {
        "question": "How far do the confidence intervals of both files cover each other?",
        "range": "up to 1; negative where they are apart",
        "direction": "1 the same interval",
        "reference": "Karr, Kohnen, Oganian, Reiter and Sanil 2006",
    },
    "joint_overlap": {
        "question": "How far do all coefficients at once overlap, whatever the reference category?",
        "range": "0 to 1",
        "direction": "1 the same estimates with the same errors",
        "reference": "Bhattacharyya 1943",
    },
}
