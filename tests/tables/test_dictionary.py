"""Dictionaries of values: whatever the batches, the same values; a grid that errs by half a step.

With more different numbers than are told apart, both tables are read on one grid, and figures are
near those of the numbers themselves.
"""

import math
from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

import microgauge
from microgauge import InputError
from microgauge.study.cells import Cells
from microgauge.study.variable_reading import on_one_grid
from microgauge.tables import Column, Reading, read_table
from microgauge.tables.column import UnsupportedColumn
from microgauge.tables.dictionary import Dictionary, on_grid
from support.batches import assessed, in_batches
from support.figures import differences, without_paths
from support.tables import SECRET

pytestmark = pytest.mark.slow

LAWS = settings(max_examples=80, deadline=None)


def read(cells, limit=1000, declared=(), dtype=None):
    """The dictionary of one batch."""
    return Dictionary.read(pl.Series("x", cells, dtype=dtype), limit, frozenset(declared))


def read_split(cells, cuts, limit, declared=(), dtype=None):
    """The dictionary of batches, added up in their order."""
    places = [0, *sorted(cut % (len(cells) + 1) for cut in cuts), len(cells)]
    pieces = [cells[a:b] for a, b in pairwise(places) if b > a]
    return reduce(add, [read(piece, limit, declared, dtype) for piece in pieces])


def facts(dictionary):
    """What a dictionary says: its values, its grid, and its kind."""
    try:
        values = dictionary.values
    except UnsupportedColumn as why:
        return str(why)
    listed = values.to_list() if isinstance(values, pl.Series) else values.tolist()
    return listed, dictionary.width, dictionary.kind, dictionary.rows, dictionary.missing


def decoded(dictionary, cells, dtype=None):
    """Cells as the values that their codes stand for, NaN where missing."""
    codes = dictionary.coded(pl.Series("x", cells, dtype=dtype))
    values = dictionary.values
    numbers = values.cast(pl.Float64) if isinstance(values, pl.Series) else values
    return np.append(np.asarray(numbers), np.nan)[codes]


# Multiples of 1/1024 up to a million: no digit is lost whatever grid the search begins with.
numbers = st.integers(-(2**30), 2**30).map(lambda k: k / 1024)
near = st.integers(-60, 60).map(lambda k: k / 8)
cells_of_numbers = st.lists(st.none() | numbers | near, min_size=20, max_size=50)
few_numbers = st.lists(st.none() | near, min_size=1, max_size=10)
cuts = st.lists(st.integers(0, 1000), max_size=6)
limits = st.integers(4, 14)


# -- laws ----------------------------------------------------------------------------------------

any_numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(any_numbers | near, min_size=1), st.integers(-1074, 1023))
def test_a_place_on_a_grid_is_the_largest_multiple_that_is_not_larger(cells, exponent):
    for cell, place in zip(cells, on_grid(np.array(cells), exponent).tolist(), strict=True):
        number, width = Fraction(cell), Fraction(2) ** exponent
        expected = math.floor(number / width) * width
        # Below the lowest floating point number there is none: the place is infinite then.
        lowest = Fraction(-np.finfo(np.float64).max)
        assert place == (-math.inf if expected < lowest else expected)
        assert math.copysign(1.0, place) == 1.0 or place < 0.0


@given(st.lists(any_numbers | near, min_size=1), st.integers(-1074, 1023), st.integers(0, 60))
def test_grids_are_nested(cells, exponent, more):
    finer, coarser = exponent, min(exponent + more, 1023)
    numbers = np.array(cells)
    assert (on_grid(on_grid(numbers, finer), coarser) == on_grid(numbers, coarser)).all()
    assert (np.diff(on_grid(np.sort(numbers), coarser)) >= 0).all()


@given(cells_of_numbers | few_numbers, cuts, limits, st.randoms(use_true_random=False))
@LAWS
def test_numbers_are_the_same_in_any_batches_and_order(cells, cuts, limit, random):
    whole = read(cells, limit, dtype=pl.Float64)
    turned = list(cells)
    random.shuffle(turned)
    for order in (cells, cells[::-1], turned):
        split = read_split(order, cuts, limit, dtype=pl.Float64)
        assert facts(split) == facts(whole)
        assert split.coded(pl.Series(cells, dtype=pl.Float64)).tolist() == (
            whole.coded(pl.Series(cells, dtype=pl.Float64)).tolist()
        )


@given(cells_of_numbers, cuts, limits, st.integers(1, 30))
@LAWS
def test_a_grid_that_is_known_to_be_needed_may_be_given(cells, cuts, limit, more):
    # As `streaming` does: a batch is put on the coarsest grid so far at once.
    whole = read(cells, limit, dtype=pl.Float64)
    assume(whole.exponent is not None)
    given_ = Dictionary.read(pl.Series(cells[:more], dtype=pl.Float64), limit, frozenset(),
                             whole.exponent)  # fmt: skip
    assert facts(given_ + whole)[:2] == facts(whole)[:2]


