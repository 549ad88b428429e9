"""Values as text, one spelling for each: 3, 3.0 and "3" are the same value."""

from __future__ import annotations

import math

from microgauge.schema import Value


def number_label(number: float) -> str:
    """A number as a category: 3.0 and 3 are one.

    >>> number_label(3.0), number_label(0.25)
    ('3', '0.25')
    """
    return (
        str(int(number))
        if float(number).is_integer() and abs(number) < 1e15
        else repr(float(number))
    )


def label_of(value: Value) -> str:
    """The canonical label of a value written in a schema."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_label(float(value))
    text = value.strip()
    number = number_in(text)
    padded = text.lstrip("+-")[:1] == "0" and text.lstrip("+-")[1:2].isdigit()
    return text if number is None or padded else number_label(number)


def number_in(text: str) -> float | None:
    """The finite number that a text is, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
