"""The penalty of a recoded cell, by hand."""

import numpy as np
import pytest

from microgauge.errors import Undefined
from microgauge.measures.loss.certainty import mean_penalty, merge_penalties, width_penalties


def test_a_cell_wider_than_the_range_is_as_uncertain_as_a_missing_one():
    # An open band may be declared wider than the values that the original has.
    assert width_penalties(np.array([0.0, 5.0, 10.0, 25.0]), 10.0).tolist() == [0, 0.5, 1, 1]


def test_a_constant_has_no_penalty():
    with pytest.raises(Undefined, match="constant"):
        width_penalties(np.array([1.0]), 0.0)


def test_categories_that_stand_alone_are_certain():
    assert merge_penalties(np.array([0, 1, 1, 1, 2]), 3).tolist() == [0, 0.6, 0]


def test_suppressed_cells_count_in_full():
    found = mean_penalty(np.array([0.25, 0.5]), np.array([2.0, 1.0]), 1.0)
    assert found == ((0.5 + 0.5 + 1.0) / 4, 4.0)
    with pytest.raises(Undefined, match="no cell"):
        mean_penalty(np.array([]), np.array([]), 0.0)
