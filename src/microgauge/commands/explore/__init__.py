"""Exploring: every recipe of a grid made, measured and compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from microgauge.commands.assess import chosen_schema, read_original
from microgauge.commands.choosing import ranking_of
from microgauge.commands.explore.grid import Grid, Try
from microgauge.commands.explore.keeping import Kept, basis_of, refuse_inputs
from microgauge.commands.explore.workers import Work, measured
from microgauge.commands.faults_first import SchemaSource, faults_first
from microgauge.commands.manifest import inputs_of, manifest_of, text_hash
from microgauge.commands.rank import (
    check_choice,
    chosen_limits,
    needed,
    original_risk,
)
from microgauge.commands.replicates import MeasuredAgain
from microgauge.commands.wanted import in_full, wanted_of
from microgauge.engines.opening import reading_of
from microgauge.errors import InputError
from microgauge.kernels.sharing import processors
from microgauge.languages.messages import say
from microgauge.log import Progress, followed, where_seen
from microgauge.masking.recipe import content_of
from microgauge.masking.table import Data, read_data
from microgauge.results import Assessment, Candidate, Ranking
from microgauge.results.manifest import TextHash
from microgauge.results.plain import sayable
from microgauge.schema import Names, Schema
from microgauge.sections.balance.section import CarriedRisk, balance_of
from microgauge.tables import coded_table, is_paths, read_held

__all__ = ["explore"]


@followed
@faults_first
def explore(
    original: Any,
    recipe: Mapping[str, Any] | str | Path,
    *,
    folder: str | Path | None = None,
    workers: int | None = 1,
    schema: SchemaSource = None,
    key: str | None = None,
    keys: Names = None,
    sensitive: Names = None,
    weight: str | None = None,
    external: Any = None,
    population: Any = None,
    holdout: Any = None,
    require: str | Mapping[str, Any] | None = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
    utility: str | None = None,
    preset: str | None = None,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    full: bool = False,
    progress: Progress = where_seen,
) -> Ranking:
    """Make every candidate of a grid, measure each like `rank` does, and say which to release.

    `recipe` is a recipe in which values may be `{ grid = […] }`: a path or a dict of that shape.
    The original is read and summarised once. In `folder`, finished candidates are kept: a second
    call goes on where the first was stopped. `workers` are processes (None: as many as
    processors); a script that asks for more than one needs `if __name__ == "__main__":`. All else
    is as in `rank`.
    """
    _check_workers(workers)
    roles = {"keys": keys, "sensitive": sensitive, "weight": weight}
    tables = {"external": external, "population": population, "holdout": holdout}
    chosen = chosen_limits(
        chosen_schema(schema, key, roles, **tables),
        {"require": require, "max_risk": max_risk, "min_utility": min_utility},
        utility,
        preset,
    )
    chosen = in_full(chosen) if full else chosen
    wanted = wanted_of(only, skip, chosen, full=full)
    grid = Grid.load(recipe)
    if folder is not None:
        refuse_inputs(folder, original, *tables.values())
    progress(say("reading the original table"), 0.0)
    # The table is held in memory to be protected, so it is not read in batches to be measured.
    reading = replace(reading_of(chosen), whole=True)
    inputs = inputs_of(original, (), chosen, reading)
    held = read_held(original, "original").in_memory()
    data = read_data(held)
    check_choice(chosen, wanted.sections, _faults(grid, data))
    wanted = replace(wanted, sections=wanted.sections | needed(chosen))
    before = read_original(coded_table(held, "original", reading.key), chosen, progress, reading)
    if "propensity" in wanted.sections:  # one model for all candidates, as the smallest bears it
        before.cache.fewest_rows = min(tried.recipe.rows_after(data) for tried in grid.tries)
    work = Work(data, before, chosen, wanted)
    kept = None if folder is None else _kept(folder, original, work)
    candidates = _candidates(work, grid, kept, workers or processors(), progress)
    again = MeasuredAgain.of(data.frame, _maker(grid, data), chosen, progress)
    made = manifest_of("explore", inputs, chosen, wanted, {}, _recipe_hash(recipe))
    ranking = ranking_of(candidates, chosen, original_risk(before, chosen), again.replicates)
    return replace(ranking, manifest=made)


def _recipe_hash(recipe: Mapping[str, Any] | str | Path) -> TextHash:
    """The grid, by its file and by what it says."""
    if isinstance(recipe, str | Path):
        return text_hash(recipe, sayable(content_of(recipe)))
    return text_hash(None, sayable(recipe), say("no recipe file was given"))


def _check_workers(workers: Any) -> None:
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise InputError(say("workers must be a whole number, 1 or more."))


def _candidates(
    work: Work, grid: Grid, kept: Kept | None, workers: int, progress: Progress
) -> list[Candidate]:
    """Every candidate of the grid, measured now or before."""
    found = _results(work, grid, kept, workers, progress)
    name = work.original.table.name
    return [_candidate(tried, found[tried.name], work.schema, name) for tried in grid.tries]


def _kept(folder: str | Path, original: Any, work: Work) -> Kept:
    """Where finished candidates are kept, under a print of all that their figures rest on."""
    content = original if is_paths(original) else work.data.frame
    rows = work.original.cache.fewest_rows
    return Kept.open(folder, basis_of(content, work.schema, work.wanted.sections, rows))


def _maker(grid: Grid, data: Data) -> Callable[[str], Any]:
    """Makes a candidate's table again, by its name."""
    recipes = {tried.name: tried.recipe for tried in grid.tries}
    return lambda name: recipes[name].applied(data).frame


def _faults(grid: Grid, data: Data) -> list[str]:
    """Every fault of the grid, and of every recipe in it, once."""
    faults = dict.fromkeys(grid.faults)
    seen: dict[object, Data] = {}  # recipes that name the same variables see the same
    for tried in grid.tries:
        recipe = tried.recipe
        names = frozenset(recipe.named), frozenset(recipe.counted)
        if names not in seen:
            seen[names] = data.prepared(*names)
        try:
            recipe.check(seen[names], grid.partial)
        except InputError as error:
            faults |= dict.fromkeys(error.faults)
    return list(faults)


def _results(
    work: Work, grid: Grid, kept: Kept | None, workers: int, progress: Progress
) -> dict[str, Assessment]:
    """The results that were kept, and those of all others."""
    there = {} if kept is None else {tried.name: kept.read(tried) for tried in grid.tries}
    found = {name: result for name, result in there.items() if result is not None}

    def told() -> None:
        said = say("{n} of {n2} candidates measured", n=len(found), n2=len(grid.tries))
        progress(said, len(found) / len(grid.tries))

    told()
    missing = [tried for tried in grid.tries if tried.name not in found]
    for tried, result in measured(work, missing, workers):
        if kept is not None:
            kept.keep(tried, result)
        found[tried.name] = result
        told()
    return found


def _candidate(tried: Try, result: Assessment, schema: Schema, original: str) -> Candidate:
    """A candidate under the name, limits and weights of now: kept ones may have had others."""
    rut = result.rut
    if rut is not None:
        carried = CarriedRisk.of(schema.risk.measure, result.disclosure, result.risk)
        rut = balance_of(schema.rut, rut.attributes, carried, rut.vectors)
    inputs = replace(
        result.inputs,
        original=replace(result.inputs.original, path=original),
        protected=replace(result.inputs.protected, path=tried.name),
    )
    return Candidate(
        name=tried.name,
        assessment=result.changed(rut=rut, inputs=inputs),
        settings=tried.settings,
        recipe=tried.content,
    )
