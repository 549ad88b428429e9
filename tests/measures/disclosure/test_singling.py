"""Singling out: predicates that one record meets, and how many people they pick."""

import numpy as np
import polars as pl
import pytest

from microgauge.errors import Undefined
from microgauge.measures.disclosure import singling
from microgauge.measures.disclosure.attacks import Variable
from microgauge.measures.disclosure.singling import Clause, expected_share, met, singling_out


def people(seed, rows):
    rng = np.random.default_rng(seed)
    return [
        ("number", np.where(rng.random(rows) < 0.05, np.nan, rng.lognormal(size=rows))),
        ("number", rng.integers(0, 60, rows) / 60),
        ("category", np.minimum(rng.exponential(6, rows).astype(int), 40)),
        ("category", rng.integers(-1, 4, rows)),
        ("category", rng.integers(0, 2, rows)),
    ]


def variables(original, protected, holdout=None):
    return [
        Variable(kind, cells, other[1], None if holdout is None else holdout[i][1])
        for i, ((kind, cells), other) in enumerate(zip(original, protected, strict=True))
    ]


SIGNS = {
    "=": lambda c, v: c == v,
    "≠": lambda c, v: c != v,
    "<": lambda c, v: c < v,
    ">": lambda c, v: c > v,
    "≤": lambda c, v: c <= v,
    "≥": lambda c, v: c >= v,
    "missing": lambda c, _: c.is_null(),
    "known": lambda c, _: c.is_not_null(),
}


def test_counts_are_those_of_a_query():
    """The same predicates asked of a data frame."""
    table = people(0, 500)
    frame = pl.DataFrame(
        {
            str(i): pl.Series(cells, nan_to_null=True)
            if kind == "number"
            else pl.Series([None if c < 0 else int(c) for c in cells])
            for i, (kind, cells) in enumerate(table)
        }
    )
    rng, order = np.random.default_rng(1), np.arange(500)
    made = singling._naive(table, order, 2, 400, rng)
    made += singling._multivariate(table, order, 3, 100, rng)
    assert {clause.sign for predicate in made for clause in predicate} == set(SIGNS)
    for predicate, count in zip(made, met(table, made), strict=True):
        asked = frame
        for clause in predicate:
            asked = asked.filter(SIGNS[clause.sign](pl.col(str(clause.column)), clause.value))
        assert len(asked) == count


@pytest.mark.parametrize("ways", ["univariate", "multivariate"])
def test_the_file_itself_is_singled_out(ways):
    """Every predicate that picks one protected record picks one person."""
    original, holdout = people(1, 600), people(2, 600)
    found = singling_out(variables(original, original, holdout), ways)
    assert found.attack.share == 1.0
    assert found.risk == 1.0
    assert found.control.share < 0.8
    assert found.naive.share < 0.3


@pytest.mark.parametrize("ways", ["univariate", "multivariate"])
def test_an_independent_file_costs_nothing(ways):
    outside = 0
    for seed in range(15):
        tables = [people(3 * seed + i, 400) for i in range(3)]
        found = singling_out(variables(*tables), ways, attacks=150, seed=seed)
        low, high = found.risk_ci
        outside += not low <= 0 <= high
    assert outside <= 3


def test_univariate_predicates_by_hand():
    table = [
        ("number", np.array([1.0, 2.0, 2.0, 9.0, np.nan])),
        ("category", np.array([0, 0, 1, 1, 2])),
    ]
    made = singling._univariate(table, np.arange(5), 99, np.random.default_rng(0))
    assert {predicate[0] for predicate in made} == {
        Clause(0, "missing"),
        Clause(0, "≤", 1.0),
        Clause(0, "≥", 9.0),
        Clause(0, "=", 1.0),
        Clause(0, "=", 9.0),
        Clause(1, "=", 2.0),
    }


def test_multivariate_predicates_are_different_and_meet_one():
    table = people(3, 500)
    made = singling._multivariate(table, np.arange(500), 3, 200, np.random.default_rng(0))
    assert len(set(made)) == len(made) == 200
    assert (met(table, made) == 1).all()
    assert all(len({clause.column for clause in predicate}) == 3 for predicate in made)


def test_two_equal_people_are_not_singled_out():
    single = [("category", np.array([0, 0, 1]))]
    double = [("category", np.array([1, 1, 0, 0]))]
    found = singling_out(variables(double, single), "univariate")
    assert found.attack.share == 0.0


def test_share_for_fewer_people_is_that_of_samples():
    """Mean over samples drawn without replacement."""
    table = people(4, 300)
    predicates = singling._multivariate(table, np.arange(300), 2, 80, np.random.default_rng(0))
    predicates += singling._naive(table, np.arange(300), 2, 80, np.random.default_rng(0))
    rng, shares = np.random.default_rng(1), []
    for _ in range(300):
        some = rng.choice(300, 120, replace=False)
        shares.append(np.mean(met([(k, c[some]) for k, c in table], predicates) == 1))
    found = expected_share(met(table, predicates), records=300, people=120)
    assert found == pytest.approx(np.mean(shares), abs=0.01)


def test_share_for_more_people_is_near_the_truth():
    """Predicates of an independent file; the share among 2,500 people told from 1,000."""
    gaps = []
    for seed in range(4):
        protected, crowd, some = (
            people(10 * seed + i, rows) for i, rows in enumerate((2_500, 2_500, 1_000))
        )
        rng = np.random.default_rng(seed)
        made = singling._multivariate(protected, np.arange(2_500), 3, 400, rng)
        truth = np.mean(met(crowd, made) == 1)
        gaps.append(expected_share(met(some, made), records=1_000, people=2_500) - truth)
        assert abs(gaps[-1]) < 0.1
    assert abs(np.mean(gaps)) < 0.04


def test_chances_of_one_kind_are_found():
    """All predicates are met by one person in a hundred."""
    counts = np.random.default_rng(0).binomial(100, 0.01, 4_000)
    expected = 300 * 0.01 * 0.99**299
    found = expected_share(counts, records=100, people=300)
    assert found == pytest.approx(expected, abs=0.02)


def test_a_small_holdout_raises_no_alarm():
    alarms = 0
    for seed in range(12):
        original, protected = people(5 * seed, 900), people(5 * seed + 1, 900)
        found = singling_out(variables(original, protected, people(5 * seed + 2, 300)), attacks=150)
        alarms += found.risk_ci[0] > 0
    assert alarms <= 2


def test_a_smaller_holdout_is_made_comparable():
    original, protected = people(8, 2_000), people(9, 2_000)
    small, large = ([(k, c[:n]) for k, c in people(10, 4_000)] for n in (700, 4_000))
    rates = [
        singling_out(variables(original, protected, holdout)).control.share
        for holdout in (small, large)
    ]
    assert rates[0] == pytest.approx(rates[1], abs=0.06)


def test_order_of_rows_columns_and_names_decide_nothing():
    made = variables(*(people(i, 250) for i in range(3)))
    rng = np.random.default_rng(0)
    rows = [rng.permutation(250) for _ in range(3)]
    names = np.append(rng.permutation(60), -1)  # -1 stays missing
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
    for ways in ("univariate", "multivariate"):
        assert singling_out(other[::-1], ways, attacks=60) == singling_out(made, ways, attacks=60)


def test_undefined():
    with pytest.raises(Undefined, match="no variable"):
        singling_out([])
    same = Variable("category", np.zeros(9, dtype=int), np.zeros(9, dtype=int))
    for ways in ("univariate", "multivariate"):
        with pytest.raises(Undefined, match="no predicate"):
            singling_out([same], ways)
