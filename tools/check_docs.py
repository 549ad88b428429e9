"""Checks the documentation: every link leads somewhere, every section and option has its words.

Examples in the documentation are run by the tests; this looks at what examples cannot show.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import fields
from html import escape
from pathlib import Path

from make_picture import PICTURE, demo_text

from microgauge.schema import Model, Options, Recode, Variable
from microgauge.sections.registry import sections
from microgauge.sections.section import Section

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
PAGES = [
    "index.md",
    "schema.md",
    "results.md",
    "tutorial.md",
    "mask.md",
    "explore.md",
    "reproduce.md",
    "scale.md",
    "disclosure/found.md",
    "disclosure/copied.md",
    "disclosure/learned.md",
    "disclosure/holdout.md",
    "disclosure/attacks.md",
    "images/disclosure.svg",
    "images/matches.svg",
    "risk/classes.md",
    "risk/external.md",
    "risk/diversity.md",
    "risk/individual.md",
    "risk/suda.md",
    "risk/linkage.md",
    "rank.md",
    "diagnose.md",
    "images/map.svg",
]
"""What must be there beside the pages of the sections."""


FINDINGS = ("  stop", "  warn", "  note")
"""How a line of the demo begins that tells what was found."""


def missing_pages(there: Iterable[Section], docs: Path = DOCS) -> list[str]:
    """Pages that do not exist, among them those that sections name as theirs."""
    wanted = dict.fromkeys([*PAGES, *(section.page for section in there)])
    return [f"docs/{name} does not exist" for name in wanted if not (docs / name).exists()]


def broken_links(page: Path) -> list[str]:
    """Links of a page to files that do not exist."""
    found = []
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        if not (page.parent / target).exists():
            found.append(f"{page.relative_to(ROOT)}: link to {target}, which does not exist")
    return found


def unexplained_options(there: Iterable[Section], docs: Path = DOCS) -> list[str]:
    """Tables and entries of a schema that the schema page does not name."""
    page = (docs / "schema.md").read_text(encoding="utf-8")
    chosen = {s.key or s.name: s.choices for s in there if s.choices is not None}
    kinds = {"options": Options, "variable": Variable, "model": Model, **chosen}
    tables = [name for name in kinds if not re.search(rf"\[{re.escape(name)}[\].]", page)]
    names = dict.fromkeys(f.name for kind in (*kinds.values(), Recode) for f in fields(kind))
    unknown = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", page)]
    return [
        *(f"docs/schema.md says nothing of [{name}]" for name in tables),
        *(f"docs/schema.md says nothing of `{name}`" for name in unknown),
    ]


def stale_picture() -> list[str]:
    """A picture of the demo that no longer shows both answers of its verdict.

    What was found is in the picture too, by other sections as well; last digits of their figures
    may differ between processors.
    """
    drawn = PICTURE.read_text(encoding="utf-8")
    lines = [escape(line) for line in demo_text(only=["verdict"]).splitlines()]
    first = next(place for place, line in enumerate(lines) if line.startswith(FINDINGS))
    if all(f">{line}</text>" in drawn for line in lines[:first]):
        return []
    return ["docs/images/demo.svg is stale: run tools/make_picture.py"]


def main() -> int:
    """Print every fault; exit code 1 if there is one."""
    missing = missing_pages(sections())
    beside = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md")
    pages = [*(ROOT / name for name in beside), *sorted(DOCS.rglob("*.md"))]
    faults = missing or [*unexplained_options(sections()), *stale_picture()]
    for page in pages:
        faults += broken_links(page)
    for fault in faults:
        sys.stdout.write(fault + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
