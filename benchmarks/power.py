"""Which figures notice that a few real records stand in a synthetic file.

`python -m benchmarks.power [--seeds N] [--nulls N] [--population survey|households]
[--background margins|trees] [--rows N] [--jobs N]`

One in a hundred records of the original is copied into a file whose other records are nobody's.
Original and holdout are two random parts of one real table, different for every seed; the other
records are drawn

- `margins`: every column by itself from the original's, or
- `trees`: from trees fitted to a third part of the table (households only; the survey is too
  small), so that relations hold and nothing of the original is in them.

The copies stand as they are, or every number of theirs gets normal noise with a hundredth of the
number's standard deviation in the original. Without copies a figure that says "beyond chance" gives
a false alarm.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from scipy.stats import beta

import microgauge
from benchmarks.processes import in_processes
from microgauge.results.disclosure import Disclosure

Kind = Literal["copies", "noisy copies", "no copies"]
Background = Literal["margins", "trees"]
FOLDER = Path(microgauge.__file__).parent
SHARE = 0.01
"""Of the original's records that are copied."""
NOISE = 0.01
"""Deviation of the noise on a number, in standard deviations of the original."""
ROWS = 2_700
POWER = 0.95
FALSE_ALARMS = 0.05
MUST_DETECT = ("copied.excess", "membership.tpr_01")
"""The figures that are held to the goals; the others are shown beside."""


@dataclass(frozen=True)
class Population:
    """A real table, and what is told of its variables."""

    file: str
    keys: tuple[str, ...]
    sensitive: tuple[str, ...]
    numbers: tuple[str, ...]
    """The others are categories."""
    without: tuple[str, ...] = ()

    def table(self) -> pl.DataFrame:
        """All its rows, numbers as such and categories as text."""
        path = FOLDER / self.file
        frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)
        frame = frame.drop(self.without)
        categories = [name for name in frame.columns if name not in self.numbers]
        return frame.with_columns(
            pl.col(self.numbers).cast(pl.Float64), pl.col(categories).cast(pl.String)
        )

    def schema(self, columns: Sequence[str], seed: int) -> dict[str, Any]:
        """The types and roles; the records of the protected file are nobody's."""
        roles = dict.fromkeys(self.keys, "quasi_identifier")
        roles |= dict.fromkeys(self.sensitive, "sensitive")
        variables = {
            name: {"type": "continuous" if name in self.numbers else "nominal"}
            | ({"role": roles[name]} if name in roles else {})
            for name in columns
        }
        return {"options": {"aligned": False, "seed": seed}, "variable": variables}


POPULATIONS: Mapping[str, Population] = {
    "survey": Population(
        "demo/original.csv",
        keys=("PUMA", "AGEP", "SEX", "RAC1P", "MAR"),
        sensitive=("WAGP", "PINCP"),
        numbers=("AGEP", "WKHP", "WAGP", "PINCP"),
        without=("PWGTP",),
    ),
    "households": Population(
        "papers/data/households.parquet",
        keys=("AGEP", "SEX", "RAC1P", "MAR", "NP"),
        sensitive=("HINCP", "TEN"),
        numbers=("AGEP", "NP", "VALP", "HINCP"),
    ),
}


@dataclass(frozen=True)
class Task:
    """One file to be made and assessed."""

    population: str
    background: Background
    kind: Kind
    rows: int
    seed: int


@dataclass(frozen=True)
class Files:
    """Who was in, who was not, and what is released."""

    original: pl.DataFrame
    holdout: pl.DataFrame
    protected: pl.DataFrame


def files(task: Task) -> Files:
    """The tables of one seed; the same draws for all kinds, but for the copies."""
    population = POPULATIONS[task.population]
    table, rng = population.table(), np.random.default_rng(task.seed)
    rows, order = task.rows, rng.permutation(table.height)
    parts = [table[order[start : start + rows]] for start in range(0, 3 * rows, rows)]
    original, holdout, others = parts
    if task.background == "margins":
        others = original
    if holdout.height < rows or others.height < rows:
        raise SystemExit(f"{task.population} has too few rows ({table.height:,}) for {rows:,} each")
    model = {"margins": "independent", "trees": "trees"}[task.background]
    synthetic = _synthetic(others, model, task.seed)
    if task.kind == "no copies":
        return Files(original, holdout, synthetic)
    chosen = rng.choice(rows, round(SHARE * rows), replace=False)
    copies = original[chosen]
    if task.kind == "noisy copies":
        copies = _noisy(copies, original, population.numbers, rng)
    return Files(original, holdout, pl.concat([copies, synthetic[len(chosen) :]]))


def _synthetic(frame: pl.DataFrame, model: str, seed: int) -> pl.DataFrame:
    """As many records that are nobody's; columns in the order of the frame."""
    step = {"method": "synthesise", "variables": frame.columns, "model": model}
    made: pl.DataFrame = microgauge.mask(frame, {"seed": seed, "step": [step]})
    return made.select(frame.columns).cast(frame.schema)


