"""Samples by hash: of the size asked for, of the same rows wherever they are, and told as such."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.engines import local
from microgauge.engines.local import Copies, Local, copies_taken
from microgauge.tables import Reading, read_table
from microgauge.values.hashing import (
    all_numbers,
    key_cells,
    key_words,
    mixed,
    places_hashed,
    row_hashes,
    seeded,
)
from support.batches import assessed, in_batches
from support.figures import differences, without_paths
from support.surveys import KEY, make_survey, perturb, schema


def rows_of(frame, rows=None, path=None):
    """An engine over a table: in memory, or in batches."""
    if rows is None:
        return Local.of(read_table(frame, which="original"))
    frame.write_parquet(path)
    with in_batches(rows):
        return Local.of(read_table(path, which="original", reading=Reading(1)))


def sampled(engine, most, seed=1):
    """The rows of a sample, as tuples of codes."""
    found = engine.sample(most, seed)
    columns = [np.asarray(codes[:]).tolist() for codes in found._codes.values()]
    return list(zip(*columns, strict=True))


def distinct_rows(rows, seed=1):
    """Rows of two columns, all different."""
    order = np.random.default_rng(seed).permutation(rows)
    return pl.DataFrame({"a": order // 200, "b": order % 200})


# -- hashes --------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=50))
def test_different_numbers_stay_different(numbers):
    found = mixed(np.array(numbers, dtype=np.uint64))
    assert len(set(found.tolist())) == len(numbers)


def test_hashes_of_neighbours_are_spread_evenly():
    codes = np.arange(100_000)
    for hashes in (
        mixed(codes.astype(np.uint64)),
        row_hashes([codes % 100, codes // 100], len(codes), 1),
        *key_words(pl.Series(codes), numbers=True),
        *key_words(pl.Series(codes / 7), numbers=True),
        seeded(key_words(pl.Series(codes), numbers=True)[0], 7),
        seeded(places_hashed(0, len(codes)), 7),
        *key_words(pl.Series([f"unit {i}" for i in range(20_000)]), numbers=False),
    ):
        for bits in (hashes >> np.uint64(58), hashes % np.uint64(61)):
            counts = np.bincount(bits.astype(int))
            assert stats.chisquare(counts).pvalue > 1e-4


def test_the_order_of_columns_and_their_values_matter():
    one, other = np.array([1, 2, 3]), np.array([2, 1, 3])
    hashes = row_hashes([one, other], 3, 1)
    assert len(set(hashes.tolist())) == 3
    assert hashes[0] != row_hashes([other, one], 3, 1)[0]
    assert (
        hashes.tolist()
        == row_hashes([one.astype(np.uint8), other.astype(np.uint32)], 3, 1).tolist()
    )
    assert not set(hashes.tolist()) & set(row_hashes([one, other], 3, 2).tolist())


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True))
def test_a_number_has_the_same_words_as_its_text(numbers):
    words = key_words(key_cells(pl.Series(numbers)), numbers=True)
    texts = key_cells(pl.Series([repr(number) for number in numbers]))
    assert all_numbers(texts)
    for as_numbers in (True, False):
        assert (words == key_words(texts, numbers=as_numbers)).all()
    assert len({*map(tuple, words.T.tolist())}) == len(set(numbers))
    assert (words != 0).any(axis=0).all()  # 0 marks a missing key


wholes = st.integers(-(10**18) + 1, 10**18 - 1)


@given(st.lists(wholes | wholes.map(lambda n: n // 10**12), min_size=1, unique=True))
@example([2**53, 2**53 + 1])
@example([10**18 - 1, 10**18 - 2])
def test_whole_numbers_of_18_digits_are_told_apart(numbers):
    cells = key_cells(pl.Series(numbers, dtype=pl.Int64))
    words = key_words(cells, numbers=True)
    assert len({*map(tuple, words.T.tolist())}) == len(numbers)
    assert (words != 0).any(axis=0).all()
    texts = key_cells(pl.Series([f" {number} " for number in numbers]))
    for as_numbers in (True, False):
        assert (words == key_words(texts, numbers=as_numbers)).all()
    padded = key_cells(pl.Series([f"{number:=018d}" for number in numbers]))
    assert (words == key_words(padded, numbers=True)).all()
    small = pl.Series([number for number in numbers if abs(number) < 2**53], dtype=pl.Int64)
    assert (
        key_words(key_cells(small), numbers=True)
        == key_words(key_cells(small.cast(pl.Float64)), numbers=True)
    ).all()


@pytest.mark.parametrize("numbers", [True, False])
def test_missing_keys_have_no_words(numbers):
    for cells in (
        pl.Series([1, None]),
        pl.Series([0.5, np.nan]),
        pl.Series(["a", " "]),
        pl.Series(["7", None]),
        pl.Series([None, None]),
    ):
        words = key_words(key_cells(cells), numbers=numbers)
        assert words[:, 1].tolist() == [0, 0]
    assert key_words(key_cells(pl.Series([0])), numbers=True).all()


def test_padded_keys_are_numbers_only_where_all_are():
    cells = key_cells(pl.Series(["007", "+7", "7", "7.0", "7e0"]))
    words = key_words(cells, numbers=True)
    assert (words == words[:, :1]).all()
    words = key_words(cells, numbers=False)
    assert (words[:, 1:] == words[:, 1:2]).all()
    assert (words[:, 0] != words[:, 1]).all()


@given(st.lists(st.text(), min_size=1, unique=True, max_size=30))
def test_different_texts_have_different_words(texts):
    cells = pl.Series([f"x{text}" for text in texts])
    assert not all_numbers(cells)
    words = key_words(cells, numbers=False)
    assert len(set(words[0].tolist())) == len(texts)
    assert len(set(words[1].tolist())) == len(texts)


# -- how many ------------------------------------------------------------------------------------


def test_a_sample_is_about_as_large_as_asked_for():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.normal(size=20_000), "b": rng.integers(0, 50, 20_000)})
    engine = rows_of(frame)
    sizes = [len(sampled(engine, 5000, seed)) for seed in range(20)]
    # Binomial: 61 rows of standard deviation; 14 for the mean of twenty.
    assert all(abs(size - 5000) < 5 * 61 for size in sizes)
    assert abs(np.mean(sizes) - 5000) < 5 * 14
    assert len(set(sizes)) > 5


@pytest.mark.parametrize("most", [300, 301, 10_000])
def test_all_rows_where_they_are_not_more(most):
    engine = rows_of(distinct_rows(300))
    assert engine.sample(most, 1) is engine


def test_a_row_less_is_a_sample():
    engine = rows_of(distinct_rows(300))
    assert engine.sample(299, 1) is not engine
    assert 280 < len(sampled(engine, 299)) <= 300


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=40),
    st.floats(0.01, 0.99),
    st.integers(0, 1000),
    st.integers(1, 50),
)
@settings(max_examples=60, deadline=None)
def test_of_equal_rows_their_share_is_taken(counts, share, seed, size):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    hashes = row_hashes([rows], len(rows), seed)
    left = Copies(share)
    left.count(hashes.copy())
    taken = [
        start + left.taken(hashes[start : start + size]) for start in range(0, len(rows), size)
    ]
    found = np.concatenate(taken)
    assert (np.diff(found) > 0).all()
    times = np.bincount(rows[found], minlength=len(counts))
    exact = np.array(counts) * share
    # Rounded down or up, whatever the slices in which rows come.
    assert (times >= np.floor(exact)).all()
    assert (times <= np.ceil(exact)).all()


@pytest.mark.parametrize("copies", [1, 2, 3, 10])
@pytest.mark.parametrize("share", [0.07, 0.25, 0.5, 0.9])
def test_the_expectation_is_the_share_of_the_copies(copies, share):
    hashes = row_hashes([np.arange(20_000)], 20_000, 3)
    taken = copies_taken(hashes, np.full(20_000, copies), share)
    rest = copies * share % 1
    assert set(taken.tolist()) <= {int(copies * share), int(copies * share) + 1}
    error = np.sqrt(rest * (1 - rest) / 20_000)
    assert taken.mean() == pytest.approx(copies * share, abs=5 * error + 1e-12)


def test_few_combinations_in_many_rows_are_taken_by_their_share():
    # Six kinds of rows, ten thousand of each: no kind is missed, none is taken whole.
    codes = np.random.default_rng(1).permutation(np.repeat(np.arange(6), 10_000))
    engine = rows_of(pl.DataFrame({"a": codes % 2, "b": codes // 2}))
    counts = Counter(sampled(engine, 6000))
    assert len(counts) == 6
    assert set(counts.values()) <= {1000, 1001}


@pytest.mark.parametrize("long", [7, 1000])
@pytest.mark.parametrize("ranges", [100, 1 << 27])
def test_hashes_are_sorted_a_part_at_a_time(monkeypatch, ranges, long):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.integers(0, 4, 900), "b": rng.integers(0, 90, 900)})
    expected = sampled(rows_of(frame), 300)
    monkeypatch.setattr(local, "HASHES_AT_A_TIME", ranges)
    monkeypatch.setattr(local, "LONG_ROWS", long)
    assert sampled(rows_of(frame), 300) == expected


def test_most_rows_may_be_equal_where_hashes_are_sorted_a_part_at_a_time(monkeypatch):
    monkeypatch.setattr(local, "HASHES_AT_A_TIME", 100)
    frame = pl.DataFrame({"a": [*range(100), *[3] * 900]})
    counts = Counter(sampled(rows_of(frame), 200))
    assert counts[(3,)] in (180, 181)
    assert counts.total() < 240


# -- which ---------------------------------------------------------------------------------------


@given(st.integers(0, 50), st.integers(100, 400))
@settings(max_examples=20, deadline=None)
def test_the_order_of_rows_does_not_matter(seed, most):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"a": rng.integers(0, 4, 500), "b": rng.integers(0, 30, 500)})
    turned = frame.sample(fraction=1, shuffle=True, seed=seed)
    found = [Counter(sampled(rows_of(table), most, seed)) for table in (frame, turned)]
    assert found[0] == found[1]


@pytest.mark.parametrize("long", [1 << 20, 97])
def test_the_same_rows_in_memory_and_in_batches(tmp_path, monkeypatch, long):
    monkeypatch.setattr(local, "LONG_ROWS", long)
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "a": rng.normal(size=700),
            "b": pl.Series(rng.choice(["x", "y", ""], 700)),
            "c": pl.Series(rng.integers(0, 3, 700)).replace(2, None),
        }
    )
    whole = sampled(rows_of(frame), 300, 5)
    split = sampled(rows_of(frame, 64, tmp_path / "t.parquet"), 300, 5)
    assert 200 < len(whole) < 400
    assert whole == split  # in the same order, too


def test_seeds_give_different_samples():
    engine = rows_of(distinct_rows(4000))
    samples = [set(sampled(engine, 1000, seed)) for seed in range(5)]
    for i, one in enumerate(samples):
        for other in samples[:i]:
            # Independent: a quarter of a quarter, 250 rows, with a standard deviation of 15.
            assert abs(len(one & other) - 250) < 5 * 15
    assert set(sampled(engine, 1000, 0)) == samples[0]


def test_seeds_give_different_samples_of_one_column():
    # Codes 0, 1, 2, … stand for rising numbers. With a seed joined to a code bit by bit, seed 1
    # would take the neighbours of what seed 0 takes.
    engine = rows_of(pl.DataFrame({"a": np.arange(20_000) / 7}))
    means = [np.mean(sampled(engine, 2000, seed)) for seed in range(16)]
    expected = np.std(np.arange(20_000)) * np.sqrt(0.9 / 2000)
    assert np.std(means) > expected / 2
    assert len({len(sampled(engine, 2000, seed)) for seed in range(16)}) > 5


def test_a_larger_sample_holds_a_smaller_one_of_units():
    frame = pl.DataFrame({"k": np.arange(3000), "x": np.arange(3000) % 7})
    engine = Local.of(read_table(frame, which="original"), None, "k")
    small, large = set(sampled(engine, 500)), set(sampled(engine, 1500))
    assert small < large


def test_by_key_both_tables_have_the_same_units():
    rng = np.random.default_rng(2)
    units = rng.permutation(5000)
    one = pl.DataFrame({"k": units, "x": rng.integers(0, 9, 5000)})
    other = pl.DataFrame(
        {"k": [str(u) for u in rng.permutation(units)], "x": rng.integers(0, 9, 5000)}
    )
    chosen = []
    for frame in (one, other):
        table = read_table(frame, which="original")
        found = Local.of(table, None, "k").sample(1500, 3)
        keys = np.asarray(table.columns["k"].values)[found._codes["k"][:]]
        chosen.append({int(key) for key in keys})
    assert chosen[0] == chosen[1]
    assert abs(len(chosen[0]) - 1500) < 5 * 33


def test_by_key_matched_rows_are_those_units_too():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"k": np.arange(3000), "x": rng.normal(size=3000), "y": rng.random(3000)})
    seen = {}
    whole = Local.sample

    def watched(self, most, seed, *, by_place=False):
        assert not by_place
        found = whole(self, most, seed)
        names = [name for name in self._codes if name.endswith("k")]
        if most == 1000:
            seen[tuple(names)] = found
        return found

    schema = {
        "options": {"sample_rows": 1000, "key": "k"},
        "loss": {"robust": True, "robust_sample": 100},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Local, "sample", watched)
        microgauge.assess(frame, frame.reverse(), schema=schema, only=["loss", "ecdf"])
    single = [found for names, found in seen.items() if names == ("k",)]
    matched = [found for names, found in seen.items() if len(names) == 2]
    assert single
    assert matched
    keys = [set(single[0]._codes["k"].tolist())]
    keys += [set(matched[0]._codes[name].tolist()) for name in matched[0]._codes if name[-1] == "k"]
    assert keys[0] == keys[1] == keys[2]
    assert 800 < len(keys[0]) < 1200


@pytest.mark.parametrize("long", [1 << 20, 97])
def test_by_place_both_tables_have_the_same_rows(tmp_path, monkeypatch, long):
    monkeypatch.setattr(local, "LONG_ROWS", long)
    rng = np.random.default_rng(1)
    chosen = []
    for rows in (None, 64):
        frame = pl.DataFrame({"row": np.arange(5000), "x": rng.integers(0, 9, 5000)})
        engine = rows_of(frame, rows, tmp_path / "t.parquet")
        found = engine.sample(1500, 3, by_place=True)
        chosen.append(found._codes["row"][:].tolist())
        assert chosen[-1] != engine.sample(1500, 4, by_place=True)._codes["row"][:].tolist()
        assert found is not engine.sample(1500, 3)
    assert chosen[0] == chosen[1] == sorted(chosen[0])
    assert abs(len(chosen[0]) - 1500) < 5 * 33


def test_weights_go_with_their_rows():
    frame = pl.DataFrame({"a": np.arange(1000), "w": np.arange(1000) % 3 + 1.0})
    table = read_table(frame, which="original")
    numbers = np.append(table.columns["w"].values, 0.0)
    found = Local.of(table, local.Weight("w", numbers)).sample(300, 1)
    assert found.weights.tolist() == numbers[found._codes["w"]].tolist()
    assert len(found.weights) == found.rows


# -- what is told --------------------------------------------------------------------------------

ROWS = 2000


@pytest.fixture(scope="module")
def survey_tables():
    """2,000 units, and a tenth of noise."""
    original = make_survey(ROWS, seed=3)
    return original, perturb(original, 0.1)


def said(sample_rows, **more):
    keys = dict.fromkeys(("region", "sex", "age", "income"), KEY)
    asked = {"propensity": {"resamples": 0}, "loss": {"robust": True, "robust_sample": 200}}
    return schema(keys, sample_rows=sample_rows) | asked | more


def test_a_sample_is_told(survey_tables):
    schema = said(500)
    schema["options"]["seed"] = 11
    result = microgauge.assess(*survey_tables, schema=schema, only=["ecdf", "loss"])
    told = []
    for which in ("original", "protected", "matched"):
        (note,) = (n for n in result.notes if f"of the 2,000 {which} ones" in n)
        assert "seed 11" in note
        assert "sample_rows in [options], or the memory that was allowed" in note
        told.append(int(note.split("look at ")[2].split(" of the")[0].replace(",", "")))
        assert abs(told[-1] - 500) < 5 * np.sqrt(2000 * 0.25 * 0.75)
    assert result.inputs.alignment.how == "row order"
    assert told[0] == told[1] == told[2]  # of the same units


def test_no_sample_is_told_where_there_is_none(survey_tables):
    result = microgauge.assess(*survey_tables, schema=said(ROWS), only=["ecdf", "risk"])
    assert not any("single records" in note for note in result.notes)


def test_measures_that_count_do_not_use_the_sample(survey_tables):
    # Only what must see units looks at a sample: all else is of the whole table.
    only = ["gdu", "loss", "risk"]
    whole, part = (
        without_paths(microgauge.assess(*survey_tables, schema=said(n), only=only))
        for n in (ROWS, 500)
    )
    of_units = {
        "result.risk.suda", "result.risk.linkage", "result.risk.linkage_records",
        "result.risk.reason", "result.loss.eigenvalues_robust", "result.notes",
        "result.gdu.permuted", "result.gdu.resample",
    }  # fmt: skip
    for line in differences(whole, part):
        assert any(line.startswith(name) for name in of_units), line


def test_special_uniques_are_null_with_the_reason(survey_tables):
    result = microgauge.assess(*survey_tables, schema=said(500), only=["risk"])
    assert result.risk.suda.scores is None
    assert result.risk.suda.contributions is None
    assert result.risk.suda.reason == "more than sample_rows = 500 records"
    assert (
        microgauge.assess(*survey_tables, schema=said(ROWS), only=["risk"]).risk.suda.scores
        is not None
    )


def test_the_riskiest_records_are_refused_on_a_sample(survey_tables, tmp_path, capsys):
    with pytest.raises(InputError, match=r"sample_rows = 500 records; raise it"):
        microgauge.assess(*survey_tables, schema=said(500), only=["risk"], risky=True)
    paths = [tmp_path / "o.parquet", tmp_path / "p.parquet"]
    for frame, path in zip(survey_tables, paths, strict=True):
        pl.from_pandas(frame).write_parquet(path)
    (tmp_path / "s.toml").write_text('[variable.sex]\nrole = "quasi_identifier"\n')
    arguments = [
        "assess", *map(str, paths), "--schema", str(tmp_path / "s.toml"), "--only", "risk",
        "--risky", str(tmp_path / "risky.csv"),
    ]  # fmt: skip
    assert main([*arguments, "--set", "options.sample_rows=500"]) == 2
    assert "raise it in [options]" in capsys.readouterr().err
    assert not (tmp_path / "risky.csv").exists()
    assert main([*arguments, "--set", "options.sample_rows=2000"]) == 0
    assert len(pl.read_csv(tmp_path / "risky.csv")) == ROWS


def test_fewer_rows_than_a_hundred_are_refused(survey_tables):
    with pytest.raises(InputError, match="sample_rows"):
        microgauge.assess(*survey_tables, schema=said(99))


def indicators(survey_tables, sample_rows, **given_):
    schema = said(sample_rows, indicator=[{"resamples": 50, **given_}])
    return microgauge.assess(*survey_tables, schema=schema, only=["indicators"]).indicators


@pytest.mark.parametrize("statistic", ["mean", "median", "arop"])
def test_indicators_of_a_sample_are_near_those_of_the_table(survey_tables, statistic):
    (whole,) = indicators(survey_tables, ROWS, variable="income", statistic=statistic)
    (part,) = indicators(survey_tables, 500, variable="income", statistic=statistic)
    for side in ("original", "protected"):
        low, high = getattr(part, f"{side}_ci")
        middle, half = (low + high) / 2, (high - low) / 2
        # Within twice the half width of the 95 % interval: four standard errors.
        assert abs(getattr(whole, side) - middle) < 2 * half
        assert getattr(whole, side) != getattr(part, side)
    assert abs(part.units_original - 500) < 100


@pytest.mark.parametrize("by", [None, "region"])
def test_totals_of_a_sample_are_those_of_the_table(survey_tables, by):
    # 2,832,917 in the table; the records of the sample alone would make up 704,600.
    given_ = {"variable": "income", "statistic": "total", "by": by}
    whole, part = (indicators(survey_tables, n, **given_) for n in (ROWS, 500))
    for one, other in zip(whole, part, strict=True):
        assert one.group == other.group
        # Four standard errors of the total in a group: the number of units in it varies too.
        assert other.original == pytest.approx(one.original, rel=0.4)
        assert other.protected == pytest.approx(one.protected, rel=0.4)


def test_weighted_totals_of_a_sample_are_those_of_the_table(survey_tables):
    tables = [table.assign(w=2.0 + np.arange(ROWS) % 2) for table in survey_tables]
    given_ = {"variable": "income", "statistic": "total", "weight": "w"}
    (whole,), (part,) = (indicators(tables, n, **given_) for n in (ROWS, 500))
    assert part.original == pytest.approx(whole.original, rel=0.25)


def test_linkage_is_null_with_the_reason(survey_tables):
    # 0.38 of 2,000 records find their own among all; 0.62 of 501 would among 501.
    whole, part = (
        microgauge.assess(*survey_tables, schema=said(n), only=["risk"]) for n in (ROWS, 500)
    )
    assert 0.2 < whole.risk.linkage < 0.6
    assert whole.risk.linkage_records == ROWS
    assert part.risk.linkage is None
    assert part.risk.linkage_records is None
    assert "linkage: more than sample_rows = 500 matched records" in part.risk.reason
    assert not any("single records" in note for note in part.notes)


def test_samples_of_tables_in_the_same_order_are_of_the_same_units(survey_tables):
    # The mean income falls by 0.1 %. In samples of 500 chosen by the values of a row it would rise
    # by 10 %, because any change of a cell makes another choice.
    given_ = {"variable": "income", "statistic": "mean"}
    (whole,), (part,) = (indicators(survey_tables, n, **given_) for n in (ROWS, 500))
    assert abs(whole.relative_difference) < 0.002
    assert abs(part.relative_difference) < 0.02
    assert part.units_original == part.units_protected


def test_samples_by_key_are_of_the_same_units(survey_tables):
    tables = [table.assign(k=np.arange(ROWS)) for table in survey_tables]
    schema = said(500, indicator=[{"variable": "income", "statistic": "mean"}])
    schema["options"]["key"] = "k"
    (part,) = microgauge.assess(*tables, schema=schema, only=["indicators"]).indicators
    assert part.units_original == part.units_protected
    assert abs(part.relative_difference) < 0.02


def test_identical_tables_are_identical_on_a_sample(survey_tables):
    original = survey_tables[0]
    turned = original.sample(frac=1, random_state=1)
    schema = said(500, indicator=[{"variable": "income", "statistic": "mean"}])
    result = microgauge.assess(original, turned, schema=schema, only=["indicators", "ecdf"])
    assert result.indicators[0].relative_difference == pytest.approx(0, abs=1e-12)
    assert result.ecdf.maximum == pytest.approx(0, abs=1e-12)


def test_a_sample_is_drawn_once_and_used_by_all(survey_tables):
    drawn = []
    whole = Local.sample

    def watched(self, most, seed, *, by_place=False):
        drawn.append((most, seed, by_place))
        return whole(self, most, seed, by_place=by_place)

    schema = said(500, indicator=[{"variable": "income", "statistic": "mean"}])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Local, "sample", watched)
        microgauge.assess(*survey_tables, schema=schema, only=["indicators", "ecdf", "clusters"])
    assert drawn == [(500, 1, True)] * 2


def test_a_sample_of_batches_is_in_memory(tmp_path):
    frame = distinct_rows(900)
    engine = rows_of(frame, 100, tmp_path / "t.parquet")
    found = engine.sample(300, 1)
    assert all(isinstance(codes, np.ndarray) for codes in found._codes.values())


def test_results_of_a_sample_are_the_same_in_memory_and_in_batches(tmp_path, survey_tables):
    paths = []
    for name, frame in zip("op", survey_tables, strict=True):
        paths.append(tmp_path / f"{name}.parquet")
        pl.from_pandas(frame).write_parquet(paths[-1])
    choices = {
        "schema": said(300, indicator=[{"variable": "income", "statistic": "mean"}]),
        "only": ["indicators", "ecdf", "risk"],
    }
    whole, split = assessed(*paths, **choices), assessed(*paths, 450, **choices)
    assert differences(without_paths(whole), without_paths(split)) == []


def test_pandas_and_polars_give_the_same_sample(survey_tables):
    schema = said(300, indicator=[{"variable": "income", "statistic": "mean"}])
    found = [
        microgauge.assess(*tables, schema=schema, only=["indicators"]).indicators
        for tables in (survey_tables, [pl.from_pandas(t) for t in survey_tables])
    ]
    assert found[0] == found[1]
