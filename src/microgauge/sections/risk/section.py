"""The section `risk` of the result, put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microgauge.engines.rounds import Asking, Need, together
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.risk.classes import (
    ClassTable,
    expected_matches,
    records_above,
    records_within,
    size_quantiles,
)
from microgauge.measures.risk.external import combined_risk
from microgauge.records import dataclass
from microgauge.results import ClassShare, Risk
from microgauge.sections.risk.attackers import Attackers
from microgauge.sections.risk.choices import NOT_MEASURED, no_keys
from microgauge.sections.risk.classes import KeyClasses, MissingKeys
from microgauge.sections.risk.external import Linked
from microgauge.sections.risk.linkage import UnitRisks
from microgauge.sections.risk.population import PopulationRisks
from microgauge.sections.risk.riskiest import riskiest
from microgauge.sections.risk.sensitive import SensitiveValues
from microgauge.sections.risk.uniques import SpecialUniques
from microgauge.sections.section import Shared
from microgauge.study.external import External
from microgauge.study.guesses import guessed_keys
from microgauge.study.study import Study

SMALL = (1, 2, 3, 5)
WAYS: tuple[MissingKeys, MissingKeys] = ("value", "any")
QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class Measured:
    """The risk of a protected table, and what it was worked out from."""

    result: Risk
    records: RiskMeasure


def _measured(study: Study, log: Log) -> Asking[Measured | None]:
    """The risk, once for all who need it; None with a note where it cannot be measured."""
    if not study.schema.keys:
        guessed = guessed_keys(study.variables)
        log.note(
            NOT_MEASURED, say("Risk was not measured: {no_keys}", no_keys=no_keys(guessed)), guessed
        )
        return None
    classes = KeyClasses(study)
    if not classes.keys:
        log.note(
            NOT_MEASURED,
            say("Risk was not measured: every quasi-identifier was removed or has no value left."),
        )
        return None
    try:
        measure = yield from RiskMeasure.ask(classes, log)
        return Measured(measure.result(), measure)
    except Undefined as why:
        log.note(NOT_MEASURED, say("Risk was not measured: {why}.", why=why))
        return None


MEASURED_RISK = Shared(say("measured risk"), _measured)


def run(study: Study, log: Log) -> Asking[Risk | None]:
    """Every figure of risk."""
    del study, log
    measured = yield Need(MEASURED_RISK)
    return None if measured is None else measured.result


def _risky(study: Study, log: Log) -> Asking[Any]:
    """A data frame of row numbers and risks; None where risk was not measured."""
    del study, log
    measured = yield Need(MEASURED_RISK)
    if measured is None:
        return None
    return riskiest(measured.records.classes, measured.records.uniques)


RISKY = Shared(say("riskiest records"), _risky)


def internal_of(study: Study) -> Asking[float | None]:
    """R_internal alone; None where there are no keys or no records."""
    classes = KeyClasses(study)
    if not classes.keys:
        return None
    try:
        yield from classes.ask()
        return classes.internal({})
    except Undefined:
        return None  # an empty table: whoever asked says so


@dataclass(frozen=True, eq=False)
class RiskMeasure:
    """Works out the risk of the protected table."""

    classes: KeyClasses
    sensitive: SensitiveValues
    uniques: SpecialUniques
    units: UnitRisks
    attackers: Attackers
    log: Log

    @staticmethod
    def ask(classes: KeyClasses, log: Log) -> Asking[RiskMeasure]:
        """Classes, records, units and other tables: one round, and one more for other tables."""
        study = classes.study
        sensitive, uniques = SensitiveValues(classes), SpecialUniques(classes)
        *_, units, linked, in_population = yield from together(
            classes.ask(),
            sensitive.ask(),
            uniques.ask(),
            UnitRisks(study, classes.keys, log).ask(),
            _linked(classes, study.external),
            _linked(classes, study.population),
        )
        attackers = Attackers(classes, linked, in_population, log)
        return RiskMeasure(classes, sensitive, uniques, units, attackers, log)

    def result(self) -> Risk:
        """Every figure of risk, null with a reason where there is none."""
        self.log.progress(say("measuring risk"), 0.0)
        table, chosen, attackers = self.classes.table, self.classes.chosen, self.attackers
        reasons: dict[str, str] = {}
        internal = self.classes.internal(reasons)
        unmatched, matched = attackers.external_matches(reasons)
        external, methods, why = attackers.external(reasons)
        total = None
        if internal is not None:
            total = combined_risk(internal, external, chosen.combine, chosen.weights)
        linkage, linked = self.units.linkage(reasons)
        interval, by_variable = self.units.interval(reasons)
        population_uniques = attackers.population_uniques(reasons)
        population = PopulationRisks(self.classes)
        individual, log_linear = population.individual(), population.log_linear()
        sensitive = self.sensitive.results()
        self.log.progress(say("looking for special uniques"), 0.0)
        return Risk(
            keys=self.classes.names,
            records=table.records,
            internal=internal,
            **self._both_ways(),
            sensitivity=self.classes.sensitivities,
            external=external,
            external_unmatched=unmatched,
            external_matched=matched,
            external_weights={} if attackers.linked is None else chosen.method_weights,
            external_methods=methods,
            external_reasons=why,
            external_keys=attackers.external_keys(),
            combine=chosen.combine,
            total=total,
            safety=None if total is None else 1.0 - total,
            k=int(table.matching.min()),
            classes_total=len(table.rows),
            uniques=records_within(table, 1),
            classes={str(most): _share(table, most) for most in SMALL},
            class_quantiles=_quantiles(table),
            expected_reidentifications=expected_matches(table),
            threshold=chosen.threshold,
            above_threshold=records_above(table.risk, table.rows, chosen.threshold),
            population_uniques=population_uniques,
            individual=individual,
            loglinear=log_linear,
            sensitive=sensitive,
            suda=self.uniques.result(),
            linkage=linkage,
            linkage_records=linked,
            interval=interval,
            interval_width=chosen.interval,
            interval_variables=by_variable,
            prosecutor=attackers.prosecutor(),
            journalist=attackers.journalist(),
            marketer=attackers.marketer(reasons),
            seed=self.classes.study.options.seed,
            reason=_told(reasons),
        )

    def _both_ways(self) -> dict[str, Any]:
        """What a missing key is and why, and the main figures with it taken in either way."""
        how, why = self.classes.missing_keys
        found: dict[str, Any] = {"missing_keys": how, "missing_keys_why": why}
        for way in WAYS:
            table = self.classes.table_by(way)
            found[f"internal_{way}"] = self.classes.internal({}, way)
            found[f"k_{way}"] = int(table.matching.min())
            found[f"uniques_{way}"] = records_within(table, 1)
        return found


def _linked(classes: KeyClasses, other: External | None) -> Asking[Linked | None]:
    """Another table beside the classes, where there is one."""
    if other is None:
        return None
    linked = yield from Linked.ask(classes.study, classes.keys, other)
    return linked


def _share(table: ClassTable, most: int) -> ClassShare:
    records = records_within(table, most)
    return ClassShare(records=records, share=records / table.records)


def _quantiles(table: ClassTable) -> dict[str, float]:
    found = size_quantiles(table, QUANTILES)
    return {f"{share:.0%}": size for share, size in zip(QUANTILES, found, strict=True)}


def _told(reasons: Mapping[str, str]) -> str | None:
    """Why figures are null, each with its name."""
    each = (say("{name}: {why}", name=name, why=why) for name, why in reasons.items())
    return strung(each, "; ") or None
