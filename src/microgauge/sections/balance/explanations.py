"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import SHARE_KEPT, Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "rut_utility": {
        "question": "How alike are distributions, and how little is lost, on the scale of risk?",
        "range": "0 to 1",
        "direction": "1 nothing lost",
        "reference": "Kim 2025",
        "reading": SHARE_KEPT,
    },
    "rut": {
        "question": "How well are utility and safety balanced?",
        "range": "0 to 1",
        "direction": "1 full utility without risk",
        "reference": "Kim 2025",
        "reading": (
            (0.5, "much is lost, or much is risked"),
            (0.8, "something is lost, or something is risked"),
            (None, "little is lost and little is risked"),
        ),
    },
}
