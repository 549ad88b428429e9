"""Woo, Reiter, Oganian and Karr (2009), section 3.3: ten swap settings on a universe file.

Two nominal variables are swapped at several rates, in a file whose other variables are masked
always alike. Which measures follow the rates?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl

from microgauge.arrays import Floats
from microgauge.masking import mask
from microgauge.papers import FOLDER, Progress
from microgauge.papers.claims import Said
from microgauge.papers.woo import (
    PAPER,
    Base,
    Compared,
    Figures,
    Trial,
    basis_design,
    beside,
    clustered,
    distribution,
    hardly_discriminates,
    number,
    opposite,
    polynomial_design,
    propensity,
    smooth_design,
)
from microgauge.records import dataclass
from microgauge.results import Claim, FigureRow, FigureTable, Reproduction

STATES = 9
DRAWS = 40
"""How often swaps and noise are drawn for U_p, U_m and U_s."""
MODEL_DRAWS = 20
"""Those of them that other models see too."""
RAW_DRAWS = 5
"""Draws for what would come out without logarithms."""
SHARES = (0.025, 0.05)
"""Groups of clusters for each record, as in the paper."""
AREAS = {0: "metropolitan", 1: "micropolitan"}
NUMBERS = ("STAFF", "USERS", "BRANCHES")
TYPES = {"STATE": "nominal", "LOCALE": "nominal", **dict.fromkeys(NUMBERS, "continuous")}

SETTINGS = (
    (0, 0),
    (0, 10),
    (10, 0),
    (10, 10),
    (10, 20),
    (20, 10),
    (20, 20),
    (20, 30),
    (30, 20),
    (30, 30),
)
"""Per cent of states and of locales that are swapped, in the order of table 4."""
PAIRS = tuple(combinations(range(len(SETTINGS)), 2))

U_P, U_C, U_M, U_S = "U_p", ("U_c 2.5 %", "U_c 5 %"), "U_m", "U_s"
MEASURES = (U_P, *U_C, U_M, U_S)
SPLINE, POLYNOMIAL = "U_p, splines", "U_p, 2nd order"
OTHER_MODELS = {SPLINE: basis_design, POLYNOMIAL: polynomial_design(2)}
QUICK = (U_P, U_M, U_S)

PUBLISHED: Figures = {
    U_P: (0.95, 40.24, 58.22, 105.02, 170.32, 184.63, 241.83, 323.59, 326.45, 395.29),
    U_C[0]: (0.80, 17.25, 23.52, 31.59, 36.87, 38.87, 41.38, 41.38, 43.21, 43.32),
    U_C[1]: (2.69, 31.26, 41.48, 58.25, 70.08, 72.82, 82.80, 86.94, 89.07, 88.37),
    U_M: (
        0.14349,
        0.14379,
        0.14373,
        0.14398,
        0.14459,
        0.14404,
        0.14434,
        0.14440,
        0.14471,
        0.14465,
    ),
    U_S: (
        0.02059,
        0.02067,
        0.02066,
        0.02073,
        0.02090,
        0.02074,
        0.02083,
        0.02085,
        0.02094,
        0.02092,
    ),
}


# -- data and maskings -----------------------------------------------------------------------------


def systems() -> pl.DataFrame:
    """Library systems without a missing cell, of the nine states that have most of them."""
    known = pl.read_parquet(FOLDER / "libraries.parquet").select(
        pl.col("STABR").alias("STATE"),
        pl.col("MICROF").replace_strict(AREAS, default="neither").alias("LOCALE"),
        pl.col("TOTSTAFF").alias("STAFF"),
        pl.col("REGBOR").alias("USERS"),
        pl.col("BRANLIB").alias("BRANCHES"),
    )
    known = known.drop_nulls()
    counts = known.group_by("STATE").len().sort(["len", "STATE"], descending=[True, False])
    return known.filter(pl.col("STATE").is_in(counts["STATE"].head(STATES).to_list()))


def logged(raw: pl.DataFrame) -> pl.DataFrame:
    """Staff and users as logarithms of one more."""
    return raw.with_columns(pl.col("STAFF", "USERS").log1p())


def noise_deviation(original: pl.DataFrame) -> float:
    """Of noise with a tenth of the variance of staff."""
    return float(np.sqrt(0.1) * original["STAFF"].to_numpy().std())


def recipe(original: pl.DataFrame, setting: tuple[int, int], seed: int) -> dict[str, Any]:
    """The maskings that are always done, then the swaps: all settings share the former."""
    state, locale = setting
    return {
        "seed": seed,
        "step": [
            {
                "method": "noise",
                "variable": "STAFF",
                "deviation": noise_deviation(original),
                "positive": True,
            },
            {"method": "microaggregation", "variable": "USERS", "g": 20},
            {"method": "round", "variable": "BRANCHES", "unit": 5},
            {"method": "swap", "variable": "STATE", "share": state / 100},
            {"method": "swap", "variable": "LOCALE", "share": locale / 100},
        ],
    }


def draw_seed(seed: int, draw: int) -> int:
    """A seed for each draw of a run."""
    return 1000 * seed + draw


# -- measures --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bench:
    """One original and all settings of it."""

    original: pl.DataFrame
    base: Base

    @staticmethod
    def of(original: pl.DataFrame) -> Bench:
        """Read once."""
        return Bench(original, Base.of(original, TYPES))

    def whole(self, setting: tuple[int, int], seed: int) -> Compared:
        """Both files' rows, for one setting and one draw."""
        return self.base.against(mask(self.original, recipe(self.original, setting, seed)), seed)

    def drawn(self, seed: int, measured: Callable[[Compared], Sequence[float]]) -> Floats:
        """Settings × figures of one draw."""
        return np.array([measured(self.whole(setting, seed)) for setting in SETTINGS])


