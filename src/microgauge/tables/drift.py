"""Parts of one table whose columns differ: what is told of them, whoever reads the parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from microgauge.errors import listing
from microgauge.languages.messages import say


def column_drift(
    part: str,
    found: Mapping[str, Any],
    first: str,
    expected: Mapping[str, Any],
    alike: Callable[[Any, Any], bool],
) -> list[str]:
    """How the columns of a part differ from those of the first. `alike` compares two types."""
    gone = [name for name in expected if name not in found]
    new = [name for name in found if name not in expected]
    faults = []
    if gone:
        faults.append(
            say(
                "{part} lacks {gone}, which {first} has.",
                part=part,
                gone=listing(gone),
                first=first,
            )
        )
    if new:
        faults.append(
            say("{part} has {new}, which {first} lacks.", part=part, new=listing(new), first=first)
        )
    return faults + [
        say(
            '{part} holds "{name}" as {found}, where {first} holds {kind}. Write all '
            "parts with the same types.",
            part=part,
            name=name,
            found=found[name],
            first=first,
            kind=kind,
        )
        for name, kind in expected.items()
        if name in found and not alike(kind, found[name])
    ]


def header_drift(
    part: str, found: Collection[str], first: str, expected: Collection[str]
) -> list[str]:
    """How the first line of a part differs, without names.

    The first line of a part without a header holds cells of the data.
    """
    gone = len(set(expected) - set(found))
    new = len(set(found) - set(expected))
    if not gone and not new:
        return []
    return [
        say(
            "{part} has another first line than {first}: {gone} of its {n} column names "
            "are not there, {new} others are.",
            part=part,
            first=first,
            gone=gone,
            n=len(expected),
            new=new,
        )
    ]


_FAMILIES: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("null", lambda dtype: dtype == pl.Null),
    ("boolean", lambda dtype: dtype == pl.Boolean),
    ("number", lambda dtype: dtype.is_numeric()),
    ("text", lambda dtype: dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum)),
)


def _family(dtype: Any) -> str:
    return next((name for name, fits in _FAMILIES if fits(dtype)), str(dtype))


def alike(a: Any, b: Any) -> bool:
    """Whether two parts hold a column alike: numbers of any size are."""
    families = {_family(a), _family(b)} - {"null"}
    return len(families) < 2


def common_type(dtypes: Sequence[Any]) -> Any:
    """The type of all parts: the same, or one that holds them all."""
    known = [dtype for dtype in dtypes if dtype != pl.Null]
    if not known or all(dtype == known[0] for dtype in known):
        return known[0] if known else dtypes[0]
    if all(dtype.is_integer() for dtype in known):
        return pl.Int128() if pl.UInt64() in known else pl.Int64()
    return pl.Float64() if known[0].is_numeric() else pl.String()
