"""Which test a pair gets on each side."""

from __future__ import annotations

from typing import Literal, cast

from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.gdu.association import PairTest
from microgauge.records import dataclass
from microgauge.schema import Type

Scale = Literal["nominal", "ordinal", "not normal", "normal"]
"""What a variable can be in the table of tests, least demanding first."""

DEMANDS: tuple[Scale, ...] = ("nominal", "ordinal", "not normal", "normal")

CHANGED_TYPE = say("a type changed beside a nominal variable")
UNKNOWN_RECODING = say("a number became categories and the recoding is not known")


def scale_of(kind: Type, normal: bool) -> Scale:
    """The place of a variable in the table of tests."""
    if kind != "continuous":
        return kind
    return "normal" if normal else "not normal"


def test_of(a: Scale, b: Scale) -> PairTest:
    """The test for two scales.

    >>> test_of("nominal", "normal"), test_of("ordinal", "normal"), test_of("normal", "normal")
    ('anova', 'spearman', 'pearson')
    """
    scales = {a, b}
    if scales == {"nominal"}:
        return "chi-squared"
    if "nominal" in scales:
        return "anova" if "normal" in scales else "kruskal-wallis"
    return "pearson" if scales == {"normal"} else "spearman"


@dataclass(frozen=True)
class SeenVariable:
    """A variable of a pair on both sides."""

    original: Scale
    protected: Scale
    recoded: bool
    """Whether a recoding is known."""

    @property
    def changed(self) -> bool:
        """Whether protection changed its place in the table of tests."""
        return self.original != self.protected

    @property
    def scattered(self) -> bool:
        """Whether a number became unordered categories."""
        return self.original in ("not normal", "normal") and self.protected == "nominal"

    def ranked(self) -> SeenVariable:
        """The same with no claim to normality."""
        least = {"normal": "not normal"}.get(self.original, self.original)
        return SeenVariable(cast("Scale", least), cast("Scale", least), self.recoded)

    def harmonised(self) -> SeenVariable:
        """The less demanding of the two scales on both sides."""
        least = min(self.original, self.protected, key=DEMANDS.index)
        return SeenVariable(least, least, self.recoded)


@dataclass(frozen=True)
class Chosen:
    """The tests of a pair, and whether the original is recoded before its own test."""

    original: tuple[Scale, Scale]
    protected: tuple[Scale, Scale]
    recode_first: tuple[bool, bool]

    @property
    def tests(self) -> tuple[PairTest, PairTest]:
        """Tests of the original and of the protected side."""
        return test_of(*self.original), test_of(*self.protected)


def choose(a: SeenVariable, b: SeenVariable, *, exclude_changed: bool) -> Chosen:
    """Each side as its own users would test it; beside a nominal variable, on common ground.

    Where some side is nominal, η², ε² and V² of different tests cannot be compared, so the less
    demanding of a variable's two types holds on both sides. A number that became unordered
    categories is recoded first, and other numbers beside it are ranked. With `exclude_changed`,
    such a pair is not counted.
    """
    scales = (a.original, a.protected, b.original, b.protected)
    if "nominal" not in scales or not (a.changed or b.changed):
        return Chosen((a.original, b.original), (a.protected, b.protected), (False, False))
    if exclude_changed:
        raise Undefined(CHANGED_TYPE)
    recode_first = (_recodes_first(a), _recodes_first(b))
    scattered = a.scattered or b.scattered
    a, b = a.harmonised(), b.harmonised()
    if scattered:  # groups that were numbers: Kruskal–Wallis, whatever the other variable is
        a, b = a.ranked(), b.ranked()
    return Chosen((a.original, b.original), (a.protected, b.protected), recode_first)


def _recodes_first(variable: SeenVariable) -> bool:
    if variable.protected != "nominal" or variable.original == "nominal":
        return False
    if not variable.recoded and variable.original in ("normal", "not normal"):
        raise Undefined(UNKNOWN_RECODING)
    return variable.recoded
