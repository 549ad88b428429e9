"""Loops over one column against plain Python, compiled and in NumPy."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.kernels import compiled, count_codes, few_texts, sorted_codes
from microgauge.kernels.texts import MOST_TEXTS
from microgauge.tables.column import encode

TYPES = [np.uint8, np.uint16, np.uint32, np.int64]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("rows", [0, 1, 3, 10_000])
@pytest.mark.usefixtures("way")
def test_codes_are_counted(kind, rows):
    codes = np.random.default_rng(rows).integers(0, 200, rows).astype(kind)
    often = Counter(codes.tolist())
    assert count_codes(codes, 230).tolist() == [often[code] for code in range(230)]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("most", [2, 200, 60_000, 5_000_000])
@pytest.mark.usefixtures("way")
def test_codes_that_occur_come_rising(kind, most):
    most = min(most, int(np.iinfo(kind).max))
    codes = np.random.default_rng(most).integers(0, most, 3_000).astype(kind)
    keys, counts = sorted_codes(codes)
    assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == Counter(codes.tolist())
    assert keys.tolist() == sorted(set(codes.tolist()))
    assert keys.dtype == counts.dtype == np.int64


def test_no_codes_at_all():
    keys, counts = sorted_codes(np.array([], dtype=np.uint32))
    assert len(keys) == len(counts) == 0


CELLS = st.one_of(
    st.none(),
    st.sampled_from(
        ["a", "b", " a", "", "  ", "exactly 12 b", "a text longer than twelve", "ä", "\x00"]
    ),
    st.text(max_size=20),
)


@given(st.lists(CELLS, max_size=60), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_few_texts_are_told_apart(cells, cut):
    if compiled() is None:
        pytest.skip("no compiled loops")
    series = pl.Series(cells, dtype=pl.String)[cut:]
    first, codes = few_texts(series)
    told = [None, *series.gather(first).to_list()]
    assert [told[code] for code in codes] == series.to_list()


LONG = ["a text longer than twelve", "another one that is long", "the third that is as long"]


def test_long_texts_of_several_parts_are_told_apart():
    """Where a long text stands is told within a part: the same place holds another text in each."""
    parts = [pl.Series([text, text]) for text in LONG]
    series = pl.concat(parts, rechunk=False)
    assert series.n_chunks() == 3
    assert few_texts(series) is None
    column = encode(series)
    assert [column.values[code] for code in column.codes.tolist()] == series.to_list()


def test_too_many_texts_are_left_to_others():
    assert few_texts(pl.Series([str(i) for i in range(MOST_TEXTS + 1)])) is None


@given(st.lists(CELLS, max_size=60))
@settings(max_examples=100, deadline=None)
def test_columns_of_texts_are_coded_alike_with_and_without_loops(cells):
    series = pl.Series(cells, dtype=pl.String)
    with pytest.MonkeyPatch.context() as patch:
        by_loops = encode(series)
        patch.setenv("MICROGAUGE_PLAIN", "1")
        plainly = encode(series)
    assert by_loops.values.to_list() == plainly.values.to_list()
    assert by_loops.codes.tolist() == plainly.codes.tolist()
    wanted = [None if cell is None or not cell.strip() else cell.strip() for cell in cells]
    assert [[*plainly.values, None][code] for code in plainly.codes] == wanted
