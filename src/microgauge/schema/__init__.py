"""What the columns mean and how the run is done: the schema a user writes, checked for form.

A schema comes from a TOML file, a dict of the same shape, or these classes. Every name here is a
contract with the files users have written. What the schema says of the *data* is checked in
`microgauge.study.describe`, once the tables are known; faults of both kinds are reported together.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from microgauge.errors import InputError, hint

Type = Literal["nominal", "ordinal", "continuous"]
Role = Literal["analysis", "quasi_identifier", "sensitive", "id", "weight", "derived", "exclude"]
RecodeMeasure = Literal["pairs", "allocation", "heterogeneity"]
Rounding = Literal["nearest", "floor", "ceiling"]
ModelKind = Literal["linear", "logistic", "scale"]
Value = str | int | float | bool

TYPES: tuple[str, ...] = get_args(Type)
ROLES: tuple[str, ...] = get_args(Role)
RECODE_MEASURES: tuple[str, ...] = get_args(RecodeMeasure)
ROUNDINGS: tuple[str, ...] = get_args(Rounding)
MODEL_KINDS: tuple[str, ...] = get_args(ModelKind)

ANALYSED: frozenset[str] = frozenset({"analysis", "quasi_identifier", "sensitive"})
"""Roles whose variables count in utility."""


@dataclass(frozen=True, kw_only=True)
class Recode:
    """How a variable was recoded: one of a map, breaks, top/bottom codes, a step, a prefix."""

    map: Mapping[str, Value] | None = None
    breaks: tuple[float, ...] | None = None
    labels: tuple[str, ...] | None = None
    closed: Literal["left", "right"] = "left"
    top: float | None = None
    bottom: float | None = None
    round: float | None = None
    prefix: int | None = None


@dataclass(frozen=True, kw_only=True)
class Variable:
    """What is known of one variable. None means: infer it, or take the default."""

    type: Type | None = None
    protected_type: Type | None = None
    role: Role | None = None
    missing: tuple[Value, ...] = ()
    order: tuple[Value, ...] | None = None
    normal: bool | None = None
    resolution: float | None = None
    rounding: Rounding = "nearest"
    loss: tuple[str, ...] | None = None
    similarity: tuple[str, ...] | None = None
    rut_weight: float = 1.0
    bins: int = 50
    importance: float = 1.0
    recode: Recode | None = None
    recode_measure: RecodeMeasure | None = None


@dataclass(frozen=True, kw_only=True)
class Options:
    """Choices that hold for the whole run."""

    key: str | None = None
    aligned: bool | None = None
    threshold: float = 0.05
    normality: bool = True
    pairs: tuple[tuple[str, str], ...] | None = None
    missing: Literal["drop", "category"] = "drop"
    changed_types: Literal["harmonise", "exclude"] = "harmonise"
    balance: tuple[float, float] = (0.5, 0.5)
    test_n: int | None = None
    weight: str | None = None
    weight_original: str | None = None
    weight_protected: str | None = None
    seed: int = 1
    sample_rows: int = 5_000_000
    """Records of a table beyond which measures that look at single records see a sample."""
    distinct_values: int = 1 << 20
    """Different numbers of a column that are told apart where a table does not fit into memory."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model whose utility is wanted: a regression by its formula, or a scale by its items."""

    kind: ModelKind
    formula: str | None = None
    items: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How the model is named in results."""
        return self.formula if self.formula is not None else " + ".join(self.items)


Statistic = Literal[
    "mean", "total", "median", "quantile", "share", "ratio", "gini", "s80s20", "arop"
]
STATISTICS: tuple[str, ...] = get_args(Statistic)


@dataclass(frozen=True, kw_only=True)
class Indicator:
    """A statistic that data users publish: of a variable, by groups if wanted, weighted."""

    name: str | None = None
    statistic: Statistic | None = None
    variable: str | None = None
    by: str | None = None
    weight: str | None = None
    """A column of weights; the run's weight if not given."""
    where: str | None = None
    """Which units: "WAGP > 0 and SEX == 1"."""
    category: Value | None = None
    """Of which category the share is wanted; each one's if not given."""
    quantile: float = 0.5
    denominator: str | None = None
    """The variable whose total a ratio divides by."""
    line: float = 0.6
    """The poverty line as a share of the median."""
    resamples: int = 500
    """Draws of the bootstrap."""
    function: Callable[[Any], float] | None = None
    """From Python: any function of a polars data frame, in place of a statistic."""

    @property
    def title(self) -> str:
        """How the indicator is named in results."""
        if self.name is not None:
            return self.name
        if self.function is not None:
            return getattr(self.function, "__name__", "function")
        if self.statistic == "ratio":
            return f"ratio of {self.variable} to {self.denominator}"
        what = f"{self.quantile:g}-quantile" if self.statistic == "quantile" else self.statistic
        return f"{what} of {self.variable}"


