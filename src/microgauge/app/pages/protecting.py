"""Protecting: recipes step by step, what each does to risk and utility, grids of them explored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from microgauge.app import asking, limits, recipes, results
from microgauge.app.asked import Asked, place_in
from microgauge.app.desk import Desk
from microgauge.app.folder import plain_name, prints_of
from microgauge.app.jobs import Run
from microgauge.app.pages.describing import description_of
from microgauge.app.project import MOST_UNDO, ROLES, State, digest
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.masking.methods import method_names
from microgauge.schema.reading import toml_content

SAMPLE = 5_000
"""Records of a preview where it is made on a sample."""
MOST_RECIPES = 200
LONGEST_NAME = 60
Recipe = dict[str, Any]


def page(desk: Desk, request: Request) -> Response:
    """All recipes."""
    state = desk.running.project.state
    return desk.page(
        request,
        "protect.html",
        "protect",
        state=state,
        recipes=[(one, recipes.size_of(one["content"])) for one in state["recipes"]],
        runs=desk.running.jobs.runs("explore", "candidate"),
        title=recipes.title_of,
    )


def create(desk: Desk, request: Request, asked: Asked) -> str:
    """A new recipe, empty or like another."""
    state = desk.running.project.state
    if len(state["recipes"]) >= MOST_RECIPES:
        raise InputError(desk.words(request)("There are too many recipes."))
    number = 1 + max((int(one["id"]) for one in state["recipes"]), default=0)
    name = asked["name"][:LONGEST_NAME] or desk.words(request)("Recipe {n}", n=number)
    like = next((one for one in state["recipes"] if one["id"] == asked["like"]), None)
    content = recipes.empty() if like is None else like["content"]
    made: Recipe = {"id": str(number), "name": name, "content": content, "undo": []}

    def put(state: State) -> None:
        state["recipes"].append(made)

    return asked.change(put, f"/protect/{number}")


def _recipe(state: State, request: Request) -> Recipe:
    wanted = request.path_params["recipe"]
    found = next((one for one in state["recipes"] if one["id"] == wanted), None)
    if found is None:
        raise HTTPException(404)
    return dict(found)


def recipe_page(desk: Desk, request: Request) -> Response:
    """A recipe's steps, and what they do."""
    return _shown(desk, request)


def _shown(
    desk: Desk, request: Request, faults: Sequence[str] = (), typed: str | None = None
) -> Response:
    """A recipe; `typed` is a text of it that has faults, and is not lost."""
    state = desk.running.project.state
    recipe = _recipe(state, request)
    _, found = description_of(desk.running.jobs, state)
    content = recipe["content"]
    rows = (found or {"original": {"rows": 0}})["original"]["rows"]
    return desk.page(
        request,
        "recipe.html",
        "protect",
        status=422 if faults else 200,
        state=state,
        recipe=recipe,
        told=recipes.told,
        title=recipes.title_of,
        is_editable=recipes.is_editable,
        names=recipes.variables_of,
        faults=list(faults) or recipes.faults_of(content, found),
        size=recipes.size_of(content),
        grid=recipes.is_grid(content),
        previews=_previews(desk, state, content),
        methods=recipes.methods(),
        rows=rows,
        sample=SAMPLE,
        typed=typed is not None,
        text=recipes.text_of(content) if typed is None else typed,
        limits=limits.fields_of(state["measure"]["require"]),
    )


# -- steps -----------------------------------------------------------------------------------


def _changed(recipe_id: str, content: Mapping[str, Any]) -> Callable[[State], None]:
    """Puts another content in a recipe's place; the old one can be had back."""

    def put(state: State) -> None:
        for one in state["recipes"]:
            if one["id"] == recipe_id:
                one["undo"] = [*one["undo"], one["content"]][-MOST_UNDO:]
                one["content"] = dict(content)

    return put


def step_page(desk: Desk, request: Request) -> Response:
    """A step that is there, or a new one of a method."""
    state = desk.running.project.state
    recipe = _recipe(state, request)
    steps = recipe["content"]["step"]
    place = int(request.path_params["place"])
    if place < len(steps) and recipes.is_editable(steps[place]):
        step = steps[place]
    elif place == len(steps) and request.query_params.get("method") in method_names():
        step = {"method": request.query_params["method"]}
    else:
        raise HTTPException(404)
    fields = recipes.fields_of(step)
    return _step_shown(desk, request, step["method"], fields, recipes.variables_of(step), {})


