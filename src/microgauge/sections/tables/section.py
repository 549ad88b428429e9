"""The section `tables` of the result, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.rounds import Asking
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.balance.jackknife import GROUPS, jackknife_error
from microgauge.measures.tables.agreement import (
    in_cells,
    lost,
    pmse_ratio,
    shares,
    spread_out,
)
from microgauge.measures.tables.sampling import SampledTables, permuted, resampled
from microgauge.results.tables import Tables, TableScore, TableVariable
from microgauge.results.wording import SMALL
from microgauge.sections.tables.cells import Tabled, tabled
from microgauge.sections.tables.choices import TablesChoices
from microgauge.sections.tables.counting import Combination, Counted, Counter
from microgauge.sections.tables.groups import k_marginal_by
from microgauge.study.recoding import matched_cells, may_be_rounded
from microgauge.study.study import Study
from microgauge.study.variable import Side, how_many_have_values

MOST_TRIPLES = 1_000
"""Tables of three variables beyond which some are chosen by the seed."""
MOST_ALIKE = 2.0
"""Rows alike on average beyond which leaving out groups of them tells no error."""
DIGITS = 9
"""Digits of a score that put tables in order: what sums leave behind does not."""
QUANTILE_95 = 2.045
"""Of Student's t distribution with 29 degrees of freedom."""


def run(study: Study, log: Log) -> Asking[Tables]:
    """All tables of analysed variables, compared cell by cell."""
    choices = study.schema.of(TablesChoices)
    log.progress(say("comparing tables of variables"), 0.0)
    variables = yield from read_variables(study, choices)
    chosen, possible = _chosen(variables, choices.ways, study.options.seed)
    work = Comparison(study, choices.ways)
    counter = Counter(study)
    for block in counter.blocks(chosen, parts=True):
        for counted in (yield from counter.block(block, parts=True)):
            work.add(counted)
        log.progress(say("comparing tables of variables"), len(work.scores) / len(chosen))
    k_marginal, why = yield from k_marginal_by(study, variables, chosen, choices.by)
    if possible > len(chosen):
        log.note(
            "tables-sampled",
            say(
                "{n:,} of the {possible:,} tables of three variables are compared, "
                "chosen by the seed ({seed}).",
                n=len(chosen),
                possible=possible,
                seed=study.options.seed,
            ),
        )
    return work.result(variables, choices, possible, (k_marginal, why))


def read_variables(study: Study, choices: TablesChoices) -> Asking[list[Tabled]]:
    """The analysed variables in cells; those that the original has no value of are left out."""
    known = [v for v in study.analysed if not v.original.empty]
    rounded = [v for v in known if not v.removed and may_be_rounded(v)]
    matched = yield from matched_cells(rounded, study.matched)
    return [tabled(v, study.recodings.get(v.name), matched.get(v.name), choices) for v in known]


def _chosen(variables: Sequence[Tabled], ways: int, seed: int) -> tuple[list[Combination], int]:
    """The tables to compare, and how many there are; the order of columns does not matter."""
    ranked = sorted(variables, key=lambda v: v.name)
    possible = comb(len(ranked), ways)
    if possible <= MOST_TRIPLES or ways < 3:
        return list(combinations(ranked, ways)), possible
    rng = np.random.default_rng([seed, 5])
    found: dict[tuple[int, ...], None] = {}
    while len(found) < MOST_TRIPLES:
        drawn = rng.choice(len(ranked), ways, replace=False)
        found[tuple(sorted(drawn.tolist()))] = None
    return [tuple(ranked[place] for place in places) for places in sorted(found)], possible


def units_of(side: Side | None, rows: int) -> int:
    """Rows of a table; with weights, Kish's effective number of units."""
    if side is None or not rows:
        return rows
    return max(round(side.levels.weighing.over(slice(None))[2]), 1)


