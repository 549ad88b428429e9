"""The section `loss` of the result, put together."""

from __future__ import annotations

from microgauge.engines.rounds import Asking, together
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.loss.matrices import Scatter
from microgauge.records import dataclass
from microgauge.results import Loss, MatrixLoss, TableLoss
from microgauge.results.loss import Correlations
from microgauge.sections.loss.loglinear import LogLinear
from microgauge.sections.loss.methods import with_methods
from microgauge.sections.loss.statistics import MATRICES, Statistics, no_matrix
from microgauge.sections.loss.tables import Tables
from microgauge.sections.loss.validity import Validity
from microgauge.sections.loss.values import Values
from microgauge.study.study import Study

NOT_ROBUST = say("eigenvalues_robust: left out, as it takes long: robust in [loss], or full")


def run(study: Study, log: Log) -> Asking[Loss]:
    """Everything the practice guide compares, for every variable it fits."""
    log.progress(say("comparing values"), 0.0)
    values = Values(study, log)
    counted = Tables(study, log)
    statistics = Statistics(study, values.numbers, log)
    models = LogLinear(study, log, counted.names())
    _, tables, _, loglinear = yield from together(
        values.ask(), counted.results(), statistics.ask(), models.results()
    )
    if counted.left_out():
        log.note(
            "tables-left-out",
            say(
                "Tables leave out {left_out}: too many distinct values.",
                left_out=strung(counted.left_out(), ", "),
            ),
            counted.left_out(),
        )
    log.progress(say("comparing covariances"), 0.0)
    described = _described(statistics)
    il1s, il1, why = values.in_all()
    gcp, no_gcp = values.gcp()
    changed, recoded = values.records_changed()
    reasons = [why, no_gcp, described.reason, None if tables else say("ctbil, aad: no categories")]
    ctbil, aad = _in_all(tables)
    return Loss(
        units=None if values.rows is None else values.rows.rows,
        records_changed=changed,
        records_changed_recoded=recoded,
        il1s=il1s,
        il1=il1,
        gcp=gcp,
        ctbil=ctbil,
        aad=aad,
        eigenvalues=described.eigenvalues,
        eigenvalues_robust=described.robust,
        variables=with_methods(values),
        tables=tables,
        matrices=described.matrices,
        correlations=described.correlations,
        subdomains=statistics.subdomains(),
        loglinear=loglinear,
        validity=Validity(study, statistics, tables).result(),
        seed=study.options.seed,
        reason=strung((reason for reason in reasons if reason), "; ") or None,
    )


def _in_all(tables: tuple[TableLoss, ...]) -> tuple[float | None, float | None]:
    """CTBIL over all tables, and its mean over all their cells."""
    counted = [table for table in tables if table.ctbil is not None]
    if not counted:
        return None, None
    total = sum(table.ctbil or 0.0 for table in counted)
    return total, total / sum(table.cells for table in counted)


@dataclass(frozen=True)
class _Described:
    matrices: dict[str, MatrixLoss]
    eigenvalues: float | None = None
    robust: float | None = None
    correlations: Correlations | None = None
    reason: str | None = None


def _described(statistics: Statistics) -> _Described:
    try:
        scatters: tuple[Scatter, Scatter] = statistics.scatters()
    except Undefined as why:
        matrices = {name: no_matrix(str(why)) for name in MATRICES}
        return _Described(matrices, reason=say("eigenvalues, eigenvalues_robust: {why}", why=why))
    reasons = []
    eigenvalues = robust = None
    try:
        eigenvalues = statistics.eigenvalues(scatters)
    except Undefined as why:
        reasons.append(say("eigenvalues: {why}", why=why))
    try:
        robust = statistics.robust() if statistics.wants_robust else None
    except Undefined as why:
        reasons.append(say("eigenvalues_robust: {why}", why=why))
    if not statistics.wants_robust:
        reasons.append(NOT_ROBUST)
    return _Described(
        statistics.matrices(scatters),
        eigenvalues,
        robust,
        statistics.correlations(scatters),
        strung(reasons, "; ") or None,
    )
