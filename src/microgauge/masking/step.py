"""What a step of a recipe is: a method with its parameters, checked before any is taken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import field
from typing import ClassVar

import numpy as np

from microgauge.errors import hint
from microgauge.languages.messages import say
from microgauge.masking.table import ColumnUse, Data
from microgauge.records import dataclass

__all__ = ["ColumnUse", "Look", "Skipped", "Step"]

PLURAL = {"number": say("numbers"), "category": say("categories")}


@dataclass
class Look:
    """What is known of the table before a step: uses change as steps recode."""

    uses: dict[str, ColumnUse]
    rows: int
    removed: set[str] = field(default_factory=set)
    """Variables that steps before took out of the file."""


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """One step. Its fields are the parameters of the method; their types say their form."""

    method: ClassVar[str]
    takes: ClassVar[ColumnUse | None] = None
    """What its variables must be; None: either."""
    looks: ClassVar[bool] = True
    """Whether it looks at the cells of its variables; else any cells will do."""

    variables: tuple[str, ...] = field(
        default=(), metadata={"said": say("must be names of variables.")}
    )

    @property
    def counts(self) -> bool:
        """Whether it needs its variables as numbers."""
        return self.takes == "number"

    def faults(self, look: Look, *, own: bool = True) -> list[str]:
        """What is wrong with the step for such a table; `own`: with its parameters, too."""
        return [*self.variable_faults(look), *(self.own_faults(look) if own else [])]

    def variable_faults(self, look: Look) -> list[str]:
        """What is wrong with the variables."""
        if not self.variables:
            return [say("names no variable: variables = […].")]
        twice = [name for name, times in Counter(self.variables).items() if times > 1]
        found = [say('"{name}" is named twice.', name=name) for name in twice]
        for name in dict.fromkeys(self.variables):
            if name in look.removed:
                found.append(say('"{name}" was removed by a step before.', name=name))
            elif name not in look.uses:
                found.append(
                    say(
                        'there is no variable "{name}".{hint}',
                        name=name,
                        hint=hint(name, look.uses),
                    )
                )
            elif self.takes is not None and look.uses[name] not in (self.takes, "code"):
                is_a = say("a number") if look.uses[name] == "number" else say("a category")
                found.append(
                    say(
                        '"{name}" is {is_a}; {method} is for {plural}.',
                        name=name,
                        is_a=is_a,
                        method=self.method,
                        plural=PLURAL[self.takes],
                    )
                )
        return found

    def own_faults(self, look: Look) -> list[str]:
        """Faults of the parameters."""
        del look
        return []

    def category_faults(self, look: Look, why: str) -> list[str]:
        """Variables that hold no numbers, which this way of the method needs."""
        held = [name for name in self.variables if look.uses.get(name) == "category"]
        return [say('"{name}" is a category; {why}.', name=name, why=why) for name in held]

    def after(self, look: Look) -> None:  # noqa: B027, most steps change nothing of it
        """What the step changes of what is known."""

    @abstractmethod
    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """The table after the step."""


@dataclass(frozen=True, kw_only=True)
class Skipped(Step):
    """A step that is not taken; it keeps its place, and with it the chance of the steps after."""

    method: ClassVar[str] = "skipped"

    def faults(self, look: Look, *, own: bool = True) -> list[str]:
        """None."""
        del look, own
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """The table as it was."""
        del rng
        return data
