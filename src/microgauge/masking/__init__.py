"""Making candidates: a table protected by a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["mask"]


def mask(original: Any, recipe: Any, output: str | Path | None = None) -> Any:
    """The original protected by a recipe; written to a file if named.

    `original` is what `assess` takes: paths or a data frame. A pandas or PyArrow table comes back
    as one, all else as a polars data frame. `recipe` is a path, a dict of the same
    shape or a `Recipe`.
    """
    from microgauge.masking.recipe import Recipe
    from microgauge.masking.table import check_output, read_data, write_data
    from microgauge.results.given_back import frames_of, given_back

    if output is not None:
        check_output(Path(output))
        _refuse_inputs(Path(output), original, recipe)
    steps = Recipe.load(recipe)
    found = steps.applied(read_data(original))
    if output is not None:
        write_data(found, Path(output))
    return given_back(found.frame, frames_of(original))


def _refuse_inputs(output: Path, *given: Any) -> None:
    """Neither a file of the original nor the recipe is written over."""
    from microgauge.errors import InputError
    from microgauge.tables import is_paths
    from microgauge.tables.collisions import collisions

    named = [one for one in given if is_paths(one)]
    inputs = [p for one in named for p in ([one] if isinstance(one, str | Path) else one)]
    faults = collisions({"output": output}, inputs)
    if faults:
        raise InputError(*faults)
