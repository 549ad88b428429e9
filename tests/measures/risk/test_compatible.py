"""Neighbours of classes with missing keys, against all pairs."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.measures.risk import compatible as module
from microgauge.measures.risk.classes import class_table, internal_risk, shown_sensitivity
from microgauge.measures.risk.compatible import compatible, compatible_sums, compatible_values
from microgauge.measures.risk.diversity import Diversity, diversity, least_diverse
from microgauge.measures.risk.loglinear import expected_counts, log_linear_risk
from microgauge.measures.risk.suda import suda2
from support.figures import approx, seeds

FEW = settings(max_examples=60, deadline=None)


def agree(one, other, sizes):
    """Whether two records have the same value wherever both have one."""
    return all(a == b or size in (a, b) for a, b, size in zip(one, other, sizes, strict=True))


def tables(wide):
    """Two tables of some keys with missing cells, on the same levels."""
    scale = 2**31 if wide else 1

    @st.composite
    def drawn(draw):
        rng = np.random.default_rng(draw(seeds))
        sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
        full = [size * scale for size in sizes]
        found = []
        for _ in range(2):
            levels = np.stack([rng.integers(0, s + 1, draw(st.integers(1, 30))) for s in sizes[:1]])
            rows = levels.shape[1]
            codes = [rng.integers(0, size + 1, rows) * scale for size in sizes]
            found.append(np.stack(codes, axis=1))
        return found[0], found[1], full, rng

    return drawn()


@FEW
@given(st.one_of(tables(False), tables(True)))
def test_sums_equal_those_of_all_pairs(drawn):
    mine, others, sizes, rng = drawn
    layers = rng.random((2, len(others)))
    found = compatible_sums(mine, others, layers, sizes)
    near = np.array([[agree(a, b, sizes) for b in others] for a in mine])
    np.testing.assert_allclose(found, layers @ near.T, rtol=1e-12, atol=1e-12)
    ones = np.ones(len(others), dtype=np.int64)
    assert compatible(mine, others, ones, sizes).tolist() == near.sum(axis=1).tolist()


@FEW
@given(st.one_of(tables(False), tables(True)), st.booleans())
def test_values_around_a_class_equal_those_of_all_pairs(drawn, small):
    mine, others, sizes, rng = drawn
    mine = np.unique(mine, axis=0)
    values = rng.integers(0, 3, len(others))
    counts = rng.integers(1, 9, len(others))
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(module, "BLOCK", 3)
            patch.setattr(module, "HELD", 4)
        cells = np.column_stack([others, values])
        blocks = list(compatible_values(mine, cells, counts, [*sizes, 3]))
    found = Counter()
    for block in blocks:
        assert (np.diff(block.classes) >= 0).all()
        for c, v, n in zip(block.classes, block.values, block.counts, strict=True):
            assert (c, v) not in found
            found[c, v] = n
    expected = Counter()
    for i, record in enumerate(mine):
        for other, value, count in zip(others, values, counts, strict=True):
            if agree(record, other, sizes):
                expected[i, value] += count
    assert found == expected
    assert not small or len(found) < 20 or len(blocks) > 1


@FEW
@given(seeds, st.integers(1, 4), st.integers(1, 40))
def test_suppression_never_raises_the_risk_of_a_complete_table(seed, keys, rows):
    """Law: cell after cell suppressed, the mean of 1/EC never rises."""
    rng = np.random.default_rng(seed)
    sizes = [3] * keys
    levels = rng.integers(0, 3, (rows, keys))
    before = 2.0
    cells = rng.permutation(rows * keys)
    for part in np.array_split(cells, 6):
        ones = np.ones(rows, dtype=np.int64)
        table = class_table(levels, sizes, ones, np.empty((0, rows)), missing_matches=True)
        risk = internal_risk(table)
        assert risk <= before + 1e-12
        before = risk
        levels = levels.copy()
        levels.ravel()[part] = 3


# -- what uses it ----------------------------------------------------------------------------------


def uniques_by_force(rows, record, sizes, most):
    """The minimal sets of attributes on which no other record is compatible with one."""
    others = [other for i, other in enumerate(rows) if i != record]

    def alone(subset):
        mine = [rows[record][j] for j in subset]
        return not any(
            agree(mine, [other[j] for j in subset], [sizes[j] for j in subset]) for other in others
        )

    found = []
    for size in range(1, most + 1):
        for subset in combinations(range(len(sizes)), size):
            if alone(subset) and not any(set(small) <= set(subset) for small in found):
                found.append(subset)
    return found


@FEW
@given(seeds, st.integers(2, 5), st.integers(1, 25), st.integers(1, 4))
def test_special_uniques_where_missing_matches_everything(seed, keys, rows, most):
    rng = np.random.default_rng(seed)
    sizes = tuple(rng.integers(1, 5, keys).tolist())
    levels = np.stack([rng.integers(0, size + 1, rows) for size in sizes], axis=1)
    found = suda2(levels, sizes, most=most, missing_matches=True)
    largest = min(most, keys - 1)
    sets = [uniques_by_force(levels.tolist(), i, sizes, largest) for i in range(rows)]
    assert found.msu_sizes == {
        size: sum(len(subset) == size for held in sets for subset in held)
        for size in range(1, largest + 1)
    }
    scores = [
        sum(np.prod([keys - i for i in range(len(s), largest + 1)]) for s in held) for held in sets
    ]
    assert found.scores.tolist() == approx(scores)
    near = np.array([[agree(a, b, sizes) for b in levels] for a in levels]).sum(axis=1)
    assert found.uniques == int((near == 1).sum())
    assert found.pairs == int((near == 2).sum())
    # No minimal set holds an attribute that its record lacks.
    assert rows == 1 or not any(
        levels[i, j] == sizes[j] for i in range(rows) for s in sets[i] for j in s
    )


def test_special_uniques_by_hand():
    """? is compatible with both: the widow of 16 is unique no more once a status is suppressed."""
    levels = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [0, 0, 0]])
    sizes = (2, 2, 2)
    alone = suda2(levels, sizes, most=2)
    assert alone.msu_sizes == {1: 0, 2: 6}
    levels[0, 1] = 2  # may be the second record now
    assert suda2(levels, sizes, most=2, missing_matches=True).msu_sizes == {1: 0, 2: 4}
    # As a value of its own the suppressed cell would be a unique of one attribute.
    assert suda2(levels, sizes, most=2).msu_sizes[1] == 1


def compatible_means(means, missing):
    """What a table of expected counts holds in all cells compatible with each, cell by cell."""
    found = np.zeros_like(means)
    cells = list(product(*(range(size) for size in means.shape)))
    last = [size - 1 for size in means.shape]
    joined = [at if m else -1 for at, m in zip(last, missing, strict=True)]
    for cell in cells:
        found[cell] = sum(means[other] for other in cells if agree(cell, other, joined))
    return found


@pytest.mark.parametrize("most_cells", [10**6, 1])
@pytest.mark.parametrize("holes", [(True, True, True), (True, False, False)])
def test_expected_counts_of_compatible_cells(most_cells, holes):
    """The model's own expectations, added up by force over the cells that are compatible."""
    rng = np.random.default_rng(3)
    shape = (3, 4, 3)
    counts = 1 + rng.poisson(2.0, shape)
    for axis, hole in enumerate(holes):
        if not hole:
            counts[tuple(slice(-1, None) if j == axis else slice(None) for j in range(3))] = 0
    levels = np.argwhere(counts > 0)
    rows = counts[counts > 0]
    every = np.array(list(product(*(range(size) for size in shape))))
    plain = expected_counts(levels, rows, shape, most_cells=most_cells)
    joint = expected_counts(levels, rows, shape, most_cells=most_cells, missing_matches=True)
    if most_cells > 1:
        cells = {tuple(cell): mean for cell, mean in zip(levels.tolist(), plain.means, strict=True)}
        assert len(cells) == np.prod([s if h else s - 1 for s, h in zip(shape, holes, strict=True)])
        means = np.array([cells.get(tuple(cell), 0.0) for cell in every.tolist()]).reshape(shape)
    else:
        margins = [counts.sum(tuple(set(range(3)) - {j})) / counts.sum() for j in range(3)]
        means = np.einsum("i,j,k->ijk", *margins) * counts.sum()
    expected = compatible_means(means, holes)[tuple(levels.T)]
    np.testing.assert_allclose(joint.means, expected, rtol=1e-9)


