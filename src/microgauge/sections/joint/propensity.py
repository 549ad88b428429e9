"""The propensity score measure: can a classifier tell the files apart?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.rounds import Asking, Need
from microgauge.errors import Undefined
from microgauge.kernels.threads import one_thread
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.joint.boost import BoostModel
from microgauge.measures.joint.crossing import crossed_scores
from microgauge.measures.joint.designs import (
    Design,
    chosen_design,
    formula_design,
    planned_design,
    spline_design,
    tree_features,
)
from microgauge.measures.joint.folds import Folds, cross_auc, folds_of
from microgauge.measures.joint.grouping import Frequencies
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.ladder import ROWS_PER_TERM, Plan
from microgauge.measures.joint.logit import CLOSE
from microgauge.measures.joint.propensity import (
    ROUGHLY,
    Fitted,
    LogitModel,
    Model,
    TreeModel,
    beyond_chance,
    difference_size,
    expected_distance,
    larger_share,
    null_distances,
    percentiles,
    permuted_distances,
    score_distance,
    separation,
    surely_seen,
)
from microgauge.measures.joint.terms import terms_of
from microgauge.records import dataclass
from microgauge.results import PropensityResult, VariableDrop
from microgauge.results.joint import Boosted, DesignUsed, Sees
from microgauge.schema.formulas import Formula, parse_terms
from microgauge.sections.joint.all_rows import on_all_rows
from microgauge.sections.joint.choices import PropensityChoices
from microgauge.sections.joint.plan import planned
from microgauge.sections.joint.rows import JOINT, check_rows, sampled
from microgauge.study.joint_rows import unmasked
from microgauge.study.study import Study

SMALL_MODEL = 2_000_000
"""Rows × rank up to which a null distribution is drawn without being asked for."""
UNASKED_RESAMPLES = 50
UNRELATED_DRAWS = 5
"""Files with every column permuted that are looked at, at most."""
CERTAIN = "told-apart-with-certainty"
"""The code of the note that some rows are told apart with certainty."""
TREES = ("cart", "boost")
"""Models without columns of their own, which may split by any variable after any other."""


def run(study: Study, log: Log) -> Asking[PropensityResult]:
    """U_p: on all rows where their place can fit a model there, else on those in memory."""
    chosen = study.schema.of(PropensityChoices)
    known = [v.name for v in study.variables]
    formula = None if chosen.formula is None else parse_terms(chosen.formula, known)
    left_alone: frozenset[str] = frozenset()
    if chosen.unmasked == "interactions":
        left_alone = yield from unmasked(study)
    plan = yield from planned(study, chosen)
    joint = yield Need(JOINT)
    measure = PropensityMeasure(joint, study.options.seed, log, left_alone, formula, plan)
    result = measure.result(chosen)
    design = measure.design
    if chosen.boosted and chosen.model != "boost":
        result = replace(result, boosted=measure.boosted(chosen))
    plain = chosen.model in ("auto", "logit") and chosen.unmasked == "all"
    rows = sum(engine.rows for engine in study.engines)
    if not study.original.fits_models or not plain or rows <= chosen.sample:
        return result
    return (yield from on_all_rows(result, design, measure.part(chosen), study, log))


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
    plan: Plan | None = None
    """The design of the model, where `auto` chose it on the original."""
    design: Design | None = field(default=None, init=False)
    """The columns of the last model that was made, if it has any."""

    def part(self, chosen: PropensityChoices) -> Joint:
        """The rows without the variables that are left out of this measure."""
        out = set(chosen.leave_out)
        kept = [i for i, v in enumerate(self.joint.variables) if v.name not in out]
        return self.joint.only(kept) if out else self.joint

    def result(self, chosen: PropensityChoices) -> PropensityResult:
        """U_p with everything that explains it, or null with the reason."""
        self.log.progress(say("fitting propensity scores"), 0.0)
        whole = self.part(chosen)
        joint = sampled(whole, chosen.sample, say("propensity score"), self.seed, self.log)
        try:
            check_rows(joint)
            with one_thread():
                model = self.model(joint, whole, chosen)
                return _Scored(self, joint, chosen, model).result()
        except Undefined as reason:
            return _no_propensity(chosen, joint, self.seed, str(reason))

    def boosted(self, chosen: PropensityChoices) -> Boosted:
        """What boosted trees make of the same rows; which variables do it is not asked."""
        self.log.progress(say("boosting propensity scores"), 0.0)
        chosen = replace(chosen, model="boost", formula=None, resamples=None)
        whole = self.part(chosen)
        # What is to be said of the sample and of its folds was said of the other model.
        joint = sampled(whole, chosen.sample, say("propensity score"), self.seed, Log())
        quiet = replace(self, log=Log())
        try:
            check_rows(joint)
            with one_thread():
                return _Scored(quiet, joint, chosen, self.model(joint, whole, chosen)).boosted()
        except Undefined as reason:
            return _no_boosted(joint, self.seed, str(reason))

    def told_apart(self, chosen: PropensityChoices) -> tuple[float, float]:
        """U_p and its ratio to the expectation only."""
        whole = self.part(chosen)
        joint = sampled(whole, chosen.sample, say("propensity score"), self.seed, self.log)
        check_rows(joint)
        with one_thread():
            model = self.model(joint, whole, chosen, ROUGHLY)
            scored = _Scored(self, joint, chosen, model)
            if not scored.expected:
                raise Undefined(say("the model has no terms that vary"))
            return scored.value, scored.value / scored.expected

    def model(
        self, joint: Joint, whole: Joint, chosen: PropensityChoices, close: float = CLOSE
    ) -> Model:
        """The model of some rows, `whole` being all of which they are a sample."""
        self.design = None
        if chosen.model in TREES:
            points, owners = tree_features(joint)
            if chosen.model == "cart":
                return TreeModel(points, owners, chosen.leaf, self.seed)
            return BoostModel(points, owners, chosen.leaf, self.seed, folds_of(joint, self.seed).of)
        if chosen.model == "additive":
            return self._additive(joint, chosen)
        self.design = self._design(joint, whole, chosen)
        return LogitModel.of(self.design.columns, close, joint.protected)

    def _additive(self, joint: Joint, chosen: PropensityChoices) -> Model:
        from microgauge.measures.joint.additive import AdditiveModel  # loads much of scipy

        found = AdditiveModel.of(joint, terms_of(joint, 1, chosen.interactions), chosen.penalty)
        said = say("a smooth curve for each number and indicators of categories")
        said += {"none": "", "pairs": say(", and products of pairs")}[chosen.interactions]
        self.design = Design(found.columns, said, None, chosen.interactions)
        return found

    def _design(self, joint: Joint, whole: Joint, chosen: PropensityChoices) -> Design:
        if chosen.formula is not None:
            assert self.formula is not None
            return formula_design(joint, self.formula)
        masked = self.masked(joint, chosen)
        if chosen.model == "spline":
            return spline_design(joint, masked)
        if chosen.model == "auto":
            assert self.plan is not None
            self._note_rich(self.plan)
            return planned_design(joint, self.plan, Frequencies.of(whole), masked)
        return chosen_design(joint, chosen.degree, chosen.interactions, masked)

    def masked(self, joint: Joint, chosen: PropensityChoices) -> list[bool] | None:
        """Which variables protection did not leave alone; None where that is not asked."""
        if chosen.unmasked == "all":
            return None
        masked = [v.name not in self.unmasked for v in joint.variables]
        if not any(masked):
            raise Undefined(say("no variable was masked"))
        return masked

    def _note_rich(self, plan: Plan) -> None:
        if plan.too_rich:
            self.log.note(
                "propensity-too-rich",
                say(
                    "Fewer than {rows_per_term} rows for each term: the propensity model "
                    "is richer than the rows bear.",
                    rows_per_term=ROWS_PER_TERM,
                ),
            )


@dataclass(frozen=True, eq=False)
class _Scored:
    """What one model says of the rows, each part worked out when it is asked for."""

    measure: PropensityMeasure
    joint: Joint
    chosen: PropensityChoices
    model: Model
    why_not: list[str] = field(default_factory=list)
    """Why figures beside U_p are missing."""

    @cached_property
    def labels(self) -> Floats:
        return self.joint.protected.astype(np.float64)

    @cached_property
    def fitted(self) -> Fitted:
        return self.model.fitted(self.labels)

    @cached_property
    def value(self) -> float:
        return score_distance(self.fitted.probability, self.joint.share)

    @cached_property
    def by_formula(self) -> bool:
        """Whether the expectation has a formula."""
        return self.fitted.rank is not None and self.chosen.model in ("auto", "logit")

    @property
    def rank(self) -> int:
        """K of the expectation."""
        own = self.fitted.rank_original
        return (self.fitted.rank or 0) if own is None else own

    @cached_property
    def permuted(self) -> list[float]:
        rng = np.random.default_rng(self.measure.seed)
        return permuted_distances(self.model, self.labels, rng, self.chosen.permutations)

    @cached_property
    def expected(self) -> float:
        if self.by_formula:
            return expected_distance(self.rank, self.joint.share, self.joint.rows)
        return (1.0 - self.joint.share) * float(np.mean(self.permuted))

    @cached_property
    def ratio(self) -> float | None:
        return self.value / self.expected if self.expected > 0 else None

    @property
    def null_deviation(self) -> float | None:
        """Of the ratio, if the protected file were a resample."""
        if self.by_formula:
            return float(np.sqrt(2.0 / self.rank)) if self.rank else None
        if self.chosen.permutations < 2 or not self.expected:
            return None
        return float(np.std(self.permuted, ddof=1) / np.mean(self.permuted))

    @cached_property
    def beyond(self) -> bool | None:
        """Whether the files differ by more than a resample would."""
        if self.ratio is None:
            return None
        return beyond_chance(self.ratio, self.null_deviation, self.null_share)

    @cached_property
    def unrelated(self) -> tuple[float, bool] | None:
        """The mean ratio of files that lost all relations, and whether they are surely seen.

        Asked only where no difference was found: is it that there is none, or that rows are too
        few and relations too weak for any to be found? One draw is enough where that is clear.
        """
        deviation = self.null_deviation
        if self.beyond is not False or deviation is None or len(self.joint.variables) < 2:
            return None
        rng = np.random.default_rng([self.measure.seed, 4])
        ratios: list[float] = []
        seen = False
        try:
            while not seen and len(ratios) < (UNRELATED_DRAWS if self._small else 1):
                ratios.append(self._ratio_of(self.joint.unrelated(rng)))
                seen = surely_seen(ratios, self.joint.share, deviation)
        except Undefined as why:
            self.why_not.append(say("permuted_ratio: {why}", why=why))
            return None
        return float(np.mean(ratios)), seen

    def _ratio_of(self, joint: Joint) -> float:
        """Of other rows, as many of each file, by the same model."""
        other = replace(self.measure, joint=joint, log=Log())
        labels = joint.protected.astype(np.float64)
        fitted = other.model(joint, joint, self.chosen, ROUGHLY).fitted(labels)
        return score_distance(fitted.probability, joint.share) / self.expected

    @property
    def _small(self) -> bool:
        """Whether the model is quick enough to be fitted many times unasked."""
        rank = self.fitted.rank
        return rank is not None and self.joint.rows * max(rank, 1) <= SMALL_MODEL

    @cached_property
    def resamples(self) -> int:
        if self.chosen.resamples is not None:
            return self.chosen.resamples
        if self.chosen.model == "boost":
            return self.chosen.permutations
        return UNASKED_RESAMPLES if self._small else 0

    @cached_property
    def null_share(self) -> float | None:
        if not self.resamples:
            self.why_not.append(
                say("null_share: no resamples drawn; set resamples in [propensity]")
            )
            return None
        rng = np.random.default_rng([self.measure.seed, 1])
        try:
            if self.chosen.model == "boost" and self.chosen.resamples is None:
                return larger_share(self.permuted, self.value)
            null = null_distances(self.model, self.joint, rng, self.resamples)
            return larger_share(null, self.value)
        except Undefined as why:
            self.why_not.append(say("null_share: {why}", why=why))
            return None

    @cached_property
    def auc_cross(self) -> float | None:
        try:
            folds = folds_of(self.joint, self.measure.seed)
            self._note_folds(folds)
            return cross_auc(self._crossed(folds), self.joint.protected, folds.of)
        except Undefined as why:
            self.why_not.append(say("auc_cross: {why}", why=why))
            return None

    def _crossed(self, folds: Folds) -> Floats:
        """Scores of rows not seen: by a finer model where `auto` may choose, else by this one."""
        if isinstance(self.model, BoostModel):
            return self.fitted.probability
        design = self.measure.design
        if design is not None and design.plan is not None and self.chosen.unmasked == "all":
            return crossed_scores(self.joint, folds.of)
        return self.model.crossed(self.labels, folds.of)

    def _note_folds(self, folds: Folds) -> None:
        if folds.parted:
            self.measure.log.note(
                "propensity-folds",
                say(
                    "Too many rows are equal to keep them together in folds: equal rows were "
                    "parted for the cross-fitted AUC."
                ),
            )

    def sees(self) -> Sees:
        """Which pairs of variables the model can see."""
        names = [v.name for v in self.joint.variables]
        varying = [i for i in range(len(names)) if len(np.unique(self.joint.codes[:, i])) > 1]
        every = list(combinations(varying, 2))
        if self.chosen.model in TREES:
            return Sees(share=1.0, how="trees", pairs=len(every), of=len(every), names=None)
        design = self.measure.design
        assert design is not None
        masked = self.measure.masked(self.joint, self.chosen)
        if masked is not None:  # two variables that nobody changed have no difference to see
            every = [(a, b) for a, b in every if masked[a] or masked[b]]
        seen = [pair for pair in design.pairs(len(names)) if pair in set(every)]
        coarse = design.plan is not None and design.plan.groups is not None
        how: Literal["full", "coarse", "none"]
        how = "none" if every and not seen else "coarse" if coarse else "full"
        return Sees(
            share=len(seen) / len(every) if every else 1.0,
            how=how,
            pairs=len(seen),
            of=len(every),
            names=None if len(seen) == len(every) else tuple((names[a], names[b]) for a, b in seen),
        )

    def result(self) -> PropensityResult:
        """All of it."""
        scores, protected, design = self.fitted.probability, self.joint.protected, self._design
        if self.fitted.separated:
            self.measure.log.note(
                CERTAIN,
                say(
                    "Some rows are told apart with certainty by the propensity model; their "
                    "probabilities are kept finite."
                ),
            )
        told = separation(scores, protected, self.joint.share)
        lost = self.unrelated
        return PropensityResult(
            model="logit" if self.chosen.model == "auto" else self.chosen.model,
            terms=self.model.terms,
            rank=self.fitted.rank,
            rank_original=self.fitted.rank_original,
            description="trees" if design is None else design.description,
            degree=None if design is None else design.degree,
            interactions=None if design is None else design.interactions,
            sees=self.sees(),
            design=None if design is None else _used(design.plan),
            value=self.value,
            expected=self.expected,
            ratio=self.ratio,
            null_deviation=self.null_deviation,
            null_share=self.null_share,
            resamples=self.resamples,
            beyond_chance=self.beyond,
            permuted_ratio=None if lost is None else lost[0],
            sees_permuted=None if lost is None else lost[1],
            auc=told.auc,
            auc_cross=self.auc_cross,
            size=difference_size(self.auc_cross),
            specks=told.specks,
            po50=told.po50,
            percentiles_original=percentiles(scores[~protected]),
            percentiles_protected=percentiles(scores[protected]),
            variables=self._drops(),
            rows=self.joint.rows,
            seed=self.measure.seed,
            reason=strung(self.why_not, "; ") or None,
        )

    def boosted(self) -> Boosted:
        """Its main figures."""
        return Boosted(
            value=self.value,
            expected=self.expected,
            ratio=self.ratio,
            null_share=self.null_share,
            beyond_chance=self.beyond,
            auc_cross=self.auc_cross,
            size=difference_size(self.auc_cross),
            rows=self.joint.rows,
            seed=self.measure.seed,
            reason=strung(self.why_not, "; ") or None,
        )

    @property
    def _design(self) -> Design | None:
        return self.measure.design

    def _drops(self) -> tuple[VariableDrop, ...]:
        found = []
        variables: Sequence[str] = [v.name for v in self.joint.variables]
        for place, name in enumerate(variables):
            self.measure.log.progress(say("leaving variables out"), place / len(variables))
            try:
                without = self.model.without(place, self.fitted).fitted(self.labels).probability
                drop = self.value - score_distance(without, self.joint.share)
                found.append(VariableDrop(name=name, drop=drop))
            except Undefined as why:
                found.append(VariableDrop(name=name, drop=None, reason=str(why)))
        return tuple(found)


def _used(plan: Plan | None) -> DesignUsed | None:
    if plan is None:
        return None
    return DesignUsed(
        degree=plan.degree,
        groups=plan.groups,
        pairs="all" if plan.pairs is None else "most associated",
        rows=plan.rows,
        terms=plan.terms,
        categories=plan.categories,
    )


def _no_boosted(joint: Joint, seed: int, reason: str) -> Boosted:
    return Boosted(
        value=None,
        expected=None,
        ratio=None,
        null_share=None,
        beyond_chance=None,
        auc_cross=None,
        size=None,
        rows=joint.rows,
        seed=seed,
        reason=reason,
    )


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
