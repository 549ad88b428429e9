"""The steps of a recipe: each a method with its parameters, checked before any is taken."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from microgauge.arrays import Floats, Index
from microgauge.errors import hint
from microgauge.masking import microaggregation as micro
from microgauge.masking import noise, pram, swapping, synthesis
from microgauge.masking.suppression import MOST_KEYS, locally_suppressed
from microgauge.masking.table import Data, Kind
from microgauge.values.labels import label_of, number_label
from microgauge.values.rounding import Mode, Rule


@dataclass
class Look:
    """What is known of the table before a step: kinds change as steps recode."""

    kinds: dict[str, Kind]
    rows: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step. `kind` is what its variables must hold; None: either."""

    method: ClassVar[str]
    kind: ClassVar[Kind | None] = None
    several: ClassVar[bool] = True
    """Whether it takes more than one variable."""

    variables: tuple[str, ...] = ()

    def faults(self, look: Look, *, own: bool = True) -> list[str]:
        """What is wrong with the step for such a table; `own`: with its parameters, too."""
        return [*self._variable_faults(look), *(self.own_faults(look) if own else [])]

    def _variable_faults(self, look: Look) -> list[str]:
        if not self.variables:
            return ["names no variable: variables = […]."]
        twice = [name for name, times in Counter(self.variables).items() if times > 1]
        found = [f'"{name}" is named twice.' for name in twice]
        for name in dict.fromkeys(self.variables):
            if name not in look.kinds:
                found.append(f'there is no variable "{name}".{hint(name, look.kinds)}')
            elif self.kind is not None and look.kinds[name] not in (self.kind, "code"):
                is_a = "a number" if look.kinds[name] == "number" else "a category"
                found.append(f'"{name}" is {is_a}; {self.method} is for {PLURAL[self.kind]}.')
        return found

    def own_faults(self, look: Look) -> list[str]:
        """Faults of the parameters."""
        return []

    def _categories(self, look: Look, why: str) -> list[str]:
        """Variables that hold no numbers, which this way of the method needs."""
        held = [name for name in self.variables if look.kinds.get(name) == "category"]
        return [f'"{name}" is a category; {why}.' for name in held]

    def after(self, look: Look) -> None:
        """What the step changes of what is known."""

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """The table after the step."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Skipped(Step):
    """A step that is not taken; it keeps its place, and with it the chance of the steps after."""

    method: ClassVar[str] = "skipped"

    def faults(self, look: Look, *, own: bool = True) -> list[str]:
        """None."""
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """The table as it was."""
        return data


PLURAL = {"number": "numbers", "category": "categories"}


def _share(value: object, name: str = "share") -> list[str]:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return []
    return [f"{name} must be a number from 0 to 1."]


def _positive(value: object, name: str) -> list[str]:
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return []
    return [f"{name} must be a number above 0."]


def _whole(value: object, name: str, least: int, most: int) -> list[str]:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= least
    if not good:
        return [f"{name} must be a whole number, {least} or more."]
    if isinstance(value, int) and value > most:
        return [f"{name} = {value} is more than the {most} records."]
    return []


# -- recoding --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Recode(Step):
    """Merge values: by a map, into bands, or by the start of codes."""

    method: ClassVar[str] = "recode"

    map: Mapping[str, Any] | None = None
    breaks: tuple[float, ...] | None = None
    labels: tuple[str, ...] | None = None
    prefix: int | None = None

    def own_faults(self, look: Look) -> list[str]:
        """One of three ways, and what it needs."""
        ways = [w for w in ("map", "breaks", "prefix") if getattr(self, w) is not None]
        if len(ways) != 1:
            return ["give one of map, breaks and prefix."]
        found: list[str] = []
        if self.labels is not None and self.breaks is None:
            found.append("labels go with breaks.")
        if self.breaks is not None:
            if list(self.breaks) != sorted(set(self.breaks)) or not self.breaks:
                found.append("breaks must be rising numbers.")
            if self.labels is not None and len(self.labels) != len(self.breaks):
                found.append(f"labels must be {len(self.breaks)}, one for each break.")
            found += self._categories(look, "breaks are for numbers")
        if self.prefix is not None:
            found += _whole(self.prefix, "prefix", 1, 1 << 30)
        return found

    def after(self, look: Look) -> None:
        """Bands and merged values are categories."""
        for name in self.variables:
            if name in look.kinds:
                look.kinds[name] = "category"

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
            return data.with_column(texts.str.slice(0, self.prefix).alias(name))
        assert self.map is not None
        known = {str(key): str(value) for key, value in self.map.items()}
        if data.frame.schema[name].is_numeric():
            known = {label_of(key): value for key, value in known.items()}
        return data.with_column(texts.replace(known).alias(name))

    def _banded(self, data: Data, name: str) -> Data:
        assert self.breaks is not None
        numbers, breaks = data.numbers(name), np.array(self.breaks, dtype=np.float64)
        band = np.searchsorted(breaks, numbers, side="right") - 1
        labels = self.labels or _band_labels(self.breaks, _whole_numbers(numbers))
        known = ~np.isnan(numbers) & (band >= 0)
        cells = [labels[b] if k else None for b, k in zip(band, known, strict=True)]
        return data.with_column(pl.Series(name, cells, dtype=pl.String))


def _texts(data: Data, name: str) -> pl.Series:
    """A column as labels: whole numbers without decimals."""
    if not data.frame.schema[name].is_numeric():
        return data.frame[name].cast(pl.String)
    numbers = data.numbers(name)
    cells = [None if np.isnan(n) else number_label(float(n)) for n in numbers]
    return pl.Series(name, cells, dtype=pl.String)


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


@dataclass(frozen=True, kw_only=True)
class Round(Step):
    """Round numbers to multiples of a unit."""

    method: ClassVar[str] = "round"
    kind: ClassVar[Kind | None] = "number"

    unit: float = 0.0
    mode: Mode = "nearest"

    def own_faults(self, look: Look) -> list[str]:
        """A unit above 0."""
        found = _positive(self.unit, "unit")
        if self.mode not in ("nearest", "floor", "ceiling"):
            found.append("mode must be nearest, floor or ceiling.")
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Rounded."""
        rule = Rule(float(self.unit), self.mode)
        for name in self.variables:
            data = data.with_numbers(name, rule.applied(data.numbers(name)))
        return data


