"""The sections there are, in the order in which a result tells them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from microgauge.schema.limits import RankChoices
from microgauge.schema.parts import Part, hand_over
from microgauge.sections.analyses import Indicators, Regressions
from microgauge.sections.balance import Balance
from microgauge.sections.disclosure import Disclosure
from microgauge.sections.gdu import GDU_SECTION
from microgauge.sections.joint import Clusters, Ecdf, Propensity
from microgauge.sections.left_in import LeftInSection
from microgauge.sections.loss import Loss
from microgauge.sections.pictures import Pictures
from microgauge.sections.requirements import Requirements
from microgauge.sections.risk import Risk
from microgauge.sections.section import Section
from microgauge.sections.tables import Tables
from microgauge.sections.verdict import Verdict
from microgauge.sections.yardsticks import Yardsticks

_SECTIONS: list[Section] = [
    Verdict(),
    LeftInSection(),
    GDU_SECTION,
    Propensity(),
    Clusters(),
    Ecdf(),
    Tables(),
    Loss(),
    Indicators(),
    Regressions(),
    Disclosure(),
    Risk(),
    Balance(),
    Requirements(),
    Yardsticks(),
    Pictures(),
]


TAKEN = (
    "microgauge",
    "schema_version",
    "inputs",
    "variables",
    "notes",
    "sections",
    "remarks",
    "risky",
)
"""Names of a result that no section can have."""
TABLES = ("options", "variable", "model", "level", "rank")
"""Tables of a schema that belong to no section."""


def sections() -> tuple[Section, ...]:
    """All sections, in the order in which a result tells them."""
    return tuple(_SECTIONS)


def choosable() -> tuple[str, ...]:
    """The names that `only` and `skip` choose among."""
    return tuple(section.name for section in _SECTIONS if not section.on_request)


def section(name: str) -> Section:
    """The section of a name."""
    return next(found for found in _SECTIONS if found.name == name)


def register(added: Section) -> None:
    """Add a section, after those there are."""
    if any(added.name == known.name for known in _SECTIONS):
        raise ValueError(f'there is a section "{added.name}" already')
    if added.name in TAKEN:
        raise ValueError(f'"{added.name}" is a name of the result itself')
    if (added.key or added.name) in TABLES:
        raise ValueError(f'"{added.key or added.name}" is a table of the schema itself')
    _SECTIONS.append(added)


def schema_parts() -> Iterator[Part]:
    """The sections' own tables of the schema, and what is said of rankings."""
    for found in _SECTIONS:
        if found.choices is not None:
            yield Part(found.name, found.key or found.name, found.choices, found.several)
    yield Part("rank", "rank", RankChoices)


hand_over(schema_parts)


@contextmanager
def registered(added: Section) -> Iterator[None]:
    """A section that is there for a while."""
    register(added)
    try:
        yield
    finally:
        _SECTIONS.remove(added)
