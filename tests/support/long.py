"""Further seeds and settings of tests that take long, which `make test-long` runs."""

import pytest


def more(*cases):
    """Cases of a parameter that only `make test-long` runs."""
    return [pytest.param(*_values(case), marks=pytest.mark.long) for case in cases]


def _values(case):
    return case if isinstance(case, tuple) else (case,)
