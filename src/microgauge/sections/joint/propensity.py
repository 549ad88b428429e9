"""The propensity score measure: can a classifier tell the files apart?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.rounds import Asking, Need
from microgauge.errors import Undefined
from microgauge.log import Log
from microgauge.measures.joint.designs import (
    ROWS_PER_TERM,
    Design,
    auto_design,
    chosen_design,
    formula_design,
    spline_design,
    tree_features,
)
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.logit import CLOSE
from microgauge.measures.joint.propensity import (
    ROUGHLY,
    LogitModel,
    Model,
    TreeModel,
    expected_distance,
    larger_share,
    null_distances,
    percentiles,
    permuted_distance,
    score_distance,
    separation,
)
from microgauge.results import PropensityResult, VariableDrop
from microgauge.schema.formulas import Formula, parse_terms
from microgauge.sections.joint.all_rows import on_all_rows
from microgauge.sections.joint.choices import PropensityChoices
from microgauge.sections.joint.rows import JOINT, check_rows, sampled
from microgauge.study.joint_rows import unmasked
from microgauge.study.study import Study
from microgauge.threads import one_thread

SMALL_MODEL = 2_000_000
"""Rows × rank up to which a null distribution is drawn without being asked for."""
UNASKED_RESAMPLES = 50
CERTAIN = "told-apart-with-certainty"
"""The code of the note that some rows are told apart with certainty."""


def run(study: Study, log: Log) -> Asking[PropensityResult]:
    """U_p: on all rows where their place can fit a model there, else on those in memory."""
    chosen = study.schema.of(PropensityChoices)
    known = [v.name for v in study.variables]
    formula = None if chosen.formula is None else parse_terms(chosen.formula, known)
    left_alone: frozenset[str] = frozenset()
    if chosen.unmasked == "interactions":
        left_alone = yield from unmasked(study)
    joint = yield Need(JOINT)
    measure = PropensityMeasure(joint, study.options.seed, log, left_alone, formula)
    result = measure.result(chosen)
    plain = chosen.model in ("auto", "logit") and chosen.unmasked == "all"
    rows = sum(engine.rows for engine in study.engines)
    if not study.original.fits_models or not plain or rows <= chosen.sample:
        return result
    return (yield from on_all_rows(result, joint, study, log))


@dataclass
class PropensityMeasure:
    """Works out the propensity score measure of the joint rows of two files."""

    joint: Joint
    seed: int
    log: Log = field(default_factory=Log)
    unmasked: frozenset[str] = frozenset()
    """Variables that protection left alone."""
    formula: Formula | None = None
    """The terms of the model, where a formula gives them."""

    def result(self, chosen: PropensityChoices) -> PropensityResult:
        """U_p with everything that explains it, or null with the reason."""
        self.log.progress("fitting propensity scores", 0.0)
        joint = sampled(self.joint, chosen.sample, "propensity score", self.seed, self.log)
        try:
            check_rows(joint)
            with one_thread():
                model, design = self._model(joint, chosen)
                return self._scored(joint, chosen, model, design)
        except Undefined as reason:
            return _no_propensity(chosen, joint, self.seed, str(reason))

    def told_apart(self, chosen: PropensityChoices) -> tuple[float, float]:
        """U_p and its ratio to the expectation only."""
        joint = sampled(self.joint, chosen.sample, "propensity score", self.seed, self.log)
        check_rows(joint)
        with one_thread():
            model, _ = self._model(joint, chosen, ROUGHLY)
            labels = joint.protected.astype(np.float64)
            fitted = model.fitted(labels)
            value = score_distance(fitted.probability, joint.share)
            rng = np.random.default_rng(self.seed)
            expected = self._expected(model, fitted.rank, labels, chosen, rng)
            if not expected:
                raise Undefined("the model has no terms that vary")
            return value, value / expected

    def _model(
        self, joint: Joint, chosen: PropensityChoices, close: float = CLOSE
    ) -> tuple[Model, Design | None]:
        if chosen.model == "cart":
            points, owners = tree_features(joint)
            return TreeModel(points, owners, chosen.leaf, self.seed), None
        design = self._design(joint, chosen)
        return LogitModel.of(design.columns, close), design

    def _design(self, joint: Joint, chosen: PropensityChoices) -> Design:
        if chosen.formula is not None:
            assert self.formula is not None
            return formula_design(joint, self.formula)
        masked = None
        if chosen.unmasked == "interactions":
            masked = [v.name not in self.unmasked for v in joint.variables]
            if not any(masked):
                raise Undefined("no variable was masked")
        if chosen.model == "spline":
            return spline_design(joint, masked)
        if chosen.model == "auto":
            return self._auto(joint, masked)
        return chosen_design(joint, chosen.degree, chosen.interactions, masked)

    def _scored(
        self, joint: Joint, chosen: PropensityChoices, model: Model, design: Design | None
    ) -> PropensityResult:
        labels = joint.protected.astype(np.float64)
        share = joint.share
        fitted = model.fitted(labels)
        value = score_distance(fitted.probability, share)
        if fitted.separated:
            self.log.note(
                CERTAIN,
                "Some rows are told apart with certainty by the propensity model; their "
                "probabilities are kept finite.",
            )
        rng = np.random.default_rng(self.seed)
        expected = self._expected(model, fitted.rank, labels, chosen, rng)
        resamples = self._resamples(chosen, fitted.rank, joint)
        null_share, reason = self._null(model, joint, value, resamples)
        told = separation(fitted.probability, joint.protected, share)
        return PropensityResult(
            model="logit" if chosen.model == "auto" else chosen.model,
            terms=model.terms,
            rank=fitted.rank,
            description="a tree" if design is None else design.description,
            degree=None if design is None else design.degree,
            interactions=None if design is None else design.interactions,
            value=value,
            expected=expected,
            ratio=value / expected if expected > 0 else None,
            null_share=null_share,
            resamples=resamples,
            auc=told.auc,
            specks=told.specks,
            po50=told.po50,
            percentiles_original=percentiles(fitted.probability[~joint.protected]),
            percentiles_protected=percentiles(fitted.probability[joint.protected]),
            variables=self._drops(joint, model, labels, value),
            rows=joint.rows,
            seed=self.seed,
            reason=reason,
        )

    def _expected(
        self,
        model: Model,
        rank: int | None,
        labels: Floats,
        chosen: PropensityChoices,
        rng: np.random.Generator,
    ) -> float:
        share = float(labels.mean())
        if rank is not None and chosen.model in ("auto", "logit"):
            return expected_distance(rank, share, len(labels))
        return (1.0 - share) * permuted_distance(model, labels, rng, chosen.permutations)

    @staticmethod
    def _resamples(chosen: PropensityChoices, rank: int | None, joint: Joint) -> int:
        if chosen.resamples is not None:
            return chosen.resamples
        small = rank is not None and joint.rows * max(rank, 1) <= SMALL_MODEL
        return UNASKED_RESAMPLES if small else 0

    def _null(
        self, model: Model, joint: Joint, value: float, resamples: int
    ) -> tuple[float | None, str | None]:
        if not resamples:
            return None, "null_share: no resamples drawn; set resamples in [propensity]"
        rng = np.random.default_rng([self.seed, 1])
        try:
            return larger_share(null_distances(model, joint, rng, resamples), value), None
        except Undefined as why:
            return None, f"null_share: {why}"

    def _drops(
        self, joint: Joint, model: Model, labels: Floats, value: float
    ) -> tuple[VariableDrop, ...]:
        found = []
        for place, variable in enumerate(joint.variables):
            self.log.progress("leaving variables out", place / len(joint.variables))
            try:
                without = model.without(place).fitted(labels).probability
                drop = value - score_distance(without, joint.share)
                found.append(VariableDrop(name=variable.name, drop=drop))
            except Undefined as why:
                found.append(VariableDrop(name=variable.name, drop=None, reason=str(why)))
        return tuple(found)

    def _auto(self, joint: Joint, masked: Sequence[bool] | None) -> Design:
        design = auto_design(joint, masked)
        if design.too_rich:
            self.log.note(
                "propensity-too-rich",
                f"Fewer than {ROWS_PER_TERM} rows for each main effect: the propensity model is "
                "richer than the rows bear.",
            )
        return design


def _no_propensity(
    chosen: PropensityChoices, joint: Joint, seed: int, reason: str
) -> PropensityResult:
    return PropensityResult(
        model=chosen.model,
        terms=None,
        rank=None,
        description="",
        degree=None,
        interactions=None,
        value=None,
        expected=None,
        ratio=None,
        null_share=None,
        resamples=0,
        auc=None,
        specks=None,
        po50=None,
        percentiles_original=None,
        percentiles_protected=None,
        variables=(),
        rows=joint.rows,
        seed=seed,
        reason=reason,
    )
