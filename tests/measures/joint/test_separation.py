"""What propensity scores say, where they are as large as what they are held against."""

import numpy as np
import pytest
import threadpoolctl

from microgauge.errors import Undefined
from microgauge.measures.joint.propensity import crossed_by, larger_share, separation


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


@pytest.mark.parametrize(("rows", "alone"), [(100, True), (20_000, False)])
def test_trees_on_few_rows_do_not_share_them_among_threads(rows, alone, monkeypatch):
    """On busy machines threads that wait for each other took minutes for seconds of work."""
    pytest.importorskip("sklearn.ensemble")
    seen = []

    class Seen:
        def fit(self, features, labels):
            found = threadpoolctl.threadpool_info()
            seen.extend(one["num_threads"] for one in found if one["user_api"] == "openmp")
            return self

        def predict_proba(self, features):
            return np.full((len(features), 2), 0.5)

    labels = np.tile([0.0, 1.0], rows // 2)
    with threadpoolctl.threadpool_limits(limits=2, user_api="openmp"):
        crossed_by(Seen, np.zeros((rows, 1)), labels, np.arange(rows) % 5)
    assert seen
    assert all(threads == 1 for threads in seen) == alone