@dataclass(frozen=True, kw_only=True)
class TopBottom(Step):
    """Top and bottom coding: numbers beyond a limit become the limit."""

    method: ClassVar[str] = "top_bottom"
    kind: ClassVar[Kind | None] = "number"

    top: float | None = None
    bottom: float | None = None

    def own_faults(self, look: Look) -> list[str]:
        """At least one limit."""
        if self.top is None and self.bottom is None:
            return ["give top, bottom or both."]
        if self.top is not None and self.bottom is not None and self.top < self.bottom:
            return ["top is below bottom."]
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Clipped."""
        for name in self.variables:
            data = data.with_numbers(name, np.clip(data.numbers(name), self.bottom, self.top))
        return data


# -- suppression -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Suppress(Step):
    """Make cells missing: those of given records (counted from 1), or a share at random."""

    method: ClassVar[str] = "suppress"

    records: tuple[int, ...] = ()
    share: float | None = None

    def own_faults(self, look: Look) -> list[str]:
        """Records or a share."""
        if bool(self.records) == (self.share is not None):
            return ["give records = […] or share."]
        found = [] if self.share is None else _share(self.share)
        outside = [r for r in self.records if not isinstance(r, int) or not 1 <= r <= look.rows]
        if outside:
            found.append(f"{len(outside)} of records are not from 1 to {look.rows}.")
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """With missing cells, drawn for each variable by itself."""
        for name in self.variables:
            gone = np.zeros(data.rows, dtype=np.bool_)
            if self.share is None:
                gone[np.array(self.records) - 1] = True
            else:
                gone[rng.permutation(data.rows)[: round(self.share * data.rows)]] = True
            cells = pl.select(pl.when(pl.Series(~gone)).then(data.frame[name])).to_series()
            data = data.with_column(cells.alias(name))
        return data


@dataclass(frozen=True, kw_only=True)
class LocalSuppression(Step):
    """Make key values missing until every combination occurs k times."""

    method: ClassVar[str] = "local_suppression"

    k: int = 3
    importance: Mapping[str, float] = field(default_factory=dict)
    """What losing a value of a variable costs, 1 unless given."""

    def own_faults(self, look: Look) -> list[str]:
        """k up to the records; importance of the variables."""
        found = _whole(self.k, "k", 2, look.rows)
        if len(self.variables) > MOST_KEYS:
            found.append(f"takes at most {MOST_KEYS} variables.")
        found += [
            f'importance names "{name}", which is not among the variables.'
            f"{hint(name, self.variables)}"
            for name in self.importance
            if name not in self.variables
        ]
        for name, value in self.importance.items():
            found += _positive(value, f"importance of {name}")
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """With as few missing cells as the search finds."""
        coded = [data.codes(name) for name in self.variables]
        levels = np.stack([codes for codes, _ in coded], axis=1)
        sizes = [len(values) for _, values in coded]
        weights = np.array([float(self.importance.get(n, 1.0)) for n in self.variables])
        found = locally_suppressed(levels, sizes, self.k, weights)
        for place, name in enumerate(self.variables):
            data = data.with_codes(name, found[:, place], coded[place][1])
        return data


# -- numbers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Noise(Step):
    """Add normal noise: a share of each variable's deviation, or a deviation in its own units."""

    method: ClassVar[str] = "noise"
    kind: ClassVar[Kind | None] = "number"

    share: float | None = None
    deviation: float | None = None
    correlated: bool = False
    """Noise with the correlations of the variables."""
    positive: bool = False
    """Only on positive values, drawn again until positive."""

    def own_faults(self, look: Look) -> list[str]:
        """A share or a deviation, and one way."""
        if (self.share is None) == (self.deviation is None):
            return ["give share or deviation."]
        found = _positive(self.share, "share") if self.share is not None else []
        found += _positive(self.deviation, "deviation") if self.deviation is not None else []
        if self.correlated and (self.positive or self.deviation is not None):
            found.append("correlated noise takes a share, and goes on all values.")
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Noisy."""
        columns = data.matrix(self.variables)
        if self.correlated:
            assert self.share is not None
            found = noise.correlated(columns, self.share, rng)
        elif self.positive:
            found = np.stack(
                [noise.on_positive(c, self._deviation(c[c > 0]), rng) for c in columns.T], axis=1
            )
        else:
            deviations = np.array([self._deviation(column) for column in columns.T])
            found = noise.additive(columns, deviations, rng)
        return _with_all(data, self.variables, found)

    def _deviation(self, column: Floats) -> float:
        if self.deviation is not None:
            return float(self.deviation)
        assert self.share is not None
        known = column[~np.isnan(column)]
        return float(self.share * known.std()) if len(known) else 0.0


def _with_all(data: Data, names: tuple[str, ...], columns: Floats) -> Data:
    for name, column in zip(names, columns.T, strict=True):
        data = data.with_numbers(name, column)
    return data


@dataclass(frozen=True, kw_only=True)
class Microaggregate(Step):
    """Replace numbers by the means of groups of g records near each other."""

    method: ClassVar[str] = "microaggregation"
    kind: ClassVar[Kind | None] = "number"

    g: int = 3
    groups: Literal["each", "projection", "mdav"] = "each"
    """Each variable by itself; together by the sum of z-scores; together by distance."""
    noise: bool = False
    """Add noise with the covariance that aggregation removed."""

    def own_faults(self, look: Look) -> list[str]:
        """g up to the records."""
        found = _whole(self.g, "g", 2, look.rows)
        if self.groups not in ("each", "projection", "mdav"):
            found.append("groups must be each, projection or mdav.")
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Aggregated; records with some number missing by themselves, each number alone.

        Fewer than g cannot be aggregated, and become missing.
        """
        sets = [(n,) for n in self.variables] if self.groups == "each" else [self.variables]
        for names in sets:
            columns = data.matrix(names)
            whole = ~np.isnan(columns).any(axis=1)
            columns[whole] = self._aggregated(columns[whole], rng)
            for place in range(len(names)):
                rest = ~whole & ~np.isnan(columns[:, place])
                columns[rest, place] = self._aggregated(columns[rest, place][:, None], rng)[:, 0]
            data = _with_all(data, tuple(names), columns)
        return data

    def _aggregated(self, before: Floats, rng: np.random.Generator) -> Floats:
        if len(before) < self.g:
            return np.full_like(before, np.nan)
        after = micro.group_means(before, self._groups(before))
        return after + micro.removed_noise(before, after, rng) if self.noise else after

    def _groups(self, columns: Floats) -> Index:
        if self.groups == "mdav":
            return micro.mdav_groups(columns, self.g)
        scores = columns[:, 0] if self.groups == "each" else micro.projected(columns)
        return micro.sorted_groups(scores, self.g)


