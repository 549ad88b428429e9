"""What `rank` and `explore` share: options, pictures, and the way a ranking is written."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.cli.options import add_require, chosen_roles, chosen_schema, chosen_sections
from microgauge.cli.outputs import (
    Files,
    Shown,
    check_junit,
    check_outputs,
    check_report,
    excel_file,
    finished,
    junit_file,
    public_file,
    report_file,
    summary_file,
    table_file,
)

if TYPE_CHECKING:
    from microgauge.results import Ranking

Picture = tuple[Callable[["Ranking", str], Any], str, str]
"""How it is drawn, where it goes, and in which format."""


def add_comparison(command: argparse.ArgumentParser) -> None:
    """Limits, weights, and what is drawn."""
    add_require(command)
    command.add_argument("--max-risk", type=float, metavar="R", help="the same as risk<=R")
    command.add_argument("--min-utility", type=float, metavar="U", help="the same as utility>=U")
    command.add_argument(
        "--utility",
        metavar="NAME",
        help="what stands up on the map: tables, gdu, gdu_1000, propensity, U, overlap, inside or "
        "overlap:NAME of a regression or indicator",
    )
    command.add_argument(
        "--preset", metavar="NAME", help="weights: analysis, balanced, sharing or public"
    )
    command.add_argument(
        "--map",
        metavar="F",
        help="write the risk–utility map: .svg, .png, without either both",
    )
    command.add_argument("--table", metavar="F.csv", help="write a row for each candidate")


def chosen_comparison(chosen: argparse.Namespace) -> dict[str, Any]:
    """The choices, as `rank` and `explore` take them."""
    return {
        "schema": chosen_schema(chosen.schema, chosen.settings),
        "key": chosen.key,
        "external": chosen.external,
        "holdout": chosen.holdout,
        "population": chosen.population,
        "require": chosen.require,
        "utility": chosen.utility,
        "max_risk": chosen.max_risk,
        "min_utility": chosen.min_utility,
        "preset": chosen.preset,
        **chosen_roles(chosen),
        **chosen_sections(chosen),
    }


def maps(name: str | None) -> list[Picture]:
    """The risk–utility map in the formats asked for."""
    from microgauge.render.pictures import risk_utility_map

    return pictures(name, risk_utility_map)


def pictures(name: str | None, draw: Callable[..., Any]) -> list[Picture]:
    """A picture in the formats that its file name asks for."""
    from microgauge.render.pictures import pictures_of

    return [(draw, path, kind) for path, kind in pictures_of([name] if name else [])]


def check_comparison(chosen: argparse.Namespace, drawn: Sequence[Picture]) -> None:
    """Whether all can be written that is asked for."""
    check_report(chosen)
    paths = (path for _, path, _ in drawn)
    written = ("json", "report", "public", "summary", "excel", "table", "junit")
    check_outputs(*(getattr(chosen, name) for name in written), *paths)
    if chosen.junit:
        limits = {name: getattr(chosen, name) for name in ("require", "max_risk", "min_utility")}
        check_junit(chosen.junit, chosen_schema(chosen.schema, chosen.settings), **limits)


def compared(
    chosen: argparse.Namespace,
    result: Ranking,
    drawn: Sequence[Picture],
    more: Files | None = None,
) -> int:
    """Write and print a ranking."""
    files: Files = {
        **{Path(path): draw(result, kind) for draw, path, kind in drawn},
        **report_file(chosen.report, result, chosen.edition, chosen),
        **table_file(chosen.table, result.table),
        **junit_file(chosen.junit, result),
        **summary_file(chosen.summary, result, chosen),
        **public_file(chosen.public, result, chosen),
        **excel_file(chosen.excel, result),
        **(more or {}),
    }
    return finished(result, chosen.json, files, Shown(chosen.long, _next_steps(chosen, result)))


def _next_steps(chosen: argparse.Namespace, result: Ranking) -> list[tuple[str, str]]:
    """What to say next on the command line."""
    if result.max_risk is None:
        return [("next", "say how much risk is too much: --max-risk 0.05")]
    if not chosen.report:
        return [("next", "see the candidates side by side: --report report.html")]
    return []
