"""SPSS, Stata and SAS files: codes with the labels the file gives them.

Declared user-missing values become missing cells here, as the file's author meant them to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.tables.formats.format import Format, Held

if TYPE_CHECKING:
    import polars as pl

    from microgauge.tables.column import Column
    from microgauge.tables.source import Source

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


class Labelled(Format):
    """Files of statistics packages."""

    name = "labelled"
    said = ("SPSS", "Stata", "SAS")
    endings = tuple(_READERS)
    several = False

    def held(self, source: Source) -> Held:
        """The one file, with its labels."""
        (part,) = source.parts
        frame, facts = _read(part, source.part_name(part))
        return replace(Held.of(str(part), frame), described=facts.described)


@dataclass(frozen=True)
class LabelFacts:
    """What a labelled file says of its columns beside the codes."""

    value_labels: Mapping[str, Mapping[Any, str]]
    levels: Mapping[str, str]
    labels: Mapping[str, str | None]
    """Of the columns themselves."""

    def described(self, name: str, column: Column) -> Column:
        """The column with its label, those of its values and its declared level of measurement."""
        labels = {_code(code): text for code, text in self.value_labels.get(name, {}).items()}
        level = self.levels.get(name)
        return replace(
            column,
            value_labels=labels,
            label=" ".join((self.labels.get(name) or "").split()) or None,
            declared_level=level if level in ("nominal", "ordinal", "scale") else None,
        )


def _code(code: Any) -> float | str:
    return code.strip() if isinstance(code, str) else float(code)


def _read(path: Path, where: str) -> tuple[pl.DataFrame, LabelFacts]:
    """Read one file with pyreadstat."""
    import pyreadstat

    read = getattr(pyreadstat, _READERS[path.suffix.lower()])
    try:
        frame, meta = read(str(path), output_format="polars")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OSError) as error:
        raise InputError(
            say(
                "{where} is not a readable {suffix} file ({error}). It may be cut off or "
                "damaged; export it again.",
                where=where,
                suffix=path.suffix,
                error=error,
            )
        ) from None
    facts = LabelFacts(
        meta.variable_value_labels, meta.variable_measure, meta.column_names_to_labels
    )
    return frame, facts
