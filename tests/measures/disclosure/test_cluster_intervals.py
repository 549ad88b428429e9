"""How sure means over people are: against formulas of textbooks."""

import numpy as np
import pytest
from scipy import stats

from microgauge.measures.disclosure.intervals import clustered, normal_quantile

Z = normal_quantile()


def table(values, clusters=None):
    """People one by one: each a profile."""
    rows = len(values)
    alone = np.full(rows, -1) if clusters is None else np.asarray(clusters)
    return np.asarray(values, dtype=float).reshape(rows, -1), np.ones(rows, dtype=np.int64), alone


def test_people_by_themselves_have_the_usual_error():
    values = np.random.default_rng(1).normal(3, 2, 500)
    found = clustered(table(values))
    assert found.means == pytest.approx([values.mean()])
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(stats.sem(values), rel=1e-9)
    assert found.errors[0] == pytest.approx(stats.sem(values), rel=0.01)


def test_few_clusters_have_students_quantile():
    """All move the mean alike: as many degrees of freedom as clusters less one."""
    found = clustered(table([1.0, -1.0] * 3))
    assert found.degrees == pytest.approx([5.0])
    assert Z * found.errors[0] == pytest.approx(
        stats.t.ppf(0.975, 5) * np.sqrt(found.covariance[0, 0])
    )


def test_degrees_of_normal_clusters_are_about_their_number():
    values = np.random.default_rng(2).normal(0, 1, 20_000)
    assert clustered(table(values)).degrees[0] == pytest.approx(20_000, rel=0.1)


def test_one_cluster_that_makes_up_all_leaves_few_degrees():
    found = clustered(table([100.0, *np.random.default_rng(3).normal(0, 1, 50)]))
    assert found.degrees[0] < 3


def test_people_of_a_cluster_count_as_one():
    values = np.random.default_rng(4).normal(0, 1, 40)
    found = clustered(table(np.repeat(values, 5), np.repeat(np.arange(40), 5)))
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(stats.sem(values), rel=1e-9)


def test_a_second_table_that_shows_nothing_is_not_sure():
    """20 people of whom nothing is right vary as the first 200 do; a figure they lack does not."""
    rng = np.random.default_rng(5)
    first = (rng.random((200, 2)) < 0.1).astype(float)
    second = np.zeros((20, 2))
    found = clustered(table(first), table(second), kept=1)
    alone = first.var(axis=0) / 200
    assert found.covariance[0, 0] == pytest.approx(alone[0], rel=0.02)
    assert found.covariance[1, 1] == pytest.approx(alone[1] * (1 + 200 / 20), rel=0.02)


def test_equal_tables_differ_by_the_sum_of_variances():
    rng = np.random.default_rng(6)
    values = rng.normal(0, 1, 300)
    found = clustered(table(values), table(rng.permutation(values)))
    assert found.means == pytest.approx([0.0], abs=1e-12)
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(stats.sem(values) * 2**0.5, rel=0.01)
