"""Tables read in batches."""

from contextlib import contextmanager

import pytest

import microgauge
from microgauge.tables import Reading
from microgauge.tables.source import Source


@contextmanager
def in_batches(rows):
    """Every table is read in batches of so many rows."""
    whole = Source.batches
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reading, "batches", lambda self, source: True)
        patch.setattr(Source, "batches", lambda self, size: whole(self, rows))
        yield patch


def assessed(original, protected, rows=None, **choices):
    """A result: in memory, or in batches of some rows."""
    if rows is None:
        return microgauge.assess(original, protected, **choices)
    with in_batches(rows):
        return microgauge.assess(original, protected, **choices)
