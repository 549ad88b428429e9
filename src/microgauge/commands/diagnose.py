"""Before protecting: how the original is distributed, whom it shows, what levels would do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import comb, isfinite
from pathlib import Path
from typing import Any, Literal

import numpy as np

from microgauge._version import __version__
from microgauge.arrays import Floats, Index
from microgauge.commands.assess import chosen_schema
from microgauge.commands.faults_first import SchemaSource, faults_first
from microgauge.engines.opening import open_table, reading_of
from microgauge.engines.rounds import asked, run_one, together
from microgauge.errors import InputError, Undefined, hint, listing
from microgauge.languages.messages import say, strung
from microgauge.log import Log, Note, Progress, followed, where_seen
from microgauge.measures.loss.values import Apart
from microgauge.measures.risk.classes import (
    ClassTable,
    class_table,
    internal_risk,
    records_within,
    size_quantiles,
)
from microgauge.passes import Axis, Classes, Facts, Pass
from microgauge.passes.classes import ClassCells
from microgauge.records import dataclass
from microgauge.results import (
    AttributeUtility,
    Diagnosis,
    LevelPreview,
    SubsetRisk,
    VariableDiagnosis,
)
from microgauge.results.disclosure import Intruder
from microgauge.schema import Names, Recode, Role, Schema
from microgauge.sections.balance.attributes import Attribute
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.balance.section import balanced, totals_of
from microgauge.sections.disclosure.evidence import Profiles
from microgauge.sections.disclosure.preview import Preview, Release
from microgauge.sections.disclosure.targets import target_names
from microgauge.sections.risk.choices import NO_KEYS, RiskChoices, no_keys
from microgauge.study.describe import Describer
from microgauge.study.guesses import guessed_columns
from microgauge.study.recoding import Recoding, declared_recoding
from microgauge.study.study import sound_parts
from microgauge.study.tallies import raw_axes
from microgauge.study.variable import Described, Side, continuous_both
from microgauge.study.variable_reading import as_number
from microgauge.tables import Table
from microgauge.values.intervals import parse_intervals
from microgauge.values.levels import Levels
from microgauge.values.packing import MOST, distinct, packed, unpacked
from microgauge.values.rounding import Rule

MOST_KEYS = 3
MOST_CELLS = 20_000_000
"""Cells of keys and targets, times subsets of keys, up to which what subsets tell is learned."""
TOO_MANY = say("learned: left out for subsets, too many combinations of keys and targets")
BINS = 20
MOST_CATEGORIES = 20
TOP = 0.01
LEFT_OUT = ("id", "weight", "derived", "exclude")

Released = dict[str, tuple[Described, Recoding | None]]
"""Variables as a protection level would release them; without a recoding: suppressed."""


@followed
@faults_first
def diagnose(
    original: Any,
    *,
    schema: SchemaSource = None,
    keys: Names = None,
    sensitive: Names = None,
    weight: str | None = None,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    engine: Any = "local",
    progress: Progress = where_seen,
) -> Diagnosis:
    """Distributions, classes and previews of protection levels, from one scan of the original.

    `keys`, `sensitive` and `weight` name variables beside the schema, as in `assess`.
    """
    roles = {"keys": keys, "sensitive": sensitive, "weight": weight}
    chosen = chosen_schema(schema, None, roles)
    progress(say("reading the original table"), 0.0)
    reading = reading_of(chosen, memory, scratch, engine)
    table = open_table(original, which="original", reading=reading, progress=progress)
    if not chosen.keys:
        raise InputError(no_keys(guessed_columns(table)))
    progress(say("scanning"), 0.0)
    return _Diagnoser.of(table, chosen).result()


@dataclass(eq=False)
class _Diagnoser:
    """Works out everything from the variables and the classes of the original."""

    table: Table
    schema: Schema
    variables: tuple[Described, ...]
    keys: list[Described]
    cells: ClassCells
    preview: Preview
    """What an intruder would get of any release."""
    released: Mapping[str, Released]
    """For each protection level, its variables as it would release them."""
    notes: tuple[Note, ...]

    @staticmethod
    def of(table: Table, schema: Schema) -> _Diagnoser:
        """One scan: how often each value occurs, and each combination of the keys' values."""
        schema, form = sound_parts(schema)
        describer = Describer(table, table, schema.of_original())
        names = tuple(name for name in schema.keys if name in table.columns)
        if not names:
            raise InputError(*(form or _key_faults(schema, table) or [NO_KEYS]))
        asking = _Asking.of(describer, names)
        # Both ask the same rows, and in the same round.
        described, facts = run_one(
            together(describer.describe(), asked(describer.raw_engines[0], asking.questions))
        )
        by_name = {v.name: v for v in described.variables}
        released, level_faults = _released_levels(schema, by_name)
        faults = [
            *form,
            *describer.faults,
            *level_faults,
            *_key_faults(schema, table, table.unsupported),
            *_target_faults(schema, by_name),
        ]
        if faults:
            raise InputError(*dict.fromkeys(faults))
        keys = [by_name[name] for name in names]
        preview = asking.preview(facts, describer.log)
        return _Diagnoser(
            table,
            schema,
            described.variables,
            keys,
            facts[asking.classes],
            preview,
            released,
            _notes(describer.log.notes),
        )

    def result(self) -> Diagnosis:
        """The four checks."""
        levels, rows = self._key_levels()
        whole = self._subset(self.keys, levels, rows)
        return Diagnosis(
            microgauge=__version__,
            path=self.table.name,
            rows=self.table.rows,
            variables=tuple(_distribution(v) for v in self.variables if v.role not in LEFT_OUT),
            classes=whole,
            subsets=self._subsets(levels, rows),
            levels=self._previews(levels, rows),
            missing_keys=self._missing_keys,
            risk_measure=self.schema.of(RiskChoices).measure,
            targets=tuple(self.preview.people.cells),
            notes=tuple(note.sentence for note in self.notes),
        )

    # -- classes -----------------------------------------------------------------------------

    @property
    def _missing_keys(self) -> Literal["value", "any"]:
        """As declared; an original has nothing suppressed."""
        return self.schema.of(RiskChoices).missing_keys or "value"

    def _key_levels(self) -> tuple[Index, Index]:
        """The levels of each raw class, and its records."""
        raw = unpacked(
            self.cells.keys, [len(self.table.columns[v.name].values) + 1 for v in self.keys]
        )
        levels = np.stack([v.original.lookup[raw[:, i]] for i, v in enumerate(self.keys)], axis=1)
        return levels, self.cells.rows

    def _classes(self, levels: Index, sizes: Sequence[int], rows: Index) -> ClassTable:
        full = [size + 1 for size in sizes]
        words, places, count = distinct(packed(list(levels.T), full), MOST)
        return class_table(
            unpacked(words, full),
            sizes,
            np.bincount(places, rows, count).astype(np.int64),
            np.empty((0, count)),
            missing_matches=self._missing_keys == "any",
        )

    def _subset(self, keys: Sequence[Described], levels: Index, rows: Index) -> SubsetRisk:
        names = tuple(v.name for v in keys)
        sizes = [len(v.original.levels) for v in keys]
        risk = _subset_risk(names, self._classes(levels, sizes, rows))
        learning = len(keys) == len(self.keys) or self._few_cells
        told = (self._as_it_is if learning else self._keys_alone).intruder(names)
        return replace(
            risk,
            found=told.found,
            learned=told.learned if learning else None,
            target=told.target,
            reason=told.reason if learning else TOO_MANY,
        )

    @cached_property
    def _as_it_is(self) -> Release:
        """The original, released as it is."""
        return self.preview.released(self._sides({}))

    @cached_property
    def _keys_alone(self) -> Release:
        return replace(self._as_it_is, targets=())

    @property
    def _few_cells(self) -> bool:
        """Whether what is learned by every subset of keys is worked out in little time."""
        cells = sum(len(held.rows) for held in self._as_it_is.people.cells.values())
        count = len(self.keys)
        return cells * sum(comb(count, size) for size in range(1, MOST_KEYS + 1)) <= MOST_CELLS

    def _subsets(self, levels: Index, rows: Index) -> tuple[SubsetRisk, ...]:
        """Every subset of up to three keys, the riskiest first."""
        found = [
            self._subset([self.keys[i] for i in places], levels[:, list(places)], rows)
            for size in range(1, min(MOST_KEYS, len(self.keys)) + 1)
            for places in combinations(range(len(self.keys)), size)
        ]
        return tuple(sorted(found, key=lambda s: (-s.unique_share, -s.internal, len(s.keys))))

    # -- protection levels -------------------------------------------------------------------

    def _previews(self, levels: Index, rows: Index) -> tuple[LevelPreview, ...]:
        return tuple(
            self._preview(name, changed, levels, rows) for name, changed in self.released.items()
        )

    def _preview(self, name: str, changed: Released, levels: Index, rows: Index) -> LevelPreview:
        columns = []
        sizes = []
        for place, variable in enumerate(self.keys):
            column, size = levels[:, place], len(variable.original.levels)
            if variable.name in changed:
                recoding = changed[variable.name][1]
                target = np.zeros(size, dtype=np.intp) if recoding is None else recoding.target
                size = 1 if recoding is None else len(recoding.recoded.levels)
                column = np.append(target, 0 if recoding is None else size)[column]
            columns.append(column)
            sizes.append(size)
        table = self._classes(np.stack(columns, axis=1), sizes, rows)
        told = self.preview.released(self._sides(changed)).intruder()
        return self._level(name, table, self._attributes(changed), told)

    def _sides(self, changed: Released) -> dict[str, Side]:
        """Keys and targets as a level releases them; those that it suppresses are left out."""
        found = {}
        for variable in self.variables:
            side: Side | None = variable.original
            if variable.name in changed:
                side = changed[variable.name][0].protected
            if side is not None:
                found[variable.name] = side
        return found

    def _attributes(self, changed: Released) -> tuple[AttributeUtility, ...]:
        found = []
        for variable in self.variables:
            if variable.role in LEFT_OUT or variable.original.empty:
                continue
            after, recoding = changed.get(variable.name, (variable, None))
            evidence = _Mapped(after, recoding)
            found.append(Attribute(after, recoding, evidence, self.schema.rut, Log()).result())
        return tuple(found)

    def _level(
        self,
        name: str,
        table: ClassTable,
        attributes: tuple[AttributeUtility, ...],
        told: Intruder,
    ) -> LevelPreview:
        chosen, measure = self.schema.of(RutChoices), self.schema.of(RiskChoices).measure
        internal = internal_risk(table)
        gets = None if told.found is None else max(told.found, told.learned or 0.0)
        risk = internal if measure == "classes" else gets
        totals = totals_of(attributes, chosen)
        value, why = balanced(totals.utility, risk, *chosen.weights, chosen.form)
        reasons = [totals.reason, why, told.reason]
        return LevelPreview(
            name=name,
            internal=internal,
            k=int(table.matching.min()),
            uniques=records_within(table, 1),
            attributes=attributes,
            loss=totals.loss,
            similarity=totals.similarity,
            utility=totals.utility,
            value=value,
            found=told.found,
            learned=told.learned,
            target=told.target,
            risk=risk,
            risk_measure=measure,
            reason=strung(dict.fromkeys(said for said in reasons if said), "; ") or None,
        )


