"""Random tables with rare categories and outliers: nothing comes back from their public report.

All 300: `PYTHONPATH=src:tests python -m support.random_tables 300`.
"""

from collections import Counter

import pytest

from support.random_tables import attacked

TABLES = 20


@pytest.mark.slow
def test_nothing_below_the_threshold_comes_back():
    told = Counter()
    for number in range(TABLES):
        found, shown = attacked(number)
        assert found == [], number
        told += shown
    # There is something to attack.
    assert min(told[what] for what in ("variables", "pairs", "indicators", "terms")) > TABLES
