"""Limits that a release must keep, with an indicator of your own. Ends with exit code 1 if not."""

# %% An indicator is any function of a table that gives one number. Missing cells are null.
import sys
import tomllib

import polars as pl

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA


def pay_gap(table: pl.DataFrame) -> float:
    """How much less than men's the median income of women is, as a share of men's."""
    earning = table.filter(pl.col("PINCP") > 0)
    median = {
        sex: earning.filter(pl.col("SEX") == sex)["PINCP"].median() for sex in ("male", "female")
    }
    return 1 - median["female"] / median["male"]


# %% The schema of a file, with the indicator added. Intervals come from resampling the records.
schema = tomllib.loads(SCHEMA.read_text(encoding="utf-8"))
schema["indicator"] = [{"name": "pay gap", "function": pay_gap, "resamples": 50}]

# %% Only what is looked at is computed.
result = microgauge.assess(
    ORIGINAL,
    PROTECTED,
    schema=schema,
    only=["gdu", "indicators", "risk"],
)

# %% Each limit is a name and whether it is kept.
(gap,) = result.indicators
limits = {
    "global data utility at least 0.85": result.gdu.value >= 0.85,
    "pay gap within its interval": bool(gap.inside),
    "risk at most one half": result.risk.total <= 0.5,
}

# %% Say what is kept and what is not; a script that ends with 1 stops a pipeline.
print(f"pay gap: {gap.original:.3f} in the original, {gap.protected:.3f} in the protected table")
for limit, kept in limits.items():
    print("kept  " if kept else "MISSED", limit)
if __name__ == "__main__":
    sys.exit(0 if all(limits.values()) else 1)
