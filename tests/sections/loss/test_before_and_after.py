"""Correlations and missing cells on both sides, against pandas."""

import numpy as np
import pandas as pd
import pytest

import microgauge


def tables(columns, rows=300, seed=4):
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    before = pd.DataFrame(
        {f"x{i}": hidden * (i % 5) + rng.normal(size=rows) for i in range(columns)}
    )
    after = before.copy()
    after["x1"] = rng.permutation(after["x1"].to_numpy())
    after += rng.normal(scale=0.3, size=after.shape)
    return before, after


def loss_of(before, after):
    return microgauge.assess(before, after, only=["loss"]).loss


def matrix(rows):
    """The whole of a matrix from the part below its diagonal."""
    found = np.eye(len(rows))
    for i, row in enumerate(rows):
        found[i, :i] = found[:i, i] = row
    return found


def test_correlations_are_those_of_pandas():
    before, after = tables(5)
    found = loss_of(before, after).correlations
    assert found.variables == tuple(before)
    assert matrix(found.original) == pytest.approx(before.corr().to_numpy())
    assert matrix(found.protected) == pytest.approx(after.corr().to_numpy())
    assert found.left_out == 0


def test_of_many_those_that_changed_most():
    before, after = tables(45)
    found = loss_of(before, after).correlations
    moved = (after.corr() - before.corr()).abs().sum().sort_values(ascending=False)
    assert list(found.variables) == list(moved.index[:40])
    names = list(found.variables)
    assert matrix(found.original) == pytest.approx(before[names].corr().to_numpy())
    assert found.left_out == 5


def test_correlations_of_complete_units():
    before, after = tables(3)
    before.loc[:40, "x0"] = np.nan
    found = loss_of(before, after).correlations
    assert matrix(found.original) == pytest.approx(before.dropna().corr().to_numpy())


@pytest.mark.parametrize("columns", [["x0"], []])
def test_no_correlation_of_fewer_than_two(columns):
    before, after = tables(3)
    words = np.where(before["x0"] > 0, "high", "low")
    loss = loss_of(before[columns].assign(w=words), after[columns].assign(w=words))
    assert loss.correlations is None
    assert loss.matrices["correlation"].reason


def test_missing_cells_as_a_share_of_those_before():
    before, after = tables(4)
    before.loc[:19, "x0"] = after.loc[:49, "x0"] = np.nan
    before.loc[:9, "x1"] = after.loc[:4, "x1"] = np.nan
    after.loc[:4, "x2"] = np.nan
    found = {v.name: v.missing for v in loss_of(before, after.drop(columns="x3")).variables}
    assert found["x0"].relative_increase == pytest.approx(1.5)
    assert found["x1"].relative_increase == pytest.approx(-0.5)
    assert found["x2"].relative_increase is None
    assert "no cell was missing before" in found["x2"].reason
    assert found["x3"].relative_increase is None
    assert "removed" in found["x3"].reason


def test_the_report_tells_means_and_variances():
    before, after = tables(3)
    page = microgauge.assess(before, after, only=["loss"], details=True)
    groups = page.presenter.report(page, "internal", 10)
    (table,) = [
        block for group in groups for block in group.blocks
        if getattr(block, "caption", "") == "Means and variances before and after"
    ]  # fmt: skip
    for name, *figures in table.rows:
        x, z = before[name], after[name]
        assert figures == pytest.approx(
            [x.mean(), z.mean(), z.mean() - x.mean(), x.var(), z.var(), z.var() - x.var()]
        )
