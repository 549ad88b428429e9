"""What parameters of steps must be, beside what schemas check alike."""

from __future__ import annotations

from microgauge.languages.messages import say
from microgauge.schema.checks import is_whole, whole


def whole_up_to(name: str, value: object, least: int, most: int) -> list[str]:
    """A whole number that the records of the table allow.

    >>> whole_up_to("k", 9, 2, 5)
    ['k = 9 is more than the 5 records.']
    """
    faults = whole(name, value, least)
    if not faults and is_whole(value) and value > most:
        return [
            say(
                "{name} = {value} is more than the {most} records.",
                name=name,
                value=value,
                most=most,
            )
        ]
    return faults
