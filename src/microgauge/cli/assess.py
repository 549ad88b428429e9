"""`microgauge assess`: compare a protected table with its original."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from microgauge.cli.command import Command
from microgauge.cli.options import (
    add_choices,
    add_reading,
    add_require,
    chosen_reading,
    chosen_roles,
    chosen_schema,
    chosen_sections,
    left_out,
)
from microgauge.cli.outputs import (
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
from microgauge.errors import InputError
from microgauge.records import dataclass

if TYPE_CHECKING:
    from microgauge.results import Assessment
    from microgauge.results.verdict import Verdict
    from microgauge.schema import Schema


MOST_STEPS = 2


@dataclass(frozen=True)
class Outputs:
    """Where the parts of a result go."""

    json: str | None = None
    report: str | None = None
    edition: str = "internal"
    min_count: int = 10
    language: str = "en"
    pairs: str | None = None
    risky: str | None = None
    junit: str | None = None
    long: bool = False
    advice: bool = True
    """Whether the next step is told."""
    summary: str | None = None
    public: str | None = None
    excel: str | None = None


def description() -> str:
    """The formats there are."""
    from microgauge.tables.formats import format_names

    *others, last = format_names()
    return (
        f"Compare a protected table with its original: {', '.join(others)} or {last}, each in its "
        "own format."
    )


def add_options(command: argparse.ArgumentParser) -> None:
    """Two tables, and what is wanted of them."""
    command.add_argument("original", metavar="ORIGINAL", help="the table before protection")
    command.add_argument("protected", metavar="PROTECTED", help="the table after protection")
    add_choices(command)
    add_reading(command)
    add_require(command)
    command.add_argument(
        "--quick", action="store_true", help="stop after a first verdict, marked as provisional"
    )
    command.add_argument("--pairs", metavar="F.csv", help="write a table of all pairs")
    command.add_argument(
        "--risky", metavar="F.csv", help="write row numbers and risks, the riskiest first"
    )
    command.add_argument(
        "--yardsticks", action="store_true", help="also measure files whose loss is known"
    )


def run(chosen: argparse.Namespace) -> int:
    """Measure, write, print."""
    for option, section in (("pairs", "gdu"), ("risky", "risk")):
        if getattr(chosen, option) and left_out(section, chosen):
            raise InputError(
                f"--{option} needs the section {section}, which --only or --skip leaves out."
            )
    outputs = Outputs(
        json=chosen.json,
        report=chosen.report,
        edition=chosen.edition,
        min_count=chosen.min_count,
        language=chosen.language,
        pairs=chosen.pairs,
        risky=chosen.risky,
        junit=chosen.junit,
        long=chosen.long,
        summary=chosen.summary,
        public=chosen.public,
        excel=chosen.excel,
    )
    written = ("json", "pairs", "risky", "report", "public", "summary", "excel", "junit")
    check_outputs(*(getattr(chosen, name) for name in written))
    check_report(chosen)
    schema = chosen_schema(chosen.schema, chosen.settings)
    check_junit(chosen.junit, schema, require=chosen.require)
    return assessed(
        chosen.original,
        chosen.protected,
        schema,
        outputs,
        key=chosen.key,
        yardsticks=chosen.yardsticks,
        external=chosen.external,
        holdout=chosen.holdout,
        population=chosen.population,
        require=chosen.require,
        quick=chosen.quick,
        **chosen_roles(chosen),
        **chosen_sections(chosen),
        **chosen_reading(chosen),
    )


def assessed(
    original: str, protected: str, schema: Schema, outputs: Outputs, **choices: Any
) -> int:
    """Assess two tables, and write and print what is asked for."""
    from microgauge.commands.assess import assess
    from microgauge.log import line

    with line() as progress:
        result = assess(
            original,
            protected,
            schema=schema,
            progress=progress,
            risky=bool(outputs.risky),
            details=bool(outputs.report or outputs.public),
            **choices,
        )
    if outputs.risky and result.risky is None:
        raise InputError(f"--risky: no risk was measured. {_why_no_risk(result)}".rstrip())
    files = {
        **table_file(outputs.pairs, result.pair_table),
        **report_file(outputs.report, result, outputs.edition, outputs),
        **table_file(outputs.risky, lambda: result.risky),
        **junit_file(outputs.junit, result),
        **summary_file(outputs.summary, result, outputs),
        **public_file(outputs.public, result, outputs),
        **excel_file(outputs.excel, result),
    }
    steps = next_steps(result, report=bool(outputs.report)) if outputs.advice else []
    return finished(result, outputs.json, files, Shown(outputs.long, steps))


def next_steps(result: Assessment, *, report: bool) -> list[tuple[str, str]]:
    """What to say next on the command line: the two options that would tell most."""
    verdict = result.verdict
    if verdict is None:
        return []
    steps = []
    if verdict.provisional is not None:
        steps.append("measure everything: the same without --quick")
    if not any(v.role == "quasi_identifier" for v in result.variables):
        steps.append(f"say by what a person could be recognised{_keys_said(result)}")
    limits = _limits_said(result, verdict)
    if limits and not result.requirements:
        steps.append(f'set limits of your own: --require "{limits}"')
    if not report:
        steps.append("see it drawn: --report report.html")
    return [("next" if place == 0 else "", step) for place, step in enumerate(steps[:MOST_STEPS])]


def _keys_said(result: Assessment) -> str:
    """With names that may be keys, as the shell takes them."""
    from shlex import quote

    from microgauge.schema.roles import listed_names
    from microgauge.sections.verdict.safe import likely_keys

    guessed = likely_keys(result)
    return f", perhaps --keys {quote(listed_names(guessed))}" if guessed else ": --keys NAME,NAME"


def _limits_said(result: Assessment, verdict: Verdict) -> str:
    """Limits on figures that the file has: one that is not defined keeps none."""
    known = {
        "utility>=0.9": verdict.utility,
        "gdu>=0.9": None if verdict.utility is not None or result.gdu is None else result.gdu.value,
        "risk<=0.05": verdict.risk,
    }
    return ", ".join(limit for limit, value in known.items() if value is not None)


def _why_no_risk(result: Assessment) -> str:
    """What the result says of it."""
    from microgauge.sections.risk.choices import NOT_MEASURED

    return " ".join(note.sentence for note in result.remarks if note.code == NOT_MEASURED)


COMMAND = Command(
    "assess",
    help="compare a protected table with its original",
    description=description,
    add_options=add_options,
    run=run,
)
