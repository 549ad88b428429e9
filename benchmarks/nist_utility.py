"""Protected files that others made: does the order of their utility fit what NIST's tool found?

`python -m benchmarks.nist --data FOLDER --kind utility [--jobs N] [--json F]`

The files are those of `nist.py`; `index.csv` also has NIST's `k_marginal` (1000 is best). NIST's
score is over pairs of features within each area, in NIST's own groups: equal scores are not to be
expected, equal order is. What tells the files apart is held against a boosted classifier of
scikit-learn, in a few lines of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import spearmanr

import microgauge
from benchmarks.nist import Goal, Listed, Setting, index
from benchmarks.panel.cases import offered
from benchmarks.panel.datasets import MOST_CODES
from benchmarks.panel.measures import DEFAULT_UTILITY, FIGURES
from benchmarks.panel.utility import PLACES, QUICK, found, there
from benchmarks.processes import in_processes
from microgauge.results.plain import to_dict
from microgauge.sections.registry import sections

WANTED = ("tables", "gdu", "propensity")
FOLDS = 5
MOST_CATEGORIES = 255
"""Categories that scikit-learn's classifier can tell apart."""
FEWEST = 4
"""Files of a set of features for which an order is asked for."""
LEAST_WITHIN, LEAST_OVER_ALL, LEAST_AUC = 0.9, 0.85, 0.9
Found = dict[str, float | None]


@dataclass(frozen=True)
class Row:
    """A file, microgauge's figures of it, and what a boosted classifier tells apart."""

    listed: Listed
    figures: Found
    boosted_auc: float


def measured(setting: Setting, listed: Listed) -> Row:
    """The figures of a file against the original cut to its columns."""
    protected, original = setting.table(listed.file), setting.table("ma_target.parquet")
    columns = [name for name in original.columns if name in protected.columns]
    both = original.select(columns), protected.select(columns)
    known = {section.name for section in sections()}
    result = to_dict(
        microgauge.assess(
            *both,
            schema=setting.schema(columns) | offered(QUICK),
            only=[name for name in WANTED if name in known],
        )
    )
    figures = {name: found(result, at) for name, at in PLACES.items() if there(result, at)}
    return Row(listed, figures, boosted_auc(*both))


def boosted_auc(original: pl.DataFrame, protected: pl.DataFrame) -> float:
    """How well a boosted classifier tells the files apart: 0.5 not at all, 1 always.

    Every row is scored by a model that has not seen it, nor a row that is equal to it.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from threadpoolctl import threadpool_limits

    rows = pl.concat([original, protected])
    label = np.repeat([0, 1], [original.height, protected.height])
    features, categorical = _features(rows)
    fold = rows.hash_rows(seed=1).to_numpy() % FOLDS
    scores = np.zeros(len(label))
    with threadpool_limits(1):  # files are looked at side by side
        for place in range(FOLDS):
            model = HistGradientBoostingClassifier(categorical_features=categorical, random_state=1)
            model.fit(features[fold != place], label[fold != place])
            scores[fold == place] = model.predict_proba(features[fold == place])[:, 1]
    return float(roc_auc_score(label, scores))


def _features(rows: pl.DataFrame) -> tuple[NDArray[np.float64], list[bool]]:
    """Numbers as they are, missing for N; texts and a few numbers as codes of categories."""
    columns, categorical = [], []
    for cells in rows:
        numbers = cells.cast(pl.Float64, strict=False)
        texts = (cells != "N") & numbers.is_null() & cells.is_not_null()
        words = bool(texts.any()) and texts.sum() > len(texts) // 20
        nominal = (words or numbers.n_unique() <= MOST_CODES) and cells.n_unique() < MOST_CATEGORIES
        if nominal or words:  # too many for categories: the codes in their order
            numbers = cells.cast(pl.String).rank("dense").cast(pl.Float64) - 1
        columns.append(numbers.fill_null(float("nan")).to_numpy())
        categorical.append(nominal)
    return np.column_stack(columns), categorical


# -- what is to be expected ------------------------------------------------------------------


def goals(rows: Sequence[Row]) -> list[Goal]:
    """The default utility orders files as NIST's tool does, and U_p's AUC as boosting does."""
    within = [value for _, _, value in by_features(rows, DEFAULT_UTILITY) if value is not None]
    overall, auc = _with_nist(rows, DEFAULT_UTILITY), _with_boosted(rows)
    name = f"{DEFAULT_UTILITY} orders files as NIST's k-marginal does"
    return [
        _goal(f"{name} within sets of features (median)", median(within or [-1]), LEAST_WITHIN),
        _goal(f"{name} over all", -1.0 if overall is None else overall, LEAST_OVER_ALL),
        _goal("auc_cross orders files as boosting does", -1.0 if auc is None else auc, LEAST_AUC),
    ]


def _goal(name: str, value: float, least: float) -> Goal:
    said = "there is no such figure" if value == -1 else f"Spearman {value:.3f}, at least {least}"
    return Goal(name, value >= least, said)


def by_features(rows: Sequence[Row], figure: str) -> Iterator[tuple[str, int, float | None]]:
    """The rank correlation with NIST's score within each set of features with enough files."""
    ordered = sorted(rows, key=lambda row: row.listed.features)
    for features, group in groupby(ordered, key=lambda row: row.listed.features):
        own = list(group)
        if len(own) >= FEWEST:
            yield features, len(own), _with_nist(own, figure)


def _with_nist(rows: Sequence[Row], figure: str) -> float | None:
    return _rank([(r.figures.get(figure), r.listed.k_marginal) for r in rows], _sign(figure))


def _with_boosted(rows: Sequence[Row]) -> float | None:
    return _rank([(row.figures.get("auc_cross"), row.boosted_auc) for row in rows], 1)


def _sign(figure: str) -> int:
    return 1 if FIGURES[figure].rises else -1


def _rank(both: Sequence[tuple[float | None, float]], sign: int) -> float | None:
    """Spearman's correlation; None where a file has no figure or all have the same."""
    mine = [a for a, _ in both if a is not None]
    if len(mine) < len(both) or len(set(mine)) < 2:
        return None
    return sign * float(spearmanr(mine, [b for _, b in both]).statistic)


# -- shown -----------------------------------------------------------------------------------


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Every figure's rank correlation with NIST's score, and with boosting."""
    names = [name for name in PLACES if any(name in row.figures for row in rows)]
    sets = [features for features, _, _ in by_features(rows, names[0])]
    yield f"| figure | over all {len(rows)} | median within | {' | '.join(sets)} | with boosting |"
    yield "|---" * (len(sets) + 4) + "|"
    for name in names:
        yield _line(name, rows)
    nist = [(float(row.listed.k_marginal), row.boosted_auc) for row in rows]
    yield f"\nNIST's own k-marginal with boosting: {_shown(_rank(nist, -1))}"


def _line(name: str, rows: Sequence[Row]) -> str:
    own = [value for _, _, value in by_features(rows, name)]
    known = [value for value in own if value is not None]
    middle = _shown(median(known) if known else None)
    boosted = _rank([(r.figures.get(name), r.boosted_auc) for r in rows], -_sign(name))
    cells = [_shown(_with_nist(rows, name)), middle, *map(_shown, own), _shown(boosted)]
    return f"| {name} | {' | '.join(cells)} |"


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def written(rows: Sequence[Row]) -> list[Mapping[str, Any]]:
    """All figures as JSON."""
    return [asdict(row) for row in rows]


def run(folder: Path, setting: Setting, jobs: int) -> list[Row]:
    """All files of the folder."""
    return list(in_processes(partial(measured, setting), index(folder), jobs))
