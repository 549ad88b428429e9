"""What was compared, and what happened to each variable."""

from __future__ import annotations

from typing import Any, Literal

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.wording import called

ANALYSED = frozenset({"analysis", "quasi_identifier", "sensitive"})
"""Roles of variables that measures look at; all others are left out. The schema's roles are these
too: it may know results, which know no schema."""


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Whether a unit can be compared with itself, and how that is known."""

    aligned: bool
    how: Literal["row order", "key", "not aligned"]
    reason: str
    dropped: int | None = None
    added: int | None = None


@dataclass(frozen=True, kw_only=True)
class InputTable:
    """One of the tables that were read."""

    path: str
    rows: int
    columns: int


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What was compared."""

    original: InputTable
    protected: InputTable
    alignment: Alignment
    seed: int


@dataclass(frozen=True, kw_only=True)
class RecodingResult:
    """How a variable was recoded, and what that alone leaves of its utility."""

    how: Literal["declared", "labels", "inferred"]
    measure: Literal["pairs", "allocation", "heterogeneity"]
    form: Literal[
        "merged", "banded", "rounded", "top-coded", "bottom-coded", "top- and bottom-coded"
    ]
    utility: float | None
    cost: float | None = None
    """1 − utility: what the recoding alone took away."""
    groups: int = 0
    """Different values that are left in the protected file."""
    unit: float | None = None
    """What numbers were rounded to, where they were."""
    map: tuple[dict[str, Any], ...] = ()
    """Merged values: where to, and from which values or which range. Empty for a rounding to very
    many values, of which the unit says all."""
    reason: str | None = None

    @property
    def joined(self) -> bool:
        """Whether it took something away: values that were only renamed are as fine as before."""
        several = any(
            len(to.get("from", ())) > 1 or to.get("low") != to.get("high") for to in self.map
        )
        return self.utility is None or self.utility < 1.0 or several

    @property
    def said(self) -> str:
        """What was done to the values, in words that hold for every number of them."""
        if not self.joined:
            return say("values renamed")
        if self.form not in ("merged", "banded"):
            if self.unit is None:
                return called(self.form)
            return say("{form} to {unit:,.10g}", form=called(self.form), unit=self.unit)
        if self.groups == 1:
            return say("{form} into one group", form=called(self.form))
        if self.groups > MANY_GROUPS:
            return say(
                "{form}, with {groups:,} different values left",
                form=called(self.form),
                groups=self.groups,
            )
        return say("{form} into {groups:,} groups", form=called(self.form), groups=self.groups)


MANY_GROUPS = 100
"""Groups beyond which nobody would call them so."""


@dataclass(frozen=True, kw_only=True)
class VariableResult:
    """What happened to one variable."""

    name: str
    role: str
    type: str
    protected_type: str | None
    removed: bool
    missing_original: int
    missing_protected: int | None
    recoding: RecodingResult | None
    label: str | None = None
    """What it is, in the words of the schema or of the files."""
    value_labels: dict[str, str] | None = None
    """What its categories mean, by the category as it is shown; None where nothing says so."""
    reason: str | None = None

    @property
    def analysed(self) -> bool:
        """Whether measures look at it."""
        return self.role in ANALYSED

    @property
    def left_scale(self) -> bool:
        """Whether recoded values are no longer numbers on the original's scale."""
        numbers = self.type == self.protected_type == "continuous"
        return self.recoding is not None and not self.removed and not numbers
