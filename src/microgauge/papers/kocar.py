"""Kocar (2018): every worked example of the paper, beside what the package makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isclose
from typing import Any

import numpy as np
import polars as pl

from microgauge.arrays import Floats
from microgauge.commands.assess import assess
from microgauge.masking import mask
from microgauge.measures.gdu.association import CellFacts, Units, chi_squared
from microgauge.measures.gdu.direction import turns
from microgauge.measures.gdu.distributions import perturbation_utility
from microgauge.measures.gdu.recoding import well_placed
from microgauge.measures.gdu.steps import similarity
from microgauge.papers import Progress
from microgauge.papers.claims import Said
from microgauge.records import dataclass
from microgauge.results import GDU, FigureRow, FigureTable, PairScore, Reproduction
from microgauge.results.wording import rounded_per_cent
from microgauge.values.levels import Keys
from microgauge.values.segments import Segments

PAPER = (
    "Kocar, S. (2018). A universal global measure of univariate and bivariate data utility for "
    "anonymised microdata. CSRM & SRC Methods Paper 4/2018, Australian National University."
)
DIFFERENCES = (
    "The paper gives examples in words and figures, no records. Where an example needs records, "
    "small tables that fit its words are made here and go through assess; where it gives a "
    "p-value or a coefficient alone, the measure is computed from that.",
    "The formula for merged categories is printed with n - m, and m is called the reduced number "
    "of values. It is read as the number of values left: only so does it fit the formula for "
    "removed variables, too.",
    "A unit is badly placed if a unit of another group is nearer than the farthest of its own "
    "group, as in the paper's example of 39, 40 and 33. Its sentence before says: than any unit "
    "of its own group.",
    "The formula of heterogeneity has lost its bars of absolute value in print.",
    "Epsilon squared is printed as H (n² + 1)/(n² - 1), which exceeds 1 for every H above 1. It "
    "is read as H (n + 1)/(n² - 1).",
    "Directions are compared per unit, so that a longer file is no stronger one. For files of the "
    "same size, as here, that is the paper's rule.",
)

Column = tuple[float | str | None, ...]


@dataclass(frozen=True)
class Example:
    """An example: how its figures are made, and what the paper says of them."""

    made: Callable[[int], FigureTable]
    said: tuple[Said[FigureTable], ...]


def reproduce(study: str, seed: int, progress: Progress) -> Reproduction:
    """All examples in the paper's order."""
    tables, claims = [], []
    for place, example in enumerate(EXAMPLES):
        progress("worked examples", place / len(EXAMPLES))
        tables.append(example.made(seed))
        claims += [said.judged(tables[-1]) for said in example.said]
    return Reproduction(
        study=study,
        title="worked examples of recoding, perturbation and global data utility",
        paper=PAPER,
        seed=seed,
        data="The figures that the paper's examples name, and small tables made by its words.",
        differences=DIFFERENCES,
        tables=tuple(tables),
        claims=tuple(claims),
        notes=(
            "What the paper says of effect sizes in general (section 3.4.3: little difference "
            "between Pearson and Spearman, smaller after recoding) it says without figures or "
            "data, so that there is nothing to make again.",
        ),
    )


# -- looking into tables ---------------------------------------------------------------------------


def _row(table: FigureTable, name: str) -> FigureRow:
    return next(row for row in table.rows if row.name == name)


def _figures(
    name: str, own: Column, published: Column = (), reason: str | None = None
) -> FigureRow:
    """A row; where the paper says nothing, nothing is published."""
    known = published or (None,) * len(own)
    return FigureRow(name=name, published=known, own=own, reason=reason)


def _own(table: FigureTable, name: str, column: int = 0) -> float:
    value = _row(table, name).own[column]
    return float("nan") if value is None else float(value)


def _rounds_to(value: float, printed: float, digits: int) -> bool:
    """Whether a figure is the printed one, rounded as in print."""
    return abs(value - printed) <= 0.5 * 10.0**-digits + 1e-12


def _as_printed(name: str, digits: int, column: int = 0) -> Callable[[FigureTable], Any]:
    """Whether our figure of a row is the paper's."""

    def tried(table: FigureTable) -> tuple[bool, str]:
        printed = _row(table, name).published[column]
        own = _own(table, name, column)
        assert isinstance(printed, float)
        shown = f"printed {printed:.{digits}f}, ours {own:.{digits + 2}f}"
        return _rounds_to(own, printed, digits), shown

    return tried


