"""The finer model of the cross-fitted AUC: numbers where the original has none, and penalties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

from microgauge.errors import Undefined
from microgauge.measures.joint.crossing import cells_of, crossed_scores
from microgauge.measures.joint.folds import cross_auc, folds_of
from microgauge.measures.joint.grouping import Frequencies, fine
from microgauge.measures.joint.joint import Joint, JointVariable


def joint_of(*files):
    """Rows of numbers of two files, one below the other."""
    rows = np.vstack(files)
    protected = np.repeat([False, True], [len(files[0]), len(files[1])])
    variables, codes = [], []
    for place, column in enumerate(rows.T):
        values, levels = np.unique(column, return_inverse=True)
        variables.append(JointVariable(f"v{place}", "continuous", len(values), values))
        codes.append(levels)
    return Joint(tuple(variables), np.column_stack(codes), protected)


def auc_of(joint):
    folds = folds_of(joint, 1).of
    return cross_auc(crossed_scores(joint, folds), joint.protected, folds)


def test_values_with_many_rows_stand_alone_and_what_is_between_them_is_its_own():
    before = np.repeat([1.0, 2.0, 5.0], 100)[:, np.newaxis]
    after = np.array([1.0, 1.5, 3.0, 9.0])[:, np.newaxis]
    joint = joint_of(before, after)
    found = fine(0, joint.variables[0], Frequencies.of(joint), 30)
    one, between, two, other, five, beyond, missing = found.groups
    assert len({one, two, five, between, missing}) == 5
    assert between == other == beyond


def test_new_values_go_with_the_nearest_run():
    before = np.arange(1000.0)[:, np.newaxis] * 2
    joint = joint_of(before, np.array([[1.0], [999.5], [5000.0]]))
    found = fine(0, joint.variables[0], Frequencies.of(joint), 10)
    values = list(joint.variables[0].numbers)
    group = {value: found.groups[values.index(value)] for value in (0.0, 1.0, 1000.0, 999.5)}
    assert group[0.0] == group[1.0]
    assert group[1000.0] == group[999.5]
    assert found.groups[values.index(5000.0)] == found.groups[values.index(1998.0)]
    assert len(set(found.groups[:-1])) == 10


def test_numbers_between_the_originals_are_told_apart():
    rng = np.random.default_rng(1)
    before = np.column_stack([rng.choice([1.0, 2.0, 3.0], 600), rng.normal(size=600)])
    after = np.column_stack([rng.uniform(1, 3, 600), rng.normal(size=600)])
    assert auc_of(joint_of(before, after)) > 0.95


@pytest.mark.parametrize("seed", range(4))
def test_two_samples_of_one_population_are_not(seed):
    rng = np.random.default_rng(seed)
    core = rng.normal(size=(1200, 1))
    rows = (core + rng.normal(size=(1200, 4))).round(2)
    assert abs(auc_of(joint_of(rows[:600], rows[600:])) - 0.5) < 0.05


def test_scores_are_those_of_another_program():
    rng = np.random.default_rng(2)
    before, after = rng.normal(size=(500, 3)), rng.normal(0.2, 1.0, size=(500, 3))
    joint = joint_of(before.round(1), after.round(1))
    folds = folds_of(joint, 1).of
    cells = cells_of(joint)
    every = np.arange(len(cells.penalties))
    inside = (cells.places[:, :, np.newaxis] == every).sum(axis=1)
    columns = inside / np.sqrt(cells.penalties)
    mine = crossed_scores(joint, folds)
    for fold in range(5):
        here = folds == fold
        other = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000)
        other.fit(columns[~here], joint.protected[~here])
        assert spearmanr(mine[here], columns[here] @ other.coef_[0]).statistic > 0.99


def test_a_fold_that_leaves_one_file_alone():
    joint = joint_of(np.arange(10.0)[:, np.newaxis], np.array([[3.0]]))
    with pytest.raises(Undefined, match="one file"):
        crossed_scores(joint, np.append(np.arange(10) % 4, 4))
