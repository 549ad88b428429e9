"""Recoding: values merged by a map, into bands, or by the start of codes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from microgauge.arrays import Floats
from microgauge.languages.messages import say
from microgauge.masking.checks import whole_up_to
from microgauge.masking.step import Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.values.labels import label_of, number_label


@dataclass(frozen=True, kw_only=True)
class Recode(Step):
    """Merge values: by a map, into bands, or by the start of codes."""

    method: ClassVar[str] = "recode"

    map: Mapping[str, Any] | None = None
    """What becomes what: old value = new value."""
    breaks: tuple[float, ...] | None = field(
        default=None,
        metadata={"said": say("must be rising numbers."), "values": "0, 18, 30, 65"},
    )
    """Where bands begin, rising; the last band is open above."""
    labels: tuple[str, ...] | None = field(
        default=None, metadata={"values": "0-17, 18-29, 30-64, 65+"}
    )
    """Names of the bands, as many as breaks."""
    prefix: int | None = field(default=None, metadata={"tried": (1, 3, 1)})
    """Keep so many characters of a code."""

    @property
    def counts(self) -> bool:
        """Breaks are for numbers; other ways take any values."""
        return self.breaks is not None

    def own_faults(self, look: Look) -> list[str]:
        """One of three ways, and what it needs."""
        ways = [w for w in ("map", "breaks", "prefix") if getattr(self, w) is not None]
        if len(ways) != 1:
            return [say("give one of map, breaks and prefix.") if ways else self._lacking(look)]
        found: list[str] = []
        if self.labels is not None and self.breaks is None:
            found.append(say("labels go with breaks."))
        if self.breaks is not None:
            if list(self.breaks) != sorted(set(self.breaks)) or not self.breaks:
                found.append(say("breaks must be rising numbers."))
            if self.labels is not None and len(self.labels) != len(self.breaks):
                found.append(say("labels must be {n}, one for each break.", n=len(self.breaks)))
            found += self.category_faults(look, say("breaks are for numbers: give map or prefix"))
        if self.prefix is not None:
            found += whole_up_to("prefix", self.prefix, 1, 1 << 30)
        return found

    def _lacking(self, look: Look) -> str:
        """What variables of this kind need."""
        held = [name for name in self.variables if name in look.uses]
        categories = [name for name in held if look.uses[name] == "category"]
        if categories:
            return say('"{name}" is a category: give map or prefix.', name=categories[0])
        if held:
            return say('"{name}" holds numbers: give breaks or map.', name=held[0])
        return say("give one of map, breaks and prefix.")

    def after(self, look: Look) -> None:
        """Bands and merged values are categories."""
        for name in self.variables:
            if name in look.uses:
                look.uses[name] = "category"

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Every variable recoded."""
        for name in self.variables:
            data = self._recoded(data, name)
        return data

    def _recoded(self, data: Data, name: str) -> Data:
        if self.breaks is not None:
            return self._banded(data, name)
        texts = _texts(data, name)
        if self.prefix is not None:
            return data.with_column(name, texts.str.slice(0, self.prefix))
        assert self.map is not None
        known = {str(key): str(value) for key, value in self.map.items()}
        if data.frame.schema[name].is_numeric():
            known = {label_of(key): value for key, value in known.items()}
        return data.with_column(name, texts.replace(known))

    def _banded(self, data: Data, name: str) -> Data:
        assert self.breaks is not None
        numbers, breaks = data.numbers(name), np.array(self.breaks, dtype=np.float64)
        band = np.searchsorted(breaks, numbers, side="right") - 1
        labels = self.labels or _band_labels(self.breaks, _whole_numbers(numbers))
        known = ~np.isnan(numbers) & (band >= 0)
        cells = [labels[b] if k else None for b, k in zip(band, known, strict=True)]
        return data.with_column(name, pl.Series(cells, dtype=pl.String))


def _texts(data: Data, name: str) -> pl.Series:
    """A column as labels: whole numbers without decimals."""
    if not data.frame.schema[name].is_numeric():
        return data.column(name).cast(pl.String)
    numbers = data.numbers(name)
    cells = [None if np.isnan(n) else number_label(float(n)) for n in numbers]
    return pl.Series(cells, dtype=pl.String)


def _whole_numbers(numbers: Floats) -> bool:
    known = numbers[~np.isnan(numbers)]
    return bool((np.floor(known) == known).all())


def _band_labels(breaks: tuple[float, ...], whole: bool) -> tuple[str, ...]:
    """0-17, 18-29, 30+ for whole numbers; [0,18), [18,30), 30+ for others."""
    found = []
    for low, high in itertools.pairwise(breaks):
        first, last = math.ceil(low), math.ceil(high) - 1
        if not whole or last < first:
            found.append(f"[{number_label(float(low))},{number_label(float(high))})")
        else:
            found.append(str(first) if first == last else f"{first}-{last}")
    end = math.ceil(breaks[-1]) if whole else breaks[-1]
    return (*found, f"{number_label(float(end))}+")
