"""Five protected versions of the demo's survey extract, each stronger than the one before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from microgauge.demo import ORIGINAL

SEED = 7
NAMES = ("1-light", "2-bands", "3-merged", "4-coarse", "5-strong")
_RACES = {"white": "white", "Alaska Native": "native", "American Indian": "native"}
_MARRIED = {"married": "married", "never married": "never married"}


def write_candidates(folder: Path) -> list[Path]:
    """Write the five versions into a folder; their paths, the weakest first."""
    from microgauge.results.writing import check_writable, write_together

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.csv" for name in NAMES]
    for path in paths:
        check_writable(path)
    tables = zip(paths, candidates(), strict=True)
    write_together({path: table.write_csv() for path, table in tables})
    return paths


def candidates() -> list[Any]:
    """The five versions as data frames."""
    import numpy as np
    import polars as pl

    table = pl.read_csv(ORIGINAL, schema_overrides={"PUMA": pl.String})
    rng = np.random.default_rng(SEED)
    blur = rng.normal(0.0, 1.0, table.height)

    def noise(share: float) -> Any:
        noisy = pl.col("PINCP") * (1.0 + share * pl.lit(pl.Series(blur)))
        return (noisy / 100).round().cast(pl.Int64) * 100

    def ages(step: int) -> Any:
        low = (pl.col("AGEP") // step) * step
        return pl.format("{}-{}", low, low + (step - 1)).alias("AGEP")

    race = pl.col("RAC1P").replace_strict(_RACES, default="other")
    marital = pl.col("MAR").replace_strict(_MARRIED, default="formerly married")
    light = table.with_columns(noise(0.02), (pl.col("AGEP") // 2 * 2))
    bands = table.with_columns(noise(0.05), ages(5))
    merged = table.with_columns(noise(0.1), ages(10), race)
    coarse = table.with_columns(noise(0.2), ages(20), race, marital)
    strong = table.with_columns(noise(0.4), ages(40), race, marital).drop("PUMA")
    return [light, bands, merged, coarse, strong]
