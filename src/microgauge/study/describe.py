"""From two tables and a schema to described variables: types, roles, levels, faults.

Everything a schema claims is checked here against both tables before any measure runs, and
everything it leaves open is inferred and noted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from microgauge.arrays import Counts
from microgauge.engines import Engine, Weight, over
from microgauge.engines.rounds import Asking, asked_both
from microgauge.errors import hint, listing
from microgauge.kernels import in_threads
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.passes.batch import SHARED_ROWS
from microgauge.records import dataclass
from microgauge.results.wording import called, counted
from microgauge.schema import ANALYSED, Options, Role, Schema, Type, Variable, Which
from microgauge.study.cells import Cells
from microgauge.study.near_misses import alike_columns
from microgauge.study.strays import Read, Strays
from microgauge.study.tallies import Tallies, tallies_in, tally_passes, weighed
from microgauge.study.variable import Described, Side
from microgauge.study.variable_reading import VariableReader, is_identifier, on_one_grid
from microgauge.study.weights import WeightColumn
from microgauge.tables import Column, Table
from microgauge.tables.formats.format import Lines
from microgauge.values.levels import Weighing


@dataclass(frozen=True, eq=False)
class Description:
    """All variables of the original, and the engines to ask about their rows."""

    variables: tuple[Described, ...]
    original: Engine
    protected: Engine
    protected_rows: Mapping[str, Counts] = field(default_factory=dict)
    """Rows of each raw value of each protected column; last: missing cells."""

    @property
    def analysed(self) -> tuple[Described, ...]:
        """The variables that count in utility."""
        return tuple(v for v in self.variables if v.role in ANALYSED)


@dataclass(eq=False)
class OriginalCache:
    """What was worked out of the original once, for every candidate it is compared with."""

    tallies: Tallies | None = None
    raw_engine: Engine | None = None
    engine: Engine | None = None
    """The original's rows; before that, with weights as they stand."""
    answers: dict[Any, Any] = field(default_factory=dict)
    """Tests of pairs of the original's variables."""
    answer_bytes: int = 0
    """Memory that those tests take."""
    references: dict[Any, Any] = field(default_factory=dict)
    """What files drawn from the original score."""
    fewest_rows: int | None = None
    """Rows of the smallest of several candidates, where several are compared."""


@dataclass(frozen=True)
class StrayCells:
    """Cells of a column of numbers that were read as missing values."""

    code: Literal["missing-code-found", "strays-missing"]
    name: str
    which: Which
    cells: int


