"""How a variable was recoded globally: declared, read from interval labels, or inferred from rows.

A recoding says where each original level goes. It is tried in that order; the first that is known
holds. Suppression, noise, swapping and microaggregation are no recodings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from microgauge.arrays import Index
from microgauge.engines import Engine
from microgauge.engines.rounds import Asking
from microgauge.kernels import in_threads
from microgauge.passes.batch import SHARED_ROWS
from microgauge.records import dataclass
from microgauge.schema import Recode, RecodeMeasure
from microgauge.study.recoding.declared import declared_targets
from microgauge.study.recoding.inferred import inferred_targets, rounded_targets, worth_a_look
from microgauge.study.recoding.labels import labelled_targets
from microgauge.study.recoding.matched import MatchedCells, matched_cells, shown_rule
from microgauge.study.variable import Described, Side
from microgauge.values.levels import Keys, Levels

How = Literal["declared", "labels", "inferred"]
Form = Literal["merged", "banded", "rounded", "top-coded", "bottom-coded", "top- and bottom-coded"]


@dataclass(frozen=True, eq=False)
class Recoding:
    """Where each original level goes."""

    how: How
    target: Index
    """For each original level, its level among `recoded`."""
    recoded: Side
    """The original variable after recoding, in the protected table's terms."""
    default_measure: RecodeMeasure
    form: Form
    unit: float | None = None
    """What numbers were rounded to, where they were."""


def declared_recoding(variable: Described, recode: Recode) -> Recoding:
    """The recoding a schema declares; `Undefined` where it does not fit the original."""
    keys, target = declared_targets(variable, recode)
    found = recoding_of("declared", variable, target, keys)
    if recode.round is None or not found.recoded.levels.numeric:
        return found
    return replace(found, form="rounded", unit=recode.round)


def found_recodings(
    variables: Sequence[Described], rows: Engine | None
) -> Asking[dict[str, Recoding]]:
    """The recodings that labels state or matched rows show, from one round for all variables."""
    found: dict[str, Recoding] = {}
    unsaid = []
    for variable in variables:
        if variable.removed or variable.original.empty or variable.protected is None:
            continue
        from_labels = labelled_targets(variable.original, variable.protected)
        if from_labels is not None:
            found[variable.name] = recoding_of("labels", variable, from_labels[1], from_labels[0])
        elif rows is not None:
            unsaid.append(variable)
    shared = rows is not None and rows.rows >= SHARED_ROWS
    worth = in_threads(worth_a_look, unsaid, shared=shared)
    unknown = [variable for variable, one in zip(unsaid, worth, strict=True) if one]
    cells = yield from matched_cells(unknown, rows)
    for variable in unknown:
        shown = _shown(variable, cells[variable.name])
        if shown is not None:
            found[variable.name] = shown
    return found


def _shown(variable: Described, cells: MatchedCells) -> Recoding | None:
    """The recoding that matched rows show: by a rule of rounding, or value by value."""
    rule = shown_rule(variable, cells)
    if rule is not None:
        keys, target = rounded_targets(variable.original.levels, rule)
        found = recoding_of("inferred", variable, target, keys)
        return replace(found, form="rounded", unit=rule.unit)
    inferred = inferred_targets(variable, cells)
    return None if inferred is None else recoding_of("inferred", variable, inferred[1], inferred[0])


def recoding_of(how: How, variable: Described, target: Index, keys: Keys) -> Recoding:
    """The recoding by which each original level became one of the values after it."""
    original, protected = variable.original, variable.protected
    assert protected is not None
    levels = original.levels.regrouped(target, keys)
    lookup = np.append(target, len(keys))[original.lookup]
    measure: RecodeMeasure = "heterogeneity" if original.type == "continuous" else "pairs"
    recoded = Side(protected.type, levels, lookup)
    return Recoding(how, target, recoded, measure, _form(original, target, levels))


def _form(original: Side, target: Index, after: Levels) -> Form:
    """What a reader would call the recoding, from where the values went."""
    if original.type != "continuous":
        return "merged"
    if not after.numeric:
        return "banded"
    merged = set(np.flatnonzero(np.bincount(target) > 1).tolist())
    if not merged or not merged <= {0, len(after) - 1}:
        return "rounded"
    top, bottom = len(after) - 1 in merged, 0 in merged
    if top and bottom:
        return "top- and bottom-coded"
    return "top-coded" if top else "bottom-coded"
