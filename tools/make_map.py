"""Draws the risk–utility map of the demo's five candidates: docs/images/map.svg."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import microgauge
from microgauge.demo import ORIGINAL, SCHEMA
from microgauge.demo.candidates import write_candidates
from microgauge.render.pictures import risk_utility_map

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "map.svg"


def picture() -> bytes:
    """The map of a ranking by risk and global data utility, with a limit on risk."""
    with TemporaryDirectory() as folder:
        paths = write_candidates(Path(folder))
        result = microgauge.rank(
            ORIGINAL, paths, schema=SCHEMA, only=["rut"], utility="gdu", max_risk=0.15
        )
    return risk_utility_map(result, "svg")


if __name__ == "__main__":
    PICTURE.write_bytes(picture())
