"""The nearest records are those that a comparison of every pair finds."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.errors import Undefined
from microgauge.measures.disclosure import nearest as module
from microgauge.measures.disclosure.nearest import (
    SAME,
    Attribute,
    nearest_distances,
    nearest_pairs,
)


def gower(attributes):
    """The law by loops over attributes and records, cell by cell."""
    queries, references = len(attributes[0].queries), len(attributes[0].references)
    total = np.zeros((queries, references))
    for i in range(queries):
        for j in range(references):
            cells = [(a.kind, float(a.queries[i]), float(a.references[j])) for a in attributes]
            total[i, j] = sum(apart(*cell) for cell in cells) / len(attributes)
    return total


def apart(kind, x, z):
    if kind == "number":
        return 0.0 if np.isnan(x) or np.isnan(z) else abs(x - z)
    return 0.0 if x < 0 or z < 0 else float(x != z)


def tied(distances):
    """All pairs within 1e-9 of the query's nearest; whole numbers of eighths are exact."""
    rows, columns = np.nonzero(distances <= distances.min(axis=1, keepdims=True) + SAME)
    return sorted(zip(rows.tolist(), columns.tolist(), strict=True))


def found(attributes, **options):
    return sorted(
        pair
        for near in nearest_pairs(attributes, **options)
        for pair in zip(near.queries.tolist(), near.references.tolist(), strict=True)
    )


def cells(rng, kind, rows, missing, levels):
    if kind == "number":
        return np.where(rng.random(rows) < missing, np.nan, rng.integers(0, levels, rows) / 8.0)
    return np.where(rng.random(rows) < missing, -1, rng.integers(0, levels, rows))


def table(seed, kinds, queries, references, missing=0.0, levels=4):
    rng = np.random.default_rng(seed)
    return [
        Attribute(
            kind,
            cells(rng, kind, queries, missing, levels),
            cells(rng, kind, references, missing, levels),
        )
        for kind in kinds
    ]


def survey(seed, queries, references, missing):
    """Numbers with every digit, rounded ones, and skewed categories of few and of many levels."""
    rng = np.random.default_rng(seed)
    made = []
    for digits in (12, 1):
        x, z = (np.round(rng.lognormal(size=rows), digits) / 8.0 for rows in (queries, references))
        x[rng.random(queries) < missing] = np.nan
        z[rng.random(references) < missing] = np.nan
        made.append(Attribute("number", x, z))
    for levels in (2, 7, 2000):
        x, z = (
            np.minimum(rng.exponential(levels / 3, rows).astype(int), levels - 1)
            for rows in (queries, references)
        )
        x[rng.random(queries) < missing] = -1
        z[rng.random(references) < missing] = -1
        made.append(Attribute("category", x, z))
    return made


