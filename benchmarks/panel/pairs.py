"""The pairs whose order is known, as `pairs.toml` has them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

LISTED = Path(__file__).with_name("pairs.toml")
Kind = Literal["risk", "utility"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Pair:
    """a is at least as risky, or at least as useful, as b."""

    kind: Kind
    a: str
    b: str
    neighbours: bool
    why: str

    @property
    def name(self) -> str:
        return f"{self.a} ≥ {self.b}"

    @property
    def on_scale(self) -> bool:
        """Whether neither file removes or bands a variable: what U_p by itself can compare."""
        return not any(word in side for side in (self.a, self.b) for word in ("remove", "bands"))


def read_pairs(kind: Kind) -> list[Pair]:
    """The pairs of a kind, in the order of the list."""
    listed = tomllib.loads(LISTED.read_text(encoding="utf-8"))["pair"]
    return [pair for pair in (Pair(**entry) for entry in listed) if pair.kind == kind]
