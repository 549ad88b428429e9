"""Compare a protected table with its original, and read the figures in Python."""

# %% Two tables. Paths of files work just as well as data frames.
import polars as pl

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED

codes = {"PUMA": pl.String}  # an area code with leading zeros, so a text
original = pl.read_csv(ORIGINAL, schema_overrides=codes)
protected = pl.read_csv(PROTECTED, schema_overrides=codes)

# %% Say what the columns mean. Types that are not declared are inferred, and a note says so.
schema = {
    "variable": {
        "AGEP": {"type": "continuous", "role": "quasi_identifier"},
        "SEX": {"role": "quasi_identifier"},
        "RAC1P": {"role": "quasi_identifier"},
        "PINCP": {"type": "continuous"},
    }
}

# %% Two sections of all there are: global data utility, and the risk of re-identification.
result = microgauge.assess(original, protected, schema=schema, only=["gdu", "risk"])
print(f"Global data utility: {result.gdu.value:.3f} (1: nothing lost, 0: everything)")
print(f"Unique on age, sex and race: {result.risk.uniques} of {result.risk.records} records")

# %% Every figure is an attribute; tables of figures are Polars data frames.
pairs = result.pair_table().sort("utility", nulls_last=True)
print("The associations that lost most:")
for row in pairs.head(3).iter_rows(named=True):
    print(f"  {row['a']} × {row['b']}: {row['outcome']}, utility {row['utility']:.2f}")

# %% A figure that is not defined is None, never 0 or NaN, and has a reason.
for score in result.gdu.variables:
    if score.utility is None:
        print(f"{score.name}: {score.reason}")

# %% What was inferred, and what to beware of.
for note in result.notes[:3]:
    print("-", note)
