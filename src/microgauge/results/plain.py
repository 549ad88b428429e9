"""The JSON result, from the fields of the result classes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from math import isfinite
from types import NoneType
from typing import Any

from microgauge.languages.messages import forms_of
from microgauge.results import Assessment, Candidate, Diagnosis, Ranking, Reproduction


def to_dict(result: Any) -> Any:
    """Plain dicts, lists and values. A reason is written only where there is one."""
    if isinstance(result, _PLAIN):
        return result
    if isinstance(result, Assessment):
        return _assessment(result)
    if is_dataclass(result) and not isinstance(result, type):
        pairs = ((name, getattr(result, name)) for name in _names(type(result)))
        return {
            name: value if isinstance(value, _PLAIN) else to_dict(value)
            for name, value in pairs
            if value is not None or name != "reason"
        }
    if isinstance(result, dict):
        return {str(key): to_dict(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [to_dict(value) for value in result]
    return result


_PLAIN = (str, float, int, NoneType)


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _assessment(result: Assessment) -> dict[str, Any]:
    """What was compared, each section under its own name, and the notes."""
    return {
        "microgauge": result.microgauge,
        "schema_version": result.schema_version,
        "inputs": to_dict(result.inputs),
        "variables": to_dict(result.variables),
        **to_dict(result.written),
        **({} if result.manifest is None else {"manifest": to_dict(result.manifest)}),
        "notes": list(result.notes),
    }


def ranking_dict(result: Ranking) -> dict[str, Any]:
    """A ranking: each candidate is its assessment with a name."""
    plain = dict(to_dict(result))
    plain["candidates"] = [
        {
            "name": candidate.name,
            **_origin(candidate),
            "utility": candidate.utility,
            "map": _on_map(candidate),
            **to_dict(candidate.assessment),
        }
        for candidate in result.candidates
    ]
    plain["clusters"] = to_dict(result.clusters)
    if result.manifest is None:
        del plain["manifest"]
    return plain


def _on_map(candidate: Candidate) -> dict[str, Any]:
    """The two figures of the map, and why one is null. (`risk` itself names a section.)"""
    standing = candidate.standing
    reasons = () if standing is None else (standing.utility_reason, standing.risk_reason)
    said = "; ".join(reason for reason in reasons if reason)
    found: dict[str, Any] = {"utility": candidate.utility, "risk": candidate.risk}
    return found | ({"reason": said} if said else {})


def _origin(candidate: Candidate) -> dict[str, Any]:
    """How a candidate was made, where that is known."""
    if candidate.recipe is None:
        return {}
    return {"settings": sayable(candidate.settings), "recipe": sayable(candidate.recipe)}


def sayable(content: Any) -> Any:
    """Content of a TOML file as JSON can hold it: dates and infinite numbers as texts."""
    if isinstance(content, Mapping):
        return {str(key): sayable(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [sayable(value) for value in content]
    if content is None or isinstance(content, str | int):
        return content
    return content if isinstance(content, float) and isfinite(content) else str(content)


def json_text(result: Assessment | Ranking | Diagnosis | Reproduction) -> str:
    """The result as JSON text. A NaN or an infinity in it is a defect and raises.

    Sentences are in English; `forms` says what they were made from, so that they can be said in
    another language.
    """
    plain = ranking_dict(result) if isinstance(result, Ranking) else to_dict(result)
    return indented({**plain, "forms": forms_of(plain)}) + "\n"


def indented(plain: Any) -> str:
    """What `json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False)` gives, in less time.

    The standard library goes from C to Python as soon as lines are indented, and a wide table has
    a record for each of a hundred thousand pairs.

    >>> print(indented({"a": [1, None], "b": {}}))
    {
     "a": [
      1,
      null
     ],
     "b": {}
    }
    """
    return _indented(plain, "\n")


def _indented(value: Any, line: str) -> str:
    """One value, whose own lines begin with a line end and its indentation."""
    kind = type(value)
    if isinstance(value, str):
        return _quoted(value)
    if kind is float and isfinite(value):
        return _number(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is dict and value:
        inner = line + " "
        parts = [_key(name) + _indented(held, inner) for name, held in value.items()]
        return f"{{{inner}{f',{inner}'.join(parts)}{line}}}"
    if kind in (list, tuple) and value:
        inner = line + " "
        return f"[{inner}{f',{inner}'.join([_indented(held, inner) for held in value])}{line}]"
    # What is rare, what is empty, and what has no place in JSON: the library knows or refuses it.
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).replace("\n", line)


_quoted = json.encoder.encode_basestring
_number = float.__repr__


@lru_cache(maxsize=1 << 12, typed=True)
def _key(name: Any) -> str:
    """The name of a field, of which there are few. Where it is no text, as the library has it."""
    text = json.dumps({name: None}, ensure_ascii=False)
    return text[1 : text.rindex("null}")]