@dataclass(frozen=True, kw_only=True)
class Regression:
    """A regression whose coefficients are compared."""

    formula: str | None = None
    kind: Literal["linear", "logistic"] = "linear"
    where: str | None = None
    weight: str | None = None
    """A column of weights; the run's weight if not given."""
    robust: bool = False
    """Standard errors that hold under unequal variances (HC1)."""
    bands: Literal["categories", "midpoints"] = "categories"
    """How numbers released in bands enter: as categories, or by the middle of their band."""


@dataclass(frozen=True, kw_only=True)
class LossChoices:
    """Choices of the information loss measures."""

    ways: int = 2
    """Variables in the largest tables: 1, 2 or 3."""
    groups: tuple[str, ...] = ()
    """Variables in whose groups means and covariances are compared too."""
    robust_sample: int = 2_000
    """Units of each file beyond which robust eigenvalues are those of a sample."""


ExternalMethod = Literal["class", "probability", "correlation", "unique"]
EXTERNAL_METHODS: tuple[str, ...] = get_args(ExternalMethod)


@dataclass(frozen=True, kw_only=True)
class RiskChoices:
    """Choices of the risk measures."""

    external: Any = None
    """A table an intruder may hold: a path, in Python also a data frame."""
    population: Any = None
    """The table the original was drawn from."""
    external_method: tuple[str, ...] = ("class",)
    """Ways of measuring external risk; of several, the mean counts."""
    combine: Literal["max", "mean", "sum"] = "max"
    """How internal and external risk become one."""
    weights: tuple[float, float] = (0.5, 0.5)
    """Of internal and external risk, where the mean is taken."""
    missing_keys: Literal["value", "any"] = "value"
    """A missing key is a value of its own, or matches every value."""
    threshold: float = 0.2
    """Risk of a record above which it is counted."""
    record_weight: str | None = None
    """A column that says how sensitive each record is."""
    l: int = 3  # noqa: E741
    """l of recursive (c, l)-diversity that is asked for."""
    c: float = 1.0
    interval: float = 0.05
    """Half width of interval disclosure, in standard deviations of the original."""
    suda_max: int = 3
    """Most attributes in a minimal sample unique."""
    suda_fraction: float = 0.1
    """Sampling fraction of DIS-SUDA."""


RutForm = Literal["sum", "difference", "ratio"]
PRESETS: Mapping[str, tuple[float, float]] = {
    "analysis": (0.7, 0.3),
    "balanced": (0.5, 0.5),
    "sharing": (0.4, 0.6),
    "public": (0.3, 0.7),
}


