"""Stretches of a long array against a loop over them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microgauge.values.segments import Segments, joined

lengths = st.lists(st.integers(0, 40), max_size=30)


def parts_of(counts, seed):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=count) * 10.0 ** rng.integers(-5, 6) for count in counts]


@given(lengths, st.integers(0, 1000))
def test_sums_are_those_of_each_by_itself_to_the_last_bit(counts, seed):
    parts = parts_of(counts, seed)
    found = Segments.of(parts).sums(joined(parts))
    assert found.tolist() == [float(part.sum()) for part in parts]


@given(lengths, st.integers(0, 1000))
def test_what_comes_before_is_a_running_sum(counts, seed):
    parts = parts_of(counts, seed)
    found = Segments.of(parts).before(joined(parts))
    wanted = [[0.0, *np.cumsum(part)[:-1]][: len(part)] for part in parts]
    assert found.tolist() == [number for each in wanted for number in each]


@given(lengths, st.integers(0, 1000), st.data())
def test_chosen_stretches_and_flagged_entries(counts, seed, data):
    parts = parts_of(counts, seed)
    long, held = Segments.of(parts), joined(parts)
    assert long.total == len(held)
    chosen = data.draw(
        st.lists(st.integers(0, len(parts) - 1), max_size=9) if parts else st.just([])
    )
    found = held[long.places(np.array(chosen, dtype=np.intp))]
    assert found.tolist() == [number for i in chosen for number in parts[i]]
    positive = held > 0
    assert long.only(positive).lengths.tolist() == [int((part > 0).sum()) for part in parts]