@given(
    st.one_of(
        st.lists(st.none() | st.text("ab 01.", max_size=3), min_size=1, max_size=30),
        st.lists(near.map(str) | st.sampled_from(["NA", ".", "nan", ""]), min_size=20, max_size=40),
        st.lists(st.none() | near.map(str) | near.map("{:+.3f}".format), min_size=20, max_size=40),
    ),
    cuts,
    limits,
    st.sampled_from([(), ("0",), ("a", "-1")]),
)
@LAWS
def test_texts_are_the_same_in_any_batches_and_order(cells, cuts, limit, declared):
    whole = read(cells, limit, declared, pl.String)
    for order in (cells, cells[::-1]):
        split = read_split(order, cuts, limit, declared, pl.String)
        assert facts(split) == facts(whole)
        if not isinstance(facts(whole), str):
            assert split.coded(pl.Series(cells, dtype=pl.String)).tolist() == (
                whole.coded(pl.Series(cells, dtype=pl.String)).tolist()
            )


@given(cells_of_numbers | few_numbers, limits)
@LAWS
def test_a_grid_errs_by_half_its_width_and_no_value_is_made_up(cells, limit):
    found = read(cells, limit, dtype=pl.Float64)
    known = np.array([np.nan if cell is None else cell for cell in cells])
    here = ~np.isnan(known)
    back = decoded(found, cells, pl.Float64)
    assert (np.isnan(back) == ~here).all()
    assert len(found.values) <= limit
    # Rising, and each in use.
    assert (np.diff(found.values) > 0).all()
    assert set(back[here]) == set(found.values)
    distinct = np.unique(known[here])
    if len(distinct) <= limit:
        assert found.width is None
        assert (back[here] == known[here]).all()
        return
    assert found.width is not None
    assert math.frexp(found.width)[0] == 0.5
    assert (np.abs(back - known)[here] <= found.width / 2).all()
    # No finer grid would do.
    finer = found.width / 2
    assert len(np.unique(np.floor(distinct / finer))) > limit


@given(cells_of_numbers, limits, st.sampled_from([-40, 40, 990]))
@LAWS
def test_a_grid_is_that_of_numbers_in_another_unit(cells, limit, power):
    # Small and huge numbers, by powers of two, which lose nothing. For tiny ones see
    # test_tiny_numbers_keep_their_digits.
    found = read(cells, limit, dtype=pl.Float64)
    scaled = [None if cell is None else math.ldexp(cell, power) for cell in cells]
    other = read(scaled, limit, dtype=pl.Float64)
    assert (np.ldexp(found.values, power) == other.values).all()
    assert (found.width is None) == (other.width is None)
    assert math.ldexp(found.width or 0.0, power) == (other.width or 0.0)


@given(st.lists(st.sampled_from([0.0, -0.0, np.inf, -np.inf, np.nan, None, 1e300, -1e300, 1e-300]),
                min_size=1), cuts)  # fmt: skip
def test_odd_numbers_are_kept_within_the_limit(cells, cuts):
    found = read_split(cells, cuts, 10, dtype=pl.Float64)
    expected = {cell + 0.0 for cell in cells if cell is not None and not math.isnan(cell)}
    assert found.values.tolist() == sorted(expected)
    assert not np.signbit(found.values[found.values == 0]).any()
    back = decoded(found, cells, pl.Float64)
    assert np.array_equal(back, pl.Series(cells, dtype=pl.Float64).to_numpy(), equal_nan=True)


@given(st.lists(near, min_size=30, max_size=60), cuts)
@LAWS
def test_infinite_numbers_stay_so_on_a_grid(cells, cuts):
    cells = [*cells, np.inf, -np.inf, *cells]
    assume(len(set(cells)) > 12)
    found = read_split(cells, cuts, 12)
    assert found.width is not None
    assert found.values[0] == -np.inf
    assert found.values[-1] == np.inf
    assert np.isfinite(found.values[1:-1]).all()
    back = decoded(found, cells)
    assert (np.isinf(back) == np.isinf(cells)).all()


@given(st.lists(st.integers(2**53, 2**63 - 1), min_size=20, max_size=40), cuts)
@LAWS
def test_whole_numbers_beyond_two_to_the_53(cells, cuts):
    found = read_split(cells, cuts, 15, dtype=pl.Int64)
    assert facts(found) == facts(read(cells, 15, dtype=pl.Int64))
    assert len(found.values) <= 15
    as_floats = np.array(cells, dtype=np.float64)
    back = decoded(found, cells, pl.Int64)
    assert (np.abs(back - as_floats) <= (found.width or 0.0) / 2).all()


# -- missing codes -------------------------------------------------------------------------------


