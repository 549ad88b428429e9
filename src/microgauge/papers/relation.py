"""Kocar (2018), section 4: how do scores of variables and pairs go with those of models?

The paper leaves it open: "it would be particularly useful to establish the relationship between
local univariate and bivariate data utility scores and local multivariate utility scores for the
same range of variables". Here a panel of protected files answers it: for every file and every
regression, the scores of the regression's own variables and pairs beside what became of the
regression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from microgauge.arrays import Floats, Index
from microgauge.commands.assess import assess
from microgauge.masking import mask
from microgauge.papers import FOLDER, Progress
from microgauge.papers.claims import Said
from microgauge.papers.kocar import PAPER
from microgauge.records import dataclass
from microgauge.results import GDU, Assessment, FigureRow, FigureTable, Reproduction
from microgauge.sections.registry import choosable
from microgauge.values.ranks import centred_ranks

ROWS = 1_000
"""Rows of each file that are looked at."""
RESAMPLES = 500
"""Draws of files, with replacement, for the intervals."""
FEWEST = 3
"""Cases that a correlation needs more than."""
GOOD, POOR = 0.9, 0.5

UNIVARIATE, BIVARIATE, TABLES, WHOLE = "variables", "pairs", "tables", "GDU of the file"
PREDICTORS = (UNIVARIATE, BIVARIATE, TABLES, WHOLE)
MODEL, OVERLAP = "LDU of the model", "overlap of intervals"
OUTCOMES = (MODEL, OVERLAP)


# -- files and models ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Survey:
    """A file, the variables that are looked at, and the regressions of its users."""

    name: str
    file: str
    types: Mapping[str, str]
    formulas: tuple[str, ...]

    @property
    def numbers(self) -> list[str]:
        """Its continuous variables."""
        return [name for name, kind in self.types.items() if kind == "continuous"]

    @property
    def categories(self) -> list[str]:
        """Its nominal ones."""
        return [name for name, kind in self.types.items() if kind == "nominal"]

    def table(self, seed: int) -> pl.DataFrame:
        """Complete rows, so many of them, drawn by the seed."""
        table = pl.read_parquet(FOLDER / f"{self.file}.parquet").select(list(self.types))
        return table.drop_nulls().sample(ROWS, seed=seed, shuffle=True)

    def named(self, formula: str) -> list[str]:
        """The variables of a formula."""
        return [name for name in self.types if name in formula.replace("~", " ").split()]


SURVEYS = (
    Survey(
        "persons",
        "alaska",
        {
            "AGEP": "continuous",
            "SEX": "nominal",
            "RAC1P": "nominal",
            "SCHL": "ordinal",
            "MAR": "nominal",
            "PINCP": "continuous",
        },
        ("PINCP ~ AGEP + SEX", "PINCP ~ SCHL + SEX + MAR", "PINCP ~ AGEP + SCHL + RAC1P",
         "AGEP ~ MAR + SEX"),
    ),
    Survey(
        "households",
        "households",
        {
            "AGEP": "continuous",
            "SEX": "nominal",
            "MAR": "nominal",
            "TEN": "nominal",
            "NP": "ordinal",
            "HINCP": "continuous",
        },
        ("HINCP ~ AGEP + NP", "HINCP ~ TEN + MAR + SEX", "HINCP ~ AGEP + TEN + NP",
         "AGEP ~ TEN + MAR"),
    ),
    Survey(
        "libraries",
        "libraries",
        {
            "C_FSCS": "nominal",
            "BRANLIB": "ordinal",
            "VISITS": "continuous",
            "REGBOR": "continuous",
            "TOTSTAFF": "continuous",
            "LIBRARIA": "continuous",
        },
        ("VISITS ~ REGBOR + TOTSTAFF", "TOTSTAFF ~ VISITS + BRANLIB", "REGBOR ~ LIBRARIA + BRANLIB",
         "LIBRARIA ~ TOTSTAFF + VISITS"),
    ),
)  # fmt: skip


def recipes(survey: Survey) -> dict[str, list[dict[str, Any]]]:
    """Ways of protecting, from weak to strong: steps by the name of the file they make."""
    numbers, categories, names = survey.numbers, survey.categories, list(survey.types)
    found: dict[str, list[dict[str, Any]]] = {}
    for share in (0.05, 0.2, 0.6):
        found[f"noise {share}"] = [{"method": "noise", "variables": numbers, "share": share}]
    for share in (0.05, 0.15, 0.4):
        found[f"swap {share}"] = [{"method": "swap", "variables": categories, "share": share}]
        found[f"swap numbers {share}"] = [{"method": "swap", "variables": numbers, "share": share}]
    for window in (2, 10, 30):
        found[f"rank swap {window}"] = [
            {"method": "rank_swap", "variables": numbers, "window": window}
        ]
    for g in (5, 50):
        found[f"groups of {g}"] = [{"method": "microaggregation", "variables": numbers, "g": g}]
    for keep in (0.95, 0.7):
        found[f"PRAM {keep}"] = [
            {"method": "pram", "variables": categories, "keep": keep, "invariant": False}
        ]
    for share in (0.1, 0.4):
        found[f"suppress {share}"] = [{"method": "suppress", "variables": names, "share": share}]
    for share in (0.5, 0.1):
        found[f"sample {share}"] = [{"method": "sample", "share": share}]
    for model in ("trees", "independent"):
        found[f"synthetic, {model}"] = [
            {"method": "synthesise", "variables": names, "model": model}
        ]
    found["swap 0.15, noise 0.2"] = [*found["swap 0.15"], *found["noise 0.2"]]
    return found


# -- one case: a file and a regression -------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A regression on a protected file: scores of its variables, and what became of it."""

    survey: str
    file: str
    formula: str
    scores: Mapping[str, float]
    """Predictors and outcomes that are there, by name; 1 nothing lost."""


