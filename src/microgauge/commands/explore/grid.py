"""Grids: a recipe in which parameters have several values, and the recipes it stands for."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

from microgauge.errors import hint
from microgauge.languages.messages import say
from microgauge.masking.forms import tables
from microgauge.masking.recipe import Recipe, content_of
from microgauge.records import dataclass
from microgauge.results.plain import sayable

MOST_CANDIDATES = 1_000
GRID, NAMES = "grid", "names"
MOST_NAMED = 3
MOST_SAID = 6
"""Numbers of a list that is said as it is."""
"""Variables that an axis is named after."""
NOTHING = {"method": "recode", "skip": True}
"""Keeps the place of a step that cannot be read."""
Settings = dict[str, Any]


@dataclass(frozen=True)
class Try:
    """One recipe of a grid."""

    name: str
    settings: Settings
    """The values that tell it from the others, by the name of the axis."""
    content: dict[str, Any]
    """The recipe, as its file would hold it."""

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe, checked in form."""
        return Recipe.load(self.content)


@dataclass(frozen=True)
class Grid:
    """The recipes of a grid, each once."""

    tries: tuple[Try, ...]
    faults: tuple[str, ...] = ()
    partial: frozenset[int] = frozenset()
    """Places of steps of which a parameter has a faulty grid: they are here without it."""

    @staticmethod
    def load(source: Mapping[str, Any] | str | Path) -> Grid:
        """From a file, or a dict of the same shape."""
        return _Reader(content_of(source)).grid()


@dataclass(eq=False)
class _Axis:
    """A parameter with several values, and the words for each."""

    name: str
    values: Sequence[Any]
    words: Sequence[Any]
    place: int | None = None
    """The step it belongs to; None where it is shared."""

    def options(self) -> list[tuple[Any, Settings]]:
        return [(v, {self.name: w}) for v, w in zip(self.values, self.words, strict=True)]


Value = Any
"""A value of a step, or an axis."""
Chosen = Mapping[str, tuple[Any, Any]]
"""The value and the word of each named axis."""
Option = tuple[dict[str, Any], Settings, frozenset[str]]
"""A step, what is said of it, and the named axes it uses."""


def _options(value: Value, chosen: Chosen) -> list[tuple[Any, Settings]]:
    """The values that one stands for, with what is said of each."""
    if not isinstance(value, _Axis):
        return [(value, {})]
    # What is shared is said once, for all steps that use it.
    return value.options() if value.place is not None else [(chosen[value.name][0], {})]


@dataclass(eq=False)
class _Form:
    """A step as the grid gives it: some values are axes."""

    values: dict[str, Value]
    skip: _Axis | None = None
    """Whether it is tried with and without."""
    left_out: dict[str, Any] = field(default_factory=lambda: dict(NOTHING))
    """What stands in its place where it is skipped: the same for all forms of a section."""

    def size(self) -> int:
        """How many steps it stands for; what is skipped is one, whatever its parameters."""
        own = prod(len(a.values) for a in self.axes() if a.place is not None)
        if self.skip is None:
            return own
        skipped = list(self.skip.values)
        return skipped.count(False) * own + (True in skipped)

    def axes(self) -> list[_Axis]:
        return [value for value in self.values.values() if isinstance(value, _Axis)]

    def options(self, chosen: Chosen) -> Iterator[Option]:
        """The steps it stands for. `chosen` are the values of named axes."""
        for skip, said in self._skips(chosen):
            if skip:
                yield dict(self.left_out), said, self._shared([self.skip])
                continue
            lists = [_options(value, chosen) for value in self.values.values()]
            for values in itertools.product(*lists):
                content = {k: value for k, (value, _) in zip(self.values, values, strict=True)}
                words = dict(said)
                for _, one in values:
                    words |= one
                yield content, words, self._shared([self.skip, *self.axes()])

    def _skips(self, chosen: Chosen) -> list[tuple[Any, Settings]]:
        if self.skip is None:
            return [(self.values.get("skip", False) is True, {})]
        return _options(self.skip, chosen)

    @staticmethod
    def _shared(axes: Iterable[_Axis | None]) -> frozenset[str]:
        return frozenset(a.name for a in axes if a is not None and a.place is None)