@given(st.lists(numbers, min_size=40, max_size=60, unique=True), cuts, st.booleans())
@LAWS
def test_declared_missing_codes_are_missing_on_a_grid(cells, cuts, as_text):
    code = -9.0
    assume(code not in cells)
    cells = [code, *cells[:20], code, *cells[20:], code]
    if as_text:
        given_ = [str(cell) for cell in cells]
        given_[0], given_[-1] = "-9", "-09"
        dtype = pl.String
    else:
        given_, dtype = cells, pl.Float64
    found = read_split(given_, cuts, 20, {"-9"}, dtype)
    assert found.width is not None
    back = decoded(found, given_, dtype)
    assert (np.isnan(back) == (np.array(cells) == code)).all()
    assert set(back[~np.isnan(back)]) == set(found.values)  # none stands for the code alone


def test_words_for_missing_numbers_are_missing_on_a_grid():
    cells = [str(i) for i in range(50)] + ["NA", ".", "NULL", "#N/A", "", "  ", None]
    found = read(cells, 20)
    assert found.width is not None
    assert np.isnan(decoded(found, cells)[50:]).all()
    assert not np.isnan(decoded(found, cells)[:50]).any()


def test_declared_missing_codes_among_numbers_in_two_spellings():
    cells = [f"{i}" for i in range(15)] + [f"{i}.0" for i in range(15)] + ["-9"]
    found = read(cells, 20, {"-9"})
    assert found.width is None
    assert found.values.tolist() == list(range(15))
    back = decoded(found, cells)
    assert back[:-1].tolist() == [*range(15), *range(15)]
    assert np.isnan(back[-1])


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            float,
        ),
        str,
    ],
)
def test_a_missing_code_is_not_the_one_value_too_many(kind):
    # 100 values and a missing code, 100 told apart: no grid is needed.
    cells = [kind(i) for i in range(100)] + [kind(-9)]
    found = read(cells, 100, {"-9"})
    assert found.width is None
    assert decoded(found, cells[:-1]).tolist() == list(range(100))


def test_a_middle_that_looks_like_a_missing_code_is_none(tmp_path):
    # 300 whole numbers, 150 told apart: intervals 2 wide with odd middles. 299 is declared missing
    # and is so in one row; 298 and 297 are not.
    frame = pl.DataFrame({"x": np.random.default_rng(1).permutation(300), "y": [1, 2, 3] * 100})
    frame.write_parquet(tmp_path / "t.parquet")
    paths = [tmp_path / "t.parquet"] * 2
    schema = {"options": {"distinct_values": 150}, "variable": {"x": {"missing": [299]}}}
    found = [
        assessed(*paths, rows, schema=schema, only=["gdu"]).variables[0].missing_original
        for rows in (None, 50)
    ]
    assert found == [1, 1]


# -- where the grid begins -----------------------------------------------------------------------


def test_a_single_huge_number_is_the_same_in_any_batches():
    cells = [1.0, 2.0, 3.0, 4.0, 5.0]
    whole, split = read([*cells, 1e300], 4), read(cells, 4) + read([1e300], 4)
    assert facts(split) == facts(whole)


def test_a_single_large_number_leaves_the_others_apart():
    # One code such as 1e20 among a hundred shares must not make all shares one value.
    cells = np.linspace(0, 1, 101)
    assert len(read(cells, 100).values) > 60
    assert len(read(np.append(cells, 1e20), 100).values) > 60


@pytest.mark.parametrize("size", [1e-20, 1e-300])
def test_tiny_numbers_keep_their_digits(size):
    cells = np.linspace(1, 2, 101) * size
    found = read(cells, 100)
    assert len(found.values) > 40
    assert (np.abs(decoded(found, cells) - cells) <= 0.02 * size).all()


def test_a_huge_number_after_many_tiny_ones_stays_finite():
    cells = np.linspace(1, 2, 101) * 1e-9
    found = read(cells, 100) + read([1e305], 100)
    assert np.isfinite(found.values).all()


def test_missing_codes_do_not_move_the_grid():
    declared, cells = {"-9", "1000"}, [0.1, 0.2, 0.3, 0.4, -9.0]
    whole, split = (
        read([*cells, 1000.0], 4, declared),
        read(cells, 4, declared) + read([1000.0], 4, declared),
    )
    assert facts(split) == facts(whole)


# -- texts beyond the limit ----------------------------------------------------------------------


def test_texts_that_spell_numbers_become_numbers_beyond_the_limit():
    cells = [str(i / 4) for i in range(200)]
    assert isinstance(read(cells, 200).values, pl.Series)
    found = read(cells, 199)
    assert found.width is not None
    assert np.abs(decoded(found, cells) - np.arange(200) / 4).max() <= found.width / 2
    assert found.column(found.coded(pl.Series(cells))).kind == "number"


def test_numbers_in_two_spellings_are_one_beyond_the_limit():
    cells = [f"{i}" for i in range(15)] + [f"{i}.0" for i in range(15)] + ["1e1", "+3", "007"]
    found = read(cells, 20)
    assert found.width is None
    assert found.values.tolist() == list(range(15))
    assert decoded(found, cells).tolist() == [*range(15), *range(15), 10, 3, 7]


