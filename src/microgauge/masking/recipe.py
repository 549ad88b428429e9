"""Recipes: protection in steps, read from TOML and checked as a whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from microgauge.errors import InputError, hint
from microgauge.languages.messages import say, strung
from microgauge.masking.forms import forms
from microgauge.masking.methods import method, method_names
from microgauge.masking.step import Look, Skipped, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema import read_toml
from microgauge.schema.checks import seed_faults
from microgauge.schema.writing import toml_value

MASKING = 0x6D61736B
"""Tells the chance of recipes from all other."""


@dataclass(frozen=True)
class Recipe:
    """Steps in their order, and the seed of all chance in them."""

    steps: tuple[Step | None, ...]
    """None where a step has a fault of form."""
    seed: int = 1

    faults: tuple[str, ...] = ()
    """Faults of form; steps that have none are held all the same, to be checked with them."""

    @staticmethod
    def load(source: Recipe | Mapping[str, Any] | str | Path) -> Recipe:
        """From a file, a dict of the same shape, or a recipe."""
        if isinstance(source, Recipe):
            return source
        content = content_of(source)
        faults = [
            say(
                'a recipe has no "{name}".{hint}', name=name, hint=hint(str(name), ("seed", "step"))
            )
            for name in content
            if name not in ("seed", "step")
        ]
        seed = content.get("seed", 1)
        faults += seed_faults("seed", seed)
        given = content.get("step", ())
        if not isinstance(given, Sequence) or isinstance(given, str) or not given:
            faults.append(say("a recipe needs steps: [[step]] sections, each with a method."))
            given = ()
        steps = [_step(place, entry, faults) for place, entry in enumerate(given, start=1)]
        return Recipe(tuple(steps), seed, tuple(faults))

    @property
    def named(self) -> set[str]:
        """The variables that steps name and look at."""
        steps = [step for step in self.steps if step is not None and step.looks]
        return {name for step in steps for name in step.variables}

    @property
    def counted(self) -> set[str]:
        """Those of them that some step needs as numbers."""
        steps = [step for step in self.steps if step is not None and step.counts]
        return {name for step in steps for name in step.variables}

    def check(self, data: Data, partial: Collection[int] = ()) -> None:
        """Every fault of form, and of every step against a table, in one `InputError`.

        Of steps at the places in `partial` only the variables are checked.
        """
        data = data.prepared(self.named, self.counted)
        look = Look(dict(data.uses), data.rows)
        faults = [*self.faults, *data.faults(self.named)]
        for place, step in enumerate(self.steps, start=1):
            if step is not None:
                found = step.faults(look, own=place not in partial)
                faults += [
                    say(
                        "step {place} ({method}): {fault}",
                        place=place,
                        method=step.method,
                        fault=fault,
                    )
                    for fault in found
                ]
                step.after(look)
        if faults:
            raise InputError(*faults)

    def rows_after(self, data: Data) -> int:
        """How many records the protected table will have."""
        data = data.prepared(self.named, self.counted)
        look = Look(dict(data.uses), data.rows)
        for step in self.steps:
            if step is not None:
                step.after(look)
        return look.rows

    def applied(self, data: Data) -> Data:
        """The protected table. Each step has chance of its own, whatever the others are."""
        data = data.prepared(self.named, self.counted)
        self.check(data)
        for place, step in enumerate(self.steps):
            assert step is not None
            try:
                # What overflows would be written as missing, or as another number.
                with np.errstate(over="raise", invalid="raise"):
                    data = step.applied(data, _chance(self.seed, place))
            except FloatingPointError:
                raise InputError(
                    say(
                        "step {place} ({method}): numbers of these columns are too large "
                        "to work with.",
                        place=place + 1,
                        method=step.method,
                    )
                ) from None
        return data


def _chance(seed: int, place: int) -> np.random.Generator:
    """A step's own chance, and not that of any measure with the same seed."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(MASKING, place)))


def content_of(source: Mapping[str, Any] | str | Path) -> Mapping[str, Any]:
    """What a recipe's file or dict holds."""
    content = source
    if isinstance(source, str | Path):
        content = read_toml(Path(source), say("recipe"))
    if not isinstance(content, Mapping):
        raise InputError(
            say("a recipe is a file or a dict, not a {name}.", name=type(content).__name__)
        )
    return content


def recipe_toml(content: Mapping[str, Any]) -> str:
    """The text of a recipe's file.

    >>> print(recipe_toml({"seed": 3, "step": [{"method": "swap", "variable": "x", "share": 0.1}]}))
    seed = 3
    <BLANKLINE>
    [[step]]
    method = "swap"
    variable = "x"
    share = 0.1
    <BLANKLINE>
    """
    lines = [f"seed = {toml_value(content.get('seed', 1))}"]
    for step in content["step"]:
        lines += [
            "",
            "[[step]]",
            *(f"{name} = {toml_value(value)}" for name, value in step.items()),
        ]
    return "\n".join(lines) + "\n"


def _step(place: int, entry: Any, faults: list[str]) -> Step | None:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("method"), str):
        faults.append(
            say(
                "step {place} has no method. There are {method_names}.",
                place=place,
                method_names=strung(method_names(), ", "),
            )
        )
        return None
    name = entry["method"]
    known = method_names()
    if name not in known:
        faults.append(
            say(
                'step {place}: there is no method "{name}".{hint} There are {known}.',
                place=place,
                name=name,
                hint=hint(name, known),
                known=strung(known, ", "),
            )
        )
        return None
    if not isinstance(entry.get("skip", False), bool):
        faults.append(
            say("step {place} ({name}): skip must be true or false.", place=place, name=name)
        )
        return None
    if entry.get("skip", False):
        return Skipped()
    values = _values(place, method(name), entry, faults)
    return None if values is None else method(name)(**values)


def _values(
    place: int, kind: type[Step], entry: Mapping[Any, Any], faults: list[str]
) -> dict[str, Any] | None:
    """The parameters of a step, None where one has the wrong form; what they mean is its own."""
    known = forms(kind)
    values: dict[str, Any] = {}
    sound = True
    for key, value in entry.items():
        if key in ("method", "skip"):
            continue
        target = "variables" if key == "variable" else key
        where = say("step {place} ({method})", place=place, method=kind.method)
        if target not in known:
            faults.append(
                say(
                    '{where}: there is no parameter "{key}".{hint}',
                    where=where,
                    key=key,
                    hint=hint(str(key), ["variable", *known]),
                )
            )
        elif target in values:
            faults.append(say("{where}: give variable or variables, not both.", where=where))
            sound = False
        elif (fault := known[target].fault(_listed(key, value))) is not None:
            faults.append(say("{where}: {key} {fault}", where=where, key=key, fault=fault))
            sound = False
        else:
            values[target] = _listed(key, value)
    return values if sound else None


def _listed(key: Any, value: Any) -> Any:
    """One variable is a list of one; lists are held as tuples."""
    if key in ("variable", "variables") and isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value
