"""What stands beside the global data utility, so that its value can be read.

Two files whose loss is known: the original with every column permuted (no association left, all
distributions kept) and a resample of it (nothing lost but chance), means over seeded files. They
are reference points, not bounds. And, for large files, all tests as if from 1,000 units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats, Index
from microgauge.engines import Local
from microgauge.engines.rounds import Asking, asked
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.gdu.global_utility import balanced
from microgauge.passes import Column
from microgauge.records import dataclass
from microgauge.results import GDU, GduFigures, GduReference
from microgauge.schema import Options, Schema
from microgauge.sections.gdu.choices import GduChoices
from microgauge.sections.gdu.pair_scores import fingerprint
from microgauge.sections.gdu.section import GlobalUtility
from microgauge.study.study import Study
from microgauge.study.variable import Side
from microgauge.values.canonical import Coded, canonical_order, named
from microgauge.values.levels import Levels, Weighing, sums_by

LARGE = 5_000
"""Rows of either table above which the figures at 1,000 units stand beside."""
FEWER = 1_000
FILES = 5
"""Files of each kind whose mean a reference is."""
WORK = 50_000_000
"""Rows × pairs that are looked at for each kind: beyond it, fewer files are made."""
MOST_WORK = 100_000_000
"""Rows × pairs of one file beyond which none is made unless the schema asks for it."""
_SEED = 8
"""Keeps these draws apart from those of other parts of the program."""


def at_fewer_units(study: Study) -> Asking[GduFigures | None]:
    """All tests as if from 1,000 units, above 5,000 rows; from the same facts, with no more scans.

    Every p falls to 0 as files grow, and every small change with it scores 0: these figures tell
    large changes from small ones still. Models are not fitted again.
    """
    if max(engine.rows for engine in study.engines) <= LARGE:
        return None
    options = replace(study.options, test_n=FEWER)
    fewer = replace(study, schema=_without_models(study.schema, options))
    return (yield from GlobalUtility(fewer, Log()).figures())


def with_models(fewer: GduFigures | None, gdu: GDU) -> GduFigures | None:
    """The figures at fewer units, with the file's own models, whose tests are as they were."""
    if fewer is None:
        return None
    parts = balanced(fewer.univariate, fewer.bivariate, gdu.multivariate, gdu.weights)
    return GduFigures(
        value=parts.value,
        univariate=parts.univariate,
        bivariate=parts.bivariate,
        reason=fewer.reason,
    )


@dataclass(frozen=True)
class References:
    """The two reference points; None where they were not asked for."""

    permuted: GduReference | None = None
    resample: GduReference | None = None


def drawing(study: Study) -> Asking[Drawing | str | None]:
    """The original's rows to draw files from; why there are none; None where none are asked for.

    They are asked for in the round in which the file's own tests are.
    """
    chosen = study.schema.of(GduChoices).references
    if chosen is False:
        return None
    if all(key in study.cache.references for key in _keys(study).values()):
        return say("another candidate of the same original has them")
    why = _too_much(study, forced=chosen is True)
    return why if why is not None else (yield from _drawing(study))


def references(study: Study, rows: Drawing | str | None, log: Log) -> Asking[References]:
    """Both reference points, once for each original and number of protected rows."""
    if rows is None:
        return References()
    kept = study.cache.references
    keys = _keys(study)
    for kind, key in keys.items():
        if key not in kept:
            log.progress(say("global data utility of the original: {kind}", kind=kind), 0.0)
            kept[key] = yield from _reference(study, rows, kind)
    return References(**{kind: kept[key] for kind, key in keys.items()})


def _reference(study: Study, rows: Drawing | str, kind: str) -> Asking[GduReference]:
    count = _rows(study)[kind]
    if isinstance(rows, str):
        return GduReference(rows=count, files=0, reason=rows)
    return (yield from _mean(study, rows, kind, count, _files(study, count)))


def _rows(study: Study) -> dict[str, int]:
    """Rows of a file of each kind."""
    return {"permuted": study.original.rows, "resample": study.protected.rows}


def _keys(study: Study) -> dict[str, tuple[object, ...]]:
    """What the reference points depend on: how the original is seen, and the number of rows."""
    seen = tuple(sorted((v.name, fingerprint(v.original)) for v in study.analysed))
    return {kind: (kind, rows, seen) for kind, rows in _rows(study).items()}