def _spelled(name: Any) -> str:
    """A category as a file spells it; from Python it may be a number."""
    return name if isinstance(name, str) else label_of(name)


# -- swapping and PRAM -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RankSwap(Step):
    """Swap each number with one whose rank is near, every variable by itself."""

    method: ClassVar[str] = "rank_swap"
    kind: ClassVar[Kind | None] = "number"

    window: float = 0.0
    """Ranks that a value may move, in per cent of the records."""

    def own_faults(self, look: Look) -> list[str]:
        """Up to 100 per cent."""
        if not isinstance(self.window, int | float) or not 0 < self.window <= 100:
            return ["window must be a number above 0 and up to 100, in per cent of the records."]
        if self.window * look.rows / 100.0 + 1e-9 < 1:
            return [f"window = {self.window:g} % of {look.rows} records is less than one."]
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Swapped; missing cells stay where they are."""
        for name in self.variables:
            numbers = data.numbers(name)
            here = np.flatnonzero(~np.isnan(numbers))
            window = int(self.window * len(here) / 100.0 + 1e-9)
            moved = np.arange(data.rows)
            moved[here] = here[swapping.rank_swapped(numbers[here], window, rng)]
            data = data.taken(name, moved)
        return data


@dataclass(frozen=True, kw_only=True)
class Swap(Step):
    """Swap values between pairs of records drawn at random."""

    method: ClassVar[str] = "swap"

    share: float = -1.0
    """Share of the records that take part."""
    together: bool = False
    """Whether all variables change between the same pairs."""

    def own_faults(self, look: Look) -> list[str]:
        """A share."""
        return _share(self.share)

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Swapped."""
        moved = swapping.swapped(data.rows, self.share, rng)
        for place, name in enumerate(self.variables):
            if place and not self.together:
                moved = swapping.swapped(data.rows, self.share, rng)
            data = data.taken(name, moved)
        return data


