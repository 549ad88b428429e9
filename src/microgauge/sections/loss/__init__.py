"""The information loss of a study: values, tables, statistics of continuous variables."""

from microgauge.sections.loss.section import information_loss

__all__ = ["information_loss"]
