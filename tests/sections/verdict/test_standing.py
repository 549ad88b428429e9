"""Which variables are weak, against counting all tables again after each that is named."""

from itertools import combinations
from math import fsum

import numpy as np
import pytest

from microgauge.results.tables import Tables, TableScore, TableVariable
from microgauge.sections.verdict.standing import HALF, Place, weak_variables


def some_tables(seed, ways, variables=9):
    """Tables of which those with an early variable are the worse, some ties among them."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(variables)]
    worst = []
    for together in combinations(range(variables), ways):
        score = float(np.round(rng.uniform(0.3, 1.0), 2 + int(rng.integers(0, 9))))
        score = score if min(together) < 4 else 0.99
        worst.append(
            TableScore(
                variables=tuple(names[i] for i in together),
                score=score,
                moved=1 - score,
                recoding=0.0,
                permuted=float(rng.uniform(0.3, 0.7)),
                resample=float(rng.uniform(0.8, 1.0)),
            )
        )
    return Tables(
        ways=ways, tables=len(worst), value=0.5, score=0.5, standard_error=None, value_ci=None,
        k_marginal=None, by=None, sample_share=None, permuted=None, resample=None, one_way=None,
        variables=tuple(
            TableVariable(name=n, value=0.5, one_way=0.9, cells=4, permuted=None, resample=None)
            for n in names
        ),
        worst=tuple(worst),
    )  # fmt: skip


def places(tables, without=()):
    found = {}
    for variable in tables.variables:
        own = [
            t for t in tables.worst
            if variable.name in t.variables and not set(without) & set(t.variables)
        ]  # fmt: skip
        if own:
            columns = ("score", "permuted", "resample")
            found[variable.name] = Place(
                *(fsum(getattr(t, c) for t in own) / len(own) for c in columns)
            )
    return found


@pytest.mark.parametrize("ways", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_tables_of_a_weak_variable_count_no_more_against_others(seed, ways):
    tables = some_tables(seed, ways)
    wanted, now = {}, places(tables)
    while weak := [name for name, place in now.items() if not place.keeps(HALF)]:
        worst = min(weak, key=lambda name, now=now: (now[name].above_fresh, name))
        wanted[worst] = places(tables)[worst]
        now = places(tables, wanted)
    found = weak_variables(tables)
    assert list(found.items()) == list(wanted.items())
    assert 0 < len(found) < len(tables.variables)


def test_without_tables_no_variable_is_weak():
    assert weak_variables(None) == {}
