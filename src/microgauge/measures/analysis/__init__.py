"""Does an analysis still hold? Published indicators and regressions on both sides."""