@dataclass(frozen=True, eq=False)
class _Asking:
    """What is asked of the rows: combinations of the keys' values, and these with each target."""

    keys: tuple[Axis, ...]
    targets: Mapping[str, Axis]
    roles: Mapping[str, Role]
    schema: Schema

    @staticmethod
    def of(describer: Describer, keys: Sequence[str]) -> _Asking:
        """By raw values: how they are read is known only after the round in which these are."""
        roles = describer.roles()
        axes = raw_axes(describer.original)
        names = target_names(describer.schema.of(RiskChoices), roles)
        targets = {name: axes[name] for name in names if name in axes and name not in keys}
        return _Asking(tuple(axes[name] for name in keys), targets, roles, describer.schema)

    @property
    def classes(self) -> Classes:
        """Combinations of the keys' values."""
        return Classes(self.keys)

    def _with(self, target: str) -> Classes:
        return Classes((*self.keys, self.targets[target]))

    @property
    def questions(self) -> list[Pass]:
        """All of it."""
        return [self.classes, *(self._with(name) for name in self.targets)]

    def preview(self, facts: Facts, log: Log) -> Preview:
        """The people by keys and targets; a target that has too many combinations is left out."""
        answers = {}
        for name in self.targets:
            try:
                answers[name] = facts[self._with(name)]
            except Undefined as why:
                log.note(
                    "target-left-out",
                    say('What is learned of "{name}" is not previewed: {why}.', name=name, why=why),
                    [name],
                )
        people = Profiles.of(
            answers or {"": facts[self.classes]},
            [axis.size for axis in self.keys],
            {name: axis.size for name, axis in self.targets.items()},
        )
        keys = [axis.column for axis in self.keys]
        seed = self.schema.options.seed
        return Preview(people, keys, self.schema.of(RiskChoices), self.roles, seed)


