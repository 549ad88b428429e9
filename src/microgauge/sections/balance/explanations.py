"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, Mapping[str, str]] = {
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
}
