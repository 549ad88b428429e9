"""The global measures of a study: propensity scores, clusters, distribution functions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.log import Progress, silent
from microgauge.measures.joint.clusters import (
    MOST_LINKED_UNASKED,
    cluster_distance,
    default_groups,
    features,
    k_means,
    linked,
)
from microgauge.measures.joint.designs import (
    Design,
    auto_design,
    chosen_design,
    formula_design,
    spline_design,
    tree_features,
)
from microgauge.measures.joint.ecdf import Distance, distribution_distance
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
from microgauge.results import ClusterResult, EcdfResult, PropensityResult, VariableDrop
from microgauge.schema.formulas import Formula
from microgauge.sections.joint.choices import ClusterChoices, EcdfChoices, PropensityChoices
from microgauge.threads import one_thread

SMALL_MODEL = 2_000_000
"""Rows × rank up to which a null distribution is drawn without being asked for."""
UNASKED_RESAMPLES = 50


@dataclass
class WholeFile:
    """Works out the global measures of the joint rows of two files."""

    joint: Joint
    seed: int
    progress: Progress = silent
    unmasked: frozenset[str] = frozenset()
    """Variables that protection left alone."""
    formula: Formula | None = None
    """The terms of the propensity model, where a formula gives them."""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.joint = self.joint.ordered()

    def _sampled(self, limit: int, what: str) -> Joint:
        """At most so many rows, the same share of each file, drawn by the seed."""
        joint = self.joint
        if joint.rows <= limit:
            return joint
        rng = np.random.default_rng(self.seed)
        share = limit / joint.rows
        rows = [
            np.sort(rng.choice(side, max(int(len(side) * share), 1), replace=False))
            for side in (np.flatnonzero(~joint.protected), np.flatnonzero(joint.protected))
        ]
        chosen = np.concatenate(rows)
        self.notes.append(
            f"The {what} measure uses a sample of {len(chosen):,} of {joint.rows:,} rows (seed "
            f"{self.seed})."
        )
        return joint.taken(chosen, joint.protected[chosen])

    # -- propensity --------------------------------------------------------------------------

    def propensity(self, chosen: PropensityChoices) -> PropensityResult:
        """U_p with everything that explains it, or null with the reason."""
        self.progress("fitting propensity scores", 0.0)
        joint = self._sampled(chosen.sample, "propensity score")
        try:
            _check_rows(joint)
            with one_thread():
                model, design = self._model(joint, chosen)
                return self._scored(joint, chosen, model, design)
        except Undefined as reason:
            return _no_propensity(chosen, joint, self.seed, str(reason))

    def told_apart(self, chosen: PropensityChoices) -> tuple[float, float]:
        """U_p and its ratio to the expectation only."""
        joint = self._sampled(chosen.sample, "propensity score")
        _check_rows(joint)
        with one_thread():
            model, _ = self._model(joint, chosen, ROUGHLY)
            labels = joint.protected.astype(np.float64)
            fitted = model.fitted(labels)
            value = score_distance(fitted.probability, joint.share)
            rng = np.random.default_rng(self.seed)
            return value, value / self._expected(model, fitted.rank, labels, chosen, rng)

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
            return auto_design(joint, masked, self.notes)
        return chosen_design(joint, chosen.degree, chosen.interactions, masked)

    def _scored(
        self, joint: Joint, chosen: PropensityChoices, model: Model, design: Design | None
    ) -> PropensityResult:
        labels = joint.protected.astype(np.float64)
        share = joint.share
        fitted = model.fitted(labels)
        value = score_distance(fitted.probability, share)
        if fitted.separated:
            self.notes.append(
                "Some rows are told apart with certainty by the propensity model; their "
                "probabilities are kept finite."
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
            self.progress("leaving variables out", place / len(joint.variables))
            try:
                without = model.without(place).fitted(labels).probability
                drop = value - score_distance(without, joint.share)
                found.append(VariableDrop(name=variable.name, drop=drop))
            except Undefined as why:
                found.append(VariableDrop(name=variable.name, drop=None, reason=str(why)))
        return tuple(found)

    # -- clusters ----------------------------------------------------------------------------

    def clusters(self, chosen: ClusterChoices) -> tuple[ClusterResult, ...]:
        """U_c for each number of groups."""
        self.progress("clustering", 0.0)
        joint = self._sampled(chosen.sample, "cluster")
        method = chosen.method
        if method == "auto":
            method = "average" if joint.rows <= MOST_LINKED_UNASKED else "kmeans"
        groups = self._groups(chosen, joint)
        start = [
            ClusterResult(
                method=method,
                groups=number,
                weights=chosen.weights,
                value=None,
                null_share=None,
                rows=joint.rows,
                seed=self.seed,
            )
            for number in groups
        ]
        try:
            _check_rows(joint)
            values = self._cluster_values(joint, chosen, method, groups)
        except Undefined as reason:
            return tuple(replace(result, reason=str(reason)) for result in start)
        shares = self._cluster_nulls(joint, chosen, method, groups, values)
        return tuple(
            replace(result, value=value, null_share=share)
            for result, value, share in zip(start, values, shares, strict=True)
        )

    @staticmethod
    def _groups(chosen: ClusterChoices, joint: Joint) -> list[int]:
        if chosen.groups is not None:
            return list(chosen.groups)
        return default_groups(int(joint.protected.sum()), joint.rows)

    def _cluster_values(
        self, joint: Joint, chosen: ClusterChoices, method: str, groups: Sequence[int]
    ) -> list[float]:
        too_many = [number for number in groups if number > joint.rows]
        if too_many:
            raise Undefined(f"{too_many[0]} groups for {joint.rows} rows")
        points = features(joint, standardise=chosen.standardise)
        labels = joint.protected.astype(np.float64)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # fewer distinct rows than groups: empty groups are left out
            if method == "average":
                found: list[Index] = linked(points, list(groups))
            else:
                found = [k_means(points, number, self.seed) for number in groups]
        return [cluster_distance(labelled, labels, chosen.weights) for labelled in found]

    def _cluster_nulls(
        self,
        joint: Joint,
        chosen: ClusterChoices,
        method: str,
        groups: Sequence[int],
        values: Sequence[float],
    ) -> list[float | None]:
        if not chosen.resamples:
            return [None] * len(values)
        null = [
            self._cluster_values(resample, chosen, method, groups)
            for resample in self._resampled(joint, chosen.resamples)
        ]
        return [larger_share([n[i] for n in null], value) for i, value in enumerate(values)]

    def _resampled(self, joint: Joint, resamples: int) -> list[Joint]:
        """The original against resamples of it, of the protected file's size."""
        rng = np.random.default_rng([self.seed, 2])
        original = np.flatnonzero(~joint.protected)
        count = int(joint.protected.sum())
        labels = np.repeat([False, True], [len(original), count])
        return [
            joint.taken(np.concatenate([original, rng.choice(original, count)]), labels)
            for _ in range(resamples)
        ]

    # -- distribution functions --------------------------------------------------------------

    def ecdf(self, chosen: EcdfChoices) -> EcdfResult:
        """U_m and U_s, at every row or at a sample of rows."""
        self.progress("comparing distribution functions", 0.0)
        joint = self.joint
        exact = joint.rows <= chosen.exact_limit
        rng = np.random.default_rng([self.seed, 3])
        points = np.arange(joint.rows)
        if not exact:
            points = np.sort(rng.choice(joint.rows, min(chosen.points, joint.rows), replace=False))
            self.notes.append(
                f"Distribution functions are compared at a sample of {len(points):,} of "
                f"{joint.rows:,} rows (seed {self.seed}); U_m is then a lower bound."
            )
        start = EcdfResult(
            maximum=None,
            mean_square=None,
            exact=exact,
            points=len(points),
            null_share_maximum=None,
            null_share_mean_square=None,
            seed=self.seed,
        )
        try:
            _check_rows(joint)
        except Undefined as reason:
            return replace(start, reason=str(reason))
        found = distribution_distance(joint, points)
        result = replace(start, maximum=found.maximum, mean_square=found.mean_square)
        return self._with_nulls(result, joint, chosen, found, points)

    def _with_nulls(
        self, result: EcdfResult, joint: Joint, chosen: EcdfChoices, found: Distance, points: Index
    ) -> EcdfResult:
        if not chosen.resamples:
            return result
        null = [distribution_distance(r, points) for r in self._resampled(joint, chosen.resamples)]
        return replace(
            result,
            null_share_maximum=larger_share([n.maximum for n in null], found.maximum),
            null_share_mean_square=larger_share([n.mean_square for n in null], found.mean_square),
        )


def _check_rows(joint: Joint) -> None:
    if not joint.variables:
        raise Undefined("no variable is left to compare")
    if joint.rows < 4 or joint.protected.all() or not joint.protected.any():
        raise Undefined("too few rows")


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
