"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "left_in": {
        "question": say("Does the protected file still hold what names people?"),
        "range": say(
            "a list of columns; each with the share of its filled cells that shows it, 0 to 1"
        ),
        "direction": say("none is best: a file with one must not be released as it is"),
        "reference": say("45 CFR 164.514(b)(2); Hundepool et al. (2012), section 1.1"),
    },
}