@pytest.mark.parametrize("cut", [1, 10, 40, 60])
def test_texts_beyond_the_limit_are_left_out_with_the_reason(cut):
    cells = [f"{i}" for i in range(40)] + [f"t{i}" for i in range(40)]
    whole, split = read(cells, 50), read_split(cells, [cut], 50)
    for found in (whole, split):
        with pytest.raises(UnsupportedColumn, match="more than 50 different texts"):
            _ = found.values
    assert read(cells, 80).values.to_list() == sorted(cells)


def test_one_text_among_many_numbers_is_a_missing_cell(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i},{i % 3}\n" for i in range(300)) + "SECRET-417,1\n")
    schema = {"options": {"distinct_values": 100}}
    result = assessed(path, path, 50, schema=schema, only=["gdu"])
    (found,) = [v for v in result.variables if v.name == "x"]
    assert (found.type, found.missing_original, found.missing_protected) == ("continuous", 1, 1)
    told = [n for n in result.notes if '"x" is taken for a number' in n and "missing: 1." in n]
    assert len(told) == 2  # of each table
    assert "SECRET" not in " ".join(result.notes)


@pytest.mark.parametrize("cut", [0, 10, 30, 50])
def test_the_text_nan_is_no_number_beyond_the_limit(cut):
    # It is a text like any other, and no number stands for it.
    cells = [str(i) for i in range(50)] + ["nan"]
    found = read_split(cells, [cut], 20).column(None)
    assert found.strays == 1
    assert np.isfinite(found.values).all()
    assert "nan" in read_split(cells, [cut], 51).values.to_list()


def crowded_fault(name, which, role="quasi_identifier", limit=100):
    """What is said of a variable with too many values to measure risk by."""
    return (
        f'the {role} variable "{name}" has more than {limit} different values in the {which} '
        "table, which is too many to tell all apart beyond memory: raise distinct_values in "
        "[options], or recode it."
    )


@pytest.mark.parametrize("names", ["both", "protected"])
def test_a_quasi_identifier_with_too_many_texts_is_refused(tmp_path, names):
    rng = np.random.default_rng(1)
    many = [f"name {i}" for i in rng.integers(0, 250, 300)]
    frame = pl.DataFrame({"name": many, "sex": rng.integers(0, 2, 300), "x": [1, 2, 3] * 100})
    frame.write_parquet(tmp_path / "p.parquet")
    if names == "protected":
        frame = frame.with_columns(name=pl.Series([f"name {i % 7}" for i in range(300)]))
    frame.write_parquet(tmp_path / "o.parquet")
    schema = {
        "options": {"distinct_values": 100},
        "variable": {n: {"role": "quasi_identifier"} for n in ("name", "sex")},
    }
    paths = [tmp_path / "o.parquet", tmp_path / "p.parquet"]
    exact = assessed(*paths, schema=schema, only=["risk"]).risk
    assert exact.internal > 0.7
    # Without it, the risk would be 0.0067.
    with pytest.raises(InputError) as caught:
        assessed(*paths, 50, schema=schema, only=["risk"])
    tables = ["original", "protected"] if names == "both" else ["protected"]
    assert list(caught.value.faults) == [crowded_fault("name", table) for table in tables]
    schema["options"]["distinct_values"] = 300
    split = assessed(*paths, 50, schema=schema, only=["risk"]).risk
    assert split.internal == pytest.approx(exact.internal, abs=1e-12)


# -- identifiers ---------------------------------------------------------------------------------


@given(st.integers(-50, 50), st.integers(2, 40), cuts, st.sampled_from([int, float, str]))
def test_numbers_that_run_up_are_consecutive_in_any_batches(start, count, cuts, kind):
    cells = [kind(start + i) for i in range(count)]
    assert read_split(cells, cuts, 100).identifies
    assert read_split(cells, cuts, 4).identifies  # also where they are not told apart


@given(st.lists(st.integers(0, 40), min_size=2, max_size=30), cuts)
@example([1, 2, 4], [])
@example([3, 2, 1], [])
@LAWS
def test_other_numbers_are_not_consecutive(cells, cuts):
    assume(any(b - a != 1 for a, b in pairwise(cells)))
    assert not read(cells, 100).identifies
    batches = read_split(cells, cuts, 100)
    assert not batches.identifies
    # Batches whose order is not known may be those of numbers that run up.
    assert not batches.identifies or max(cells) - min(cells) + 1 == len(cells)


@given(st.integers(-50, 50), st.integers(2, 40), cuts, st.randoms(use_true_random=False))
def test_numbers_that_run_up_are_consecutive_in_batches_of_any_order(start, count, cuts, random):
    places = [0, *sorted(cut % (count + 1) for cut in cuts), count]
    pieces = [list(range(start + a, start + b)) for a, b in pairwise(places) if b > a]
    random.shuffle(pieces)
    found = reduce(add, [read(piece, 100) for piece in pieces])
    cells = [cell for piece in pieces for cell in piece]
    assert found.identifies == (count >= 20 or cells == sorted(cells))


