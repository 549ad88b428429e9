"""Global data utility of a study: every variable, every pair, the figure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from microgauge.engines.rounds import Asking, together
from microgauge.errors import Undefined
from microgauge.kernels import in_threads
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.gdu.distributions import Comparison, chi_squared, kolmogorov_smirnov
from microgauge.measures.gdu.global_utility import (
    Parts,
    balanced,
    global_reduction_coefficient,
    pair_means,
    weighted_mean,
)
from microgauge.measures.gdu.models import Fit, model_score
from microgauge.records import dataclass
from microgauge.results import GDU, Coverage, GduFigures, ModelScore, PairScore, VariableScore
from microgauge.schema import Model
from microgauge.sections.gdu.pair_scores import EMPTY, Pairs, Scored
from microgauge.sections.gdu.recoding import recoding_utility
from microgauge.study.designs import fit, model_columns
from microgauge.study.recoding import Recoding
from microgauge.study.records import Records, read_records
from microgauge.study.study import SIDES, Study
from microgauge.study.variable import Described, how_many_have_values


@dataclass(frozen=True, eq=False)
class _Found:
    """What the result is made of."""

    variables: tuple[VariableScore, ...]
    pairs: Scored
    models: tuple[ModelScore, ...]
    parts: Parts
    grc: float | None
    reason: str | None


@dataclass(frozen=True, eq=False)
class GlobalUtility:
    """Works out the global data utility of a study."""

    study: Study
    log: Log

    def result(self) -> Asking[GDU]:
        """All scores and the figure."""
        found = yield from self._found()
        value = found.parts.value
        pairs = found.pairs.scores()
        return GDU(
            value=value,
            univariate=found.parts.univariate,
            bivariate=found.parts.bivariate,
            grc=found.grc,
            value_with_grc=None if found.grc is None or value is None else value * found.grc,
            threshold=self.study.options.threshold,
            weights=self.study.options.balance,
            test_n=self.study.options.test_n,
            variables=found.variables,
            pairs=pairs,
            coverage=_coverage(pairs),
            models=found.models,
            multivariate=found.parts.multivariate,
            reason=found.reason,
        )

    def figures(self) -> Asking[GduFigures]:
        """The figure and its halves alone, with no record for each pair."""
        found = yield from self._found()
        return GduFigures(
            value=found.parts.value,
            univariate=found.parts.univariate,
            bivariate=found.parts.bivariate,
            reason=found.reason,
        )

    def _found(self) -> Asking[_Found]:
        scores = self._variables()
        pairs, models = yield from together(Pairs(self.study, self.log).scored(), self._models())
        means = pair_means(pairs.utilities, self._removed_in(pairs))
        scores = tuple(replace(s, bivariate_utility=means.get(s.name)) for s in scores)
        importance = {v.name: v.given.importance for v in self.study.analysed}
        univariate = {s.name: s.utility for s in scores if s.utility is not None}
        bivariate = means if pairs.some else {}
        balance = self.study.options.balance
        parts = balanced(
            weighted_mean(univariate, importance) if univariate else None,
            weighted_mean(bivariate, importance) if bivariate else None,
            _mean_utility(models),
            balance,
        )
        grc, grc_reason = self._grc()
        reasons = [grc_reason, None if univariate else say("univariate: every variable is empty")]
        if parts.bivariate is None:
            reasons.append(say("bivariate: there is no pair of variables that can be tested"))
        if parts.multivariate is None and (models or balance[2:] > (0.0,)):
            reasons.append(say("multivariate: there is no model that can be scored"))
        reason = strung((r for r in reasons if r), "; ") or None
        return _Found(scores, pairs, models, parts, grc, reason)

    @property
    def _counted(self) -> list[Described]:
        return [v for v in self.study.analysed if not v.original.empty]

    def _removed_in(self, pairs: Scored) -> list[str]:
        wanted = {name for pair in pairs.names for name in pair}
        return [v.name for v in self._counted if v.removed and v.name in wanted]

    def _grc(self) -> tuple[float | None, str | None]:
        left = sum(not v.removed for v in self._counted)
        try:
            return global_reduction_coefficient(len(self._counted), left), None
        except Undefined as reason:
            if len(self.study.analysed) == 1:
                return None, say("grc: {reason}", reason=reason)
            said = how_many_have_values(self.study.analysed)
            return None, say("grc: {said}, so that there are no pairs to lose", said=said)

    # -- one variable ------------------------------------------------------------------------

    def _variables(self) -> tuple[VariableScore, ...]:
        shared = self.study.long
        return tuple(in_threads(self._variable, self.study.analysed, shared=shared))

    def _variable(self, variable: Described) -> VariableScore:
        importance = variable.given.importance
        if variable.original.empty:
            return VariableScore(name=variable.name, importance=importance, reason=EMPTY)
        if variable.removed:
            return VariableScore(
                name=variable.name, utility=0.0, importance=importance, reason=say("removed")
            )
        try:
            return self._compared_variable(variable)
        except Undefined as why:
            return VariableScore(name=variable.name, importance=importance, reason=str(why))

    def _compared_variable(self, variable: Described) -> VariableScore:
        recoding = self.study.recodings.get(variable.name)
        comparison = self._comparison(variable, recoding)
        kept = None if recoding is None else recoding_utility(variable, recoding)
        return VariableScore(
            name=variable.name,
            test=comparison.test,
            statistic=comparison.statistic,
            p=comparison.p,
            recoding_utility=kept,
            perturbation_utility=comparison.utility,
            utility=comparison.utility * (1.0 if kept is None else kept),
            importance=variable.given.importance,
        )

    def _comparison(self, variable: Described, recoding: Recoding | None) -> Comparison:
        """The recoded original against the protected values."""
        assert variable.protected is not None
        before = variable.original if recoding is None else recoding.recoded
        after = variable.protected
        test_n = self.study.options.test_n
        numbers = before.levels.numeric and after.levels.numeric
        if before.type == after.type == "continuous" and numbers:
            return kolmogorov_smirnov(before.levels, after.levels, test_n)
        category = self.study.options.missing == "category"
        return chi_squared(before.levels, after.levels, test_n, missing_category=category)

    # -- models ------------------------------------------------------------------------------

    def _models(self) -> Asking[tuple[ModelScore, ...]]:
        models = self.study.schema.models
        if not models:
            return ()
        known = [v.name for v in self.study.variables]
        named = [name for model in models for name in model_columns(model, known)]
        records = yield from read_records(self.study, named)
        return tuple(self._model(model, records, known) for model in models)

    def _model(
        self, model: Model, records: tuple[Records, Records], known: list[str]
    ) -> ModelScore:
        self.log.progress(say("fitting models"), 0.0)
        fits: list[Fit | Undefined] = []
        for which, held in zip(SIDES, records, strict=True):
            weights = self.study.rows(which).weights
            try:
                fits.append(fit(model, held, weights, known))
            except Undefined as reason:
                fits.append(reason)
        return model_score(model, fits[0], fits[1], self.study.options.threshold)


def _mean_utility(models: tuple[ModelScore, ...]) -> float | None:
    known = [model.utility for model in models if model.utility is not None]
    return sum(known) / len(known) if known else None


def _coverage(pairs: tuple[PairScore, ...]) -> Coverage:
    untested = Counter(pair.reason for pair in pairs if pair.utility is None)
    return Coverage(
        pairs=len(pairs),
        tested=sum(pair.utility is not None for pair in pairs),
        reasons={str(reason): count for reason, count in untested.most_common()},
    )
