"""A schema as forms show it: read from its text, changed entry by entry, written again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.schema import Schema
from microgauge.schema.reading import Reader, toml_content
from microgauge.schema.variables import Role, Type, Variable
from microgauge.schema.writing import schema_toml

NAMED = say("the {what} {path}", what=say("schema file"), path="schema.toml")
TYPES = get_args(Type)
ROLES = get_args(Role)
RECODES = ("", "map", "breaks", "top", "round", "prefix")
"""Ways of recoding that the form offers; top stands for bottom, too."""
NAMING = ("key", "weight", "weight_original", "weight_protected")
"""Options that name a column."""
OWN = ("type", "protected_type", "role", "label", "missing", "order", "importance", "recode")
"""Entries of a variable that the form shows; all others stay as they are."""
Content = dict[str, Any]


def content_of(text: str) -> Content:
    """What a schema's text says; `InputError` with all faults that it has by itself."""
    content = toml_content(text, NAMED)
    register()
    faults = Schema.from_dict(content).faults()
    if faults:
        raise InputError(*dict.fromkeys(faults))
    return content


def register() -> None:
    """Sections bring their tables of the schema."""
    from microgauge.sections import registry

    registry.sections()


def entry_of(content: Mapping[str, Any], name: str) -> Content:
    """What is said of a variable."""
    return dict(content.get("variable", {}).get(name, {}))


def with_entry(content: Mapping[str, Any], name: str, entry: Mapping[str, Any]) -> Content:
    """The same with another entry of a variable; a weight is one for the whole file, too."""
    # What is changed is copied, and nothing else: a table of variables changes each in turn.
    found = {**content, "variable": {**content.get("variable", {})}}
    was = entry_of(content, name).get("role")
    variables = found["variable"]
    variables.pop(name, None) if not entry else variables.update({name: dict(entry)})
    options = found["options"] = {**content.get("options", {})}
    if entry.get("role") == "weight":
        options["weight"] = name
    elif was == "weight" and options.get("weight") == name:
        del options["weight"]
    if not options:
        del found["options"]
    return found


def without(content: Mapping[str, Any], name: str) -> Content:
    """The same without a variable, also where it is named as the weight or the key."""
    found = with_entry(content, name, {})
    options = {
        key: value
        for key, value in found.get("options", {}).items()
        if key not in NAMING or value != name
    }
    rest = {key: value for key, value in found.items() if key not in ("options", "variable")}
    kept = {"options": options, "variable": found["variable"]}
    return {**{key: value for key, value in kept.items() if value}, **rest}


def text_of(content: Mapping[str, Any]) -> str:
    """The text of a schema's file."""
    return schema_toml(content)


