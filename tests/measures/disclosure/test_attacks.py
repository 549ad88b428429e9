"""Linkability and inference: guesses by brute force, known extremes, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.errors import Undefined
from microgauge.measures.disclosure.attacks import (
    Attack,
    Rate,
    Variable,
    inference,
    inferred,
    linkability,
    residual_risk,
)
from microgauge.measures.disclosure.nearest import Attribute


def people(seed, rows, levels=(5, 9, 2), numbers=2):
    """Numbers between 0 and 1 and categories, all leaning on one factor."""
    rng = np.random.default_rng(seed)
    lean = rng.random(rows)

    def drawn():
        return (lean + rng.random(rows)) / 2

    found = [("number", drawn()) for _ in range(numbers)]
    return found + [("category", (drawn() * count).astype(int)) for count in levels]


def variables(original, protected, holdout=None):
    return [
        Variable(kind, cells, other[1], None if holdout is None else holdout[i][1])
        for i, ((kind, cells), other) in enumerate(zip(original, protected, strict=True))
    ]


def distances(attributes):
    total = 0.0
    for a in attributes:
        x, z = a.queries[:, None].astype(float), a.references[None, :].astype(float)
        if a.kind == "number":
            total = total + np.nan_to_num(np.abs(x - z))
        else:
            total = total + ((x != z) & (x >= 0) & (z >= 0))
    return total / len(attributes)


def few(seed, queries, references, missing):
    rng = np.random.default_rng(seed)
    numbers = [
        np.where(rng.random(rows) < missing, np.nan, rng.integers(0, 4, rows) / 4)
        for rows in (queries, references)
    ]
    codes = [
        np.where(rng.random(rows) < missing, -1, rng.integers(0, 3, rows))
        for rows in (queries, references)
    ]
    return [Attribute("number", *numbers), Attribute("category", *codes)]


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 1000),
    references=st.integers(1, 30),
    missing=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_guesses_by_brute_force(seed, references, missing):
    """Of those that tie: the most common category, the middle number."""
    known = few(seed, 12, references, missing)
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(references) < missing, -1, rng.integers(0, 4, references))
    numbers = np.where(rng.random(references) < missing, np.nan, rng.random(references))
    apart = distances(known)
    near = apart <= apart.min(axis=1, keepdims=True) + 1e-9
    said = inferred(known, "category", codes)
    spoken = inferred(known, "number", numbers)
    for i in range(12):
        tied = codes[near[i]]
        counts = np.bincount(tied[tied >= 0], minlength=4)
        common = np.bincount(codes[codes >= 0], minlength=4)
        if not counts.any():
            assert said[i] == -1
        else:
            best = np.flatnonzero(counts == counts.max())
            assert counts[said[i]] == counts.max()
            assert common[said[i]] == common[best].max()
        held = np.sort(numbers[near[i]])
        held = held[~np.isnan(held)]
        expected = held[(len(held) - 1) // 2] if len(held) else np.nan
        assert spoken[i] == pytest.approx(expected, nan_ok=True)


def test_the_file_itself_gives_everything_away():
    original, holdout = people(1, 800, numbers=3), people(2, 800, numbers=3)
    *known, secret = variables(original, original, holdout)
    found = inference(known, secret)
    assert found.attack.share == 1.0
    assert found.attack.attacks == 500
    assert found.naive.share < found.control.share < 0.8
    assert found.risk == 1.0
    assert found.informed
    found = linkability(known[:2], known[2:4], neighbours=20)
    assert found.risk > 0.1


def test_both_halves_of_a_record_of_its_own_meet():
    """Each part is a number that nobody shares."""
    rng = np.random.default_rng(0)
    kinds = [("number", rng.random(300)) for _ in range(2)]
    others = [("number", rng.random(300)) for _ in range(2)]
    first, second = variables(kinds, kinds, others)
    found = linkability([first], [second], attacks=300)
    assert found.attack.share == 1.0
    assert found.control.share < 0.1
    assert found.risk == 1.0
    assert found.naive.share == pytest.approx(1 / 300, abs=0.02)


def test_an_independent_file_costs_nothing():
    outside = 0
    for seed in range(20):
        tables = [people(3 * seed + i, 700) for i in range(3)]
        *known, secret = variables(*tables)
        found = inference(known, secret, seed=seed)
        low, high = found.risk_ci
        assert low < found.risk < high
        outside += not low <= 0 <= high
        low, high = linkability(known[:2], known[2:], neighbours=5, seed=seed).risk_ci
        outside += not low <= 0 <= high
    assert outside <= 5  # of forty at 5 %


def test_links_by_brute_force():
    """Without ties, two parts are linked if their nearest records have one in common."""
    rng = np.random.default_rng(3)
    original = [("number", rng.random(150)) for _ in range(4)]
    protected = [("number", rng.random(90)) for _ in range(4)]
    made = variables(original, protected)
    for neighbours in (1, 4, 90):
        nearest = []
        for part in (made[:2], made[2:]):
            apart = distances([Attribute(v.kind, v.original, v.protected) for v in part])
            nearest.append(np.argsort(apart, axis=1)[:, :neighbours])
        both = [bool(set(a) & set(b)) for a, b in zip(*nearest, strict=True)]
        found = linkability(made[:2], made[2:], neighbours=neighbours, attacks=150)
        assert found.attack.share == pytest.approx(np.mean(both))


def test_equally_near_records_are_drawn():
    """Nothing is known: every record is as near, and parts meet as often as by chance."""
    empty = Variable("category", np.full(2_000, -1), np.arange(50))
    found = linkability([empty], [empty], neighbours=5, attacks=2_000)
    assert found.attack.share == pytest.approx(found.naive.share, abs=0.05)
    assert found.attack.share == pytest.approx(0.423, abs=0.04)


def test_numbers_are_right_within_the_tolerance():
    known = Variable("number", np.array([0.1, 0.5, 0.9]), np.array([0.1, 0.5, 0.9]))
    secret = Variable("number", np.array([0.30, 0.36, np.nan]), np.array([0.35, 0.30, 0.9]))
    found = inference([known], secret)
    assert found.attack.attacks == 2  # a missing secret cannot be guessed
    assert found.attack.share == 0.5


def test_order_of_rows_columns_and_names_decide_nothing():
    tables = [people(i, 300) for i in range(3)]
    made = variables(*tables)
    rng = np.random.default_rng(0)
    rows = [rng.permutation(300) for _ in range(3)]
    names = rng.permutation(20)
    other = [
        Variable(
            v.kind,
            *(
                (names[cells] if v.kind == "category" else cells)[order]
                for cells, order in zip((v.original, v.protected, v.holdout), rows, strict=True)
            ),
        )
        for v in made
    ]
    assert inference(other[3::-1], other[4]) == inference(made[:4], made[4])
    assert linkability(other[1::-1], other[2:], neighbours=3) == linkability(
        made[:2], made[2:], neighbours=3
    )


def test_a_seed_draws_other_targets():
    tables = [people(i, 900) for i in range(3)]
    *known, secret = variables(*tables)
    assert inference(known, secret, attacks=50) == inference(known, secret, attacks=50)
    assert inference(known, secret, attacks=50) != inference(known, secret, attacks=50, seed=1)


def test_residual_risk_by_the_paper():
    attack, control = Rate.of(300, 500, 0.95), Rate.of(200, 500, 0.95)
    risk, (low, high) = residual_risk(attack, control)
    assert risk == pytest.approx((0.6 - 0.4) / (1 - 0.4))
    # Beside the delta method, which is good in the middle.
    error = np.sqrt(0.24 / 500 / 0.6**2 + 0.24 / 500 * 0.4**2 / 0.6**4)
    assert low == pytest.approx(risk - 1.96 * error, abs=0.01)
    assert high == pytest.approx(risk + 1.96 * error, abs=0.01)


def test_intervals_of_the_risk_cover():
    rng = np.random.default_rng(5)
    for mine, other in ((0.3, 0.3), (0.95, 0.8), (0.05, 0.01)):
        covered = 0
        for _ in range(800):
            rates = [Rate.of(rng.binomial(500, p), 500, 0.95) for p in (mine, other)]
            low, high = residual_risk(*rates)[1]
            covered += low <= (mine - other) / (1 - other) <= high
        assert 0.93 <= covered / 800 <= 0.975


def test_ends_of_the_risk():
    assert residual_risk(Rate.of(10, 10, 0.95), Rate.of(5, 10, 0.95))[0] == 1.0
    low, high = residual_risk(Rate.of(10, 10, 0.95), Rate.of(5, 10, 0.95))[1]
    assert low < 1.0 == high
    with pytest.raises(Undefined, match="every unit"):
        residual_risk(Rate.of(5, 10, 0.95), Rate.of(10, 10, 0.95))
    found = Attack.of(Rate.of(5, 10, 0.95), Rate.of(1, 10, 0.95), Rate.of(10, 10, 0.95))
    assert found.risk is None
    assert "every unit" in found.reason


def test_without_a_holdout_there_is_no_risk():
    *known, secret = variables(people(0, 100), people(1, 100))
    found = inference(known, secret)
    assert found.risk is None
    assert found.control is None
    assert "holdout" in found.reason


def test_undefined():
    *known, secret = variables(people(0, 20), people(1, 20))
    with pytest.raises(Undefined, match="nothing is known"):
        inference([], secret)
    with pytest.raises(Undefined, match="no variable"):
        linkability(known, [])
    with pytest.raises(Undefined, match="fewer than 21"):
        linkability(known[:1], known[1:], neighbours=21)
    empty = Variable("category", np.full(20, -1), np.zeros(20, dtype=int))
    with pytest.raises(Undefined, match="no unit"):
        inference(known, empty)
