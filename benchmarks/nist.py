"""Protected files that others made: does the order of their risks fit how they were made?

`python -m benchmarks.nist --data FOLDER [--kind risk|utility] [--keys all|few]
[--numbers numbers|nominal] [--jobs N] [--json F]`

FOLDER holds the Massachusetts files of NIST's Collaborative Research Cycle (bundle 1.0, 2023) as
Parquet: `ma_target.parquet` (the original), `ma_2018.parquet` (the same areas the year before: the
holdout), what teams made of the original, and `index.csv` with a line for each (file, algorithm,
features, epsilon, rows, and `unique_exact`: the per cent of unique original records that stand in
the file in full, as NIST's own tool found). Each file is compared with the original cut to its
columns.

How they were made says what is to be expected: a sample of 40 % of the real records has the largest
risk; of those who took part a differentially private file (ε ≤ 1) tells hardly more than of others;
trees (synthpop's cart) and a Bayesian network, fitted without noise, tell more than these.
What is to be expected of utility stands in `nist_utility.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import polars as pl
from scipy.stats import spearmanr

import microgauge
from benchmarks.processes import in_processes
from microgauge.results.disclosure import Disclosure

Ends = tuple[float, float]
Numbers = Literal["numbers", "nominal"]
KEYS: Mapping[str, tuple[str, ...]] = {
    "all": ("PUMA", "AGEP", "SEX", "MSP", "RAC1P", "HISP"),
    "few": ("PUMA", "AGEP", "SEX", "RAC1P"),
}
TARGETS = ("EDU", "PINCP_DECILE", "INDP_CAT", "OWN_RENT", "DVET", "NOC", "NPF", "DPHY")
WITH_N = ("POVPIP", "PINCP", "INDP")
"""Numbers in which N stands for "does not apply"."""
SAMPLE = "subsample_40pcnt"
FITTED = ("cart", "bayesian_network")
"""Algorithms that fit real records without noise."""
PRIVATE = 1.0
"""The largest ε of files that are held to tell little of those who took part."""
MOST_PRIVATE = 0.03
LEAST_SPEARMAN = 0.95


@dataclass(frozen=True)
class Listed:
    """A protected file as the index lists it."""

    file: str
    algorithm: str
    features: str
    epsilon: float | None
    rows: int
    unique_exact: float
    k_marginal: float

    @property
    def name(self) -> str:
        """Short, and different within a set of features."""
        library, rest = self.file.removesuffix(".parquet").split("__ma__")
        return f"{library.split('_')[0]} {rest}"[:44]

    @property
    def private(self) -> bool:
        """Differentially private with a small ε, whether or not the index calls it so."""
        return self.epsilon is not None and self.epsilon <= PRIVATE


@dataclass(frozen=True)
class Figures:
    """What microgauge found, without and with the holdout."""

    units: int
    internal: float
    risk: float
    risk_ci: Ends
    worst: str
    copied: float
    held_risk: float
    held_risk_ci: Ends
    held_worst: str
    copied_excess: float
    copied_excess_ci: Ends
    present: float
    control: float
    excess: float
    excess_ci: Ends
    auc: float
    tpr_01: float
    tpr_01_ci: Ends

    @property
    def taking_part(self) -> float:
        """What taking part costs: copied, or learned, beyond people who took none."""
        return max(self.copied_excess, self.excess)


@dataclass(frozen=True)
class Row:
    """A file and its figures."""

    listed: Listed
    figures: Figures

    @property
    def fitted(self) -> bool:
        """By an algorithm that fits real records without noise."""
        return self.listed.algorithm in FITTED

    @property
    def stranger(self) -> bool:
        """Such a file makes as many records as it was given: others were given another table."""
        return self.fitted and self.listed.rows != self.figures.units


@dataclass(frozen=True)
class Setting:
    """Where the files are, and what is told of the variables."""

    folder: Path
    keys: str = "all"
    numbers: Numbers = "numbers"

    def schema(self, columns: Sequence[str]) -> dict[str, Any]:
        """Roles of the columns that are there; records are nobody's."""
        said: dict[str, dict[str, Any]] = {name: {} for name in columns}
        for name in columns:
            if name in WITH_N:
                nominal = self.numbers == "nominal"
                said[name] |= {"type": "nominal"} if nominal else {"missing": ["N"]}
            if name in KEYS[self.keys]:
                said[name]["role"] = "quasi_identifier"
            if name in TARGETS:
                said[name]["role"] = "sensitive"
        return {"options": {"aligned": False}, "variable": said}

    def table(self, name: str) -> pl.DataFrame:
        """A file of the folder."""
        return pl.read_parquet(self.folder / name)


