"""What a schema says of columns, checked against those that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from microgauge.errors import Undefined, hint, listing
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.variables import Role, Type


@dataclass(frozen=True)
class KnownColumn:
    """What is known of a column of the original when a schema is held against it."""

    type: Type
    protected_type: Type
    """The original's, where the protected table has no such column."""
    values: int
    """Distinct values in the original."""
    numeric: bool
    empty: bool
    role: Role = "analysis"


Columns = Mapping[str, KnownColumn]


def unknown(where: str, names: Iterable[str | None], known: Columns) -> list[str]:
    """Names that are no columns."""
    return [
        say(
            '{where} names "{name}", which is no column.{hint} The original has: {known}.',
            where=where,
            name=name,
            hint=hint(name, known),
            known=listing(known),
        )
        for name in names
        if name is not None and name not in known
    ]


def no_numbers(where: str, names: Iterable[str | None], known: Columns, what: str) -> list[str]:
    """Columns that must be there and hold numbers in the original."""
    given = [name for name in names if name is not None]
    faults = unknown(where, given, known)
    for name in given:
        column = known.get(name)
        if column is not None and not column.empty and not column.numeric:
            faults.append(
                say(
                    '{where}: {what} needs numbers, but "{name}" holds {values} '
                    "categories ({type}) in the original.",
                    where=where,
                    what=what,
                    name=name,
                    values=column.values,
                    type=column.type,
                )
            )
    return faults


def formula_faults(where: str, formula: str | None, known: Columns) -> list[str]:
    """What is wrong with a formula."""
    from microgauge.schema.formulas import parse_formula

    try:
        parse_formula(formula or "", known)
    except Undefined as error:
        return [say("{where}: {error}", where=where, error=error)]
    return []


def condition_faults(where: str, text: str | None, known: Columns) -> list[str]:
    """What is wrong with a condition, where there is one."""
    from microgauge.schema.conditions import parse_condition

    try:
        if text is not None:
            parse_condition(text, known)
    except Undefined as error:
        return [say("{where}, where: {error}", where=where, error=error)]
    return []
