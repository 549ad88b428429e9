"""Strength and direction of associations from facts, against ranks by scipy."""

import numpy as np
import pytest
from scipy import stats

from microgauge.measures.gdu.association import (
    CellFacts,
    Units,
    anova,
    groups_from_cells,
    kruskal_wallis,
    turn,
)

GROUPS = [0, 0, 0, 1, 1, 1, 1, 2, 2]
SCORES = [1.0, 2.0, 2.0, 2.0, 3.0, 5.0, 5.0, 1.0, 4.0]


def groups_of(places, scores, *, ranked=True):
    """Facts of scores in groups, each unit once."""
    values, columns = np.unique(scores, return_inverse=True)
    rows = len(places)
    facts = CellFacts(
        units=Units(rows, float(rows), float(rows)),
        row=np.array(places),
        column=columns,
        weight=np.ones(rows),
        row_keys=tuple("abcdefgh"[: max(places) + 1]),
        column_keys=values,
    )
    return groups_from_cells(facts, None if ranked else values)


def signed(scores, places, unit):
    """Share of each group × its squared distance from the mean of all, with the sign."""
    scores, places = np.asarray(scores), np.asarray(places)
    apart = [(scores[places == g].mean() - scores.mean()) / unit for g in range(3)]
    shares = [np.mean(places == g) for g in range(3)]
    return [s * a * abs(a) for s, a in zip(shares, apart, strict=True)]


def test_ranks_are_in_units_of_all_ranks():
    # (rank - mean rank) / (n + 1): the same for a file and for its double, whatever its size.
    found = kruskal_wallis(groups_of(GROUPS, SCORES))
    wanted = signed(stats.rankdata(SCORES), GROUPS, len(SCORES) + 1)
    assert found.direction.signed.tolist() == pytest.approx(wanted)
    h = stats.kruskal(*(np.array(SCORES)[np.array(GROUPS) == g] for g in range(3)))
    assert found.p == pytest.approx(h.pvalue)
    assert found.coefficient == pytest.approx(h.statistic / (len(SCORES) - 1))


def test_values_are_in_their_own_units():
    found = anova(groups_of(GROUPS, SCORES, ranked=False))
    assert found.direction.signed.tolist() == pytest.approx(signed(SCORES, GROUPS, 1.0))
    f = stats.f_oneway(*(np.array(SCORES)[np.array(GROUPS) == g] for g in range(3)))
    assert found.p == pytest.approx(f.pvalue)


def test_half_of_the_groups_turned_round_is_no_flip():
    one = kruskal_wallis(groups_of([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0]))
    other = kruskal_wallis(groups_of([1, 1, 0, 0], [1.0, 2.0, 3.0, 4.0]))
    assert not turn(one, one).signs_flipped
    assert turn(one, other).signs_flipped
    assert turn(one, other).opposite