def test_what_is_not_consecutive():
    assert not read([7]).identifies
    assert not read([1, 2, None, 3]).identifies
    assert not (read([1, 2]) + read([None, 3], dtype=pl.Int64)).identifies
    assert not read([0.5, 1.5]).identifies
    assert not read(["1", "3"]).identifies
    assert not read([f"t{i}" for i in range(9)] + ["t0"]).identifies
    assert read([f"t{i}" for i in range(9)]).identifies
    assert not (read(["a", "b"]) + read(["b", "c"])).identifies


# -- adding --------------------------------------------------------------------------------------


def test_batches_without_values_say_nothing_of_the_kind():
    nothing = read([None, None], dtype=pl.Null)
    for some in (read([1.0, 2.0]), read([True, False]), read(["a", "b"])):
        for both in (nothing + some, some + nothing):
            assert both.kind == some.kind
            assert both.rows == 4
            assert both.missing == 2
            assert list(both.values) == list(some.values)
            assert not both.identifies


def test_texts_and_numbers_do_not_add_up():
    with pytest.raises(InputError, match="text in some batches and numbers in others") as caught:
        read(["SECRET-417"]) + read([417.0])
    assert "SECRET" not in str(caught.value)


def test_orders_that_differ_are_none():
    one, other = (
        Dictionary.read(pl.Series(["a"], dtype=pl.Enum(order)), 9, frozenset())
        for order in (["a", "b"], ["b", "a"])
    )
    assert (one + one).order == ("a", "b")
    assert (one + other).order is None


@pytest.mark.parametrize("count", [255, 256, 65535, 65536])
def test_codes_take_the_smallest_type(count):
    found = read(np.arange(count) * 3.0, 1 << 20)
    codes = found.coded(pl.Series([0.0, None, 3.0 * (count - 1)], dtype=pl.Float64))
    assert (
        codes.dtype
        == found.dtype
        == (np.uint8 if count <= 255 else np.uint16 if count <= 65535 else np.uint32)
    )
    assert codes.tolist() == [0, count, count - 1]


# -- both tables on one grid ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    """3,000 units: ages with few values; noise on every other one in the protected table."""
    folder = tmp_path_factory.mktemp("noisy")
    rng = np.random.default_rng(4)
    rows = 3000
    age = np.clip(np.round(rng.normal(45, 16, rows)), 18, 90)
    income = np.exp(7 + 0.01 * age + 0.4 * rng.normal(size=rows))
    original = pl.DataFrame({"age": age, "income": income, "sex": rng.integers(1, 3, rows)})
    moved = np.where(np.arange(rows) % 2 == 0, rng.normal(0, 4, rows), 0.0)
    protected = original.with_columns(
        age=pl.Series(age + moved), income=pl.Series(income * np.exp(moved / 30))
    )
    paths = {}
    for form, write in (("parquet", pl.DataFrame.write_parquet), ("csv", pl.DataFrame.write_csv)):
        for frame, name in ((original, "o"), (protected, "p")):
            paths[form, name] = folder / f"{name}.{form}"
            write(frame, paths[form, name])
    return original, protected, paths


SCHEMA = {
    "options": {"distinct_values": 200, "aligned": True},
    "variable": {"age": {"type": "continuous"}, "income": {"type": "continuous"}},
    "loss": {"robust_sample": 100},
}


def on_a_grid(noisy, form, limit=200):
    """Exact results and those on a grid."""
    schema = SCHEMA | {"options": {"distinct_values": limit, "aligned": True}}
    paths = [noisy[2][form, "o"], noisy[2][form, "p"]]
    choices = {"schema": schema, "only": ["gdu", "loss"]}
    return assessed(*paths, **choices), assessed(*paths, 700, **choices)


