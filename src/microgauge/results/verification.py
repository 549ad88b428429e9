"""Whether a result can be made again: the same inputs, the same figures."""

from __future__ import annotations

from typing import Any, Literal

from microgauge.records import dataclass

State = Literal["same", "differs", "not compared"]


@dataclass(frozen=True, kw_only=True)
class InputCheck:
    """One input beside what the result says of it."""

    what: str
    """The original, a candidate by its name, the schema file."""
    state: State
    said: str
    """What was found."""
    table: bool = True
    """Whether it is a table; what a schema or a recipe said stands in the result."""


@dataclass(frozen=True, kw_only=True)
class FigureCheck:
    """A figure that is another one now."""

    place: str
    """Where it stands in the result: gdu.pairs[3].utility."""
    was: Any
    now: Any


@dataclass(frozen=True, kw_only=True)
class Verification:
    """A result, beside its inputs and what they give now."""

    result: str
    command: str
    inputs: tuple[InputCheck, ...]
    figures: tuple[FigureCheck, ...]
    """Those that differ, and parts that only one of both results has."""
    compared: int | None
    """How many were compared; None where nothing was measured again."""
    reason: str | None = None
    """Why nothing was measured again."""
    versions: tuple[FigureCheck, ...] = ()
    """Versions that differ. They alone are no difference."""
    words: tuple[FigureCheck, ...] = ()
    """Sentences, reasons and notes that differ."""

    @property
    def same(self) -> bool:
        """Whether nothing differs that was compared, and all was that can be.

        Another version of the program may say the same thing in other words.
        """
        said = not self.words or self.other_program
        return not self.figures and said and all(one.state != "differs" for one in self.inputs)

    @property
    def other_program(self) -> bool:
        """Whether the result was written by another version of the program."""
        return any(one.place == "microgauge" for one in self.versions)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import to_dict

        return {"same": self.same, **to_dict(self)}

    def __str__(self) -> str:
        from microgauge.render.verification import verification_text

        return verification_text(self)
