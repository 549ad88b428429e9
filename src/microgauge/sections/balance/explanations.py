"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import SHARE_KEPT, Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "rut_utility": {
        "question": say(
            "How alike are distributions, and how little is lost, on the scale of risk?"
        ),
        "range": say("0 to 1"),
        "direction": say("1 nothing lost"),
        "reference": say("Kim 2025"),
        "reading": SHARE_KEPT,
    },
    "rut": {
        "question": say("How well are utility and safety balanced?"),
        "range": say("0 to 1"),
        "direction": say("1 full utility without risk"),
        "reference": say("Kim 2025"),
        "reading": (
            (0.5, say("much is lost, or much is risked")),
            (0.8, say("something is lost, or something is risked")),
            (None, say("little is lost and little is risked")),
        ),
    },
}
