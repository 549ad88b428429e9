"""One page for the committee: the verdict, what it rests on, and a line to sign, as PDF."""

from microgauge.render.summary.page import summary_pdf

__all__ = ["summary_pdf"]
