"""The propensity model on all rows, where the place that holds them can fit one there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines.rounds import Asking, asked_both
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.joint.designs import Design
from microgauge.measures.joint.grouping import Extension
from microgauge.measures.joint.joint import Joint, JointVariable
from microgauge.measures.joint.propensity import (
    PERCENTILES,
    beyond_chance,
    expected_distance,
    separation_of,
)
from microgauge.measures.joint.terms import Term, raw_columns
from microgauge.measures.loss.moments import quantiles
from microgauge.passes import Axis, Batch, Pass
from microgauge.records import dataclass
from microgauge.results import PropensityResult
from microgauge.study.common_levels import Placed
from microgauge.study.study import Study

BINS = 1 << 18
"""Intervals of the scores from whose counts their percentiles and the AUC are taken."""
ROWS = 50_000
"""Rows from which the columns get their scale."""
FLAT = 1e-9
"""Share of the largest variance below which a direction has none."""
MOST_COLUMNS = 500
"""Columns beyond which the model is fitted on a sample after all."""


@dataclass(frozen=True, eq=False)
class ModelColumns:
    """The columns of a propensity model, for any batch of rows of one table alike."""

    variables: tuple[JointVariable, ...]
    terms: tuple[Term, ...]
    extension: Extension
    """The groups of the variables that terms are made of."""
    seen: tuple[Axis, ...] = ()
    """Where the table has the variables."""
    centre: Floats | float = 0.0
    turn: Floats | None = None
    """A change of axes after which columns are nearly uncorrelated: any fit converges then."""

    def __call__(self, batch: Batch) -> Floats:
        """Rows × columns."""
        return self.of(np.stack([batch.levels(axis) for axis in self.seen], axis=1))

    def of(self, codes: Index) -> Floats:
        """The columns of rows by their codes."""
        joint = Joint(self.variables, codes, np.zeros(len(codes), dtype=np.bool_))
        columns = raw_columns(self.extension.of(joint), self.terms) - self.centre
        return np.asarray(columns if self.turn is None else columns @ self.turn)


@dataclass(frozen=True, eq=False)
class _OfModel(Pass):
    """A question to the columns of a model."""

    features: ModelColumns

    @property
    def seen(self) -> tuple[Axis, ...]:
        """The axes that the model looks at."""
        return self.features.seen

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True, eq=False)
class Scores(_OfModel):
    """What the scores of a fitted model are, without holding one for each row."""

    beta: Floats
    share: float

    def read(self, batch: Batch) -> Floats:
        """Σ (p - c)², then the rows in each interval of p."""
        from scipy.special import expit

        scores = expit(self.beta[0] + self.features(batch) @ self.beta[1:])
        places = np.minimum((scores * BINS).astype(np.intp), BINS - 1)
        return np.append(((scores - self.share) ** 2).sum(), np.bincount(places, minlength=BINS))


class Spread(_OfModel):
    """Sums of the products of a model's columns, and of the columns with one."""

    def read(self, batch: Batch) -> Floats:
        """(1 and columns) × (1 and columns)."""
        columns = np.column_stack([np.ones(batch.rows), self.features(batch)])
        return np.asarray(columns.T @ columns)


def _rank(sums: Floats) -> int:
    """How many of the columns are independent, the constant not counted."""
    means = sums[0, 1:] / sums[0, 0]
    spread = sums[1:, 1:] / sums[0, 0] - np.outer(means, means)
    sizes = np.sqrt(np.maximum(np.diag(spread), 0.0))
    here = sizes > FLAT * max(float(sizes.max(initial=0.0)), 1.0)
    alike = spread[np.ix_(here, here)] / np.outer(sizes[here], sizes[here])
    return int((np.linalg.eigvalsh(alike) > FLAT * max(len(alike), 1)).sum())


