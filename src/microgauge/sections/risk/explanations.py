"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "risk": {
        "question": say(
            "If every record of the released file were true, what is the mean chance to "
            "pick the right one among those with the same quasi-identifiers?"
        ),
        "range": say("0 to 1"),
        "direction": say("0 safe"),
        "reference": say("Kim 2025"),
        "reading": (
            (0.05, say("called good where no limit is set")),
            (0.2, say("called fair where no limit is set")),
            (None, say("called poor where no limit is set")),
        ),
    },
    "k": {
        "question": say("How many records share their quasi-identifiers in the smallest class?"),
        "range": say("1 upwards"),
        "direction": say("more is safer"),
        "reference": say("Sweeney 2002"),
        "reading": (
            (1.0, say("somebody is alone with their quasi-identifiers")),
            (2.0, say("nobody is alone, but two may know each other's records")),
            (
                4.0,
                say("every record shares its quasi-identifiers with two or three others at least"),
            ),
            (None, say("every record shares its quasi-identifiers with at least four others")),
        ),
    },
    "linkage": {
        "question": say("How many records are nearest to their own original?"),
        "range": say("0 to 1"),
        "direction": say("0 none"),
        "reference": say("Spruill 1982"),
        "reading": (
            (0.01, say("at most one record in a hundred")),
            (0.05, say("at most one record in twenty")),
            (0.2, say("at most one record in five")),
            (None, say("more than one record in five")),
        ),
    },
}