def cases_of(survey: Survey, seed: int, progress: Progress) -> list[Case]:
    """All protected versions of a file, all of its regressions."""
    original = survey.table(seed)
    found = []
    made = recipes(survey)
    for place, (file, steps) in enumerate(made.items()):
        progress(f"{survey.name}: {file}", place / len(made))
        protected = mask(original, {"seed": seed, "step": steps})
        result = assess(original, protected, schema=_schema(survey, seed), only=_sections())
        found += [_case(survey, file, formula, result) for formula in survey.formulas]
    return found


def _sections() -> list[str]:
    """Tables are looked at where the program has that section."""
    return [name for name in ("gdu", "tables", "regressions") if name in choosable()]


def _schema(survey: Survey, seed: int) -> dict[str, Any]:
    return {
        "options": {"aligned": False, "seed": seed},
        "gdu": {"references": False},
        "variable": {name: {"type": kind} for name, kind in survey.types.items()},
        "model": [{"kind": "linear", "formula": formula} for formula in survey.formulas],
        "regression": [{"formula": formula} for formula in survey.formulas],
    }


def _case(survey: Survey, file: str, formula: str, result: Assessment) -> Case:
    assert result.gdu is not None
    named = survey.named(formula)
    place = survey.formulas.index(formula)
    scores = {
        **_local_scores(result.gdu, named),
        TABLES: _table_score(result, named),
        WHOLE: result.gdu.value,
        MODEL: result.gdu.models[place].utility,
        OVERLAP: None if result.regressions is None else result.regressions[place].overlap,
    }
    known = {name: float(score) for name, score in scores.items() if score is not None}
    return Case(survey.name, file, formula, known)


def _local_scores(gdu: GDU, named: Sequence[str]) -> dict[str, float | None]:
    """Mean utility of the variables of a model, and of their pairs."""
    wanted = {frozenset(pair) for pair in combinations(named, 2)}
    return {
        UNIVARIATE: _mean([v.utility for v in gdu.variables if v.name in named]),
        BIVARIATE: _mean([p.utility for p in gdu.pairs if frozenset((p.a, p.b)) in wanted]),
    }


def _table_score(result: Assessment, named: Sequence[str]) -> float | None:
    """Mean score of the two-way tables of a model's variables, where that section is there."""
    tables = result.sections.get("tables")
    if tables is None:
        return None
    wanted = {frozenset(pair) for pair in combinations(named, 2)}
    return _mean([table.score for table in tables.worst if frozenset(table.variables) in wanted])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


# -- how they go together --------------------------------------------------------------------------


@dataclass(frozen=True)
class Relation:
    """A rank correlation with its 95 % interval; None where it is not defined."""

    rho: float | None
    low: float | None = None
    high: float | None = None

    @property
    def above(self) -> bool:
        """Whether the interval lies above 0."""
        return self.low is not None and self.low > 0

    @property
    def said(self) -> str:
        """The figure and its interval."""
        if self.rho is None or self.low is None or self.high is None:
            return "not defined"
        return f"{self.rho:.2f} ({self.low:.2f} to {self.high:.2f})"


