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
}