@dataclass(frozen=True, eq=False)
class _Mapped:
    """What a recoding does, known from the recoding itself: every unit of a level goes one way."""

    variable: Described
    recoding: Recoding | None

    matched = True
    suppressed = 0.0

    def cells(self) -> tuple[Index, Index, Floats]:
        rows = self.variable.original.levels.rows.astype(np.float64)
        target = np.arange(len(rows)) if self.recoding is None else self.recoding.target
        return np.arange(len(rows)), target, rows

    def rule(self) -> Rule | None:
        """A level says its rounding itself."""
        return None

    def apart(self) -> Apart:
        after = self.variable.protected
        assert after is not None
        if not continuous_both(self.variable.original, after):
            raise Undefined(say("not a number in both tables"))
        first, second, rows = self.cells()
        apart = np.abs(self.variable.original.levels.numbers[first] - after.levels.numbers[second])
        sums = np.array([rows.sum(), (rows * apart).sum(), (rows * apart**2).sum(), 0.0, 0.0])
        return Apart.of(sums, 0.0)


def _recoded(variable: Described, recode: Recode | None) -> tuple[Described, Recoding | None]:
    """A variable as a level would release it; without a recoding it is suppressed."""
    original = variable.original
    if recode is None:
        return replace(variable, protected=None), None
    released = replace(original, intervals=None)
    numbers = recode.labels is not None and all(
        as_number(str(label)) is not None for label in recode.labels
    )
    if recode.breaks is not None and not numbers:
        released = replace(released, type="ordinal", levels=_labelled(original.levels))
    given = replace(variable.given, recode=recode)
    like = replace(variable, given=given, protected=released)
    recoding = declared_recoding(like, recode)
    return replace(like, protected=_released(recoding.recoded)), recoding


