"""Scores of variables and pairs: of what is told alone, rounded, and their means from these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from scipy import special

from microgauge.languages.messages import number, say
from microgauge.measures.gdu.distributions import perturbation_utility
from microgauge.measures.gdu.global_utility import balanced, pair_means, weighted_mean
from microgauge.results import (
    GDU,
    Assessment,
    CategoryDetail,
    Coverage,
    GduReference,
    PairScore,
    VariableDetail,
    VariableResult,
    VariableScore,
)
from microgauge.sections.public import OTHERS
from microgauge.sections.public.rounding import COARSEST, round_step, to_step
from microgauge.sections.public.told import FEW, Told

GONE = say("removed")
"""The reason of what is not in the protected file: that is told."""
CLASSES = ((0.001, 0.0005), (0.01, 0.005), (0.05, 0.03), (1.0, 0.5))
"""p-values are told by a class: below the first, or the last; what stands for it is the second."""
PAIR_OF_FEW = say("a category of few records, or a record that stands out, is in it")
FINEST_EFFECT = 0.01
"""Tests that one number far from all others may decide."""


def gdu_for_users(gdu: GDU, result: Assessment, told: Told) -> GDU:
    """The figure over what is told, so that no mean holds what is not.

    Every mean is one of figures that stand beside it: nothing more can be worked out of it.
    """
    details = {d.name: d for d in (result.details.variables if result.details else ())}
    facts = {fact.name: fact for fact in result.variables}
    scores = tuple(
        _variable(score, facts[score.name], details.get(score.name), told, gdu.test_n)
        for score in gdu.variables
    )
    pairs = tuple(_pair(pair, gdu, told) for pair in gdu.pairs)
    wanted = {name for pair in pairs for name in (pair.a, pair.b)}
    gone = [s.name for s in scores if s.reason == GONE and s.name in wanted]
    means = pair_means(((pair.a, pair.b, pair.utility) for pair in pairs), gone)
    scores = tuple(replace(s, bivariate_utility=_mean(means, s)) for s in scores)
    importance = {score.name: score.importance for score in scores}
    known = {s.name: s.utility for s in scores if s.utility is not None}
    tested = any(pair.utility is not None for pair in pairs)
    halves = balanced(
        weighted_mean(known, importance) if known else None,
        weighted_mean(means, importance) if tested else None,
        None,
        gdu.weights,
    )
    whole = all(told.has(s.name) or s.reason == GONE for s in scores) and not _withheld(gdu, pairs)
    return replace(
        gdu,
        value=_digits(halves.value),
        univariate=_digits(halves.univariate),
        bivariate=_digits(halves.bivariate),
        grc=None,
        value_with_grc=None,
        variables=scores,
        pairs=pairs,
        coverage=Coverage(pairs=len(pairs), tested=sum(p.utility is not None for p in pairs)),
        models=(),
        multivariate=None,
        permuted=_reference(gdu.permuted, told) if whole else None,
        resample=_reference(gdu.resample, told) if whole else None,
        at_1000=None,
        reason=None,
    )


def _digits(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _mean(means: Mapping[str, float], score: VariableScore) -> float | None:
    return _digits(means.get(score.name))


def _withheld(gdu: GDU, pairs: Sequence[PairScore]) -> bool:
    """Whether a pair has a score that is not told."""
    return any(
        pair.utility is None and before.utility is not None
        for before, pair in zip(gdu.pairs, pairs, strict=True)
    )


def _reference(found: GduReference | None, told: Told) -> GduReference | None:
    """Means over all variables and pairs, of which no part is told: rounded like a part."""
    if found is None or found.value is None:
        return None
    return replace(
        found,
        value=to_step(found.value, told.step),
        univariate=None,
        bivariate=None,
        rows=0,
        files=0,
        reason=None,
    )


# -- one variable ----------------------------------------------------------------------------


def _variable(
    score: VariableScore,
    fact: VariableResult,
    detail: VariableDetail | None,
    told: Told,
    test_n: int | None,
) -> VariableScore:
    bare = VariableScore(name=score.name, importance=score.importance)
    if score.reason == GONE:
        return replace(bare, utility=0.0, reason=GONE)
    if score.utility is None or score.p is None or not told.has(score.name):
        found = told.details.get(score.name)
        return replace(bare, reason=FEW if found is None else found.reason)
    p = score.p
    if detail is not None and detail.categories is not None and not _all_told(fact, told):
        p = _p_of_told(detail.categories, told.labels[score.name], test_n)
    kept = 1.0 if score.recoding_utility is None else to_step(score.recoding_utility, told.step)
    changed = to_step(perturbation_utility(p), told.step)
    return replace(
        bare,
        test=score.test,
        p=next(stands for below, stands in CLASSES if p < below or below == 1.0),
        recoding_utility=None if score.recoding_utility is None else kept,
        perturbation_utility=changed,
        utility=to_step(changed * kept, told.step),
    )


def _all_told(fact: VariableResult, told: Told) -> bool:
    """Whether the test saw nothing that is not told: also no few missing cells."""
    missing = (fact.missing_original, fact.missing_protected or 0)
    return fact.name in told.whole and not any(0 < n < told.threshold for n in missing)


def _p_of_told(detail: CategoryDetail, labels: frozenset[str], test_n: int | None) -> float:
    """The chi-squared test of the categories that are told, all others being one."""
    places = [i for i, label in enumerate(detail.labels) if label in labels and label != OTHERS]
    sides = []
    for shares, rows in ((detail.before, detail.rows_before), (detail.after, detail.rows_after)):
        named = [shares[i] for i in places]
        size = min(sum(rows), test_n or sum(rows))
        sides.append(np.array([*named, max(1.0 - sum(named), 0.0)]) * size)
    table = np.stack(sides)
    table = table[:, table.sum(axis=0) > 1e-9]
    if table.shape[1] == 1:
        return 1.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(special.chdtrc(table.shape[1] - 1, ((table - expected) ** 2 / expected).sum()))


def p_said(p: float | None) -> str:
    """The class of a p-value.

    >>> p_said(0.0005), p_said(0.03), p_said(0.5), p_said(None)
    ('< 0.001', '< 0.05', '≥ 0.05', '–')
    """
    if p is None:
        return "–"
    below = next(end for end, _ in CLASSES if p < end)
    return number("≥ 0.05") if below == 1.0 else say("< {below:g}", below=below)


# -- pairs -----------------------------------------------------------------------------------


def _pair(pair: PairScore, gdu: GDU, told: Told) -> PairScore:
    bare = PairScore(a=pair.a, b=pair.b)
    if pair.outcome is None or pair.utility is None:
        gone = {score.name for score in gdu.variables if score.reason == GONE}
        lost = {pair.a, pair.b} & gone
        return replace(bare, utility=pair.utility if lost else None, reason=GONE if lost else None)
    if not {pair.a, pair.b} <= told.whole or not (told.has(pair.a) and told.has(pair.b)):
        return replace(bare, reason=PAIR_OF_FEW)
    step = _pair_step(pair, told)
    if step > COARSEST:
        return replace(bare, reason=PAIR_OF_FEW)
    return replace(
        bare,
        test=pair.test,
        test_protected=pair.test_protected,
        coefficient_original=_effect(pair.coefficient_original, step),
        coefficient_protected=_effect(pair.coefficient_protected, step),
        outcome=pair.outcome,
        utility=to_step(pair.utility, step),
        signs_flipped=pair.signs_flipped,
    )


def _effect(value: float | None, step: float) -> float | None:
    return None if value is None else to_step(value, max(step / 5.0, FINEST_EFFECT))


def _pair_step(pair: PairScore, told: Told) -> float:
    """A table of two by two has one unknown, which one figure gives away: by its smallest margin.

    The coefficient φ² moves by about 2φ/m for each record that changes its cell.
    """
    labels = [told.labels[name] for name in (pair.a, pair.b)]
    if any(len(some) != 2 for some in labels) or pair.outcome == "none":
        return told.step
    strength = sqrt(max(pair.coefficient_original or 0.0, pair.coefficient_protected or 0.0))
    margin = min(told.smallest[name] for name in (pair.a, pair.b))
    least = 2.0 * told.threshold / max(strength * margin, 1e-9)
    return round_step(max(told.step, least))
