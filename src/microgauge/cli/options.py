"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from microgauge.schema import Schema


def add_schema(command: argparse.ArgumentParser) -> None:
    """The schema file."""
    command.add_argument("--schema", metavar="F", help="TOML file that describes the variables")


def add_roles(command: argparse.ArgumentParser) -> None:
    """Roles of variables, without a file or beside it."""
    for option, what in (
        ("--keys", "variables by which a person could be recognised (quasi-identifiers)"),
        ("--sensitive", "variables that an intruder wants to know"),
    ):
        command.add_argument(
            option,
            metavar="A,B",
            action="append",
            help=f"{what}; a name with a comma in double quotes; may be repeated",
        )
    command.add_argument("--weight", metavar="COL", help="weights of the rows of both tables")


def add_settings(command: argparse.ArgumentParser) -> None:
    """Entries of the schema, changed or added."""
    command.add_argument(
        "--set",
        metavar="TABLE.NAME=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="change an entry of the schema, e.g. propensity.model=cart, variable.age.type=ordinal",
    )


def chosen_roles(chosen: argparse.Namespace) -> dict[str, Any]:
    """What `add_roles` asked for, as the package's functions take it."""
    return {
        "keys": _every_name(chosen.keys),
        "sensitive": _every_name(chosen.sensitive),
        "weight": chosen.weight,
    }


def _every_name(said: list[str] | None) -> list[str] | None:
    from microgauge.schema.roles import column_names

    return None if said is None else [name for text in said for name in column_names(text)]


def add_json(command: argparse.ArgumentParser) -> None:
    """Where the full result goes."""
    command.add_argument("--json", metavar="F", help="write the full result; - for stdout")


def add_require(command: argparse.ArgumentParser) -> None:
    """Limits on figures."""
    command.add_argument(
        "--require",
        metavar="LIMITS",
        help='limits on figures, e.g. "risk<=0.05, gdu>=0.8, k>=3"; they replace those of the '
        "schema on the same figures",
    )
    command.add_argument(
        "--junit", metavar="F.xml", help="write the limits as test cases (JUnit XML)"
    )


def add_choices(command: argparse.ArgumentParser) -> None:
    """What `assess`, `rank` and `explore` have in common."""
    add_schema(command)
    add_roles(command)
    command.add_argument("--key", metavar="COL", help="column that joins the tables")
    add_json(command)
    command.add_argument("--report", metavar="F.html", help="write a report to look at")
    command.add_argument(
        "--public", metavar="F.html", help="also write the report's edition for data users"
    )
    command.add_argument("--summary", metavar="F.pdf", help="write one page for the committee")
    command.add_argument("--excel", metavar="F.xlsx", help="write all tables into one workbook")
    command.add_argument(
        "--edition",
        choices=("internal", "public"),
        default="internal",
        help="of the report; public: for data users, utility only",
    )
    command.add_argument(
        "--language",
        metavar="L",
        default="en",
        help="of report and summary: en, de, es or fr (default en); other files stay in English",
    )
    command.add_argument(
        "--min-count",
        type=int,
        default=10,
        metavar="N",
        help="records that whatever a public report shows must rest on (default 10)",
    )
    command.add_argument("--external", metavar="F", help="a table an intruder may hold")
    command.add_argument(
        "--holdout", metavar="F", help="people of the same population, none of whom was used"
    )
    command.add_argument("--population", metavar="F", help="the table the original is a sample of")
    _add_sections(command)
    add_settings(command)
    add_long(command)


def _add_sections(command: argparse.ArgumentParser) -> None:
    """Which sections are computed: those there are, as the registry has them."""
    from microgauge.sections.registry import choosable

    command.add_argument("--only", metavar="A,B", help=f"only these of {', '.join(choosable())}")
    command.add_argument("--skip", metavar="A,B", help="all but these")
    add_full(command)


def add_full(command: argparse.ArgumentParser) -> None:
    """Whether all is computed that there is."""
    command.add_argument(
        "--full", action="store_true", help=f"also what takes long: {', '.join(_slow())}"
    )


def _slow() -> list[str]:
    """What is left out unless it is asked for."""
    from microgauge.sections.registry import sections

    parts = [what for section in sections() for what in section.slow_choices.values()]
    return [*(section.name for section in sections() if section.slow), *parts]


def add_long(command: argparse.ArgumentParser) -> None:
    """How much is printed."""
    command.add_argument(
        "--long", action="store_true", help="print everything, not just what matters most"
    )


def add_reading(command: argparse.ArgumentParser) -> None:
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


def chosen_reading(chosen: argparse.Namespace) -> dict[str, Any]:
    """What `add_reading` asked for, as the package's functions take it."""
    return {"memory": chosen.memory, "scratch": chosen.scratch, "engine": chosen.engine}


def chosen_sections(chosen: argparse.Namespace) -> dict[str, Any]:
    """What `--only` and `--skip` say, as the package's functions take it."""
    return {
        "only": listed(chosen.only),
        "skip": listed(chosen.skip) or (),
        "full": chosen.full,
    }


def left_out(section: str, chosen: argparse.Namespace) -> bool:
    """Whether `--only` or `--skip` leaves a section out."""
    wanted = listed(chosen.only)
    return (wanted is not None and section not in wanted) or section in (listed(chosen.skip) or ())


def listed(text: str | None) -> tuple[str, ...] | None:
    """Names with commas between; None where nothing was said."""
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())


def chosen_schema(path: str | None, settings: Sequence[str] = ()) -> Schema:
    """The schema file with the entries changed that --set names."""
    from microgauge.schema import Schema, read_toml
    from microgauge.schema.settings import set_entries

    content = {} if path is None else read_toml(path)
    return Schema.from_dict(set_entries(content, settings)).changed(file=path)
