"""Special uniques: records that few of their quasi-identifiers single out (SUDA)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.loss.moments import quantile
from microgauge.measures.risk.suda import Suda, suda2
from microgauge.passes import Column, Facts
from microgauge.results import SudaRisk
from microgauge.sections.risk.classes import KeyClasses, released


@dataclass(eq=False)
class SpecialUniques:
    """Looks at every record of the protected table."""

    classes: KeyClasses
    _columns: Facts = field(default_factory=lambda: Facts({}))

    def ask(self) -> Asking[None]:
        """The key levels of every record, where all are looked at."""
        study = self.classes.study
        if not study.sampled("protected"):
            columns = [Column(axis) for axis in self.classes.axes]
            self._columns = yield from asked(study.rows("protected"), columns)

    @cached_property
    def record_levels(self) -> Index:
        """The key levels of every record."""
        return np.stack([self._columns[Column(axis)] for axis in self.classes.axes], axis=1)

    @cached_property
    def suda(self) -> Suda | Undefined:
        """SUDA2 of every record, or why there is none."""
        study, chosen = self.classes.study, self.classes.chosen
        if study.sampled("protected"):
            # A record that is unique in a sample need not be so in the file.
            return Undefined(
                say(
                    "more than sample_rows = {sample_rows:,} records",
                    sample_rows=study.options.sample_rows,
                )
            )
        try:
            return suda2(
                self.record_levels,
                self.classes.table.sizes,
                most=chosen.suda_max,
                fraction=chosen.suda_fraction,
                missing_matches=self.classes.table.missing_matches,
            )
        except Undefined as why:
            return why

    def result(self) -> SudaRisk:
        """How special the uniques are, and which variables and values make them so."""
        found = self.suda
        if isinstance(found, Undefined):
            return SudaRisk(scores=None, contributions=None, reason=str(found))
        names = self.classes.names
        labels = [released(v).levels.labels for v in self.classes.keys]
        return SudaRisk(
            scores=_spread(found.scores),
            contributions={names[j]: share for j, share in found.contributions.items()},
            level_contributions={
                names[j]: {_label(labels[j], code): s for code, s in shares.items()}
                for j, shares in found.level_contributions.items()
            },
            msus={str(size): count for size, count in found.msu_sizes.items()},
            dis=_spread(found.dis),
            most=found.size,
            fraction=found.fraction,
        )


def _label(labels: tuple[str, ...], code: int) -> str:
    return labels[code] if code < len(labels) else say("(missing)")


def _spread(scores: Floats) -> dict[str, float]:
    ranked, ones = np.sort(scores), np.ones(len(scores))
    found = {
        f"{share:.0%}": quantile(ranked, ones, share, counts=True) for share in (0.5, 0.95, 0.99)
    }
    return {**found, "largest": float(ranked[-1]), "mean": float(ranked.mean())}
