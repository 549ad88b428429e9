"""`python -m benchmarks.inference_job make|attack FOLDER [ADULT]`: halves of Adult, and attacks."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.data import adult
from microgauge.measures.disclosure.attacks import inferred
from microgauge.measures.disclosure.nearest import Attribute

ATTACKS = 500
SECRETS = {"income": "a category", "age": "a number"}
SEED = 11


def make(folder: Path, file: Path | None) -> None:
    """Half of the rows as original, whose first are attacked, the other half in place of a file."""
    folder.mkdir(parents=True, exist_ok=True)
    frame = adult(file).with_columns(pl.col(pl.String).fill_null("?"))
    rows = np.random.default_rng(SEED).permutation(len(frame))
    half = len(rows) // 2
    frame[rows[: min(ATTACKS, half)]].write_parquet(folder / "targets.parquet")
    frame[rows[half:]].write_parquet(folder / "protected.parquet")
    (folder / "secrets.json").write_text(json.dumps(SECRETS))


def attack(folder: Path, secret: str) -> None:
    """Guess the secret of each target from all other columns, and keep the fastest run."""
    targets, protected = (
        pl.read_parquet(folder / f"{n}.parquet") for n in ("targets", "protected")
    )
    start = time.process_time()
    known = [coded(targets[c], protected[c]) for c in targets.columns if c != secret]
    secrets = coded(targets[secret], protected[secret]).references
    category = protected[secret].dtype == pl.String
    found = inferred(known, "category" if category else "number", secrets)
    if category:
        said = dict(zip(secrets.tolist(), protected[secret].to_list(), strict=True))
        guesses: list[object] = [said[code] for code in found.tolist()]
    else:
        guesses = (found * span(targets[secret], protected[secret])).round(6).tolist()
    seconds = time.process_time() - start
    written = folder / f"microgauge-{secret}.json"
    if written.exists():
        seconds = min(seconds, json.loads(written.read_text())["seconds"])
    written.write_text(json.dumps({"seconds": seconds, "guesses": guesses}))


def span(targets: pl.Series, protected: pl.Series) -> float:
    """The range of both, in which numbers are measured."""
    both = np.concatenate([targets.to_numpy(), protected.to_numpy()])
    return float(np.ptp(both)) or 1.0


def coded(targets: pl.Series, protected: pl.Series) -> Attribute:
    """A column of both tables as the search takes it."""
    if targets.dtype != pl.String:
        unit = span(targets, protected)
        return Attribute("number", targets.to_numpy() / unit, protected.to_numpy() / unit)
    codes = pl.concat([targets, protected]).cast(pl.Categorical).to_physical().to_numpy()
    codes = codes.astype(np.int64)
    return Attribute("category", codes[: len(targets)], codes[len(targets) :])


if __name__ == "__main__":
    task, where, *rest = sys.argv[1:]
    if task == "make":
        make(Path(where), Path(rest[0]) if rest else None)
    else:
        for name in SECRETS:
            attack(Path(where), name)
