"""Several protected versions of one file: which of them to release?"""

# %% Five versions of the survey that comes with the package, each stronger than the one before.
import microgauge
from microgauge.demo import ORIGINAL, SCHEMA
from microgauge.demo.candidates import NAMES, candidates

# %% Risk and utility are always measured; here global data utility beside them.
ranking = microgauge.rank(
    ORIGINAL,
    candidates(),
    names=NAMES,
    schema=SCHEMA,
    only=["gdu"],
    max_risk=0.15,  # what you can answer for: without a limit on risk none is recommended
)

# %% A row for each candidate, the figures side by side.
print(ranking.table().select("name", "risk", "utility", "gdu", "frontier", "recommended"))

# %% The recommendation always has a reason; its name is None where no candidate keeps the limit.
print(f"Release {ranking.recommended.name}: {ranking.recommended.reason}.")

# %% Would another weight of utility against safety have chosen another one?
for step in ranking.sweep:
    print(f"  utility weighs {100 * step.alpha:.0f} %: {step.leader}")

# %% The whole assessment of a candidate is behind its row.
chosen = next(c for c in ranking.candidates if c.name == ranking.recommended.name)
pairs = chosen.assessment.gdu.pairs
kept = sum(pair.outcome == "kept" for pair in pairs)
print(f"{chosen.name} keeps {kept} associations of {len(pairs)} pairs of variables.")