@dataclass
class Describer:
    """Works through the columns and gathers faults and notes as it goes."""

    original: Table
    protected: Table
    schema: Schema
    cache: OriginalCache = field(default_factory=OriginalCache)
    other: str = "protected"
    """What messages call the second table."""
    faults: list[str] = field(default_factory=list)
    log: Log = field(default_factory=Log)
    strays: list[StrayCells] = field(default_factory=list)

    def describe(self) -> Asking[Description]:
        """The description, from one round. It is of use only where no faults were found."""
        self._check_names()
        tallies = yield from self._tallies()
        weights = [
            column.checked(found, self.faults, self.log)
            for column, found in zip(self._weight_columns, tallies, strict=True)
        ]
        engines = self._engines(weights)
        counted = [weighed(found, w) for found, w in zip(tallies, weights, strict=True)]
        crowded = self._crowded()
        names = [name for name in self.original.columns if name not in crowded]
        variables = self._variables(names, counted)
        self._check_pairs()
        for column, found, weight in zip(self._weight_columns, counted, weights, strict=True):
            column.note(found, weight, self.log)
        self._note_columns()
        self._note_inferences(variables)
        rows = {name: layers[0].astype(np.int64, copy=False) for name, layers in tallies[1].items()}
        return Description(tuple(variables), engines[0], engines[1], rows)

    @cached_property
    def raw_engines(self) -> tuple[Engine, Engine]:
        """The rows of both tables with weights as they stand: their mean is not known yet."""
        if self.cache.raw_engine is None:
            self.cache.raw_engine = self._raw_engine(self._weight_columns[0])
        if self.protected is self.original:
            return self.cache.raw_engine, self.cache.raw_engine
        return self.cache.raw_engine, self._raw_engine(self._weight_columns[1])

    def _raw_engine(self, column: WeightColumn) -> Engine:
        return over(column.table, column.raw(), self.schema.options.key)

    def _tallies(self) -> Asking[list[Tallies]]:
        """How often each raw value of each column occurs; of the original, asked once."""
        known = self.cache.tallies
        wanted = [[] if known else tally_passes(self.original), tally_passes(self.protected)]
        if self.protected is self.original:
            wanted[1] = []
        facts = yield from asked_both(self.raw_engines, wanted)
        if known is None:
            known = self.cache.tallies = tallies_in(facts[0], self.original)
        if self.protected is self.original:
            return [known, known]
        return [known, tallies_in(facts[1], self.protected)]

    def _engines(self, weights: Sequence[Weight | None]) -> tuple[Engine, Engine]:
        """The rows of both tables; the original's are the same for every candidate."""
        key = self.schema.options.key
        if self.cache.engine is None:
            self.cache.engine = over(self.original, weights[0], key)
        if self.protected is self.original:
            return self.cache.engine, self.cache.engine
        return self.cache.engine, over(self.protected, weights[1], key)

    @property
    def _sides(self) -> tuple[tuple[Table, Which], tuple[Table, Which]]:
        return (self.original, "original"), (self.protected, "protected")

    @cached_property
    def _weight_columns(self) -> tuple[WeightColumn, WeightColumn]:
        first, second = (WeightColumn(table, which, self.schema) for table, which in self._sides)
        return first, second

    # -- names -------------------------------------------------------------------------------

    def called(self, which: str) -> str:
        """What messages call a table."""
        return which if which == "original" else self.other

    def _check_names(self) -> None:
        shared = [name for name in self.original.columns if name in self.protected.columns]
        if not shared:
            self.faults.append(
                say(
                    "the two tables have no column in common. The original has: "
                    "{columns}. The protected has: {columns2}.{alike}",
                    columns=listing(self.original.columns),
                    columns2=listing(self.protected.columns),
                    alike=_alike(self.original, self.protected),
                )
            )
        known = dict.fromkeys(
            [*self.original.columns, *self.original.unsupported, *self.protected.columns]
        )
        for name in self.schema.variables:
            if name not in known:
                where = self.schema.said.get(name, say("the schema"))
                self.faults.append(
                    say(
                        '{where} names a variable "{name}" that no table has.{hint} The '
                        "original has: {columns}.",
                        where=where,
                        name=name,
                        hint=hint(name, known),
                        columns=listing(self.original.columns),
                    )
                )
            elif name in self.schema.said and name not in self.original.columns:
                self.faults.append(self._said_in_vain(name))

    def _said_in_vain(self, name: str) -> str:
        """Why a variable cannot have the role that was said beside the schema."""
        start = say('{said} names "{name}", which', said=self.schema.said[name], name=name)
        if name not in self.original.unsupported:
            return say("{start} the original table does not have.", start=start)
        return say(
            "{start} holds {unsupported} in the original and is left out.",
            start=start,
            unsupported=self.original.unsupported[name],
        )

    def _check_pairs(self) -> None:
        for pair in self.schema.options.pairs or ():
            for name in pair:
                if name not in self.original.columns:
                    self.faults.append(
                        say(
                            '[options] pairs names "{name}", which the original table '
                            "does not have.{hint}",
                            name=name,
                            hint=hint(name, self.original.columns),
                        )
                    )
            if pair[0] == pair[1]:
                self.faults.append(
                    say('[options] pairs has "{pair}" paired with itself.', pair=pair[0])
                )

    def _note_columns(self) -> None:
        known = {*self.original.columns, *self.original.unsupported}
        extra = [name for name in self.protected.columns if name not in known]
        if extra:
            self.log.note(
                "columns-added",
                say(
                    "Columns only in the protected table, left out: {extra}.",
                    extra=listing(extra, 30),
                ),
                ["protected"],
            )
        for table, which in self._sides:
            note_lines(table.lines, which, self.log)
            for name, what in table.unsupported.items():
                self.log.note(
                    "column-left-out",
                    say(
                        'Column "{name}" of the {which} table holds {what} and is left out.',
                        name=name,
                        which=which,
                        what=what,
                    ),
                    [which],
                )

    def _crowded(self) -> set[str]:
        """Columns with too many texts in either table, which cannot be compared.

        A fault for those by which risk is measured: without them it would look smaller than it is.
        """
        found: set[str] = set()
        for table, which in self._sides:
            crowded = [n for n in (*table.columns, *table.unsupported) if crowded_in(table, n)]
            found.update(name for name in crowded if name in table.unsupported)
            self.faults += [
                say(
                    'the {role} variable "{name}" has more than {distinct_values:,} '
                    "different values in the {which} table, which is too many to tell "
                    "all apart beyond memory: raise distinct_values in [options], or "
                    "recode it.",
                    role=given.role,
                    name=name,
                    distinct_values=self.schema.options.distinct_values,
                    which=self.called(which),
                )
                for name in crowded
                if (given := self._given(name)).role == "quasi_identifier"
                or (given.role == "sensitive" and name in table.unsupported)
            ]
        return found

    # -- one variable ------------------------------------------------------------------------

    def _given(self, name: str) -> Variable:
        return self.schema.variables.get(name, Variable())

    def _variables(
        self, names: Sequence[str], counted: Sequence[Mapping[str, Weighing]]
    ) -> list[Described]:
        """Each by itself, in threads where there are many rows; notes and faults in their order."""
        apart = [replace(self, faults=[], log=self.log.child(), strays=[]) for _ in names]
        found = in_threads(
            lambda one: one[0].variable(one[1], *counted),
            zip(apart, names, strict=True),
            shared=self.original.rows >= SHARED_ROWS,
        )
        for one in apart:
            self.faults += one.faults
            self.log.notes += one.log.notes
            self.strays += one.strays
        self._note_strays()
        return found

    def variable(
        self, name: str, tally: Mapping[str, Weighing], protected_tally: Mapping[str, Weighing]
    ) -> Described:
        """One variable, from how often each of its raw values occurs in either table."""
        given = self._given(name)
        column = self.original.columns[name]
        cells = Cells.read(column, given.missing)
        other_column = self.protected.columns.get(name)
        other = None if other_column is None else Cells.read(other_column, given.missing)
        if other is not None:
            cells, other = on_one_grid(cells, other)
        self._note_null_words(name, cells, other)
        if self._may_have_strays(name, given):
            rows = (tally[name].rows, protected_tally[name].rows if other is not None else None)
            cells, other = self._without_strays(name, given, (cells, other), rows)
        reader = VariableReader(
            name, given, cells, other, called=self.called, faults=self.faults, log=self.log
        )
        original_type = reader.original_type()
        if name == self.schema.options.key:
            original_type = "nominal"  # a name for units, whatever it is written in
        role = self._role(name, given, column, cells)
        unsaid = self._unsaid(name, column, reader, original_type)
        if role not in ANALYSED:
            found = self._left_out(name, role, reader, original_type, tally, protected_tally)
            return replace(found, unsaid=unsaid)
        original = reader.side(cells, original_type, tally[name], "original")
        protected = None
        if other is not None:
            protected_type = reader.protected_type(original_type)
            protected = reader.side(other, protected_type, protected_tally[name], "protected")
        if cells.width is not None:
            self._note_width(name, cells.width, original, protected)
        return Described(name, role, given, original, protected, *reader.in_words(), unsaid)

    def _unsaid(
        self, name: str, column: Column, reader: VariableReader, kind: Type
    ) -> tuple[Type, Role]:
        """The type without a declared one, and the role without a declared one."""
        given = reader.given
        if given.type is not None and name != self.schema.options.key:
            kind = reader.inferred_type()
        role = self._said_role(name, replace(given, role=None))
        if role == given.role == "weight":
            role = None  # whoever takes the role back no longer names it in [options], either
        looks_so = role is None and self._looks_like_id(given, column, reader.cells)
        return kind, role or ("id" if looks_so else "analysis")

    def _may_have_strays(self, name: str, given: Variable) -> bool:
        """Whether texts among the numbers of a column have to be read: it is analysed."""
        role = self._said_role(name, given)
        return (role is None or role in ANALYSED) and name != self.schema.options.key

    def _without_strays(
        self,
        name: str,
        given: Variable,
        sides: tuple[Cells, Cells | None],
        rows: tuple[Counts, Counts | None],
    ) -> tuple[Cells, Cells | None]:
        """Numbers whose texts were read: as missing, or as codes for the largest ones."""
        pairs = [
            (cells, held[:-1])
            for cells, held in zip(sides, rows, strict=True)
            if cells is not None and held is not None
        ]
        for cells, (_, which) in zip(sides, self._sides, strict=True):
            if cells is not None and cells.column.strays:
                self._keep_strays(name, Read(cells, strange=cells.column.strays), which)
        found = Strays(given, pairs).read()
        if found is None:
            return sides
        for read, (_, which) in zip(found, self._sides, strict=False):
            self._keep_strays(name, read, which)
        return found[0].cells, found[1].cells if len(found) > 1 else None

    def _keep_strays(self, name: str, read: Read, which: Which) -> None:
        if which == "protected" and self.protected is self.original:
            return  # a table that stands for both is told of once
        if read.marked:
            self.strays.append(StrayCells("missing-code-found", name, which, read.marked))
        if read.strange:
            self.strays.append(StrayCells("strays-missing", name, which, read.strange))

    def _note_strays(self) -> None:
        """Each kind in one note: where one variable has such cells, others often have, too."""
        for code in ("missing-code-found", "strays-missing"):
            found = [one for one in self.strays if one.code == code]
            names = list(dict.fromkeys(one.name for one in found))
            if len(names) > 1:
                told = [self._cells_told(name, found) for name in names]
                self.log.note(code, _strays_of_several(code, told), names)
            else:
                for one in found:
                    self.log.note(code, self._strays_of_one(one), names)

    def _cells_told(self, name: str, found: Sequence[StrayCells]) -> str:
        """In how many cells of each table a variable has such texts."""
        told = [
            say(
                "{cells} of the {which} table",
                cells=counted(one.cells, "cell"),
                which=self.called(one.which),
            )
            for one in found
            if one.name == name
        ]
        return say('"{name}" ({told})', name=name, told=strung(told, ", "))

    def _strays_of_one(self, one: StrayCells) -> str:
        if one.code == "missing-code-found":
            return say(
                'In "{name}", one text stands in {cells} of the {which} table among '
                "numbers: it was read as a missing value.",
                name=one.name,
                cells=counted(one.cells, "cell"),
                which=self.called(one.which),
            )
        return say(
            '"{name}" is taken for a number. Cells of the {which} table that '
            "are none were read as missing: {strange:,}. If they are categories, "
            "declare its type.",
            name=one.name,
            which=self.called(one.which),
            strange=one.cells,
        )

    def _note_width(self, name: str, width: float, *sides: Side | None) -> None:
        """What reading values as the middles of intervals may change."""
        shares = [s.levels.rows.max() / s.levels.present for s in sides if s and not s.empty]
        self.log.note(
            "number-on-grid",
            say(
                '"{name}" has more than {distinct_values:,} different values, which were '
                "read as the middles of intervals {width:g} wide. The fullest holds "
                "{max:.2g} of the rows: no rank and no distance between distributions is "
                "off by more, and p-values are those of such distances. Changes within "
                "an interval are not seen.",
                name=name,
                distinct_values=self.schema.options.distinct_values,
                width=width,
                max=max(shares, default=0.0),
            ),
        )

    @staticmethod
    def _left_out(
        name: str,
        role: Role,
        reader: VariableReader,
        kind: Type,
        tally: Mapping[str, Weighing],
        protected_tally: Mapping[str, Weighing],
    ) -> Described:
        """A variable that is not analysed: its values need no meaning and cannot be at fault."""
        reader.given = Variable(missing=reader.given.missing, role=role)
        original = reader.side(reader.cells, "nominal", tally[name], "original")
        protected = None
        if reader.other is not None:
            side = reader.side(reader.other, "nominal", protected_tally[name], "protected")
            protected = replace(side, type=kind)
        before = replace(original, type=kind)
        return Described(name, role, reader.given, before, protected, *reader.in_words())

    def _note_null_words(self, name: str, *sides: Cells | None) -> None:
        if any(cells is not None and cells.null_words for cells in sides):
            self.log.note(
                "null-words",
                say(
                    'In "{name}", words such as NA among numbers were read as missing values.',
                    name=name,
                ),
            )

    def roles(self) -> dict[str, Role]:
        """The role of every column of the original, known before any row is counted."""
        found: dict[str, Role] = {}
        for name, column in self.original.columns.items():
            given = self._given(name)
            role = self._said_role(name, given)
            cells = Cells.read(column, given.missing)
            looks_so = role is None and self._looks_like_id(given, column, cells)
            found[name] = role or ("id" if looks_so else "analysis")
        return found

    def _role(self, name: str, given: Variable, column: Column, cells: Cells) -> Role:
        role = self._said_role(name, given)
        if role is not None:
            return role
        if self._looks_like_id(given, column, cells):
            self.log.note(
                "identifier",
                say(
                    '"{name}" is taken for an identifier (its values are all different '
                    'or run consecutively) and left out; role = "analysis" in the schema '
                    "keeps it.",
                    name=name,
                ),
            )
            return "id"
        return "analysis"

    def _said_role(self, name: str, given: Variable) -> Role | None:
        options = self.schema.options
        if name in (options.weight, options.weight_original, options.weight_protected):
            return "weight"
        if given.role is not None:
            return given.role
        return "id" if name == options.key else None

    def _looks_like_id(self, given: Variable, column: Column, cells: Cells) -> bool:
        return given.type is None and is_identifier(column, cells, self.original.rows)

    def _note_inferences(self, variables: Sequence[Described]) -> None:
        inferred: dict[str, list[str]] = {}
        for variable in variables:
            if variable.role in ANALYSED and variable.given.type is None:
                inferred.setdefault(variable.original.type, []).append(variable.name)
        for kind in ("nominal", "ordinal", "continuous"):
            if kind in inferred:
                self.log.note(
                    "type-inferred",
                    say(
                        "Type inferred as {kind}: {inferred}.",
                        kind=called(kind),
                        inferred=strung(inferred[kind], ", "),
                    ),
                )
        for variable in variables:
            if variable.protected is None or variable.role not in ANALYSED:
                continue
            before, after = variable.original.type, variable.protected.type
            if before != after and variable.given.protected_type is None:
                self.log.note(
                    "type-changed",
                    say(
                        '"{name}" is {before} in the original and was found to be '
                        "{after} in the protected table.",
                        name=variable.name,
                        before=called(before),
                        after=called(after),
                    ),
                )


