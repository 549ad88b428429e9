"""Limits on figures: [require], `--require`, and what stands on the map: [rank]."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from microgauge.errors import hint
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.figures import FIGURES
from microgauge.results.requirements import SAID, Operator, limit_said
from microgauge.schema.checks import flag, is_number
from microgauge.schema.entries import Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

_LIMIT = re.compile(r"(?P<figure>.*?)\s*(?P<operator><=|>=|<|>|≤|≥|=)\s*(?P<limit>.*)", re.DOTALL)
_SIGNS = {"≤": "<=", "≥": ">="}


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A figure that must be at most, or at least, so much."""

    figure: str
    operator: Operator
    limit: float

    @property
    def said(self) -> str:
        """In words: risk at most 0.05."""
        return limit_said(self.figure, self.operator, self.limit)

    def met_by(self, value: float) -> bool:
        """Whether a figure keeps it."""
        return {
            "<=": value <= self.limit, "<": value < self.limit,
            ">=": value >= self.limit, ">": value > self.limit,
        }[self.operator]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Limits(Entries):
    """The limits that a release must keep."""

    limits: tuple[Limit, ...] = ()
    malformed: tuple[str, ...] = ()
    """What was said and is no limit."""

    @classmethod
    def read(cls, entry: Any, where: str, reader: Reader) -> Self:
        """From a table whose entries are figures: risk = "<=0.05"."""
        table = reader.table(entry, where)
        return cls.of(((str(name), said) for name, said in table.items()), where)

    @classmethod
    def of(cls, said: Iterable[tuple[str, Any]], where: str) -> Self:
        """From names of figures and what is said of each."""
        limits: list[Limit] = []
        faults: list[str] = []
        for name, text in said:
            found = _limit(name, text, where)
            if isinstance(found, str):
                faults.append(found)
            else:
                limits.append(found)
        return cls(limits=tuple(limits), malformed=tuple(faults))

    @classmethod
    def parsed(cls, said: str | Mapping[str, Any], where: str = "--require") -> Self:
        """From "risk<=0.05, k>=3", or a dict of the shape that [require] has."""
        if isinstance(said, Mapping):
            return cls.of(((str(name), text) for name, text in said.items()), where)
        parts = [part.strip() for part in str(said).split(",") if part.strip()]
        pairs: list[tuple[str, Any]] = []
        for part in parts:
            found = _LIMIT.fullmatch(part)
            name = found["figure"] if found else part
            pairs.append((name, part[len(name) :] if found else ""))
        own = cls.of(pairs, where)
        nothing = (
            () if parts else (say('{where} names no limit; say "risk<=0.05, k>=3".', where=where),)
        )
        return replace(own, malformed=(*own.malformed, *nothing))

    def with_others(self, others: Limits) -> Limits:
        """The same, with limits in the place of its own on the same figures."""
        named = {limit.figure for limit in others.limits}
        kept = tuple(limit for limit in self.limits if limit.figure not in named)
        return Limits(
            limits=(*kept, *others.limits), malformed=(*self.malformed, *others.malformed)
        )

    def without(self, *figures: str) -> Limits:
        """The same without the limits on some figures."""
        return replace(self, limits=tuple(x for x in self.limits if x.figure not in figures))

    def faults(self, where: str) -> list[str]:
        """What is no limit, is on the wrong side, or contradicts another."""
        found = list(self.malformed)
        for limit in self.limits:
            found += _side_faults(where, limit)
        by_figure: dict[str, set[tuple[str, float]]] = {}
        for limit in self.limits:
            by_figure.setdefault(limit.figure, set()).add((limit.operator, limit.limit))
        return found + [
            say("{where} has more than one limit on {name}; give one.", where=where, name=name)
            for name, several in by_figure.items()
            if len(several) > 1
        ]


def _limit(name: str, said: Any, where: str) -> Limit | str:
    """One limit, or what is wrong with it."""
    name = name.strip()
    if name not in FIGURES:
        known = ", ".join(FIGURES)
        return say(
            '{where} limits "{name}"; there are {known}.{hint}',
            where=where,
            name=name,
            known=known,
            hint=hint(name, FIGURES),
        )
    if is_number(said):  # the side that makes sense
        return Limit(figure=name, operator=_good_side(name), limit=float(said))
    found = _LIMIT.fullmatch(str(said).strip())
    operator = _SIGNS.get(found["operator"], found["operator"]) if found else ""
    limit = _number(found["limit"]) if found else None
    if limit is None or found is None or found["figure"] or operator not in SAID:
        side = _good_side(name)
        return say(
            '{where} {name} must be a limit such as "{side}{example}".',
            where=where,
            name=name,
            side=side,
            example=_example(name),
        )
    return Limit(figure=name, operator=operator, limit=limit)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _good_side(name: str) -> Operator:
    return "<=" if FIGURES[name].better == "lower" else ">="


def _example(name: str) -> str:
    if FIGURES[name].share:
        return "0.05" if FIGURES[name].better == "lower" else "0.8"
    return {"k": "3", "k_marginal": "900", "U": "0.8", "rut": "0.8"}.get(name, "2")


def _side_faults(where: str, limit: Limit) -> list[str]:
    figure = FIGURES[limit.figure]
    found = []
    if limit.operator[0] != _good_side(limit.figure)[0]:
        lower = figure.better == "lower"
        found.append(
            say(
                "{where} limits {figure} on the wrong side: {better} is better, so say "
                "how much it may be at {edge}, {example}.",
                where=where,
                figure=limit.figure,
                better=say("lower") if lower else say("higher"),
                edge=say("most") if lower else say("least"),
                example=f"{limit.figure}{_good_side(limit.figure)}{limit.limit:g}",
            )
        )
    if figure.share and not 0 <= limit.limit <= 1:
        found.append(
            say(
                "{where} {figure} must be limited by a number from 0 to 1.",
                where=where,
                figure=limit.figure,
            )
        )
    elif limit.limit < 0:
        found.append(
            say(
                "{where} {figure} must be limited by a number that is 0 or more.",
                where=where,
                figure=limit.figure,
            )
        )
    return found


@dataclass(frozen=True, kw_only=True)
class RankChoices(Entries):
    """Choices of a ranking."""

    utility: str | None = None
    """What stands up on the map: a name among `microgauge.results.figures.UTILITIES`."""
    jackknife: bool | None = None
    """Whether differences are tested by measuring again without each of 30 groups, where the
    utility has no replicates of its own; None: where files are small."""

    def faults(self, where: str) -> list[str]:
        """What is wrong by itself; whether the utility is one is told with the analyses known."""
        found = flag(say("{where} jackknife", where=where), self.jackknife)
        if not isinstance(self.utility, str | None):
            found.append(say("{where} utility must be the name of a utility.", where=where))
        return found