def test_uniques_of_the_population_where_missing_matches_everything():
    """One key: x once, y twice, one missing. x is compatible with the missing one: no unique."""
    levels, counts = np.array([[0], [1], [2]]), np.array([1, 2, 1])
    alone = log_linear_risk(levels, counts, (3,), 0.5)
    assert alone.uniques == 2
    matching = compatible(levels, levels, counts, [2])
    assert matching.tolist() == [2, 3, 4]
    found = log_linear_risk(levels, counts, (3,), 0.5, matching=matching)
    assert (found.uniques, found.tau1, found.tau2) == (0, 0.0, 0.0)


def test_the_worst_of_several_sets():
    parts = [Diversity(2, 1.5, 1, 0.2), Diversity(3, 1.2, 2, 0.1)]
    assert least_diverse(parts) == Diversity(2, 1.2, 1, 0.2)


def test_a_table_beside_the_classes():
    """Two classes that overlap: shares of the table are told, not added up from them."""
    cells = np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([1, 1, 2])
    found = diversity(*cells, size=2, ordered=False, table=np.array([1, 3]))
    assert found.t == approx(0.25)
    assert diversity(*cells, size=2, ordered=False).t == approx(0.25)
    again = diversity(*cells, size=2, ordered=False, table=np.array([3, 1]))
    assert again.t == approx(0.75)


def test_what_records_show():
    """Sensitivities 2 and 1: a record that shows both weighs 3, the second key alone 1."""
    levels = np.array([[0, 0], [1, 0], [1, 1]])
    table = class_table(
        levels, [1, 1], np.array([1, 2, 3]), np.empty((0, 3)), missing_matches=False
    )
    assert shown_sensitivity(table, [2.0, 1.0]).tolist() == [3.0, 2.0, 0.0]