def quick_figures(whole: Compared) -> list[float]:
    """N · U_p, U_m and U_s."""
    return [propensity(whole.joint, smooth_design), *distribution(whole)]


def model_figures(whole: Compared) -> list[float]:
    """The same, and N · U_p by the other models."""
    return [*quick_figures(whole), *(propensity(whole.joint, d) for d in OTHER_MODELS.values())]


def means(draws: Sequence[Floats]) -> Figures:
    """Means over the draws that have the figure."""
    quick = np.mean([draw[:, : len(QUICK)] for draw in draws], axis=0)
    models = np.mean([draw[:, len(QUICK) :] for draw in draws[:MODEL_DRAWS]], axis=0)
    both = np.hstack([quick, models])
    return {
        row: tuple(both[:, place].tolist()) for place, row in enumerate((*QUICK, *OTHER_MODELS))
    }


def groups_of(records: int) -> tuple[int, ...]:
    """2.5 % and 5 % of the records."""
    return tuple(round(share * records) for share in SHARES)


# -- order -----------------------------------------------------------------------------------------


def ordered_pairs(values: Sequence[float]) -> int:
    """How many of the 45 pairs of settings come in the order of table 4."""
    return sum(values[before] < values[after] for before, after in PAIRS)


def rank_agreement(values: Sequence[float]) -> float:
    """Kendall's tau with the order of table 4: 1 where all pairs agree."""
    against = sum(values[before] > values[after] for before, after in PAIRS)
    return (ordered_pairs(values) - against) / len(PAIRS)


def _label(place: int) -> str:
    return "/".join(str(rate) for rate in SETTINGS[place])


def _shown_order(values: Sequence[float]) -> str:
    shown = f"{ordered_pairs(values)} of {len(PAIRS)} pairs in order"
    wrong = [pair for pair in PAIRS if values[pair[0]] >= values[pair[1]]]
    if not wrong:
        steps = list(pairwise(range(len(values))))
        before, after = min(steps, key=lambda step: values[step[1]] - values[step[0]])
        return (
            f"{shown}; the narrowest {_label(before)} ({number(values[before])}) before "
            f"{_label(after)} ({number(values[after])})"
        )
    said = [
        f"{_label(a)} ({number(values[a])}) before {_label(b)} ({number(values[b])})"
        for a, b in wrong[:MOST_SHOWN]
    ]
    more = len(wrong) - len(said)
    return f"{shown}; not {', '.join(said)}{f' and {more} more' if more else ''}"


TWINS = tuple(((place, _label(place)), (place + 1, _label(place + 1))) for place in (1, 4, 7))
"""Settings that differ only in which variable is swapped more."""
MOST_SHOWN = 3
"""Pairs in the wrong order that are named."""


# -- claims ----------------------------------------------------------------------------------------


def _orders(row: str) -> Trial:
    def tried(figures: Figures) -> tuple[bool, str]:
        values = figures[row]
        return ordered_pairs(values) == len(PAIRS), _shown_order(values)

    return tried


def _polynomial_orders(figures: Figures) -> tuple[bool, str]:
    found = {row: _orders(row)(figures) for row in (POLYNOMIAL, SPLINE)}
    shown = "; ".join(f"{row}: {what}" for row, (_, what) in found.items())
    return all(holds for holds, _ in found.values()), shown


def _late(values: Sequence[float]) -> float:
    """How much of the whole rise comes from 20/20 to 30/30."""
    at = {setting: values[place] for place, setting in enumerate(SETTINGS)}
    return (at[30, 30] - at[20, 20]) / (at[30, 30] - at[0, 0])


def _clusters_flatten(figures: Figures) -> tuple[bool, str]:
    late = {row: _late(figures[row]) for row in (U_P, *U_C)}
    shown = ", ".join(f"{row} {100 * share:.0f} %" for row, share in late.items())
    flat = all(late[row] < late[U_P] / 2 for row in U_C)
    return flat, f"of the rise from 0/0 to 30/30, after 20/20: {shown}"