def _ranks(values: Floats) -> Floats:
    """Doubled centred ranks, with equal values in the middle of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return centred_ranks(counts.astype(np.float64))[place]


def spearman(a: Floats, b: Floats) -> float | None:
    """Spearman's rank correlation; None for a constant."""
    first, second = _ranks(a), _ranks(b)
    squares = float((first**2).sum() * (second**2).sum())
    return float((first * second).sum()) / squares**0.5 if squares > 0 else None


@dataclass(frozen=True, eq=False)
class Panel:
    """All cases, and draws of protected files for the intervals.

    Cases of one file hang together, so that files are drawn, not cases. Correlations are within
    each survey, and their mean is taken: files of one survey are not held against another's.
    """

    cases: tuple[Case, ...]
    seed: int

    @cached_property
    def _scores(self) -> dict[str, Floats]:
        """Every score of every case; not a number where it is not there."""
        return {
            name: np.array([case.scores.get(name, np.nan) for case in self.cases])
            for name in (*PREDICTORS, *OUTCOMES)
        }

    @cached_property
    def _files(self) -> dict[str, list[Index]]:
        """The places of the cases of each file, by survey."""
        found: dict[str, dict[str, list[int]]] = {}
        for place, case in enumerate(self.cases):
            found.setdefault(case.survey, {}).setdefault(case.file, []).append(place)
        return {
            survey: [np.array(places) for places in files.values()]
            for survey, files in found.items()
        }

    @cached_property
    def _draws(self) -> list[list[Index]]:
        """Cases of each survey for each draw; the first draw is the panel itself."""
        rng = np.random.default_rng([self.seed, 11])
        drawn = [[np.concatenate(files) for files in self._files.values()]]
        for _ in range(RESAMPLES):
            chosen = (rng.integers(0, len(files), len(files)) for files in self._files.values())
            held = zip(self._files.values(), chosen, strict=True)
            drawn.append([np.concatenate([files[i] for i in places]) for files, places in held])
        return drawn

    def within(self, predictor: str, outcome: str, survey: str) -> float | None:
        """The correlation within one survey."""
        return self._correlation(np.concatenate(self._files[survey]), predictor, outcome)

    def relation(self, predictor: str, outcome: str) -> Relation:
        """How a score goes with what becomes of models: the mean over surveys."""
        return _with_interval([self._mean_of(draw, predictor, outcome) for draw in self._draws])

    def difference(self, one: str, other: str, outcome: str) -> Relation:
        """By how much one score goes better with it than another."""
        pairs = [
            (self._mean_of(draw, one, outcome), self._mean_of(draw, other, outcome))
            for draw in self._draws
        ]
        return _with_interval([None if a is None or b is None else a - b for a, b in pairs])

    def _mean_of(self, draw: Sequence[Index], predictor: str, outcome: str) -> float | None:
        return _mean([self._correlation(places, predictor, outcome) for places in draw])

    def _correlation(self, places: Index, predictor: str, outcome: str) -> float | None:
        a, b = self._scores[predictor][places], self._scores[outcome][places]
        known = ~(np.isnan(a) | np.isnan(b))
        return spearman(a[known], b[known]) if known.sum() > FEWEST else None


def _with_interval(values: Sequence[float | None]) -> Relation:
    """The first of some values, and the middle 95 % of the others."""
    drawn = [value for value in values[1:] if value is not None]
    if values[0] is None or 2 * len(drawn) < len(values):
        return Relation(values[0])
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Relation(values[0], float(low), float(high))


# -- the study -------------------------------------------------------------------------------------


