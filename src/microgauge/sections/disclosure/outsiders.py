"""Who was in, and the three attacks of WP29: units themselves, against people who were not in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Index
from microgauge.errors import Undefined
from microgauge.kernels.threads import one_thread
from microgauge.languages.messages import say
from microgauge.measures.disclosure.attacks import Attack, Variable, inference, linkability
from microgauge.measures.disclosure.draws import random_order
from microgauge.measures.disclosure.membership import membership
from microgauge.measures.disclosure.nearest import Attribute
from microgauge.measures.disclosure.singling import singling_out
from microgauge.records import dataclass
from microgauge.results.disclosure import Membership, WpAttack
from microgauge.sections.disclosure.copies import Copies
from microgauge.study.common_views import TableName, View

MOST_UNITS = 20_000
"""Units of a table that are looked for among all protected records; more are a sample of them."""
MOST_RECORDS = 5_000_000
"""Protected records beyond which nobody's nearest one is looked for."""


@dataclass(frozen=True, eq=False)
class Outsiders:
    """The units of all tables, one by one."""

    copies: Copies
    seed: int

    @cached_property
    def _units(self) -> Mapping[TableName, Index]:
        """For each table, the levels of its units; a sample where there are many."""
        if int(self.copies.rows["protected"].sum()) > MOST_RECORDS:
            raise Undefined(
                say("more than {most_records:,} protected records", most_records=MOST_RECORDS)
            )
        found: dict[TableName, Index] = {}
        for table, levels in self.copies.levels.items():
            units = np.repeat(levels, self.copies.rows[table], axis=0)
            if table != "protected" and len(units) > MOST_UNITS:
                columns = [self._cells(view, units[:, i]) for i, view in enumerate(self._views)]
                units = units[random_order(columns, self.seed)[:MOST_UNITS]]
            found[table] = units
        return found

    @property
    def _views(self) -> Sequence[View]:
        return self.copies.views

    @staticmethod
    def _cells(view: View, levels: Index) -> tuple[Any, NDArray[Any]]:
        """A variable of some units: numbers in ranges of the original, or codes."""
        if view.positions is None:
            return "category", np.where(levels < view.size, levels, -1)
        return "number", np.append(view.positions, np.nan)[levels]

    def membership(self) -> Membership:
        """Whether one can tell who was in; null with a reason where one cannot know."""
        try:
            if "holdout" not in self._units:
                raise Undefined(say("there is no holdout"))
            with one_thread():
                found = membership(
                    self._attributes("original"), self._attributes("holdout"), seed=self.seed
                )
        except Undefined as why:
            return Membership(auc=None, reason=str(why))
        return Membership(
            auc=found.auc.value,
            auc_ci=found.auc.interval,
            tpr_01=found.tpr_01.value,
            tpr_01_ci=found.tpr_01.interval,
            tpr_10=found.tpr_10.value,
            tpr_10_ci=found.tpr_10.interval,
            score=found.score,
            nearer_share=found.nearer_share,
        )

    def _attributes(self, table: TableName) -> list[Attribute]:
        """Variables of a table beside the protected records; a missing value is one of its own."""
        mine, theirs = self._units[table], self._units["protected"]
        found = []
        for place, view in enumerate(self._views):
            a, b = mine[:, place], theirs[:, place]
            if view.positions is None:
                found.append(Attribute("category", a, b))
                continue
            positions = np.append(view.positions, np.nan)
            found.append(Attribute("number", positions[a], positions[b]))
            if any((units[:, place] == view.size).any() for units in self._units.values()):
                gone = [(x == view.size).astype(np.intp) for x in (a, b)]
                found.append(Attribute("category", gone[0], gone[1]))
        return found

    # -- the three attacks -----------------------------------------------------------------------

    def attacks(self, keys: Sequence[str], targets: Sequence[str]) -> dict[str, WpAttack]:
        """Singling out, linkability by keys and the rest, inference of the worst target."""
        variables = {view.name: self._variable(i, view) for i, view in enumerate(self._views)}
        known = [variables[name] for name in keys if name in variables]
        rest = [v for name, v in variables.items() if name not in keys]
        seed = self.seed
        with one_thread():
            inferred = [
                (_told(partial(inference, known, variables[name], seed=seed)), name)
                for name in targets
                if name in variables
            ]
            return {
                "singling_out": _told(partial(singling_out, list(variables.values()), seed=seed)),
                "linkability": _told(partial(linkability, known, rest, seed=seed)),
                "inference": _worst(inferred),
            }

    def _variable(self, place: int, view: View) -> Variable:
        cells = {table: self._cells(view, units[:, place]) for table, units in self._units.items()}
        kind = cells["original"][0]
        held = cells["holdout"][1] if "holdout" in cells else None
        return Variable(kind, cells["original"][1], cells["protected"][1], held)


def _told(made: Callable[[], Attack]) -> WpAttack:
    try:
        found = made()
    except Undefined as why:
        return WpAttack(attack=None, reason=str(why))
    return WpAttack(
        attack=found.attack.share,
        attack_ci=found.attack.interval,
        naive=found.naive.share,
        naive_ci=found.naive.interval,
        control=None if found.control is None else found.control.share,
        control_ci=None if found.control is None else found.control.interval,
        risk=found.risk,
        ci=found.risk_ci,
        attacks=found.attack.attacks,
        reason=found.reason,
    )


def _beyond(found: WpAttack) -> float:
    """What the file adds: to what is known of others, or without a holdout to guessing."""
    if found.risk is not None:
        return found.risk
    return (found.attack or 0.0) - (found.naive or 0.0)


def _worst(tried: Sequence[tuple[WpAttack, str]]) -> WpAttack:
    """The target that is inferred best, beyond the control where there is one."""
    known = [(found, name) for found, name in tried if found.attack is not None]
    if not known:
        reason = tried[0][0].reason if tried else say("there is no target")
        return WpAttack(attack=None, reason=reason)
    best, name = max(known, key=lambda one: _beyond(one[0]))
    return replace(best, target=name)
