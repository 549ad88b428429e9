"""A schema drafted from the tables: what was inferred, with comments, to be edited by a person."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap
from typing import Any

from microgauge.engines.opening import open_table, reading_of
from microgauge.engines.rounds import run_one
from microgauge.log import Log
from microgauge.schema import ANALYSED, Schema
from microgauge.study.guesses import guess_of
from microgauge.study.recoding import Recoding
from microgauge.study.study import Study
from microgauge.study.variable import Described
from microgauge.tables import Table

HEAD = """\
# Schema drafted by microgauge. Check every line: types and roles are inferences.
# type: nominal | ordinal | continuous
# role: analysis | quasi_identifier | sensitive | id | weight | derived | exclude
# Risk is measured over the quasi_identifiers: what a stranger may know of a person. What of it is
# to be found out is sensitive.

[options]
# key = "…"                  # column that joins the two tables
# weight = "…"               # in both tables; or weight_original / weight_protected
# threshold = 0.05           # of the pair tests
# missing = "drop"           # or "category": missing as a category of its own
# changed_types = "harmonise"  # or "exclude": leave such pairs out
# test_n = 1000              # tests as if from 1,000 units; for files beyond 100,000 rows
"""

_WEIGHT_NAME = re.compile(r"weight|wgt|^w(t|ts)?$|_wt$", re.IGNORECASE)
MOST_ORDER = 40


def draft_schema(
    original: Any,
    protected: Any = None,
    *,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    engine: Any = "local",
) -> str:
    """The text of a TOML file that describes every variable of the original."""
    reading = reading_of(Schema(), memory, scratch, engine)
    before = open_table(original, which="original", reading=reading)
    after = before
    if protected is not None:
        after = open_table(protected, which="protected", reading=reading)
    study = run_one(Study.prepare(before, after, Schema(), Log()))
    sections = [_section(v, study, before, alone=protected is None) for v in study.variables]
    return HEAD + _guessed(study.variables) + "".join(sections)


def _guessed(variables: Iterable[Described]) -> str:
    """Which roles are guesses, all in one place."""
    guesses = [(variable.name, guess_of(variable)) for variable in variables]
    lines = []
    for role, what in (("quasi_identifier", "keys"), ("sensitive", "sensitive")):
        names = [_key(name) for name, guess in guesses if guess is not None and guess.role == role]
        if names:
            lines += wrap(
                f"Guessed to be {what}, by name or label: {', '.join(names)}. Add those that are "
                "missing, and take out those that are none.",
                98,
                initial_indent="# ",
                subsequent_indent="# ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "".join(f"{line}\n" for line in ["", *lines]) if lines else ""


def _section(variable: Described, study: Study, original: Table, *, alone: bool) -> str:
    head = f"\n[variable.{_key(variable.name)}]"
    lines = [head, *_comments(variable, alone=alone), *_label(variable)]
    if variable.role in ANALYSED:
        lines.append(f'type = "{variable.original.type}"')
        after = None if alone or variable.removed else variable.protected
        if after is not None and after.type != variable.original.type:
            lines.append(f'protected_type = "{after.type}"')
        lines += _order(variable, original)
    lines.append(_role(variable))
    if _WEIGHT_NAME.search(variable.name) and variable.original.levels.numeric:
        lines.append('# role = "weight"  # by its name; then also name it in [options] weight')
    recoding = study.recodings.get(variable.name)
    if recoding is not None and not alone:
        lines += _recoding(recoding)
    return "\n".join(lines) + "\n"


def _role(variable: Described) -> str:
    """What the variable is taken for; a key or a sensitive one as a guess to be checked."""
    guess = guess_of(variable)
    if guess is None:
        return f'role = "{variable.role}"'
    return f'role = "{guess.role}"  # a guess by its {guess.by}: check it'


def _label(variable: Described) -> list[str]:
    return [] if variable.label is None else [f"label = {_text(variable.label)}"]


def _comments(variable: Described, *, alone: bool) -> list[str]:
    levels = variable.original.levels
    said = f"# {len(levels)} distinct values, {levels.missing} missing"
    if alone:
        return [said]
    if variable.removed:
        return [said, "# removed from the protected table"]
    if variable.protected is not None:
        after = variable.protected.levels
        said += f"; protected: {len(after)} and {after.missing}"
    return [said, *_strange(variable)]


def _strange(variable: Described) -> list[str]:
    """Labels among numbers in the protected table, which often mark suppressed cells."""
    protected = variable.protected
    if protected is None or not variable.original.levels.numeric or protected.levels.numeric:
        return []
    if protected.intervals is not None:
        return []
    labels = [label for label in protected.levels.labels if not _numeric(label)]
    if not labels or len(labels) > 3 or len(labels) == len(protected.levels):
        return []
    return [f"# missing = {json.dumps(labels, ensure_ascii=False)}  # if these mark missing cells"]


def _numeric(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _order(variable: Described, original: Table) -> list[str]:
    levels = variable.original.levels
    if variable.original.type != "ordinal" or levels.numeric or len(levels) > MOST_ORDER:
        return []
    if original.columns[variable.name].value_labels or variable.original.intervals is not None:
        return []  # the file's codes or the intervals themselves tell the order
    return [f"order = {json.dumps(list(levels.labels), ensure_ascii=False)}"]


def _recoding(recoding: Recoding) -> list[str]:
    known = {"labels": "read from the protected labels", "inferred": "inferred from matched rows"}
    return [
        f"# recoded into {len(recoding.recoded.levels)} values, "
        f"{known.get(recoding.how, recoding.how)}; declare it with recode = {{ … }} to be sure",
        f'# recode_measure = "{recoding.default_measure}"  # pairs | allocation | heterogeneity',
    ]


def _key(name: str) -> str:
    """A TOML key, quoted where it must be.

    >>> _key("AGEP"), _key("Income (EUR)")
    ('AGEP', '"Income (EUR)"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(text: str) -> str:
    """A TOML text on one line: signs that would command a terminal are escaped.

    >>> print(_text('a "b"'), _text(chr(127)))
    "a \\"b\\"" "\\U0000007f"
    """
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in quoted)
