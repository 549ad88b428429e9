"""l-diversity and t-closeness against their definitions, class by class."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from microgauge.errors import Undefined
from microgauge.measures.risk.diversity import Diversity, diversity

Records = list[tuple[int, int]]
"""Class and value of each record."""


def measured(records: Records, size: int, ordered: bool = True, c: float = 1.0) -> Diversity:
    cells = Counter(records)
    keys = sorted(cells)
    classes, values = (np.array([key[i] for key in keys], dtype=np.intp) for i in (0, 1))
    counts = np.array([cells[key] for key in keys])
    return diversity(classes, values, counts, size=size, ordered=ordered, c=c)


def by_class(records: Records) -> list[list[int]]:
    return [[v for k, v in records if k == chosen] for chosen in sorted({k for k, _ in records})]


def shares(values: list[int], size: int) -> list[Fraction]:
    return [Fraction(values.count(v), len(values)) for v in range(size)]


def recursive(values: list[int], c: float) -> int:
    r = sorted(Counter(values).values(), reverse=True)
    return max((l for l in range(1, len(r) + 1) if r[0] < c * sum(r[l - 1 :])), default=0)  # noqa: E741


def earth(p: list[Fraction], q: list[Fraction]) -> Fraction:
    if len(p) == 1:
        return Fraction(0)
    steps = range(1, len(p))
    return sum(abs(sum(p[:i]) - sum(q[:i])) for i in steps) / Fraction(len(p) - 1)


def variation(p: list[Fraction], q: list[Fraction]) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


@st.composite
def tables(draw: st.DrawFn) -> tuple[Records, int]:
    size = draw(st.integers(1, 9))
    pairs = st.tuples(st.integers(0, 6), st.integers(0, size - 1))
    return draw(st.lists(pairs, min_size=1, max_size=60)), size


@settings(deadline=None)
@given(table=tables(), c=st.sampled_from([0.3, 0.5, 1.0, 1.5, 3.0]))
def test_diversity_is_that_of_the_worst_class(table: tuple[Records, int], c: float) -> None:
    records, size = table
    found, groups = measured(records, size, c=c), by_class(records)
    assert found.distinct == min(len(set(values)) for values in groups)
    assert found.recursive == min(recursive(values, c) for values in groups)
    entropies = [-sum(float(p) * log(p) for p in shares(values, size) if p) for values in groups]
    assert found.entropy == pytest.approx(exp(min(entropies)), rel=1e-12)


@settings(deadline=None)
@given(table=tables())
def test_t_is_the_largest_distance_to_the_table(table: tuple[Records, int]) -> None:
    records, size = table
    whole = shares([v for _, v in records], size)
    classes = [shares(values, size) for values in by_class(records)]
    for ordered, distance in ((True, earth), (False, variation)):
        expected = float(max(distance(p, whole) for p in classes))
        assert measured(records, size, ordered).t == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("size", [2, 7, 400])
def test_earth_movers_distance_is_scipys(size: int) -> None:
    rng = np.random.default_rng(size)
    classes = rng.integers(0, 30, 900)
    values = (rng.beta(0.4, 1.5, 900) * size).astype(int) * (classes % 3 + 1) // 3
    records = list(zip(classes.tolist(), values.tolist(), strict=True))
    steps = np.arange(size)
    whole = np.bincount(values, minlength=size)
    expected = max(
        wasserstein_distance(steps, steps, np.bincount(group, minlength=size), whole)
        for group in by_class(records)
    )
    assert measured(records, size).t == pytest.approx(expected / (size - 1), rel=1e-9)


@pytest.mark.parametrize(
    ("thousands", "expected"), [((3, 4, 5), 0.375), ((6, 8, 11), 1 / 6)], ids=["low", "spread"]
)
def test_salaries_of_the_t_closeness_paper(thousands: tuple[int, ...], expected: float) -> None:
    # Li, Li and Venkatasubramanian 2007, section 4.1: nine salaries of 3k … 11k, once each. The
    # other six form one class here, which is half as far from the table.
    records = [(0 if salary in thousands else 1, salary - 3) for salary in range(3, 12)]
    assert measured(records, 9).t == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("c", "level"), [(0.5, 0), (1.0, 1), (2.0, 2), (2.1, 3)])
def test_inpatients_of_the_l_diversity_paper(c: float, level: int) -> None:
    # Machanavajjhala and others 2007, the 3-diverse table: in each class of four one disease twice
    # and two others once. r = 2, 1, 1: 2 < c·4 for l = 1, 2 < c·2 for l = 2, 2 < c for l = 3.
    heart, viral, cancer = range(3)
    groups = [(heart, viral, cancer, cancer), (cancer, heart, viral, viral)]
    found = measured([(k, v) for k, group in enumerate(groups) for v in group], 3, c=c)
    assert found.distinct == 3
    assert found.entropy == pytest.approx(2**1.5, rel=1e-12)  # 1.5 bits
    assert found.recursive == level


def test_two_classes_by_hand() -> None:
    # Class 0: a a a b, class 1: b c. Table: a 3, b 2, c 1 of 6.
    records = [(0, 0)] * 3 + [(0, 1), (1, 1), (1, 2)]
    # Total variation of class 1: b ½ - ⅓, c ½ - ⅙. Of class 0: a ¾ - ½.
    assert measured(records, 3, ordered=False).t == pytest.approx(1 / 2)
    # Earth of class 1: |0 - ½| + |½ - ⅚| = ⅚, over 2. Of class 0: |¾ - ½| + |1 - ⅚|, over 2.
    assert measured(records, 3).t == pytest.approx(5 / 12)
    # r of class 0: 3, 1. 3 < 4, but not 3 < 1. Of class 1: 1, 1. 1 < 2, but not 1 < 1.
    assert measured(records, 3).recursive == 1


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("size", [1, 4])
def test_a_constant_variable_gives_everything_away_and_nothing_new(
    size: int, ordered: bool
) -> None:
    records = [(k, size - 1) for k in (0, 0, 0, 1)]
    assert measured(records, size, ordered) == Diversity(1, 1.0, 0, 0.0)


@pytest.mark.parametrize("ordered", [True, False])
def test_classes_like_the_table_are_at_no_distance(ordered: bool) -> None:
    records = [(k, v) for k in range(7) for v in (0, 2, 2, 5) for _ in range(k + 1)]
    assert measured(records, 6, ordered).t == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("ordered", [True, False])
def test_opposite_ends_are_at_the_largest_distance(ordered: bool) -> None:
    records = [(0, 0), *[(1, 8)] * 9_999]
    assert measured(records, 9, ordered).t == pytest.approx(0.9999)


def test_class_numbers_may_have_gaps() -> None:
    records = [(0, 0), (0, 1), (3, 1), (3, 1), (3, 2)]
    assert measured([(900_000 * k, v) for k, v in records], 3) == measured(records, 3)


def test_narrow_whole_numbers_do_not_overflow() -> None:
    # Counts come as 32 bits without sign. r of the last class: 60,000 < 2 · 50,000.
    classes = np.array([0, 0, 30_000, 30_000, 30_000, 60_000, 60_000])
    values = np.array([0, 1, 0, 1, 2, 1, 2])
    counts = np.array([100_000, 80_000, 1, 1, 1, 60_000, 50_000])
    narrow = [array.astype(np.uint32) for array in (classes, values, counts)]
    found = diversity(*narrow, size=3, ordered=True, c=2.0)
    assert found == diversity(classes, values, counts, size=3, ordered=True, c=2.0)
    assert found.recursive == 2


def test_earth_moves_exactly_to_where_the_table_overtakes_the_class() -> None:
    # Class 0 has values 0 and 2, P = ½, ½, 1; the table 0, 1, 2, 2, 2, Q = ⅕, ⅖, 1: below P though
    # no whole record is missing. (3/10 + 1/10)/2; class 1 is at (1/5 + 1/15)/2.
    assert measured([(0, 0), (0, 2), (1, 1), (1, 2), (1, 2)], 3).t == pytest.approx(0.2)


def test_no_record_has_no_diversity() -> None:
    nothing = np.array([], dtype=np.intp)
    with pytest.raises(Undefined, match="no record"):
        diversity(nothing, nothing, nothing, size=3, ordered=True)