def width_of(result, name):
    """The width that a note tells."""
    (note,) = (n for n in result.notes if n.startswith(f'"{name}" has more than'))
    words = note.split("intervals ")[1].split(" wide")[0]
    return float(words), note


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_unchanged_cells_are_unchangedon_one_grid(noisy, form):
    original, protected, _ = noisy
    _, grid = on_a_grid(noisy, form)
    for name in ("age", "income"):
        width, _ = width_of(grid, name)
        places = [np.floor(frame[name].to_numpy() / width) for frame in (original, protected)]
        changed = next(v.changed for v in grid.loss.variables if v.name == name)
        # No cell that is the same counts as changed, though one table tells its values apart.
        assert changed == (places[0] != places[1]).sum()
        moved = np.abs(original[name].to_numpy() - protected[name].to_numpy())
        assert (moved >= width).sum() <= changed <= (moved > 0).sum()
    assert next(v.changed for v in grid.loss.variables if v.name == "sex") == 0
    assert len(np.unique(original["age"])) < 100 < len(np.unique(protected["age"]))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_figures_on_a_grid_are_near_the_exact_ones(noisy, form):
    original, protected, _ = noisy
    exact, grid = on_a_grid(noisy, form)
    for name in ("age", "income"):
        width, note = width_of(grid, name)
        columns = [frame[name].to_numpy() for frame in (original, protected)]
        places = [np.floor(column / width) for column in columns]
        fullest = max(np.unique(p, return_counts=True)[1].max() / len(p) for p in places)
        assert f"The fullest holds {fullest:.2g} of the rows" in note
        assert "more than 200 different values" in note
        before, after = (
            next(v for v in result.gdu.variables if v.name == name) for result in (exact, grid)
        )
        # Distribution functions are compared at the ends of intervals only: the largest distance
        # is that of whole intervals, and misses at most what one of them holds.
        assert after.statistic == pytest.approx(stats.ks_2samp(*places).statistic, abs=1e-12)
        assert -1e-12 <= before.statistic - after.statistic <= fullest
        # Each number is off by at most half a width, so each difference is by a width.
        one, other = (
            next(v for v in result.loss.variables if v.name == name) for result in (exact, grid)
        )
        assert abs(one.mae - other.mae) <= width
        for side in ("original", "protected"):
            assert abs(one.moments[side].mean - other.moments[side].mean) <= width / 2
            spread = one.moments[side].sd
            assert abs(spread - other.moments[side].sd) <= width / 2
    # A width is a small part of the spread, and so are the effects on all figures.
    assert grid.gdu.value == pytest.approx(exact.gdu.value, abs=0.03)
    assert grid.loss.il1s == pytest.approx(exact.loss.il1s, rel=0.1)


def test_values_within_the_limit_are_exact_in_batches(noisy):
    exact, split = on_a_grid(noisy, "parquet", limit=3000)
    assert not any("wide" in note for note in split.notes)
    assert differences(without_paths(exact), without_paths(split)) == []


def test_figures_on_a_grid_do_not_depend_on_batches(noisy):
    paths = [noisy[2]["parquet", "o"], noisy[2]["parquet", "p"]]
    found = [
        without_paths(assessed(*paths, n, schema=SCHEMA, only=["gdu", "loss"])) for n in (90, 5000)
    ]
    assert differences(*found) == []


def test_a_table_in_memory_is_put_on_the_other_ones_grid(noisy):
    # Only one of the tables is too large to be told apart: the other is a data frame.
    original, _, paths = noisy
    choices = {"schema": SCHEMA, "only": ["loss"]}
    found = assessed(paths["parquet", "p"], original, 700, **choices)
    back = assessed(original, paths["parquet", "p"], 700, **choices)
    changed = [
        next(v.changed for v in r.loss.variables if v.name == "income") for r in (found, back)
    ]
    assert changed[0] == changed[1] <= 1500


@given(
    st.lists(st.integers(-(2**20), 2**20), min_size=30, max_size=50, unique=True),
    st.lists(st.integers(-(2**20), 2**20), min_size=5, max_size=12, unique=True),
    st.booleans(),
)
@LAWS
def test_equal_numbers_are_equalon_one_grid(many, few, as_text):
    cells = [[k / 64 for k in side] for side in (many + few, few)]
    found = [read(side, 20) for side in cells]
    sides = [
        Cells.read(d.column(d.coded(pl.Series(side))), ())
        for d, side in zip(found, cells, strict=True)
    ]
    if as_text:
        texts = pl.Series([str(cell) for cell in cells[1]])
        sides[1] = Cells.read(Column("text", texts, np.arange(len(few))), ())
        found[1] = None
    placed = on_one_grid(*sides)
    assert placed[0].width == placed[1].width == found[0].width
    first = placed[0].numbers[found[0].coded(pl.Series(cells[0]))][len(many) :]
    second = placed[1].numbers
    if found[1] is not None:
        second = second[found[1].coded(pl.Series(cells[1]))]
    assert first.tolist() == second.tolist()
    assert (np.abs(second - np.array(cells[1])) <= found[0].width / 2).all()


def test_huge_numbers_are_equalon_one_grid():
    few = [1e-9, 1e305]
    cells = [[*np.linspace(1, 2, 101) * 1e-9, *few], few]
    found = [read(side, 100) for side in cells]
    sides = [
        Cells.read(d.column(d.coded(pl.Series(side))), ())
        for d, side in zip(found, cells, strict=True)
    ]
    placed = on_one_grid(*sides)
    first, second = (
        side.numbers[d.coded(pl.Series(few))] for side, d in zip(placed, found, strict=True)
    )
    assert first.tolist() == second.tolist()


def test_bands_beside_a_grid_stay_bands(tmp_path):
    rng = np.random.default_rng(2)
    age = rng.uniform(18, 90, 400)
    pl.DataFrame({"age": age, "sex": rng.integers(1, 3, 400)}).write_parquet(tmp_path / "o.parquet")
    bands = pl.Series([f"{int(a // 10 * 10)}-{int(a // 10 * 10 + 9)}" for a in age])
    frame = pl.DataFrame({"age": bands, "sex": rng.integers(1, 3, 400)})
    frame.write_parquet(tmp_path / "p.parquet")
    schema = {"options": {"distinct_values": 100, "aligned": True}}
    paths = [tmp_path / "o.parquet", tmp_path / "p.parquet"]
    exact = assessed(*paths, schema=schema, only=["gdu"])
    grid = assessed(*paths, 60, schema=schema, only=["gdu"])
    width, _ = width_of(grid, "age")
    assert width <= 1
    for result in (exact, grid):
        assert result.variables[0].protected_type == "ordinal"
        assert result.variables[0].recoding.form == "banded"
    assert grid.gdu.variables[0].utility == pytest.approx(exact.gdu.variables[0].utility, abs=0.02)