@dataclass(frozen=True, kw_only=True)
class RutChoices:
    """Choices of the balance of risk and utility."""

    preset: str | None = None
    alpha: float | None = None
    """Weight of utility."""
    beta: float | None = None
    """Weight of safety."""
    form: RutForm = "sum"
    max_risk: float | None = None
    min_utility: float | None = None
    lmax: Literal["range", "rule"] = "range"
    """What errors of numbers are divided by."""
    utility: tuple[float, float] | Literal["ratio"] = (0.5, 0.5)
    """Weights of similarity and of 1 - loss; or their ratio."""
    combine: Literal["mean", "max"] = "mean"
    """Over the attributes."""

    @property
    def weights(self) -> tuple[float, float]:
        """α and β."""
        if self.preset is not None:
            return PRESETS[self.preset]
        if self.alpha is None and self.beta is None:
            return PRESETS["balanced"]
        if self.alpha is None:
            assert self.beta is not None
            return 1.0 - self.beta, self.beta
        return self.alpha, 1.0 - self.alpha


LOSSES = ("generalisation", "proximity", "euclidean", "entropy", "consistency", "deviation")
SIMILARITIES = ("cosine", "jaccard", "values")


@dataclass(frozen=True, kw_only=True)
class Propensity:
    """Choices of the propensity score measure."""

    model: Literal["auto", "logit", "spline", "cart"] = "auto"
    degree: int = 1
    """Powers of numbers up to this one."""
    interactions: Literal["none", "pairs", "full"] = "none"
    """Products: of each two variables, or all of total degree up to `degree`."""
    formula: str | None = None
    """Terms by name, in place of degree and interactions: "~ a + b + a:b"."""
    resamples: int | None = None
    """Draws of the null distribution; None: 50 where the model is small."""
    unmasked: Literal["all", "interactions"] = "all"
    permutations: int = 20
    """Shuffles of the labels, for models whose expectation has no formula."""
    leaf: int = 20
    """Fewest rows in a leaf of a tree."""
    sample: int = 50_000
    """Rows of both files together beyond which a sample of each is used."""


@dataclass(frozen=True, kw_only=True)
class Clusters:
    """Choices of the cluster measure."""

    method: Literal["auto", "average", "kmeans"] = "auto"
    groups: tuple[int, ...] | None = None
    weights: Literal["size", "equal", "error"] = "size"
    standardise: bool = True
    resamples: int = 0
    sample: int = 50_000


@dataclass(frozen=True, kw_only=True)
class Ecdf:
    """Choices of the distribution function measures."""

    exact_limit: int = 100_000
    """Rows of both files together up to which every row is a point of comparison."""
    points: int = 10_000
    """Points of comparison beyond that."""
    resamples: int = 0


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Everything a user says about the data and the run."""

    options: Options = field(default_factory=Options)
    variables: Mapping[str, Variable] = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    propensity: Propensity = field(default_factory=Propensity)
    clusters: Clusters = field(default_factory=Clusters)
    ecdf: Ecdf = field(default_factory=Ecdf)
    loss: LossChoices = field(default_factory=LossChoices)
    indicators: tuple[Indicator, ...] = ()
    regressions: tuple[Regression, ...] = ()
    risk: RiskChoices = field(default_factory=RiskChoices)
    rut: RutChoices = field(default_factory=RutChoices)
    levels: Mapping[str, Mapping[str, Recode | None]] = field(default_factory=dict)
    """Protection levels to preview: what becomes of each variable; None: suppressed."""
    malformed: tuple[str, ...] = field(default=(), repr=False)
    """Faults met while reading, kept so that all faults can be told at once."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(n for n, v in self.variables.items() if v.role == "quasi_identifier")

    def of_original(self) -> Schema:
        """What it says of the original alone, for looking at that by itself."""
        variables = {
            name: replace(given, recode=None, protected_type=None)
            for name, given in self.variables.items()
        }
        weight = self.options.weight_original or self.options.weight
        options = replace(
            self.options,
            key=None,
            pairs=None,
            weight=weight,
            weight_original=None,
            weight_protected=None,
        )
        return replace(self, variables=variables, options=options)

    @staticmethod
    def load(path: str | Path) -> Schema:
        """Read a TOML file."""
        return Schema.from_dict(read_toml(path))

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> Schema:
        """Build a schema from the dict a TOML file gives."""
        return _Reader().schema(content)

    def faults(self) -> list[str]:
        """Everything wrong with the schema by itself, before any table is looked at."""
        found = list(self.malformed)
        found += _option_faults(self.options)
        for name, variable in self.variables.items():
            found += _variable_faults(name, variable)
        for number, model in enumerate(self.models, start=1):
            found += _model_faults(number, model)
        found += _propensity_faults(self.propensity)
        found += _cluster_faults(self.clusters)
        found += _ecdf_faults(self.ecdf)
        found += _loss_faults(self.loss)
        found += _risk_faults(self.risk)
        found += _rut_faults(self.rut)
        found += _level_faults(self.levels)
        for number, indicator in enumerate(self.indicators, start=1):
            found += _indicator_faults(number, indicator)
        for number, regression in enumerate(self.regressions, start=1):
            found += _regression_faults(number, regression)
        return found


