"""Questions to batches of rows: the same answer however the rows are split."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.engines.local import Local
from microgauge.passes import (
    Axis,
    Crosstab,
    Cube,
    Equal,
    Gram,
    GroupSums,
    Present,
    Product,
    Sorted,
    SparseCrosstab,
    Tally,
)
from support.rows import coded_rows

SIZES = {"a": 3, "b": 5, "c": 4}


def axes(codes):
    found = {}
    for name, size in SIZES.items():
        scores = np.append(np.arange(size) * 2.0 - 3.0, 0.0)
        found[name] = Axis(name, np.arange(size + 1), size, scores)
    return found


QUESTIONS = [
    Tally("a"),
    Present("a", "b"),
    Crosstab("a", "b"),
    Cube("a", "b", "c"),
    SparseCrosstab("b", "c"),
    GroupSums("a", ("b",)),
    GroupSums("a", ("a", "b", "a", "b")),
    Product("a", "b"),
    Gram(("a", "b", "c"), 10.0),
    Equal("a", "c"),
    Sorted("a"),
]


def as_arrays(answer):
    """An answer as arrays that can be compared."""
    if hasattr(answer, "__dataclass_fields__"):
        return [np.asarray(getattr(answer, name)) for name in answer.__dataclass_fields__]
    return [np.asarray(answer)]


@given(coded_rows(SIZES), st.integers(1, 45))
@settings(max_examples=150, deadline=None)
def test_split_into_batches_equals_whole(table, batch_rows):
    codes, rows, weights = table
    whole = Local(codes, rows, weights, batch_rows=10_000).scan(QUESTIONS, axes(codes))
    parts = Local(codes, rows, weights, batch_rows=batch_rows).scan(QUESTIONS, axes(codes))
    for question in QUESTIONS:
        for one, other in zip(as_arrays(whole[question]), as_arrays(parts[question]), strict=True):
            assert np.array_equal(one, other), question


@given(coded_rows(SIZES))
@settings(max_examples=60, deadline=None)
def test_answers_counted_by_hand(table):
    codes, rows, weights = table
    facts = Local(codes, rows, weights, batch_rows=7).scan(QUESTIONS, axes(codes))
    w = np.ones(rows) if weights is None else weights
    a, b, c = codes["a"], codes["b"], codes["c"]
    layers = [np.ones(rows)] if weights is None else [np.ones(rows), w, w * w]
    for layer, values in enumerate(layers):
        for i in range(4):
            assert facts[Tally("a")][layer, i] == values[a == i].sum()
            given_b = (a == i) & (b != 5) if i < 3 else (a == 3) | (b == 5)
            assert facts[Present("a", "b")][layer, i] == values[given_b].sum()
            for j in range(6):
                assert facts[Crosstab("a", "b")][layer, i, j] == values[(a == i) & (b == j)].sum()
        cube = Cube("a", "b", "c")
        for i in range(5):
            for j in range(4):
                table = cube.crosstab(facts[cube], "c", "a")
                assert table[layer, i, j] == values[(c == i) & (a == j)].sum()
        sparse = facts[SparseCrosstab("b", "c")]
        dense = np.zeros(6 * 5)
        dense[sparse.keys] = sparse.layers[layer]
        for i in range(6):
            for j in range(5):
                assert dense[i * 5 + j] == values[(b == i) & (c == j)].sum()
    score = {name: axis.scores[codes[name]] for name, axis in axes(codes).items()}
    for i in range(4):
        expected = (w * score["b"])[a == i].sum()
        assert facts[GroupSums("a", ("b",))][i, 0] == expected
        assert facts[GroupSums("a", ("a", "b", "a", "b"))][i, 3] == expected
    assert facts[Product("a", "b")] == (w * score["a"] * score["b"]).sum()
    stacked = np.stack(list(score.values()), axis=1)
    assert np.array_equal(facts[Gram(("a", "b", "c"), 10.0)], stacked.T @ (stacked * w[:, None]))
    assert facts[Equal("a", "c")] == ((a == c) & (a != 3)).sum()
    levels = Local(codes, rows, weights, batch_rows=7).levels({"c": axes(codes)["c"]})
    assert np.array_equal(levels, c[:, np.newaxis])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_sorted_rows(levels, batch_rows):
    codes = {"a": np.array(levels)}
    axis = {"a": Axis("a", np.arange(4), 3)}  # 3 is missing and has no place in the order
    run = Local(codes, len(levels), batch_rows=batch_rows).scan([Sorted("a")], axis)[Sorted("a")]
    here = [level for level in levels if level != 3]
    assert run.rising == (here == sorted(here))
    assert run.falling == (here == sorted(here, reverse=True))


def test_one_question_is_asked_once():
    asked = []

    class Counting(Tally):
        def read(self, batch):
            asked.append(self)
            return super().read(batch)

    codes = {"a": np.array([0, 1, 2])}
    axis = {"a": Axis("a", np.arange(4), 3)}
    Local(codes, 3).scan([Counting("a"), Counting("a")], axis)
    assert len(asked) == 1


def test_a_long_matrix_product_is_exact():
    # Doubled centred ranks in one batch: a sum beyond 2⁵³ must not lose its last digits.
    size = 600_002  # its sum is twice an odd number, which no float of that size is
    scores = np.append(np.arange(size) * 2.0 - (size - 1), 0.0)
    axis = {name: Axis(name, np.arange(size + 1), size, scores) for name in ("a", "b")}
    codes = {"a": np.arange(size), "b": np.arange(size)[::-1].copy()}
    gram = Gram(("a", "b"), float(size))
    found = Local(codes, size, batch_rows=size).scan([gram], axis)[gram]
    exact = size * (size * size - 1) // 3  # Σ (2i - (n-1))²
    assert exact > 1 << 53
    assert int(found[0, 0]) == exact
    assert int(found[0, 1]) == -exact


def test_scores_must_be_there():
    axis = {"a": Axis("a", np.arange(4), 3), "b": Axis("b", np.arange(4), 3)}
    codes = {"a": np.array([0, 1]), "b": np.array([0, 1])}
    with pytest.raises(ValueError, match="scores"):
        Local(codes, 2).scan([Product("a", "b")], axis)
