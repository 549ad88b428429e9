"""Indented JSON against the standard library's."""

import json
from enum import IntEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microgauge.results.plain import indented

scalars = (
    st.none() | st.booleans() | st.integers() | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)  # fmt: skip
names = st.text() | st.integers() | st.booleans() | st.none()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(names, inner),
    max_leaves=30,
)


def by_library(value):
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)


@given(values)
def test_every_value_is_written_as_the_library_writes_it(value):
    assert indented(value) == by_library(value)


class Grade(IntEnum):
    GOOD = 1


@pytest.mark.parametrize("value", [np.float64(0.1), Grade.GOOD, {"a": [Grade.GOOD, {"b": ()}]}])
def test_kinds_of_numbers(value):
    assert indented(value) == by_library(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-np.inf], {"a": {1, 2}}])
def test_what_has_no_place_in_json_is_refused(value):
    with pytest.raises((ValueError, TypeError)):
        indented({"held": value})
