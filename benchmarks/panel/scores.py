"""From figures to scores: the share of pairs in the right order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal

import numpy as np

from benchmarks.panel.keeping import Kept
from benchmarks.panel.pairs import Kind, Pair

Files = Mapping[tuple[str, int], Kept]
"""The files of a data set, by protection and seed; those without chance have seed 0."""
Half = Literal["chooses", "confirms"]
SIDES: tuple[Half, Half] = ("chooses", "confirms")
DRAWS = 2_000
CLOSE = 1e-12
"""Figures nearer than this are tied."""


@dataclass(frozen=True)
class Compared:
    """One pair of one data set, with the figures of a and b for each seed."""

    data: str
    pair: Pair
    figures: tuple[tuple[float | None, float | None], ...]
    rises: bool
    chance: bool
    """Whether there is chance in a or b."""

    @property
    def points(self) -> list[float]:
        """1 for the right order, half for a tie or no figure, 0 for the wrong one."""
        return [_points(a, b, self.rises) for a, b in self.figures]

    @property
    def score(self) -> float:
        return float(np.mean(self.points))

    @property
    def known(self) -> tuple[tuple[float, float], ...]:
        """The figures of seeds for which both have one."""
        return tuple((a, b) for a, b in self.figures if a is not None and b is not None)

    @property
    def unknown(self) -> int:
        return len(self.figures) - len(self.known)

    @property
    def wrong_by(self) -> list[float]:
        """By how much the figures go the wrong way; below 0: the right one."""
        sign = 1.0 if self.rises else -1.0
        return [sign * (b - a) for a, b in self.known]

    @property
    def beyond_chance(self) -> bool:
        """Whether the mean over the seeds goes the wrong way by more than two standard errors."""
        wrong = np.array(self.wrong_by)
        if not len(wrong) or wrong.mean() <= CLOSE:
            return False
        if len(wrong) == 1:
            return not self.chance
        return bool(wrong.mean() > 2 * wrong.std(ddof=1) / np.sqrt(len(wrong)))


def _points(a: float | None, b: float | None, rises: bool) -> float:
    if a is None or b is None or abs(a - b) <= CLOSE:
        return 0.5
    return float((a > b) == rises)


def compared(
    data: str,
    files: Files,
    pairs: Sequence[Pair],
    name: str,
    rises: bool,
    most_seeds: int | None = None,
) -> list[Compared]:
    """Every pair of a data set; not those whose files are in no order, nor seeds left out."""
    found = []
    for pair in pairs:
        both = _both(files, pair)[:most_seeds]
        kept = [(a, b) for a, b in both if not _alike(a, b, pair.kind)]
        if kept:
            figures = tuple((a.figures.get(name), b.figures.get(name)) for a, b in kept)
            chance = any(one.seed for both in kept for one in both)
            found.append(Compared(data, pair, figures, rises, chance))
    return found


def _alike(a: Kept, b: Kept, kind: Kind) -> bool:
    """Whether nothing was distorted between two files."""
    own = a.patterns.get(kind)
    return own is not None and own == b.patterns.get(kind)


def _both(files: Files, pair: Pair) -> list[tuple[Kept, Kept]]:
    """The files of a pair for each seed; once where there is no chance in either."""
    seeds = sorted({seed for name, seed in files if name in (pair.a, pair.b)} - {0}) or [0]
    found = []
    for seed in seeds:
        a, b = (files.get((name, seed)) or files.get((name, 0)) for name in (pair.a, pair.b))
        if a is not None and b is not None:
            found.append((a, b))
    return found


@dataclass(frozen=True)
class Score:
    """The mean over data sets of the share of pairs in the right order."""

    value: float
    low: float
    high: float
    data_sets: int
    comparisons: int
    unknown: int
    known: float
    """The same over those comparisons alone for which there are figures."""


def score(every: Sequence[Compared], seed: int = 1) -> Score:
    """With a 95 % interval: data sets drawn with replacement."""
    shares = list(by_data_set(every).values())
    if not shares:
        return Score(nan, nan, nan, 0, 0, 0, nan)
    rng = np.random.default_rng(seed)
    draws = rng.choice(shares, size=(DRAWS, len(shares))).mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return Score(
        float(np.mean(shares)),
        float(low),
        float(high),
        len(shares),
        sum(len(one.figures) for one in every),
        sum(one.unknown for one in every),
        _where_known(every),
    )


def _where_known(every: Sequence[Compared]) -> float:
    known = [replace(one, figures=one.known) for one in every if one.known]
    shares = list(by_data_set(known).values())
    return float(np.mean(shares)) if shares else nan


def by_data_set(every: Sequence[Compared]) -> dict[str, float]:
    """The mean over pairs of the mean over seeds, for each data set."""
    found: dict[str, list[float]] = {}
    for one in every:
        found.setdefault(one.data, []).append(one.score)
    return {data: float(np.mean(scores)) for data, scores in found.items()}


def by_pair(every: Sequence[Compared]) -> dict[str, float]:
    """The mean over data sets of the mean over seeds, for each pair."""
    found: dict[str, list[float]] = {}
    for one in every:
        found.setdefault(one.pair.name, []).append(one.score)
    return {pair: float(np.mean(scores)) for pair, scores in found.items()}


def half_score(every: Sequence[Compared], sides: Mapping[str, Half], side: Half) -> float | None:
    """The score over one half of the data sets; None where there is none of them."""
    own = [one for one in every if sides[one.data] == side]
    return score(own).value if own else None


def on_scale(every: Sequence[Compared]) -> float | None:
    """The score over the pairs that neither remove nor band a variable."""
    own = [one for one in every if one.pair.on_scale]
    return score(own).value if own else None


def halves(names: Sequence[str]) -> dict[str, Half]:
    """Data sets in alphabetical order, alternating: one half chooses, the other confirms."""
    return {name: SIDES[place % 2] for place, name in enumerate(sorted(names))}