def _alike(original: Table, protected: Table) -> str:
    """A hint where columns have nearly the same names."""
    pairs = alike_columns(original, protected)
    if not pairs:
        return ""
    return say(
        ' "{pairs}" and "{pairs2}" differ in case, blanks or punctuation only: '
        "rename the columns of one table.",
        pairs=pairs[0][0],
        pairs2=pairs[0][1],
    )


def crowded_in(table: Table, name: str) -> bool:
    """Whether a column has more values than are told apart."""
    if name in table.columns:
        return table.columns[name].width is not None
    return name in table.unsupported and table.unsupported[name].kind == "crowded"


def _strays_of_several(code: str, told: Sequence[str]) -> str:
    if code == "missing-code-found":
        return say(
            "In {n:,} variables, one text each stands among numbers and was read as a missing "
            "value: {told}.",
            n=len(told),
            told=listing(told),
        )
    return say(
        "{n:,} variables are taken for numbers, and their cells that are none were read as "
        "missing: {told}. If they are categories, declare their types.",
        n=len(told),
        told=listing(told),
    )


def options_notes(options: Options, variables: Sequence[Described], log: Log) -> None:
    """What a reader should know of weights that were declared but not used."""
    used = {options.weight, options.weight_original, options.weight_protected}
    idle = [v.name for v in variables if v.role == "weight" and v.name not in used]
    if idle:
        log.note(
            "weight-idle",
            say(
                "Declared as weight but not used: {idle}. Name the weight in [options].",
                idle=strung(idle, ", "),
            ),
            idle,
        )


def note_lines(lines: Lines, which: str, log: Log) -> None:
    """Lines of delimited text that are no whole records."""
    if lines.blank:
        log.note("lines-blank", _blank(lines.blank, which), [which])
    if lines.short:
        log.note("lines-short", _short(lines.short, which), [which])


def _blank(count: int, which: str) -> str:
    if count == 1:
        return say(
            "The {which} table has 1 blank line, which is no record and is skipped.", which=which
        )
    return say(
        "The {which} table has {count:,} blank lines, which are no records and are skipped.",
        which=which,
        count=count,
    )


def _short(count: int, which: str) -> str:
    what = say("fewer fields than the header: what is not there counts as missing.")
    if count == 1:
        return say("In the {which} table 1 line has {what}", which=which, what=what)
    return say(
        "In the {which} table {count:,} lines have {what}", which=which, count=count, what=what
    )
