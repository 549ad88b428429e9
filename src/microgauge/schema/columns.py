"""What a schema says of columns, checked against those that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from microgauge.errors import Undefined, hint, listing
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
        f'{where} names "{name}", which is no column.{hint(name, known)} '
        f"The original has: {listing(known)}."
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
                f'{where}: {what} needs numbers, but "{name}" holds {column.values} '
                f"categories ({column.type}) in the original."
            )
    return faults


def formula_faults(where: str, formula: str | None, known: Columns) -> list[str]:
    """What is wrong with a formula."""
    from microgauge.schema.formulas import parse_formula

    try:
        parse_formula(formula or "", known)
    except Undefined as error:
        return [f"{where}: {error}"]
    return []


def condition_faults(where: str, text: str | None, known: Columns) -> list[str]:
    """What is wrong with a condition, where there is one."""
    from microgauge.schema.conditions import parse_condition

    try:
        if text is not None:
            parse_condition(text, known)
    except Undefined as error:
        return [f"{where}, where: {error}"]
    return []
