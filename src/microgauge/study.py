"""Before the first measure: tables described and matched, schema checked, recodings found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from microgauge.align import Matching, match
from microgauge.describe import Described, Describer, Description, options_notes
from microgauge.errors import InputError, Undefined
from microgauge.formulas import parse_formula
from microgauge.recode import Recoder, Recoding, ordered_by_recoding
from microgauge.schema import Model, Options, Schema, Variable
from microgauge.tables import Table


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

    @property
    def options(self) -> Options:
        """The options of the run."""
        return self.schema.options

    @staticmethod
    def prepare(original: Table, protected: Table, schema: Schema) -> Study:
        """Check the schema against both tables; every fault in one `InputError`."""
        faults = schema.faults()
        if faults:
            # Checks against the tables need a schema of sound form; names can be checked anyway.
            describer = Describer(original, protected, Schema(variables=_only_names(schema)))
            describer.describe()
            raise InputError(*faults, *describer.faults)
        describer = Describer(original, protected, schema)
        described = describer.describe()
        faults = describer.faults + _model_faults(schema.models, original)
        if described is None or faults:
            raise InputError(*faults)
        if not described.analysed:
            raise InputError("no variable is left to analyse: all are ids, weights or excluded.")
        matching = match(original, protected, described.variables, schema.options)
        return Study._with_recodings(described, matching, schema)

    @staticmethod
    def _with_recodings(described: Description, matching: Matching, schema: Schema) -> Study:
        notes = list(described.notes)
        recoder = Recoder(matching.rows, [], notes)
        analysed = {v.name for v in described.analysed}
        recodings: dict[str, Recoding] = {}
        variables = []
        for variable in described.variables:
            recoding = recoder.recoding(variable) if variable.name in analysed else None
            variable, recoding = ordered_by_recoding(variable, recoding)
            if recoding is not None:
                recodings[variable.name] = recoding
            variables.append(variable)
        if recoder.faults:
            raise InputError(*recoder.faults)
        notes += options_notes(schema.options, variables)
        if schema.unused:
            notes.append(f"Schema sections not used by this version: {', '.join(schema.unused)}.")
        return Study(
            variables=tuple(variables),
            analysed=tuple(v for v in variables if v.name in analysed),
            recodings=recodings,
            matching=matching,
            description=described,
            schema=schema,
            notes=notes,
        )


def _only_names(schema: Schema) -> dict[str, Variable]:
    return {name: Variable(role="exclude") for name in schema.variables}


def _model_faults(models: Iterable[Model], original: Table) -> list[str]:
    faults = []
    for number, model in enumerate(models, start=1):
        where = f"[[model]] number {number}"
        unknown = [name for name in model.items if name not in original.columns]
        faults += [f'{where} names "{name}", which is no column.' for name in unknown]
        if model.formula is not None and model.kind != "scale":
            try:
                parse_formula(model.formula, original.columns)
            except Undefined as error:
                faults.append(f"{where}: {error}")
    return faults
