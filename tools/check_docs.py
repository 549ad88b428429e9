"""Checks the documentation: every link leads somewhere, every measure and option has its words.

Examples in the documentation are run by the tests; this looks at what examples cannot show.
"""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from html import escape
from pathlib import Path

from make_picture import PICTURE, demo_text

from microgauge.schema import Options, Recode, Variable
from microgauge.sections.registry import sections

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
REQUIRED = [
    "docs/index.md",
    "docs/gdu.md",
    "docs/schema.md",
    "docs/results.md",
    "docs/propensity.md",
    "docs/clusters.md",
    "docs/ecdf.md",
    "docs/loss.md",
    "docs/indicators.md",
    "docs/regressions.md",
    "docs/yardsticks.md",
    "docs/report.md",
    "docs/tutorial.md",
    "docs/mask.md",
    "docs/explore.md",
    "docs/reproduce.md",
    "docs/scale.md",
    "docs/risk.md",
    "docs/risk/classes.md",
    "docs/risk/external.md",
    "docs/risk/diversity.md",
    "docs/risk/individual.md",
    "docs/risk/suda.md",
    "docs/risk/linkage.md",
    "docs/rut.md",
    "docs/rank.md",
    "docs/diagnose.md",
    "docs/images/map.svg",
]


def broken_links(page: Path) -> list[str]:
    """Links of a page to files that do not exist."""
    found = []
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        if not (page.parent / target).exists():
            found.append(f"{page.relative_to(ROOT)}: link to {target}, which does not exist")
    return found


def unexplained_options() -> list[str]:
    """Entries of a schema that the schema page does not name."""
    page = (ROOT / "docs" / "schema.md").read_text(encoding="utf-8")
    chosen = [section.choices for section in sections() if section.choices is not None]
    kinds = (Options, Variable, Recode, *chosen)
    names = [f.name for kind in kinds for f in fields(kind)]
    return [f"docs/schema.md says nothing of `{name}`" for name in names if name not in page]


def stale_picture() -> list[str]:
    """A picture of the demo that no longer shows the demo's global data utility.

    The other measures are in the picture too; their last digits may differ between processors.
    """
    drawn = PICTURE.read_text(encoding="utf-8")
    lines = [escape(line) for line in demo_text(only=["gdu"]).splitlines() if line]
    if all(f">{line}</text>" in drawn for line in lines):
        return []
    return ["docs/images/demo.svg is stale: run tools/make_picture.py"]


def main() -> int:
    """Print every fault; exit code 1 if there is one."""
    missing = [f"{name} does not exist" for name in REQUIRED if not (ROOT / name).exists()]
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
    faults = missing or [*unexplained_options(), *stale_picture()]
    for page in pages:
        faults += broken_links(page)
    for fault in faults:
        sys.stdout.write(fault + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
