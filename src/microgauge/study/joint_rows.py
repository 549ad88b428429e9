"""From a study to the joint rows of both files, stacked: the original as it was.

Only what left the original's scale (bands as labels, merged categories) is recoded first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.engines import ORIGINAL, PROTECTED
from microgauge.engines.rounds import Asking, asked, asked_both
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.joint.joint import Joint, JointVariable
from microgauge.passes import Changes, Column
from microgauge.study.common_levels import Placed, comparable
from microgauge.study.study import Study
from microgauge.study.units import unit_numbers
from microgauge.study.variable import Described


def joint_rows(study: Study, log: Log) -> Asking[Joint]:
    """All rows of both files on common levels, the original as it was where that can be."""
    found = list(study.compared.values())
    questions = [
        [Column(both.original_axis(both.name)) for both in found],
        [Column(both.protected_axis(both.name)) for both in found],
    ]
    rows = (study.rows("original"), study.rows("protected"))
    facts = yield from asked_both(rows, questions)
    codes = np.empty((sum(held.rows for held in rows), len(found)), dtype=np.intp)
    for place in range(len(found)):
        codes[: rows[0].rows, place] = facts[0][questions[0][place]]
        codes[rows[0].rows :, place] = facts[1][questions[1][place]]
    protected = np.repeat([False, True], [held.rows for held in rows])
    variables = tuple(JointVariable(b.name, b.type, b.size, b.numbers) for b in found)
    _note(study, found, log)
    return Joint(variables, codes, protected, unit_numbers(study))


def original_rows(study: Study) -> Asking[Joint]:
    """The original's rows as they are, with every analysed variable, also those that are gone."""
    found = [v for v in study.analysed if not v.original.empty]
    held = study.rows("original")
    questions = [Column(v.original.axis(v.name)) for v in found]
    facts = yield from asked(held, questions)
    codes = np.empty((held.rows, len(found)), dtype=np.intp)
    for place, question in enumerate(questions):
        codes[:, place] = facts[question]
    variables = tuple(_as_it_was(v) for v in found)
    return Joint(variables, codes, np.zeros(held.rows, dtype=np.bool_))


def _as_it_was(variable: Described) -> JointVariable:
    side = variable.original
    size = len(side.levels)
    numbers = np.arange(size, dtype=np.float64)
    if side.type == "continuous":
        numbers = np.asarray(side.levels.numbers, dtype=np.float64)
    return JointVariable(variable.name, side.type, size, numbers)


def _note(study: Study, found: Sequence[Placed], log: Log) -> None:
    """What a reader should know of the variables that are compared, and of those that are not."""
    originals = {v.name: v.original for v in study.analysed}
    recoded = [both.name for both in found if both.original is not originals[both.name]]
    if recoded:
        log.note(
            "joint-recoded",
            say(
                "Global measures compare {recoded} after recoding the original alike: "
                "what the recoding itself costs is not in them.",
                recoded=strung(recoded, ", "),
            ),
            recoded,
        )
    removed = [v.name for v in study.analysed if v.removed]
    if removed:
        log.note(
            "joint-removed",
            say(
                "Global measures leave out what was removed: {removed}.",
                removed=strung(removed, ", "),
            ),
            removed,
        )
    unmatched = [v.name for v in study.analysed if comparable(v) and v.name not in study.compared]
    if unmatched:
        log.note(
            "joint-unmatched",
            say(
                "Global measures leave out {unmatched}: numbers became categories, and "
                "the recoding is not known.",
                unmatched=strung(unmatched, ", "),
            ),
            unmatched,
        )
    if any(engine.weighted for engine in study.engines):
        log.note(
            "joint-unweighted", say("Global measures compare records and do not use the weights.")
        )


def unmasked(study: Study) -> Asking[frozenset[str]]:
    """Variables whose values are the same in every row, where rows are known to correspond."""
    rows, both = study.matched, list(study.compared.values())
    if rows is None or study.matching.alignment.how != "row order" or not both:
        return frozenset()
    question = Changes(
        tuple(
            (b.original_axis(ORIGINAL + b.name), b.protected_axis(PROTECTED + b.name)) for b in both
        )
    )
    facts = yield from asked(rows, [question])
    changed = facts[question][:-1]
    return frozenset(b.name for b, count in zip(both, changed, strict=True) if not count)
