"""`python -m benchmarks [--adult FILE] [--only a,b,…] [--repeats N]`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    against_scipy,
    against_sdmetrics,
    by_default,
    ecdf,
    explore,
    growth,
    inference,
    loss,
    nearest,
    propensity,
    risk,
    scale_growth,
    startup,
    suppression,
    whole,
    wide,
)
from benchmarks.measure import Outcome, Setting

BENCHMARKS: dict[str, Callable[[Setting], list[Outcome]]] = {
    "a": against_sdmetrics.measure,
    "b": against_scipy.measure,
    "c": growth.measure,
    "d": startup.measure,
    "e": propensity.measure,
    "f": whole.measure,
    "g": ecdf.measure,
    "h": loss.measure,
    "i": risk.measure,
    "j": scale_growth.measure,
    "k": explore.measure,
    "l": suppression.measure,
    "n": nearest.measure,
    "o": inference.measure,
    "p": by_default.measure,
    "w": wide.measure,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--adult", type=Path, default=os.environ.get("MICROGAUGE_ADULT"))
    parser.add_argument("--only", default=",".join(BENCHMARKS), help="letters, by commas")
    parser.add_argument("--repeats", type=int, default=2, help="runs of which the fastest counts")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    adult = None if given.adult is None else Path(given.adult).resolve()
    print(f"Adult: {'the file' if adult else 'a stand-in of its shape'}")
    print(f"{'benchmark':<46}{'figure':>8}  target  verdict")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        setting = Setting(Path(folder), adult, given.repeats)
        for letter in given.only.split(","):
            for outcome in BENCHMARKS[letter](setting):
                print(outcome, flush=True)
                missed |= not outcome.met
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