@dataclass(frozen=True, kw_only=True)
class Pram(Step):
    """Change categories at random: by a matrix, or so that expected frequencies stay."""

    method: ClassVar[str] = "pram"
    kind: ClassVar[Kind | None] = "category"

    keep: float | None = None
    """Probability that a category stays, before the matrix is made invariant."""
    invariant: bool = True
    matrix: Mapping[str, Mapping[str, float]] | None = None
    """For each category the probabilities of what it becomes; what is not named stays."""

    def own_faults(self, look: Look) -> list[str]:
        """A probability or a matrix whose rows add up to 1."""
        if (self.keep is None) == (self.matrix is None):
            return ["give keep or matrix."]
        if self.keep is not None:
            return _share(self.keep, "keep")
        assert self.matrix is not None
        found = []
        for name, row in self.matrix.items():
            good = isinstance(row, Mapping) and all(
                isinstance(p, int | float) and 0 <= p <= 1 for p in row.values()
            )
            if not good or abs(sum(row.values()) - 1.0) > 1e-9:
                found.append(f"the row of matrix for {name!r} must be shares that add up to 1.")
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Changed; missing cells stay missing."""
        for name in self.variables:
            codes, values = data.codes(name)
            if not len(values):
                continue
            counts = np.bincount(codes, minlength=len(values) + 1)[: len(values)]
            matrix, values = self._matrix(values)
            if self.matrix is None and self.invariant:
                matrix = pram.invariant(matrix, counts.astype(np.float64))
            data = data.with_codes(name, self._drawn(codes, matrix, len(counts), rng), values)
        return data

    def _matrix(self, values: pl.Series) -> tuple[Floats, pl.Series]:
        if self.matrix is None:
            assert self.keep is not None
            return pram.even_matrix(len(values), self.keep), values
        # Text is spelled as it stands; numbers and truth values as labels are.
        text = values.dtype == pl.String
        labels = [str(v) if text else label_of(v) for v in values.to_list()]
        matrix = {
            _spelled(name): {_spelled(other): share for other, share in row.items()}
            for name, row in self.matrix.items()
        }
        wanted = [label for row in matrix.values() for label in row]
        labels += [label for label in dict.fromkeys(wanted) if label not in labels]
        place = {label: i for i, label in enumerate(labels)}
        found = np.eye(len(labels))
        for label, row in matrix.items():
            if label in place:
                found[place[label]] = 0.0
                for other, share in row.items():
                    found[place[label], place[other]] = share
        return found, pl.Series(labels, dtype=pl.String)

    @staticmethod
    def _drawn(codes: Index, matrix: Floats, known: int, rng: np.random.Generator) -> Index:
        # A matrix may name categories that no record has; a missing cell's code moves behind them.
        places = np.where(codes == known, len(matrix), codes)
        return pram.perturbed(places, matrix, rng)


# -- records ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Sample(Step):
    """Keep a part of the records, drawn without replacement, in their order."""

    method: ClassVar[str] = "sample"

    share: float | None = None
    records: int | None = None

    def _variable_faults(self, look: Look) -> list[str]:
        return ["sample takes no variables."] if self.variables else []

    def own_faults(self, look: Look) -> list[str]:
        """A share or a number."""
        if (self.share is None) == (self.records is None):
            return ["give share or records."]
        if self.share is not None:
            return _share(self.share) or ([] if self.share * look.rows >= 1 else ["share is 0."])
        return _whole(self.records, "records", 1, look.rows)

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


@dataclass(frozen=True, kw_only=True)
class Synthesise(Step):
    """Replace variables of all records by draws from a simple model."""

    method: ClassVar[str] = "synthesise"

    model: Literal["normal", "independent", "trees"] = "trees"

    def own_faults(self, look: Look) -> list[str]:
        """Normal draws are numbers."""
        if self.model not in ("normal", "independent", "trees"):
            return ["model must be normal, independent or trees."]
        if self.model == "normal":
            return self._categories(look, "normal draws are numbers")
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Synthetic."""
        if self.model == "normal":
            columns = data.matrix(self.variables)
            drawn = synthesis.normal(columns, data.rows, rng)
            cells = [pl.Series(n, c) for n, c in zip(self.variables, drawn.T, strict=True)]
            return Data(data.frame.with_columns(cells))
        if self.model == "independent":
            donors = synthesis.independent(len(self.variables), data.rows, data.rows, rng)
        else:
            given = [self._given(data, name) for name in self.variables]
            donors = synthesis.by_trees(given, data.rows, rng)
        found = [data.frame[n].gather(d) for n, d in zip(self.variables, donors, strict=True)]
        return Data(data.frame.with_columns(found))

    @staticmethod
    def _given(data: Data, name: str) -> synthesis.Given:
        if data.kinds[name] == "number":
            return synthesis.Given(numbers=data.numbers(name))
        return synthesis.Given(codes=data.codes(name)[0])


METHODS: dict[str, type[Step]] = {
    step.method: step
    for step in (
        Recode,
        Round,
        TopBottom,
        Suppress,
        LocalSuppression,
        Noise,
        Microaggregate,
        RankSwap,
        Swap,
        Pram,
        Sample,
        Synthesise,
    )
}
