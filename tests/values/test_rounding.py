"""Resolutions of numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microgauge.values.rounding import FIRST, _resolutions, resolution


def in_full(numbers):
    return next(iter(_resolutions(numbers[np.newaxis])), None)


@pytest.mark.parametrize("first", [0.0, 1e-9, 1e-7, 1e-6, 2e-6, 0.5, 1 / 3, 1e16, np.inf])
@pytest.mark.parametrize("then", [5.0, 0.25, 1e-9, 1 / 7, 1e16])
def test_the_first_numbers_do_not_settle_what_others_do(first, then):
    numbers = np.append(first * np.arange(1, FIRST + 10), [then, 2 * then])
    numbers = numbers[np.isfinite(numbers)]
    assert resolution(numbers) == in_full(numbers)


@given(
    st.lists(st.sampled_from([0.0, 1e-8, -1e-8, 5.0, 0.1, 1 / 3, 1e17]), min_size=1),
    st.lists(st.sampled_from([0.0, 1e-8, 10.0, 0.2, 1 / 3, 1e17])),
)
def test_any_numbers(first, then):
    numbers = np.array([*np.resize(first, FIRST), *then])
    assert resolution(numbers) == in_full(numbers)
