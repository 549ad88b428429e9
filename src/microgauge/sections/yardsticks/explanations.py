"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "yardsticks": {
        "question": say("What would files score whose loss is known?"),
        "range": say("as the measures"),
        "direction": say("hold the protected file against them"),
        "reference": say("resample, samples, permuted columns"),
    },
}
