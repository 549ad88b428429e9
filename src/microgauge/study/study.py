"""Before the first measure: tables described and matched, schema checked, recodings found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from microgauge.engines import Engine, Local
from microgauge.engines.rounds import Asking
from microgauge.errors import Fault, InputError, Undefined, coded
from microgauge.languages.messages import say
from microgauge.log import Log, Note
from microgauge.passes.batch import SHARED_ROWS
from microgauge.records import dataclass
from microgauge.results.wording import called
from microgauge.schema import Options, Schema, Variable, Which
from microgauge.study.alignment import Matching, joined_tables, match
from microgauge.study.common_levels import Placed, comparable, compared, placed
from microgauge.study.describe import Describer, Description, OriginalCache, options_notes
from microgauge.study.near_misses import note_near_misses
from microgauge.study.recoding import (
    MOST_MATCHED,
    Recoding,
    declared_recoding,
    found_recodings,
    ordered_by_recoding,
)
from microgauge.study.variable import Described
from microgauge.tables import Table

if TYPE_CHECKING:
    from microgauge.study.external import External

SIDES: tuple[Which, Which] = ("original", "protected")
RowsOf = Literal["original", "protected", "matched"]


@dataclass(eq=False)
class RowViews:
    """Rows in memory for measures that must see units: all of a table's, or a sample."""

    engines: Mapping[RowsOf, Engine]
    options: Options
    by_place: bool
    """Whether tables correspond row by row, so that a sample must take the same places."""
    log: Log = field(default_factory=Log)
    _held: dict[RowsOf, Local] = field(default_factory=dict)

    def of(self, which: RowsOf) -> Local:
        """The rows of a table; where they are a sample, that is noted."""
        if which not in self._held:
            engine = self.engines[which]
            found = engine.sample(
                self.options.sample_rows, self.options.seed, by_place=self.by_place
            )
            self._held[which] = found
            if found.rows < engine.rows:
                self.log.note(
                    "rows-sampled",
                    say(
                        "Measures that look at single records look at {rows:,} of the "
                        "{rows2:,} {which} ones, chosen by hash (seed {seed}; "
                        "sample_rows in [options], or the memory that was allowed).",
                        rows=found.rows,
                        rows2=engine.rows,
                        which=which,
                        seed=self.options.seed,
                    ),
                    [which],
                )
        return self._held[which]

    def sampled(self, which: RowsOf) -> bool:
        """Whether measures that look at single records see a part of them only."""
        return self.engines[which].rows > self.options.sample_rows

    @property
    def notes(self) -> list[Note]:
        """Which rows are samples, in the order of the tables, whoever looked at them first."""
        places = {str(name): place for place, name in enumerate(self.engines)}
        return sorted(self.log.notes, key=lambda note: places[note.about[0]])


@dataclass(frozen=True, eq=False)
class Study:
    """Everything known before the first measure: checked, described, aligned, recodings found."""

    variables: tuple[Described, ...]
    analysed: tuple[Described, ...]
    recodings: Mapping[str, Recoding]
    matching: Matching
    description: Description
    schema: Schema
    tables: tuple[Table, Table]
    cache: OriginalCache
    views: RowViews
    external: External | None = None
    """A table an intruder may hold."""
    population: External | None = None
    """The table the original was drawn from."""
    holdout: External | None = None
    """People of the same population, none of whom was used."""

    @property
    def original(self) -> Engine:
        """The original's rows."""
        return self.description.original

    @property
    def protected(self) -> Engine:
        """The protected rows."""
        return self.description.protected

    @property
    def engines(self) -> tuple[Engine, Engine]:
        """The rows of both tables, the original's first."""
        return self.original, self.protected

    @property
    def long(self) -> bool:
        """Whether variables have so many cells that threads share what is done for each."""
        return max(engine.rows for engine in self.engines) >= SHARED_ROWS

    @property
    def matched(self) -> Engine | None:
        """Rows that hold both tables' values; None where tables are not aligned."""
        return self.matching.rows

    def rows(self, which: RowsOf) -> Local:
        """Rows in memory for measures that must see units: all, or a sample that is noted."""
        return self.views.of(which)

    def sampled(self, which: RowsOf) -> bool:
        """Whether measures that look at single records see a part of them only."""
        return self.views.sampled(which)

    @property
    def options(self) -> Options:
        """The options of the run."""
        return self.schema.options

    @cached_property
    def placed(self) -> Mapping[str, Placed]:
        """The analysed variables that both tables have, the original recoded alike."""
        return self._on_common_levels(placed)

    @cached_property
    def compared(self) -> Mapping[str, Placed]:
        """The same with the original as it was, unless released values left its scale."""
        return self._on_common_levels(compared)

    def _on_common_levels(
        self, way: Callable[[Described, Recoding | None], Placed | None]
    ) -> Mapping[str, Placed]:
        found = {v.name: way(v, self.recodings.get(v.name)) for v in self.analysed if comparable(v)}
        return {name: both for name, both in found.items() if both is not None}

    @staticmethod
    def prepare(
        original: Table,
        protected: Table,
        schema: Schema,
        log: Log,
        cache: OriginalCache | None = None,
    ) -> Asking[Study]:
        """Check the schema against both tables; every fault in one `InputError`."""
        sound, malformed = sound_parts(schema)
        cache = OriginalCache() if cache is None else cache
        describer = Describer(original, protected, sound, cache, log=log)
        described = yield from describer.describe()
        joined, key_faults = joined_tables(original, protected, sound.options)
        declared, recode_faults = _declared(described)
        known = {variable.name: variable.known for variable in described.variables}
        faults = [
            *coded("schema", malformed),
            *coded("table", describer.faults),
            *coded(
                "column",
                [
                    *sound.column_faults(known, _names(original, protected)),
                    *_pair_faults(described, sound.options),
                ],
            ),
            *coded("key", key_faults),
            *coded("recoding", recode_faults),
        ]
        if not described.analysed and not faults:
            none_left = say("no variable is left to analyse: all are ids, weights or excluded.")
            faults.append(Fault("column", none_left))
        if faults:
            raise InputError(*faults)
        matching = yield from match(
            original, protected, described.variables, schema.options, joined
        )
        recoded = yield from _recoded(described, declared, matching, log)
        options_notes(schema.options, recoded.variables, log)
        _note_matched(matching, log)
        note_near_misses(original, protected, recoded.variables, schema.options, log)
        analysed = {v.name for v in described.analysed}
        return Study(
            variables=tuple(recoded.variables),
            analysed=tuple(v for v in recoded.variables if v.name in analysed),
            recodings=recoded.recodings,
            matching=matching,
            description=described,
            schema=schema,
            tables=(original, protected),
            cache=cache,
            views=_views(described, matching, schema.options),
        )


