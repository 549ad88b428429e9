"""What propensity scores say, where they are as large as what they are held against."""

import numpy as np
import pytest

from microgauge.errors import Undefined
from microgauge.measures.joint.propensity import larger_share, separation


def test_a_draw_as_large_as_the_value_is_not_larger():
    assert larger_share([0.1, 0.2, 0.2, 0.3], 0.2) == 0.25
    assert larger_share([0.2, 0.2], 0.2) == 0.0
    with pytest.raises(Undefined, match="resamples"):
        larger_share([], 0.2)


def test_a_score_at_the_threshold_counts_half():
    # Of the original, one row is below and three are at it; of the protected, one is above.
    scores = np.array([0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9])
    protected = np.array([False] * 4 + [True] * 4)
    correct = ((1 + 3 / 2) / 4 + (3 / 2 + 1) / 4) / 2
    assert separation(scores, protected, 0.5).po50 == pytest.approx(100 * (correct - 0.5))
    # Unequal numbers at it: taken as above, or as below, they would tell the files apart.
    scores = np.array([0.5, 0.5, 0.5, 0.2, 0.5, 0.9, 0.9, 0.9])
    correct = ((3 / 2 + 1) / 4 + (1 / 2 + 3) / 4) / 2
    assert separation(scores, protected, 0.5).po50 == pytest.approx(100 * (correct - 0.5))