def _all_the_same(table: FigureTable) -> tuple[bool, str]:
    """Whether every cell that the paper fills is the same here."""
    cells = [
        (printed, own)
        for row in table.rows
        for printed, own in zip(row.published, row.own, strict=True)
        if printed is not None
    ]
    same = sum(_same(printed, own) for printed, own in cells)
    return same == len(cells), f"{same} of {len(cells)} are the same"


def _same(printed: float | str, own: float | str | None) -> bool:
    if isinstance(printed, str) or isinstance(own, str) or own is None:
        return printed == own
    return _rounds_to(own, printed, 9)


def _gdu(original: pl.DataFrame, protected: pl.DataFrame, schema: dict[str, Any]) -> GDU:
    found = assess(original, protected, schema=schema, only=["gdu"]).gdu
    assert found is not None
    return found


# -- 3.2: perturbation -----------------------------------------------------------------------------

P_VALUES: dict[float, Column] = {
    0.05: (0.50, 0.50),
    0.01: (0.13, None),
    0.4: (None, "< 0.01"),
    1.0: (None, "< 0.01"),
}


def _perturbation(seed: int) -> FigureTable:
    rows = []
    for p, published in P_VALUES.items():
        utility = perturbation_utility(p)
        rows.append(_figures(f"p = {p:g}", (utility, 1.0 - utility), published))
    return FigureTable(
        title="Section 3.2: utility after perturbation, 1 - exp(-14 p)",
        columns=("utility", "loss"),
        rows=tuple(rows),
        note="The text writes x for p where it says that the density between 0.4 and 1 is below "
        "0.01: with x = 14 p it would be so from x = 4.6 on.",
    )


def _even_at_five(table: FigureTable) -> tuple[bool, str]:
    utility, loss = (_own(table, "p = 0.05", i) for i in range(2))
    holds = _rounds_to(utility, 0.50, 2) and _rounds_to(loss, 0.50, 2)
    return holds, f"utility {utility:.4f}, loss {loss:.4f}"


def _negligible(table: FigureTable) -> tuple[bool, str]:
    losses = [_own(table, name, 1) for name in ("p = 0.4", "p = 1")]
    return max(losses) < 0.01, f"loss {losses[0]:.4f} at 0.4, {losses[1]:.7f} at 1"


# -- 3.3: recoding ---------------------------------------------------------------------------------

TEN_TO_FIVE = "10 age groups to 5"
MERGED_MORE = "10 to 5, 20 of 200 suppressed"


def _age_groups() -> tuple[pl.DataFrame, dict[str, str]]:
    """Ten groups of ten years, twenty persons each, and the group of twenty years of each."""
    groups = [f"{low}-{low + 9}" for low in range(0, 100, 10)]
    wider = {g: f"{20 * (i // 2)}-{20 * (i // 2) + 19}" for i, g in enumerate(groups)}
    return pl.DataFrame({"age": [g for g in groups for _ in range(20)]}), wider


