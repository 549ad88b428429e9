"""Winkler's verdict: is the file analytically valid?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.measures.gdu.distributions import largest_distance
from microgauge.measures.loss.validity import (
    covariance_shifts,
    mean_shifts,
)
from microgauge.records import dataclass
from microgauge.results import TableLoss
from microgauge.results.loss import ValidityCriterion, ValidityLoss
from microgauge.sections.loss.choices import LossChoices
from microgauge.sections.loss.statistics import Statistics
from microgauge.study.study import Study

Found = tuple[float, tuple[str, ...]]
"""A figure, and what it is of."""


@dataclass(frozen=True, eq=False)
class Validity:
    """Puts four figures beside their limits."""

    study: Study
    statistics: Statistics
    tables: Sequence[TableLoss]

    @property
    def chosen(self) -> LossChoices:
        """The limits."""
        return self.study.schema.of(LossChoices)

    def result(self) -> ValidityLoss:
        """Each criterion, and whether all are met; None where one could not be looked at."""
        chosen = self.chosen
        criteria = (
            _criterion("means", self._subdomains("means"), chosen.valid_means),
            _criterion("covariances", self._subdomains("covariances"), chosen.valid_covariances),
            _criterion("margins", self._margins(), chosen.valid_margins),
            _criterion("distribution", self._distributions(), chosen.valid_distribution),
        )
        passed = [criterion.passed for criterion in criteria]
        unknown = [criterion.name for criterion in criteria if criterion.passed is None]
        valid = False if False in passed else None if unknown else True
        return ValidityLoss(
            valid=valid,
            criteria=criteria,
            groups=tuple(both.name for both in self.statistics.groups_asked),
            least_records=chosen.valid_records,
            reason=None
            if valid is not None
            else say("valid: {unknown} not known", unknown=strung(unknown, ", ")),
        )

    def _subdomains(self, what: str) -> list[Found] | Undefined:
        """Shifts in every group with enough records on both sides."""
        statistics = self.statistics
        found: list[Found] = []
        try:
            whole, _ = statistics.scatters()
        except Undefined as why:
            return why
        if not statistics.groups_asked:
            return Undefined(say("no variable forms groups in both tables"))
        deviations = np.sqrt(np.diag(whole.covariance))
        names = [v.name for v in statistics.variables]
        for group, category, before, after in statistics.scatters_by_group():
            if min(before.rows, after.rows) < self.chosen.valid_records:
                continue
            if what == "means":
                shifts = mean_shifts(before, after, deviations)
                place = int(shifts.argmax())
                found.append((float(shifts[place]), (group, category, names[place])))
            else:
                both = covariance_shifts(before, after, deviations)
                i, j = np.unravel_index(int(both.argmax()), both.shape)
                found.append((float(both[i, j]), (group, category, names[i], names[j])))
        return found or Undefined(say("no group has enough complete records on both sides"))

    def _removed(self, *, numbers: bool) -> list[str]:
        """Analysed variables that the protected table does not have: all of them is lost."""
        return [
            v.name
            for v in self.study.analysed
            if v.removed and (v.original.type == "continuous") == numbers
        ]

    def _margins(self) -> list[Found] | Undefined:
        """Units in another cell: of tables of one variable, or of those that are named."""
        wanted = [frozenset(names) for names in self.chosen.valid_tables]
        compared: dict[frozenset[str], Found] = {
            frozenset(t.variables): (t.moved, t.variables)
            for t in self.tables
            if t.moved is not None
        }
        gone = {*self._removed(numbers=False)}
        if not wanted:
            found = [one for names, one in compared.items() if len(names) == 1]
            found += [(1.0, (name,)) for name in gone]
            return found or Undefined(say("no table could be compared"))
        lost = [names for names in wanted if names & gone]
        unknown = [names for names in wanted if names not in compared and names not in lost]
        if unknown:
            return Undefined(say("{n} of the named tables could not be compared", n=len(unknown)))
        return [(1.0, tuple(sorted(n))) if n in lost else compared[n] for n in wanted]

    def _distributions(self) -> list[Found] | Undefined:
        """Distances of the distribution functions of all numbers."""
        found: list[Found] = [(1.0, (name,)) for name in self._removed(numbers=True)]
        for v in self.statistics.numbers:
            assert v.protected is not None
            try:
                value = largest_distance(v.original.levels, v.protected.levels)
            except Undefined as why:
                return Undefined(say("{name}: {why}", name=v.name, why=why))
            found.append((value, (v.name,)))
        return found or Undefined(say("no variable is continuous in both tables"))


def _criterion(name: str, found: list[Found] | Undefined, limit: float) -> ValidityCriterion:
    """The largest figure, which decides."""
    if isinstance(found, Undefined):
        return ValidityCriterion(name=name, value=None, limit=limit, passed=None, reason=str(found))
    value, about = max(found)
    return ValidityCriterion(
        name=name,
        value=value,
        limit=limit,
        passed=value <= limit,
        compared=len(found),
        about=about if value > 0 else (),
    )