@dataclass(eq=False)
class _Section:
    """A [[step]]: one form, or several of which one is taken."""

    forms: list[_Form]
    either: _Axis | None = None

    def options(self, chosen: Chosen) -> Iterator[Option]:
        for place, form in enumerate(self.forms):
            said = {} if self.either is None else {self.either.name: self.either.words[place]}
            for content, words, shared in form.options(chosen):
                yield content, said | words, shared

    def axes(self) -> Iterator[_Axis]:
        if self.either is not None:
            yield self.either
        for form in self.forms:
            yield from form.axes()
            if form.skip is not None:
                yield form.skip


@dataclass
class _Reader:
    """Reads a grid and gathers its faults as it goes."""

    content: Mapping[str, Any]
    faults: list[str] = field(default_factory=list)
    named: dict[str, _Axis] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    partial: set[int] = field(default_factory=set)

    def grid(self) -> Grid:
        declared = self._named()
        seed = self._seed()
        sections = self._sections()
        self.faults += [
            say('[grid] "{name}" is not used.', name=name)
            for name in declared
            if name not in self.used
        ]
        own = [axis for section in sections for axis in section.axes()]
        _tell_apart([*self.named.values(), *own, *([seed] if isinstance(seed, _Axis) else [])])
        self._check_size(seed, sections)
        found: dict[str, tuple[Settings, dict[str, Any]]] = {}
        combinations = self._expanded(seed, sections)
        for settings, content in itertools.islice(combinations, MOST_READ):
            found.setdefault(_print(content), (settings, content))
        return Grid(_numbered(list(found.values())), tuple(self.faults), frozenset(self.partial))

    def _expanded(
        self, seed: _Axis | Any, sections: Sequence[_Section]
    ) -> Iterator[tuple[Settings, dict[str, Any]]]:
        """Every combination, the last step changing fastest."""
        rest = {k: v for k, v in self.content.items() if k not in ("seed", "step", GRID)}
        axes = list(self.named.values())
        for values in itertools.product(*(zip(a.values, a.words, strict=True) for a in axes)):
            chosen = {a.name: pair for a, pair in zip(axes, values, strict=True)}
            for number, said in _options(seed, chosen):
                # A section of more is refused for its size, and not read to its end.
                lists = [itertools.islice(s.options(chosen), MOST_READ) for s in sections]
                for taken in itertools.product(*lists):
                    shared = frozenset[str]().union(*(names for _, _, names in taken))
                    if isinstance(seed, _Axis) and seed.place is None:
                        shared |= {seed.name}
                    settings = {n: word for n, (_, word) in chosen.items() if n in shared} | said
                    for _, words, _ in taken:
                        settings |= words
                    steps = [content for content, _, _ in taken]
                    yield settings, {**rest, "seed": number, "step": steps}

    # -- axes ------------------------------------------------------------------------------------

    def _named(self) -> list[str]:
        """Read [grid]; the names it declares, also those with a fault."""
        given = self.content.get(GRID, {})
        if not isinstance(given, Mapping):
            self.faults.append(say("[grid] must be a table of names and lists of values."))
            return []
        for name, value in given.items():
            axis = self._axis(
                say("[grid] {name}", name=name), value if _is_grid(value) else {GRID: value}
            )
            if axis is not None:
                axis.name = str(name)
                self.named[str(name)] = axis
        return [str(name) for name in given]

    def _axis(self, where: str, value: Mapping[str, Any]) -> _Axis | None:
        """The axis that a table with `grid` stands for; None where it has a fault."""
        values, words = value[GRID], value.get(NAMES)
        strange = [key for key in value if key not in (GRID, NAMES)]
        if strange:
            self.faults.append(
                say(
                    '{where}: a grid has no "{strange}"; it has grid and names.',
                    where=where,
                    strange=strange[0],
                )
            )
            return None
        if not isinstance(values, list | tuple) or not values:
            self.faults.append(
                say("{where}: grid must be a list of values, or a name of [grid].", where=where)
            )
            return None
        if words is None:
            return _Axis("", list(values), _words(values))
        if not isinstance(words, list | tuple) or len(words) != len(values):
            self.faults.append(
                say("{where}: names must be as many as the {n} values.", where=where, n=len(values))
            )
            return None
        said = [_sayable(word) for word in words]
        if len(set(map(str, said))) < len(said):
            self.faults.append(say("{where}: two of the names are the same.", where=where))
            return None
        return _Axis("", list(values), said)

    def _parameter(self, place: int | None, about: str, key: str, value: Any) -> Value:
        """A value of a step: itself, an axis of its own, or a named one; None for a fault."""
        where = say("{about} {key}", about=about, key=key) if about else key
        if not _is_grid(value) or self._is_own(key, value):
            if isinstance(value, Mapping) and any(_is_grid(v, deep=True) for v in value.values()):
                self.faults.append(
                    say("{where}: a grid stands for the whole of it, not for a part.", where=where)
                )
                return None
            return value
        name = value[GRID]
        if isinstance(name, str):
            self.used.add(name)
            if len(value) > 1:
                self.faults.append(
                    say("{where}: names belong to [grid] {name}.", where=where, name=name)
                )
            if name not in self.named:
                declared = self.content.get(GRID)
                if not isinstance(declared, Mapping) or name not in declared:
                    self.faults.append(
                        say(
                            '{where}: [grid] has no "{name}".{hint}',
                            where=where,
                            name=name,
                            hint=hint(name, self.named),
                        )
                    )
                return None
            return self.named[name]
        axis = self._axis(where, value)
        if axis is not None:
            axis.name, axis.place = where, place if place is not None else 0
        return axis

    def _is_own(self, key: str, value: Mapping[str, Any]) -> bool:
        """Whether "grid" is a category that a map or a matrix names."""
        given = value[GRID]
        if key not in tables() or isinstance(given, list | tuple):
            return False
        return not (isinstance(given, str) and given in self.named)

    def _seed(self) -> Value:
        found = self._parameter(None, "", "seed", self.content.get("seed", 1))
        return 1 if found is None else found

    # -- steps -----------------------------------------------------------------------------------

    def _sections(self) -> list[_Section]:
        given = self.content.get("step", ())
        if not isinstance(given, Sequence) or isinstance(given, str) or not given:
            self.faults.append(say("a recipe needs steps: [[step]] sections, each with a method."))
            return []
        return [self._section(place, entry) for place, entry in enumerate(given, start=1)]

    def _section(self, place: int, entry: Any) -> _Section:
        many = entry.get("either") if isinstance(entry, Mapping) else None
        if many is None:
            return _alike(_Section([self._form(place, entry)]))
        if not isinstance(many, list | tuple) or not many or len(entry) > 1:
            self.faults.append(
                say("step {place}: either must be a list of steps, and all of it.", place=place)
            )
            return _Section([_Form(dict(NOTHING))])
        forms = [self._form(place, form) for form in many]
        methods = [str(form.values.get("method", "?")) for form in forms]
        words = [
            say("{m} #{count}", m=m, count=methods[: i + 1].count(m)) if methods.count(m) > 1 else m
            for i, m in enumerate(methods)
        ]
        about = (
            _about(many[0], place)
            if isinstance(many[0], Mapping)
            else say("step {place}", place=place)
        )
        return _alike(
            _Section(forms, _Axis(say("{about} method", about=about), methods, words, place))
        )

    def _form(self, place: int, entry: Any) -> _Form:
        if not isinstance(entry, Mapping):
            self.faults.append(say("step {place} must be a table: [[step]].", place=place))
            return _Form(dict(NOTHING))
        about = _about(entry, place)
        values = {}
        for key, value in entry.items():
            found = self._parameter(place, about, str(key), value)
            if found is None and value is not None:
                self.partial.add(place)
            else:
                values[str(key)] = found
        form = _Form(values)
        if isinstance(values.get("skip"), _Axis):
            form.skip = self._skip(place, about, values.pop("skip"), entry)
        return form

    def _skip(self, place: int, about: str, axis: _Axis, entry: Mapping[str, Any]) -> _Axis | None:
        if not all(isinstance(value, bool) for value in axis.values):
            self.faults.append(
                say("{about}: skip must be true or false, also in a grid.", about=about)
            )
            return None
        if axis.place is None:
            return axis
        method = entry.get("method")
        said = say("{about} {method}", about=about, method=method) if method else about
        return _Axis(said, axis.values, ["no" if v else "yes" for v in axis.values], place)

    def _check_size(self, seed: Value, sections: Sequence[_Section]) -> None:
        shared = [len(axis.values) for axis in self.named.values() if axis.name in self.used]
        own = [len(seed.values)] if isinstance(seed, _Axis) and seed.place is not None else []
        size = prod([*shared, *own, *(sum(f.size() for f in s.forms) for s in sections)])
        if size > MOST_CANDIDATES:
            self.faults.append(
                say(
                    "the grid has {size:,} candidates; at most {most_candidates:,} are "
                    "tried. Leave out values.",
                    size=size,
                    most_candidates=MOST_CANDIDATES,
                )
            )