def read_toml(path: str | Path, what: str = "schema file") -> dict[str, Any]:
    """The content of a TOML file, or an `InputError` that says what is wrong with it."""
    path = Path(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no {what} {path}.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the {what} {path} is not valid TOML: {error}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the {what} {path} cannot be read: {error}.") from None


class _Reader:
    """Turns a plain dict into a Schema and notes what does not fit instead of stopping at it."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def schema(self, content: Mapping[str, Any]) -> Schema:
        sections = ("propensity", "clusters", "ecdf", "loss", "risk", "rut", "level")
        lists = ("model", "indicator", "regression")
        known = ("options", "variable", *lists, *sections)
        for name in content:
            if name not in known:
                self.faults.append(
                    f'the schema has an unknown section "{name}".{hint(name, known)}'
                )
        variables = self.table(content.get("variable", {}), "[variable]")
        return Schema(
            options=self.options(content.get("options", {})),
            variables={name: self.variable(name, entry) for name, entry in variables.items()},
            models=self.models(content.get("model", [])),
            propensity=Propensity(**self.section(content, "propensity", Propensity)),
            clusters=Clusters(**self.section(content, "clusters", Clusters)),
            ecdf=Ecdf(**self.section(content, "ecdf", Ecdf)),
            loss=LossChoices(**self.section(content, "loss", LossChoices)),
            indicators=tuple(self.entries(content, "indicator", Indicator)),
            regressions=tuple(self.entries(content, "regression", Regression)),
            risk=RiskChoices(**self.risk(content)),
            rut=RutChoices(**self.rut(content)),
            levels=self.levels(content.get("level", {})),
            malformed=tuple(self.faults),
        )

    def section(self, content: Mapping[str, Any], name: str, kind: type[Any]) -> dict[str, Any]:
        values = self.known_fields(content.get(name, {}), kind, f"[{name}]")
        if isinstance(values.get("interactions"), bool):
            values["interactions"] = "pairs" if values["interactions"] else "none"
        if "groups" in values:
            groups = values["groups"]
            one = isinstance(groups, int | str)
            values["groups"] = (groups,) if one else self.sequence(groups, f"[{name}] groups")
        return values

    def options(self, entry: Any) -> Options:
        values = self.known_fields(entry, Options, "[options]")
        if "pairs" in values:
            values["pairs"] = self.pairs(values["pairs"])
        if "balance" in values:
            values["balance"] = self.sequence(values["balance"], "[options] balance")
        return Options(**values)

    def pairs(self, entry: Any) -> tuple[tuple[str, str], ...]:
        found = []
        for pair in self.sequence(entry, "[options] pairs"):
            if isinstance(pair, list | tuple) and len(pair) == 2:
                found.append((str(pair[0]), str(pair[1])))
            else:
                self.faults.append("[options] pairs must be a list of pairs of variable names.")
        return tuple(found)

    def variable(self, name: str, entry: Any) -> Variable:
        where = f"[variable.{name}]"
        values = self.known_fields(entry, Variable, where)
        for several in ("missing", "order", "loss", "similarity"):
            if several in values:
                values[several] = self.sequence(values[several], f"{where} {several}")
        if "recode" in values:
            values["recode"] = self.recode(values["recode"], f"{where} recode")
        return Variable(**values)

    def recode(self, entry: Any, where: str) -> Recode:
        values = self.known_fields(entry, Recode, where)
        for several in ("breaks", "labels"):
            if several in values:
                values[several] = self.sequence(values[several], f"{where} {several}")
        if "map" in values:
            values["map"] = {str(k): v for k, v in self.table(values["map"], where).items()}
        return Recode(**values)

    def models(self, entry: Any) -> tuple[Model, ...]:
        found = []
        for number, item in enumerate(self.sequence(entry, "[[model]]"), start=1):
            values = self.known_fields(item, Model, f"[[model]] number {number}")
            if "items" in values:
                values["items"] = self.sequence(values["items"], f"[[model]] number {number} items")
            values.setdefault("kind", "linear" if "formula" in values else "scale")
            found.append(Model(**values))
        return tuple(found)

    def risk(self, content: Mapping[str, Any]) -> dict[str, Any]:
        values = self.section(content, "risk", RiskChoices)
        if isinstance(values.get("external_method"), str):
            values["external_method"] = (values["external_method"],)
        for several in ("external_method", "weights"):
            if several in values:
                values[several] = self.sequence(values[several], f"[risk] {several}")
        return values

    def rut(self, content: Mapping[str, Any]) -> dict[str, Any]:
        values = self.section(content, "rut", RutChoices)
        if "utility" in values and values["utility"] != "ratio":
            values["utility"] = self.sequence(values["utility"], "[rut] utility")
        return values

    def levels(self, entry: Any) -> dict[str, dict[str, Recode | None]]:
        """Protection levels: for each variable a recoding, or "suppress"."""
        return {
            str(level): {
                str(name): None
                if recode == "suppress"
                else self.recode(recode, f"[level.{level}] {name}")
                for name, recode in self.table(recodes, f"[level.{level}]").items()
            }
            for level, recodes in self.table(entry, "[level]").items()
        }

    def entries(self, content: Mapping[str, Any], name: str, kind: type[Any]) -> list[Any]:
        """The entries of a list of tables, such as [[indicator]]."""
        where = f"[[{name}]]"
        return [
            kind(**self.known_fields(item, kind, f"{where} number {number}"))
            for number, item in enumerate(self.sequence(content.get(name, []), where), start=1)
        ]

    def known_fields(self, entry: Any, kind: type[Any], where: str) -> dict[str, Any]:
        names = {f.name for f in fields(kind)}
        values = dict(self.table(entry, where))
        for name in [name for name in values if name not in names]:
            self.faults.append(f'{where} has an unknown entry "{name}".{hint(name, names)}')
            del values[name]
        return values

    def table(self, entry: Any, where: str) -> Mapping[str, Any]:
        if isinstance(entry, Mapping):
            return entry
        self.faults.append(f"{where} must be a table, found {type(entry).__name__}.")
        return {}

    def sequence(self, entry: Any, where: str) -> tuple[Any, ...]:
        if isinstance(entry, list | tuple):
            return tuple(entry)
        self.faults.append(f"{where} must be a list, found {type(entry).__name__}.")
        return ()


def _choice(where: str, value: object, choices: tuple[str, ...]) -> list[str]:
    """A fault if a value is given that is none of the choices."""
    if value is None or value in choices:
        return []
    return [
        f'{where} is "{value}"; it must be one of {", ".join(choices)}.{hint(str(value), choices)}'
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(where: str, value: object, *, above: float, optional: bool = True) -> list[str]:
    if value is None and optional:
        return []
    if not _is_number(value) or not value > above:  # type: ignore[operator]
        return [f"{where} must be a number above {above:g}."]
    return []


def _option_faults(options: Options) -> list[str]:
    found = _choice("[options] missing", options.missing, ("drop", "category"))
    found += _choice("[options] changed_types", options.changed_types, ("harmonise", "exclude"))
    for name in ("key", "weight", "weight_original", "weight_protected"):
        if not isinstance(getattr(options, name), str | None):
            found.append(f"[options] {name} must be the name of a column.")
    for name in ("aligned", "normality"):
        if not isinstance(getattr(options, name), bool | None):
            found.append(f"[options] {name} must be true or false.")
    if not _is_number(options.threshold) or not 0 < options.threshold < 1:
        found.append("[options] threshold must be a number between 0 and 1.")
    if not isinstance(options.seed, int) or isinstance(options.seed, bool) or options.seed < 0:
        found.append("[options] seed must be a whole number, 0 or more.")
    if options.test_n is not None and (not isinstance(options.test_n, int) or options.test_n < 4):
        found.append("[options] test_n must be a whole number, 4 or more.")
    found += _whole("[options] sample_rows", options.sample_rows, 100)
    found += _whole("[options] distinct_values", options.distinct_values, 100)
    return found + _balance_faults(options.balance)


def _balance_faults(balance: tuple[float, ...]) -> list[str]:
    good = len(balance) == 2 and all(_is_number(share) and share >= 0 for share in balance)
    if good and math.isclose(sum(balance), 1.0):
        return []
    return ["[options] balance must be two numbers, 0 or more, that add up to 1."]


def _whole(where: str, value: object, least: int) -> list[str]:
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return []
    return [f"{where} must be a whole number, {least} or more."]


def _propensity_faults(chosen: Propensity) -> list[str]:
    found = _choice("[propensity] model", chosen.model, ("auto", "logit", "spline", "cart"))
    found += _choice("[propensity] interactions", chosen.interactions, ("none", "pairs", "full"))
    found += _choice("[propensity] unmasked", chosen.unmasked, ("all", "interactions"))
    for name, least in (("degree", 1), ("permutations", 1), ("leaf", 1), ("sample", 100)):
        found += _whole(f"[propensity] {name}", getattr(chosen, name), least)
    if chosen.resamples is not None:
        found += _whole("[propensity] resamples", chosen.resamples, 0)
    if not isinstance(chosen.formula, str | None):
        found.append('[propensity] formula must be text, such as "~ a + b + a:b".')
    elif chosen.formula is not None and chosen.model not in ("auto", "logit"):
        found.append('[propensity] formula goes with model = "logit".')
    return found


def _cluster_faults(chosen: Clusters) -> list[str]:
    found = _choice("[clusters] method", chosen.method, ("auto", "average", "kmeans"))
    found += _choice("[clusters] weights", chosen.weights, ("size", "equal", "error"))
    found += _whole("[clusters] resamples", chosen.resamples, 0)
    found += _whole("[clusters] sample", chosen.sample, 100)
    for groups in chosen.groups or ():
        found += _whole("[clusters] groups", groups, 2)
    if chosen.groups == ():
        found.append("[clusters] groups names no number of groups.")
    return found


def _ecdf_faults(chosen: Ecdf) -> list[str]:
    found = _whole("[ecdf] exact_limit", chosen.exact_limit, 1)
    found += _whole("[ecdf] points", chosen.points, 1)
    return found + _whole("[ecdf] resamples", chosen.resamples, 0)


def _loss_faults(chosen: LossChoices) -> list[str]:
    found = _whole("[loss] robust_sample", chosen.robust_sample, 100)
    if chosen.ways not in (1, 2, 3):
        found.append("[loss] ways must be 1, 2 or 3.")
    if not all(isinstance(name, str) for name in chosen.groups):
        found.append("[loss] groups must be a list of variable names.")
    return found


def _share(where: str, value: object) -> list[str]:
    """A fault for a number given that does not lie between 0 and 1."""
    if value is None or (_is_number(value) and 0 <= value <= 1):  # type: ignore[operator]
        return []
    return [f"{where} must be a number from 0 to 1."]


def _weights(where: str, weights: object) -> list[str]:
    good = (
        isinstance(weights, tuple)
        and len(weights) == 2
        and all(_is_number(w) and w >= 0 for w in weights)
        and sum(weights) > 0
    )
    return [] if good else [f"{where} must be two numbers, 0 or more, not both 0."]


def _risk_faults(chosen: RiskChoices) -> list[str]:
    found = _choice("[risk] combine", chosen.combine, ("max", "mean", "sum"))
    found += _choice("[risk] missing_keys", chosen.missing_keys, ("value", "any"))
    for method in chosen.external_method:
        found += _choice("[risk] external_method", method, EXTERNAL_METHODS)
    if not chosen.external_method:
        found.append("[risk] external_method names no method.")
    found += _weights("[risk] weights", chosen.weights)
    found += _share("[risk] threshold", chosen.threshold)
    found += _number("[risk] interval", chosen.interval, above=0, optional=False)
    found += _number("[risk] c", chosen.c, above=0, optional=False)
    found += _whole("[risk] l", chosen.l, 1)
    found += _whole("[risk] suda_max", chosen.suda_max, 1)
    if not _is_number(chosen.suda_fraction) or not 0 < chosen.suda_fraction < 1:
        found.append("[risk] suda_fraction must be a number between 0 and 1.")
    return found + _texts("[risk]", chosen, ("record_weight",))


_ALPHA_BETA = "[rut] alpha and beta must add up to 1."


def _rut_faults(chosen: RutChoices) -> list[str]:
    found = _choice("[rut] preset", chosen.preset, tuple(PRESETS))
    found += _choice("[rut] form", chosen.form, get_args(RutForm))
    found += _choice("[rut] lmax", chosen.lmax, ("range", "rule"))
    found += _choice("[rut] combine", chosen.combine, ("mean", "max"))
    for name in ("alpha", "beta", "max_risk", "min_utility"):
        found += _share(f"[rut] {name}", getattr(chosen, name))
    if chosen.preset is not None and (chosen.alpha is not None or chosen.beta is not None):
        found.append("[rut] has a preset and alpha or beta; give one.")
    if chosen.alpha is not None and chosen.beta is not None and not found:
        found += [] if math.isclose(chosen.alpha + chosen.beta, 1.0) else [_ALPHA_BETA]
    if chosen.utility != "ratio":
        found += _weights("[rut] utility", chosen.utility)
    return found


def _level_faults(levels: Mapping[str, Mapping[str, Recode | None]]) -> list[str]:
    return [
        fault
        for level, recodes in levels.items()
        for name, recode in recodes.items()
        if recode is not None
        for fault in _recode_faults(f"[level.{level}] {name}", recode)
    ]


def _texts(where: str, entry: object, names: tuple[str, ...]) -> list[str]:
    return [
        f"{where}: {name} must be text."
        for name in names
        if not isinstance(getattr(entry, name), str | None)
    ]


def _indicator_faults(number: int, given: Indicator) -> list[str]:
    where = f"[[indicator]] number {number}"
    found = _texts(where, given, ("name", "variable", "by", "weight", "where", "denominator"))
    found += _whole(f"{where}: resamples", given.resamples, 10)
    if not isinstance(given.category, str | int | float | bool | None):
        found.append(f"{where}: category must be a single value.")
    if given.function is not None:
        if not callable(given.function):
            found.append(f"{where}: function must be a Python function of a data frame.")
        if given.statistic is not None:
            found.append(f"{where} has both a statistic and a function; give one.")
        return found
    if given.statistic is None:
        return [*found, f"{where} has no statistic; it may be {', '.join(STATISTICS)}."]
    found += _choice(f"{where}: statistic", given.statistic, STATISTICS)
    if given.variable is None:
        found.append(f"{where} has no variable.")
    if given.statistic == "ratio" and given.denominator is None:
        found.append(f"{where}: a ratio needs a denominator, a second variable.")
    if not _is_number(given.quantile) or not 0 <= given.quantile <= 1:
        found.append(f"{where}: quantile must be a number between 0 and 1.")
    return found + _number(f"{where}: line", given.line, above=0, optional=False)


def _regression_faults(number: int, given: Regression) -> list[str]:
    where = f"[[regression]] number {number}"
    found = _choice(f"{where}: kind", given.kind, ("linear", "logistic"))
    found += _choice(f"{where}: bands", given.bands, ("categories", "midpoints"))
    found += _texts(where, given, ("formula", "where", "weight"))
    if not given.formula:
        found.append(f'{where} needs a formula such as "y ~ a + b".')
    if not isinstance(given.robust, bool):
        found.append(f"{where}: robust must be true or false.")
    return found


def _variable_faults(name: str, variable: Variable) -> list[str]:
    where = f"[variable.{name}]"
    found = _choice(f"{where} type", variable.type, TYPES)
    found += _choice(f"{where} protected_type", variable.protected_type, TYPES)
    found += _choice(f"{where} role", variable.role, ROLES)
    found += _choice(f"{where} recode_measure", variable.recode_measure, RECODE_MEASURES)
    found += _choice(f"{where} rounding", variable.rounding, ROUNDINGS)
    found += _number(f"{where} importance", variable.importance, above=0, optional=False)
    found += _number(f"{where} resolution", variable.resolution, above=0)
    found += _number(f"{where} rut_weight", variable.rut_weight, above=0, optional=False)
    found += _whole(f"{where} bins", variable.bins, 1)
    for loss in variable.loss or ():
        found += _choice(f"{where} loss", loss, LOSSES)
    for similarity in variable.similarity or ():
        found += _choice(f"{where} similarity", similarity, SIMILARITIES)
    if not isinstance(variable.normal, bool | None):
        found.append(f"{where} normal must be true or false.")
    if variable.order is not None and len({str(v) for v in variable.order}) != len(variable.order):
        found.append(f"{where} order names a value twice.")
    if variable.recode is not None:
        found += _recode_faults(f"{where} recode", variable.recode)
    return found


def _recode_faults(where: str, recode: Recode) -> list[str]:
    given = [n for n in ("map", "breaks", "round", "prefix") if getattr(recode, n) is not None]
    if recode.top is not None or recode.bottom is not None:
        given.append("top or bottom")
    if len(given) != 1:
        said = " and ".join(given) or "none of them"
        return [f"{where} must have one of map, breaks, top/bottom, round, prefix; it has {said}."]
    found = _choice(f"{where} closed", recode.closed, ("left", "right"))
    found += _number(f"{where} round", recode.round, above=0)
    for code in ("top", "bottom"):
        if getattr(recode, code) is not None and not _is_number(getattr(recode, code)):
            found.append(f"{where} {code} must be a number.")
    if recode.prefix is not None and (not isinstance(recode.prefix, int) or recode.prefix < 1):
        found.append(f"{where} prefix must be a whole number, 1 or more.")
    return found + _breaks_faults(where, recode)


def _breaks_faults(where: str, recode: Recode) -> list[str]:
    if recode.breaks is None:
        return [f"{where} has labels but no breaks."] if recode.labels is not None else []
    numbers = recode.breaks
    if not numbers or not all(_is_number(b) for b in numbers):
        return [f"{where} breaks must be a list of numbers."]
    found = []
    if any(high <= low for low, high in pairwise(numbers)):
        found.append(f"{where} breaks must rise.")
    if recode.labels is not None and len(recode.labels) != len(numbers):
        found.append(
            f"{where} has {len(numbers)} breaks and {len(recode.labels)} labels; there must be as "
            "many labels as breaks (the last band is open above)."
        )
    return found


def _model_faults(number: int, model: Model) -> list[str]:
    where = f"[[model]] number {number}"
    found = _choice(f"{where} kind", model.kind, MODEL_KINDS)
    if model.kind == "scale" and len(model.items) < 2:
        found.append(f"{where}: a scale needs items, a list of at least two variables.")
    if model.kind != "scale" and not model.formula:
        found.append(f'{where}: a {model.kind} model needs a formula such as "y ~ a + b".')
    return found
