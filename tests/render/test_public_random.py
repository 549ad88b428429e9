"""Random tables with rare categories and outliers: nothing comes back from their public report.

All 300: `PYTHONPATH=src:tests python -m support.random_tables 300`; weighted ones: `… 60 weighted`.
"""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import microgauge
from support import attacker
from support.random_tables import (
    FACTORS,
    NUMBERS,
    WEIGHT,
    attacked,
    attacked_twice,
    original,
    release,
    told,
)
from support.reports import data_of

TABLES, WEIGHTED, TWICE = 17, 4, 6


@pytest.mark.slow
def test_nothing_below_the_threshold_comes_back():
    counts = Counter()
    tables = [(number, None) for number in range(TABLES)]
    for number, weight in [*tables, *((number, WEIGHT) for number in range(WEIGHTED))]:
        found, shown = attacked(number, weight)
        assert found == [], (number, weight)
        counts += shown
    # There is something to attack.
    assert min(counts[what] for what in ("variables", "pairs", "indicators", "terms")) > TABLES


@pytest.mark.slow
def test_nobody_comes_back_from_a_page_with_them_and_one_without():
    for number in range(TWICE):
        moved, alone, right = attacked_twice(number)
        assert right == [], number
        # Most figures are the same, also where the richest is left out.
        assert moved < 0.15
        assert alone < 0.25


def wide(rng, tables, rows):
    """Tables side by side, with names and labels of their own, and a release of each."""
    sides = [], []
    for number in range(tables):
        frame = original(rng)
        frame = frame.iloc[np.arange(rows) % len(frame)].reset_index(drop=True)
        frame = frame.assign(**{name: f"{number}" + frame[name] for name in FACTORS})
        for side, one in zip(sides, (frame, release(frame, rng)), strict=True):
            side.append(one.add_suffix(f"{number}"))
    return [pd.concat(side, axis=1) for side in sides]


@pytest.mark.slow
def test_nothing_comes_back_from_a_wide_file_with_several_sensitive_variables():
    tables, threshold = 10, 10
    before, after = wide(np.random.default_rng(5), tables, 400)
    places = range(tables)
    numbers, factors = ([f"{n}{i}" for n in some for i in places] for some in (NUMBERS, FACTORS))
    roles = {name: {"role": "sensitive"} for name in ("job1", "income1", "kind2", "job3")}
    roles |= {name: {"role": "quasi_identifier"} for name in ("kind0", "region0")}
    said = [{"statistic": "mean", "variable": f"income{i}", "by": f"job{i}"} for i in places]
    said += [{"statistic": "mean", "variable": f"income{i}"} for i in places]
    models = [{"formula": f"income{i} ~ kind{i}"} for i in places]
    schema = {"variable": roles, "indicator": said, "regression": models}
    result = microgauge.assess(before, after, schema=schema, skip=["propensity"], details=True)
    data = data_of(result.report(edition="public", min_count=threshold))
    claims = attacker.attacked(data, after, len(before), threshold, numbers, factors)
    claims += attacker.single_values(data, before, after, numbers)
    assert before.shape[1] == 6 * tables
    assert attacker.leaks(claims, before, after, threshold) == []
    gone = [label for name in factors for label in set(before[name]) - set(after[name])]
    assert gone
    assert attacker.names_in(data, gone, "categories") == []
    assert not any(word in str(data) for word in ("sensitive", "quasi-identifier", "intruder"))
    assert min(told(data).values()) > 5