def reproduce(study: str, seed: int, progress: Progress) -> Reproduction:
    """The panel, the correlations and what they answer."""
    cases = [case for survey in SURVEYS for case in cases_of(survey, seed, progress)]
    panel = Panel(tuple(cases), seed)
    files = sum(len(recipes(survey)) for survey in SURVEYS)
    return Reproduction(
        study=study,
        title="do scores of variables and pairs tell what becomes of models?",
        paper=PAPER,
        seed=seed,
        data=f"{len(SURVEYS)} public-domain files of {ROWS:,} rows, {files} protected versions "
        f"of them, {len(cases)} regressions on these.",
        differences=(
            "The paper asks for the relationship and has no figures. Data, protections and "
            "regressions are ours, fixed before anything was measured.",
            "Beside the paper's utility of a model stands the overlap of confidence intervals of "
            "its coefficients, which is not made of tests.",
            "Intervals are those of drawing the protected versions anew; other files, other "
            "methods and other regressions may give others.",
        ),
        tables=(_overall(panel), *(_by_survey(panel, outcome) for outcome in OUTCOMES)),
        claims=tuple(said.judged(panel) for said in SAID),
        heading="What the paper asks, tried as statements",
        notes=() if _tables_there(panel) else (NO_TABLES,),
    )


NO_TABLES = "Scores of tables are not part of this run: the program has no section of that name."


def _tables_there(panel: Panel) -> bool:
    return any(TABLES in case.scores for case in panel.cases)


def _predictors(panel: Panel) -> list[str]:
    return [name for name in PREDICTORS if name != TABLES or _tables_there(panel)]


def _overall(panel: Panel) -> FigureTable:
    rows = []
    for predictor in _predictors(panel):
        found = [panel.relation(predictor, outcome) for outcome in OUTCOMES]
        own = tuple(value for one in found for value in (one.rho, one.low, one.high))
        rows.append(FigureRow(name=predictor, published=(None,) * len(own), own=own))
    return FigureTable(
        title="Rank correlation with what becomes of models, mean over files (95 % interval)",
        columns=("LDU", "from", "to", "overlap", "from", "to"),
        rows=tuple(rows),
        digits=2,
        note="1: the better the scores, the better the models, without exception; 0: they tell "
        "nothing. Scores are those of the model's own variables and pairs.",
    )


def _by_survey(panel: Panel, outcome: str) -> FigureTable:
    rows = []
    for predictor in _predictors(panel):
        own = tuple(panel.within(predictor, outcome, survey.name) for survey in SURVEYS)
        rows.append(FigureRow(name=predictor, published=(None,) * len(own), own=own))
    return FigureTable(
        title=f"The same in each file: {outcome}",
        columns=tuple(survey.name for survey in SURVEYS),
        rows=tuple(rows),
        digits=2,
    )


def _goes_with(predictor: str) -> Callable[[Panel], tuple[bool, str]]:
    def tried(panel: Panel) -> tuple[bool, str]:
        found = {outcome: panel.relation(predictor, outcome) for outcome in OUTCOMES}
        shown = "; ".join(f"{outcome} {one.said}" for outcome, one in found.items())
        return all(one.above for one in found.values()), shown

    return tried


def _better(one: str, other: str) -> Callable[[Panel], tuple[bool, str]]:
    def tried(panel: Panel) -> tuple[bool, str]:
        found = {outcome: panel.difference(one, other, outcome) for outcome in OUTCOMES}
        shown = "; ".join(f"{outcome} by {apart.said}" for outcome, apart in found.items())
        return all(apart.above for apart in found.values()), shown

    return tried


def _may_cost_much(panel: Panel) -> tuple[bool, str]:
    good = [
        case.scores
        for case in panel.cases
        if min(case.scores.get(UNIVARIATE, 0.0), case.scores.get(BIVARIATE, 0.0)) >= GOOD
    ]
    lost = {name: sum(s.get(name, 1.0) < POOR for s in good) for name in OUTCOMES}
    said = ", ".join(f"{count} have {name} below {POOR}" for name, count in lost.items())
    return any(lost.values()), (
        f"of {len(good)} models whose variables and pairs score {GOOD} or more on average, {said}"
    )


SAID = (
    Said(
        "Scores of variables go with those of models",
        _goes_with(UNIVARIATE),
        "An interval reaches 0.",
    ),
    Said(
        "Scores of pairs go with those of models",
        _goes_with(BIVARIATE),
        "An interval reaches 0.",
    ),
    Said(
        "Pairs tell more of models than variables do",
        _better(BIVARIATE, UNIVARIATE),
        "An interval of the difference reaches 0.",
    ),
    Said(
        "A model's own pairs tell more of it than the GDU of the whole file",
        _better(BIVARIATE, WHOLE),
        "An interval of the difference reaches 0.",
    ),
    Said(
        "Even less restrictive protection may cost complex models much information",
        _may_cost_much,
        "Not in these files.",
    ),
)