@pytest.mark.parametrize("which", ["external", "population"])
@pytest.mark.parametrize(
    "kind",
    [
        "number",
        pytest.param(
            "text",
        ),
    ],
)
def test_an_outside_table_with_too_many_values_is_refused(tmp_path, kind, which):
    # 90 different codes in both tables, 400 in the outside one, 100 told apart.
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"zip": rng.integers(0, 90, 300), "sex": rng.integers(0, 2, 300)})
    outside = pl.DataFrame({"zip": rng.integers(0, 400, 2000), "sex": rng.integers(0, 2, 2000)})
    inside = frame.with_columns(x=pl.Series([1, 2, 3] * 100))
    spelt = pl.format("z{}", "zip") if kind == "text" else pl.col("zip")
    inside.with_columns(zip=spelt).write_parquet(tmp_path / "t.parquet")
    outside.with_columns(zip=spelt).write_parquet(tmp_path / "e.parquet")
    schema = {
        "options": {"distinct_values": 100},
        "variable": {
            "zip": {"role": "quasi_identifier"},
            "sex": {"role": "quasi_identifier"},
        },
    }
    if kind == "number":
        schema["variable"]["zip"]["type"] = "continuous"
    paths = [tmp_path / "t.parquet"] * 2
    choices = {"schema": schema, "only": ["risk"], which: tmp_path / "e.parquet"}
    exact = assessed(*paths, **choices).risk
    if which == "external":
        inside, others = (list(zip(t["zip"], t["sex"], strict=True)) for t in (frame, outside))
        found = Counter(others)
        expected = np.mean([1 / found[record] if record in found else 0.0 for record in inside])
        assert exact.external == pytest.approx(expected)
    # 0.02 in place of 0.47 where only one of the tables is on a grid, because then the middle of
    # an interval is met by a single code; 0.001 with the variable left out.
    with pytest.raises(InputError) as caught:
        assessed(*paths, 50, **choices)
    (fault,) = caught.value.faults
    assert fault == (
        f"the {which} table has too many different values of zip to tell all apart beyond memory: "
        "raise distinct_values in [options]."
    )
    schema["options"]["distinct_values"] = 400
    split = assessed(*paths, 50, **choices)
    assert differences(without_paths(assessed(*paths, **choices)), without_paths(split)) == []


@pytest.mark.parametrize("only", [["risk"], ["gdu"]])
def test_a_quasi_identifier_on_a_grid_is_refused(tmp_path, only):
    # 400 different incomes: every record is unique. On a grid 49 are, and the risk is 0.34.
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"income": rng.normal(size=400), "sex": rng.integers(1, 3, 400)})
    frame.with_columns(x=pl.Series([1, 2, 3, 4] * 100)).write_parquet(tmp_path / "t.parquet")
    keys = {name: {"role": "quasi_identifier"} for name in ("income", "sex")}
    schema = {"options": {"distinct_values": 100}, "variable": keys}
    paths = [tmp_path / "t.parquet"] * 2
    assert assessed(*paths, schema=schema, only=["risk"]).risk.internal == 1.0
    with pytest.raises(InputError) as caught:
        assessed(*paths, 50, schema=schema, only=only)
    assert list(caught.value.faults) == [
        crowded_fault("income", which) for which in ("original", "protected")
    ]
    schema["options"]["distinct_values"] = 400
    assert assessed(*paths, 50, schema=schema, only=["risk"]).risk.internal == 1.0


def test_a_sensitive_variable_with_too_many_texts_is_refused(tmp_path):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "illness": [f"illness {i}" for i in rng.integers(0, 250, 300)],
            "sex": rng.integers(0, 2, 300),
            "income": rng.normal(size=300),
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    schema = {
        "options": {"distinct_values": 100},
        "variable": {"sex": {"role": "quasi_identifier"}, "illness": {"role": "sensitive"}},
    }
    paths = [tmp_path / "t.parquet"] * 2
    with pytest.raises(InputError) as caught:
        assessed(*paths, 50, schema=schema, only=["risk"])
    assert list(caught.value.faults) == [
        crowded_fault("illness", which, "sensitive") for which in ("original", "protected")
    ]
    # Numbers on a grid are as sensitive as they were: those that are near count as the same.
    del schema["variable"]["illness"]
    schema["variable"]["income"] = {"role": "sensitive"}
    result = assessed(*paths, 50, schema=schema, only=["risk"])
    assert [s.name for s in result.risk.sensitive] == ["income"]


