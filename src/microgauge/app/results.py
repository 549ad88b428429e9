"""What pages show of a result: read from the JSON that the command wrote, never worked out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from microgauge.app.asking import RECIPE, RESULT
from microgauge.app.jobs import Jobs, Run
from microgauge.app.recipes import tries_of
from microgauge.app.shapes import MAYBE_NUMBER, Plain, fits, limit_of, result_in
from microgauge.errors import InputError
from microgauge.languages.messages import Form, Row, said_again, say, strung
from microgauge.measures.balance.balance import frontier
from microgauge.results.requirements import requirement_line
from microgauge.results.verdict import LIMIT_LOW
from microgauge.schema.reading import toml_content

NOT_MEASURED = say("Its safety was not measured.")
POOR = (say("Its use is called poor."), say("Its safety is called poor."))
SERIOUS = ("stop", "warn", "poor", "fair", "note")
"""Grades of what speaks against a file, the most serious first."""
MOST_READ = 2_000
"""Files whose content is held, so that a page is not made by reading megabytes anew."""


def result_of(jobs: Jobs, run: Run) -> dict[str, Any] | None:
    """The result of a run, where there is one that can be read."""
    path = jobs.file(run, RESULT)
    return None if path is None else read(path, result_in)


def read(path: Path, wanted: Callable[[Any], Plain | None]) -> Plain | None:
    """What is wanted of a JSON file, with its messages; read once as long as it stays the same."""
    try:
        known = path.stat()
        return _read(path, wanted, known.st_mtime_ns, known.st_size)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


@lru_cache(maxsize=MOST_READ)
def _read(path: Path, wanted: Callable[[Any], Plain | None], time: int, size: int) -> Plain | None:
    """What is wanted of a file, with messages in place of their English texts."""
    del time, size
    plain = json.loads(path.read_text(encoding="utf-8"))
    forms = plain.pop("forms", {})
    found: Plain | None = said_again(wanted(plain), forms)
    return found


def verdict_of(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """The verdict of an assessment."""
    return None if result is None else result.get("verdict")


def against(outcome: Mapping[str, Any] | None) -> list[str]:
    """What speaks against a release, by an assessment or a candidate of a ranking.

    Whoever releases the file all the same overrules each of these.
    """
    verdict = (outcome or {}).get("verdict")
    if outcome is None or verdict is None:
        return [NOT_MEASURED]
    found = missed_in(outcome)
    grades = verdict["useful"]["grade"], verdict["safe"]["grade"]
    found += [said for grade, said in zip(grades, POOR, strict=True) if grade == "poor"]
    if grades[1] == "unknown":
        found.append(verdict["safe"]["sentence"])
    told = verdict["findings"]
    found += [one["sentence"] for one in told if one.get("code") == LIMIT_LOW]
    return [*found, *(one["sentence"] for one in told if one["grade"] == "stop")]


ADDED = "Columns only in the protected table, left out: {extra}."
"""The note of columns that no figure looks at, since the original has none of that name."""


def added_in(outcome: Mapping[str, Any] | None) -> str | None:
    """What is released with a file although nobody measured it; None where there is nothing."""
    notes = (outcome or {}).get("notes") or ()
    found = [note for note in notes if isinstance(note, Form) and note.english == ADDED]
    if not found:
        return None
    return say(
        "Only in the protected version, not measured, and released with it: {extra}.",
        extra=found[0].values["extra"],
    )


def beside_stop(opinion: Mapping[str, Any]) -> str:
    """What is said of a file beside what stops its release, which stands above it."""
    told: str = opinion.get("brief") or opinion["sentence"]
    stop = opinion.get("stop")
    if not stop:
        return told
    if isinstance(told, Form) and told.values.get("stop") == stop:
        rest: str = told.values.get("brief") or told.values["sentence"]
        return rest
    return told.removeprefix(stop).lstrip()


def reason_of(verdict: dict[str, Any]) -> str | None:
    """What speaks most against a file: its first finding, or why it is useful or safe no more."""
    sides = [verdict[side] for side in ("safe", "useful")]
    told = [one for one in (*verdict["findings"], *sides) if one["grade"] in SERIOUS]
    if not told:
        return None
    worst = min(told, key=lambda one: SERIOUS.index(one["grade"]))
    return worst.get("stop") or worst.get("brief") or str(worst["sentence"])


def missed_in(result: Mapping[str, Any]) -> list[str]:
    """The limits that a file misses, and by which figures."""
    limits = [limit_of(one) for one in result.get("requirements") or ()]
    return [requirement_line(one) for one in limits if not one.met]


def candidates_of(result: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The candidates of a ranking; of an assessment none."""
    return [] if result is None else list(result.get("candidates", ()))