MOST_READ = 4 * MOST_CANDIDATES
"""Combinations of which faults are told."""


def _is_grid(value: Any, *, deep: bool = False) -> bool:
    """Whether a value stands for several. Within a map, only a list of them is meant so."""
    if not isinstance(value, Mapping) or GRID not in value:
        return False
    return not deep or isinstance(value[GRID], list | tuple)


def _alike(section: _Section) -> _Section:
    """All that is skipped in a section is the same."""
    method = section.forms[0].values.get("method")
    for form in section.forms:
        if isinstance(method, str):
            form.left_out = {"method": method, "skip": True}
    return section


def _about(entry: Mapping[str, Any], place: int) -> str:
    """The variables that a step is about, or its method."""
    variables = entry.get("variable", entry.get("variables"))
    several = isinstance(variables, list | tuple) and 0 < len(variables) <= MOST_NAMED
    if several and all(isinstance(one, str) for one in variables):
        return "+".join(variables)
    if isinstance(variables, str):
        return variables
    method = entry.get("method")
    return method if isinstance(method, str) else say("step {place}", place=place)


def _tell_apart(axes: Sequence[_Axis]) -> None:
    """Axes of the same name get the number of their step: settings must tell candidates apart."""
    shared = Counter(name for name, _ in {(axis.name, axis.place) for axis in axes})
    for axis in {id(axis): axis for axis in axes}.values():
        if axis.place is not None and shared[axis.name] > 1:
            axis.name += (
                say(" (step {place})", place=axis.place) if axis.place else say(" (of the recipe)")
            )


