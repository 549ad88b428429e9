"""The masking methods there are: each a file with its step, its faults and its arithmetic.

To add one: a file named like the method, and a line in the table below.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from microgauge.masking.step import Step

__all__ = ["method", "method_names", "register", "registered"]

_STEPS: dict[str, str | type[Step]] = {
    "remove": "Remove",
    "recode": "Recode",
    "round": "Round",
    "top_bottom": "TopBottom",
    "suppress": "Suppress",
    "local_suppression": "LocalSuppression",
    "noise": "Noise",
    "microaggregation": "Microaggregate",
    "rank_swap": "RankSwap",
    "swap": "Swap",
    "pram": "Pram",
    "sample": "Sample",
    "synthesise": "Synthesise",
}
"""For each method its class; by name where its file is loaded when a recipe first uses it."""


def method_names() -> tuple[str, ...]:
    """The names of all methods, in the order in which help tells them. Loads none of them."""
    return tuple(_STEPS)


def method(name: str) -> type[Step]:
    """The step of a method."""
    found = _STEPS[name]
    if isinstance(found, str):
        step: type[Step] = getattr(import_module(f"{__name__}.{name}"), found)
        return step
    return found


def register(added: type[Step]) -> None:
    """Add a method, after those there are."""
    if added.method in _STEPS:
        raise ValueError(f'there is a method "{added.method}" already')
    _STEPS[added.method] = added


@contextmanager
def registered(added: type[Step]) -> Iterator[None]:
    """A method that is there for a while."""
    register(added)
    try:
        yield
    finally:
        del _STEPS[added.method]
