"""Before the first measure: tables described and matched, schema checked, recodings found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from microgauge.engines import Engine, Local
from microgauge.errors import InputError, Undefined
from microgauge.schema import Options, Schema, Variable
from microgauge.study.alignment import Matching, joined_tables, match
from microgauge.study.checks import analysis_faults
from microgauge.study.describe import Described, Describer, Description, Memory, options_notes
from microgauge.study.recoding import (
    MOST_MATCHED,
    Recoding,
    declared_recoding,
    found_recoding,
    ordered_by_recoding,
)
from microgauge.tables import Table

Which = Literal["original", "protected", "matched"]


@dataclass(frozen=True, eq=False)
class Study:
    """Everything known before the first measure: checked, described, aligned, recodings found."""

    variables: tuple[Described, ...]
    analysed: tuple[Described, ...]
    recodings: Mapping[str, Recoding]
    matching: Matching
    description: Description
    schema: Schema
    notes: list[str]
    protected: Table
    """The protected table itself, for what joins it with a third one."""
    memory: Memory
    _samples: dict[Which, Local] = field(default_factory=dict)

    def rows(self, which: Which) -> Local:
        """Rows in memory for measures that must see units: all, or a sample that is noted."""
        if which not in self._samples:
            engine = self._engine(which)
            found = engine.sample(
                self.options.sample_rows,
                self.options.seed,
                by_place=self.matching.alignment.how == "row order",
            )
            self._samples[which] = found
            if found.rows < engine.rows:
                self.notes.append(
                    f"Measures that look at single records look at {found.rows:,} of the "
                    f"{engine.rows:,} {which} ones, chosen by hash (seed {self.options.seed}; "
                    "sample_rows in [options])."
                )
        return self._samples[which]

    def _engine(self, which: Which) -> Engine:
        if which == "matched":
            assert self.matching.rows is not None
            return self.matching.rows
        return self.description.original if which == "original" else self.description.protected

    def sampled(self, which: Which) -> bool:
        """Whether measures that look at single records see a part of them only."""
        return self._engine(which).rows > self.options.sample_rows

    @property
    def options(self) -> Options:
        """The options of the run."""
        return self.schema.options

    @staticmethod
    def prepare(
        original: Table, protected: Table, schema: Schema, memory: Memory | None = None
    ) -> Study:
        """Check the schema against both tables; every fault in one `InputError`."""
        sound, faults = sound_parts(schema)
        memory = Memory() if memory is None else memory
        describer = Describer(original, protected, sound, memory)
        described = describer.describe()
        faults += describer.faults
        faults += analysis_faults(sound, described.variables)
        faults += _pair_faults(described, sound.options)
        joined, key_faults = joined_tables(original, protected, sound.options)
        faults += key_faults
        declared, recode_faults = _declared(described)
        faults += recode_faults
        if not described.analysed and not faults:
            faults.append("no variable is left to analyse: all are ids, weights or excluded.")
        if faults:
            raise InputError(*faults)
        matching = match(original, protected, described.variables, schema.options, joined)
        return Study._with_recodings(described, declared, matching, schema, protected, memory)

    @staticmethod
    def _with_recodings(
        described: Description,
        declared: Mapping[str, Recoding],
        matching: Matching,
        schema: Schema,
        protected: Table,
        memory: Memory,
    ) -> Study:
        notes = list(described.notes)
        analysed = {v.name for v in described.analysed}
        recodings: dict[str, Recoding] = {}
        variables = []
        for variable in described.variables:
            recoding = declared.get(variable.name)
            if recoding is None and variable.name in analysed:
                recoding = found_recoding(variable, matching.rows)
            variable, recoding = ordered_by_recoding(variable, recoding)
            if recoding is not None:
                recodings[variable.name] = recoding
            if variable.name in analysed:
                notes += _mismatch(variable, recoding)
            variables.append(variable)
        notes += options_notes(schema.options, variables)
        if matching.rows is not None and matching.rows.rows > MOST_MATCHED:
            notes.append(
                "Where a variable has many numbers, which became which is read from about "
                f"{MOST_MATCHED:,} of the {matching.rows.rows:,} matched units, chosen by hash."
            )
        return Study(
            variables=tuple(variables),
            analysed=tuple(v for v in variables if v.name in analysed),
            recodings=recodings,
            matching=matching,
            description=described,
            schema=schema,
            notes=notes,
            protected=protected,
            memory=memory,
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
    loss = type(schema.loss)() if schema.loss.faults("[loss]") else schema.loss
    return schema.changed(options=options, variables=variables, loss=loss, malformed=()), faults


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
            faults.append(f"[variable.{variable.name}] recode: {error}")
    return recodings, faults


def _mismatch(variable: Described, recoding: Recoding | None) -> list[str]:
    """A note where categories of the two tables have no value in common."""
    protected = variable.protected
    if protected is None or variable.removed or variable.original.empty:
        return []
    before = variable.original if recoding is None else recoding.recoded
    if before.type == protected.type == "continuous":
        return []
    if set(before.levels.labels) & set(protected.levels.labels):
        return []
    if recoding is not None:
        return [
            f'No value of "{variable.name}" in the protected table is one that its {recoding.how} '
            "recoding gives: check the labels."
        ]
    return [
        f'No value of "{variable.name}" in the protected table occurs in the original. If values '
        "were renamed or merged, declare it: recode = { map = { … } }."
    ]


def _pair_faults(described: Description, options: Options) -> list[str]:
    analysed = {v.name for v in described.analysed}
    roles = {v.name: v.role for v in described.variables if v.name not in analysed}
    named = dict.fromkeys(name for pair in options.pairs or () for name in pair)
    return [
        f'[options] pairs names "{name}", which is not analysed: its role is {roles[name]}.'
        for name in named
        if name in roles
    ]