@pytest.mark.parametrize("side", ["original", "protected"])
def test_an_analysed_column_with_too_many_texts_in_either_table_is_left_out(tmp_path, side):
    rng = np.random.default_rng(1)
    many = pl.Series([f"{SECRET} {i}" for i in rng.permutation(300)])
    frame = pl.DataFrame({"name": [f"name {i % 7}" for i in range(300)], "x": [1, 2, 3] * 100})
    paths = {name: tmp_path / f"{name}.parquet" for name in ("original", "protected")}
    for name, path in paths.items():
        (frame.with_columns(name=many) if name == side else frame).write_parquet(path)
    schema = {"options": {"distinct_values": 100}, "variable": {"name": {"role": "analysis"}}}
    result = assessed(*paths.values(), 50, schema=schema, only=["gdu"])
    assert [v.name for v in result.variables] == ["x"]
    assert [v.name for v in result.gdu.variables] == ["x"]
    (note,) = (n for n in result.notes if '"name"' in n)
    assert note == (
        f'Column "name" of the {side} table holds more than 100 different texts and is left out.'
    )
    assert SECRET not in " ".join(result.notes)


def test_weights_on_a_grid_are_told(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"w": rng.random(400) + 0.1, "x": [1, 2, 3, 4] * 100})
    frame.write_parquet(tmp_path / "t.parquet")
    schema = {"options": {"distinct_values": 100, "weight": "w"}}
    paths = [tmp_path / "t.parquet"] * 2
    result = assessed(*paths, 50, schema=schema, only=["gdu"])
    assert any('"w"' in note and "wide" in note for note in result.notes)


def test_a_column_left_out_of_the_original_is_not_said_to_be_absent(tmp_path):
    frame = pl.DataFrame({"name": [f"name {i % 7}" for i in range(300)], "x": [1, 2, 3] * 100})
    frame.write_parquet(tmp_path / "p.parquet")
    many = pl.Series([f"name {i % 150}" for i in range(300)])
    frame.with_columns(name=many).write_parquet(tmp_path / "o.parquet")
    paths = [tmp_path / "o.parquet", tmp_path / "p.parquet"]
    result = assessed(*paths, 50, schema={"options": {"distinct_values": 100}}, only=["gdu"])
    assert not any("only in the protected table" in note for note in result.notes)


def test_a_grid_tells_apart_what_it_must_in_a_whole_table(tmp_path):
    # Columns beside each other: on a grid, exact, text, with few values.
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "x": rng.normal(size=500),
            "y": rng.integers(0, 90, 500),
            "t": rng.choice(["a", "b"], 500),
            "id": np.arange(500),
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    with in_batches(64):
        table = read_table(
            tmp_path / "t.parquet", which="original", reading=Reading(1, distinct=100)
        )
    columns = table.columns
    assert columns["x"].width is not None
    assert columns["y"].width is None
    assert columns["t"].width is None
    assert {name: column.consecutive for name, column in columns.items()} == {
        "x": False, "y": False, "t": False, "id": True,
    }  # fmt: skip
    assert columns["id"].width == 8
    for name in frame.columns:
        values = columns[name].values
        cells = np.asarray(values)[columns[name].codes[:]]
        if name == "t":
            assert cells.tolist() == frame[name].to_list()
        else:
            assert np.abs(cells - frame[name].to_numpy()).max() <= (columns[name].width or 0) / 2


def test_fewer_distinct_values_than_a_hundred_are_refused():
    with pytest.raises(InputError, match="distinct_values"):
        microgauge.assess(
            pl.DataFrame({"x": [1, 2]}),
            pl.DataFrame({"x": [1, 2]}),
            schema={"options": {"distinct_values": 99}},
        )


@pytest.mark.parametrize("size", [1, 7, 50, 400])
@pytest.mark.parametrize("strays", [["refused"] * 12, ["x", "y", "z"], ["x"], []])
def test_few_words_among_too_many_numbers_count_as_missing(size, strays):
    """In batches of any size; as where all values are told apart."""
    rng = np.random.default_rng(3)
    cells = [*strays, *(f"{number:.3f}" for number in rng.normal(size=400 - len(strays)))]
    cells = pl.Series(cells).shuffle(seed=1)
    found = [Dictionary.read(cells[i : i + size], 20, frozenset()) for i in range(0, 400, size)]
    column = reduce(add, found).column(None)
    assert (column.kind, column.strays) == ("number", len(strays))
    assert len(column.values) <= 20
    codes = reduce(add, found).coded(cells)
    assert int((codes == column.missing).sum()) == len(strays)


def test_many_words_among_too_many_numbers_are_left_out():
    rng = np.random.default_rng(3)
    cells = [*(f"word {i}" for i in range(60)), *(f"{x:.3f}" for x in rng.normal(size=340))]
    with pytest.raises(UnsupportedColumn):
        Dictionary.read(pl.Series(cells), 20, frozenset()).column(None)
