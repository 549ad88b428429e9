"""The command lines of everything that is done, as a user could type them in the folder."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from microgauge.app.folder import INTERNAL, as_argument
from microgauge.app.jobs import Run
from microgauge.app.project import ROLES, State
from microgauge.languages.messages import ENGLISH
from microgauge.tables.formats.format import SHEET

SCHEMA, RECIPE, RESULT = "schema.toml", "recipe.toml", "result.json"
OUTPUTS = {
    "--json": RESULT,
    "--report": "report.html",
    "--public": "public.html",
    "--summary": "summary.pdf",
    "--excel": "tables.xlsx",
}
"""What a measure writes, into the run's own place."""
TEXTS = (".csv", ".tsv", ".txt", ".gz")


def typed(run: Run) -> str:
    """The commands of a run as a shell takes them."""
    return "\n".join(typed_one_by_one(run))


def typed_one_by_one(run: Run) -> list[str]:
    """Each command of a run as a shell takes it; a name may hold what ends a line."""
    return [" ".join(map(quoted, ["microgauge", *arguments])) for arguments in run.commands]


def quoted(word: str) -> str:
    """A word as a shell takes it, also when the text is pasted into one.

    A terminal obeys control signs, and signs of direction show another text than is there: these
    are spelled out, as bash, zsh and ksh read them.

    >>> print(quoted("a b.csv"))
    'a b.csv'
    """
    if all(sign.isprintable() for sign in word):
        return shlex.quote(word)
    return f"$'{''.join(map(_spelled, word))}'"


def _spelled(sign: str) -> str:
    if sign in "\\'":
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    if sign == "\t":
        return "\\t"
    if sign == "\n":
        return "\\n"
    # By bytes: how a shell reads numbers of signs depends on its locale.
    return "".join(f"\\{byte:03o}" for byte in sign.encode("utf-8", "surrogateescape"))


def described(state: State, candidate: str | None, place: str, *, schema: bool) -> list[str]:
    """What the variables are."""
    tables = [as_argument(name) for name in (state["files"]["original"], candidate) if name]
    held = ["--schema", f"{place}/{SCHEMA}"] if schema else []
    return ["schema", *tables, *held, "--json", f"{place}/variables.json"]


def measured(state: State, candidates: Sequence[str], place: str, language: str) -> list[str]:
    """One candidate assessed, or several ranked."""
    what = "assess" if len(candidates) == 1 else "rank"
    tables = [state["files"]["original"], *candidates]
    drawn = [] if what == "assess" else ["--map", f"{place}/map.svg"]
    return [
        what,
        *map(as_argument, tables),
        *held_against(state, f"{place}/{SCHEMA}"),
        *outputs(place, language),
        *drawn,
        *asked_for(state),
    ]


def explored(state: State, place: str, language: str) -> list[str]:
    """Every recipe of a grid tried."""
    return [
        "explore",
        as_argument(state["files"]["original"]),
        *("--recipe", f"{place}/{RECIPE}"),
        *("--folder", f"{place}/explored"),
        *held_against(state, f"{place}/{SCHEMA}"),
        *outputs(place, language),
        *("--map", f"{place}/map.svg"),
        *asked_for(state),
    ]


def masked(original: str, recipe: str, output: str) -> list[str]:
    """A table protected."""
    return ["mask", as_argument(original), "--recipe", recipe, "--output", as_argument(output)]


def previewed(state: State, place: str, *, sample: bool) -> list[list[str]]:
    """A recipe tried on the data, or on a sample of it, and quickly measured."""
    original = state["files"]["original"]
    ending = ending_of(original)
    first = []
    if sample:
        first = [masked(original, f"{place}/sample.toml", f"{place}/sample{ending}")]
        original = f"{place}/sample{ending}"
    protected = f"{place}/protected{ending}"
    quick = ["assess", as_argument(original), protected]
    quick += [*held_against(state, f"{place}/{SCHEMA}"), "--quick", "--json", f"{place}/{RESULT}"]
    quick += limits_of(state)
    return [*first, masked(original, f"{place}/{RECIPE}", protected), quick]


def released(
    state: State, folder: str, table: str, source: str | None, language: str
) -> list[list[str]]:
    """A file made of another one by a recipe, where it is, and all that goes with it.

    What tells of risk, of the original or of how the file was protected stands in a folder beside.
    """
    original = state["files"]["original"]
    beside = f"{folder}{INTERNAL}"
    first = [] if source is None else [masked(source, f"{beside}/{RECIPE}", table)]
    assess = [
        "assess",
        *map(as_argument, (original, table)),
        *held_against(state, f"{beside}/{SCHEMA}"),
        *outputs(beside, language, f"{folder}/{OUTPUTS['--public']}"),
        *asked_for(state),
    ]
    return [*first, assess]


def outputs(place: str, language: str, public: str | None = None) -> list[str]:
    """What is written, where and in which language; the public edition may have its own place."""
    places = {option: f"{place}/{name}" for option, name in OUTPUTS.items()}
    if public is not None:
        places["--public"] = public
    said = [] if language == ENGLISH else ["--language", language]
    return [*(word for one in places.items() for word in one), *said]


def held_against(state: State, schema: str) -> list[str]:
    """The schema, and the tables that risk is measured against."""
    said = ["--schema", schema] if state["schema"].strip() else []
    for role in ROLES[1:]:
        if state["files"][role]:
            said += [f"--{role}", as_argument(state["files"][role])]
    return said


def asked_for(state: State) -> list[str]:
    """Limits, and whether all is measured."""
    chosen: Mapping[str, Any] = state["measure"]
    return [*limits_of(state), *(["--full"] if chosen["full"] else [])]


def limits_of(state: State) -> list[str]:
    """Limits that a file has to keep."""
    limits = state["measure"]["require"]
    return ["--require", limits] if limits else []


def measured_by(state: State) -> State:
    """What a measure depends on beside its candidates and the schema, to be kept with it."""
    return {
        "files": {role: state["files"][role] for role in ROLES},
        "measure": dict(state["measure"]),
    }


def inputs_of(state: State, candidates: Sequence[str] = ()) -> list[str]:
    """The files of the folder that a measure reads."""
    files = state["files"]
    return [name for name in (*(files[role] for role in ROLES), *candidates) if name]


def ending_of(name: str) -> str:
    """How a protected version of a table is named at its end: a format that can be written.

    >>> ending_of("a.TSV"), ending_of("a.sav"), ending_of("a.xlsx::b.csv")
    ('.csv', '.parquet', '.parquet')
    """
    return ".csv" if PurePosixPath(name.partition(SHEET)[0]).suffix.lower() in TEXTS else ".parquet"
