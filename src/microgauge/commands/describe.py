"""What the tables hold, variable by variable: for whoever writes a schema with more than a text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from microgauge.commands.faults_first import SchemaSource, faults_first, read_schema
from microgauge.engines.opening import open_table, reading_of
from microgauge.engines.rounds import run_one
from microgauge.languages.messages import say
from microgauge.log import Log, Progress, silent
from microgauge.results.left_in import LeftIn
from microgauge.results.plain import to_dict
from microgauge.sections.left_in.findings import DIFFERENT, SPELT
from microgauge.sections.left_in.section import columns
from microgauge.sections.pictures.section import variable_detail
from microgauge.study.guesses import Guess, guess_of, guessed_weight
from microgauge.study.recoding import Recoding
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side
from microgauge.values.levels import Levels

IDENTIFIERS = tuple(
    code
    for code in (*SPELT, *DIFFERENT)
    if code not in ("date", "coordinates", "free-text", "text", "called-birth", "called-address")
)
"""What tells people apart, and nothing else of them; the others may be released in groups."""
MOST_VALUES = 40
"""Categories that are listed, to put them in order or to recode them."""


@faults_first
def describe(
    original: Any,
    protected: Any = None,
    *,
    schema: SchemaSource = None,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    engine: Any = "local",
    progress: Progress = silent,
) -> dict[str, Any]:
    """Every variable of the original: types, roles, guesses, and how it is distributed.

    Without a protected table both sides are the original.
    """
    chosen = read_schema(schema)
    reading = reading_of(chosen, memory, scratch, engine)
    progress(say("reading the original table"), 0.0)
    before = open_table(original, which="original", reading=reading, progress=progress)
    after = before
    if protected is not None:
        progress(say("reading the protected table"), 0.0)
        after = open_table(protected, which="protected", reading=reading, progress=progress)
    progress(say("describing variables"), 0.0)
    log = Log(progress)
    alone = protected is None
    study = run_one(Study.prepare(before, after, chosen.of_original() if alone else chosen, log))
    left_in = {one.column: one for one in columns(study)}
    weight = guessed_weight(study.variables)
    guesses = {
        variable.name: Guess("weight", "name") if variable.name == weight else guess_of(variable)
        for variable in study.variables
    }
    own = [*before.columns, *before.unsupported]
    held = [*own, *after.columns, *after.unsupported]
    return {
        "original": {"path": before.name, "rows": before.rows},
        "protected": None if alone else {"path": after.name, "rows": after.rows},
        "columns": list(dict.fromkeys(held)),
        "added": [name for name in dict.fromkeys(held) if name not in set(own)],
        "matched": study.matching.alignment.aligned,
        "variables": [
            _variable(
                variable, study, left_in.get(variable.name), guesses[variable.name], alone=alone
            )
            for variable in study.variables
        ],
        "notes": [note.sentence for note in log.notes],
    }


def _variable(
    variable: Described,
    study: Study,
    left_in: LeftIn | None,
    guess: Guess | None,
    *,
    alone: bool,
) -> dict[str, Any]:
    # What names people is no key: it must go, not be measured.
    identifies = left_in is not None and (left_in.code in IDENTIFIERS or variable.role == "id")
    guess = None if identifies else guess
    after = None if alone else variable.protected
    detail = variable_detail(variable, study.compared.get(variable.name))
    return {
        "name": variable.name,
        "label": variable.label,
        "role": variable.role,
        "unsaid": dict(zip(("type", "role"), variable.unsaid, strict=True)),
        "guess": None if guess is None else {"role": guess.role, "by": guess.by},
        "left_in": None
        if left_in is None
        else {"code": left_in.code, "why": left_in.why, "identifier": identifies},
        "removed": not alone and variable.removed,
        "original": _side(variable.original),
        "protected": None if after is None else _side(after),
        "recoding": _recoding(study.recodings, variable.name),
        "numbers": _drawn(to_dict(detail.numbers), ("edges", "before", "after")),
        "categories": _drawn(
            to_dict(detail.categories), ("labels", "before", "after", "others", "recoded")
        ),
        "reason": detail.reason,
    }


def _side(side: Side) -> dict[str, Any]:
    levels = side.levels
    few = len(levels) <= MOST_VALUES and side.type != "continuous"
    return {
        "type": side.type,
        "distinct": len(levels),
        "missing": levels.missing,
        "numeric": levels.numeric,
        "values": list(levels.labels) if few else None,
        "range": _range(levels),
    }


def _range(levels: Levels) -> list[float] | None:
    """The least and the largest of numbers."""
    known = levels.numbers[np.isfinite(levels.numbers)] if levels.numeric else np.array([])
    return [float(known.min()), float(known.max())] if len(known) else None


def _recoding(recodings: Mapping[str, Recoding], name: str) -> dict[str, Any] | None:
    found = recodings.get(name)
    return None if found is None else {"how": found.how, "values": len(found.recoded.levels)}


def _drawn(detail: Any, wanted: tuple[str, ...]) -> dict[str, Any] | None:
    """What a small picture needs."""
    return None if detail is None else {name: detail[name] for name in wanted}
