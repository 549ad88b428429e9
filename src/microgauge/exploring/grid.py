"""Grids: a recipe in which parameters have several values, and the recipes it stands for."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from microgauge.errors import InputError, hint
from microgauge.masking.recipe import Recipe, content_of

MOST_CANDIDATES = 1_000
NAMED = "grid"
MOST_NAMED = 3
"""Variables that an axis is named after."""
Settings = dict[str, Any]


@dataclass(frozen=True)
class Try:
    """One recipe of a grid."""

    name: str
    settings: Settings
    """The values that tell it from the others, by the name of the axis."""
    content: dict[str, Any]
    """The recipe, as its file would hold it."""

    @property
    def recipe(self) -> Recipe:
        """The recipe, checked in form."""
        return Recipe.load(self.content)


@dataclass(frozen=True)
class Axis:
    """A parameter with several values, and the words for each."""

    name: str
    values: tuple[Any, ...]
    words: tuple[Any, ...]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return zip(self.values, self.words, strict=True)


@dataclass(frozen=True)
class Grid:
    """The recipes of a grid, each once."""

    tries: tuple[Try, ...]
    faults: tuple[str, ...] = ()

    @staticmethod
    def load(source: Mapping[str, Any] | str | Path) -> Grid:
        """From a file, or a dict of the same shape."""
        return _Reader(content_of(source)).grid()


@dataclass
class _Reader:
    """Reads a grid and gathers its faults as it goes."""

    content: Mapping[str, Any]
    faults: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def grid(self) -> Grid:
        named = self._named()
        seeds = self._axis("seed", self.content.get("seed", 1), named)
        steps = self._steps(named)
        self.faults += [f'[grid] "{name}" is not used.' for name in named if name not in self.used]
        rest = {k: v for k, v in self.content.items() if k not in ("seed", "step", NAMED)}
        if self.faults:
            # What can be checked all the same: its faults are told with these.
            some = {"step": [forms[0].some(named) for forms in steps]}
            return Grid((Try("", {}, {**rest, **some}),), tuple(self.faults))
        axes = [axis for axis in named.values() if axis.name in self.used]
        self._check_size([len(axis.values) for axis in axes], seeds, steps)
        tries: dict[str, tuple[Settings, dict[str, Any]]] = {}
        for chosen in itertools.product(*axes):
            values = {axis.name: pair for axis, pair in zip(axes, chosen, strict=True)}
            for seed, *taken in itertools.product(
                _options("seed", seeds, values), *(_alternatives(step, values) for step in steps)
            ):
                settings = {name: word for name, (_, word) in values.items()}
                entry = {**rest, "seed": seed[0], "step": [content for content, _ in taken]}
                for found in (seed[1], *(words for _, words in taken)):
                    settings |= found
                tries.setdefault(_print(entry), (settings, entry))
        return Grid(_numbered(list(tries.values())))

    def _named(self) -> dict[str, Axis]:
        given = self.content.get(NAMED, {})
        if not isinstance(given, Mapping):
            self.faults.append("[grid] must be a table of names and lists of values.")
            return {}
        found = {}
        for name, value in given.items():
            axis = self._axis(str(name), value if isinstance(value, Mapping) else {NAMED: value})
            if isinstance(axis, Axis):
                found[str(name)] = axis
        return found

    def _axis(self, name: str, value: Any, named: Mapping[str, Axis] | None = None) -> Any:
        """An axis, the name of one, or the value itself where it has no grid."""
        if not isinstance(value, Mapping) or NAMED not in value or _is_own(name, value, named):
            return value
        values, words = value[NAMED], value.get("names")
        strange = [key for key in value if key not in (NAMED, "names")]
        if strange:
            self.faults.append(f'{name}: a grid has no "{strange[0]}"; it has grid and names.')
        if isinstance(values, str) and named is not None:
            self.used.add(values)
            if values not in named:
                self.faults.append(f'{name}: [grid] has no "{values}".{hint(values, named)}')
            return Axis(values, (), ())
        if not isinstance(values, list | tuple) or not values:
            self.faults.append(f"{name}: grid must be a list of values, or a name of [grid].")
            return value
        if words is not None and (not isinstance(words, list | tuple) or len(words) != len(values)):
            self.faults.append(f"{name}: names must be as many as the {len(values)} values.")
            return value
        shown = words if words is not None else [_word(v, i) for i, v in enumerate(values, 1)]
        return Axis(name, tuple(values), tuple(shown))

    def _steps(self, named: Mapping[str, Axis]) -> list[list[_Step]]:
        given = self.content.get("step", ())
        if not isinstance(given, Sequence) or isinstance(given, str) or not given:
            self.faults.append("a recipe needs steps: [[step]] sections, each with a method.")
            return []
        steps = []
        for place, entry in enumerate(given, start=1):
            many = entry.get("either") if isinstance(entry, Mapping) else None
            if many is not None and (
                not isinstance(many, list | tuple) or not many or len(entry) > 1
            ):
                self.faults.append(f"step {place}: either must be a list of steps, and all of it.")
                continue
            forms = [entry] if many is None else list(many)
            steps.append([self._step(place, form, named, several=bool(many)) for form in forms])
        _tell_apart(steps)
        return steps

    def _step(self, place: int, entry: Any, named: Mapping[str, Axis], *, several: bool) -> _Step:
        if not isinstance(entry, Mapping):
            self.faults.append(f"step {place} must be a table: [[step]].")
            entry = {}
        about = _about(entry, place)
        values = {}
        for key, value in entry.items():
            values[str(key)] = self._axis(f"{about} {key}", value, named)
        return _Step(place, about, values, several=several)

    def _check_size(
        self, named: Sequence[int], seeds: Any, steps: Sequence[Sequence[_Step]]
    ) -> None:
        own = [len(seeds.values) or 1] if isinstance(seeds, Axis) else []
        size = prod([*named, *own, *(sum(form.size for form in step) for step in steps)])
        if size > MOST_CANDIDATES:
            raise InputError(
                f"the grid has {size:,} candidates; at most {MOST_CANDIDATES:,} are tried. "
                "Leave out values."
            )


@dataclass
class _Step:
    """A step as a grid gives it: some values are axes."""

    place: int
    about: str
    values: dict[str, Any]
    several: bool
    """Whether it is one of several that the grid names."""

    def some(self, named: Mapping[str, Axis]) -> dict[str, Any]:
        """One of the steps it stands for; a skipped one where its grids have faults."""
        found = {}
        for key, value in self.values.items():
            axis = value
            if isinstance(value, Axis) and not value.values:
                axis = named.get(value.name)
            if axis is None or (isinstance(axis, Mapping) and NAMED in axis):
                return {"method": "recode", "skip": True}
            found[key] = axis.values[0] if isinstance(axis, Axis) else axis
        return found

    @property
    def size(self) -> int:
        """How many steps it stands for, those that are the same counted too."""
        return prod(len(v.values) or 1 for v in self.values.values() if isinstance(v, Axis))


def _alternatives(
    forms: Sequence[_Step], named: Mapping[str, tuple[Any, Any]]
) -> list[tuple[dict[str, Any], Settings]]:
    """The steps that one section stands for, with what is said of each."""
    return [found for form in forms for found in _expanded(form, named)]


def _expanded(
    step: _Step, named: Mapping[str, tuple[Any, Any]]
) -> list[tuple[dict[str, Any], Settings]]:
    options = [_options(key, value, named) for key, value in step.values.items()]
    found = []
    for chosen in itertools.product(*options):
        content = {key: value for key, (value, _) in zip(step.values, chosen, strict=True)}
        words: Settings = {}
        for _, said in chosen:
            words |= said
        method = content.get("method")
        if step.several:
            words = {f"{step.about} method": method} | words
        skip = step.values.get("skip")
        if content.get("skip") is True:
            # All that is skipped is the same, whatever its parameters.
            content = {key: content[key] for key in ("method", "skip") if key in content}
            words = {f"{step.about} {method}": "no"}
        elif isinstance(skip, Axis):
            words = {name: word for name, word in words.items() if name != skip.name}
            words = {f"{step.about} {method}": "yes"} | words
            del content["skip"]
        found.append((content, words))
    return found


def _options(
    key: str, value: Any, named: Mapping[str, tuple[Any, Any]]
) -> list[tuple[Any, Settings]]:
    """The values of a parameter, each with what is said of it."""
    if not isinstance(value, Axis):
        return [(value, {})]
    if not value.values:
        return [(named[value.name][0], {})]  # the name is said once, for all that share it
    return [(one, {value.name: word}) for one, word in value]


def _is_own(name: str, value: Mapping[str, Any], named: Mapping[str, Axis] | None) -> bool:
    """Whether "grid" is a category that a map or a matrix names."""
    given = value[NAMED]
    table = name.endswith((" map", " matrix", " importance"))
    return table and not isinstance(given, list) and given not in (named or {})


def _about(entry: Mapping[str, Any], place: int) -> str:
    """The variables that a step is about, or its method."""
    variables = entry.get("variable", entry.get("variables"))
    several = isinstance(variables, list | tuple) and 0 < len(variables) <= MOST_NAMED
    if several and all(isinstance(one, str) for one in variables):
        return "+".join(variables)
    if isinstance(variables, str):
        return variables
    method = entry.get("method")
    return method if isinstance(method, str) else f"step {place}"


def _tell_apart(steps: Sequence[Sequence[_Step]]) -> None:
    """Axes of the same name in several steps get the step's number."""
    axes = [
        (step, key, value)
        for forms in steps
        for step in forms
        for key, value in step.values.items()
        if isinstance(value, Axis) and value.values
    ]
    places: Counter[str] = Counter()
    for name, _ in {(axis.name, step.place) for step, _, axis in axes}:
        places[name] += 1
    for step, key, axis in axes:
        if places[axis.name] > 1:
            name = f"{axis.name} (step {step.place})"
            step.values[key] = Axis(name, axis.values, axis.words)


def _word(value: Any, place: int) -> Any:
    """A value as it is said: lists and tables by their number."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return "+".join(value)
    return f"#{place}" if isinstance(value, list | tuple | Mapping) else value


def _print(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, default=str)


def _numbered(found: Sequence[tuple[Settings, dict[str, Any]]]) -> tuple[Try, ...]:
    """Named by numbers of the same length: settings are too long for pictures."""
    width = len(str(len(found)))
    return tuple(
        Try(f"{place:0{width}}", settings, content)
        for place, (settings, content) in enumerate(found, start=1)
    )