@dataclass(eq=False)
class Comparison:
    """Compares tables as they are counted, and keeps scores only."""

    study: Study
    ways: int
    scores: list[TableScore] = field(default_factory=list)
    _losses: list[Floats] = field(default_factory=list)
    _left: bool = True
    """Whether both tables have rows left without any part of the units."""
    _alike: float = 1.0
    """Original rows that are left out together on average, as the sizes of the parts show."""

    def __post_init__(self) -> None:
        known = self.study.variables
        self._units = units_of(known[0].original, self.study.original.rows)
        after = next((v.protected for v in known if v.protected is not None), None)
        self._released = units_of(after, self.study.protected.rows)
        self._samples = SampledTables(self._units)

    def add(self, counted: Counted) -> None:
        """Another table."""
        cells = [v.cells for v in counted.variables]
        names = tuple(v.name for v in counted.variables)
        if not self.scores:
            self._alike = left_out_together(counted.before, self._units)
        p = shares(in_cells(counted.before[:1], cells))
        self._samples.add(p * self._units)
        start = TableScore(
            variables=names,
            score=0.0,
            moved=1.0,
            recoding=0.0,
            permuted=1.0 - permuted(p[0], self._released) if self._released else 0.0,
            resample=1.0 - resampled(p, self._released) if self._released else 0.0,
        )
        if counted.after is None:
            gone = [v.name for v in counted.variables if v.removed]
            self._keep(
                start, np.ones(1 + GROUPS), reason=say("removed: {gone}", gone=strung(gone, ", "))
            )
            return
        losses, cost = lost(counted.before, counted.after, cells)
        self._left &= all(
            bool((side.reshape(len(side), -1).sum(axis=1) > 0).all())
            for side in (counted.before, counted.after)
        )
        ratio, why = self._ratio(p, shares(spread_out(counted.after[:1], cells)))
        moved = float(losses[0])
        self._keep(
            start,
            losses,
            score=1.0 - moved,
            moved=moved,
            recoding=float(cost[0]),
            pmse_ratio=ratio,
            reason=why,
        )

    def _keep(self, start: TableScore, losses: Floats, **found: Any) -> None:
        self._losses.append(losses)
        self.scores.append(replace(start, **found))

    def _ratio(self, p: Floats, q: Floats) -> tuple[float | None, str | None]:
        try:
            return pmse_ratio(p * self._units, q * self._released), None
        except Undefined as why:
            return None, say("pmse_ratio: {why}", why=why)

    # -- the result ----------------------------------------------------------------------------

    def result(
        self,
        variables: Sequence[Tabled],
        choices: TablesChoices,
        possible: int,
        by: tuple[float | None, str | None],
    ) -> Tables:
        """All figures."""
        value = _mean([score.score for score in self.scores])
        reasons: list[str | None] = []
        if value is None:
            number = SMALL[self.ways]
            known = how_many_have_values(self.study.analysed)
            reasons.append(say("{known}, and a table takes {number}", known=known, number=number))
        share, why = self._sample_share(value)
        reasons += [why, by[1]]
        replicates, error, why = self._replicates(value)
        reasons.append(why)
        own: dict[str, list[TableScore]] = {v.name: [] for v in variables}
        for score in self.scores:
            for name in score.variables:
                own[name].append(score)
        found = tuple(self._variable(v, own[v.name]) for v in variables)
        k_marginal = by[0] if choices.by is not None else value and 1000.0 * value
        return Tables(
            ways=self.ways,
            tables=len(self.scores),
            value=value,
            score=value,
            standard_error=error,
            value_ci=_interval(value, error),
            k_marginal=k_marginal,
            by=choices.by,
            sample_share=share,
            permuted=_mean([score.permuted for score in self.scores]),
            resample=_mean([score.resample for score in self.scores]),
            one_way=_mean([v.one_way for v in found]),
            variables=found,
            worst=tuple(sorted(self.scores, key=lambda s: (-round(s.moved, DIGITS), s.variables))),
            replicates=replicates,
            possible=possible,
            seed=self.study.options.seed,
            reason=strung((reason for reason in reasons if reason), "; ") or None,
        )

    def _sample_share(self, value: float | None) -> tuple[float | None, str | None]:
        if value is None:
            return None, None
        try:
            return self._samples.share(1.0 - value), None
        except Undefined as why:
            return None, say("sample_share: {why}", why=why)

    def _replicates(
        self, value: float | None
    ) -> tuple[tuple[float, ...], float | None, str | None]:
        if value is None:
            return (), None, None
        if not self._left:
            return (), None, say("replicates: all units are alike, so no part can be left out")
        values = 1.0 - np.mean(self._losses, axis=0)[1:]
        found = tuple(values.tolist())
        if self._alike > MOST_ALIKE:
            # Equal rows are left out together, which would pass for a large error.
            return found, None, say("standard_error: too many rows are alike")
        return found, jackknife_error(values), None

    def _variable(self, variable: Tabled, own: Sequence[TableScore]) -> TableVariable:
        before, after = variable.one_way()
        losses, _ = lost(before, after, [variable.cells])
        cells = int((in_cells(before, [variable.cells]) > 0).sum())
        return TableVariable(
            name=variable.name,
            value=_mean([score.score for score in own]),
            one_way=0.0 if variable.removed else 1.0 - float(losses[0]),
            cells=cells,
            permuted=_mean([score.permuted for score in own]),
            resample=_mean([score.resample for score in own]),
            removed=variable.removed,
            reason=None if own else say("in no table"),
        )


def left_out_together(counts: Floats, units: int) -> float:
    """How many rows are alike on average, from how unequal the parts of the units are.

    Rows in parts by hash have Σ n_k² = N m + (N² - N m)/G in expectation, m the mean number of
    rows like a row; 1 where all differ.
    """
    sums = counts.reshape(len(counts), -1).sum(axis=1)
    parts, total = sums[0] - sums[1:], sums[0]
    apart = (parts * parts).sum() - total * total / GROUPS
    return float(apart / (total * total / units * (1.0 - 1.0 / GROUPS)))


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _interval(value: float | None, error: float | None) -> tuple[float, float] | None:
    if value is None or error is None:
        return None
    half = QUANTILE_95 * error
    return max(value - half, 0.0), min(value + half, 1.0)
