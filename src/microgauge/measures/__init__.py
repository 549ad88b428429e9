"""Measures: pure functions of facts. They know no file, no engine and no page."""
