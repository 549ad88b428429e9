"""The shape that pages rely on, of all that is read from the folder.

What is there may have been edited, or written by another version: a page must not break at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, get_args

from microgauge.results.requirements import SAID, Requirement
from microgauge.schema.variables import Role, Type

Plain = dict[str, Any]
Shape = Any
"""A type; a tuple of alternatives; a set of words; [shape] for a list of such; a dict of shapes,
where a name that ends in "?" may be absent."""

NUMBER = (int, float)
MAYBE_NUMBER = (int, float, None)
MAYBE_TEXT = (str, None)


def fits(found: Any, shape: Shape) -> bool:
    """Whether something that was read has a shape.

    >>> fits({"a": [1, 2]}, {"a": [int], "b?": str}), fits({"a": [1, "x"]}, {"a": [int]})
    (True, False)
    """
    if shape is None:
        return found is None
    if isinstance(shape, tuple):
        return any(fits(found, one) for one in shape)
    if isinstance(shape, frozenset):
        return isinstance(found, str) and found in shape
    if isinstance(shape, list):
        return isinstance(found, list) and all(fits(one, shape[0]) for one in found)
    if not isinstance(shape, dict):
        return isinstance(found, shape)
    return isinstance(found, Mapping) and all(
        fits(found[name], one) if name in found else named.endswith("?")
        for named, one in shape.items()
        for name in [named.removesuffix("?")]
    )


# -- results ---------------------------------------------------------------------------------

SIDE = {
    "grade": str,
    "sentence": str,
    "brief": MAYBE_TEXT,
    "steps": MAYBE_TEXT,
    "stop": MAYBE_TEXT,
}
VERDICT = {
    "useful": SIDE,
    "safe": SIDE,
    "utility": MAYBE_NUMBER,
    "risk": MAYBE_NUMBER,
    "findings": [{"grade": str, "sentence": str, "remedy": MAYBE_TEXT, "code?": str}],
}
LIMIT = {
    "figure": str,
    "operator": frozenset(SAID),
    "limit": NUMBER,
    "value": MAYBE_NUMBER,
    "met": bool,
    "reason?": MAYBE_TEXT,
}
OUTCOME = {
    "verdict?": (VERDICT, None),
    "requirements?": ([LIMIT], None),
    "notes?": ([str], None),
}
ASSESSED = {
    **OUTCOME,
    "inputs": {"original": {"rows": int}, "protected": {"rows": int}},
}
CANDIDATE = {
    **OUTCOME,
    "name": str,
    "map": {"risk": MAYBE_NUMBER, "utility": MAYBE_NUMBER},
    "settings?": (dict, None),
    "recipe?": (dict, None),
}
RANKED = {
    "candidates": [CANDIDATE],
    "frontier": [str],
    "recommended": {"name": MAYBE_TEXT, "reason": str, "against": MAYBE_TEXT},
    "max_risk?": MAYBE_NUMBER,
    "min_utility?": MAYBE_NUMBER,
    "original_risk?": MAYBE_NUMBER,
}


def result_in(found: Any) -> Plain | None:
    """What pages show of an assessment or a ranking: a small part of all its figures.

    None where it is neither.
    """
    ranked = isinstance(found, Mapping) and "candidates" in found
    shape = RANKED if ranked else ASSESSED
    if not fits(found, shape):
        return None
    part = _part(found, [*shape, "manifest"])
    if ranked:
        part["candidates"] = [_part(one, CANDIDATE) for one in found["candidates"]]
    return part


def _part(found: Mapping[str, Any], names: Iterable[str]) -> Plain:
    there = [named.removesuffix("?") for named in names]
    return {name: found[name] for name in there if name in found}


def limit_of(one: Mapping[str, Any]) -> Requirement:
    """A limit of a result; what a later version says beside is left out."""
    known = {field.name for field in fields(Requirement)}
    return Requirement(**{name: value for name, value in one.items() if name in known})


# -- descriptions ----------------------------------------------------------------------------

COLUMN = {
    "type": frozenset(get_args(Type)),
    "distinct": int,
    "missing": int,
    "numeric": bool,
    "values": (list, None),
    "range?": ([NUMBER], None),
}
DRAWN = {"before": [NUMBER], "after": ([NUMBER], None)}
VARIABLE = {
    "name": str,
    "label": MAYBE_TEXT,
    "role": frozenset(get_args(Role)),
    "guess": ({"role": frozenset(get_args(Role))}, None),
    "unsaid?": {"type": frozenset(get_args(Type)), "role": frozenset(get_args(Role))},
    "left_in?": ({"identifier": bool, "why": str}, None),
    "removed": bool,
    "original": COLUMN,
    "protected": (COLUMN, None),
    "recoding": ({"values": int}, None),
    "numbers": (DRAWN, None),
    "categories": ({**DRAWN, "labels": [str]}, None),
    "reason": MAYBE_TEXT,
}
DESCRIPTION = {
    "original": {"rows": int},
    "protected": ({"rows": int}, None),
    "matched": bool,
    "columns?": [str],
    "variables": [VARIABLE],
}


def description_in(found: Any) -> Plain | None:
    """What `microgauge schema --json` wrote; None where it did not write this."""
    return found if fits(found, DESCRIPTION) else None


# -- releases --------------------------------------------------------------------------------

MANIFEST = {"files": [{"name": str, "bytes": int}]}


def manifest_in(found: Any) -> Plain | None:
    """The list of the files of a release; None where it is none."""
    return found if fits(found, MANIFEST) else None