def all_distances(attributes):
    """The same law as `gower`, a whole attribute at a time."""
    total = 0.0
    for a in attributes:
        x, z = a.queries[:, None].astype(float), a.references[None, :].astype(float)
        if a.kind == "number":
            total = total + np.nan_to_num(np.abs(x - z))
        else:
            total = total + ((x != z) & (x >= 0) & (z >= 0))
    return total / len(attributes)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kinds=st.lists(st.sampled_from(["number", "category"]), min_size=1, max_size=5),
    queries=st.integers(1, 25),
    references=st.integers(1, 40),
    missing=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    levels=st.integers(1, 9),
    size=st.integers(1, 9),
)
def test_every_pair_compared_gives_the_same(
    seed, kinds, queries, references, missing, levels, size
):
    """Also where parts are tiny, so that most of them could be passed by wrongly."""
    attributes = table(seed, kinds, queries, references, missing, levels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", size)
        patch.setattr(module, "_BINS", 3)
        assert found(attributes, block=size) == tied(gower(attributes))
        for j in {1, min(2, references), references}:
            law = gower(attributes)
            limit = np.sort(law, axis=1)[:, j - 1]
            assert nearest_distances(attributes, neighbours=j) == pytest.approx(limit, abs=1e-12)
            within = np.argwhere(law <= limit[:, None] + SAME).tolist()
            assert [list(pair) for pair in found(attributes, neighbours=j)] == within


@pytest.mark.parametrize("missing", [0.0, 0.05, 0.4])
def test_many_records_with_parts_of_the_usual_size(missing):
    attributes = survey(3, 900, 2_500, missing)
    law = all_distances(attributes)
    assert found(attributes) == tied(law)
    for j in (1, 3, 10):
        expected = np.sort(law, axis=1)[:, j - 1]
        assert nearest_distances(attributes, neighbours=j) == pytest.approx(expected, abs=1e-12)


def test_distances_of_pairs_and_blocks_that_hold_each_query_once():
    attributes = survey(4, 700, 600, 0.05)
    law = all_distances(attributes)
    seen = []
    for near in nearest_pairs(attributes, block=100):
        assert near.distances == pytest.approx(law[near.queries, near.references], abs=1e-12)
        changes = np.flatnonzero(np.diff(near.queries)) + 1
        seen += near.queries[np.concatenate([[0], changes])].tolist()
    assert sorted(seen) == list(range(700))


def test_a_tie_is_within_a_billionth():
    z = np.array([0.3, 0.3 + 0.9e-9, 0.3 + 1.1e-9, 0.3 + 2.1e-9])
    assert found([Attribute("number", np.array([0.0]), z)]) == [(0, 0), (0, 1)]
    # Two attributes halve the distance, so that twice the difference still ties.
    same = Attribute("category", np.array([1]), np.ones(4, dtype=int))
    both = [Attribute("number", np.array([0.0]), z), same]
    assert found(both) == [(0, 0), (0, 1), (0, 2)]


def test_the_order_of_records_and_attributes_decides_nothing():
    attributes = survey(5, 300, 800, 0.1)
    rng = np.random.default_rng(0)
    asks, looks = rng.permutation(300), rng.permutation(800)
    mixed = [Attribute(a.kind, a.queries[asks], a.references[looks]) for a in attributes[::-1]]
    back = sorted((int(asks[i]), int(looks[j])) for i, j in found(mixed))
    assert back == found(attributes)


def test_names_of_levels_decide_nothing():
    attributes = survey(6, 200, 500, 0.1)
    names = np.random.default_rng(1).permutation(2_000) * 1_000_003
    other = [
        a if a.kind == "number" else Attribute(a.kind, named(a.queries), named(a.references))
        for a in attributes
        for named in [lambda codes: np.where(codes < 0, -1, names[codes])]
    ]
    assert found(other) == found(attributes)


def test_repeated_records_are_all_found():
    one = Attribute("number", np.array([0.5, 0.5]), np.full(1_000, 0.5))
    assert len(found([one])) == 2_000
    assert nearest_distances([one], neighbours=1_000).tolist() == [0.0, 0.0]


def test_one_record_on_either_side():
    assert found(table(0, ["number", "category"], 1, 50)) == tied(
        gower(table(0, ["number", "category"], 1, 50))
    )
    assert len(found(table(0, ["number", "category"], 50, 1))) == 50


def test_who_knows_nothing_is_equally_near_to_all():
    unknown = Attribute("category", np.array([-1, 2]), np.array([0, 1, 2]))
    assert found([unknown]) == [(0, 0), (0, 1), (0, 2), (1, 2)]


def test_numbers_without_end_stay_finite():
    far = Attribute("number", np.array([np.inf, 0.0]), np.array([-np.inf, np.inf, 1.0]))
    assert found([far]) == [(0, 1), (1, 2)]
    assert np.isfinite(nearest_distances([far])).all()


def test_lists_of_pairs_are_not_too_long(monkeypatch):
    """All references tie for every query."""
    monkeypatch.setattr(module, "MOST_PAIRS", 10_000)
    same = Attribute("category", np.zeros(300, dtype=int), np.zeros(3_000, dtype=int))
    sizes = [len(near.queries) for near in nearest_pairs([same])]
    assert sum(sizes) == 900_000
    assert max(sizes) <= 10_000


def test_no_table_of_all_pairs_is_held():
    attributes = survey(7, 4_000, 40_000, 0.02)
    tracemalloc.start()
    for _ in nearest_pairs(attributes):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # the table would take 1,280 MB


def test_undefined_without_attributes_or_records():
    for ask in (nearest_pairs, nearest_distances):
        with pytest.raises(Undefined, match="no attribute"):
            ask([])
        with pytest.raises(Undefined, match="no record"):
            ask(table(0, ["number"], 0, 3))
        with pytest.raises(Undefined, match="no record"):
            ask(table(0, ["number"], 3, 0))
    for ask in (nearest_pairs, nearest_distances):
        with pytest.raises(Undefined, match="fewer than 4 records"):
            ask(table(0, ["number"], 2, 3), neighbours=4)


def test_attributes_of_other_records_are_refused():
    with pytest.raises(ValueError, match="same records"):
        nearest_pairs([*table(0, ["number"], 2, 3), *table(0, ["number"], 2, 4)])
    with pytest.raises(ValueError, match="at least 1"):
        nearest_distances(table(0, ["number"], 2, 3), neighbours=0)
