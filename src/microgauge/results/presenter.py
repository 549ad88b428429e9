"""Who puts sections into words: results carry it, so that a renderer need not know sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from microgauge.results.assessment import Assessment
    from microgauge.results.blocks import Group, Headline, Stories

Edition = Literal["internal", "public"]
"""Of a report: for the office, or for data users."""


class Presenter(Protocol):
    """Gathers what all sections say of a result, in plain blocks."""

    def headlines(self, result: Assessment, edition: Edition) -> Sequence[Headline]:
        """What stands above all else."""

    def brief(self, result: Assessment) -> Sequence[Stories]:
        """What a terminal shows of each section in a line or two."""

    def words(self, result: Assessment) -> Sequence[Group]:
        """What a terminal shows, under its headings."""

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Group]:
        """What a report shows, under its headings."""

    def for_users(self, results: Sequence[Assessment], threshold: int) -> Sequence[Assessment]:
        """What data users may see of results that are published together."""

    def explanations(self, edition: Edition) -> Mapping[str, Mapping[str, Any]]:
        """For each figure: question, range, direction, reference, and how to read its values."""


PRESENTING = "microgauge.sections.presenting"
"""Who puts sections into words: by its name only, as results lie below sections."""


def default_presenter() -> Presenter:
    """The presenter of an assessment that says no other."""
    presenter: Presenter = import_module(PRESENTING).PRESENTER
    return presenter
