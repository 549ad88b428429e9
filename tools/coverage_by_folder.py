"""How much of each folder of the package the tests run through, from coverage's JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path


def folder_of(file: str) -> str:
    """The room a file is in: the first two folders below the package."""
    inside = Path(file).parts[Path(file).parts.index("microgauge") + 1 : -1]
    return "/".join(inside[:2]) or "(root)"


def main() -> None:
    """Print a table: lines and branches run through, of those there are."""
    files = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"]
    run: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for name, entry in files.items():
        for folder in (folder_of(name), "all"):
            run[folder] += entry["summary"]["covered_lines"] + entry["summary"]["covered_branches"]
            there[folder] += entry["summary"]["num_statements"] + entry["summary"]["num_branches"]
    print(f"{'folder':24} {'places':>7} {'run':>6}")
    for folder in sorted(there, key=lambda f: (f == "all", f)):
        share = run[folder] / there[folder] if there[folder] else 1.0
        print(f"{folder:24} {there[folder]:7} {share:6.1%}")


if __name__ == "__main__":
    main()
