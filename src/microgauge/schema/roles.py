"""Roles that are said beside the schema: `--keys`, `--sensitive`, `--weight`.

They add to what the schema says. A variable of which it says another role than `analysis` keeps it,
and the contradiction is a fault: a key that is quietly a target no longer would hide a risk.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.schema.variables import Role, Variable

if TYPE_CHECKING:
    from microgauge.schema.schema import Schema

Names = str | Iterable[str] | None
"""Names with commas between, or each by itself."""
OPTIONS: Mapping[str, Role] = {"--keys": "quasi_identifier", "--sensitive": "sensitive"}
UNSAID = (None, "analysis")
"""Roles that say nothing against another one."""


def column_names(said: str) -> list[str]:
    """Names with commas between; one that has a comma itself stands in double quotes.

    >>> column_names('age, sex,"Income, net"')
    ['age', 'sex', 'Income, net']
    """
    rows = csv.reader([" ".join(said.splitlines())], skipinitialspace=True, strict=True)
    try:
        return [name.strip() for row in rows for name in row if name.strip()]
    except csv.Error:
        raise InputError(
            say(
                "names of columns: a double quote is not closed, or does not stand around a whole "
                "name. Double the quotes that belong to a name."
            )
        ) from None


def listed_names(names: Iterable[str]) -> str:
    """Names as an option takes them.

    >>> listed_names(["age", "Income, net"])
    'age,"Income, net"'
    """
    return ",".join(
        '"' + name.replace('"', '""') + '"' if set(name) & {",", '"'} else name for name in names
    )


def with_roles(
    schema: Schema, *, keys: Names = None, sensitive: Names = None, weight: str | None = None
) -> Schema:
    """The schema with what was said beside it; contradictions are faults of the schema."""
    faults: list[str] = []
    said = {
        option: _names(option, given, faults)
        for option, given in (("--keys", keys), ("--sensitive", sensitive))
    }
    faults += [
        say(
            '--keys and --sensitive both name "{name}": a key is known to an intruder, '
            "and what is sensitive is not.",
            name=name,
        )
        for name in said["--keys"]
        if name in said["--sensitive"]
    ]
    variables = dict(schema.variables)
    by_option: dict[str, str] = {}
    for option, names in said.items():
        for name in names:
            given = variables.get(name, Variable())
            if given.role not in (*UNSAID, OPTIONS[option]) and name not in by_option:
                faults.append(_contradiction(option, name, given.role))
            variables[name] = replace(given, role=OPTIONS[option])
            by_option.setdefault(name, option)
    options = schema.options
    if weight is not None:
        options = replace(options, weight=weight, weight_original=None, weight_protected=None)
    return schema.changed(
        options=options,
        variables=variables,
        said={**schema.said, **by_option},
        malformed=(*schema.malformed, *faults),
    )


def _names(option: str, given: Names, faults: list[str]) -> list[str]:
    """The names that an option gives, each once."""
    if given is None:
        return []
    found: list[Any] = column_names(given) if isinstance(given, str) else list(given)
    if not found:
        faults.append(say("{option} names no column.", option=option))
    if not all(isinstance(name, str) for name in found):
        faults.append(say("{option} must be names of columns.", option=option))
    return [name for name in dict.fromkeys(found) if isinstance(name, str)]


def _contradiction(option: str, name: str, role: Any) -> str:
    return say(
        '{option} names "{name}", whose role in the schema is "{role}": change one '
        "of them. (--set variable.NAME.role={options} replaces what the schema says.)",
        option=option,
        name=name,
        role=role,
        options=OPTIONS[option],
    )


def weight_faults(schema: Schema) -> list[str]:
    """A weight that is also a key, is sensitive, or joins the tables."""
    options = schema.options
    weights = (options.weight, options.weight_original, options.weight_protected)
    found = []
    for name in dict.fromkeys(name for name in weights if isinstance(name, str)):
        role = schema.variables.get(name, Variable()).role
        if role in OPTIONS.values():
            what = say(
                '{get} says that its role is "{role}"',
                get=schema.said.get(name, say("the schema")),
                role=role,
            )
            found.append(
                say('"{name}" is the weight, but {what}: it cannot be both.', name=name, what=what)
            )
        if name == options.key:
            found.append(
                say('"{name}" is the weight and the key that joins the tables.', name=name)
            )
    return found
