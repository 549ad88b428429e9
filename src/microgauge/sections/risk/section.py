"""The section `risk` of the result, put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.engines.rounds import Asking, Need, asked, together
from microgauge.errors import InputError, Undefined
from microgauge.log import Log
from microgauge.measures.loss.moments import quantile
from microgauge.measures.risk.classes import (
    ClassTable,
    class_table,
    expected_matches,
    internal_risk,
    records_above,
    records_within,
    size_quantiles,
)
from microgauge.measures.risk.diversity import diversity
from microgauge.measures.risk.external import (
    class_risk,
    combined_risk,
    journalist_risk,
    mean_of,
)
from microgauge.measures.risk.individual import individual_risk, total_risk
from microgauge.measures.risk.loglinear import log_linear_risk
from microgauge.measures.risk.suda import Suda, suda2
from microgauge.passes import Axis, Classes, Column, Facts
from microgauge.results import (
    AttackerRisk,
    ClassShare,
    IndividualRisk,
    LogLinearRisk,
    Risk,
    SensitiveRisk,
    SudaRisk,
)
from microgauge.schema import Variable
from microgauge.sections.risk.choices import NO_KEYS, NOT_MEASURED, RiskChoices
from microgauge.sections.risk.external import Linked
from microgauge.sections.risk.linkage import UnitRisks
from microgauge.sections.section import View
from microgauge.study.cells import Cells
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side
from microgauge.values.packing import distinct, packed, unpacked

SMALL = (1, 2, 3, 5)
QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class Measured:
    """The risk of a protected table, and what it was worked out from."""

    result: Risk
    records: RiskMeasure


def _measured(study: Study, log: Log) -> Asking[Measured | None]:
    """The risk, once for all who need it; None with a note where it cannot be measured."""
    if not study.schema.keys:
        log.note(NOT_MEASURED, f"Risk was not measured: {NO_KEYS}")
        return None
    measure = RiskMeasure(study, log)
    if not measure.keys:
        log.note(NOT_MEASURED, "Risk was not measured: every quasi-identifier was removed.")
        return None
    try:
        yield from measure.ask()
        return Measured(measure.result(), measure)
    except Undefined as why:
        log.note(NOT_MEASURED, f"Risk was not measured: {why}.")
        return None


MEASURED_RISK = View("measured risk", _measured)


def run(study: Study, log: Log) -> Asking[Risk | None]:
    """Every figure of risk."""
    del study, log
    measured = yield Need(MEASURED_RISK)
    return None if measured is None else measured.result


def _risky(study: Study, log: Log) -> Asking[Any]:
    """A data frame of row numbers and risks; None where risk was not measured."""
    del study, log
    measured = yield Need(MEASURED_RISK)
    return None if measured is None else measured.records.risky()


RISKY = View("riskiest records", _risky)


def internal_of(study: Study) -> Asking[float | None]:
    """R_internal alone; None where there are no keys or no records."""
    measure = RiskMeasure(study, Log())
    if not measure.keys:
        return None
    try:
        yield from measure.ask_classes()
        return measure.internal({})
    except Undefined:
        return None  # an empty table: whoever asked says so


@dataclass(eq=False)
class RiskMeasure:
    """Works out the risk of the protected table."""

    study: Study
    log: Log
    _facts: Facts = field(default_factory=lambda: Facts({}))
    _columns: Facts = field(default_factory=lambda: Facts({}))
    _units: UnitRisks | None = None
    _linked: Linked | None = None
    _in_population: Linked | None = None

    def ask(self) -> Asking[None]:
        """Classes, records, units and other tables: one round, and one more for other tables."""
        works: list[Asking[Any]] = [self.ask_classes(), self._ask_records()]
        works.append(UnitRisks(self.study, self.keys, self.log).ask())
        others = (self.study.external, self.study.population)
        works += [
            _nothing() if other is None else Linked.ask(self.study, self.keys, other)
            for other in others
        ]
        _, _, self._units, self._linked, self._in_population = yield from together(*works)

    def ask_classes(self) -> Asking[None]:
        """The classes, and the classes by each sensitive variable."""
        passes = [self._question, *self._by_sensitive.values()]
        self._facts = yield from asked(self.study.protected, passes)

    def _ask_records(self) -> Asking[None]:
        """The key levels of every record, where all are looked at."""
        if not self.study.sampled("protected"):
            columns = [Column(axis) for axis in self._axes]
            self._columns = yield from asked(self.study.rows("protected"), columns)

    @property
    def chosen(self) -> RiskChoices:
        """The choices of the schema."""
        return self.study.schema.of(RiskChoices)

    @cached_property
    def keys(self) -> list[Described]:
        """The quasi-identifiers that the protected table still has."""
        return [
            v for v in self.study.variables if v.role == "quasi_identifier" and not v.removed
            and v.protected is not None
        ]  # fmt: skip

    @cached_property
    def _sensitive(self) -> list[Described]:
        return [v for v in self.study.variables if v.role == "sensitive"]

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.keys)

    # -- facts -------------------------------------------------------------------------------

    @cached_property
    def _axes(self) -> tuple[Axis, ...]:
        return tuple(_side(v).axis(v.name) for v in self.keys)

    @cached_property
    def _weight_axis(self) -> Axis | None:
        return self._scored(self.study.options.weight_of("protected"))

    @cached_property
    def _record_weight_axis(self) -> Axis | None:
        return self._scored(self.chosen.record_weight)

    def _scored(self, name: str | None) -> Axis | None:
        """A column of numbers of the protected table, which the original may not have."""
        column = None if name is None else self.study.tables[1].columns.get(name)
        if name is None or column is None:
            return None
        given = self.study.schema.variables.get(name, Variable())
        cells = Cells.read(column, given.missing)
        if not cells.all_numbers or cells.empty:
            return None
        numbers = np.append(np.where(cells.missing, 0.0, cells.numbers), 0.0)
        return Axis(name, np.arange(0), len(column.values), numbers, identity=True)

    @property
    def _present_sensitive(self) -> list[Described]:
        return [v for v in self._sensitive if v.protected is not None and not v.removed]

    @cached_property
    def _question(self) -> Classes:
        scored = [a for a in (self._weight_axis, self._record_weight_axis) if a is not None]
        return Classes(self._axes, tuple(dict.fromkeys(scored)))

    @cached_property
    def _by_sensitive(self) -> dict[str, Classes]:
        return {
            v.name: Classes((*self._axes, _side(v).axis(v.name))) for v in self._present_sensitive
        }

    @cached_property
    def classes(self) -> ClassTable:
        """The classes of the protected table."""
        cells = self._facts[self._question]
        return class_table(
            unpacked(cells.keys, self._question.sizes),
            [axis.size for axis in self._axes],
            cells.rows,
            cells.sums,
            missing_matches=self.chosen.missing_keys == "any",
        )

    def _sums(self, axis: Axis | None) -> Floats | None:
        scored = self._question.scored
        return None if axis is None else self.classes.sums[scored.index(axis)]

    # -- result ------------------------------------------------------------------------------

    def result(self) -> Risk:
        """Every figure of risk, null with a reason where there is none."""
        self.log.progress("measuring risk", 0.0)
        table = self.classes
        reasons: dict[str, str] = {}
        internal = self.internal(reasons)
        external, methods, why = self._external(reasons)
        total = None
        if internal is not None:
            total = combined_risk(internal, external, self.chosen.combine, self.chosen.weights)
        assert self._units is not None
        linkage, linked = self._units.linkage(reasons)
        interval, by_variable = self._units.interval(reasons)
        return Risk(
            keys=self._names,
            records=table.records,
            missing_keys=self.chosen.missing_keys,
            internal=internal,
            external=external,
            external_methods=methods,
            external_reasons=why,
            external_keys=self._external_keys(),
            combine=self.chosen.combine,
            total=total,
            safety=None if total is None else 1.0 - total,
            k=int(table.matching.min()),
            classes_total=len(table.rows),
            uniques=records_within(table, 1),
            classes={str(most): _share(table, most) for most in SMALL},
            class_quantiles=_quantiles(table),
            expected_reidentifications=expected_matches(table),
            threshold=self.chosen.threshold,
            above_threshold=records_above(table.risk, table.rows, self.chosen.threshold),
            population_uniques=self._population_uniques(reasons),
            individual=self._individual(),
            loglinear=self._loglinear(),
            sensitive=tuple(self._diversity(v) for v in self._sensitive),
            suda=self._suda_result(),
            linkage=linkage,
            linkage_records=linked,
            interval=interval,
            interval_width=self.chosen.interval,
            interval_variables=by_variable,
            prosecutor=self._prosecutor(),
            journalist=self._journalist(),
            marketer=self._marketer(reasons),
            seed=self.study.options.seed,
            reason="; ".join(f"{name}: {why}" for name, why in reasons.items()) or None,
        )

    def internal(self, reasons: dict[str, str]) -> float | None:
        """R_internal, or null with the reason among the others."""
        try:
            if self.chosen.record_weight is None:
                return internal_risk(self.classes)
            axis = self._record_weight_axis
            weights = self._sums(axis)
            if axis is None or weights is None:
                raise Undefined("the record weight is no column of numbers in the protected table")
            if axis.scores is not None and bool((axis.scores < 0).any()):
                raise Undefined("the record weight is negative in some rows")
            return internal_risk(self.classes, weights)
        except Undefined as why:
            reasons["internal"] = str(why)
            return None

    # -- other tables ------------------------------------------------------------------------

    def _external_keys(self) -> tuple[str, ...]:
        return () if self._linked is None else tuple(v.name for v in self._linked.shared)

    def _external(
        self, reasons: dict[str, str]
    ) -> tuple[float | None, dict[str, float | None], dict[str, str]]:
        if self._linked is None:
            reasons["external"] = "no external table is given"
            return None, {}, {}
        methods, why = self._linked.methods(self.classes)
        wanted = {name: methods[name] for name in self.chosen.external_method}
        missing = [f"{name}: {why[name]}" for name, value in wanted.items() if value is None]
        if missing:
            reasons["external"] = "; ".join(missing)
            self.log.note(
                "external-undefined",
                f"External risk is not defined, and the risk is the internal one: {missing[0]}.",
            )
            return None, methods, why
        return mean_of({n: v for n, v in wanted.items() if v is not None}), methods, why

    def _population_uniques(self, reasons: dict[str, str]) -> int | None:
        """Sample uniques that are unique in the population table too."""
        if self._in_population is None:
            reasons["population_uniques"] = "no population table is given"
            return None
        try:
            alone = (self.classes.matching == 1) & (self._in_population.matches(self.classes) == 1)
        except Undefined as why:
            reasons["population_uniques"] = str(why)
            return None
        return int(self.classes.rows[alone].sum())

    def _matches(self) -> Counts:
        """Records of the population table, or else of the external one, for each class."""
        linked = self._in_population or self._linked
        if linked is None:
            raise Undefined("no external or population table is given")
        return linked.matches(self.classes)

    def _prosecutor(self) -> AttackerRisk:
        table = self.classes
        above = records_above(table.risk, table.rows, self.chosen.threshold)
        return AttackerRisk(
            largest=float(table.risk.max()),
            mean=internal_risk(table),
            at_risk=above / table.records,
        )

    def _journalist(self) -> AttackerRisk:
        try:
            matches = self._matches()
            risks = np.where(matches > 0, 1.0 / np.maximum(matches, 1), 0.0)
            above = records_above(risks, self.classes.rows, self.chosen.threshold)
            return AttackerRisk(
                largest=journalist_risk(matches),
                mean=class_risk(self.classes.rows, matches),
                at_risk=above / self.classes.records,
            )
        except Undefined as why:
            return AttackerRisk(largest=None, mean=None, at_risk=None, reason=str(why))

    def _marketer(self, reasons: dict[str, str]) -> float | None:
        """Mean risk of a record in the population or external table."""
        try:
            return class_risk(self.classes.rows, self._matches())
        except Undefined as why:
            reasons["marketer"] = str(why)
            return None

    # -- sampling weights --------------------------------------------------------------------

    def _class_weights(self) -> Floats:
        if self.study.options.weight_of("protected") is None:
            raise Undefined("no sampling weight is given ([options] weight)")
        weights = self._sums(self._weight_axis)
        if weights is None:
            raise Undefined("the weight is no column of numbers in the protected table")
        return weights

    def class_individual_risk(self) -> Floats:
        """Benedetti and Franconi's risk of a record of each class."""
        return individual_risk(self.classes.rows, self._class_weights())

    def _individual(self) -> IndividualRisk:
        try:
            risks = self.class_individual_risk()
        except Undefined as why:
            return IndividualRisk(sum=None, reason=str(why))
        rows = self.classes.rows
        return IndividualRisk(
            sum=total_risk(rows, risks),
            mean=total_risk(rows, risks) / self.classes.records,
            largest=float(risks.max()),
            above_threshold=records_above(risks, rows, self.chosen.threshold),
        )

    def _loglinear(self) -> LogLinearRisk:
        table = self.classes
        try:
            fraction = table.records / self._population_size()
            if fraction > 1:
                raise Undefined("the population is smaller than the file")
            sizes = tuple(size + 1 for size in table.sizes)
            found = log_linear_risk(table.levels, table.rows, sizes, fraction)
        except Undefined as why:
            return LogLinearRisk(tau1=None, tau2=None, reason=str(why))
        return LogLinearRisk(
            tau1=found.tau1,
            tau2=found.tau2,
            model=found.model,
            fraction=fraction,
            converged=found.converged,
        )

    def _population_size(self) -> float:
        if self.study.population is not None:
            return float(self.study.population.engine.rows)
        return float(self._class_weights().sum())

    # -- sensitive variables -----------------------------------------------------------------

    def _diversity(self, variable: Described) -> SensitiveRisk:
        start: dict[str, Any] = {"c": self.chosen.c, "l_asked": self.chosen.l}
        if variable not in self._present_sensitive:
            return SensitiveRisk(name=variable.name, reason="removed", **start)
        side = _side(variable)
        classes, values, counts = self._class_values(variable)
        try:
            found = diversity(
                classes,
                values,
                counts,
                size=len(side.levels),
                ordered=side.type != "nominal",
                c=self.chosen.c,
            )
        except Undefined as why:
            return SensitiveRisk(name=variable.name, reason=str(why), **start)
        return SensitiveRisk(
            name=variable.name,
            distinct_l=found.distinct,
            entropy_l=found.entropy,
            recursive_l=found.recursive,
            satisfied=found.recursive >= self.chosen.l,
            t=found.t,
            reason="the variable is constant" if len(side.levels) == 1 else None,
            **start,
        )

    def _class_values(self, variable: Described) -> tuple[Index, Index, Counts]:
        """Cells of classes × values that are not empty; missing values left out."""
        cells = self._facts[self._by_sensitive[variable.name]]
        size = len(_side(variable).levels)
        sizes = [*(size + 1 for size in self.classes.sizes), size + 1]
        levels = unpacked(cells.keys, sizes)
        known = levels[:, -1] < size
        levels, rows = levels[known], cells.rows[known]
        # Cells are sorted by class, because the variable is the last of their axes.
        _, classes, _ = distinct(packed(list(levels[:, :-1].T), sizes[:-1]), 1 << 62)
        return classes, levels[:, -1], rows

    # -- records ---------------------------------------------------------------------------

    def risky(self) -> Any:
        """A data frame: row number, class, its size, and the risks of every record, worst first.

        No value of the data is in it.
        """
        import polars as pl

        if not self.study.protected.numbered:
            raise InputError("rows have no numbers in Spark: the riskiest cannot be listed.")
        if self.study.sampled("protected"):
            raise InputError(
                f"the riskiest records are listed for tables of up to sample_rows = "
                f"{self.study.options.sample_rows:,} records; raise it in [options]."
            )
        levels = self.record_levels
        sizes = [size + 1 for size in self.classes.sizes]
        _, places, _ = distinct(packed(list(levels.T), sizes), 1 << 62)
        columns: dict[str, Any] = {
            "row": np.arange(1, len(levels) + 1),
            "class": places + 1,
            "class_size": self.classes.matching[places],
            "risk": self.classes.risk[places],
        }
        try:
            columns["individual_risk"] = self.class_individual_risk()[places]
        except Undefined:
            columns["individual_risk"] = [None] * len(levels)  # the result says why
        if not isinstance(self.suda, Undefined):
            columns |= {"suda": self.suda.scores, "dis_suda": self.suda.dis}
        order = ["risk", *(["suda"] if "suda" in columns else [])]
        return pl.DataFrame(columns).sort(
            [*order, "row"], descending=[*(True for _ in order), False]
        )

    # -- special uniques ---------------------------------------------------------------------

    @cached_property
    def record_levels(self) -> Index:
        """The key levels of every record."""
        return np.stack([self._columns[Column(axis)] for axis in self._axes], axis=1)

    @cached_property
    def suda(self) -> Suda | Undefined:
        """SUDA2 of every record, or why there is none."""
        if self.study.sampled("protected"):
            # A record that is unique in a sample need not be so in the file.
            return Undefined(f"more than sample_rows = {self.study.options.sample_rows:,} records")
        try:
            return suda2(
                self.record_levels,
                self.classes.sizes,
                most=self.chosen.suda_max,
                fraction=self.chosen.suda_fraction,
            )
        except Undefined as why:
            return why

    def _suda_result(self) -> SudaRisk:
        self.log.progress("looking for special uniques", 0.0)
        found = self.suda
        if isinstance(found, Undefined):
            return SudaRisk(scores=None, contributions=None, reason=str(found))
        names = self._names
        labels = [_side(v).levels.labels for v in self.keys]
        return SudaRisk(
            scores=_spread(found.scores),
            contributions={names[j]: share for j, share in found.contributions.items()},
            level_contributions={
                names[j]: {_label(labels[j], code): s for code, s in shares.items()}
                for j, shares in found.level_contributions.items()
            },
            msus={str(size): count for size, count in found.msu_sizes.items()},
            dis=_spread(found.dis),
            most=found.size,
            fraction=found.fraction,
        )


def _nothing() -> Asking[None]:
    """A part that asks nothing."""
    return None
    yield


def _side(variable: Described) -> Side:
    assert variable.protected is not None
    return variable.protected


def _label(labels: tuple[str, ...], code: int) -> str:
    return labels[code] if code < len(labels) else "(missing)"


def _share(table: ClassTable, most: int) -> ClassShare:
    records = records_within(table, most)
    return ClassShare(records=records, share=records / table.records)


def _quantiles(table: ClassTable) -> dict[str, float]:
    found = size_quantiles(table, QUANTILES)
    return {f"{share:.0%}": size for share, size in zip(QUANTILES, found, strict=True)}


def _spread(scores: Floats) -> dict[str, float]:
    ranked, ones = np.sort(scores), np.ones(len(scores))
    found = {
        f"{share:.0%}": quantile(ranked, ones, share, counts=True) for share in (0.5, 0.95, 0.99)
    }
    return {**found, "largest": float(ranked[-1]), "mean": float(ranked.mean())}
