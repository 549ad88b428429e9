"""What a command writes: checked before the work, written after it."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from microgauge.errors import MISSED, InputError
from microgauge.records import dataclass

if TYPE_CHECKING:
    from microgauge.schema import Schema

INPUTS = ("result", "original", "protected", "schema", "recipe")
OUTPUTS = (
    "json",
    "report",
    "public",
    "summary",
    "excel",
    "junit",
    "pairs",
    "risky",
    "table",
    "output",
    "raw",
)
PICTURES = ("map", "levels")
ENDINGS = {
    "json": (".json",),
    "report": (".html", ".htm"),
    "public": (".html", ".htm"),
    "summary": (".pdf",),
    "excel": (".xlsx",),
    "junit": (".xml",),
    "pairs": (".csv",),
    "risky": (".csv",),
    "table": (".csv",),
    "raw": (".csv",),
}
"""How names end of what an option writes."""
OTHERS = (".svg", ".png", ".xlsx", ".parquet", ".arrow", ".feather", ".toml", ".zip", ".gz")
"""Endings of what no such option writes."""
KEPT = re.compile(r"[0-9a-f]{24}\.json")
"""What `explore` calls the candidates it keeps."""
Files = dict[Path, str | bytes]
"""What is to be written, and where."""


class Made(Protocol):
    """How pages for people are made."""

    @property
    def language(self) -> str:
        """What they are written in."""

    @property
    def min_count(self) -> int:
        """Records that whatever a public edition shows must rest on."""


def guard(chosen: argparse.Namespace) -> None:
    """Refuse to write over what is read, two results to one place, or what is no file."""
    places = _places(vars(chosen))
    if not places:
        return
    from microgauge.tables.collisions import collisions

    faults = [*_ending_faults(vars(chosen)), *collisions(places, _inputs(chosen))]
    kept = _kept_folder(chosen)
    for option, place in places.items():
        inside = kept is not None and Path(os.path.realpath(place)).parent == kept
        if inside and KEPT.fullmatch(place.name):
            faults.append(f"{option}: {place} is a kept candidate; write elsewhere.")
    if faults:
        raise InputError(*faults)


def _places(given: Mapping[str, Any]) -> dict[str, Path]:
    """Where something will be written, by option."""
    said = {name: given.get(name) for name in (*OUTPUTS, "folder")}
    if given.get("command") == "demo" and (given.get("raw") or given.get("candidates")):
        said = {"raw": given.get("raw")}  # these write nothing else
    named = {name: path for name, path in said.items() if isinstance(path, str)}
    found = {f"--{name}": Path(path) for name, path in named.items() if path not in ("", "-")}
    for name in PICTURES:
        if isinstance(given.get(name), str):
            from microgauge.render.pictures import pictures_of

            drawn = [path for path, _ in pictures_of([given[name]])]
            both = len(drawn) > 1
            found |= {f"--{name}{f' ({Path(p).name})' if both else ''}": Path(p) for p in drawn}
    return found


def _inputs(chosen: argparse.Namespace) -> list[str]:
    """All that a command reads, with the tables that the schema names."""
    from microgauge.sections.risk.choices import OTHER_TABLES

    given = vars(chosen)
    names = (*INPUTS, *OTHER_TABLES)
    named = [given[name] for name in names if isinstance(given.get(name), str)]
    if chosen.command == "demo":
        from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA

        return [str(path) for path in (ORIGINAL, PROTECTED, SCHEMA)]
    with suppress(InputError):  # told where the schema is read
        from microgauge.cli.options import chosen_schema

        schema = chosen_schema(given.get("schema"), given.get("settings") or ())
        tables = [getattr(schema.risk, which) for which in OTHER_TABLES]
        named += [table for table in tables if isinstance(table, str)]
    return [*named, *(given.get("candidates") or [])]


def _kept_folder(chosen: argparse.Namespace) -> Path | None:
    """Where `explore` keeps what it made."""
    if chosen.command != "explore":
        return None
    from microgauge.cli.explore import kept_in

    return Path(os.path.realpath(kept_in(chosen)))


def _ending_faults(given: Mapping[str, Any]) -> list[str]:
    """Names that promise another format than what is written."""
    others = {ending for endings in ENDINGS.values() for ending in endings}
    faults = []
    for name, own in ENDINGS.items():
        said = given.get(name)
        ending = _ends(said) if isinstance(said, str) else ""
        if not said or ending in own:
            continue
        if ending == ".pdf" and name == "report":
            faults.append(
                "--report writes a page for a browser (HTML); for one page in PDF use --summary "
                f"{said}."
            )
        elif name == "summary" and ending in (".html", ".htm"):
            faults.append(
                "--summary writes one page in PDF; for a page for a browser (HTML) use --report "
                f"{said}."
            )
        elif name == "summary" or ending in (*others, *OTHERS):
            faults.append(f"--{name} writes {own[0][1:].upper()}: {said} must end in {own[0]}.")
    return faults


def check_outputs(*names: str | None) -> None:
    """Whether files can be written where they are asked for; all faults at once."""
    from microgauge.results.writing import check_writable

    faults: list[str] = []
    for name in names:
        if name and name != "-":
            try:
                check_writable(Path(name))
            except InputError as error:
                faults += error.faults
    if faults:
        raise InputError(*dict.fromkeys(faults))


def check_report(chosen: argparse.Namespace) -> None:
    """Whether a report can be what is asked for."""
    faults = ["--min-count must be 1 or more."] if chosen.min_count < 1 else []
    faults += _language_faults(chosen.language)
    if faults:
        raise InputError(*faults)


def _language_faults(language: str) -> list[str]:
    from microgauge.languages.catalogue import languages

    if language in languages():
        return []
    return [f'--language: there is no "{language}"; there are {", ".join(languages())}.']


def _ends(name: str | None) -> str:
    return Path(name or "").suffix.lower()


def check_junit(name: str | None, schema: Schema, **limits: Any) -> None:
    """Whether there are limits to make test cases of."""
    from microgauge.sections.requirements.holding import limited, limits_of

    if name and not limits_of(chosen := limited(schema, **limits)) and not chosen.faults():
        raise InputError(
            '--junit writes limits as test cases, and there is none: say --require "risk<=0.05, '
            'k>=3", or give the schema a [require].'
        )


def report_file(path: str | None, result: Any, edition: Any, made: Made) -> Files:
    """A report to look at."""
    if not path:
        return {}
    from microgauge.render.report import report_html

    return {Path(path): report_html(result, edition, made.min_count, made.language)}


def public_file(path: str | None, result: Any, made: Made) -> Files:
    """The report as data users may see it."""
    return report_file(path, result, "public", made)


def excel_file(path: str | None, result: Any) -> Files:
    """All tables in one workbook."""
    if not path:
        return {}
    from microgauge.render.workbook import result_workbook

    return {Path(path): result_workbook(result)}


def summary_file(path: str | None, result: Any, made: Made) -> Files:
    """One page for the committee."""
    return {Path(path): result.summary(made.language)} if path else {}


def junit_file(path: str | None, result: Any) -> Files:
    """Limits as test cases."""
    if not path:
        return {}
    from microgauge.render.junit import junit_xml

    return {Path(path): junit_xml(result)}


def table_file(path: str | None, frame: Callable[[], Any]) -> Files:
    """A data frame as CSV, made where it is asked for."""
    if not path:
        return {}
    from microgauge.render.frames import csv_text

    return {Path(path): csv_text(frame())}


def finished(
    result: Any, json: str | None, files: Files | None = None, shown: Shown | None = None
) -> int:
    """Write all files or none, print the result or its JSON; 1 where a limit is missed."""
    from microgauge.results.gate import gate_of

    printed(result, json, files, shown)
    return 0 if gate_of(result).passed else MISSED


@dataclass(frozen=True)
class Shown:
    """How much of a result is printed, and what to do next."""

    long: bool = False
    steps: Sequence[tuple[str, str]] = ()

    def text(self, result: Any, written: Sequence[Path]) -> str:
        """The result with what was written, and where."""
        from microgauge.render.short import told_lines

        ending = [("written", ", ".join(str(path) for path in written))] if written else []
        ending += self.steps
        if not self.long:
            return str(result.short_text(ending, "--long"))
        lines = told_lines(ending)
        return "\n".join([result.long_text(), *lines, ""]) if lines else str(result.long_text())


def printed(
    result: Any, json: str | None, files: Files | None = None, shown: Shown | None = None
) -> int:
    """Print a result, or its JSON; write that and other files, all or none."""
    from microgauge.cli.streams import escaped, let_go
    from microgauge.results.plain import json_text
    from microgauge.results.writing import write_together

    wanted: Files = dict(files or {})
    if json and json != "-":
        wanted[Path(json)] = json_text(result)
    text = str(result) if shown is None else shown.text(result, list(wanted))
    if json == "-":
        unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
        text = json_text(result) if unicode else escaped(json_text(result))
    write_together(wanted)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        let_go()  # whoever reads (head, less) has seen enough; the exit code still counts
    except KeyboardInterrupt as stop:
        stop.args = tuple(wanted)
        raise
    return 0