def points_of(result: dict[str, Any], to: str) -> list[dict[str, Any]]:
    """The candidates of a ranking, as the map draws them."""
    chosen = (result.get("recommended") or {}).get("name")
    return [
        {
            "name": one["name"],
            "settings": settings_said(one.get("settings")),
            "risk": one["map"]["risk"],
            "utility": one["map"]["utility"],
            "frontier": one["name"] in result["frontier"],
            "chosen": one["name"] == chosen,
            "to": f"{to}/{place}",
            **_opinion(one),
        }
        for place, one in enumerate(result["candidates"])
    ]


def _opinion(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Both grades of a candidate, and what speaks against its release."""
    verdict = outcome.get("verdict")
    grades = {side: verdict[side]["grade"] if verdict else None for side in ("useful", "safe")}
    return {**grades, "against": against(outcome), "added": added_in(outcome)}


def choices_of(run: Run, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Files that a run measured and that may be released, each with its place in the run."""
    if "candidates" in result:
        points = points_of(dict(result), "")
        return [{**point, "run": run, "place": place} for place, point in enumerate(points)]
    verdict = result.get("verdict") or {}
    name = run.about.get("candidates", [""])[0]
    point = {"name": name, "risk": verdict.get("risk"), "utility": verdict.get("utility")}
    here = {"run": run, "place": 0, "chosen": False, "settings": ""}
    return [{**point, **here, **_opinion(result)}]


def limits_of(result: Mapping[str, Any]) -> dict[str, float | None]:
    """What the map of a ranking shows beside its candidates."""
    names = {"risk": "max_risk", "utility": "min_utility", "original": "original_risk"}
    return {key: result.get(name) for key, name in names.items()}


def settings_said(settings: Any) -> str:
    """What tells a candidate of a grid from the others."""
    pairs = [(_plainly(name), value) for name, value in (settings or {}).items()]
    return strung(
        (
            say("{name} {value}", name=name, value=say(value) if value in ("yes", "no") else value)
            for name, value in pairs
        ),
        ", ",
    )


def _plainly(name: str) -> str:
    """What a setting is called; a step that is left out is not called by its method twice."""
    if isinstance(name, Row):  # the number of a step stands behind it
        return strung([_plainly(part) for part in name.parts])
    values = name.values if isinstance(name, Form) else {}
    about, method = values.get("about"), values.get("method")
    return str(about) if about is not None and about == method else name


def number_of(place: Path, settings: Any) -> str | None:
    """The number that a candidate of an exploration has among all; None where it is not known."""
    return _numbers(place / RECIPE).get(str(settings_said(settings)))


@lru_cache(maxsize=64)
def _numbers(recipe: Path) -> dict[str, str]:
    """The number of each candidate by its settings; the recipe of a run does not change."""
    try:
        content = toml_content(recipe.read_text(encoding="utf-8"), str(recipe))
        return {str(settings_said(settings)): name for name, settings in tries_of(content)}
    except (InputError, OSError, ValueError):
        return {}


@lru_cache(maxsize=4096)
def _kept(path: Path) -> dict[str, Any] | None:
    """What a finished candidate of an exploration is; its file is written once, whole."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        settings = said_again(plain["settings"], plain.get("forms", {}), "settings")
        verdict = plain["assessment"].get("verdict") or {}
        risk, utility = verdict.get("risk"), verdict.get("utility")
        name = settings_said(settings)
        number = number_of(path.parents[1], settings)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    sound = fits([risk, utility], [MAYBE_NUMBER])
    point = {"name": name, "number": number, "risk": risk, "utility": utility}
    return point if sound else None


def live_points(place: Path) -> list[dict[str, Any]]:
    """Candidates of an exploration that are finished so far, with the frontier among them."""
    files = sorted(place.glob("explored/[0-9a-f]*.json"))
    found = {path.name: dict(point) for path in files if (point := _kept(path)) is not None}
    known = {
        name: (point["risk"], point["utility"])
        for name, point in found.items()
        if point["risk"] is not None and point["utility"] is not None
    }
    unbeaten = set(frontier(known))
    for name, point in found.items():
        point["frontier"] = name in unbeaten
    return sorted(found.values(), key=lambda point: int(point["number"] or 0))