def _comparisons(table: pl.DataFrame) -> str:
    """How many pairs of groups can be compared."""
    groups = table["age"].drop_nulls().n_unique()
    return str(groups * (groups - 1) // 2)


def _merge() -> dict[str, Any]:
    return {"method": "recode", "variable": "age", "map": _age_groups()[1]}


def _merging(seed: int) -> FigureTable:
    original, _ = _age_groups()
    protected = mask(original, {"step": [_merge()]})
    left = _gdu(original, protected, _nominal("age")).variables[0].recoding_utility
    assert left is not None
    own = (_comparisons(original), _comparisons(protected), left, 1.0 - left)
    return FigureTable(
        title="Section 3.3: merged categories, q (q - 1) / (n (n - 1))",
        columns=("comparisons", "after", "left", "lost"),
        rows=(_figures(TEN_TO_FIVE, own, ("45", "10", None, 0.78)),),
        note="Printed as (n - m)(n - m - 1) / (n (n - 1)): of ten values to five, n - m and the "
        "number left are both five. Of ten to three the printed formula would say 0.467, ours "
        "0.067.",
    )


def _merging_more(seed: int) -> FigureTable:
    """The age groups merged, and the ages of the youngest suppressed besides."""
    original, _ = _age_groups()
    gone = {"method": "suppress", "variable": "age", "records": list(range(1, 21))}
    protected = mask(original, {"step": [_merge(), gone]})
    score = _gdu(original, protected, _nominal("age")).variables[0]
    own = (score.recoding_utility, score.perturbation_utility, score.utility)
    return FigureTable(
        title="Section 3.3: recoded and suppressed besides",
        columns=("recoding", "perturbation", "utility"),
        rows=(_figures(MERGED_MORE, own),),
    )


def _nominal(*names: str, **options: Any) -> dict[str, Any]:
    said = {name: {"type": "nominal"} for name in names}
    return {"options": {"aligned": True} | options, "variable": said}


def _comparisons_fall(table: FigureTable) -> tuple[bool, str]:
    row = _row(table, TEN_TO_FIVE)
    lost = _own(table, TEN_TO_FIVE, 3)
    holds = row.own[:2] == row.published[:2] and 0.77 < lost < 0.78
    return holds, f"{row.own[0]} to {row.own[1]} comparisons, a fall of {rounded_per_cent(lost, 2)}"


def _utility_falls_alike(table: FigureTable) -> tuple[bool, str]:
    row = _row(table, TEN_TO_FIVE)
    share = float(row.own[1] or 0) / float(row.own[0] or 1)
    left = _own(table, TEN_TO_FIVE, 2)
    return isclose(share, left, rel_tol=1e-12), f"utility left {left:.4f}, pairs left {share:.4f}"


def _is_product(table: FigureTable) -> tuple[bool, str]:
    parts = [_own(table, MERGED_MORE, i) for i in range(3)]
    holds = isclose(parts[0] * parts[1], parts[2], rel_tol=1e-12)
    return holds, f"{parts[0]:.4f} x {parts[1]:.4f} = {parts[2]:.4f}"


PLACED = "33, 39 and 40 by decade"
YEARS = np.arange(20.0, 60.0)
GROUPS = (8, 4, 2)


def _allocation(seed: int) -> FigureTable:
    ages = np.array([33.0, 39.0, 40.0])
    group = (ages // 10).astype(np.intp)
    # A count of one person alone says whether that one is badly placed.
    badly = [
        f"{age:g}"
        for age, one in zip(ages, np.eye(3), strict=True)
        if well_placed(ages, one, group) == 0
    ]
    left = _banded(ages, 30, 10, "allocation")
    rows = [_figures(PLACED, (", ".join(badly), 1.0 - left, left), ("39", None, None))]
    for groups in GROUPS:
        left = _banded(YEARS, 20, 40 // groups, "allocation")
        rows.append(_figures(_grouped(groups), (None, 1.0 - left, left)))
    return FigureTable(
        title="Section 3.3: numbers in groups, allocation",
        columns=("badly placed", "share of units", "utility"),
        rows=tuple(rows),
    )


def _grouped(groups: int) -> str:
    return f"20, 21 … 59 in {groups} group{'s' if groups > 1 else ''}"


def _banded(ages: Floats, start: int, width: int, measure: str) -> float:
    """What bands of so many years leave of ages, by assess."""
    original = pl.DataFrame({"age": ages.astype(np.int64)})
    breaks = list(range(start, int(ages.max()) + width + 1, width))
    step = {"method": "recode", "variable": "age", "breaks": breaks}
    said = {"age": {"type": "continuous", "recode_measure": measure}}
    gdu = _gdu(original, mask(original, {"step": [step]}), {"variable": said})
    found = gdu.variables[0].recoding_utility
    assert found is not None
    return found


def _thirty_nine(table: FigureTable) -> tuple[bool, str]:
    row = _row(table, PLACED)
    return row.own[0] == row.published[0], f"badly placed: {row.own[0] or 'none'}"


def _fewer_groups_worse(table: FigureTable) -> tuple[bool, str]:
    shares = [_own(table, _grouped(groups), 1) for groups in GROUPS]
    shown = ", ".join(f"{s:.2f} in {g} groups" for s, g in zip(shares, GROUPS, strict=True))
    return shares == sorted(shares), f"badly placed: {shown}"


def _heterogeneity(seed: int) -> FigureTable:
    rows = [
        _figures(_grouped(groups), (_banded(YEARS, 20, 40 // groups, "heterogeneity"),))
        for groups in (*GROUPS, 1)
    ]
    return FigureTable(
        title="Section 3.3: numbers in groups, heterogeneity",
        columns=("utility",),
        rows=tuple(rows),
    )


def _fewer_groups_mixed(table: FigureTable) -> tuple[bool, str]:
    values = [float(row.own[0] or 0.0) for row in table.rows]
    shown = ", ".join(f"{value:.4f}" for value in values)
    return values == sorted(values, reverse=True), f"utility in 8, 4, 2 and 1 groups: {shown}"


def _one_group_is_most(table: FigureTable) -> tuple[bool, str]:
    last = float(table.rows[-1].own[0] or 0.0)
    return abs(last) < 1e-12, f"utility in one group: {last + 0.0:.4f}"


# -- 3.4: pairs ------------------------------------------------------------------------------------

Counts = Sequence[Sequence[int]]

STRONG: Counts = ((40, 10), (10, 40))
WEAK: Counts = ((31, 19), (20, 30))
"""p = 0.028: between the two thresholds."""
NONE: Counts = ((25, 25), (25, 25))
OPPOSITE: Counts = ((10, 40), (40, 10))
THRESHOLDS = (0.05, 0.01)
OUTCOMES: dict[str, tuple[Counts, Counts, tuple[float, float]]] = {
    "neither significant": (NONE, NONE, (1.0, 1.0)),
    "the original only": (STRONG, NONE, (0.0, 0.0)),
    "the protected only": (NONE, STRONG, (0.0, 0.0)),
    "the original only, p = 0.03": (WEAK, NONE, (0.0, 1.0)),
    "both, opposite directions": (STRONG, OPPOSITE, (0.0, 0.0)),
    "both, nothing changed": (STRONG, STRONG, (1.0, 1.0)),
}
"""Original and protected counts, and the utility that steps 1 and 2 say at each threshold."""


def _persons(counts: Counts) -> pl.DataFrame:
    """A person for every count of a table of two variables."""
    cells = [(a, b, n) for a, row in enumerate(counts) for b, n in enumerate(row)]
    return pl.DataFrame(
        {
            "a": [f"a{a}" for a, _, n in cells for _ in range(n)],
            "b": [f"b{b}" for _, b, n in cells for _ in range(n)],
        }
    )


def _pair(original: Counts, protected: Counts, threshold: float) -> PairScore:
    schema = _nominal("a", "b", aligned=False, threshold=threshold)
    return _gdu(_persons(original), _persons(protected), schema).pairs[0]


def _outcomes(seed: int) -> FigureTable:
    rows = []
    for name, (original, protected, published) in OUTCOMES.items():
        found = [_pair(original, protected, threshold) for threshold in THRESHOLDS]
        said = tuple(f"{pair.outcome}" for pair in found)
        own = (*(pair.utility for pair in found), *said)
        rows.append(_figures(name, own, (*published, None, None)))
    return FigureTable(
        title="Section 3.4: utility of a pair by significance and direction",
        columns=("Pt = 0.05", "Pt = 0.01", "at 0.05", "at 0.01"),
        rows=tuple(rows),
        digits=1,
    )


TESTS = {
    "chi-squared": "chi-squared",
    "kruskal-wallis": "Kruskal–Wallis",
    "anova": "ANOVA F",
    "spearman": "Spearman",
    "pearson": "Pearson",
}
SCALES = ("nominal", "ordinal", "not normal", "normal")
KIND_OF = {
    "nominal": {"type": "nominal"},
    "ordinal": {"type": "ordinal"},
    "not normal": {"type": "continuous", "normal": False},
    "normal": {"type": "continuous", "normal": True},
}
TABLE_1: dict[str, Column] = {
    "nominal": ("chi-squared", None, None, None),
    "ordinal": ("Kruskal–Wallis", "Spearman", None, None),
    "not normal": ("Kruskal–Wallis", "Spearman", "Spearman", None),
    "normal": ("ANOVA F", "Spearman", "Spearman", "Pearson"),
}


def _survey(seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Two variables of each scale, all tied to one hidden number, and their schema."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=200)
    columns: dict[str, Any] = {}
    for i in (1, 2):
        tied: dict[str, Any] = {
            scale: 0.7 * hidden + 0.7 * rng.normal(size=200) for scale in SCALES
        }
        tied["nominal"] = np.array(["x", "y", "z"])[np.searchsorted([-0.5, 0.5], tied["nominal"])]
        tied["ordinal"] = 1 + np.searchsorted([-1.0, -0.3, 0.3, 1.0], tied["ordinal"])
        tied["not normal"] = np.exp(tied["not normal"])
        columns |= {f"{scale} {i}": values for scale, values in tied.items()}
    said = {name: KIND_OF[name[:-2]] for name in columns}
    return pl.DataFrame(columns), {"options": {"aligned": True}, "variable": said}


def _between(gdu: GDU, a: str, b: str) -> PairScore:
    return next(pair for pair in gdu.pairs if {pair.a, pair.b} == {a, b})


def _tests(seed: int) -> FigureTable:
    table, schema = _survey(seed)
    gdu = _gdu(table, table, schema)
    rows = [
        FigureRow(
            name=a,
            published=TABLE_1[a],
            own=tuple(
                TESTS[_between(gdu, f"{a} 1", f"{b} 2").test or ""] if j <= i else None
                for j, b in enumerate(SCALES)
            ),
        )
        for i, a in enumerate(SCALES)
    ]
    return FigureTable(
        title="Table 1: the test of a pair by type", columns=SCALES, rows=tuple(rows)
    )


PAIRS = {
    "chi-squared": ("nominal", "nominal"),
    "kruskal-wallis": ("nominal", "not normal"),
    "anova": ("nominal", "normal"),
    "spearman": ("ordinal", "not normal"),
    "pearson": ("normal", "normal"),
}


def _turned(table: pl.DataFrame) -> pl.DataFrame:
    """The second variable of each scale the other way round: high where it was low."""
    numbers = [-pl.col(f"{scale} 2") for scale in ("not normal", "normal")]
    swapped = pl.col("nominal 2").replace({"x": "z", "z": "x"})
    return table.with_columns(*numbers, swapped)


def _directions(seed: int) -> FigureTable:
    table, schema = _survey(seed)
    same, other = (_gdu(table, p, schema) for p in (table, _turned(table)))
    rows = []
    for test, (a, b) in PAIRS.items():
        found = [_between(gdu, f"{a} 1", f"{b} 2") for gdu in (same, other)]
        assert found[0].test == test
        own = tuple(pair.utility for pair in found)
        rows.append(_figures(TESTS[test], own, (1.0, 0.0)))
    return FigureTable(
        title="Section 3.4: utility of a pair by direction, test by test",
        columns=("same", "opposite"),
        rows=tuple(rows),
        digits=1,
    )


SIGNS = {
    "no association left": (NONE, "0"),
    "nearer to the original": (WEAK, "negative"),
    "signs changed": (OPPOSITE, "positive"),
}
NOT_POSITIVE = "not positive"


def _facts(counts: Counts) -> CellFacts:
    weight = np.array(counts, dtype=np.float64).ravel()
    keys: Keys = ("0", "1")
    places = np.arange(2)
    total = float(weight.sum())
    return CellFacts(
        Units.of(np.array([int(total)]), np.array([total]), np.array([total])),
        Segments(np.array([len(weight)])),
        np.repeat(places, 2),
        np.tile(places, 2),
        weight,
        [keys],
        [keys],
    )


def _signs(seed: int) -> FigureTable:
    before = chi_squared(_facts(STRONG))
    rows = []
    for name, (protected, published) in SIGNS.items():
        first = np.zeros(1, dtype=np.intp)
        opposite = turns(before, first, chi_squared(_facts(protected)), first).opposite[0]
        own = "positive" if opposite else NOT_POSITIVE
        rows.append(_figures(name, (own,), (published,)))
    return FigureTable(
        title="Section 3.4.1: the sum that shows a change of direction",
        columns=("sign",),
        rows=tuple(rows),
        note="Only a positive sum is a change of direction; which of the others it is, the "
        "package does not tell apart.",
    )


def _signs_agree(table: FigureTable) -> tuple[bool, str]:
    pairs = [(row.published[0] == "positive", row.own[0] == "positive") for row in table.rows]
    said = "; ".join(f"{row.name}: {row.own[0]}" for row in table.rows)
    return all(a == b for a, b in pairs), said


V_LOW: Counts = ((60, 40), (40, 60))
V_HIGH: Counts = ((75, 25), (25, 75))
SQUARED, PLAIN = "0.2 and 0.5, squared", "0.2 and 0.5, not squared"


def _strength(seed: int) -> FigureTable:
    rows = []
    for name, utility, published in (
        (SQUARED, similarity(0.2**2, 0.5**2), "at most 1"),
        (PLAIN, similarity(0.2, 0.5), "at most 1"),
    ):
        own = (1.0 - utility, utility)
        rows.append(_figures(name, own, (published, None)))
    for name, tables in (
        ("tables, V 0.5 to 0.2", (V_HIGH, V_LOW)),
        ("tables, V 0.2 to 0.5", (V_LOW, V_HIGH)),
    ):
        pair = _pair(*tables, 0.05)
        assert pair.utility is not None
        reason = None
        if pair.outcome == "reversed":
            reason = (
                "Not step 3: residuals that more than double change the sum of step 2 as a "
                "change of direction does, and the utility is 0."
            )
        own = (1.0 - pair.utility, pair.utility)
        rows.append(_figures(name, own, reason=reason))
    return FigureTable(
        title="Section 3.4.1: strength, with the larger coefficient below the line",
        columns=("loss", "utility"),
        rows=tuple(rows),
    )


def _at_most_one(table: FigureTable) -> tuple[bool, str]:
    losses = [_own(table, name) for name in (SQUARED, PLAIN)]
    over = abs(0.5 - 0.2) / 0.2
    return max(losses) <= 1.0 < over, (
        f"loss {losses[0]:.2f} squared, {losses[1]:.2f} not; over the original's it is {over:.1f}"
    )


def _squares_are_quicker(table: FigureTable) -> tuple[bool, str]:
    squared, plain = (_own(table, name) for name in (SQUARED, PLAIN))
    return squared > plain, f"loss {squared:.2f} squared, {plain:.2f} not"


# -- 3.1 and 3.5: the whole ------------------------------------------------------------------------


def _halves(seed: int) -> FigureTable:
    table, schema = _survey(seed)
    names = ["nominal 1", "ordinal 1"]
    recipe = {"seed": seed, "step": [{"method": "swap", "variables": names, "share": 0.5}]}
    gdu = _gdu(table, mask(table, recipe), schema)
    uni = [v.utility for v in gdu.variables]
    pairs = [[p.utility or 0.0 for p in gdu.pairs if v.name in (p.a, p.b)] for v in gdu.variables]
    k = len(gdu.variables)
    by_hand = sum(u or 0.0 for u in uni) / k / 2 + sum(sum(p) / len(p) for p in pairs) / k / 2
    fewest = min(len(p) for p in pairs)
    own = (str(k), str(fewest), by_hand, gdu.univariate, gdu.bivariate, gdu.value)
    return FigureTable(
        title="Section 3.1: global data utility of a table of eight variables, two swapped",
        columns=("k", "l", "by the formula", "ALDUuni", "ALDUbiv", "GDU"),
        rows=(_figures("1/2 each", own),),
        digits=4,
    )


def _half_and_half(table: FigureTable) -> tuple[bool, str]:
    by_hand, uni, biv, value = (_own(table, "1/2 each", i) for i in range(2, 6))
    holds = isclose(by_hand, value, rel_tol=1e-9) and isclose((uni + biv) / 2, value, rel_tol=1e-9)
    return holds, f"the formula gives {by_hand:.4f}, ({uni:.4f} + {biv:.4f})/2, GDU {value:.4f}"


def _pairs_of_each(table: FigureTable) -> tuple[bool, str]:
    k, others = (int(_own(table, "1/2 each", i)) for i in range(2))
    return others == k - 1, f"{k} variables, {others} pairs of each"


REMOVED = "5 of 100 removed"
LINEAR = tuple(range(5))


def _removed(seed: int) -> FigureTable:
    rng = np.random.default_rng(seed)
    many = pl.DataFrame({f"v{i}": rng.integers(0, 2, 40) for i in range(100)})
    rows = [_figures(REMOVED, _reduced(_without(many, 5)), (0.902, None, None))]
    for gone in LINEAR:
        reduced = _reduced(_without(many[:, :10], gone))
        rows.append(_figures(f"{gone} of 10 removed", reduced))
    return FigureTable(
        title="Section 3.5: removed variables",
        columns=("GRC", "GDU", "GDU x GRC"),
        rows=tuple(rows),
    )


def _without(table: pl.DataFrame, gone: int) -> GDU:
    """A table against itself, with the first variables removed."""
    return _gdu(table, table[:, gone:], _nominal(*table.columns))


def _reduced(gdu: GDU) -> tuple[float | None, float | None, float | None]:
    return gdu.grc, gdu.value, gdu.value_with_grc


def _falls_linearly(table: FigureTable) -> tuple[bool, str]:
    values = [_own(table, f"{gone} of 10 removed", 1) for gone in LINEAR]
    steps = -np.diff(values)
    shown = ", ".join(f"{value:.3f}" for value in values)
    holds = bool(steps.min() > 0 and np.ptp(steps) < 1e-9)
    return holds, f"GDU with 0 to 4 of 10 removed: {shown}"


def _penalised(table: FigureTable) -> tuple[bool, str]:
    plain, with_grc = (_own(table, REMOVED, i) for i in (1, 2))
    coefficient = _own(table, REMOVED)
    holds = with_grc < plain and isclose(plain * coefficient, with_grc, rel_tol=1e-12)
    return holds, f"GDU {plain:.4f}, with GRC {with_grc:.4f}"


# -- all -------------------------------------------------------------------------------------------

EXAMPLES = (
    Example(
        _halves,
        (
            Said("GDU is half the mean of variables and half that of pairs", _half_and_half),
            Said("Each variable has l = k - 1 pairs", _pairs_of_each),
        ),
    ),
    Example(
        _perturbation,
        (
            Said("At p = 0.05 utility equals loss: 0.50", _even_at_five),
            Said("At p = 0.01 utility is 0.13", _as_printed("p = 0.01", 2)),
            Said("From p = 0.4 on the loss is below 0.01, and negligible", _negligible),
        ),
    ),
    Example(
        _merging,
        (
            Said(
                "Ten age groups to five: from 45 comparisons to 10, almost 78 % fewer",
                _comparisons_fall,
            ),
            Said("Utility decreases as the number of comparisons does", _utility_falls_alike),
        ),
    ),
    Example(
        _merging_more,
        (Said("Recoded and then suppressed: the utility is the product of the two", _is_product),),
    ),
    Example(
        _allocation,
        (
            Said("39 among 30-39 is nearer to 40 than to 33, and badly placed", _thirty_nine),
            Said(
                "Generally, the fewer groups, the more biased allocations",
                _fewer_groups_worse,
                "Of evenly spread values, those in the middle of a group are well placed, and "
                "wide groups have more middle. It is so only in the limit: in one group nobody is "
                "well placed.",
            ),
        ),
    ),
    Example(
        _heterogeneity,
        (
            Said("The fewer groups, the more heterogeneous they are", _fewer_groups_mixed),
            Said(
                "The most there can be is that of one group: its utility is 0", _one_group_is_most
            ),
        ),
    ),
    Example(_tests, (Said("Each pair of types has its test (table 1)", _all_the_same),)),
    Example(
        _outcomes,
        (Said("Steps 1 and 2 give 1, 0 or step 3, by the threshold Pt", _all_the_same),),
    ),
    Example(
        _directions,
        (Said("Opposite directions score 0 in every test, unchanged ones 1", _all_the_same),),
    ),
    Example(
        _signs,
        (Said("The sum is positive where most signs change, and not else", _signs_agree),),
    ),
    Example(
        _strength,
        (
            Said(
                "With the larger coefficient below the line the loss of 0.2 against 0.5 is at "
                "most 1",
                _at_most_one,
            ),
            Said("Of squared coefficients the loss grows more quickly", _squares_are_quicker),
        ),
    ),
    Example(
        _removed,
        (
            Said("5 of 100 variables removed: GRC = 0.902", _as_printed(REMOVED, 3)),
            Said("Utility decreases linearly with the variables removed", _falls_linearly),
            Said("GDU times GRC penalises removal in addition", _penalised),
        ),
    ),
)
