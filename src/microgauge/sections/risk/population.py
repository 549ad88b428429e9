"""A file drawn from a population: what its sampling weights say of risk."""

from __future__ import annotations

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.risk.classes import records_above
from microgauge.measures.risk.individual import individual_risk, total_risk
from microgauge.measures.risk.loglinear import log_linear_risk
from microgauge.records import dataclass
from microgauge.results import IndividualRisk, LogLinearRisk
from microgauge.sections.risk.classes import KeyClasses


@dataclass(frozen=True, eq=False)
class PopulationRisks:
    """Estimates how often the combinations of a file occur in its population."""

    classes: KeyClasses

    def of_classes(self) -> Floats:
        """Benedetti and Franconi's risk of a record of each class."""
        return individual_risk(self.classes.table.matching, self.classes.matching_weights())

    def individual(self) -> IndividualRisk:
        """Benedetti and Franconi's risk over all records."""
        try:
            risks = self.of_classes()
        except Undefined as why:
            return IndividualRisk(sum=None, reason=str(why))
        table = self.classes.table
        return IndividualRisk(
            sum=total_risk(table.rows, risks),
            mean=total_risk(table.rows, risks) / table.records,
            largest=float(risks.max()),
            above_threshold=records_above(risks, table.rows, self.classes.chosen.threshold),
        )

    def log_linear(self) -> LogLinearRisk:
        """Sample uniques that a log-linear model expects to be unique in the population."""
        table = self.classes.table
        try:
            fraction = table.records / self._size()
            if fraction > 1:
                raise Undefined(say("the population is smaller than the file"))
            # The fit stops when it is near enough, and where that is depends on which margin comes
            # first: keys stand in the order of their names, not in that of columns.
            names = self.classes.names
            order = sorted(range(len(names)), key=names.__getitem__)
            sizes = tuple(table.sizes[place] + 1 for place in order)
            matching = table.matching if table.missing_matches else None
            levels = table.levels[:, order]
            found = log_linear_risk(levels, table.rows, sizes, fraction, matching=matching)
        except Undefined as why:
            return LogLinearRisk(tau1=None, tau2=None, reason=str(why))
        return LogLinearRisk(
            tau1=found.tau1,
            tau2=found.tau2,
            model=found.model,
            fraction=fraction,
            converged=found.converged,
        )

    def _size(self) -> float:
        """People in the population: counted in its table, or by weights."""
        population = self.classes.study.population
        if population is not None:
            return float(population.engine.rows)
        return float(self.classes.weights().sum())
