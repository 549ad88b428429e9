"""Sampling: a part of the records, drawn without replacement."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import numpy as np

from microgauge.languages.messages import say
from microgauge.masking.checks import whole_up_to
from microgauge.masking.step import Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema.checks import share


@dataclass(frozen=True, kw_only=True)
class Sample(Step):
    """Keep a part of the records, drawn without replacement, in their order."""

    method: ClassVar[str] = "sample"

    share: float | None = None
    """Share of the records that is kept, 0 to 1; or give a number of records."""
    records: int | None = field(default=None, metadata={"tried": (1000, 5000, 1000)})
    """Number of records that are kept."""

    def variable_faults(self, look: Look) -> list[str]:
        """There are none to be named."""
        return [say("sample takes no variables.")] if self.variables else []

    def own_faults(self, look: Look) -> list[str]:
        """A share or a number."""
        if (self.share is None) == (self.records is None):
            return [say("give share or records.")]
        if self.share is not None:
            return share("share", self.share, optional=False) or (
                [] if self.share * look.rows >= 1 else [say("share is 0.")]
            )
        return whole_up_to("records", self.records, 1, look.rows)

    def after(self, look: Look) -> None:
        """Fewer records."""
        if not self.own_faults(look):
            look.rows = self._count(look.rows)

    def _count(self, rows: int) -> int:
        return int(self.records) if self.records is not None else round((self.share or 0) * rows)

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Sampled."""
        rows = np.sort(rng.permutation(data.rows)[: self._count(data.rows)])
        return Data(data.frame[rows])