def _labelled(levels: Levels) -> Levels:
    """Levels by label, so that bands get labels of their own."""
    return Levels(levels.labels, levels.weighing)


def _released(side: Side) -> Side:
    keys = side.levels.keys
    intervals = None if isinstance(keys, np.ndarray) else parse_intervals(keys)
    return replace(side, intervals=None if intervals is None else tuple(intervals))


def _released_levels(
    schema: Schema, variables: Mapping[str, Described]
) -> tuple[dict[str, Released], list[str]]:
    """The variables of every level as it would release them, and what is wrong with levels."""
    found: dict[str, Released] = {}
    faults = []
    for level, recodes in schema.levels.items():
        found[level] = {}
        for name, recode in recodes.items():
            where = say("[level.{level}] {name}", level=level, name=name)
            if name not in variables:
                faults.append(
                    say(
                        "{where}: there is no such column.{hint} The table has: {variables}.",
                        where=where,
                        hint=hint(name, variables),
                        variables=listing(variables),
                    )
                )
            elif recode is None or not _recode_faults(recode):
                try:
                    found[level][name] = _recoded(variables[name], recode)
                except Undefined as why:
                    faults.append(say("{where}: {why}", where=where, why=why))
    return found, faults


def _key_faults(schema: Schema, table: Table, left_out: Collection[str] = ()) -> list[str]:
    return [
        say(
            'the quasi-identifier "{name}" is no column of single values in the '
            "table.{hint} The table has: {columns}.",
            name=name,
            hint=hint(name, table.columns),
            columns=listing(table.columns),
        )
        for name in schema.keys
        if name not in table.columns and name not in left_out
    ]


