"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, Mapping[str, str]] = {
    "yardsticks": {
        "question": "What would files score whose loss is known?",
        "range": "as the measures",
        "direction": "hold the protected file against them",
        "reference": "resample, samples, permuted columns",
    },
}
