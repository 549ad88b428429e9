"""(k) Thirty candidates of the household sample: time of each beside that of one assessment."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.measure import Outcome, Setting, fastest, microgauge

GRID = """\
seed = 1

[grid]
swap = [0.05, 0.1, 0.2]

[[step]]
method = "round"
variable = "AGEP"
unit = { grid = [5, 10] }

[[step]]
method = "swap"
variable = "RAC1P"
share = { grid = "swap" }

[[step]]
method = "swap"
variable = "MAR"
share = { grid = "swap" }

[[step]]
either = [
  { method = "noise", variable = "HINCP", share = { grid = [0.05, 0.1, 0.2] } },
  { method = "microaggregation", variable = "HINCP", g = { grid = [5, 20] } },
]
"""
FIRST = """\
seed = 1

[[step]]
method = "round"
variable = "AGEP"
unit = 5

[[step]]
method = "swap"
variables = ["RAC1P", "MAR"]
share = 0.1

[[step]]
method = "noise"
variable = "HINCP"
share = 0.1
"""
SCHEMA = "\n".join(
    f'[variable.{name}]\nrole = "quasi_identifier"\ntype = "{kind}"\n'
    for name, kind in (
        ("AGEP", "continuous"),
        ("SEX", "nominal"),
        ("RAC1P", "nominal"),
        ("MAR", "nominal"),
    )
)
CANDIDATES = 30


def measure(setting: Setting) -> list[Outcome]:
    """Exploring thirty candidates, all sections, over thirty times assessing one."""
    import microgauge as package

    original = Path(package.__file__).parent / "papers" / "data" / "households.parquet"
    folder = setting.folder / "explore"
    folder.mkdir()
    for name, text in (("grid", GRID), ("first", FIRST), ("schema", SCHEMA)):
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    schema = ("--schema", folder / "schema.toml")
    protected = folder / "protected.parquet"
    fastest(1, *microgauge("mask", original, "--recipe", folder / "first.toml", "-o", protected))
    one = fastest(setting.repeats, *microgauge("assess", original, protected, *schema))
    kept = folder / "kept"
    words = ("--recipe", folder / "grid.toml", "--folder", kept, *schema)
    all_of_them = fastest(1, *microgauge("explore", original, *words))
    assert len(list(kept.iterdir())) == CANDIDATES
    shutil.rmtree(kept)
    each = all_of_them.seconds / CANDIDATES
    detail = f"{each:.1f} s : {one.seconds:.1f} s; {all_of_them.seconds:.0f} s in all"
    return [
        Outcome("k  a candidate / an assessment: time", each / one.seconds, 1, False, detail),
        Outcome("k  a candidate: seconds", each, 1.5, False, ""),
    ]