def _names(*tables: Table) -> list[str]:
    """All columns that there are, also those that are left out."""
    return list(dict.fromkeys(name for t in tables for name in (*t.columns, *t.unsupported)))


def _views(described: Description, matching: Matching, options: Options) -> RowViews:
    engines: dict[RowsOf, Engine] = {
        "original": described.original,
        "protected": described.protected,
    }
    if matching.rows is not None:
        engines["matched"] = matching.rows
    return RowViews(engines, options, by_place=matching.alignment.how == "row order")


@dataclass(frozen=True, eq=False)
class _Recoded:
    """Variables in their settled order, and how they were recoded."""

    variables: Sequence[Described]
    recodings: Mapping[str, Recoding]


def _recoded(
    described: Description, declared: Mapping[str, Recoding], matching: Matching, log: Log
) -> Asking[_Recoded]:
    analysed = {v.name for v in described.analysed}
    unsaid = [v for v in described.analysed if v.name not in declared]
    found = yield from found_recodings(unsaid, matching.rows)
    recodings: dict[str, Recoding] = {}
    variables = []
    for variable in described.variables:
        recoding = declared.get(variable.name) or found.get(variable.name)
        variable, recoding = ordered_by_recoding(variable, recoding)
        if recoding is not None:
            recodings[variable.name] = recoding
        if variable.name in analysed:
            _note_mismatch(variable, recoding, log)
        variables.append(variable)
    return _Recoded(variables, recodings)


def _note_matched(matching: Matching, log: Log) -> None:
    if matching.rows is not None and matching.rows.rows > MOST_MATCHED:
        log.note(
            "matched-sampled",
            say(
                "Where a variable has many numbers, which became which is read from "
                "about {most_matched:,} of the {rows:,} matched units, chosen by hash.",
                most_matched=MOST_MATCHED,
                rows=matching.rows.rows,
            ),
        )


def sound_parts(schema: Schema) -> tuple[Schema, list[str]]:
    """The parts of a schema whose form is sound, so that these can be checked against the tables.

    What has a fault of form is set aside with its fault; all other faults are still found.
    """
    faults = schema.faults()
    if not faults:
        return schema, []
    aside = Variable(role="exclude")
    variables = {
        name: aside if Schema(variables={name: variable}).faults() else variable
        for name, variable in schema.variables.items()
    }
    options = Options() if Schema(options=schema.options).faults() else schema.options
    return schema.changed(options=options, variables=variables, malformed=()), faults


def _declared(described: Description) -> tuple[dict[str, Recoding], list[str]]:
    recodings: dict[str, Recoding] = {}
    faults = []
    for variable in described.analysed:
        recode = variable.given.recode
        if recode is None or variable.removed or variable.protected is None:
            continue
        try:
            recodings[variable.name] = declared_recoding(variable, recode)
        except Undefined as error:
            faults.append(say("[variable.{name}] recode: {error}", name=variable.name, error=error))
    return recodings, faults


def _note_mismatch(variable: Described, recoding: Recoding | None, log: Log) -> None:
    """A note where categories of the two tables have no value in common."""
    protected = variable.protected
    if protected is None or variable.removed or variable.original.empty:
        return
    before = variable.original if recoding is None else recoding.recoded
    if before.type == protected.type == "continuous":
        return
    if set(before.levels.labels) & set(protected.levels.labels):
        return
    if recoding is not None:
        said = say(
            'No value of "{name}" in the protected table is one that its {how} '
            "recoding gives: check the labels.",
            name=variable.name,
            how=called(recoding.how),
        )
    else:
        said = say(
            'No value of "{name}" in the protected table occurs in the original. If '
            "values were renamed or merged, declare it: recode = {{ map = {{ … }} }}.",
            name=variable.name,
        )
    log.note("values-differ", said, [variable.name])


def _pair_faults(described: Description, options: Options) -> list[str]:
    analysed = {v.name for v in described.analysed}
    roles = {v.name: v.role for v in described.variables if v.name not in analysed}
    named = dict.fromkeys(name for pair in options.pairs or () for name in pair)
    return [
        say(
            '[options] pairs names "{name}", which is not analysed: its role is {roles}.',
            name=name,
            roles=roles[name],
        )
        for name in named
        if name in roles
    ]