def field_faults(name: str, entry: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is wrong with each entry of a variable, in the command's own words.

    Each is looked at by itself; what is wrong with several together stands under "".
    """
    where = f"[variable.{name}]"
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for key, value in entry.items():
        faults = _faults(where, {key: value})
        if faults:
            found[key] = faults
            seen.update(faults)
    rest = [fault for fault in _faults(where, entry) if fault not in seen]
    return found | ({"": rest} if rest else {})


def _faults(where: str, entry: Mapping[str, Any]) -> list[str]:
    reader = Reader()
    read = Variable.read(dict(entry), where, reader)
    return list(dict.fromkeys([*reader.faults, *([] if reader.faults else read.faults(where))]))


NEEDS_ORDER = "is declared ordinal"
"""What the fault of a variable says whose values have no place in an order."""


def by_field(faults: Sequence[str]) -> dict[str, list[str]]:
    """Faults that were found in the tables, by the field of a variable that mends each.

    >>> by_field(['"a" is declared ordinal, but …', "no"])
    {'order': ['"a" is declared ordinal, but …'], '': ['no']}
    """
    found: dict[str, list[str]] = {}
    for fault in faults:
        found.setdefault("order" if NEEDS_ORDER in fault else "", []).append(fault)
    return found


def told_of(where: str, faults: Iterable[str]) -> list[str]:
    """Faults that speak of one place: the command names it first.

    >>> told_of("number 1", ["number 1: no", "number 10: no", "number 1 has none"])
    ['number 1: no', 'number 1 has none']
    """
    end = len(where)
    return [f for f in faults if f.startswith(where) and not f[end : end + 1].isalnum()]


# -- fields of a form ------------------------------------------------------------------------


def entry_from(fields: Mapping[str, str], before: Mapping[str, Any]) -> Content:
    """A variable's entry as its form gives it; what is empty is left out, and so inferred."""
    entry = {key: value for key, value in before.items() if key not in OWN}
    for key in ("type", "protected_type", "role", "label"):
        if fields.get(key):
            entry[key] = fields[key]
    for key in ("missing", "order"):
        if fields.get(key):
            entry[key] = values_in(fields[key])
    if fields.get("importance"):
        entry["importance"] = value_of(fields["importance"])
    if fields.get("recode"):
        entry["recode"] = recode_from(fields)
    return entry


def recode_from(fields: Mapping[str, str]) -> Content:
    """How a variable was recoded, as the form gives it."""
    way = fields.get("recode", "")
    if way == "map":
        return {"map": pairs_in(fields.get("map", ""))}
    if way == "breaks":
        labels = [str(one) for one in texts_in(fields.get("labels", ""))]
        found: Content = {"breaks": values_in(fields.get("breaks", ""))}
        return found | ({"labels": labels} if labels else {})
    if way == "top":
        return {key: value_of(fields[key]) for key in ("top", "bottom") if fields.get(key)}
    return {way: value_of(fields.get(way, ""))} if way in ("round", "prefix") else {}


def fields_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form that shows an entry."""
    found = {key: str(entry.get(key, "")) for key in ("type", "protected_type", "role", "label")}
    found["importance"] = written(entry.get("importance", ""))
    for key in ("missing", "order"):
        found[key] = ", ".join(written(value, quoted=True) for value in entry.get(key, ()))
    recode = entry.get("recode") or {}
    recode = recode if isinstance(recode, Mapping) else {}
    ways = [way for way in RECODES[1:] if way in recode]
    found["recode"] = "top" if "bottom" in recode else ways[0] if ways else ""
    for key in ("top", "bottom", "round", "prefix"):
        found[key] = written(recode.get(key, ""))
    for key in ("breaks", "labels"):
        found[key] = ", ".join(written(value, quoted=True) for value in recode.get(key, ()))
    pairs = recode.get("map") or {}
    found["map"] = "\n".join(f"{old} = {written(new)}" for old, new in pairs.items())
    return found


def written(value: Any, *, quoted: bool = False) -> str:
    """A value as a field shows it.

    >>> written(-9), written("a, b", quoted=True), written("7", quoted=True)
    ('-9', '"a, b"', '"7"')
    """
    text = str(value)
    if isinstance(value, bool):
        return text.lower()
    bare = not quoted or not isinstance(value, str)
    if bare or (
        value_of(text) == value and not re.search(r'[",\n]', text) and text == text.strip()
    ):
        return text
    return '"' + text.replace('"', '""') + '"'


def value_of(text: str) -> str | int | float:
    """A number where it is one, else text; in double quotes always text.

    >>> value_of("-9"), value_of("0.5"), value_of('"7"'), value_of("N/A"), value_of("007")
    (-9, 0.5, '7', 'N/A', '007')
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"')
    if re.fullmatch(r"[+-]?(0|[1-9]\d{0,17})", text):
        return int(text)
    if re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?", text):
        return float(text)
    return text


def texts_in(text: str) -> list[str]:
    """Values with commas or line ends between, each as it is written."""
    return [str(value_of(f'"{t}"' if t[:1] != '"' else t)) for t in _parts(text)]


def values_in(text: str) -> list[str | int | float]:
    r"""Values with commas or line ends between.

    >>> values_in('-9, N/A\n"a, b"')
    [-9, 'N/A', 'a, b']
    """
    return [value_of(part) for part in _parts(text)]


def _parts(text: str) -> list[str]:
    """What stands between commas or line ends, in quotes where it is; empty parts are none."""
    found = re.findall(r'\s*("(?:[^"]|"")*"|[^,\n]*)\s*(?:,|\n|$)', text)
    return [part for part in map(str.strip, found) if part]


def pairs_in(text: str) -> dict[str, str | int | float]:
    """Lines of what becomes what.

    >>> pairs_in("1 = married, 2 = single")
    {'1': 'married, 2 = single'}
    """
    found = {}
    for line in text.splitlines():
        old, _, new = line.partition("=")
        if line.strip():
            found[str(value_of(old))] = value_of(new)
    return found


def table_rows(
    variables: Sequence[Mapping[str, Any]], content: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Each variable with what the schema says of it, for the table."""
    rows = []
    for place, variable in enumerate(variables):
        entry = entry_of(content, variable["name"])
        guess = variable["guess"] if entry.get("role") in (None, "analysis") else None
        unsaid = unsaid_of(variable, entry)
        rows.append({**variable, "place": place, "entry": entry, "guess": guess, "unsaid": unsaid})
    return rows


def unsaid_of(variable: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, str] | None:
    """The type and the role of a variable of which the schema says none.

    A description of an earlier version tells them only where nothing is said; None elsewhere.
    """
    if "unsaid" in variable:
        return dict(variable["unsaid"])
    if entry.get("type") or entry.get("role"):
        return None
    return {"type": variable["original"]["type"], "role": variable["role"]}
