"""Writes a run's scores into docs/panel.md and draws docs/images/panel.svg.

`python -m benchmarks.panel.page [--risk F] [--utility F] [--risk-peers F] [--utility-peers F]
[--resamples F]`, each a file that a run wrote with `--json`, of peers also several. A part of the
page whose file is not given stays as it is; the picture is drawn of risk and utility together, from
what is given.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "panel.md"
PICTURE = ROOT / "docs" / "images" / "panel.svg"
PARTS = ("risk", "utility", "risk-peers", "utility-peers", "resamples")
SEVERAL = ("risk-peers", "utility-peers")
"""Parts that may be of several runs: other programs take so long that each has files of its own."""
LEFT, RIGHT, STEP, TOP = 250, 640, 20, 60
"""Of the picture: where the scale begins and ends, the height of a line, where lines begin."""


def part_of_page(name: str, found: Mapping[str, Any]) -> str:
    """What stands between the marks of a part."""
    if name == "resamples":
        return _resamples(found)
    return f"{_of_what(found)}\n\n{_table(found)}"


def _of_what(found: Mapping[str, Any]) -> str:
    first = next(iter(found["figures"].values()))
    seeds = "one seed" if found["seeds"] == 1 else f"{found['seeds']} seeds"
    return (
        f"{found['pairs']} pairs, {found['neighbours']} of them neighbours, in "
        f"{len(found['data_sets'])} data sets of at most {found['most_rows']:,} rows with {seeds}: "
        f"{first['comparisons']:,} comparisons."
    )


def _table(found: Mapping[str, Any]) -> str:
    rows = [
        "| figure | right | 95 % over data sets | chooses | confirms | no figure | elsewhere "
        "| on its scale |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, one in ordered(found):
        bold = "**" if one["default"] else ""
        fewer = f" ({_seeds(one['seeds'])})" if one["seeds"] < found["seeds"] else ""
        rows.append(
            f"| {bold}{name}{bold}{fewer} | {bold}{one['value']:.3f}{bold} "
            f"| {one['low']:.3f} – {one['high']:.3f} | {_share(one['chooses'])} "
            f"| {_share(one['confirms'])} | {one['unknown']:,} | {one['known']:.3f} "
            f"| {_share(one['on_scale'])} |"
        )
    return "\n".join(rows)


def ordered(found: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The best first, without parts of figures."""
    named = [(n, one) for n, one in found["figures"].items() if one["main"]]
    return sorted(named, key=lambda both: -both[1]["value"])


def _seeds(count: int) -> str:
    return "one seed" if count == 1 else f"{count} seeds"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _resamples(found: Mapping[str, Any]) -> str:
    rows = ["| data set | rows | terms | mean ratio | allowed |", "|---|---|---|---|---|"]
    rows += [
        f"| {name} | {one['rows']:,} | {one['terms']} | {one['mean']:.3f} "
        f"| 1 ± {one['allowed']:.3f} |"
        for name, one in found.items()
    ]
    return "\n".join(rows)


def filled(page: str, parts: Mapping[str, str]) -> str:
    """The page with what stands between `<!-- name -->` and `<!-- /name -->` replaced."""
    for name, content in parts.items():
        first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, _, rest = page.partition(first)
        _, mark, after = rest.partition(last)
        assert mark, f"the page has no place for {name}"
        page = f"{before}{first}\n\n{content}\n\n{last}{after}"
    return page


# -- the picture -----------------------------------------------------------------------------


def picture(kinds: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """A dot for each figure's score with its interval, from 0.4 to 1; 0.5 is a coin's."""
    lines: list[str] = []
    top = TOP
    for title, found in kinds:
        lines.append(f'<text x="16" y="{top}" font-weight="bold">{escape(title)}</text>')
        for name, one in ordered(found):
            top += STEP
            lines += _dot(name, one, top)
        top += 2 * STEP
    scale = [
        f'<line x1="{_at(tick):.0f}" x2="{_at(tick):.0f}" y1="36" y2="{top - STEP}" '
        f'stroke="#ddd"/><text x="{_at(tick):.0f}" y="28" text-anchor="middle">{tick:g}</text>'
        for tick in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 {top}" role="img" '
        'font-family="sans-serif" font-size="13">\n'
        "<title>Share of pairs of files that each figure puts in the right order</title>\n"
        f'<rect width="660" height="{top}" fill="#fff"/>'
    )
    return "\n".join([head, *scale, *lines, "</svg>", ""])


def _at(share: float) -> float:
    return LEFT + (max(share, 0.4) - 0.4) / 0.6 * (RIGHT - LEFT)


def _dot(name: str, one: Mapping[str, Any], y: int) -> list[str]:
    colour = "#d55e00" if one["default"] else "#0072b2"
    return [
        f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(name)}</text>',
        f'<line x1="{_at(one["low"]):.1f}" x2="{_at(one["high"]):.1f}" y1="{y}" y2="{y}" '
        f'stroke="{colour}" stroke-width="2"/>',
        f'<circle cx="{_at(one["value"]):.1f}" cy="{y}" r="4.5" fill="{colour}"/>',
    ]


def _listed(files: Path | list[Path]) -> list[Path]:
    return files if isinstance(files, list) else [files]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel.page")
    for name in PARTS:
        parser.add_argument(f"--{name}", type=Path, nargs="+" if name in SEVERAL else None)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    given = vars(parser.parse_args(words))
    files = {name: given[name.replace("-", "_")] for name in PARTS}
    found = {
        name: [json.loads(file.read_text(encoding="utf-8")) for file in _listed(given_files)]
        for name, given_files in files.items()
        if given_files is not None
    }
    page: Path = given["page"]
    parts = {
        name: "\n\n".join(part_of_page(name, one) for one in runs) for name, runs in found.items()
    }
    page.write_text(filled(page.read_text(encoding="utf-8"), parts), encoding="utf-8")
    kinds = [(name.capitalize(), found[name][0]) for name in ("risk", "utility") if name in found]
    if kinds:
        given["picture"].write_text(picture(kinds), encoding="utf-8")


if __name__ == "__main__":
    main()
