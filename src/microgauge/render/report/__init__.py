"""The report: one HTML file that holds everything and loads nothing."""

from microgauge.render.report.page import report_html

__all__ = ["report_html"]
