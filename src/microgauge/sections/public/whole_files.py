"""Figures of both files as a whole: in few digits, and of variables that are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microgauge.results import ClusterResult, EcdfResult, PropensityResult, Yardstick
from microgauge.results.joint import Boosted
from microgauge.sections.public.rounding import (
    COARSEST,
    down_to_step,
    few_digits,
    round_step,
    share_step,
    to_step,
    up_to_step,
)
from microgauge.sections.public.told import Told

OUTER = 0.05
"""Percentiles nearer to an end than this may be those of few."""


def propensity_for_users(result: PropensityResult, told: Told) -> PropensityResult:
    """Whether the files can be told apart; without the terms, whose number counts categories."""
    step = _distance_step(result.rows, told)
    return replace(
        result,
        terms=None,
        rank=None,
        rank_original=None,
        description="",
        design=None,
        value=_distance(result.value, step),
        expected=None,
        ratio=_ratio_down(result.ratio, result.expected, step),
        null_deviation=None,
        null_share=few_digits(result.null_share, 1),
        permuted_ratio=_ratio(result.permuted_ratio),
        auc=_score(result.auc, told),
        auc_cross=_score(result.auc_cross, told),
        specks=None,
        po50=None,
        percentiles_original=_percentiles(result.percentiles_original, told),
        percentiles_protected=_percentiles(result.percentiles_protected, told),
        variables=tuple(
            replace(v, drop=few_digits(_distance(v.drop, step), 1), reason=None)
            for v in result.variables
            if told.has(v.name)
        ),
        rows=0,
        boosted=None if result.boosted is None else _boosted(result.boosted, told, step),
    )


def _distance_step(rows: int, told: Told, divided_by: int | None = None) -> float:
    """Of U_p and U_c: more than what t records make of them that the original alone has.

    Of N rows of both files, a share c of which is protected, each such record adds c² over
    what the sum is divided by (N for U_p): by the digits of such a figure, or of its ratio to
    chance, a category that was hidden could be counted.
    """
    other = max(1.0 - told.rows / max(rows, 1), 0.5)
    return round_step((told.threshold + 1) * other**2 / max(divided_by or rows, 1))


def _distance(value: float | None, step: float) -> float | None:
    """Rounded down: 0 for all that fewer than some t records make of it."""
    return None if value is None else few_digits(down_to_step(value, step), 2)


def _ratio_down(value: float | None, expected: float | None, step: float) -> float | None:
    """A ratio to chance in steps that are as wide as those of what is divided."""
    if value is None or not expected:
        return None
    return _ratio(down_to_step(value, round_step(step / expected)))


def _ratio(value: float | None) -> float | None:
    """No less than 1: how much less two files differ than chance would have it tells of few."""
    return None if value is None else max(few_digits(value, 2) or 1.0, 1.0)


def _score(value: float | None, told: Told) -> float | None:
    return None if value is None else to_step(value, told.step / 5.0)


def _percentiles(found: dict[str, float] | None, told: Told) -> dict[str, float] | None:
    if found is None:
        return None
    return {
        at: to_step(score, told.step / 5.0)
        for at, score in found.items()
        if OUTER <= float(at.rstrip("%")) / 100.0 <= 1.0 - OUTER
    }


def _boosted(found: Boosted, told: Told, step: float) -> Boosted:
    return replace(
        found,
        value=_distance(found.value, step),
        expected=None,
        ratio=_ratio_down(found.ratio, found.expected, step),
        null_share=few_digits(found.null_share, 1),
        auc_cross=_score(found.auc_cross, told),
        rows=0,
    )


def clusters_for_users(results: Sequence[ClusterResult], told: Told) -> tuple[ClusterResult, ...]:
    """U_c in steps of what some records make of it, without the clusters."""
    return tuple(_cluster(one, told) for one in results)


def _cluster(one: ClusterResult, told: Told) -> ClusterResult:
    """Rows weigh 1 where clusters weigh what they hold; else one digit is all that is told."""
    by_size = one.weights == "size"
    step = _distance_step(one.rows, told, one.groups)
    return replace(
        one,
        value=_distance(one.value, step) if by_size else few_digits(one.value, 1),
        expected=None,
        ratio=_ratio_down(one.ratio, one.expected, step)
        if by_size
        else _ratio(few_digits(one.ratio, 1)),
        null_share=few_digits(one.null_share, 1),
        rows=0,
        clusters=(),
    )


def ecdf_for_users(result: EcdfResult, told: Told) -> EcdfResult:
    """U_m is a number of records over all: rounded up, so that few do not show."""
    step = share_step(told.rows, told.threshold) or COARSEST
    return replace(
        result,
        maximum=_up(result.maximum, step),
        mean_square=_up(result.mean_square, round_step(step * step)),
        null_share_maximum=few_digits(result.null_share_maximum, 1),
        null_share_mean_square=few_digits(result.null_share_mean_square, 1),
    )


def _up(value: float | None, step: float) -> float | None:
    return None if value is None else up_to_step(value, step)


def yardsticks_for_users(results: Sequence[Yardstick], told: Told) -> tuple[Yardstick, ...]:
    """Rounded. They are of all variables, also where the file's own figures leave some out."""

    def rounded(value: float | None) -> float | None:
        return None if value is None else to_step(value, told.step)

    return tuple(
        replace(
            one,
            gdu=rounded(one.gdu),
            univariate=rounded(one.univariate),
            bivariate=rounded(one.bivariate),
            propensity=few_digits(one.propensity, 2),
            propensity_ratio=_ratio(one.propensity_ratio),
            reason=None,
        )
        for one in results
    )
