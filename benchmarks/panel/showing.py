"""The tables that a run prints, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np

from benchmarks.panel.scores import (
    SIDES,
    Compared,
    by_data_set,
    by_pair,
    half_score,
    halves,
    on_scale,
    score,
)

Results = Mapping[str, Sequence[Compared]]
"""Every comparison, by figure."""


def scores_table(results: Results, names: Sequence[str]) -> str:
    """Each figure's share of pairs in the right order: all data sets, each half, where defined."""
    rows = [
        "| figure | right | 95 % over data sets | chooses | confirms | no figure | elsewhere "
        "| on its scale |",
        "|---|---|---|---|---|---|---|---|",
    ]
    sides = halves(names)
    for figure, every in results.items():
        whole = score(every)
        chooses, confirms = (_shown(half_score(every, sides, side)) for side in SIDES)
        rows.append(
            f"| {figure} | {whole.value:.3f} | {whole.low:.3f} – {whole.high:.3f} "
            f"| {chooses} | {confirms} | {whole.unknown} of {whole.comparisons} "
            f"| {whole.known:.3f} | {_shown(on_scale(every))} |"
        )
    return "\n".join(rows)


def _shown(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"


def data_table(results: Results, rows_of: Mapping[str, int]) -> str:
    """Each figure's share by data set."""
    figures = list(results)
    rows = [f"| data set | rows | {' | '.join(figures)} |", "|---|---|" + "---|" * len(figures)]
    shares = {figure: by_data_set(every) for figure, every in results.items()}
    for data in sorted(rows_of):
        cells = [f"{shares[figure][data]:.3f}" for figure in figures]
        rows.append(f"| {data} | {rows_of[data]:,} | {' | '.join(cells)} |")
    return "\n".join(rows)


def pair_table(results: Results) -> str:
    """Each figure's share by pair, over all data sets."""
    figures = list(results)
    rows = [f"| pair | {' | '.join(figures)} |", "|---|" + "---|" * len(figures)]
    shares = {figure: by_pair(every) for figure, every in results.items()}
    for pair in next(iter(shares.values()), {}):
        cells = [f"{shares[figure][pair]:.3f}" for figure in figures]
        rows.append(f"| {pair} | {' | '.join(cells)} |")
    return "\n".join(rows)


def time_table(spent: Mapping[str, tuple[int, float]]) -> str:
    """How long each measurer took for how many files."""
    rows = ["| measurer | files | seconds | a file |", "|---|---|---|---|"]
    rows += [
        f"| {measurer} | {count:,} | {seconds:,.0f} | {seconds / count:.3f} |"
        for measurer, (count, seconds) in sorted(spent.items())
    ]
    return "\n".join(rows)


def wrong_table(every: Sequence[Compared]) -> str:
    """Every pair of every data set that is not right for all seeds, those beyond chance first."""
    rows = [
        "| data set | pair | right | a | b | b − a ± s.e. | beyond chance |",
        "|---|---|---|---|---|---|---|",
    ]
    wrong = [one for one in every if one.score < 1 and one.wrong_by]
    for one in sorted(wrong, key=lambda w: (not w.beyond_chance, w.pair.name, w.score, w.data)):
        a, b = np.mean(one.known, axis=0)
        by = np.array(one.wrong_by)
        error = f" ± {by.std(ddof=1) / sqrt(len(by)):.4f}" if len(by) > 1 else ""
        rows.append(
            f"| {one.data} | {one.pair.name} | {one.score:.1f} | {a:.4f} | {b:.4f} "
            f"| {by.mean():+.4f}{error} | {'yes' if one.beyond_chance else 'no'} |"
        )
    unknown = sum(one.unknown for one in every)
    return "\n".join([*rows, *([f"\nNo figure: {unknown} comparisons."] if unknown else [])])
