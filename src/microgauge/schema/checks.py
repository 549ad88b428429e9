"""Small checks of what a user gave: each returns its faults, as sentences that begin with `where`.

Schemas and recipes share them, so that the same mistake gets the same words.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TypeGuard

from microgauge.errors import hint
from microgauge.languages.messages import say, strung


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number; true and false are none.

    >>> is_number(0.5), is_number(True), is_number(float("inf")), is_number(10**400)
    (True, False, False, False)
    """
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max
    )


def is_too_large(value: object) -> bool:
    """Whether a value is a whole number beyond all that can be worked with.

    >>> is_too_large(10**400), is_too_large(10**300), is_too_large("x")
    (True, False, False)
    """
    return is_whole(value) and not is_number(value)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def choice(where: str, value: object, choices: Collection[str]) -> list[str]:
    """A value, if one is given, must be one of the choices.

    >>> choice("[risk] combine", "maxx", ("max", "mean"))
    ['[risk] combine is "maxx"; it must be one of max, mean. Did you mean "max"?']
    """
    if value is None or value in choices:
        return []
    return [
        say(
            '{where} is "{value}"; it must be one of {choices}.{hint}',
            where=where,
            value=value,
            choices=strung(choices, ", "),
            hint=hint(str(value), choices),
        )
    ]


def number(where: str, value: object, *, above: float, optional: bool = True) -> list[str]:
    """A number above a limit.

    >>> number("[risk] c", 0, above=0)
    ['[risk] c must be a number above 0.']
    """
    if (value is None and optional) or (is_number(value) and value > above):
        return []
    if is_too_large(value):
        return [say("{where} is too large a number.", where=where)]
    return [say("{where} must be a number above {above:g}.", where=where, above=above)]


MOST_DRAWS = 10_000
"""Resamples and permutations: more would take days and change no digit that is shown."""


def whole(
    where: str, value: object, least: int, most: int | None = None, *, optional: bool = False
) -> list[str]:
    """A whole number of at least so many, and at most.

    >>> whole("[loss] ways", 0.5, 1)
    ['[loss] ways must be a whole number, 1 or more.']
    >>> whole("[loss] ways", 9, 1, 5)
    ['[loss] ways must be a whole number from 1 to 5.']
    """
    if value is None and optional:
        return []
    if is_whole(value) and value >= least and (most is None or value <= most):
        return []
    allowed = (
        say(", {least} or more", least=least)
        if most is None
        else say(" from {least:,} to {most:,}", least=least, most=most)
    )
    return [say("{where} must be a whole number{allowed}.", where=where, allowed=allowed)]


MOST_SEED = (1 << 64) - 1


def seed_faults(where: str, value: object) -> list[str]:
    """A whole number of at most 64 bits.

    >>> seed_faults("seed", 2**64)
    ['seed must be a whole number from 0 to 2^64 - 1.']
    """
    if is_whole(value) and 0 <= value <= MOST_SEED:
        return []
    return [say("{where} must be a whole number from 0 to 2^64 - 1.", where=where)]


def share(where: str, value: object, *, optional: bool = True) -> list[str]:
    """A number from 0 to 1, both included.

    >>> share("[risk] threshold", 1), share("[risk] threshold", 2)
    ([], ['[risk] threshold must be a number from 0 to 1.'])
    """
    if (value is None and optional) or (is_number(value) and 0 <= value <= 1):
        return []
    return [say("{where} must be a number from 0 to 1.", where=where)]


def fraction(where: str, value: object) -> list[str]:
    """A number between 0 and 1, neither included.

    >>> fraction("[options] threshold", 1)
    ['[options] threshold must be a number between 0 and 1.']
    """
    if is_number(value) and 0 < value < 1:
        return []
    return [say("{where} must be a number between 0 and 1.", where=where)]


def flag(where: str, value: object, *, optional: bool = True) -> list[str]:
    """True or false.

    >>> flag("[options] aligned", "yes")
    ['[options] aligned must be true or false.']
    """
    if (value is None and optional) or isinstance(value, bool):
        return []
    return [say("{where} must be true or false.", where=where)]


def texts(where: str, entry: object, names: Collection[str]) -> list[str]:
    """Entries of these names that are given must be text."""
    return [
        say("{where}: {name} must be text.", where=where, name=name)
        for name in names
        if not isinstance(getattr(entry, name), str | None)
    ]


def weights_faults(where: str, weights: object, *, all_named: bool) -> list[str]:
    """Numbers that say how much each of several things counts; what is not named counts 1.

    >>> weights_faults("[risk] external_weights", (0, 0), all_named=True)
    ['[risk] external_weights must be numbers, 0 or more, not all 0.']
    """
    good = (
        isinstance(weights, tuple)
        and all(is_number(weight) and weight >= 0 for weight in weights)
        and (not all_named or sum(weights) > 0)
    )
    return [] if good else [say("{where} must be numbers, 0 or more, not all 0.", where=where)]


def two_weights(where: str, weights: object) -> list[str]:
    """Two numbers that say how much each of two things counts.

    >>> two_weights("[risk] weights", (0.0, 0.0))
    ['[risk] weights must be two numbers, 0 or more, not both 0.']
    """
    good = (
        isinstance(weights, tuple)
        and len(weights) == 2
        and all(is_number(w) and w >= 0 for w in weights)
        and sum(weights) > 0
    )
    return [] if good else [say("{where} must be two numbers, 0 or more, not both 0.", where=where)]