def _names_in(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    return [name for step in steps for name in recipes.variables_of(step) if isinstance(name, str)]


def _removed_before(steps: Sequence[Mapping[str, Any]]) -> set[str]:
    """Variables that are no longer in the file after some steps, whatever is tried."""
    sure = [step for step in steps if step.get("method") == "remove" and "skip" not in step]
    return set(_names_in(sure))


def _step_shown(
    desk: Desk,
    request: Request,
    name: str,
    fields: Mapping[str, str],
    chosen: Sequence[str],
    faults: Mapping[str, list[str]],
) -> Response:
    state = desk.running.project.state
    recipe = _recipe(state, request)
    _, found = description_of(desk.running.jobs, state)
    about, takes = next((said, takes) for key, said, takes in recipes.methods() if key == name)
    place = int(request.path_params["place"])
    gone = _removed_before(recipe["content"]["step"][:place])
    variables = [
        variable
        for variable in (found or {"variables": []})["variables"]
        if variable["name"] not in gone or variable["name"] in chosen
    ]
    return desk.page(
        request,
        "step.html",
        "protect",
        status=422 if faults else 200,
        recipe=recipe,
        place=place,
        method=name,
        about=about,
        takes=takes,
        parameters=recipes.parameters_of(name),
        fields=fields,
        chosen=chosen,
        variables=variables,
        ticked=recipes.chosen_in,
        roles=recipes.roles_of(variables, takes, name=name),
        there=recipes.values_there(variables) if recipes.is_by_value(name) else [],
        faults=faults,
    )


def save_step(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """A step's parameters; with faults it is shown again, as it was filled in."""
    state = desk.running.project.state
    recipe = _recipe(state, request)
    asked.check(recipe["content"])
    place, name = int(request.path_params["place"]), asked["method"]
    steps = list(recipe["content"]["step"])
    kept = place < len(steps) and not recipes.is_editable(steps[place])
    if name not in method_names() or place > len(steps) or kept:
        raise HTTPException(404)
    fields: dict[str, str] = {}
    for key, value in asked.own():  # of a choice, each that is ticked
        fields[key] = f"{fields[key]}, {value}" if key in fields else value
    _, found = description_of(desk.running.jobs, state)
    known = [variable["name"] for variable in (found or {"variables": []})["variables"]]
    chosen = asked.names("variable", [*known, *_names_in(steps)])
    steps[place : place + 1] = [recipes.step_from(name, fields, chosen)]
    content = {**recipe["content"], "step": steps}
    told = f"step {place + 1}"
    own = [
        fault
        for fault in recipes.faults_of(content, found)
        if fault.startswith((f"{told} ", f"{told}:")) or not fault.startswith("step ")
    ]
    unclear = recipes.comma_faults(name, fields)
    placed = dict(unclear)
    for fault in own:
        at = recipes.field_of(fault, name)
        if at not in unclear:
            placed.setdefault(at, []).append(fault)
    if placed:
        return _step_shown(desk, request, name, fields, chosen, placed)
    return asked.change(_changed(recipe["id"], content), f"/protect/{recipe['id']}")


def remove_step(desk: Desk, request: Request, asked: Asked) -> str:
    """A recipe without one of its steps."""
    return _reordered(desk, request, asked, lambda steps, place: steps[:place] + steps[place + 1 :])


def raise_step(desk: Desk, request: Request, asked: Asked) -> str:
    """A step one place earlier."""

    def moved(steps: list[Any], place: int) -> list[Any]:
        if 0 < place < len(steps):
            steps[place - 1], steps[place] = steps[place], steps[place - 1]
        return steps

    return _reordered(desk, request, asked, moved)


def _reordered(
    desk: Desk, request: Request, asked: Asked, work: Callable[[list[Any], int], list[Any]]
) -> str:
    recipe = _recipe(desk.running.project.state, request)
    asked.check(recipe["content"])
    steps = work(list(recipe["content"]["step"]), int(request.path_params["place"]))
    content = {**recipe["content"], "step": steps}
    return asked.change(_changed(recipe["id"], content), f"/protect/{recipe['id']}")


def undo(desk: Desk, request: Request, asked: Asked) -> str:
    """The recipe as it was before the last change."""
    recipe = _recipe(desk.running.project.state, request)
    asked.check(recipe["content"])

    def put(state: State) -> None:
        for one in state["recipes"]:
            if one["id"] == recipe["id"] and one["undo"]:
                one["content"] = one["undo"].pop()

    return asked.change(put, f"/protect/{recipe['id']}")


def rename(desk: Desk, request: Request, asked: Asked) -> str:
    """Another name."""
    recipe = _recipe(desk.running.project.state, request)
    asked.check(recipe["name"])

    def put(state: State) -> None:
        for one in state["recipes"]:
            if one["id"] == recipe["id"]:
                one["name"] = asked["name"][:LONGEST_NAME] or one["name"]

    return asked.change(put, f"/protect/{recipe['id']}")


def remove(desk: Desk, request: Request, asked: Asked) -> str:
    """A recipe is taken away."""
    recipe = _recipe(desk.running.project.state, request)
    asked.check(recipe["content"])

    def put(state: State) -> None:
        state["recipes"] = [one for one in state["recipes"] if one["id"] != recipe["id"]]

    return asked.change(put, "/protect")


def save_text(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """A recipe as TOML."""
    recipe = _recipe(desk.running.project.state, request)
    asked.check(recipe["content"])
    text = asked.text("text")
    try:
        content = toml_content(text, say("the recipe"))
        content = {"seed": content.get("seed", 1), **content}
        json.dumps(content)  # dates mean nothing in a recipe, and no project can keep them
        content.setdefault("step", [])
        recipes.checked(content, description_of(desk.running.jobs, desk.running.project.state)[1])
    except InputError as error:
        return _shown(desk, request, error.faults, text)
    except TypeError:
        return _shown(desk, request, [desk.words(request)("A recipe holds no dates.")], text)
    return asked.change(_changed(recipe["id"], content), f"/protect/{recipe['id']}")


# -- trying ----------------------------------------------------------------------------------


def _previews(desk: Desk, state: State, content: Mapping[str, Any]) -> dict[int, Any]:
    """For each number of steps, what the last preview of these very steps found."""
    found: dict[int, Any] = {}
    jobs = desk.running.jobs
    there: dict[str, Run] = {}
    for run in reversed(jobs.runs("preview")):
        if run.prints and run.prints != prints_of(desk.running.folder, run.inputs):
            continue  # a file is another by now
        name = run.about.get("print", "")
        # What was tried within the limits of now says more than what was tried later, without them.
        if name not in there or _within(run, state) or not _within(there[name], state):
            there[name] = run
    for count in range(len(content["step"]) + 1) if there else ():
        last = there.get(preview_print(state, content, count))
        if last is not None:
            found[count] = {
                "run": last,
                "others": not _within(last, state),
                "values": recipes.values_tried(content, count),
                **_found(results.result_of(jobs, last), last),
            }
    return found


def _within(run: Run, state: State) -> bool:
    """Whether a preview was held against the limits of now."""
    return bool(run.about.get("require", "") == state["measure"]["require"])


def _found(result: dict[str, Any] | None, run: Run) -> dict[str, Any]:
    """What a preview says: figures, what speaks most against the file, and limits it misses."""
    verdict = results.verdict_of(result)
    if result is None or verdict is None or run.state != "done":
        return {"verdict": None}
    reason, missed = results.reason_of(verdict), results.missed_in(result)
    return {"verdict": verdict, "reason": reason, "missed": missed}


def preview_print(state: State, content: Mapping[str, Any], count: int) -> str:
    """What tells a preview: the first steps, the data and what is said of them."""
    first = {**content, "step": content["step"][:count]}
    files = [state["files"][role] for role in ROLES]
    return digest([recipes.plain(first), files, state["schema"]])


def preview(desk: Desk, request: Request, asked: Asked) -> str:
    """Try the steps up to one, and measure quickly."""
    state = desk.running.project.state
    recipe = _recipe(state, request)
    asked.check(recipe["content"])
    _need_original(desk, request, state)
    count = place_in(asked["count"]) or 0
    content = recipes.plain({**recipe["content"], "step": recipe["content"]["step"][:count]})
    if not content["step"]:
        raise InputError(recipes.NO_STEPS)
    recipes.checked(content, description_of(desk.running.jobs, state)[1])
    require = _limits_beside(asked, state)
    state["measure"] = {**state["measure"], "require": require}
    sample = asked["sample"] == "on"
    files = {asking.RECIPE: recipes.text_of(content), asking.SCHEMA: state["schema"]}
    if sample:
        only = {"seed": 1, "step": [{"method": "sample", "records": SAMPLE}]}
        files["sample.toml"] = recipes.text_of(only)
    about = {
        "recipe": recipe["id"],
        "count": count,
        "print": preview_print(state, recipe["content"], count),
        "sample": SAMPLE if sample else None,
        "require": require,
        "action": asked.action,
    }
    to = f"/protect/{recipe['id']}"
    desk.running.jobs.add(
        "preview",
        recipe["name"],
        lambda place: asking.previewed(state, place, sample=sample),
        asking.inputs_of(state),
        about,
        files,
        lambda run: asked.change(_limited(require), to),
    )
    return to


def _limits_beside(asked: Asked, state: State) -> str:
    """The limits that stand on the page beside what is tried; those of before where none came."""
    if not any(name == "require" for name, _ in asked.fields):
        return str(state["measure"]["require"])
    require = limits.asked_for(asked)
    faults = limits.faults_of(require)
    if faults:
        raise InputError(*faults)
    return require


def _limited(require: str) -> Callable[[State], None]:
    """Puts limits in the place of those of before."""

    def put(state: State) -> None:
        state["measure"]["require"] = require

    return put


def _need_original(desk: Desk, request: Request, state: State) -> None:
    if not state["files"]["original"]:
        raise InputError(desk.words(request)("Say first which file is the original."))


def make_candidate(desk: Desk, request: Request, asked: Asked) -> str:
    """A protected version made by a recipe, to be measured with the others."""
    state = desk.running.project.state
    recipe = _recipe(state, request)
    asked.check(recipe["content"])
    _need_original(desk, request, state)
    recipes.checked(recipe["content"], description_of(desk.running.jobs, state)[1])
    if recipes.is_grid(recipe["content"]) or not recipe["content"]["step"]:
        raise InputError(
            desk.words(request)("A grid stands for many versions: explore it instead.")
        )
    original = state["files"]["original"]
    name = plain_name(recipe["name"].replace("/", "-")) + asking.ending_of(original)
    promised = {str(one.about.get("candidate")) for one in desk.running.jobs.runs("candidate")}
    name = desk.running.folder.free_name(name, promised | set(state["files"]["candidates"]))
    about = {"recipe": recipe["id"], "candidate": name, "action": asked.action}
    run = desk.running.jobs.add(
        "candidate",
        recipe["name"],
        lambda place: [asking.masked(original, f"{place}/{asking.RECIPE}", name)],
        [original],
        about,
        {asking.RECIPE: recipes.text_of(recipe["content"])},
        asked.remembered,
    )
    return f"/runs/{run.id}"


def explore(desk: Desk, request: Request, asked: Asked) -> str:
    """Try every recipe of a grid."""
    state = desk.running.project.state
    recipe = _recipe(state, request)
    asked.check(recipe["content"])
    _need_original(desk, request, state)
    faults = recipes.faults_of(recipe["content"], description_of(desk.running.jobs, state)[1])
    if not recipe["content"]["step"]:
        faults.append(recipes.NO_STEPS)
    require = limits.asked_for(asked)
    faults += limits.faults_of(require)
    if faults:
        raise InputError(*faults)
    state["measure"] = {**state["measure"], "require": require}
    language = desk.words(request).language
    run = desk.running.jobs.add(
        "explore",
        recipe["name"],
        lambda place: [asking.explored(state, place, language)],
        asking.inputs_of(state),
        {
            "recipe": recipe["id"],
            "size": recipes.size_of(recipe["content"]),
            "original": state["files"]["original"],
            "by": asking.measured_by(state),
            "action": asked.action,
        },
        {asking.RECIPE: recipes.text_of(recipe["content"]), asking.SCHEMA: state["schema"]},
        lambda run: asked.change(_limited(require), f"/runs/{run.id}"),
    )
    return f"/runs/{run.id}"


def recipe_file(desk: Desk, request: Request) -> Response:
    """The recipe to download: the file the command takes."""
    recipe = _recipe(desk.running.project.state, request)
    headers = {"content-disposition": 'attachment; filename="recipe.toml"'}
    text = recipes.text_of(recipe["content"])
    return Response(text, media_type="application/toml", headers=headers)


PAGES = {
    "/protect": page,
    "/protect/{recipe}": recipe_page,
    "/protect/{recipe}/recipe.toml": recipe_file,
    "/protect/{recipe}/{place:place}": step_page,
}
POSTS = {
    "/protect": create,
    "/protect/{recipe}/{place:place}": save_step,
    "/protect/{recipe}/{place:place}/remove": remove_step,
    "/protect/{recipe}/{place:place}/raise": raise_step,
    "/protect/{recipe}/undo": undo,
    "/protect/{recipe}/rename": rename,
    "/protect/{recipe}/remove": remove,
    "/protect/{recipe}/text": save_text,
    "/protect/{recipe}/preview": preview,
    "/protect/{recipe}/candidate": make_candidate,
    "/protect/{recipe}/explore": explore,
}
