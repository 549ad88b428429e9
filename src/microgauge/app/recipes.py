"""Recipes as forms show them: steps with parameters, some of which may have several values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from microgauge.app.schemas import pairs_in, texts_in, value_of, values_in, written
from microgauge.errors import InputError
from microgauge.languages.messages import say, strung
from microgauge.masking.methods import method, method_names
from microgauge.values.labels import number_label

# What protects and explores takes most of a second to load, and the first page needs none of it.
if TYPE_CHECKING:
    from microgauge.commands.explore.grid import Grid
    from microgauge.masking.forms import Parameter
    from microgauge.masking.recipe import Recipe

GRID = "grid"
RANGE = re.compile(
    r"\s*(\S+)\s*(?:to|bis|à|a|\.\.|–)\s*(\S+)\s*"
    r"(?:by|step|je|par pas de|par|en pasos de|de|:)\s*(\S+)\s*"
)
"""As the texts of each language say it, and in signs."""
MOST_STEPS = 200
"""Each is shown with its form, and looked at when one is changed."""
MOST_VALUES = 200
"""Of one parameter."""
LONGEST_RANGE = 200
"""Characters of a field in which a range is looked for: it is three numbers and two words."""
NO_STEPS = say("a recipe needs steps: [[step]] sections, each with a method.")
Content = dict[str, Any]


def empty() -> Content:
    """A recipe that does nothing yet."""
    return {"seed": 1, "step": []}


def methods() -> list[tuple[str, str, str]]:
    """Every method with what it does, and what it works on."""
    from microgauge.masking.forms import about

    kinds = ((name, method(name)) for name in method_names())
    return [(name, about(kind), kind.takes or "") for name, kind in kinds]


def parameters_of(name: str) -> tuple[Parameter, ...]:
    """The parameters of a method."""
    from microgauge.masking.forms import parameters

    return parameters(method(name))


def is_by_value(name: str) -> bool:
    """Whether a method is told of a variable's own values."""
    return bool(method(name).takes) or any(one.shape == "numbers" for one in parameters_of(name))


def roles_of(
    variables: Sequence[Mapping[str, Any]], takes: str, *, name: str = ""
) -> dict[str, str]:
    """The keys and the sensitive variables that a method may take, with their roles.

    Identifiers are not to be changed: they are left out of the file.
    """
    wanted = ("quasi_identifier", "sensitive", *(["id"] if name == "remove" else []))
    return {
        variable["name"]: variable["role"]
        for variable in variables
        if variable["role"] in wanted
        and (takes != "number" or variable["original"]["numeric"])
        and (takes != "category" or variable["original"]["type"] != "continuous")
    }