SLIGHT = 0.05
"""Rise that counts as slight; 0.3 % in the paper."""


def _last_step(figures: Figures) -> tuple[bool, str]:
    before, after = (SETTINGS.index(setting) for setting in ((30, 20), (30, 30)))
    changes = [figures[row][after] / figures[row][before] - 1.0 for row in U_C]
    shown = ", ".join(f"{r} {100 * c:+.1f} %" for r, c in zip(U_C, changes, strict=True))
    return 0 <= changes[0] < SLIGHT and changes[1] < 0, f"from 30/20 to 30/30: {shown}"


def _outperforms(figures: Figures) -> tuple[bool, str]:
    found = {row: ordered_pairs(figures[row]) for row in MEASURES}
    shown = ", ".join(f"{row} {count}" for row, count in found.items())
    return found[U_P] == max(found.values()), f"pairs in order: {shown}"


PLAIN = (
    "Where the always equal maskings show little, as here, the distribution functions follow the "
    "swaps. In the paper they moved U_m to 0.143 before any swap, which hides the rest."
)
RISING = (
    "Here U_c rises with the rates about as U_p does; why that of the paper levels off, its text "
    "does not tell."
)
SENTENCES = (
    Said("U_p orders all ten swap settings as table 4 does.", _orders(U_P)),
    Said(
        "A second-order polynomial orders the settings appropriately, like the generalised "
        "additive model.",
        _polynomial_orders,
        "Settings that differ only in which variable is swapped more are closer by this model than "
        f"the means of {MODEL_DRAWS} draws can tell.",
        printed=False,
    ),
    Said("U_m does not order the settings appropriately.", opposite(_orders(U_M)), PLAIN),
    Said("U_s does not order the settings appropriately.", opposite(_orders(U_S)), PLAIN),
    Said(
        "U_m and U_s hardly discriminate among the settings.",
        hardly_discriminates((U_M, U_S), U_P),
        PLAIN,
    ),
    Said("The cluster measures lose discrimination at high swap rates.", _clusters_flatten, RISING),
    Said(
        "From 20 % to 30 % swaps U_c rises only slightly with fewer groups and drops with more.",
        _last_step,
        RISING,
    ),
    Said("U_p outperforms the others: none has more pairs in order.", _outperforms),
)


def claims_of(figures: Figures) -> tuple[Claim, ...]:
    """A verdict on every sentence."""
    return tuple(said.judged(figures, PUBLISHED) for said in SENTENCES)


# -- the study -------------------------------------------------------------------------------------

NOTES = (
    "Every U_s of the paper's table 4 is its U_m squared, up to one unit of the last printed "
    "digit. A mean square can be the square of the largest difference only if all differences are "
    "equal, so the two columns are hardly what formulas 4 and 5 give.",
)


def differences(raw: pl.DataFrame, groups: Sequence[int]) -> tuple[str, ...]:
    """What differs, with the figures that made it differ."""
    staff = raw["STAFF"].to_numpy()
    names = ", ".join(sorted(raw["STATE"].unique().to_list()))
    return (
        f"Data: {raw.height:,} public library systems of 2020 in place of 16,405 schools of "
        "2003-04, whose complete cases the paper does not give. It does not name its nine states; "
        f"ours are those with most complete cases: {names}.",
        "Locale has three categories, whether a system is in a metropolitan area, a micropolitan "
        "one or neither; in the paper eight. Staff stands for teachers, registered users for "
        "eligible students, branches, a small count that is mostly 0, for migrant students.",
        "Staff and users are in logarithms of one more. Schools are of similar size, library "
        f"systems are not: median {np.median(staff):.1f} and deviation {staff.std():.1f} of staff. "
        f"Noise with a tenth of that variance has deviation {noise_deviation(raw):.1f} and would "
        "replace the staff of most systems. What comes out without logarithms is shown below.",
        f"U_p, U_m and U_s are means over {DRAWS} draws of noise and swaps, U_p by other models "
        f"over the first {MODEL_DRAWS}; the paper has one draw. Settings that differ only in which "
        "variable is swapped more are apart by less than the chance of one draw; which of them "
        "costs more is a matter of the data, and could come out the other way with other states. "
        "U_c, which takes longest, is of the first draw.",
        "U_p: the package's own choice of a model, logistic regression with cubes of each number "
        "and products of pairs, which like the paper's has a curve for each variable and "
        "interactions. A spline basis and the paper's second-order polynomial are shown beside. "
        "The model, the logarithms and the number of draws were chosen with first figures at hand.",
        f"U_c has {groups[0]} and {groups[1]} groups, 2.5 % and 5 % of the records as in the "
        "paper, by average linkage.",
    )


