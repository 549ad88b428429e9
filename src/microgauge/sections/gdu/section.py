"""Global data utility of a study: every variable, every pair, the figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import combinations

from microgauge.engines.rounds import Asking, together
from microgauge.errors import Undefined
from microgauge.log import Log
from microgauge.measures.gdu.association import TOO_MANY_CELLS, Association, PairTest, turn
from microgauge.measures.gdu.choice import Chosen, Scale, SeenVariable, choose, scale_of
from microgauge.measures.gdu.distributions import Comparison, chi_squared, kolmogorov_smirnov
from microgauge.measures.gdu.global_utility import (
    balanced,
    global_reduction_coefficient,
    pair_means,
    weighted_mean,
)
from microgauge.measures.gdu.models import Fit, model_score
from microgauge.measures.gdu.normality import is_normal
from microgauge.measures.gdu.steps import significance, similarity
from microgauge.results import GDU, Coverage, ModelScore, PairScore, VariableScore
from microgauge.schema import Model, Which
from microgauge.sections.gdu.pairs import Answer, Ask, Asker, Seen
from microgauge.sections.gdu.recoding import recoding_utility
from microgauge.study.designs import fit, model_columns
from microgauge.study.recoding import Recoding
from microgauge.study.records import Records, read_records
from microgauge.study.study import SIDES, Study
from microgauge.study.variable import Described, Side, how_many_have_values

REMOVED = "a variable was removed"
EMPTY = "all values are missing in the original"


@dataclass(frozen=True, eq=False)
class _Pair:
    """A pair that can be tested: its tests and what is asked on each side."""

    a: Described
    b: Described
    chosen: Chosen
    original: Ask
    protected: Ask
    recoded: Ask | None
    """The original with recoded axes, for comparing directions."""


@dataclass(frozen=True, eq=False)
class GlobalUtility:
    """Works out the global data utility of a study."""

    study: Study
    log: Log

    def result(self) -> Asking[GDU]:
        """All scores and the figure."""
        scores = self._variables()
        pairs, models = yield from together(self._pairs(), self._models())
        removed = self._removed_in(pairs)
        means = pair_means(pairs, removed)
        scores = tuple(replace(s, bivariate_utility=means.get(s.name)) for s in scores)
        importance = {v.name: v.given.importance for v in self.study.analysed}
        univariate = {s.name: s.utility for s in scores if s.utility is not None}
        bivariate = means if any(p.utility is not None for p in pairs) else {}
        balance = self.study.options.balance
        halves = balanced(
            weighted_mean(univariate, importance) if univariate else None,
            weighted_mean(bivariate, importance) if bivariate else None,
            _mean_utility(models),
            balance,
        )
        grc, grc_reason = self._grc()
        reasons = [grc_reason, None if univariate else "univariate: every variable is empty"]
        if halves.bivariate is None:
            reasons.append("bivariate: there is no pair of variables that can be tested")
        if halves.multivariate is None and (models or balance[2:] > (0.0,)):
            reasons.append("multivariate: there is no model that can be scored")
        return GDU(
            value=halves.value,
            univariate=halves.univariate,
            bivariate=halves.bivariate,
            grc=grc,
            value_with_grc=None if grc is None or halves.value is None else halves.value * grc,
            threshold=self.study.options.threshold,
            weights=balance,
            test_n=self.study.options.test_n,
            variables=scores,
            pairs=pairs,
            coverage=_coverage(pairs),
            models=models,
            multivariate=halves.multivariate,
            reason="; ".join(r for r in reasons if r) or None,
        )

    @property
    def _counted(self) -> list[Described]:
        return [v for v in self.study.analysed if not v.original.empty]

    def _removed_in(self, pairs: tuple[PairScore, ...]) -> list[str]:
        wanted = {name for pair in pairs for name in (pair.a, pair.b)}
        return [v.name for v in self._counted if v.removed and v.name in wanted]

    def _grc(self) -> tuple[float | None, str | None]:
        left = sum(not v.removed for v in self._counted)
        try:
            return global_reduction_coefficient(len(self._counted), left), None
        except Undefined as reason:
            if len(self.study.analysed) == 1:
                return None, f"grc: {reason}"
            said = how_many_have_values(self.study.analysed)
            return None, f"grc: {said}, so that there are no pairs to lose"

    # -- one variable ------------------------------------------------------------------------

    def _variables(self) -> tuple[VariableScore, ...]:
        return tuple(self._variable(variable) for variable in self.study.analysed)

    def _variable(self, variable: Described) -> VariableScore:
        importance = variable.given.importance
        if variable.original.empty:
            return VariableScore(name=variable.name, importance=importance, reason=EMPTY)
        if variable.removed:
            return VariableScore(
                name=variable.name, utility=0.0, importance=importance, reason="removed"
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

    # -- pairs -------------------------------------------------------------------------------

    def _pairs(self) -> Asking[tuple[PairScore, ...]]:
        planned: list[_Pair | PairScore] = [self._planned(a, b) for a, b in self._wanted()]
        pairs = [pair for pair in planned if isinstance(pair, _Pair)]
        originals, protecteds = yield from together(
            self._answers(
                "original",
                [ask for p in pairs for ask in (p.original, p.recoded) if ask is not None],
            ),
            self._answers("protected", [p.protected for p in pairs]),
        )
        return tuple(
            pair if isinstance(pair, PairScore) else self._scored(pair, originals, protecteds)
            for pair in planned
        )

    def _wanted(self) -> list[tuple[Described, Described]]:
        by_name = {v.name: v for v in self.study.analysed}
        if self.study.options.pairs is None:
            return list(combinations(self.study.analysed, 2))
        place = {name: i for i, name in enumerate(by_name)}
        wanted = {
            (a, b) if place[a] < place[b] else (b, a)
            for a, b in self.study.options.pairs
            if a in place and b in place
        }
        ordered = sorted(wanted, key=lambda pair: (place[pair[0]], place[pair[1]]))
        return [(by_name[a], by_name[b]) for a, b in ordered]

    def _answers(self, which: Which, asks: list[Ask]) -> Asking[dict[Ask, Answer]]:
        options = self.study.options
        sides = self._sides(which)
        engine = self.study.original if which == "original" else self.study.protected
        asker = Asker(engine, sides, options.test_n, options.missing == "category")
        known = self._remembered(asks, sides) if which == "original" else {}
        kept = self.study.cache.answers
        answers = {ask: kept[key] for ask, key in known.items() if key in kept}
        left = [ask for ask in dict.fromkeys(asks) if ask not in answers]
        total = max(len(left), 1)

        def progress(done: int) -> None:
            self.log.progress(f"testing pairs of the {which} table", done / total)

        answers |= yield from asker.answers(left, progress)
        kept.update({key: answers[ask] for ask, key in known.items()})
        return answers

    def _sides(self, which: Which) -> dict[Seen, Side]:
        if which == "protected":
            after = {v.name: v.protected for v in self.study.analysed}
            return {Seen(name): side for name, side in after.items() if side is not None}
        recoded = {Seen(n, recoded=True): r.recoded for n, r in self.study.recodings.items()}
        return {Seen(v.name): v.original for v in self.study.analysed} | recoded

    def _remembered(self, asks: list[Ask], sides: Mapping[Seen, Side]) -> dict[Ask, object]:
        """What an answer on the original depends on: the test, and how its variables are seen."""
        test_n = self.study.options.test_n
        seen = {name: fingerprint(s) for name, s in sides.items() if not name.recoded}
        return {
            ask: (ask, test_n, seen[ask.a], seen[ask.b])
            for ask in asks
            if ask.a in seen and ask.b in seen
        }

    def _planned(self, a: Described, b: Described) -> _Pair | PairScore:
        exclude = self.study.options.changed_types == "exclude"
        try:
            if a.original.empty or b.original.empty:
                raise Undefined(EMPTY)
            if a.removed or b.removed:
                raise Undefined(REMOVED)
            chosen = choose(self._seen[a.name], self._seen[b.name], exclude_changed=exclude)
        except Undefined as reason:
            return PairScore(a=a.name, b=b.name, reason=str(reason))
        return self._asked(a, b, chosen)

    def _asked(self, a: Described, b: Described, chosen: Chosen) -> _Pair:
        names = [Seen(v.name, first) for v, first in zip((a, b), chosen.recode_first, strict=True)]
        test, test_protected = chosen.tests
        recoded = None
        if a.name in self.study.recodings or b.name in self.study.recodings:
            both = [Seen(v.name, v.name in self.study.recodings) for v in (a, b)]
            recoded = _ask(test_protected, chosen.protected, *both)
        return _Pair(
            a,
            b,
            chosen,
            _ask(test, chosen.original, *names),
            _ask(test_protected, chosen.protected, Seen(a.name), Seen(b.name)),
            recoded,
        )

    @cached_property
    def _seen(self) -> dict[str, SeenVariable]:
        """Each variable's place in the table of tests, found once and not once per pair."""
        return {
            v.name: SeenVariable(
                scale_of(v.original.type, self._normal(v, v.original)),
                scale_of(v.protected.type, self._normal(v, v.protected)),
                v.name in self.study.recodings,
            )
            for v in self._counted
            if v.protected is not None and not v.removed
        }

    def _normal(self, variable: Described, side: Side) -> bool:
        if side.type != "continuous" or not self.study.options.normality:
            return False
        if variable.given.normal is not None:
            return variable.given.normal
        return is_normal(side.levels, self.study.options.test_n)

    def _scored(
        self, pair: _Pair, originals: Mapping[Ask, Answer], protecteds: Mapping[Ask, Answer]
    ) -> PairScore:
        before, after = originals[pair.original], protecteds[pair.protected]
        start = PairScore(a=pair.a.name, b=pair.b.name)
        if isinstance(before, Undefined):
            return replace(start, reason=f"original: {before}")
        if isinstance(after, Undefined):
            if after.code == TOO_MANY_CELLS:
                return replace(start, reason=f"protected: {after}")
            return self._untestable(_with_original(start, pair, before), after)
        recoded = before if pair.recoded is None else originals[pair.recoded]
        return self._compared(_with_both(start, pair, before, after), before, after, recoded)

    def _untestable(self, score: PairScore, why: Undefined) -> PairScore:
        """A protected side that cannot be tested counts as not significant."""
        assert score.p_original is not None
        verdict = significance(score.p_original, None, self.study.options.threshold)
        assert verdict is not None
        return replace(
            score,
            outcome=verdict.outcome,
            utility=verdict.utility,
            reason=f"protected: {why}, which counts as no association",
        )

    def _compared(
        self, score: PairScore, before: Association, after: Association, recoded: Answer
    ) -> PairScore:
        verdict = significance(before.p, after.p, self.study.options.threshold)
        if verdict is not None:
            return replace(score, outcome=verdict.outcome, utility=verdict.utility)
        # An original that recoding makes constant has no direction that could be reversed.
        turned = None if isinstance(recoded, Undefined) else turn(recoded, after)
        flipped = None if turned is None else turned.signs_flipped
        if turned is not None and turned.opposite:
            return replace(score, outcome="reversed", utility=0.0, signs_flipped=flipped)
        utility = similarity(before.coefficient, after.coefficient)
        return replace(score, outcome="kept", utility=utility, signs_flipped=flipped)

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
        self.log.progress("fitting models", 0.0)
        fits: list[Fit | Undefined] = []
        for which, held in zip(SIDES, records, strict=True):
            weights = self.study.rows(which).weights
            try:
                fits.append(fit(model, held, weights, known))
            except Undefined as reason:
                fits.append(reason)
        return model_score(model, fits[0], fits[1], self.study.options.threshold)


def fingerprint(side: Side) -> object:
    """Equal where a variable's levels are."""
    keys = side.levels.keys
    if isinstance(keys, tuple):
        return side.type, keys
    return side.type, sha256(keys.tobytes()).digest()


def _ask(test: PairTest, scales: tuple[Scale, Scale], a: Seen, b: Seen) -> Ask:
    """Groups come first in tests that have groups."""
    if test in ("kruskal-wallis", "anova") and scales[1] == "nominal":
        return Ask(test, b, a)
    return Ask(test, a, b)


def _with_original(start: PairScore, pair: _Pair, before: Association) -> PairScore:
    return replace(
        start,
        test=before.test,
        test_protected=pair.chosen.tests[1],
        n_original=before.rows,
        p_original=before.p,
        coefficient_original=before.coefficient,
    )


def _with_both(start: PairScore, pair: _Pair, before: Association, after: Association) -> PairScore:
    return replace(
        _with_original(start, pair, before),
        n_protected=after.rows,
        p_protected=after.p,
        coefficient_protected=after.coefficient,
    )


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