def _words(values: Sequence[Any]) -> list[Any]:
    """Values as they are said; by their number where words would be the same."""
    words = [_word(value, place) for place, value in enumerate(values, start=1)]
    times = Counter(map(str, words))
    return [
        word if times[str(word)] == 1 or values.count(value) > 1 else f"#{place}"
        for place, (word, value) in enumerate(zip(words, values, strict=True), start=1)
    ]


def _word(value: Any, place: int) -> Any:
    """A value as it is said: long lists and tables by their number."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return "+".join(value)
    short = isinstance(value, list | tuple) and len(value) <= MOST_SAID
    if short and all(type(one) in (int, float) for one in value):
        return "/".join(map(str, value))
    return f"#{place}" if isinstance(value, list | tuple | Mapping) else _sayable(value)


def _sayable(value: Any) -> Any:
    """A word that JSON can hold, too."""
    return sayable(value) if isinstance(value, str | int | float) else str(value)


def _print(content: Any) -> str:
    return json.dumps(sayable(content), sort_keys=True)


def _numbered(found: Sequence[tuple[Settings, dict[str, Any]]]) -> tuple[Try, ...]:
    """Named by numbers of the same length: settings are too long for pictures."""
    width = len(str(len(found)))
    return tuple(
        Try(f"{place:0{width}}", settings, content)
        for place, (settings, content) in enumerate(found, start=1)
    )