def on_all_rows(
    result: PropensityResult, design: Design | None, joint: Joint, study: Study, log: Log
) -> Asking[PropensityResult]:
    """A result of a sample with the figures of the same model on all rows.

    What each variable adds to the model and the cross-fitted AUC stay those of the sample.
    """
    if design is None or design.terms is None or result.rank is None:
        return result
    every = max(joint.rows // ROWS, 1)
    rows_held = np.arange(0, joint.rows, every)
    joint = joint.taken(rows_held, joint.protected[rows_held])
    both = study.compared
    columns = _columns(joint, both, design.terms, design.extension)
    width = np.size(columns.centre)
    if width > MOST_COLUMNS:
        log.note(
            "propensity-too-wide",
            say(
                "The propensity model has {width} columns: it is that of a sample of rows.",
                width=width,
            ),
        )
        return result
    features = (
        replace(columns, seen=tuple(both[v.name].original_axis(v.name) for v in joint.variables)),
        replace(columns, seen=tuple(both[v.name].protected_axis(v.name) for v in joint.variables)),
    )
    beta = study.original.logistic(study.protected, features)
    return (yield from _scored(result, study, features, beta, log))


def _scored(
    result: PropensityResult,
    study: Study,
    features: tuple[ModelColumns, ModelColumns],
    beta: Floats,
    log: Log,
) -> Asking[PropensityResult]:
    rows = [engine.rows for engine in study.engines]
    share = rows[1] / sum(rows)
    questions = [Scores(side, beta, share) for side in features]
    spreads = [Spread(side) for side in features]
    facts = yield from asked_both(study.engines, list(zip(questions, spreads, strict=True)))
    found = [answers[question] for answers, question in zip(facts, questions, strict=True)]
    value = float(sum(answer[0] for answer in found)) / sum(rows)
    # Of all rows: a sample may lack what tells some columns from none.
    sums = [answers[spread] for answers, spread in zip(facts, spreads, strict=True)]
    rank, own = _rank(sums[0] + sums[1]), _rank(sums[0])
    expected = expected_distance(own, share, sum(rows))
    deviation = float(np.sqrt(2.0 / own)) if own else None
    counts = [answer[1:] for answer in found]
    middles = (np.arange(BINS) + 0.5) / BINS
    told = separation_of(middles, counts[0], counts[1], share)
    log.note(
        "propensity-all-rows",
        say(
            "The propensity model was fitted on all {sum:,} rows; percentiles and AUC "
            "are read from {bins:,} intervals of the scores, and the cross-fitted AUC "
            "and what each variable adds from {rows:,} rows.",
            sum=sum(rows),
            bins=BINS,
            rows=result.rows,
        ),
    )
    return replace(
        result,
        value=value,
        expected=expected,
        ratio=value / expected if expected > 0 else None,
        null_share=None,
        resamples=0,
        beyond_chance=(beyond_chance(value / expected, deviation, None) if expected > 0 else None),
        rank=rank,
        rank_original=own,
        null_deviation=deviation,
        auc=told.auc,
        specks=told.specks,
        po50=told.po50,
        percentiles_original=_percentiles(middles, counts[0]),
        percentiles_protected=_percentiles(middles, counts[1]),
        rows=sum(rows),
        reason=say("null_share: not drawn for a model on all rows"),
    )


def _columns(
    joint: Joint, both: Mapping[str, Placed], terms: tuple[Term, ...], extension: Extension
) -> ModelColumns:
    """Terms as for the sample, with means and missing cells as all rows have them."""
    variables = tuple(_settled(v, both[v.name]) for v in joint.variables)
    raw = ModelColumns(variables, terms, extension).of(joint.codes)
    scale = np.where(raw.std(axis=0) > 0, raw.std(axis=0), 1.0)
    centred = (raw - raw.mean(axis=0)) / scale
    lengths, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    # Directions in which these rows do not differ are kept as they are: other rows may.
    stretch = np.where(lengths > FLAT * lengths.max(initial=0.0), lengths, 1.0)
    turn = axes / scale[:, None] / np.sqrt(stretch)
    return ModelColumns(variables, terms, extension, (), raw.mean(axis=0), turn)


def _settled(variable: JointVariable, both: Placed) -> JointVariable:
    sides = (both.original.levels, both.protected.levels)
    rows = np.zeros(variable.size)
    for levels, places in zip(sides, (both.original_places, both.protected_places), strict=True):
        np.add.at(rows, places, levels.rows)
    return replace(
        variable,
        mean=float(np.average(variable.numbers, weights=rows)) if rows.any() else 0.0,
        misses=any(levels.missing for levels in sides),
    )


def _percentiles(middles: Floats, counts: Floats) -> dict[str, float]:
    found = quantiles(middles, counts, [p / 100.0 for p in PERCENTILES], counts=True)
    return {str(p): value for p, value in zip(PERCENTILES, found, strict=True)}
