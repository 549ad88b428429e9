"""Eight pairs of files whose worth and safety are known by how they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import polars as pl

import microgauge
from microgauge.demo import ORIGINAL

FEW_KEYS = ("AGEP", "SEX", "DIS")
MANY_KEYS = ("PUMA", "AGEP", "SEX", "RAC1P", "MAR")
FEW_VARIABLES = ("AGEP", "SEX", "DIS", "MAR", "SCHL", "ESR", "WKHP", "WAGP", "PINCP")
"""As many as simple trees do justice to."""
LEFT_OUT = ("clusters", "ecdf", "loss", "rut")
"""Slow, and no part of the first screen."""
TYPES = {
    "PUMA": "nominal",
    "AGEP": "continuous",
    "SCHL": "ordinal",
    "WKHP": "continuous",
    "WAGP": "continuous",
    "PINCP": "continuous",
}


@dataclass(frozen=True)
class Screen:
    """An original, a protected file, and what the office says of them."""

    original: pl.DataFrame
    protected: pl.DataFrame
    keys: tuple[str, ...] = ()
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Other tables, by the names of `assess`."""

    @property
    def schema(self) -> dict:
        variables = {
            name: {"type": kind} for name, kind in TYPES.items() if name in self.original.columns
        }
        for name in self.keys:
            variables.setdefault(name, {})["role"] = "quasi_identifier"
        return {"variable": variables}

    def assessed(self, **choices) -> microgauge.Assessment:
        return microgauge.assess(
            self.original,
            self.protected,
            schema=self.schema,
            **{"skip": LEFT_OUT} | self.tables | choices,
        )


@cache
def people() -> pl.DataFrame:
    """The demo's survey without its weight."""
    return pl.read_csv(ORIGINAL, schema_overrides={"PUMA": pl.String}).drop("PWGTP")


def _noisy(frame: pl.DataFrame) -> pl.DataFrame:
    blur = pl.Series(np.random.default_rng(1).normal(0.0, 0.02, frame.height))
    return frame.with_columns(
        (pl.col("PINCP") * (1.0 + pl.lit(blur)) / 10).round().cast(pl.Int64) * 10
    )


def _coarse(frame: pl.DataFrame) -> pl.DataFrame:
    low = pl.col("AGEP") // 5 * 5
    return frame.with_columns(pl.format("{}-{}", low, low + 4).alias("AGEP"))


def _shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return frame.select(
        pl.Series(name, frame[name].gather(rng.permutation(frame.height))) for name in frame.columns
    )


def _set_aside() -> tuple[pl.DataFrame, pl.DataFrame]:
    """An original, and a fifth of the people who were not used."""
    order = np.random.default_rng(3).permutation(people().height)
    ours, aside = np.split(order, [people().height * 4 // 5])
    return people()[ours], people()[aside]


def _by_trees(frame: pl.DataFrame) -> pl.DataFrame:
    """Synthetic records, each value drawn from a leaf of a tree on the others."""
    step = {"method": "synthesise", "model": "trees", "variables": frame.columns}
    return microgauge.mask(frame, {"seed": 7, "step": [step]})


def good_safe() -> Screen:
    return Screen(people(), _coarse(_noisy(people())), FEW_KEYS)


def good_unsafe() -> Screen:
    return Screen(people(), _noisy(people()), MANY_KEYS)


def safe_useless() -> Screen:
    return Screen(people(), _shuffled(people()), MANY_KEYS)


def identifiers_left_in() -> Screen:
    numbers = np.random.default_rng(4).permutation(10**7)[: people().height] + 10**8
    named = [
        pl.Series("person_id", numbers),
        pl.Series("email", [f"p{number}@example.org" for number in numbers]),
    ]
    return Screen(
        people().with_columns(named), _coarse(_noisy(people())).with_columns(named), FEW_KEYS
    )


def unchanged() -> Screen:
    return Screen(people(), people(), MANY_KEYS)


def nothing_measured() -> Screen:
    empty = pl.DataFrame({"answer": pl.Series([None] * 200, dtype=pl.Float64)})
    return Screen(empty, pl.DataFrame({"answer": [1.5, 2.5] * 100}))


def synthetic_good() -> Screen:
    ours, aside = (frame.select(FEW_VARIABLES) for frame in _set_aside())
    return Screen(ours, _by_trees(ours), FEW_KEYS, {"holdout": aside})


def synthetic_copied() -> Screen:
    ours, aside = _set_aside()
    made = _by_trees(ours)
    order = np.random.default_rng(5).permutation(ours.height)
    copies = round(0.6 * ours.height)
    mixed = pl.concat([ours[order[:copies]], made[order[copies:]]])
    mixed = mixed[np.random.default_rng(6).permutation(mixed.height)]
    return Screen(ours, mixed, MANY_KEYS, {"holdout": aside})


SCREENS: dict[str, Callable[[], Screen]] = {
    "good-safe": good_safe,
    "good-unsafe": good_unsafe,
    "safe-useless": safe_useless,
    "identifiers-left-in": identifiers_left_in,
    "unchanged": unchanged,
    "nothing-measured": nothing_measured,
    "synthetic-good": synthetic_good,
    "synthetic-copied": synthetic_copied,
}