def _noisy(
    copies: pl.DataFrame, original: pl.DataFrame, numbers: Sequence[str], rng: np.random.Generator
) -> pl.DataFrame:
    deviation = {name: NOISE * float(original[name].std() or 0.0) for name in numbers}  # type: ignore[arg-type]
    return copies.with_columns(
        [copies[name] + rng.normal(0.0, deviation[name], copies.height) for name in numbers]
    )


def detected(task: Task) -> dict[str, bool]:
    """Which figures say that the file tells more of those who are in it than chance would."""
    made = files(task)
    schema = POPULATIONS[task.population].schema(made.original.columns, task.seed)
    result = microgauge.assess(
        made.original, made.protected, schema=schema, holdout=made.holdout, only=["disclosure"]
    )
    assert result.disclosure is not None
    return verdicts(result.disclosure)


def verdicts(found: Disclosure) -> dict[str, bool]:
    """Whether the lower limit of each figure is above what it is without a leak."""
    who = found.membership
    assert who is not None
    assert who.nearer_share is not None
    assert found.holdout is not None
    error = 1.96 * (0.25 / min(found.units, found.holdout)) ** 0.5
    return {
        "copied.excess": _low(found.copied.excess_ci) > 0.0,
        "membership.tpr_01": _low(who.tpr_01_ci) > 0.01,
        "membership.tpr_10": _low(who.tpr_10_ci) > 0.10,
        "membership.auc": _low(who.auc_ci) > 0.5,
        "excess (learned)": _low(found.excess_ci) > 0.0,
        "risk": _low(found.risk_ci) > 0.0,
        "nearer_share (DCR)": who.nearer_share > 0.5 + error,
    }


def _low(ends: tuple[float, float] | None) -> float:
    assert ends is not None
    return ends[0]


def exact_interval(count: int, total: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share."""
    tail = (1.0 - level) / 2.0
    low = 0.0 if count == 0 else float(beta.ppf(tail, count, total - count + 1))
    high = 1.0 if count == total else float(beta.ppf(1.0 - tail, count + 1, total - count))
    return low, high


@dataclass(frozen=True)
class Tried:
    """How often each figure spoke, of so many seeds."""

    kind: Kind
    total: int
    counts: Mapping[str, int]

    def met(self, figure: str) -> bool:
        """Copies: in at least 95 of 100 files; none: 5 % is not surely exceeded."""
        share = self.counts[figure] / self.total
        if self.kind != "no copies":
            return share >= POWER
        return exact_interval(self.counts[figure], self.total)[0] <= FALSE_ALARMS


def study(tasks: Sequence[Task], jobs: int) -> list[Tried]:
    """All kinds, in the order of the goals."""
    found = list(in_processes(detected, tasks, jobs))
    tried = []
    for kind in get_args(Kind):
        own = [each for task, each in zip(tasks, found, strict=True) if task.kind == kind]
        if own:
            counts = {name: sum(each[name] for each in own) for name in own[0]}
            tried.append(Tried(kind, len(own), counts))
    return tried


def table(tried: Sequence[Tried]) -> str:
    """A line for each figure, a column for each kind."""
    heads = [f"{one.kind} (of {one.total})" for one in tried]
    lines = ["| figure | " + " | ".join(heads) + " |", "| --- |" + " ---: |" * len(heads)]
    for figure in tried[0].counts:
        cells = []
        for one in tried:
            low, high = exact_interval(one.counts[figure], one.total)
            cells.append(f"{one.counts[figure]} ({low:.0%}–{high:.0%})")
        lines.append(f"| {figure} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def missed(tried: Sequence[Tried]) -> list[str]:
    """Goals that are not met."""
    return [
        f"{figure}: {one.kind}"
        for one in tried
        for figure in one.counts
        if (figure in MUST_DETECT or one.kind == "no copies") and not one.met(figure)
    ]


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.power")
    parser.add_argument("--seeds", type=int, default=100, help="files of each kind of copies")
    parser.add_argument("--nulls", type=int, default=200, help="files without copies")
    parser.add_argument("--population", choices=list(POPULATIONS), default="survey")
    parser.add_argument("--background", choices=get_args(Background), default="margins")
    parser.add_argument("--rows", type=int, default=ROWS, help="of each of the three tables")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    given = arguments(words)
    tasks = [
        Task(given.population, given.background, kind, given.rows, seed)
        for kind in get_args(Kind)
        for seed in range(given.nulls if kind == "no copies" else given.seeds)
    ]
    tried = study(tasks, given.jobs)
    print(f"{given.population}, {given.background}, {given.rows:,} rows")
    print(table(tried))
    failures = missed(tried)
    print("missed: " + "; ".join(failures) if failures else "all goals met")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
