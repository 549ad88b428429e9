"""Classes of parts of a table add up to those of the whole, however they are merged."""

import itertools
from collections import Counter

import numpy as np
import pytest

from microgauge.errors import Undefined
from microgauge.passes import Axis, Batch, Classes, OwnClasses
from microgauge.passes import classes as module
from microgauge.passes.classes import ClassCells
from microgauge.values import totals
from microgauge.values.packing import counted, distinct, packed, unpacked

SCORES = {"whole": np.array([3.0, 0.0, 7.0, 0.0]), "broken": np.array([0.5, -1.25, 7.0, 0.0])}


def axes(sizes):
    return tuple(Axis(f"a{i}", np.arange(0), s, identity=True) for i, s in enumerate(sizes))


def codes(sizes, rows, seed=1):
    rng = np.random.default_rng(seed)
    return {f"a{i}": rng.integers(0, min(size, 4) + 1, rows) for i, size in enumerate(sizes)}


def parts_of(question, columns, rows, number):
    edges = np.linspace(0, rows, number + 1).astype(int)
    return [
        question.read(Batch({n: c[a:b] for n, c in columns.items()}, b - a))
        for a, b in itertools.pairwise(edges)
    ]


def as_counter(cells, sizes):
    levels = unpacked(cells.keys, [size + 1 for size in sizes])
    return {
        tuple(row): (int(n), *sums)
        for row, n, sums in zip(levels.tolist(), cells.rows, cells.sums.T.tolist(), strict=True)
    }


@pytest.mark.parametrize("sizes", [(4, 4, 4), (1 << 40, 1 << 40, 4)], ids=["one word", "two"])
@pytest.mark.parametrize("scores", [None, "whole", "broken"])
@pytest.mark.parametrize("number", [1, 2, 4, 11])
def test_parts_add_up(sizes, scores, number):
    rows = 500
    columns = codes(sizes, rows)
    columns["s"] = np.random.default_rng(3).integers(0, 4, rows)
    scored = () if scores is None else (Axis("s", np.arange(0), 3, SCORES[scores], identity=True),)
    question = Classes(axes(sizes), scored)
    total = totals.Total()
    for part in parts_of(question, columns, rows, number):
        total.add(part)
    wanted: dict = {}
    for *key, score in zip(*columns.values(), strict=True):
        before = wanted.get(tuple(key), (0, *([0.0] * len(scored))))
        more = [before[1] + SCORES[scores][score]] if scored else []
        wanted[tuple(key)] = (before[0] + 1, *more)
    found = as_counter(total.value, sizes)
    assert found.keys() == wanted.keys()
    for key, figures in wanted.items():
        assert found[key] == pytest.approx(figures, rel=1e-12)
    assert (np.diff(packed_words(total.value)) > 0).all()


def packed_words(cells):
    """Keys as single numbers, rising as the words do."""
    return distinct(cells.keys, 1 << 62)[1]


@pytest.mark.parametrize("sizes", [(4, 4), (1 << 40, 1 << 21), (1 << 40, 1 << 40)])
@pytest.mark.parametrize("number", [1, 3, 9])
def test_own_records_add_up(sizes, number):
    rows = 400
    columns = codes(sizes, rows) | {
        name.replace("a", "b"): c for name, c in codes(sizes, rows, seed=2).items()
    }
    known = axes(sizes)
    shown = tuple(Axis(a.column.replace("a", "b"), a.lookup, a.size, identity=True) for a in known)
    question = OwnClasses(known, tuple(zip(known, shown, strict=True)))
    total = totals.Total()
    for part in parts_of(question, columns, rows, number):
        total.add(part)
    wanted: Counter = Counter()
    agreeing: Counter = Counter()
    for row in zip(*columns.values(), strict=True):
        mine, theirs = row[: len(sizes)], row[len(sizes) :]
        wanted[mine] += 1
        agreeing[mine] += all(
            a == b or size in (a, b) for a, b, size in zip(mine, theirs, sizes, strict=True)
        )
    assert 0 < sum(agreeing.values()) < rows
    found = as_counter(total.value, sizes)
    assert found == {key: (n, agreeing[key]) for key, n in wanted.items()}


@pytest.mark.parametrize("changed", ["no record", "suppressed", "some", "all"])
def test_rows_that_are_held_back_have_the_same_classes(changed):
    sizes, rows = (90, 50, 40), 60
    known, columns = axes(sizes), codes(sizes, rows)
    rng = np.random.default_rng(2)
    for axis in known:
        cells = columns[axis.column]
        gone = rng.random(rows) < 0.3
        columns[axis.column.replace("a", "b")] = {
            "no record": cells,
            "suppressed": np.where(gone, axis.size, cells),
            "some": np.where(gone, (cells + 1) % axis.size, cells),
            "all": (cells + 1) % axis.size,
        }[changed]
    shown = tuple(Axis(a.column.replace("a", "b"), a.lookup, a.size, identity=True) for a in known)
    question = OwnClasses(known, tuple(zip(known, shown, strict=True)))
    batch = Batch(columns, rows)
    wanted, held = question.read(batch), question.held(batch)
    assert held is not None
    found = question.answer(held)
    assert (wanted.sums.sum() == rows) == (changed in ("no record", "suppressed"))
    for one, other in zip(vars(found).values(), vars(wanted).values(), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_long_answers_are_added_in_pairs(monkeypatch):
    question, columns = Classes(axes((4, 4))), codes((4, 4), 300)
    parts = parts_of(question, columns, 300, 9)
    at_once = ClassCells.sum_of(parts)
    monkeypatch.setattr(totals, "MOST_TOGETHER", 1)
    total = totals.Total()
    for part in parts:
        total.add(part)
    assert np.array_equal(total.value.keys, at_once.keys)
    assert np.array_equal(total.value.rows, at_once.rows)


def test_too_many_classes_are_undefined(monkeypatch):
    monkeypatch.setattr(module, "MOST_CLASSES", 3)
    parts = parts_of(Classes(axes((4, 4))), codes((4, 4), 100), 100, 2)
    with pytest.raises(Undefined, match="more than 3 classes"):
        ClassCells.sum_of(parts)


@pytest.mark.parametrize("span", [50, 5_000_000, 1 << 40])
def test_counted_is_what_numpy_counts(span):
    words = np.random.default_rng(1).integers(0, span, 1000)
    keys, rows = counted(words[np.newaxis], span)
    wanted, counts = np.unique(words, return_counts=True)
    assert np.array_equal(keys[0], wanted)
    assert np.array_equal(rows, counts)


@pytest.mark.parametrize("sizes", [(3, 5, 2), (1 << 40, 7, 1 << 30, 3)])
def test_unpacked_is_what_was_packed(sizes):
    rng = np.random.default_rng(2)
    levels = [rng.integers(0, size, 200) for size in sizes]
    assert np.array_equal(unpacked(packed(levels, sizes), sizes), np.stack(levels, axis=1))
