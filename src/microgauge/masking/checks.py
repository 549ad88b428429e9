"""What parameters of steps must be."""

from __future__ import annotations


def share_faults(value: object, name: str = "share") -> list[str]:
    """A part of a whole: from 0 to 1."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return []
    return [f"{name} must be a number from 0 to 1."]


def positive_faults(value: object, name: str) -> list[str]:
    """A number above 0."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return []
    return [f"{name} must be a number above 0."]


def whole_faults(value: object, name: str, least: int, most: int) -> list[str]:
    """A whole number that the records of the table allow."""
    good = isinstance(value, int) and not isinstance(value, bool) and value >= least
    if not good:
        return [f"{name} must be a whole number, {least} or more."]
    if isinstance(value, int) and value > most:
        return [f"{name} = {value} is more than the {most} records."]
    return []