def _pairs(study: Study) -> int:
    wanted = study.options.pairs
    count = len(study.analysed)
    return max(count * (count - 1) // 2 if wanted is None else len(wanted), 1)


def _files(study: Study, rows: int) -> int:
    return min(FILES, max(WORK // max(rows * _pairs(study), 1), 1))


def _too_much(study: Study, *, forced: bool) -> str | None:
    """Why no such files are made; None where they are."""
    rows = max(engine.rows for engine in study.engines)
    if study.sampled("original") or rows > study.options.sample_rows:
        most = study.options.sample_rows
        return say(
            "more than {most:,} rows (sample_rows in [options], or the memory that was allowed)",
            most=most,
        )
    if not forced and rows * _pairs(study) > MOST_WORK:
        return say(
            "{pairs:,} pairs of {rows:,} rows take long: [gdu] references = true",
            pairs=_pairs(study),
            rows=rows,
        )
    return None


# -- files drawn from the original -------------------------------------------------------------


class DrawnRows(Local):
    """Rows of a file that was drawn from the original, in memory: no table is read for them."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """The original's rows as levels, in an order that does not depend on the file's."""

    levels: Mapping[str, NDArray[Any]]
    sides: Mapping[str, Side]
    """The original's variables, with levels in the place of raw values."""
    rows: int
    weights: Floats | None
    seed: int

    def original(self) -> _File:
        """The original itself."""
        return _File(DrawnRows(self.levels, self.rows, self.weights), self.sides)

    def permuted(self, file: int, rows: int) -> _File:
        """Every column in an order of its own.

        With weights, cells are drawn by weight instead and then weigh alike: that keeps weighted
        distributions, as permuting keeps unweighted ones.
        """
        del rows
        drawn = {name: cells[self._order(file, name)] for name, cells in self.levels.items()}
        if self.weights is None:
            return _File(DrawnRows(drawn, self.rows), self.sides)
        return self._counted(drawn, self.rows, None)

    def _order(self, file: int, name: str) -> Index:
        rng = np.random.default_rng([self.seed, _SEED, file, named(name)])
        if self.weights is None:
            return rng.permutation(self.rows)
        return rng.choice(self.rows, self.rows, p=self.weights / self.weights.sum())

    def resample(self, file: int, rows: int) -> _File:
        """So many rows drawn with replacement, with their weights."""
        rng = np.random.default_rng([self.seed, _SEED, file])
        taken = rng.integers(0, self.rows, rows)
        drawn = {name: cells[taken] for name, cells in self.levels.items()}
        return self._counted(drawn, rows, None if self.weights is None else self.weights[taken])

    def _counted(
        self, drawn: Mapping[str, NDArray[Any]], rows: int, weights: Floats | None
    ) -> _File:
        sides = {
            name: replace(side, levels=_levels(side.levels, drawn[name], weights))
            for name, side in self.sides.items()
        }
        return _File(DrawnRows(drawn, rows, weights), sides)


@dataclass(frozen=True, eq=False)
class _File:
    """A file: its rows, and its variables."""

    rows: DrawnRows
    sides: Mapping[str, Side]


def _levels(like: Levels, cells: NDArray[Any], weights: Floats | None) -> Levels:
    """The same levels with the counts of other cells."""
    size = len(like) + 1
    rows = np.bincount(cells, minlength=size)
    if weights is None:
        sums = rows.astype(np.float64)
        return Levels(like.keys, Weighing(rows, sums, sums))
    here = cells.astype(np.intp)
    squares = sums_by(here, weights * weights, size)
    return Levels(like.keys, Weighing(rows, sums_by(here, weights, size), squares))


def _drawing(study: Study) -> Asking[Drawing]:
    """The rows of the original, read once."""
    rows = study.rows("original")
    axes = {v.name: v.original.axis(v.name) for v in study.analysed}
    facts = yield from asked(rows, [Column(axis) for axis in axes.values()])
    columns = [
        Coded(v.name, facts[Column(axes[v.name])], axes[v.name].size + 1, _ordered(v.original))
        for v in study.analysed
    ]
    weights = _unequal(rows.weights)
    order = canonical_order(columns, weights)
    return Drawing(
        {c.name: c.levels[order].astype(np.min_scalar_type(c.size)) for c in columns},
        {
            v.name: replace(v.original, lookup=np.arange(len(v.original.levels) + 1))
            for v in study.analysed
        },
        rows.rows,
        None if weights is None else weights[order],
        study.options.seed,
    )


def _unequal(weights: Floats | None) -> Floats | None:
    """Weights that are all the same are none."""
    if weights is None or np.allclose(weights, weights[:1], rtol=1e-9, atol=0.0):
        return None
    return np.asarray(weights)


def _ordered(side: Side) -> bool:
    return side.type != "nominal"


# -- their figures -------------------------------------------------------------------------------


def _mean(study: Study, drawing: Drawing, kind: str, rows: int, files: int) -> Asking[GduReference]:
    """The mean figures of some files of a kind, one after the other."""
    drawn: Callable[[int, int], _File] = getattr(drawing, kind)
    original = drawing.original()
    found: list[GduFigures] = []
    for file in range(files):
        variant = _variant(study, original, drawn(file, rows))
        found.append((yield from GlobalUtility(variant, Log()).figures()))
    return GduReference(
        value=_average([gdu.value for gdu in found]),
        univariate=_average([gdu.univariate for gdu in found]),
        bivariate=_average([gdu.bivariate for gdu in found]),
        rows=rows,
        files=files,
        reason=found[0].reason,
    )


def _variant(study: Study, original: _File, file: _File) -> Study:
    """The study of such a file: nothing was recoded or removed, and there are no models."""
    variables = tuple(
        replace(v, original=original.sides[v.name], protected=file.sides[v.name])
        for v in study.analysed
    )
    return replace(
        study,
        variables=variables,
        analysed=variables,
        recodings={},
        description=replace(
            study.description, variables=variables, original=original.rows, protected=file.rows
        ),
        schema=_without_models(study.schema, study.options),
    )


def _without_models(schema: Schema, options: Options) -> Schema:
    balance = _two_weights(options.balance)
    return schema.changed(options=replace(options, balance=balance), models=())


def _two_weights(balance: tuple[float, ...]) -> tuple[float, ...]:
    """Those of variables and pairs: models are not fitted to reference files."""
    total = sum(balance[:2])
    return (0.5, 0.5) if total == 0 else tuple(weight / total for weight in balance[:2])


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