def values_there(variables: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The values of each variable: those of few, each with its share, or the ends of numbers."""
    found = []
    for variable in variables:
        side, drawn = variable["original"], variable["categories"] or {"labels": [], "before": []}
        shares = dict(zip(drawn["labels"], drawn["before"], strict=False))
        values = side["values"] or ([] if side["numeric"] else drawn["labels"])
        # A description of an earlier version has no range.
        ends = [] if values else [number_label(end) for end in side.get("range") or ()]
        told = [(value, shares.get(value)) for value in values]
        count = side["distinct"]
        found.append({"name": variable["name"], "values": told, "ends": ends, "count": count})
    return found


def text_of(content: Mapping[str, Any]) -> str:
    """The text of a recipe's file."""
    from microgauge.masking.recipe import recipe_toml

    return recipe_toml(content)


def is_grid(content: Mapping[str, Any]) -> bool:
    """Whether it stands for several recipes."""
    forms = [form for step in content["step"] for form in _forms(step)]
    values = [content.get("seed"), *(value for form in forms for value in form.values())]
    return len(forms) > len(content["step"]) or any(map(_is_several, values))


def plain(content: Mapping[str, Any]) -> Content:
    """One recipe of a grid: of several values, and of several methods, the middle one."""
    shared = content.get(GRID, {})

    def one(value: Any) -> Any:
        if not _is_several(value):
            return value
        values = value[GRID]
        if isinstance(values, str):
            values = shared.get(values)
            values = values[GRID] if _is_several(values) else values
        return _middle(values) if isinstance(values, list) and values else value

    forms = [_middle(_forms(step)) for step in content["step"]]
    steps = [{key: one(value) for key, value in form.items() if key != "skip"} for form in forms]
    rest = {key: one(value) for key, value in content.items() if key not in (GRID, "step")}
    return {**rest, "step": steps}


def values_tried(content: Mapping[str, Any], count: int) -> list[tuple[int, str, str]]:
    """Of the first steps, each that may be several: its place, and what is tried of it.

    >>> step = {"method": "noise", "share": {"grid": [0.1, 0.2, 0.3]}}
    >>> values_tried({"step": [step, step]}, 1)
    [(1, 'share', '0.2')]
    """
    steps = content["step"][:count]
    tried = plain({**content, "step": steps})["step"]
    found: list[tuple[int, str, str]] = []
    for place, (step, one) in enumerate(zip(steps, tried, strict=True), start=1):
        if "either" in step:
            found += [(place, "method", title_of(one)), *((place, *each) for each in told(one))]
        else:
            several = [key for key, value in step.items() if key != "skip" and _is_several(value)]
            found += [(place, key, shown_value(one[key])) for key in several]
    return found


def _forms(step: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What a step may be: itself, or one of several methods."""
    found: Sequence[Mapping[str, Any]] = step.get("either", [step])
    return found


def _is_several(value: Any) -> bool:
    return isinstance(value, Mapping) and GRID in value and set(value) <= {GRID, "names"}


def _middle(values: Sequence[Any]) -> Any:
    return values[(len(values) - 1) // 2]


def title_of(step: Mapping[str, Any]) -> str:
    """The method of a step, or those of which it is one."""
    named = dict.fromkeys(str(form.get("method", "?")) for form in _forms(step))
    return strung((say(name) for name in named), " / ")


def variables_of(step: Mapping[str, Any]) -> list[str]:
    """The variables that a step names."""
    given = step.get("variables", step.get("variable", []))
    return [given] if isinstance(given, str) else list(given) if isinstance(given, list) else []


def is_editable(step: Mapping[str, Any]) -> bool:
    """Whether a form can hold all of a step; else it is changed in the recipe's text."""
    skip = step.get("skip", {GRID: []})
    own = [
        not isinstance(value[GRID], str)
        and "names" not in value
        and key not in ("variable", "variables")
        for key, value in step.items()
        if _is_several(value)
    ]
    return "method" in step and _is_several(skip) and all(own)


# -- from a form, and into one ---------------------------------------------------------------


def step_from(name: str, fields: Mapping[str, str], variables: Sequence[str]) -> Content:
    """A step as its form gives it; what is empty is left out."""
    step: Content = {"method": name}
    if variables:
        step["variables"] = list(variables)
    for one in parameters_of(name):
        text = fields.get(f"p-{one.name}", "").strip()
        if one.shape == "flag":
            step |= _flags(one, text)
        elif text:
            step[one.name] = _value(one, text)
    if fields.get("without") == "on":
        step["skip"] = {GRID: [False, True]}
    return step


def _flags(one: Parameter, text: str) -> Content:
    if text == "both":
        return {one.name: {GRID: [False, True]}}
    said = text == "yes"
    return {} if text == "" or said == one.default else {one.name: said}


def _value(one: Parameter, text: str) -> Any:
    """What a field says; several values are a grid."""
    if one.shape in ("number", "whole"):
        several = numbers_in(text)
        return several[0] if len(several) == 1 else {GRID: several}
    if one.shape in ("numbers", "wholes", "texts"):
        read = texts_in if one.shape == "texts" else values_in
        lists = [read(part) for part in text.split(";") if part.strip()]
        return lists[0] if len(lists) == 1 else {GRID: lists}
    if one.shape == "table":
        return {old: _inner(new) for old, new in pairs_in(text).items()}
    several = chosen_in(text)
    return several[0] if len(several) == 1 else {GRID: several}


def _inner(value: Any) -> Any:
    """What a line of a table says: a value, or a table again.

    >>> _inner(3), _inner("{ north = 0.8, south = 0.2 }"), _inner("{}")
    (3, {'north': 0.8, 'south': 0.2}, {})
    """
    if isinstance(value, str) and value[:1] == "{" and value[-1:] == "}":
        return pairs_in(value[1:-1].replace(",", "\n"))
    return value


def numbers_in(text: str) -> list[Any]:
    """Numbers with commas between, or a range.

    >>> numbers_in("0.1, 0.2"), numbers_in("0.1 to 0.5 by 0.2"), numbers_in("3"), numbers_in("x")
    ([0.1, 0.2], [0.1, 0.3, 0.5], [3], ['x'])
    """
    said = RANGE.fullmatch(text) if len(text) <= LONGEST_RANGE else None
    if said is None:
        return values_in(text) or [text]
    try:
        low, high, by = (Decimal(said[place]) for place in (1, 2, 3))
        if not by.is_finite() or by <= 0 or high < low or (high - low) / by > MOST_VALUES:
            return [text]
        count = int((high - low) / by)
        return [value_of(str(low + by * place)) for place in range(count + 1)]
    except (InvalidOperation, ArithmeticError):
        return [text]


def fields_of(step: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form that shows a step."""
    found = {}
    for one in parameters_of(step["method"]):
        value = step.get(one.name)
        if one.shape == "flag":
            several = isinstance(value, Mapping)
            shown = "both" if several else "" if value is None else "yes" if value else "no"
            found[f"p-{one.name}"] = shown
        elif value is not None:
            found[f"p-{one.name}"] = shown_value(value, one)
    found["without"] = "on" if isinstance(step.get("skip"), Mapping) else ""
    return found


def shown_value(value: Any, one: Parameter | None = None) -> str:
    """A parameter's value in a field, or in a sentence."""
    if _is_several(value) and isinstance(value[GRID], str):
        return str(value[GRID])
    if _is_several(value):
        between = "; " if one is not None and one.shape.endswith("s") else ", "
        return between.join(shown_value(each) for each in value[GRID])
    if isinstance(value, Mapping):
        return "\n".join(f"{old} = {_inner_shown(new)}" for old, new in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(written(each, quoted=True) for each in value)
    return written(value)


def _inner_shown(value: Any) -> str:
    """What a line of a table says, as a field shows it."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {written(one)}' for name, one in value.items())} }}"
    return written(value)


def chosen_in(value: str) -> list[str]:
    """The words that are ticked of a choice.

    >>> chosen_in("each, mdav"), chosen_in("")
    (['each', 'mdav'], [])
    """
    return [word for part in value.split(",") if (word := part.strip())]


def told(step: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The parameters of a step, to be read."""
    if "either" in step:
        return [
            (title_of(form), ", ".join(f"{key} {text}" for key, text in told(form)))
            for form in _forms(step)
        ]
    left_out = ("method", "variables", "variable", "skip")
    known = {} if "method" not in step else _known(str(step["method"]))
    found = [
        (key, shown_value(value, known.get(key)).replace("\n", ", "))
        for key, value in step.items()
        if key not in left_out
    ]
    return [(key, text if len(text) < 80 else f"{text[:77]}…") for key, text in found]


def _known(name: str) -> dict[str, Parameter]:
    """The parameters of a method by their names; of a method that there is not, none."""
    return {one.name: one for one in parameters_of(name)} if name in method_names() else {}


# -- faults ----------------------------------------------------------------------------------

COMMA = re.compile(r"\d,\d")
"""One number where a comma is what a point is here, or two."""


def comma_faults(name: str, fields: Mapping[str, str]) -> dict[str, list[str]]:
    """Parameters of which nobody can tell whether one number is meant or two, with what to do.

    A list is one from three numbers on, where no other comma stands apart.
    """
    found = {}
    for one in parameters_of(name):
        text = fields.get(f"p-{one.name}", "").strip()
        lists = text.count(",") > 1 and not re.search(r",\s", text)
        if one.shape in ("number", "whole") and COMMA.search(text) and not lists:
            found[one.name] = [
                say(
                    "{name}: one number or two? Write one with a point (0.1), and two with a "
                    "space after the comma (0, 1).",
                    name=one.name,
                )
            ]
    return found


def faults_of(content: Mapping[str, Any], description: Mapping[str, Any] | None) -> list[str]:
    """What is wrong with a recipe or a grid, in the command's words, as far as can be said now.

    Which columns hold numbers is known from the description; the command looks again.
    """
    if isinstance(content["step"], list) and len(content["step"]) > MOST_STEPS:
        many = say(
            "The app takes recipes of up to {n:,} steps; the command takes any.", n=MOST_STEPS
        )
        return [many]
    grid = _grid(content)
    found = dict.fromkeys(grid.faults)
    for tried in grid.tries[:MOST_VALUES]:
        found |= dict.fromkeys(_recipe_faults(tried.recipe, description, grid.partial))
    # One that is only begun is no fault; one whose steps are no list is.
    begun = content["step"] == []
    return [fault for fault in found if not (begun and fault == NO_STEPS)]


def _recipe_faults(
    recipe: Recipe, description: Mapping[str, Any] | None, partial: frozenset[int]
) -> list[str]:
    from microgauge.masking.step import Look

    found = list(recipe.faults)
    if description is None:
        return found
    look = Look(
        {
            v["name"]: "code" if v["original"]["numeric"] else "category"
            for v in description["variables"]
        },
        description["original"]["rows"],
    )
    for place, step in enumerate(recipe.steps, start=1):
        if step is not None:
            faults = step.faults(look, own=place not in partial)
            found += [
                say(
                    "step {place} ({method}): {fault}",
                    place=place,
                    method=step.method,
                    fault=fault,
                )
                for fault in faults
            ]
            step.after(look)
    return found


def checked(content: Mapping[str, Any], description: Mapping[str, Any] | None) -> None:
    """`InputError` with all faults."""
    faults = faults_of(content, description)
    if faults:
        raise InputError(*faults)


def field_of(fault: str, name: str) -> str:
    """The field that a fault belongs to: of the parameter that it names first.

    Else what it says of a variable is a fault of the variables; "" where it is one of the step.
    """
    _, _, said = fault.partition("): ")
    said = re.sub(r'"[^"]*"', '""', said)
    known = {one.name for one in parameters_of(name)} | {"variables"}
    named = next((word for word in re.findall(r"\w+", said) if word in known), "")
    return named or ("variables" if '""' in said else "")


def size_of(content: Mapping[str, Any]) -> int:
    """How many recipes a grid stands for; 0 where it cannot be read."""
    if not content["step"]:
        return 0
    return len(_grid(content).tries)


def tries_of(content: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The number of each recipe that a grid stands for, and what tells it from the others."""
    return [(tried.name, tried.settings) for tried in _grid(content).tries]


MOST_GRIDS = 8
"""That are held: a page asks several times for one, which may stand for a thousand recipes."""


def _grid(content: Mapping[str, Any]) -> Grid:
    """The recipes that one stands for."""
    return _grid_of(json.dumps(content))


@lru_cache(maxsize=MOST_GRIDS)
def _grid_of(text: str) -> Grid:
    from microgauge.commands.explore.grid import Grid

    return Grid.load(json.loads(text))