def table_4(figures: Figures, rows: Sequence[str], digits: int, title: str) -> FigureTable:
    """The published figures of some measures and ours."""
    names = [f"{state} % / {locale} %" for state, locale in SETTINGS]
    return beside(title, names, rows, (PUBLISHED, figures), digits)


def order_table(figures: Figures, others: Figures) -> FigureTable:
    """How far each measure follows the order of table 4."""
    rows = [
        FigureRow(name=row, published=_agreement(PUBLISHED[row]), own=_agreement(figures[row]))
        for row in MEASURES
    ]
    rows += [
        FigureRow(name=row, published=(None, None), own=_agreement(values))
        for row, values in others.items()
    ]
    return FigureTable(
        title=f"How many of {len(PAIRS)} pairs of settings come in the order of table 4",
        columns=("pairs in order", "rank agreement"),
        rows=tuple(rows),
        digits=2,
        note="Rank agreement: Kendall's tau, 1 where all pairs are in order.",
    )


def _agreement(values: Sequence[float]) -> tuple[float | str | None, ...]:
    return f"{ordered_pairs(values)}", rank_agreement(values)


def _draws(bench: Bench, seed: int, progress: Progress) -> list[Floats]:
    found = []
    for draw in range(DRAWS):
        progress(f"draw {draw + 1} of {DRAWS}", 0.6 * draw / DRAWS)
        measured = model_figures if draw < MODEL_DRAWS else quick_figures
        found.append(bench.drawn(draw_seed(seed, draw), measured))
    return found


def twins_note(draws: Sequence[Floats]) -> str:
    """How sure it is which of two variables costs more to swap."""
    found = []
    for (a, one), (b, other) in TWINS:
        steps = np.array([values[b] - values[a] for values in draws])
        error = steps.std(ddof=1) / np.sqrt(len(steps))
        found.append(f"{one} to {other} {steps.mean():+.2f} ± {error:.2f}")
    return (
        "U_p between settings that differ only in which variable is swapped more, with standard "
        f"errors: {', '.join(found)}."
    )


def raw_figures(raw: pl.DataFrame, seed: int) -> tuple[float, ...]:
    """U_p of staff and users as they are."""
    bench = Bench.of(raw)
    found = [
        bench.drawn(draw_seed(seed, draw), lambda whole: [propensity(whole.joint, smooth_design)])
        for draw in range(RAW_DRAWS)
    ]
    return tuple(np.mean(found, axis=0)[:, 0].tolist())


def models_table(figures: Figures, others: Figures) -> FigureTable:
    """U_p by other models, of one draw, and without logarithms."""
    rows = {U_P: figures[U_P], **others}
    return FigureTable(
        title="U_p times N by three models, of one draw, and without logarithms",
        columns=("cubes, pairs", "splines", "2nd order", "first draw", "no logs"),
        rows=tuple(
            FigureRow(
                name=f"{state} % / {locale} %",
                published=(None, PUBLISHED[U_P][place], None, None, None),
                own=tuple(values[place] for values in rows.values()),
            )
            for place, (state, locale) in enumerate(SETTINGS)
        ),
        digits=2,
        note="The paper prints the figures of its generalised additive model. Without logarithms: "
        f"mean of {RAW_DRAWS} draws.",
    )


def reproduce(study: str, seed: int, progress: Progress) -> Reproduction:
    """Table 4."""
    raw = systems()
    bench = Bench.of(logged(raw))
    draws = _draws(bench, seed, progress)
    groups = groups_of(raw.height)
    progress("clustering", 0.6)
    linked = bench.drawn(draw_seed(seed, 0), lambda whole: clustered(whole, "average", groups))
    clusters = {row: tuple(linked[:, place].tolist()) for place, row in enumerate(U_C)}
    figures = {**means(draws), **clusters}
    progress("without logarithms", 0.9)
    others = {
        **{row: figures[row] for row in OTHER_MODELS},
        "U_p, first draw": tuple(draws[0][:, 0].tolist()),
        "U_p, no logarithms": raw_figures(raw, seed),
    }
    return Reproduction(
        study=study,
        title="ten swap settings on a universe file (table 4)",
        paper=PAPER,
        seed=seed,
        data=f"{raw.height:,} library systems of nine states, Public Libraries Survey 2020 (US "
        "Institute of Museum and Library Services): state, locale, staff, registered users, "
        "branches",
        differences=differences(raw, groups),
        tables=(
            table_4(figures, (U_P, *U_C), 2, "Table 4, state / locale: U_p times N, U_c times G"),
            table_4(figures, (U_M, U_S), 7, "Table 4, state / locale: U_m and U_s"),
            models_table(figures, others),
            order_table(figures, others),
        ),
        claims=claims_of(figures),
        notes=(*NOTES, twins_note([draw[:, 0] for draw in draws])),
    )
