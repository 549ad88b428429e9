"""The command `microgauge`: read arguments, call the package, print. Heavy modules load on use."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge._version import __version__
from microgauge.errors import InputError

if TYPE_CHECKING:
    from microgauge.results import Candidate, Ranking
    from microgauge.schema import Schema

EPILOG = """\
examples:
  microgauge demo
  microgauge schema original.csv protected.csv --output schema.toml
  microgauge assess original.csv protected.csv --schema schema.toml --json result.json
  microgauge rank original.csv weak.csv strong.csv --schema schema.toml --map map.svg
  microgauge diagnose original.csv --schema schema.toml
  microgauge explore original.csv --recipe grid.toml --schema schema.toml --max-risk 0.1
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Exit code 0: done; 2: the input cannot be used."""
    # numpy asks for huge pages for every large array. Most of ours live for a moment, and clearing
    # huge pages then costs more than it saves. Must be set before numpy is loaded.
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 0
    try:
        _guard(chosen)
        return int(chosen.run(chosen))
    except InputError as error:
        sys.stderr.write(f"microgauge: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("microgauge: stopped; nothing was written.\n")
        return 130
    except BrokenPipeError:
        # The reader of our output (head, less) has seen enough.
        sys.stderr.close()
        return 0


INPUTS = ("original", "protected", "schema", "recipe", "external", "population")
OUTPUTS = ("json", "report", "pairs", "risky", "map", "levels", "table", "output")


def _guard(chosen: argparse.Namespace) -> None:
    """Refuse to write a result over a file it is made from."""
    given = vars(chosen)
    named = [given[name] for name in INPUTS if isinstance(given.get(name), str)]
    read = {Path(name).resolve() for name in [*named, *(given.get("candidates") or [])]}
    for name in OUTPUTS:
        place = given.get(name)
        if isinstance(place, str) and place != "-" and Path(place).resolve() in read:
            raise InputError(f"--{name}: {place} is an input of this run; write elsewhere.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="microgauge",
        description="Measure what protection cost a microdata file.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"microgauge {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_assess(commands)
    _add_rank(commands)
    _add_diagnose(commands)
    _add_schema(commands)
    _add_mask(commands)
    _add_explore(commands)
    _add_reproduce(commands)
    _add_demo(commands)
    return parser


def _add_assess(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "assess",
        help="compare a protected table with its original",
        description="Compare a protected table with its original: CSV, Parquet, Arrow/Feather, "
        "SPSS, Stata or SAS, each in its own format.",
    )
    command.add_argument("original", metavar="ORIGINAL", help="the table before protection")
    command.add_argument("protected", metavar="PROTECTED", help="the table after protection")
    _add_choices(command)
    _add_reading(command)
    command.add_argument("--pairs", metavar="F.csv", help="write a table of all pairs")
    command.add_argument(
        "--risky", metavar="F.csv", help="write row numbers and risks, the riskiest first"
    )
    command.add_argument(
        "--yardsticks", action="store_true", help="also measure files whose loss is known"
    )
    command.set_defaults(run=_assess)


def _add_choices(command: argparse.ArgumentParser) -> None:
    """What `assess`, `rank` and `explore` have in common."""
    command.add_argument("--schema", metavar="F", help="TOML file that describes the variables")
    command.add_argument("--key", metavar="COL", help="column that joins the tables")
    command.add_argument("--json", metavar="F", help="write the full result; - for stdout")
    command.add_argument("--report", metavar="F.html", help="write a report to look at")
    command.add_argument(
        "--edition",
        choices=("internal", "public"),
        default="internal",
        help="of the report; public: for data users, utility only",
    )
    command.add_argument(
        "--min-count",
        type=int,
        default=10,
        metavar="N",
        help="records that whatever a public report shows must rest on (default 10)",
    )
    command.add_argument("--external", metavar="F", help="a table an intruder may hold")
    command.add_argument("--population", metavar="F", help="the table the original is a sample of")
    command.add_argument(
        "--only",
        metavar="A,B",
        help="only these of gdu, propensity, clusters, ecdf, loss, indicators, regressions, risk, "
        "rut",
    )
    command.add_argument("--skip", metavar="A,B", help="all but these")
    command.add_argument(
        "--set",
        metavar="TABLE.NAME=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="change an entry of the schema, e.g. propensity.model=cart",
    )


def _add_reading(command: argparse.ArgumentParser) -> None:
    """How tables are read that may not fit into memory, or onto one machine."""
    command.add_argument(
        "--memory",
        metavar="SIZE",
        help="what the run may use, e.g. 4GB; larger tables are read in batches",
    )
    command.add_argument(
        "--scratch", metavar="DIR", help="folder for scratch files of tables read in batches"
    )
    command.add_argument(
        "--engine",
        choices=("local", "spark"),
        default="local",
        help="where rows are read; spark: tables are names or paths that Spark knows",
    )


def _reading(chosen: argparse.Namespace) -> dict[str, Any]:
    return {"memory": chosen.memory, "scratch": chosen.scratch, "engine": chosen.engine}


def _add_rank(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "rank",
        help="compare several protected tables and say which to release",
        description="Measure several protected versions of one original, weakest first if they "
        "have an order, and say which to release.",
    )
    command.add_argument("original", metavar="ORIGINAL", help="the table before protection")
    command.add_argument("candidates", metavar="CANDIDATE", nargs="+", help="protected versions")
    _add_choices(command)
    _add_reading(command)
    _add_comparison(command)
    command.add_argument(
        "--levels", metavar="F", help="write safety, utility and RUT over the candidates' order"
    )
    command.set_defaults(run=_rank)


def _add_comparison(command: argparse.ArgumentParser) -> None:
    """What `rank` and `explore` have in common."""
    command.add_argument("--max-risk", type=float, metavar="R", help="the largest risk allowed")
    command.add_argument("--min-utility", type=float, metavar="U", help="the least utility wanted")
    command.add_argument(
        "--preset", metavar="NAME", help="weights: analysis, balanced, sharing or public"
    )
    command.add_argument(
        "--map",
        metavar="F",
        help="write the risk–utility map: .svg, .png, without either both",
    )
    command.add_argument("--table", metavar="F.csv", help="write a row for each candidate")


def _add_diagnose(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "diagnose",
        help="look at an original before protecting it",
        description="Distributions, classes and previews of protection levels ([level.NAME] in "
        "the schema) of one table.",
    )
    command.add_argument("original", metavar="ORIGINAL")
    command.add_argument("--schema", metavar="F", help="TOML file that describes the variables")
    command.add_argument("--json", metavar="F", help="write the full result; - for stdout")
    _add_reading(command)
    command.set_defaults(run=_diagnose)


def _add_schema(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "schema",
        help="draft a schema to edit",
        description="Draft a schema from what the tables show, with comments, to be edited.",
    )
    command.add_argument("original", metavar="ORIGINAL")
    command.add_argument("protected", metavar="PROTECTED", nargs="?")
    command.add_argument("--output", "-o", metavar="F", help="file to write; stdout without it")
    _add_reading(command)
    command.set_defaults(run=_draft)


def _add_mask(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "mask",
        help="protect a table by a recipe",
        description="Protect a table by the steps of a recipe: recode, round, suppress, add noise, "
        "microaggregate, swap, PRAM, sample, synthesise.",
    )
    command.add_argument("original", metavar="ORIGINAL")
    command.add_argument("--recipe", metavar="F.toml", required=True, help="the steps")
    command.add_argument(
        "--output", "-o", metavar="F", required=True, help="file to write: .csv, .parquet, .arrow"
    )
    command.set_defaults(run=_mask)


def _add_explore(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "explore",
        help="try a grid of recipes and say which to release",
        description="Protect a table by every recipe of a grid, measure each candidate, and say "
        "which to release. Finished candidates are kept: run it again after an interruption.",
    )
    command.add_argument("original", metavar="ORIGINAL", help="the table before protection")
    command.add_argument(
        "--recipe",
        metavar="GRID.toml",
        required=True,
        help="the steps, with values like { grid = [0.1, 0.2] }",
    )
    command.add_argument(
        "--folder",
        metavar="DIR",
        help="where finished candidates are kept (default: the recipe's name with -explored)",
    )
    command.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one for each processor)"
    )
    command.add_argument(
        "--output", "-o", metavar="F.toml", help="write the recommended candidate's recipe"
    )
    command.add_argument(
        "--pick", metavar="NAME", help="the candidate whose recipe to write instead"
    )
    _add_choices(command)
    _add_comparison(command)
    command.set_defaults(run=_explore)


def _add_reproduce(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from microgauge.papers import STUDIES

    listed = "\n".join(f"  {name:<8} {what}" for name, (_, what) in STUDIES.items())
    command = commands.add_parser(
        "reproduce",
        help="make a published study again",
        description="Make a published study again: its figures beside ours, and a verdict on each "
        "claim.",
        epilog=f"studies:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("study", metavar="STUDY", help="one of the studies below")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of all chance (1)")
    command.add_argument("--json", metavar="F", help="write the full result; - for stdout")
    command.set_defaults(run=_reproduce)


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "demo",
        help="assess a survey extract that comes with the package",
        description="Assess a protected extract of a public-domain survey.",
    )
    command.add_argument("--json", metavar="F", help="write the full result; - for stdout")
    command.add_argument(
        "--report",
        metavar="F.html",
        default="microgauge-demo.html",
        help="where to write the report (default: microgauge-demo.html)",
    )
    command.add_argument(
        "--candidates",
        metavar="DIR",
        help="write five protected versions of rising strength into a folder instead, to rank",
    )
    command.add_argument(
        "--raw", metavar="F.csv", help="write the raw survey file instead, to protect it yourself"
    )
    command.set_defaults(run=_demo)


def _assess(chosen: argparse.Namespace) -> int:
    if chosen.pairs and (_left_out("gdu", chosen.only, chosen.skip)):
        raise InputError("--pairs needs the section gdu, which --only or --skip leaves out.")
    if chosen.risky and _left_out("risk", chosen.only, chosen.skip):
        raise InputError("--risky needs the section risk, which --only or --skip leaves out.")
    _check_outputs(chosen.json, chosen.pairs, chosen.risky, chosen.report)
    _check_report(chosen)
    return _report(
        chosen.original,
        chosen.protected,
        schema=_schema(chosen.schema, chosen.settings),
        key=chosen.key,
        only=_listed(chosen.only),
        skip=_listed(chosen.skip) or (),
        yardsticks=chosen.yardsticks,
        external=chosen.external,
        population=chosen.population,
        json=chosen.json,
        pairs=chosen.pairs,
        risky=chosen.risky,
        report=chosen.report,
        edition=chosen.edition,
        min_count=chosen.min_count,
        **_reading(chosen),
    )


def _check_report(chosen: argparse.Namespace) -> None:
    if chosen.min_count < 1:
        raise InputError("--min-count must be 1 or more.")


def _check_outputs(*names: str | None) -> None:
    from microgauge.tables.writing import check_writable

    for name in names:
        if name and name != "-":
            check_writable(Path(name))


def _rank(chosen: argparse.Namespace) -> int:
    from microgauge.commands.rank import rank
    from microgauge.log import Line
    from microgauge.render.pictures import levels_picture

    drawn = _pictures(chosen.map) + _pictures(chosen.levels, levels_picture)
    _check_comparison(chosen, drawn)
    with Line() as progress:
        result = rank(
            chosen.original,
            chosen.candidates,
            **_comparison(chosen),
            details=bool(chosen.report),
            progress=progress,
            **_reading(chosen),
        )
    return _compared(chosen, result, drawn)


def _explore(chosen: argparse.Namespace) -> int:
    from microgauge.commands.explore import explore
    from microgauge.log import Line
    from microgauge.masking.recipe import recipe_toml
    from microgauge.tables.writing import write_whole

    drawn = _pictures(chosen.map)
    _check_comparison(chosen, drawn)
    _check_outputs(chosen.output)
    _check_pick(chosen)
    folder = chosen.folder or f"{Path(chosen.recipe).stem}-explored"
    try:
        with Line() as progress:
            result = explore(
                chosen.original,
                chosen.recipe,
                folder=folder,
                workers=chosen.workers,
                **_comparison(chosen),
                progress=progress,
            )
    except KeyboardInterrupt:
        sys.stderr.write(
            f"microgauge: stopped; finished candidates are kept in {folder}. The same command "
            "goes on from there.\n"
        )
        return 130
    picked = _picked(result, chosen.pick)
    if chosen.output and picked is not None and picked.recipe is not None:
        write_whole(Path(chosen.output), recipe_toml(picked.recipe))
    elif chosen.output:
        sys.stderr.write(
            f"microgauge: none is recommended, so {chosen.output} was not written; what was there "
            "before is left.\n"
        )
    return _compared(chosen, result, drawn)


def _check_pick(chosen: argparse.Namespace) -> None:
    """Tell a name that no candidate will have before the work, not after."""
    from microgauge.commands.explore.grid import Grid

    if chosen.pick is None:
        return
    grid = Grid.load(chosen.recipe)
    names = [tried.name for tried in grid.tries]
    if not grid.faults and chosen.pick not in names:
        raise InputError(
            f'--pick: there is no candidate "{chosen.pick}"; there are {names[0]} to {names[-1]}.'
        )


def _picked(result: Ranking, name: str | None) -> Candidate | None:
    """The candidate of a name, or the recommended one."""
    if name is None:
        return result.best
    return next(candidate for candidate in result.candidates if candidate.name == name)


def _comparison(chosen: argparse.Namespace) -> dict[str, Any]:
    """The choices that `rank` and `explore` share."""
    return {
        "schema": _schema(chosen.schema, chosen.settings),
        "key": chosen.key,
        "external": chosen.external,
        "population": chosen.population,
        "max_risk": chosen.max_risk,
        "min_utility": chosen.min_utility,
        "preset": chosen.preset,
        "only": _listed(chosen.only),
        "skip": _listed(chosen.skip) or (),
    }


def _pictures(name: str | None, draw: Any = None) -> list[tuple[Any, str, str]]:
    """What to draw, where, and in which format."""
    from microgauge.render.pictures import pictures_of, risk_utility_map

    named = [name] if name else []
    return [(draw or risk_utility_map, path, kind) for path, kind in pictures_of(named)]


def _check_comparison(chosen: argparse.Namespace, drawn: Sequence[tuple[Any, str, str]]) -> None:
    _check_report(chosen)
    _check_outputs(chosen.json, chosen.report, chosen.table, *(path for _, path, _ in drawn))


def _compared(
    chosen: argparse.Namespace, result: Ranking, drawn: Sequence[tuple[Any, str, str]]
) -> int:
    from microgauge.render.frames import csv_text
    from microgauge.tables.writing import write_whole

    # All are drawn before the first is written.
    pictures = [(path, draw(result, kind)) for draw, path, kind in drawn]
    if chosen.report:
        _write_report(chosen.report, result, chosen.edition, chosen.min_count)
    for path, content in pictures:
        write_whole(Path(path), content)
    if chosen.table:
        write_whole(Path(chosen.table), csv_text(result.table()))
    return _printed(result, chosen.json)


def _printed(result: Any, json: str | None) -> int:
    """Print a result, or its JSON; write that where it is asked for."""
    from microgauge.results.plain import json_text
    from microgauge.tables.writing import write_whole

    if json and json != "-":
        write_whole(Path(json), json_text(result))
    sys.stdout.write(json_text(result) if json == "-" else str(result))
    return 0


def _diagnose(chosen: argparse.Namespace) -> int:
    from microgauge.commands.diagnose import diagnose
    from microgauge.log import Line

    _check_outputs(chosen.json)
    with Line() as progress:
        result = diagnose(
            chosen.original,
            schema=_schema(chosen.schema, ()),
            progress=progress,
            **_reading(chosen),
        )
    return _printed(result, chosen.json)


def _left_out(section: str, only: str | None, skip: str | None) -> bool:
    wanted = _listed(only)
    return (wanted is not None and section not in wanted) or section in (_listed(skip) or ())


def _listed(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _schema(path: str | None, settings: Sequence[str]) -> Schema:
    """The schema file with the entries changed that --set names."""
    import tomllib

    from microgauge.schema import Schema, read_toml

    content = {} if path is None else read_toml(path)
    for setting in settings:
        place, equals, text = setting.partition("=")
        table, dot, name = place.strip().partition(".")
        if not (equals and dot and table and name):
            raise InputError(f'--set "{setting}" must be TABLE.NAME=VALUE.')
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text.strip()  # a plain word needs no quotes on a command line
        if not isinstance(content.setdefault(table, {}), dict):
            raise InputError(f"--set cannot change [[{table}]], of which there may be several.")
        content[table][name] = value
    return Schema.from_dict(content)


def _report(
    original: str,
    protected: str,
    *,
    json: str | None = None,
    pairs: str | None = None,
    risky: str | None = None,
    report: str | None = None,
    edition: str = "internal",
    min_count: int = 10,
    **choices: Any,
) -> int:
    from microgauge.commands.assess import assess
    from microgauge.log import Line
    from microgauge.render.frames import csv_text
    from microgauge.tables.writing import write_whole

    with Line() as progress:
        result = assess(
            original,
            protected,
            progress=progress,
            risky=bool(risky),
            details=bool(report),
            **choices,
        )
    if risky and result.risky is None:
        raise InputError(f"--risky: no risk was measured. {result.notes[-1]}")
    if pairs:
        write_whole(Path(pairs), csv_text(result.pair_table()))
    if report:
        _write_report(report, result, edition, min_count)
    if risky:
        write_whole(Path(risky), csv_text(result.risky))
    return _printed(result, json)


def _write_report(path: str, result: Any, edition: Any, min_count: int) -> None:
    from microgauge.render.report import report_html
    from microgauge.tables.writing import write_whole

    write_whole(Path(path), report_html(result, edition, min_count))


def _draft(chosen: argparse.Namespace) -> int:
    from microgauge.commands.draft import draft_schema
    from microgauge.tables.writing import check_writable, write_whole

    if chosen.output:
        check_writable(Path(chosen.output))
    text = draft_schema(chosen.original, chosen.protected, **_reading(chosen))
    if not chosen.output:
        sys.stdout.write(text)
        return 0
    write_whole(Path(chosen.output), text)
    sys.stderr.write(
        f"wrote {chosen.output}: read it, correct it, and give it to "
        f"`microgauge assess … --schema {chosen.output}`.\n"
    )
    return 0


def _mask(chosen: argparse.Namespace) -> int:
    from microgauge.log import Line
    from microgauge.masking import mask

    with Line() as progress:
        progress("protecting", 0.0)
        found = mask(chosen.original, chosen.recipe, chosen.output)
    sys.stderr.write(f"wrote {chosen.output}: {found.height:,} rows × {found.width}.\n")
    return 0


def _reproduce(chosen: argparse.Namespace) -> int:
    from microgauge.log import Line
    from microgauge.papers import reproduce

    _check_outputs(chosen.json)
    with Line() as progress:
        result = reproduce(chosen.study, seed=chosen.seed, progress=progress)
    return _printed(result, chosen.json)


def _demo(chosen: argparse.Namespace) -> int:
    from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA, STORY

    if chosen.candidates:
        return _demo_candidates(Path(chosen.candidates))
    if chosen.raw:
        return _demo_raw(Path(chosen.raw))
    sys.stderr.write(STORY)
    _check_outputs(chosen.json, chosen.report)
    code = _report(
        str(ORIGINAL),
        str(PROTECTED),
        schema=str(SCHEMA),
        yardsticks=True,
        json=chosen.json,
        report=chosen.report,
    )
    sys.stderr.write(f"\nThe report to look at: {Path(chosen.report).resolve()}\n")
    return code


def _demo_raw(path: Path) -> int:
    from microgauge.demo import ORIGINAL
    from microgauge.tables.writing import write_whole

    _check_outputs(str(path))
    write_whole(path, ORIGINAL.read_bytes())
    sys.stderr.write(
        f"wrote {path}: American Community Survey 2024, Alaska, persons aged 16 and over.\n"
    )
    return 0


def _demo_candidates(folder: Path) -> int:
    from microgauge.demo import ORIGINAL, SCHEMA
    from microgauge.demo.candidates import write_candidates

    try:
        paths = write_candidates(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror}.") from None
    files = " ".join(str(path) for path in paths)
    sys.stdout.write(
        f"wrote {len(paths)} files. Compare them:\n\n"
        f"microgauge rank {ORIGINAL} {files} --schema {SCHEMA} --map map.svg\n"
    )
    return 0
