"""(e) Propensity scores with all main effects and products of pairs: a survey, 4,580 × 12.

The other side is a time reported for the R package synthpop: it is not run here.
"""

from __future__ import annotations

import json

from benchmarks.measure import Outcome, Setting, assess, make

ROWS = 4_580
REPORTED = 396.0
"""Seconds, as reported."""
MODEL = ("model=logit", "interactions=pairs", "resamples=0")


def measure(setting: Setting) -> list[Outcome]:
    """The reported seconds over microgauge's."""
    folder = make("survey", setting.folder / "survey", "--rows", str(ROWS))
    choices = [word for choice in MODEL for word in ("--set", f"propensity.{choice}")]
    own = assess(folder, setting.repeats, "--only", "propensity", *choices)
    found = json.loads((folder / "microgauge.json").read_text(encoding="utf-8"))["propensity"]
    if found["value"] is None:
        raise SystemExit(f"no propensity score measure: {found['reason']}")
    detail = f"{own} : {REPORTED:.0f} s reported ({found['terms']} columns, rank {found['rank']})"
    return [Outcome("e  synthpop as reported / time", REPORTED / own.seconds, 40, True, detail)]
