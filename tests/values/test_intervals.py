"""Labels that name ranges of numbers."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.values.intervals import Interval, assign, parse_interval, parse_intervals

INF = math.inf


@pytest.mark.parametrize(
    ("label", "low", "high", "low_open", "high_open"),
    [
        ("30-39", 30, 39, False, False),
        ("30 - 39", 30, 39, False, False),
        ("30–39", 30, 39, False, False),
        ("30 to 39", 30, 39, False, False),
        ("30-39 years", 30, 39, False, False),
        ("0.5-1.5", 0.5, 1.5, False, False),
        ("1,000-1,999", 1000, 1999, False, False),
        ("-10-0", -10, 0, False, False),
        ("[30,40)", 30, 40, False, True),
        ("[30, 40)", 30, 40, False, True),
        ("(30, 40]", 30, 40, True, False),
        ("(30,40]", 30, 40, True, False),
        ("[30,40]", 30, 40, False, False),
        ("(30.5, 40.25]", 30.5, 40.25, True, False),
        ("(-inf, 18]", -INF, 18, True, False),
        ("[65, inf)", 65, INF, False, True),
        ("80+", 80, INF, False, True),
        ("80 +", 80, INF, False, True),
        (">=80", 80, INF, False, True),
        ("≥ 80", 80, INF, False, True),
        ("65 and over", 65, INF, False, True),
        ("65 or more", 65, INF, False, True),
        ("65 years and over", 65, INF, False, True),
        (">65", 65, INF, True, True),
        ("<18", -INF, 18, True, True),
        ("< 18", -INF, 18, True, True),
        ("under 18", -INF, 18, True, True),
        ("<=18", -INF, 18, True, False),
        ("17 and under", -INF, 17, True, False),
        ("42", 42, 42, False, False),
    ],
)
def test_labels_that_are_intervals(label, low, high, low_open, high_open):
    found = parse_interval(label)
    assert found is not None
    assert (found.low, found.high) == (low, high)
    # Whether an infinite end is open means nothing.
    assert found.low_open == low_open or low == -INF
    assert found.high_open == high_open or high == INF


@pytest.mark.parametrize(
    "label",
    ["blue", "", "Jan-Feb", "A1-B2", "40-30", "(30,30]", "30-39-49", "2020-01-05", "12:30", "a+"],
)
def test_labels_that_are_not(label):
    assert parse_interval(label) is None


def test_a_column_of_plain_numbers_names_no_intervals():
    assert parse_intervals(["1", "2", "3"]) is None
    assert parse_intervals(["1", "2", "3+"]) is not None
    assert parse_intervals(["1-2", "3-4", "other"]) is None


@given(st.integers(-9999, 9999), st.integers(1, 9999), st.sampled_from(["[%d,%d)", "(%d, %d]"]))
@settings(max_examples=100, deadline=None)
def test_brackets_read_back_as_written(low, width, form):
    # Commas must not be taken for thousands: [100,200) is no number 100,200.
    found = parse_interval(form % (low, low + width))
    assert (found.low, found.high) == (low, low + width)


@given(st.integers(0, 99999), st.integers(1, 9999))
@settings(max_examples=100, deadline=None)
def test_spans_read_back_as_written(low, width):
    found = parse_interval(f"{low}-{low + width}")
    assert (found.low, found.high) == (low, low + width)


@given(
    st.lists(st.integers(0, 100), min_size=2, max_size=8, unique=True).map(sorted),
    st.lists(st.integers(-5, 110), min_size=1, max_size=30),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_numbers_find_their_bracket(breaks, numbers, left):
    form = "[{},{})" if left else "({}, {}]"
    bands = [parse_interval(form.format(a, b)) for a, b in pairwise(breaks)]
    found = assign(np.array(numbers, dtype=float), bands)
    for number, band in zip(numbers, found, strict=True):
        inside = [
            i
            for i, (a, b) in enumerate(pairwise(breaks))
            if (a <= number < b if left else a < number <= b)
        ]
        assert band == (inside[0] if inside else -1)


def test_bands_given_in_any_order():
    bands = [parse_interval(label) for label in ("65 and over", "<18", "18-64")]
    assert assign(np.array([5.0, 18.0, 64.0, 65.0, 90.0]), bands).tolist() == [1, 2, 2, 0, 0]


def test_a_shared_end_belongs_to_the_upper_band():
    bands = [parse_interval(label) for label in ("30-40", "40-50")]
    assert assign(np.array([39.0, 40.0, 50.0]), bands).tolist() == [0, 1, 1]


def test_fractions_between_bands_of_whole_units():
    bands = [parse_interval(label) for label in ("30-39", "40-49")]
    assert assign(np.array([39.5, 39.99, 40.0]), bands).tolist() == [0, 0, 1]


def test_a_gap_between_bands_holds_nothing():
    bands = [parse_interval(label) for label in ("30-39", "50-59")]
    assert assign(np.array([45.0]), bands).tolist() == [-1]


def test_intervals_within_others():
    assert Interval(30, 34).within(Interval(30, 39))
    assert not Interval(30, 40).within(Interval(30, 40, high_open=True))
    assert Interval(30, 40, high_open=True).within(Interval(30, 40))
    assert not Interval(29, 34).within(Interval(30, 39))
