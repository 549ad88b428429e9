"""Making candidates: a table protected by a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["mask"]


def mask(original: Any, recipe: Any, output: str | Path | None = None) -> Any:
    """The original protected by a recipe, as a polars data frame; written to a file if named.

    `original` is a path or a data frame, `recipe` a path, a dict of the same shape or a `Recipe`.
    """
    from microgauge.errors import InputError
    from microgauge.masking.recipe import Recipe
    from microgauge.masking.table import check_output, read_data, write_data

    if output is not None:
        check_output(Path(output))
        if isinstance(original, str | Path) and Path(output).resolve() == Path(original).resolve():
            raise InputError(f"{output} is the original; write the protected table elsewhere.")
    steps = Recipe.load(recipe)
    found = steps.applied(read_data(original))
    if output is not None:
        write_data(found, Path(output))
    return found.frame
