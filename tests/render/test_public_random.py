"""Random tables with rare categories and outliers: nothing comes back from their public report.

All 300: `PYTHONPATH=src:tests python -m support.random_tables 300`; weighted ones: `… 60 weighted`.
"""

from collections import Counter

import pytest

from support.random_tables import WEIGHT, attacked

TABLES, WEIGHTED = 17, 4


@pytest.mark.slow
def test_nothing_below_the_threshold_comes_back():
    told = Counter()
    tables = [(number, None) for number in range(TABLES)]
    for number, weight in [*tables, *((number, WEIGHT) for number in range(WEIGHTED))]:
        found, shown = attacked(number, weight)
        assert found == [], (number, weight)
        told += shown
    # There is something to attack.
    assert min(told[what] for what in ("variables", "pairs", "indicators", "terms")) > TABLES
