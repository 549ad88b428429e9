"""Another table's values of a variable, recoded as the original's were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microgauge.schema import Recode
from microgauge.study.recoding.declared import band_labels
from microgauge.study.recoding.labels import distinct_labels, labelled_targets
from microgauge.study.recoding.matched import MatchedCells, shown_rule
from microgauge.study.recoding.recoding import Recoding, declared_recoding, recoding_of
from microgauge.study.variable import Described, Side
from microgauge.values.labels import label_of
from microgauge.values.rounding import Rule


def recoded_like(
    variable: Described, recoding: Recoding | None, side: Side, cells: MatchedCells | None
) -> Side:
    """Another table's values of a variable, recoded as the original's were.

    What is in the protected table's terms already stays as it is; values that a recoding does not
    cover stay by themselves, and match nothing. Rounding that matched rows show is rounding too.
    """
    assert variable.protected is not None
    if variable.original.levels.numeric and not side.levels.numeric:
        return side
    recode = variable.given.recode
    declared = recoding is not None and recoding.how == "declared" and recode is not None
    rule = None if declared else shown_rule(variable, cells)
    if rule is not None:
        return _rounded(side, rule)
    if recoding is None:
        return side
    like = replace(variable, original=side)
    if declared and recode is not None and recode.map is None:
        return declared_recoding(like, _open_below(recode, variable.protected)).recoded
    if recoding.how == "labels":
        found = labelled_targets(side, variable.protected)
        return side if found is None else recoding_of("labels", like, found[1], found[0]).recoded
    return _by_lookup(variable, recoding, side)


def _rounded(side: Side, rule: Rule) -> Side:
    numbers, target = np.unique(rule.applied(side.levels.numbers), return_inverse=True)
    levels = side.levels.regrouped(target, numbers)
    return Side(side.type, levels, np.append(target, len(numbers))[side.lookup])


def _open_below(recode: Recode, protected: Side) -> Recode:
    """Breaks with a band below the first one, for values that the original does not have."""
    if recode.breaks is None:
        return recode
    labels = recode.labels or band_labels(
        np.array(recode.breaks, dtype=np.float64), recode.closed, protected
    )
    return replace(recode, breaks=(-np.inf, *recode.breaks), labels=("(below)", *labels))


def _by_lookup(variable: Described, recoding: Recoding, side: Side) -> Side:
    after = recoding.recoded.levels.labels
    goes = {
        label: after[place]
        for label, place in zip(variable.original.levels.labels, recoding.target, strict=True)
    }
    recode = variable.given.recode
    if recode is not None and recode.map is not None:
        goes |= {label_of(k): label_of(v) for k, v in recode.map.items()}
    labels = [goes.get(label, label) for label in side.levels.labels]
    keys, target = distinct_labels(labels, lambda label: label)
    levels = side.levels.regrouped(target, keys)
    return Side("nominal", levels, np.append(target, len(keys))[side.lookup])


def recoded_original(
    variable: Described, recoding: Recoding | None, cells: MatchedCells | None
) -> Side:
    """The original's own values of a variable as its recoding gives them."""
    declared = recoding is not None and recoding.how == "declared"
    rule = None if declared else shown_rule(variable, cells)
    if rule is not None:
        return _rounded(variable.original, rule)
    return variable.original if recoding is None else recoding.recoded
