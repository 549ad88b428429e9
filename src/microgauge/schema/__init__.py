"""What the columns mean and how the run is done: the schema a user writes, checked for form.

A schema comes from a TOML file, a dict of the same shape, or these classes. Every name here is a
contract with the files users have written. What the schema says of the *data* is checked in
`microgauge.study.describe`, once the tables are known; faults of both kinds are reported together.

What belongs to a section, such as [risk], lives with the section and is handed over by the
registry: see `microgauge.schema.parts`.
"""

from __future__ import annotations

from microgauge.results.inputs import ANALYSED
from microgauge.schema.analyses import Indicator, Model, ModelKind, Regression, Statistic
from microgauge.schema.entries import Entries
from microgauge.schema.options import Options, Which
from microgauge.schema.reading import Reader, read_toml
from microgauge.schema.roles import Names, with_roles
from microgauge.schema.schema import Schema
from microgauge.schema.variables import (
    Recode,
    RecodeMeasure,
    Role,
    Rounding,
    Type,
    Value,
    Variable,
)

__all__ = [
    "ANALYSED",
    "Entries",
    "Indicator",
    "Model",
    "ModelKind",
    "Names",
    "Options",
    "Reader",
    "Recode",
    "RecodeMeasure",
    "Regression",
    "Role",
    "Rounding",
    "Schema",
    "Statistic",
    "Type",
    "Value",
    "Variable",
    "Which",
    "read_toml",
    "with_roles",
]