def _target_faults(schema: Schema, variables: Mapping[str, Described]) -> list[str]:
    """Targets that are no columns, or that an intruder knows."""
    named = RiskChoices(targets=schema.of(RiskChoices).targets)
    return named.column_faults("[risk]", {name: v.known for name, v in variables.items()})


def _recode_faults(recode: Recode) -> list[str]:
    return Schema(levels={"level": {"variable": recode}}).faults()


def _notes(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The table was described as if it were both; it is one."""
    return tuple(note for note in notes if "protected" not in note.about)


def _subset_risk(names: tuple[str, ...], table: ClassTable) -> SubsetRisk:
    alone = records_within(table, 1)
    quantiles = size_quantiles(table)
    return SubsetRisk(
        keys=names,
        internal=internal_risk(table),
        classes=len(table.rows),
        uniques=alone,
        unique_share=alone / table.records,
        small_share=records_within(table, 3) / table.records,
        class_quantiles=dict(zip(("5%", "50%", "95%"), quantiles, strict=True)),
    )


# -- distributions ---------------------------------------------------------------------------


def _distribution(variable: Described) -> VariableDiagnosis:
    levels = variable.original.levels
    start: dict[str, Any] = {
        "name": variable.name,
        "type": variable.original.type,
        "distinct": len(levels),
        "missing": levels.missing,
        "label": variable.label,
        "value_labels": dict(variable.value_labels) or None,
    }
    if not levels.present or levels.sums.sum() <= 0:
        return VariableDiagnosis(**start, histogram=(), reason=say("all missing"))
    if variable.original.type == "continuous" and levels.numeric:
        skewness, top = _shape(levels)
        return VariableDiagnosis(
            **start,
            histogram=_bins(levels),
            skewness=skewness,
            top_share=top,
            reason=None
            if skewness is not None and top is not None
            else say("constant or not positive"),
        )
    return VariableDiagnosis(
        **start, histogram=_frequent(levels), reason=say("skewness, top_share: no number")
    )


def _bins(levels: Levels) -> tuple[dict[str, Any], ...]:
    low, high = float(levels.numbers[0]), float(levels.numbers[-1])
    edges = np.linspace(low, high, BINS + 1) if high > low else np.array([low, high])
    if not isfinite(high - low):  # the range is beyond all numbers, its halves are not
        edges = np.linspace(low / 2, high / 2, BINS + 1) * 2
    shares, _ = np.histogram(levels.numbers, bins=edges, weights=levels.sums)
    shares = shares / levels.sums.sum()
    return tuple(
        {"low": float(a), "high": float(b), "share": float(share)}
        for a, b, share in zip(edges[:-1], edges[1:], shares, strict=True)
    )


def _frequent(levels: Levels) -> tuple[dict[str, Any], ...]:
    order = np.argsort(-levels.sums, kind="stable")[:MOST_CATEGORIES]
    total = levels.sums.sum()
    labels = levels.labels
    return tuple(
        {"category": labels[i], "share": float(levels.sums[i] / total)} for i in order.tolist()
    )


def _shape(levels: Levels) -> tuple[float | None, float | None]:
    """Skewness, and the share of the total that the top 1 % of units hold."""
    weights = levels.sums / levels.sums.sum()
    largest = float(np.abs(levels.numbers).max())
    if largest <= 0:
        return None, None
    # On one scale first: cubes of very large or small numbers would not be finite.
    numbers = levels.numbers / largest
    mean = float((weights * numbers).sum())
    second = float((weights * (numbers - mean) ** 2).sum())
    third = float((weights * (numbers - mean) ** 3).sum())
    skewness = third / second**1.5 if second > 0 else None
    total = float((weights * numbers).sum())
    if numbers[0] < 0 or total <= 0:
        return skewness, None
    below = np.append(0.0, np.cumsum(weights))
    held = np.append(0.0, np.cumsum(weights * numbers))
    return skewness, float(1.0 - np.interp(1.0 - TOP, below, held) / total)
