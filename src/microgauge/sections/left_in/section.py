"""Every column of the protected table, and whether anything was changed at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from microgauge.arrays import Counts
from microgauge.engines.rounds import Asking, asked_both
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.left_in.rules import found_in
from microgauge.passes import Axis, Fingerprint
from microgauge.results.left_in import LeftIn
from microgauge.schema import Variable
from microgauge.sections.left_in.choices import LeftInChoices
from microgauge.sections.left_in.columns import contents_of
from microgauge.sections.left_in.findings import crowded, finding, unchanged_file
from microgauge.study.study import Study
from microgauge.study.variable import Described
from microgauge.values.levels import common

STILL_DIFFERENT = 0.1
"""Different values for each cell, above which an identifier of the original still is one."""
MANY_TEXTS = 100_000
"""Different texts beyond which a column holds no categories, whatever the number of records."""


def run(study: Study, log: Log) -> Asking[tuple[LeftIn, ...]]:
    """What names people, in the order of the columns; first, whether nothing was changed."""
    log.progress(say("looking for what names people"), 0.0)
    ignored = study.schema.of(LeftInChoices).ignore
    found = [*columns(study), *_crowded(study, log)]
    accepted = [one for one in found if one.column in ignored]
    for one in accepted:
        log.note(
            "left-in-accepted",
            say(
                'Accepted by [left_in] ignore: "{column}" ({why}).', column=one.column, why=one.why
            ),
            [str(one.column)],
        )
    kept = [one for one in found if one.column not in ignored]
    same = yield from unchanged(study)
    return (*([unchanged_file(len(study.analysed))] if same else []), *kept)


# -- columns ---------------------------------------------------------------------------------


def columns(study: Study) -> Iterator[LeftIn]:
    """What names people among the columns whose values were told apart."""
    described = {variable.name: variable for variable in study.variables}
    for name in study.tables[1].columns:
        found = _column(study, name, described.get(name))
        if found is not None:
            yield found


def _column(study: Study, name: str, variable: Described | None) -> LeftIn | None:
    """What is found in one column: that it is an id by the schema, or what its values show."""
    role = None if variable is None else variable.role
    given = study.schema.variables.get(name, Variable())
    column, rows = study.tables[1].columns[name], study.description.protected_rows[name]
    if name == study.options.key:
        joins = study.matching.alignment.how == "key"
        return finding(name, "key", 1.0 if joins else alone_share(rows))
    if given.role == "id":
        return None if np.count_nonzero(rows[:-1]) < 2 else finding(name, "id", alone_share(rows))
    if role == "weight" and column.kind != "text":
        return None
    contents = contents_of(name, column, rows, given.missing)
    if contents is None:
        return None
    found = found_in(contents)
    if found is not None:
        return finding(name, found.code, found.share)
    if role == "id" and contents.different >= STILL_DIFFERENT:
        return finding(name, "found-id", contents.alone)
    return None


def alone_share(rows: Counts) -> float | None:
    """Share of the filled cells whose value no other record has; None where values are not here.

    `rows` are those of each value, and last of missing cells. A key beyond memory is one value.
    """
    values, filled = rows[:-1], int(rows[:-1].sum())
    return float((values == 1).sum()) / filled if np.count_nonzero(values) > 1 else None


def _crowded(study: Study, log: Log) -> Iterator[LeftIn]:
    """Columns that were left out: too many texts say enough, others are noted."""
    protected = study.tables[1]
    for name, why in protected.unsupported.items():
        most = study.options.distinct_values
        if why.kind == "crowded" and (most >= MANY_TEXTS or 2 * most >= protected.rows):
            yield crowded(name, str(why))
        else:
            log.note(
                "left-in-unseen",
                say(
                    'Column "{name}" of the protected table holds {why} and was not '
                    "looked at for what names people.",
                    name=name,
                    why=why,
                ),
                [name],
            )


# -- the file ----------------------------------------------------------------------------------


def unchanged(study: Study) -> Asking[bool]:
    """Whether the protected file holds the same rows as the original, in any order.

    That is so where all analysed variables are there with the same values as often, and the sums
    of the hashes of all rows are the same. Ids and weights do not count: a file is not protected by
    new numbers for its records. Of variables without any value nothing can be said.
    """
    variables = [v for v in study.analysed if not _without_values(v)]
    same_rows = study.original.rows == study.protected.rows
    if not variables or not same_rows or not all(v.same_values for v in variables):
        return False
    axes = [_axes(variable) for variable in variables]
    questions = [Fingerprint(tuple(pair[side] for pair in axes)) for side in (0, 1)]
    facts = yield from asked_both(study.engines, [[question] for question in questions])
    prints = [answers[question] for answers, question in zip(facts, questions, strict=True)]
    return bool((prints[0] == prints[1]).all())


def _without_values(variable: Described) -> bool:
    """Whether it is there and empty in both tables."""
    return variable.original.empty and variable.protected is not None and variable.protected.empty


def _axes(variable: Described) -> tuple[Axis, Axis]:
    """Both sides' columns, equal values on equal levels."""
    assert variable.protected is not None
    sides = (variable.original, variable.protected)
    *places, size = common(sides[0].levels.keys, sides[1].levels.keys)
    first, second = (
        Axis(variable.name, np.append(place, size)[side.lookup], size)
        for place, side in zip(places, sides, strict=True)
    )
    return first, second
