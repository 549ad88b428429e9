"""The risk of a study: classes, external tables, sensitive variables, uniques, linkage."""

from microgauge.sections.risk.external import read_external
from microgauge.sections.risk.section import risk_of

__all__ = ["read_external", "risk_of"]
