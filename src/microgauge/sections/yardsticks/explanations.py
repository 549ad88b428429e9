"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "yardsticks": {
        "question": "What would files score whose loss is known?",
        "range": "as the measures",
        "direction": "hold the protected file against them",
        "reference": "resample, samples, permuted columns",
    },
}
