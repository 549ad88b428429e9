"""Questions to batches of rows: the same answer however the rows are split."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.engines.local import Local
from microgauge.errors import Undefined
from microgauge.passes import (
    LAGS,
    Absent,
    Axis,
    Column,
    Crosstab,
    Cube,
    EqualAtLags,
    Fingerprint,
    Gram,
    GroupSums,
    Product,
    ProductAtLags,
    SparseCrosstab,
    Tally,
)
from support.rows import coded_rows

SIZES = {"a": 3, "b": 5, "c": 4}


def axis_of(name):
    size = SIZES[name]
    return Axis(name, np.arange(size + 1), size, np.append(np.arange(size) * 2.0 - 3.0, 0.0))


A, B, C = (axis_of(name) for name in SIZES)
QUESTIONS = [
    Tally(A),
    Absent(A, B),
    Crosstab(A, B),
    Cube(A, B, C),
    SparseCrosstab(B, C),
    GroupSums(A, (B,)),
    GroupSums(A, (A, B, A, B)),
    Product(A, B),
    Gram((A, B, C), 10.0),
    EqualAtLags(A, C),
    ProductAtLags(B, A),
    Column(C),
    Fingerprint((A, B)),
    Fingerprint((A, B, C)),
]


@pytest.fixture(scope="module", autouse=True)
def short_batches():
    """Passes whose answers are long read batches no longer than the others do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microgauge.engines.local.LONG_ROWS", 1)
        yield


def as_arrays(answer):
    """An answer as arrays that can be compared."""
    if hasattr(answer, "__dataclass_fields__"):
        return [np.asarray(getattr(answer, name)) for name in answer.__dataclass_fields__]
    return [np.asarray(answer)]


@given(coded_rows(SIZES), st.integers(1, 45))
@settings(max_examples=150, deadline=None)
def test_split_into_batches_equals_whole(table, batch_rows):
    codes, rows, weights = table
    whole = Local(codes, rows, weights, batch_rows=10_000).scan(QUESTIONS)
    parts = Local(codes, rows, weights, batch_rows=batch_rows).scan(QUESTIONS)
    for question in QUESTIONS:
        for one, other in zip(as_arrays(whole[question]), as_arrays(parts[question]), strict=True):
            assert np.array_equal(one, other), question


@given(coded_rows(SIZES))
@settings(max_examples=60, deadline=None)
def test_answers_counted_by_hand(table):
    codes, rows, weights = table
    facts = Local(codes, rows, weights, batch_rows=7).scan(QUESTIONS)
    w = np.ones(rows) if weights is None else weights
    a, b, c = codes["a"], codes["b"], codes["c"]
    layers = [np.ones(rows)] if weights is None else [np.ones(rows), w, w * w]
    for layer, values in enumerate(layers):
        for i in range(4):
            assert facts[Tally(A)][layer, i] == values[a == i].sum()
            for j in range(6):
                assert facts[Crosstab(A, B)][layer, i, j] == values[(a == i) & (b == j)].sum()
        for i, j, k in np.ndindex(4, 6, 5):
            here = (a == i) & (b == j) & (c == k)
            assert facts[Cube(A, B, C)][layer, i, j, k] == values[here].sum()
        absent = facts[Absent(A, B)]
        for i in range(3):
            found = absent.layers[layer][absent.keys == i].sum()
            assert found == values[(a == i) & (b == 5)].sum()
        assert 3 not in absent.keys
        sparse = facts[SparseCrosstab(B, C)]
        dense = np.zeros(6 * 5)
        dense[sparse.keys] = sparse.layers[layer]
        for i in range(6):
            for j in range(5):
                assert dense[i * 5 + j] == values[(b == i) & (c == j)].sum()
    score = {name: axis.scores[codes[name]] for name, axis in zip(SIZES, (A, B, C), strict=True)}
    for i in range(4):
        expected = (w * score["b"])[a == i].sum()
        assert facts[GroupSums(A, (B,))][i, 0] == expected
        assert facts[GroupSums(A, (A, B, A, B))][i, 3] == expected
    assert facts[Product(A, B)] == (w * score["a"] * score["b"]).sum()
    stacked = np.stack(list(score.values()), axis=1)
    assert np.array_equal(facts[Gram((A, B, C), 10.0)], stacked.T @ (stacked * w[:, None]))
    for place, lag in enumerate(LAGS):
        together = [(i, i + lag) for i in range(rows) if 0 <= i + lag < rows]
        pairs = max(len(together), 1)
        # Level 3 of a is its missing cells, which is a value of c: it agrees with nothing.
        agree = sum(a[i] == c[j] and c[j] != 4 and a[i] != 3 for i, j in together)
        assert facts[EqualAtLags(A, C)][place] == agree / pairs
        product = sum(score["b"][i] * score["a"][j] for i, j in together)
        assert facts[ProductAtLags(B, A)][place] == product / pairs
    assert np.array_equal(facts[Column(C)], c)


