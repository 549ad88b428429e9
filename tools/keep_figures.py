"""Keeps the figures of a few runs, which a test holds later ones against: tests/commands/figures/.

Run it only where figures are meant to move, and say in the changelog why they did.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.demo.candidates import NAMES, candidates
from microgauge.schema import read_toml

FOLDER = Path(__file__).parents[1] / "tests" / "commands" / "figures"


def slow() -> dict[str, Any]:
    """The demo's schema with most of what takes long."""
    return {**read_toml(SCHEMA), "clusters": {}, "ecdf": {}, "loss": {"robust": True}}


def everything() -> dict[str, Any]:
    """The demo with all sections and yardsticks."""
    return microgauge.assess(ORIGINAL, PROTECTED, schema=slow(), yardsticks=True).to_dict()


def ranked() -> dict[str, Any]:
    """Five candidates of the demo."""
    only = ["gdu", "loss"]
    found = microgauge.rank(ORIGINAL, candidates(), names=NAMES, schema=slow(), only=only)
    return found.to_dict()


def diagnosed() -> dict[str, Any]:
    """The demo's original before it is protected."""
    return microgauge.diagnose(ORIGINAL, schema=SCHEMA).to_dict()


RUNS = {"everything": everything, "ranked": ranked, "diagnosed": diagnosed}


def without_places(content: Any) -> Any:
    """The same with files by their names, and without what else is of one machine alone."""
    if isinstance(content, dict):
        return {
            name: Path(value).name if name == "path" else without_places(value)
            for name, value in content.items()
            if name != "manifest"
        }
    return [without_places(part) for part in content] if isinstance(content, list) else content


def main() -> None:
    """Write the figures of every run."""
    FOLDER.mkdir(exist_ok=True)
    for name, run in RUNS.items():
        plain = without_places(json.loads(json.dumps(run(), allow_nan=False)))
        text = json.dumps(plain, sort_keys=True, allow_nan=False)
        (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