def index(folder: Path) -> list[Listed]:
    """All protected files."""
    lines = pl.read_csv(folder / "index.csv", schema_overrides={"epsilon": pl.String})
    return [
        Listed(
            file=line["file"],
            algorithm=line["algorithm"],
            features=line["features"],
            epsilon=float(line["epsilon"]) if line["epsilon"] else None,
            rows=line["rows"],
            unique_exact=line["unique_exact"],
            k_marginal=line["k_marginal"],
        )
        for line in lines.iter_rows(named=True)
    ]


def measured(setting: Setting, listed: Listed) -> Row:
    """The figures of a file, without and with people who took no part."""
    protected, original = setting.table(listed.file), setting.table("ma_target.parquet")
    columns = [name for name in original.columns if name in protected.columns]
    assess = partial(
        microgauge.assess,
        original.select(columns),
        protected.select(columns),
        schema=setting.schema(columns),
    )
    plain = assess(only=["disclosure", "risk"])
    holdout = setting.table("ma_2018.parquet").select(columns)
    held = assess(only=["disclosure"], holdout=holdout).disclosure
    assert plain.disclosure is not None
    assert plain.risk is not None
    assert held is not None
    return Row(listed, _figures(known(plain.risk.internal), plain.disclosure, held))


def known(value: Any) -> Any:
    """A figure that every file has."""
    assert value is not None
    return value


def _figures(internal: float, plain: Disclosure, held: Disclosure) -> Figures:
    copied, who = held.copied, known(held.membership)
    return Figures(
        units=plain.units,
        internal=internal,
        risk=known(plain.risk),
        risk_ci=known(plain.risk_ci),
        worst=_worst(plain),
        copied=known(plain.copied.value),
        held_risk=known(held.risk),
        held_risk_ci=known(held.risk_ci),
        held_worst=_worst(held),
        copied_excess=known(copied.excess),
        copied_excess_ci=known(copied.excess_ci),
        present=known(copied.present),
        control=known(copied.control),
        excess=known(held.excess),
        excess_ci=known(held.excess_ci),
        auc=known(who.auc),
        tpr_01=known(who.tpr_01),
        tpr_01_ci=known(who.tpr_01_ci),
    )


def _worst(found: Disclosure) -> str:
    worst = known(found.worst)
    return f"{worst.part} {worst.variable or ''}".strip()


# -- what is to be expected ------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """Something that must hold, and what was found."""

    name: str
    met: bool
    detail: str

    def __str__(self) -> str:
        return f"{'met   ' if self.met else 'MISSED'}  {self.name}: {self.detail}"


def goals(rows: Sequence[Row]) -> list[Goal]:
    """All that is expected of files made as these were."""
    return [
        _follows_nist(rows),
        *_samples(rows),
        _private(rows),
        _fitted(rows),
    ]


def spearman(rows: Sequence[Row], figure: str) -> float:
    """The rank correlation of a figure with NIST's."""
    mine = [getattr(row.figures, figure) for row in rows]
    return float(spearmanr(mine, [row.listed.unique_exact for row in rows]).statistic)


def _follows_nist(rows: Sequence[Row]) -> Goal:
    found, classes = (spearman(rows, name) for name in ("copied", "internal"))
    return Goal(
        "copied orders files as unique exact matches do",
        found >= LEAST_SPEARMAN,
        f"Spearman {found:.3f} over {len(rows)} files (R_internal: {classes:.3f})",
    )


def _samples(rows: Sequence[Row]) -> Iterator[Goal]:
    """In every set of features that has one the sample of real records has the largest risk."""
    for sample in (row for row in rows if row.listed.algorithm == SAMPLE):
        features = sample.listed.features
        others = [r for r in rows if r.listed.features == features and r is not sample]
        for name, words in (("risk", "without holdout"), ("held_risk", "with holdout")):
            yield _largest(sample, others, name, f"{features}, {words}")


def _largest(sample: Row, others: Sequence[Row], name: str, where: str) -> Goal:
    """No file is above the sample beyond chance: its interval lies above the sample's."""
    own, ends = getattr(sample.figures, name), getattr(sample.figures, f"{name}_ci")
    above = [row for row in others if getattr(row.figures, name) > own]
    beyond = [row for row in above if getattr(row.figures, f"{name}_ci")[0] > ends[1]]
    said = f"{own:.3f} ({ends[0]:.3f}–{ends[1]:.3f})"
    for row in above:
        value, (low, high) = getattr(row.figures, name), getattr(row.figures, f"{name}_ci")
        said += f"; {row.listed.name} is {value - own:.3f} above ({low:.3f}–{high:.3f})"
    if not above:
        second = max(getattr(row.figures, name) for row in others)
        said += f"; the next has {second:.3f}"
    return Goal(f"the sample is riskiest, {where}", not beyond, said)