def test_one_question_is_asked_once():
    asked = []

    class Counting(Tally):
        def read(self, batch):
            asked.append(self)
            return super().read(batch)

    codes = {"a": np.array([0, 1, 2])}
    # Axes that see the same are equal, whoever made them.
    questions = [Counting(Axis("a", np.arange(4), 3)) for _ in range(2)]
    assert questions[0] == questions[1]
    Local(codes, 3).scan(questions)
    assert len(asked) == 1


def test_axes_that_see_something_else_differ():
    axis = Axis("a", np.arange(4), 3, np.arange(4.0))
    others = [
        Axis("b", np.arange(4), 3, np.arange(4.0)),
        Axis("a", np.array([0, 1, 1, 3]), 3, np.arange(4.0)),
        Axis("a", np.arange(4), 4, np.arange(4.0)),
        Axis("a", np.arange(4), 3),
        Axis("a", np.arange(4), 3, np.arange(4.0), identity=True),
        Axis("a", np.arange(4), 3, np.array([0.0, 1.0, 2.0, 4.0])),
    ]
    assert all(axis != other for other in others)


def test_what_one_question_cannot_answer_leaves_the_others_alone():
    class Hopeless(Tally):
        def read(self, batch):
            raise Undefined("no answer")

    codes = {"a": np.array([0, 1, 2])}
    axis = Axis("a", np.arange(4), 3)
    facts = Local(codes, 3).scan([Hopeless(axis), Tally(axis)])
    assert facts[Tally(axis)].sum() == 3
    with pytest.raises(Undefined, match="no answer"):
        facts[Hopeless(axis)]


def test_a_long_matrix_product_is_exact():
    # Doubled centred ranks in one batch: a sum beyond 2⁵³ must not lose its last digits.
    size = 600_002  # its sum is twice an odd number, which no float of that size is
    scores = np.append(np.arange(size) * 2.0 - (size - 1), 0.0)
    axes = tuple(Axis(name, np.arange(size + 1), size, scores) for name in ("a", "b"))
    codes = {"a": np.arange(size), "b": np.arange(size)[::-1].copy()}
    gram = Gram(axes, float(size))
    found = Local(codes, size, batch_rows=size).scan([gram])[gram]
    exact = size * (size * size - 1) // 3  # Σ (2i - (n-1))²
    assert exact > 1 << 53
    assert int(found[0, 0]) == exact
    assert int(found[0, 1]) == -exact


def test_scores_must_be_there():
    a, b = (Axis(name, np.arange(4), 3) for name in "ab")
    codes = {"a": np.array([0, 1]), "b": np.array([0, 1])}
    with pytest.raises(ValueError, match="scores"):
        Local(codes, 2).scan([Product(a, b)])


@given(coded_rows(SIZES), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_rows_have_one_fingerprint_in_any_order_and_another_once_one_changes(table, random):
    codes, rows, weights = table
    question = Fingerprint((A, B, C))
    known = Local(codes, rows, weights).scan([question])[question]
    order = list(range(rows))
    random.shuffle(order)
    mixed = {name: column[order] for name, column in codes.items()}
    assert np.array_equal(Local(mixed, rows).scan([question])[question], known)
    if rows:
        other = mixed["b"].copy()
        other[0] = (other[0] + 1) % (SIZES["b"] + 1)
        changed = Local({**mixed, "b": other}, rows).scan([question])[question]
        assert (changed != known).all()