def _private(rows: Sequence[Row]) -> Goal:
    private = [row for row in rows if row.listed.private]
    worst = max(private, key=lambda row: row.figures.held_risk)
    return Goal(
        f"with the holdout ε ≤ {PRIVATE:g} is below {MOST_PRIVATE}",
        worst.figures.held_risk < MOST_PRIVATE,
        f"{len(private)} files, the largest {worst.figures.held_risk:.4f} ({worst.listed.name})",
    )


def _fitted(rows: Sequence[Row]) -> Goal:
    fitted = [row for row in rows if row.fitted and not row.stranger]
    private = max(row.figures.taking_part for row in rows if row.listed.private)
    least = min(fitted, key=lambda row: row.figures.taking_part)
    return Goal(
        "trees and Bayesian networks are above all with ε ≤ 1, by max(copied.excess, excess)",
        least.figures.taking_part > private,
        f"{len(fitted)} files, the least {least.figures.taking_part:.4f} ({least.listed.name}, "
        f"{least.listed.features}) against at most {private:.4f}",
    )


# -- shown -----------------------------------------------------------------------------------


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each file, by set of features, the riskiest first."""
    head = "risk  what            held  what            copied  excess  learned  tpr_01 NIST R_int"
    for features in sorted({row.listed.features for row in rows}):
        yield f"\n{features:<44}   ε  {head}"
        own = [row for row in rows if row.listed.features == features]
        for row in sorted(own, key=lambda row: -row.figures.risk):
            yield _line(row.listed, row.figures)


def _line(listed: Listed, found: Figures) -> str:
    epsilon = "" if listed.epsilon is None else f"{listed.epsilon:g}"
    return (
        f"{listed.name:<44} {epsilon:>3} {found.risk:5.3f} {found.worst[-15:]:<15}"
        f" {found.held_risk:5.3f} {found.held_worst[-15:]:<15} {found.copied:6.4f}"
        f" {found.copied_excess:7.4f} {found.excess:7.4f} {found.tpr_01:7.4f}"
        f" {listed.unique_exact:5.2f} {found.internal:5.3f}"
    )


def strangers(rows: Sequence[Row]) -> Iterator[str]:
    """Trees whose number of rows says that they were made from another excerpt."""
    for row in rows:
        if row.stranger:
            f = row.figures
            yield (
                f"left out of the last goal: {row.listed.file}, {row.listed.rows:,} rows where the "
                f"original has {f.units:,}; {f.present:.4f} of the original's uniques stand in it, "
                f"{f.control:.4f} of the holdout: copied.excess {f.copied_excess:.4f} "
                f"({f.copied_excess_ci[0]:.4f}–{f.copied_excess_ci[1]:.4f}), learned excess "
                f"{f.excess:.4f} ({f.excess_ci[0]:.4f}–{f.excess_ci[1]:.4f})"
            )


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nist")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the files")
    parser.add_argument("--kind", choices=("risk", "utility"), default="risk")
    parser.add_argument("--keys", choices=list(KEYS), default="all")
    parser.add_argument("--numbers", choices=("numbers", "nominal"), default="numbers")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    given = arguments(words)
    setting = Setting(given.data, given.keys, given.numbers)
    found = _utility(given, setting) if given.kind == "utility" else _risk(given, setting)
    return 0 if all(goal.met for goal in found) else 1


def _risk(given: argparse.Namespace, setting: Setting) -> list[Goal]:
    rows = list(in_processes(partial(measured, setting), index(given.data), given.jobs))
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    print("\n".join(lines(rows)), end="\n\n")
    found = goals(rows)
    print("\n".join([*map(str, found), *strangers(rows)]))
    return found


def _utility(given: argparse.Namespace, setting: Setting) -> list[Goal]:
    from benchmarks import nist_utility

    rows = nist_utility.run(given.data, setting, given.jobs)
    if given.json is not None:
        given.json.write_text(json.dumps(nist_utility.written(rows), indent=1), encoding="utf-8")
    print("\n".join(nist_utility.lines(rows)), end="\n\n")
    found = nist_utility.goals(rows)
    print("\n".join(map(str, found)))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
