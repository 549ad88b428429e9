"""Risk end to end against pandas, scipy and brute force, and the worked figures of the paper."""

import json
import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats.contingency import association

import microgauge
from microgauge import InputError
from microgauge.engines.local import Local
from microgauge.errors import Undefined
from microgauge.measures.risk import compatible as matching
from microgauge.measures.risk.classes import (
    class_table,
    equal_records,
    expected_matches,
    internal_risk,
    size_quantiles,
)
from microgauge.measures.risk.compatible import compatible, compatible_pairs
from microgauge.measures.risk.external import (
    class_risk,
    combined_risk,
    frequency_correlation,
    journalist_risk,
    mean_of,
    probability_risk,
    unique_risk,
)
from microgauge.passes import Axis, Classes
from microgauge.values.packing import MOST, distinct, packed, unpacked, words_of
from support.figures import approx, mentions, seeds
from support.rows import alike
from support.surveys import KEY, make_survey, perturb

FEW = settings(max_examples=25, deadline=None)

SENSITIVE = {"role": "sensitive"}


# -- looking into a result -----------------------------------------------------------------------


def run(original, protected=None, keys=(), *, said=None, risk=None, tables=None, **options):
    """An assessment of risk alone; every number of it is finite, every null has a reason.

    `keys` are quasi-identifiers, `said` says more of some variables. Rows correspond unless said.
    """
    variables = {name: dict(KEY) for name in keys}
    for name, more in (said or {}).items():
        variables[name] = variables.get(name, {}) | more
    protected = original if protected is None else protected
    if "key" not in options:
        options.setdefault("aligned", len(original) == len(protected))
    schema = {"options": options, "variable": variables, "risk": risk or {}}
    result = microgauge.assess(original, protected, schema=schema, only=["risk"], **(tables or {}))
    if result.risk is not None:
        content = result.to_dict()["risk"]
        json.dumps(content, allow_nan=False)
        assert str(result)
        assert result._repr_html_()
        assert not list(unexplained(content))
    return result


def risk_of(*args, **kwargs):
    found = run(*args, **kwargs).risk
    assert found is not None
    return found


def unexplained(content, path="risk"):
    """Objects that hold a null and say nothing of it."""
    for name, value in content.items():
        here = f"{path}.{name}"
        if value is None and not content.get("reason"):
            yield here
        elif name == "external_methods":
            yield from (
                f"{here}.{n}"
                for n, v in value.items()
                if (v is None) != (n in content["external_reasons"])
            )
        elif isinstance(value, dict):
            yield from unexplained(value, here)
        elif isinstance(value, list):
            for i, entry in enumerate(value):
                if isinstance(entry, dict):
                    yield from unexplained(entry, f"{here}[{i}]")


# -- the same by brute force ---------------------------------------------------------------------


def cells(frame, keys):
    """The key values of each record; None for a missing one."""
    columns = [[None if pd.isna(v) else v for v in frame[key]] for key in keys]
    return list(zip(*columns, strict=True))


def matches(mine, theirs, how="value"):
    """For each of my records, how many of theirs it may be taken for, all pairs compared."""
    if how == "value":
        counts = Counter(theirs)
        return np.array([counts[record] for record in mine])
    return np.array([sum(alike(record, other) for other in theirs) for record in mine])


def inverse(counts):
    return np.array([1 / c if c else 0.0 for c in counts])


def population_of(rows=300, seed=1, missing=0.0):
    """People with an age, a postcode, a sex and a region, some of them alike."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 72, rows).astype(float),
            "zip": [f"{z:05d}" for z in 99700 + rng.integers(0, 60, rows)],
            "sex": rng.choice(["f", "m"], rows, p=[0.6, 0.4]),
            "region": rng.choice(["north", "east", "south", "west"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )
    if missing:
        for name in frame:
            frame.loc[rng.random(rows) < missing, name] = None
    return frame


AGE = {"type": "continuous", "role": "quasi_identifier"}
ZIP = {"type": "nominal", "role": "quasi_identifier"}


def tens(ages):
    """Ages in bands of ten years, such as 20-29."""
    return [None if pd.isna(a) else f"{int(a // 10 * 10)}-{int(a // 10 * 10 + 9)}" for a in ages]


# -- worked figures ------------------------------------------------------------------------------


def table_of(sizes, missing_matches=False):
    """Classes of given sizes, told apart by one key."""
    count = len(sizes)
    return class_table(
        np.arange(count)[:, None],
        [count],
        np.array(sizes),
        np.empty((0, count)),
        missing_matches=missing_matches,
    )


def test_four_records_of_the_paper():
    assert internal_risk(table_of([1, 1, 2])) == 0.75
    found = risk_of(pd.DataFrame({"a": list("xyzz")}), keys=["a"])
    assert found.internal == 0.75
    assert found.total == 0.75
    assert found.safety == 0.25
    assert found.k == 1
    assert found.uniques == 2
    assert found.classes_total == 3
    assert found.expected_reidentifications == 3.0


def test_sensitivity_weights_by_hand():
    """(1·1 + 1·1 + 6·½)/8 for the classes 1, 1, 2 with weights 1, 1, 3 + 3."""
    assert internal_risk(table_of([1, 1, 2]), np.array([1.0, 1.0, 6.0])) == approx(5 / 8)
    with pytest.raises(Undefined):
        internal_risk(table_of([1, 1, 2]), np.zeros(3))


def test_one_in_ten_and_one_in_twenty():
    assert probability_risk([(np.array([0.1]), np.array([0.05]))]) == approx(0.005)
    # One value in common, one tenth of the protected and one twentieth of the external records.
    protected = pd.DataFrame({"a": ["shared", *["mine"] * 9]})
    external = pd.DataFrame({"a": ["shared", *["theirs"] * 19]})
    found = risk_of(protected, keys=["a"], tables={"external": external})
    assert found.external_methods["probability"] == approx(0.005)


def test_probabilities_of_attributes_are_multiplied():
    shares = [(np.array([0.5, 0.5]), np.array([0.2, 0.8])), (np.array([1.0]), np.array([0.3]))]
    assert probability_risk(shares) == approx(0.5 * 0.3)


def test_combined_risk():
    assert combined_risk(0.4, 0.7, "max") == 0.7
    assert combined_risk(0.7, 0.4, "max") == 0.7
    assert combined_risk(0.4, 0.7, "sum") == 1.0
    assert combined_risk(0.4, 0.5, "sum") == approx(0.9)
    assert combined_risk(0.4, 0.8, "mean", (3.0, 1.0)) == approx(0.5)
    assert {combined_risk(0.4, None, how) for how in ("max", "sum", "mean")} == {0.4}


def test_ways_of_external_risk_by_hand():
    ext = np.array([0, 2, 4])
    assert class_risk(np.array([1, 1, 2]), ext) == approx((0 + 1 / 2 + 2 / 4) / 4)
    assert unique_risk(table_of([1, 1, 2]), ext) == approx((0 + 1 / 2) / 4)
    assert journalist_risk(ext) == 0.5
    with pytest.raises(Undefined):
        journalist_risk(np.zeros(3, dtype=np.int64))
    assert mean_of({"a": 0.2, "b": 0.6}) == approx(0.4)
    assert mean_of({"a": 0.2, "b": 0.6}, [3.0, 1.0]) == approx(0.3)


def test_a_negative_correlation_counts_nothing():
    one, other = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])
    assert np.corrcoef(one, other)[0, 1] < 0
    assert frequency_correlation(one, other) == 0.0
    assert frequency_correlation(one, one) == approx(1.0)


def test_special_uniques_of_the_paper():
    """m = 3, M = 2: a unique attribute scores 2, a unique pair 1; contributions 50, 37.5, 37.5."""
    frame = pd.DataFrame({"a": ["z", "y", "y"], "b": ["p", "q", "p"], "c": ["u", "v", "u"]})
    found = risk_of(frame, keys=list("abc"), risk={"suda_max": 2}).suda
    assert found.contributions == {"a": 50.0, "b": 37.5, "c": 37.5}
    assert found.scores["largest"] == 4.0
    assert found.scores["mean"] == approx(8 / 3)
    assert found.msus == {"1": 3, "2": 2}
    assert found.level_contributions["a"] == approx({"z": 25.0, "y": 25.0})
    assert found.level_contributions["b"] == approx({"q": 25.0, "p": 12.5})
    assert found.most == 2


# -- classes -------------------------------------------------------------------------------------

records = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("pq"), st.integers(0, 3)),
    min_size=1,
    max_size=40,
)
holed = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", "z", None]),
        st.sampled_from(["p", "q", None]),
        st.sampled_from([0.0, 1.0, 2.0, None]),
    ),
    min_size=1,
    max_size=30,
)


def frame_of(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    return frame.astype({"a": "string", "b": "string", "c": "float"})


def assert_classes(found, sizes):
    """Every figure that follows from the number of records each one is taken for."""
    rows = len(sizes)
    assert found.records == rows
    assert found.internal == approx((1 / sizes).mean())
    assert found.expected_reidentifications == approx((1 / sizes).sum())
    assert found.k == sizes.min()
    assert found.uniques == (sizes == 1).sum()
    for most in (1, 2, 3, 5):
        assert found.classes[str(most)].records == (sizes <= most).sum()
        assert found.classes[str(most)].share == approx((sizes <= most).mean())
    for share, name in ((0.05, "5%"), (0.5, "50%"), (0.95, "95%")):
        assert found.class_quantiles[name] == approx(np.quantile(sizes, share))
    assert found.above_threshold == (1 / sizes > found.threshold).sum()
    assert found.prosecutor.largest == approx((1 / sizes).max())
    assert found.prosecutor.mean == approx((1 / sizes).mean())
    assert found.prosecutor.at_risk == approx((1 / sizes > found.threshold).mean())


@FEW
@given(records)
def test_classes_are_those_of_pandas(rows):
    frame = frame_of(rows)
    groups = frame.groupby(["a", "b", "c"], dropna=False)
    found = risk_of(frame, keys=list("abc"))
    assert_classes(found, groups["a"].transform("size").to_numpy())
    assert found.classes_total == groups.ngroups
    assert found.expected_reidentifications == approx(groups.ngroups)


@FEW
@given(holed)
@example([(None, None, None)])
@example([("x", None, 1.0), ("x", None, None), (None, None, 1.0)])
def test_a_missing_key_is_a_value_of_its_own(rows):
    frame = frame_of(rows)
    groups = frame.groupby(["a", "b", "c"], dropna=False)
    found = risk_of(frame, keys=list("abc"))
    assert_classes(found, matches(cells(frame, "abc"), cells(frame, "abc")))
    assert found.expected_reidentifications == approx(groups.ngroups)
    assert found.missing_keys == "value"


@FEW
@given(holed)
@example([("x", None, 1.0), (None, "p", 1.0), ("x", "p", None), ("y", "q", 2.0)])
def test_a_missing_key_that_matches_everything(rows):
    frame = frame_of(rows)
    records = cells(frame, "abc")
    found = risk_of(frame, keys=list("abc"), risk={"missing_keys": "any"})
    assert_classes(found, matches(records, records, "any"))
    assert found.missing_keys == "any"


def test_missing_keys_by_hand():
    """x p, x ?, ? q: the second may be any of the three, the others match one more."""
    frame = pd.DataFrame({"a": ["x", "x", None], "b": ["p", None, "q"]})
    assert risk_of(frame, keys=["a", "b"]).internal == 1.0
    found = risk_of(frame, keys=["a", "b"], risk={"missing_keys": "any"})
    assert found.internal == approx((1 / 2 + 1 / 3 + 1 / 2) / 3)
    assert found.k == 2


def test_suppression_never_raises_the_risk_where_missing_matches_everything():
    frame = population_of(120)
    before = risk_of(frame, keys=["sex", "region"], risk={"missing_keys": "any"})
    holes = frame.copy()
    holes.loc[np.arange(0, 120, 5), "region"] = None
    after = risk_of(frame, holes, ["sex", "region"], risk={"missing_keys": "any"})
    assert after.internal < before.internal


def test_declared_missing_codes_are_missing_keys():
    frame = pd.DataFrame({"a": ["x", "N/A", "N/A", None]})
    found = risk_of(frame, keys=["a"], said={"a": {"missing": ["N/A"]}})
    assert found.classes_total == 2
    assert found.internal == approx((1 + 3 / 3) / 4)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a|b", "c"), ("a", "b|c")),
        (("a,b", "c"), ("a", "b,c")),
        (("1", "11"), ("11", "1")),
        (("a\0b", "c"), ("a", "b\0c")),
        (("a b", "c"), ("a", "b c")),
        (("nan", "x"), (None, "x")),
        (("None", "x"), (None, "x")),
        (("(missing)", "x"), (None, "x")),
        (("A", "x"), ("a", "x")),
        (("é", "x"), ("e\u0301", "x")),
    ],
)
@pytest.mark.parametrize("how", ["value", "any"])
def test_different_values_never_collide(one, other, how):
    frame = pd.DataFrame([one, other, one, other, ("z", "z")], columns=["first", "second"])
    found = risk_of(frame, keys=["first", "second"], risk={"missing_keys": how})
    mine = cells(frame, ["first", "second"])
    assert_classes(found, matches(mine, mine, how))


def test_numbers_in_any_spelling_are_one_value():
    frame = pd.DataFrame({"a": ["3", "3.0", "4", "03"]})
    assert risk_of(frame, keys=["a"]).internal == approx((1 / 2 + 1 / 2 + 1 + 1) / 4)


@pytest.mark.parametrize("how", ["value", "any"])
def test_more_combinations_than_a_whole_number_holds(how):
    """Fourteen keys with about fifty levels: 10²³ combinations."""
    rng = np.random.default_rng(4)
    names = [f"k{i}" for i in range(14)]
    frame = pd.DataFrame(
        {name: np.char.add("v", rng.integers(0, 50, 300).astype(str)) for name in names}
    )
    frame = pd.concat([frame, frame.iloc[:120], frame.iloc[:40]], ignore_index=True)
    # Differences in the first and in the last key alone must be seen.
    first, last = frame.iloc[:5].copy(), frame.iloc[:5].copy()
    first["k0"], last["k13"] = "other", "other"
    frame = pd.concat([frame, first, last], ignore_index=True)
    for name in names[::5]:
        frame.loc[rng.random(len(frame)) < 0.05, name] = None
    assert math.prod(frame[n].nunique() + 1 for n in names) > 2**62
    records = cells(frame, names)
    found = risk_of(frame, keys=names, risk={"missing_keys": how, "suda_max": 1})
    assert_classes(found, matches(records, records, how))
    external = frame.sample(150, random_state=1)
    out = risk_of(
        frame, keys=names, risk={"missing_keys": how, "suda_max": 1}, tables={"external": external}
    )
    ext = matches(records, cells(external, names), how)
    assert out.external == approx(inverse(ext).mean())


wide = st.lists(st.integers(1, 2**21), min_size=1, max_size=9)


@FEW
@given(wide, seeds)
@example([2**31, 2**31], 1)
@example([2**31, 2**31, 1], 1)
@example([2**31, 2**31, 2], 1)
@example([2**31 + 1, 2**31], 1)
@example([2**62, 2**62], 1)
def test_packed_levels_are_told_apart(sizes, seed):
    rng = np.random.default_rng(seed)
    levels = np.stack([rng.integers(0, size, 50) for size in sizes], axis=1)
    levels[0] = 0
    levels[1] = np.array(sizes) - 1  # the largest there is
    levels[2:6] = levels[6:10]
    words = packed(list(levels.T), sizes)
    assert (unpacked(words, sizes) == levels).all()
    keys, places, count = distinct(words, MOST)
    expected, same = np.unique(levels, axis=0, return_inverse=True)
    assert count == len(expected) == keys.shape[1]
    assert (unpacked(keys, sizes) == expected).all()
    assert (places == same.ravel()).all()


def test_words_hold_as_much_as_they_can():
    assert words_of([2**31, 2**31]) == [range(2)]
    assert words_of([2**31, 2**31, 2]) == [range(2), range(2, 3)]
    assert [list(part) for part in words_of([2**62, 2**62])] == [[0], [1]]


@FEW
@given(seeds, st.integers(1, 60), st.booleans())
def test_classes_add_up_over_batches(seed, cut, wide):
    rng = np.random.default_rng(seed)
    size = 2**25 if wide else 3
    raw = rng.integers(0, 4, (60, 4))
    spread = np.array([0, size // 2, size - 1, size])  # the last one is missing
    axes = tuple(Axis(f"v{i}", np.append(spread, size), size) for i in range(3))
    weights = np.array([0.5, 1.0, 2.0, 4.0, 0.0])
    question = Classes(axes, (Axis("w", np.arange(5), 4, weights),))

    def scan(rows):
        codes = {name: rows[:, i] for i, name in enumerate(["v0", "v1", "v2", "w"])}
        return Local(codes, len(rows)).scan([question])[question]

    whole, parts = scan(raw), scan(raw[:cut]) + scan(raw[cut:]) if cut < 60 else scan(raw)
    assert (whole.keys == parts.keys).all()
    assert (whole.rows == parts.rows).all()
    np.testing.assert_allclose(whole.sums, parts.sums, rtol=1e-12)
    expected = Counter(map(tuple, spread[raw[:, :3]].tolist()))
    found = unpacked(whole.keys, [size + 1] * 3)
    assert {tuple(k): r for k, r in zip(found.tolist(), whole.rows, strict=True)} == expected


@pytest.mark.parametrize("few", [0, 20, 1 << 18])
@FEW
@given(holed, holed)
def test_matches_with_another_table(few, mine, theirs):
    """The pure functions against all pairs, with the classes of both tables."""
    index = [
        {"x": 0, "y": 1, "z": 2, None: 3},
        {"p": 0, "q": 1, None: 2},
        {0: 0, 1: 1, 2: 2, None: 3},
    ]
    sizes = [3, 2, 3]
    both = []
    for rows in (mine, theirs):
        counts = Counter(rows)
        levels = np.array([[index[j][v] for j, v in enumerate(record)] for record in counts])
        both.append((list(counts), levels, np.array(list(counts.values()))))
    (records, levels, _), (_, others, counts) = both
    found = equal_records(levels, others, counts, sizes)
    assert found.tolist() == matches(records, theirs).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "FEW_PAIRS", few)
        found = compatible(levels, others, counts, sizes)
        one, other = compatible_pairs(levels, others, sizes)
    assert found.tolist() == matches(records, theirs, "any").tolist()
    pairs = Counter(zip(one.tolist(), other.tolist(), strict=True))
    their_records = list(Counter(theirs))
    assert pairs == Counter(
        (i, j)
        for i, record in enumerate(records)
        for j, their in enumerate(their_records)
        if alike(record, their)
    )


def test_no_record_has_no_class():
    with pytest.raises(Undefined):
        table_of([])


def test_quantiles_are_over_records_and_not_over_classes():
    assert size_quantiles(table_of([1, 1, 1, 7]), (0.5,)) == [7.0]
    assert expected_matches(table_of([1, 1, 1, 7])) == approx(4.0)


def test_classes_are_those_of_the_protected_table():
    original = pd.DataFrame({"a": list("uvwxyz")})
    protected = pd.DataFrame({"a": list("uuuxxx")})
    found = risk_of(original, protected, ["a"])
    assert found.internal == approx(1 / 3)
    assert found.k == 3


def test_rows_in_any_order_and_columns_in_any_order():
    frame = population_of(80, missing=0.1)
    order = np.random.default_rng(1).permutation(80)
    keys = ["sex", "region", "age"]
    said = {"age": AGE}
    one = run(frame, keys=keys, said=said)
    other = run(frame.iloc[order, ::-1], keys=keys[::-1], said=said)
    first, second = one.to_dict()["risk"], other.to_dict()["risk"]
    for content in (first, second):
        content["keys"] = sorted(content["keys"])
    assert first == approx_tree(second)


def approx_tree(entry):
    """Nested dicts and lists compared by value, numbers but for the last digits."""
    if isinstance(entry, dict):
        return {name: approx_tree(value) for name, value in entry.items()}
    if isinstance(entry, list):
        return [approx_tree(value) for value in entry]
    return approx(entry) if isinstance(entry, float) else entry


@pytest.mark.parametrize("kind", ["pandas", "polars", "csv"])
def test_any_kind_of_table(kind, tmp_path):
    frame = population_of(60)
    told = frame
    if kind == "polars":
        told = pl.from_pandas(frame)
    elif kind == "csv":
        told = tmp_path / "people.csv"
        frame.to_csv(told, index=False)
    schema = {"options": {"aligned": True}, "variable": {"sex": KEY, "region": KEY}}
    found = microgauge.assess(told, told, schema=schema, only=["risk"], external=told).risk
    mine = cells(frame, ["sex", "region"])
    assert found.internal == approx((1 / matches(mine, mine)).mean())
    assert found.external == approx(found.internal)


# -- a weight of each record ---------------------------------------------------------------------


def test_records_weigh_by_their_sensitivity():
    frame = population_of(100)
    frame["care"] = np.random.default_rng(2).integers(1, 9, 100) / 2
    mine = cells(frame, ["sex", "region"])
    sizes = matches(mine, mine)
    said = {"care": {"role": "exclude"}}
    keys = ["sex", "region"]
    found = risk_of(frame, keys=keys, said=said, risk={"record_weight": "care"})
    assert found.internal == approx(np.average(1 / sizes, weights=frame["care"]))
    assert found.internal != approx((1 / sizes).mean())
    assert found.expected_reidentifications == approx((1 / sizes).sum())
    frame["care"] *= 7
    again = risk_of(frame, keys=keys, said=said, risk={"record_weight": "care"})
    assert again.internal == approx(found.internal)


def test_sampling_weights_are_no_sensitivity():
    frame = population_of(100)
    frame["w"] = np.random.default_rng(2).uniform(1, 9, 100)
    keys = ["sex", "region"]
    with_weights = risk_of(frame, keys=keys, weight="w")
    without = risk_of(frame.drop(columns="w"), keys=keys)
    for name in ("internal", "k", "uniques", "classes", "class_quantiles", "above_threshold"):
        assert getattr(with_weights, name) == getattr(without, name)


@pytest.mark.parametrize("column", ["nobody", "sex", "nothing"])
def test_a_sensitivity_that_is_no_number(column):
    frame = population_of(50)
    frame["nothing"] = 0.0
    found = risk_of(frame, keys=["region"], risk={"record_weight": column})
    assert found.internal is None
    assert found.total is None
    assert "internal: " in found.reason


def test_a_sensitivity_that_only_the_protected_table_has():
    frame = pd.DataFrame({"a": list("xyzz")})
    released = frame.assign(care=[1.0, 1.0, 3.0, 3.0])
    found = risk_of(frame, released, ["a"], risk={"record_weight": "care"})
    assert found.internal == approx(5 / 8)


# -- sampling weights ----------------------------------------------------------------------------


def benedetti_franconi(size, weight):
    """The formulas of the page, word for word."""
    p = size / weight
    odds = p / (1 - p) if p < 1 else None
    if odds is None:
        return 1 / size
    if size == 1:
        return odds * math.log(1 / p)
    if size == 2:
        return odds - odds**2 * math.log(1 / p)
    return p / (size - 1 + p)


def weighted_frame(rows=60, seed=3, low=1.5, high=40.0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.choice(list("pqrstuvw"), rows), "b": rng.choice(list("xyz"), rows)}
    )
    frame["w"] = rng.uniform(low, high, rows).round(2)
    return frame


def individual_by_hand(frame):
    groups = frame.groupby(["a", "b"])["w"]
    sizes, sums = groups.transform("size"), groups.transform("sum")
    return np.array([benedetti_franconi(f, w) for f, w in zip(sizes, sums, strict=True)])


def test_individual_risk_with_raw_weights():
    frame = weighted_frame()
    assert set(frame.groupby(["a", "b"]).size()) > {1, 2, 3}
    risks = individual_by_hand(frame)
    found = risk_of(frame, keys=["a", "b"], weight="w", risk={"threshold": 0.05}).individual
    assert found.sum == approx(risks.sum())
    assert found.mean == approx(risks.mean())
    assert found.largest == approx(risks.max())
    assert found.above_threshold == (risks > 0.05).sum() > 0


@pytest.mark.parametrize("weight", [1.0, 4.0, 250.0])
def test_individual_risk_where_all_weights_are_equal(weight):
    """No weighting for a distribution, but still how many people a record stands for."""
    frame = weighted_frame().assign(w=weight)
    found = risk_of(frame, keys=["a", "b"], weight="w")
    assert found.individual.sum == approx(individual_by_hand(frame).sum())
    if weight == 1.0:
        assert found.individual.sum == approx(found.expected_reidentifications)
    assert found.loglinear.fraction == approx(1 / weight)


def test_individual_risk_of_weights_below_one():
    found = risk_of(weighted_frame(low=0.1, high=0.5), keys=["a", "b"], weight="w")
    assert found.individual.sum is None
    assert "less than their records" in found.individual.reason
    assert found.loglinear.tau1 is None
    assert found.loglinear.reason


def test_individual_risk_needs_weights():
    found = risk_of(weighted_frame(), keys=["a", "b"])
    assert found.individual.sum is None
    assert "weight" in found.individual.reason


def test_the_protected_weight_counts():
    frame = weighted_frame().rename(columns={"w": "before"})
    frame["after"] = frame["before"] * 3
    found = risk_of(
        frame, keys=["a", "b"], weight_original="before", weight_protected="after"
    ).individual
    expected = individual_by_hand(frame.rename(columns={"after": "w"}))
    assert found.sum == approx(expected.sum())


def test_a_weight_that_only_the_protected_table_has():
    """Calibrated anew after protection: the original has no such column."""
    frame = weighted_frame()
    original = frame.rename(columns={"w": "before"})
    protected = frame.rename(columns={"w": "after"})
    found = risk_of(
        original, protected, ["a", "b"], weight_original="before", weight_protected="after"
    ).individual
    assert found.sum == approx(individual_by_hand(frame).sum())


def test_log_linear_risk_needs_weights_or_a_population():
    frame = weighted_frame()
    assert risk_of(frame, keys=["a", "b"]).loglinear.tau1 is None
    assert risk_of(frame, keys=["a", "b"]).loglinear.reason


def saturated_tau(frame, fraction):
    """Two keys saturate the model: each unique is expected once, its twins (1 - π)/π times."""
    uniques = (frame.groupby(["a", "b"]).size() == 1).sum()
    rate = (1 - fraction) / fraction
    return uniques * math.exp(-rate), uniques * (1 - math.exp(-rate)) / rate


def test_log_linear_risk_with_weights():
    frame = weighted_frame(low=1.0, high=3.0)
    found = risk_of(frame, keys=["a", "b"], weight="w").loglinear
    fraction = len(frame) / frame["w"].sum()
    assert found.fraction == approx(fraction)
    assert (found.tau1, found.tau2) == pytest.approx(saturated_tau(frame, fraction), rel=1e-3)


def test_log_linear_risk_with_a_population():
    frame = weighted_frame().drop(columns="w")
    people = pd.concat([frame] * 3 + [frame.head(20)], ignore_index=True)
    found = risk_of(frame, keys=["a", "b"], tables={"population": people}).loglinear
    assert found.fraction == approx(60 / 200)
    assert (found.tau1, found.tau2) == pytest.approx(saturated_tau(frame, 0.3), rel=1e-3)


def test_a_population_smaller_than_the_sample():
    frame = weighted_frame().drop(columns="w")
    found = risk_of(frame, keys=["a", "b"], tables={"population": frame.head(30)}).loglinear
    assert found.tau1 is None
    assert found.reason
    assert "weight" not in found.reason  # there are none


# -- sensitive variables -------------------------------------------------------------------------


def diversity_by_hand(frame, keys, name, order, ordered, c=1.0):
    """l-diversity in three ways and t-closeness, class by class."""
    known = frame[frame[name].notna()]
    table = known[name].value_counts(normalize=True).reindex(order, fill_value=0.0)
    distinct_l, entropy_l, recursive_l, t = [], [], [], []
    for _, group in known.groupby(keys, dropna=False):
        counts = group[name].value_counts()
        shares = counts / counts.sum()
        distinct_l.append(len(counts))
        entropy_l.append(math.exp(-(shares * np.log(shares)).sum()))
        falling = sorted(counts, reverse=True)
        holds = [m for m in range(1, len(falling) + 1) if falling[0] < c * sum(falling[m - 1 :])]
        recursive_l.append(max(holds, default=0))
        apart = shares.reindex(order, fill_value=0.0) - table
        if ordered:
            t.append(np.abs(np.cumsum(apart)).sum() / max(len(order) - 1, 1))
        else:
            t.append(np.abs(apart).sum() / 2)
    return min(distinct_l), min(entropy_l), min(recursive_l), max(t)


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "continuous"])
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("c", [1.0, 0.5, 3.0])
def test_diversity_is_that_of_the_worst_class(kind, seed, c):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.choice(["x", "y", None], 150), "b": rng.choice(["p", "q"], 150)})
    frame["s"] = rng.choice([1.0, 2.0, 5.0, 10.0, 40.0], 150, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    frame.loc[rng.random(150) < 0.1, "s"] = None
    said = {"s": {"role": "sensitive", "type": kind}}
    (found,) = risk_of(frame, keys=["a", "b"], said=said, risk={"c": c, "l": 2}).sensitive
    order = sorted(frame["s"].dropna().unique())
    expected = diversity_by_hand(frame, ["a", "b"], "s", order, kind != "nominal", c)
    assert (found.distinct_l, found.recursive_l) == (expected[0], expected[2])
    assert found.entropy_l == approx(expected[1])
    assert found.t == approx(expected[3])
    assert (found.c, found.l_asked) == (c, 2)
    assert found.satisfied == (expected[2] >= 2)


@FEW
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["x", "y", None]),
            st.sampled_from(["p", "q"]),
            st.sampled_from(["low", "mid", "high", None]),
        ),
        min_size=2,
        max_size=25,
    ).filter(lambda rows: any(r[2] is not None for r in rows)),
    st.booleans(),
)
def test_diversity_of_any_small_table(rows, ordered):
    frame = pd.DataFrame(rows, columns=["a", "b", "s"]).astype("string")
    said = {"s": {"role": "sensitive", "type": "ordinal", "order": ["low", "mid", "high"]}}
    if not ordered:
        said = {"s": {"role": "sensitive", "type": "nominal"}}
    (found,) = risk_of(frame, keys=["a", "b"], said=said).sensitive
    order = [v for v in ("low", "mid", "high") if (frame["s"] == v).any()]
    expected = diversity_by_hand(frame, ["a", "b"], "s", order, ordered)
    assert (found.distinct_l, found.recursive_l) == (expected[0], expected[2])
    assert found.entropy_l == approx(expected[1])
    assert found.t == approx(expected[3])


def test_several_sensitive_variables():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.choice(["x", "y"], 80)})
    frame["s"], frame["u"] = rng.choice(list("klm"), 80), rng.choice(list("no"), 80)
    found = risk_of(frame, keys=["a"], said={"s": SENSITIVE, "u": SENSITIVE}).sensitive
    assert [entry.name for entry in found] == ["s", "u"]
    for entry, order in zip(found, ("klm", "no"), strict=True):
        expected = diversity_by_hand(frame, ["a"], entry.name, list(order), False)
        assert (entry.distinct_l, entry.recursive_l) == (expected[0], expected[2])
        assert (entry.entropy_l, entry.t) == (approx(expected[1]), approx(expected[3]))


def test_a_sensitive_variable_that_is_constant():
    frame = population_of(40).assign(s="same")
    (found,) = risk_of(frame, keys=["sex"], said={"s": SENSITIVE}).sensitive
    assert (found.distinct_l, found.entropy_l, found.recursive_l, found.t) == (1, 1.0, 0, 0.0)
    assert "constant" in found.reason


@pytest.mark.parametrize("gone", ["column", "cells"])
def test_a_sensitive_variable_that_was_removed(gone):
    frame = population_of(40).assign(s=list("uv") * 20)
    protected = frame.drop(columns="s") if gone == "column" else frame.assign(s=None)
    (found,) = risk_of(frame, protected, ["sex"], said={"s": SENSITIVE}).sensitive
    assert (found.distinct_l, found.t) == (None, None)
    assert found.reason == "removed"


def test_classes_of_one_record():
    """Every record is alone: whoever is found gives the value away, and is far from the table."""
    frame = pd.DataFrame({"a": list("vwxyz"), "s": list("kkllm")})
    found = risk_of(frame, keys=["a"], said={"s": SENSITIVE})
    assert_classes(found, np.ones(5))
    (entry,) = found.sensitive
    assert (entry.distinct_l, entry.entropy_l, entry.recursive_l) == (1, 1.0, 0)
    assert entry.t == approx(4 / 5)  # m against the table's 1/5
    assert found.linkage == 1.0


def test_one_class():
    frame = pd.DataFrame({"a": ["x"] * 8, "s": list("kkkkllmm")})
    found = risk_of(frame, keys=["a"], said={"s": SENSITIVE})
    assert_classes(found, np.full(8, 8))
    (entry,) = found.sensitive
    assert entry.t == 0.0
    assert entry.distinct_l == 3
    assert entry.entropy_l == approx(2**1.5)
    assert entry.recursive_l == 1  # 4 < 4 + 2 + 2, but not 4 < 2 + 2
    assert found.linkage == approx(1 / 8)


# -- a table an intruder may hold ----------------------------------------------------------------


def recoded_ages():
    """Ages under several protections, what the schema says of them, and how that is known."""
    ages = population_of()["age"]
    by_tens = pd.Series(tens(ages))
    generations = pd.Series(np.where(ages < 30, "young", np.where(ages < 55, "middle", "old")))
    breaks = [10, 20, 30, 40, 50, 60, 70]
    labels = [f"{b}-{b + 9}" for b in breaks[:-1]] + ["70+"]
    opened = pd.Series(["70+" if a >= 70 else t for a, t in zip(ages, by_tens, strict=True)])
    half_open = pd.Series([f"[{int(a // 10 * 10)},{int(a // 10 * 10 + 10)})" for a in ages])
    words = pd.Series([f"from {int(a // 10)}0" for a in ages])
    five = np.round(ages / 5) * 5
    return {
        "labels": (by_tens, {}, "labels"),
        "labels with an open end": (opened, {}, "labels"),
        "labels in brackets": (half_open, {}, "labels"),
        "breaks with labels": (
            opened,
            {"recode": {"breaks": breaks, "labels": labels}},
            "declared",
        ),
        "breaks without labels": (opened, {"recode": {"breaks": breaks}}, "declared"),
        "breaks under words": (
            words,
            {"recode": {"breaks": breaks, "labels": [f"from {b}" for b in breaks]}},
            "declared",
        ),
        "an inferred map": (generations, {}, "inferred"),
        "rounding that is declared": (five, {"recode": {"round": 5}}, "declared"),
        "rounding that is inferred": (five, {}, "inferred"),
        "floor": (ages // 10 * 10, {"recode": {"round": 10}, "rounding": "floor"}, "declared"),
        "ceiling": (
            np.ceil(ages / 10) * 10,
            {"recode": {"round": 10}, "rounding": "ceiling"},
            "declared",
        ),
        "top code that is declared": (ages.clip(upper=50), {"recode": {"top": 50}}, "declared"),
        "top code that is inferred": (ages.clip(upper=50), {}, "inferred"),
        "top and bottom": (
            ages.clip(25, 50),
            {"recode": {"top": 50, "bottom": 25}},
            "declared",
        ),
        "nothing": (ages, {}, None),
    }


@pytest.mark.parametrize("way", list(recoded_ages()))
@pytest.mark.parametrize("keys", [["age"], ["age", "sex", "region"]])
def test_the_original_as_the_external_table(way, keys):
    """Where protection is a recoding only, `class` is R_internal."""
    ages, said, how = recoded_ages()[way]
    original = population_of()
    protected = original.assign(age=ages.to_numpy())
    result = run(original, protected, keys, said={"age": AGE | said}, tables={"external": original})
    recoding = next(v for v in result.variables if v.name == "age").recoding
    assert (None if recoding is None else recoding.how) == how
    found = result.risk
    assert found.external == approx(found.internal)
    assert found.external_keys == tuple(k for k in original if k in keys)
    assert found.external_methods["unique"] == approx(found.uniques / len(original))
    assert found.journalist.largest == found.prosecutor.largest
    assert found.marketer == approx(found.internal)


def test_rounding_that_leaves_many_values():
    """Incomes to 1,000, sixty of them left: the rule that rows show holds for outsiders too."""
    rng = np.random.default_rng(3)
    original = pd.DataFrame({"income": rng.integers(100, 60_000, 400).astype(float)})
    protected = (original / 1000).round() * 1000
    assert protected["income"].nunique() > 50
    found = risk_of(
        original, protected, ["income"], said={"income": AGE}, tables={"external": original}
    )
    assert found.external == approx(found.internal)


ZIPS = {
    "declared": (lambda z: z[:3], {"recode": {"prefix": 3}}),
    "inferred": (lambda z: z[:4], {}),
    "masked": (lambda z: z[:4] + "*", {}),
    "masked and declared": (lambda z: z[:4] + "*", {"recode": {"prefix": 4}}),
}


@pytest.mark.parametrize("way", list(ZIPS))
def test_postcodes_cut_to_a_prefix(way):
    cut, said = ZIPS[way]
    original = population_of()
    protected = original.assign(zip=original["zip"].map(cut))
    tables = {"external": original}
    found = risk_of(original, protected, ["zip", "sex"], said={"zip": ZIP | said}, tables=tables)
    assert found.external == approx(found.internal)
    assert found.internal < 0.5


@pytest.mark.parametrize("said", [{"recode": {"prefix": 4}}, {}])
def test_postcodes_that_are_numbers(said):
    original = population_of().assign(zip=lambda t: t["zip"].astype(int))
    protected = original.assign(zip=original["zip"] // 10)
    tables = {"external": original}
    found = risk_of(original, protected, ["zip", "sex"], said={"zip": ZIP | said}, tables=tables)
    assert found.external == approx(found.internal)
    assert found.internal < 0.5


def test_one_value_may_be_stored_in_several_ways():
    """Codes as text here and as numbers there; 00400 is 400 where a table holds numbers."""
    frame = pd.DataFrame({"a": ["1", "2", "2", "3"], "b": ["00400", "10489", "10489", "10489"]})
    external = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [400, 10489, 10489]})
    for keys in (["a"], ["b"], ["a", "b"]):
        found = risk_of(frame, keys=keys, tables={"external": external})
        theirs = cells(external.assign(a=["1", "2", "3"], b=["00400", "10489", "10489"]), keys)
        assert found.external == approx(inverse(matches(cells(frame, keys), theirs)).mean()), keys


def test_categories_that_were_merged():
    original = population_of()
    into = {"north": "n", "east": "rest", "south": "rest", "west": "rest"}
    protected = original.assign(region=original["region"].map(into))
    for said in ({}, {"recode": {"map": into}}):
        found = risk_of(
            original,
            protected,
            ["region", "sex"],
            said={"region": ZIP | said},
            tables={"external": original},
        )
        assert found.external == approx(found.internal)
        assert found.k > 20


def test_a_declared_map_holds_for_values_that_only_the_external_table_has():
    original = pd.DataFrame({"a": list("ppqq")})
    into = {"p": "P", "q": "Q", "r": "Q"}
    protected = pd.DataFrame({"a": list("PPQQ")})
    external = pd.DataFrame({"a": list("pqrr")})
    found = risk_of(
        original,
        protected,
        ["a"],
        said={"a": {"recode": {"map": into}}},
        tables={"external": external},
    )
    assert found.external == approx((1 + 1 + 1 / 3 + 1 / 3) / 4)


def test_declared_breaks_hold_for_values_that_only_the_external_table_has():
    original = pd.DataFrame({"age": [20.0, 21.0, 35.0, 36.0]})
    protected = pd.DataFrame({"age": ["20-29", "20-29", "30+", "30+"]})
    external = pd.DataFrame({"age": [22.0, 23.0, 24.0, 50.0, 90.0]})
    for said in ({"recode": {"breaks": [20, 30], "labels": ["20-29", "30+"]}}, {}):
        found = risk_of(
            original, protected, ["age"], said={"age": AGE | said}, tables={"external": external}
        )
        assert found.external == approx((1 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 4)


def test_external_values_that_the_breaks_do_not_cover_match_nothing():
    """A register holds children, the survey none: the others are matched all the same."""
    original = pd.DataFrame({"age": [20.0, 21.0, 35.0, 36.0]})
    protected = pd.DataFrame({"age": ["20-29", "20-29", "30+", "30+"]})
    external = pd.DataFrame({"age": [5.0, 22.0, 23.0, 24.0, 50.0, 90.0]})
    for said in ({}, {"recode": {"breaks": [20, 30], "labels": ["20-29", "30+"]}}):
        found = risk_of(
            original, protected, ["age"], said={"age": AGE | said}, tables={"external": external}
        )
        assert found.external == approx((1 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 4)


@pytest.mark.parametrize("way", ["labels", "breaks with labels", "an inferred map", "floor"])
def test_an_external_table_in_the_terms_of_the_protected_one(way):
    ages, said, _ = recoded_ages()[way]
    original = population_of()
    protected = original.assign(age=ages.to_numpy())
    external = protected[["age", "sex"]].head(200)
    found = risk_of(
        original, protected, ["age", "sex"], said={"age": AGE | said}, tables={"external": external}
    )
    mine, theirs = cells(protected, ["age", "sex"]), cells(external, ["age", "sex"])
    assert found.external == approx(inverse(matches(mine, theirs)).mean())
    assert found.external > 0


def test_missing_keys_of_an_external_table():
    original = population_of(missing=0.1)
    protected = original.assign(age=tens(original["age"]))
    keys = ["age", "sex", "region"]
    for how in ("value", "any"):
        found = risk_of(
            original,
            protected,
            keys,
            said={"age": AGE},
            risk={"missing_keys": how},
            tables={"external": original},
        )
        assert found.external == approx(found.internal)
        other = original.sample(100, random_state=2).assign(age=lambda t: tens(t["age"]))
        ext = matches(cells(protected, keys), cells(other, keys), how)
        found = risk_of(
            original,
            protected,
            keys,
            said={"age": AGE},
            risk={"missing_keys": how},
            tables={"external": other},
        )
        assert found.external == approx(inverse(ext).mean())


@pytest.mark.slow
@FEW
@given(holed, holed, st.sampled_from(["value", "any"]))
def test_external_risk_is_that_of_all_pairs(mine, theirs, how):
    protected, external = frame_of(mine), frame_of(theirs)
    said = {"c": {"type": "nominal"}}
    found = risk_of(
        protected,
        keys=list("abc"),
        said=said,
        risk={"missing_keys": how},
        tables={"external": external},
    )
    both = [set(frame[key].dropna()) for key in "abc" for frame in (protected, external)]
    if not all(one & other for one, other in zip(both[::2], both[1::2], strict=True)):
        assert found.external is None
        assert found.external_methods["class"] is None
        return
    records = cells(protected, "abc")
    sizes = matches(records, records, how)
    ext = matches(records, cells(external, "abc"), how)
    assert found.external == approx(inverse(ext).mean())
    assert found.external_methods["class"] == found.external
    assert found.external_methods["unique"] == approx((inverse(ext) * (sizes == 1)).mean())
    assert found.marketer == approx(inverse(ext).mean())
    assert found.journalist.at_risk == approx((inverse(ext) > 0.2).mean()) or not ext.any()
    if ext.any():
        assert found.journalist.largest == approx(inverse(ext).max())
        assert found.journalist.mean == approx(inverse(ext).mean())
    expected = 1.0
    for key in "abc":
        shares = [frame[key].value_counts(normalize=True) for frame in (protected, external)]
        expected *= (shares[0] * shares[1]).fillna(0).sum()
    assert found.external_methods["probability"] == approx(expected)
    assert found.total == approx(max(found.internal, found.external))


def test_an_external_table_that_holds_some_of_the_keys():
    frame = population_of()
    external = frame[["sex", "zip"]].head(120).assign(more=1)
    found = risk_of(frame, keys=["zip", "sex", "region"], tables={"external": external})
    ext = matches(cells(frame, ["zip", "sex"]), cells(external, ["zip", "sex"]))
    assert found.external_keys == ("zip", "sex")
    assert found.external == approx(inverse(ext).mean())
    records = cells(frame, ["zip", "sex", "region"])
    alone = matches(records, records) == 1
    assert found.external_methods["unique"] == approx((inverse(ext) * alone).mean())


@pytest.mark.parametrize("way", ["strange", "other bands"])
def test_values_that_never_match_have_no_risk_to_tell(way):
    original = population_of()
    external = original.copy()
    if way == "strange":
        protected = original
        external["region"] = external["region"].str.upper()
    else:
        protected = original.assign(age=tens(original["age"]))
        external["age"] = "very old"
    found = risk_of(
        original,
        protected,
        ["age", "sex", "region"],
        said={"age": AGE},
        tables={"external": external},
    )
    assert found.external is None
    assert set(found.external_methods.values()) == {None}
    assert ('"region"' if way == "strange" else '"age"') in found.external_reasons["class"]
    assert found.total == found.internal
    assert "external: " in found.reason
    assert found.marketer is None
    assert found.journalist.largest is None


def test_combinations_that_never_match_have_no_risk():
    """Each key has values in common, no record does: 0, a figure and not a null."""
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("pppp")})
    frame.loc[3, "b"] = "q"
    external = pd.DataFrame({"a": list("xx"), "b": list("qq")})
    found = risk_of(frame, keys=["a", "b"], tables={"external": external})
    assert found.external == 0.0
    assert found.marketer == 0.0
    assert found.journalist.largest is None
    assert found.journalist.reason


def test_an_external_table_without_any_key():
    frame = population_of(50)
    with pytest.raises(InputError, match="none of the quasi-identifiers"):
        run(frame, keys=["sex", "zip"], tables={"external": frame[["region"]]})
    with pytest.raises(InputError, match="population"):
        run(frame, keys=["sex", "zip"], tables={"population": frame[["region"]]})


def test_an_external_table_whose_keys_were_all_removed():
    frame = population_of(50)
    protected = frame.drop(columns="zip")
    found = risk_of(frame, protected, ["sex", "zip"], tables={"external": frame[["zip"]]})
    assert found.keys == ("sex",)
    assert found.external is None
    assert "removed" in found.external_reasons["class"]


def test_a_fault_of_the_external_table_names_that_table():
    frame = population_of(50)
    external = frame.copy()
    external.loc[0, "age"] = np.inf
    with pytest.raises(InputError, match="external"):
        run(frame, keys=["age"], said={"age": AGE}, tables={"external": external})


def test_an_external_table_from_a_path(tmp_path):
    frame = population_of(90)
    path = tmp_path / "register.csv"
    frame.head(40).to_csv(path, index=False)
    keys = ["sex", "region"]
    ext = matches(cells(frame, keys), cells(frame.head(40), keys))
    for given_as in ({"risk": {"external": str(path)}}, {"tables": {"external": path}}):
        found = risk_of(frame, keys=keys, **given_as)
        assert found.external == approx(inverse(ext).mean())


def test_several_ways_count_by_their_mean():
    frame = population_of()
    external = frame.sample(150, random_state=3)
    methods = ["class", "probability", "correlation", "unique"]
    keys = ["sex", "region"]
    found = risk_of(
        frame, keys=keys, risk={"external_method": methods}, tables={"external": external}
    )
    assert found.external == approx(np.mean(list(found.external_methods.values())))
    for method in methods:
        alone = risk_of(
            frame, keys=keys, risk={"external_method": method}, tables={"external": external}
        )
        assert alone.external == found.external_methods[method]
        assert alone.external_methods == found.external_methods


@pytest.mark.parametrize("combine", ["max", "mean", "sum"])
def test_how_internal_and_external_risk_become_one(combine):
    frame = population_of(100)
    external = frame.sample(60, random_state=3)
    keys = ["zip", "sex", "region"]
    found = risk_of(
        frame,
        keys=keys,
        risk={"combine": combine, "weights": [1, 3]},
        tables={"external": external},
    )
    inside, outside = found.internal, found.external
    assert inside > outside > 0.3
    expected = {
        "max": max(inside, outside),
        "mean": (inside + 3 * outside) / 4,
        "sum": min(1.0, inside + outside),
    }[combine]
    assert found.total == approx(expected)
    assert found.safety == approx(1 - expected)
    assert found.combine == combine


def test_the_sum_of_risks_below_one():
    frame = pd.DataFrame({"a": ["x"] * 4})
    found = risk_of(
        frame,
        keys=["a"],
        risk={"combine": "sum"},
        tables={"external": pd.DataFrame({"a": ["x"] * 5})},
    )
    assert found.total == approx(1 / 4 + 1 / 5)


# -- correlation with an external table ----------------------------------------------------------


def frequency_correlation_by_hand(one, other):
    shares = [side.value_counts(normalize=True) for side in (one, other)]
    both = pd.concat(shares, axis=1).fillna(0.0)
    return max(np.corrcoef(both.iloc[:, 0], both.iloc[:, 1])[0, 1], 0.0)


def test_correlation_of_frequencies():
    frame = population_of()
    external = population_of(200, seed=8)
    external["region"] = external["region"].replace({"west": "abroad"})
    said = {"sex": {"rut_weight": 2.0}, "region": {"rut_weight": 5.0}}
    found = risk_of(frame, keys=["sex", "region"], said=said, tables={"external": external})
    parts = [frequency_correlation_by_hand(frame[k], external[k]) for k in ("sex", "region")]
    assert parts[1] != approx(parts[0])
    assert found.external_methods["correlation"] == approx((2 * parts[0] + 5 * parts[1]) / 7)


def quantile_correlation(one, other):
    shares = np.arange(1, 100) / 100
    curves = [np.quantile(side.dropna(), shares) for side in (one, other)]
    return max(np.corrcoef(curves[0], curves[1])[0, 1], 0.0)


def test_correlation_of_quantile_functions():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=150)})
    external = pd.DataFrame({"x": rng.exponential(size=90)})
    external.loc[0, "x"] = frame.loc[0, "x"]  # without a value in common there is nothing to tell
    found = risk_of(frame, keys=["x"], said={"x": AGE}, tables={"external": external})
    expected = quantile_correlation(frame["x"], external["x"])
    assert expected < 0.99
    assert found.external_methods["correlation"] == approx(expected)


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e9])
def test_the_unit_of_a_number_does_not_matter(unit):
    """A number multiplied by a positive constant everywhere changes no figure."""
    rng = np.random.default_rng(2)
    whole = rng.integers(0, 200, 150)
    frame, external = pd.DataFrame({"x": whole * 1.0}), pd.DataFrame({"x": whole[:90] * 1.0})
    one, other = (
        risk_of(
            frame * by, keys=["x"], said={"x": AGE}, tables={"external": external * by}
        ).external_methods
        for by in (1.0, unit)
    )
    assert one["correlation"] is not None
    assert other == approx(one)


def test_correlation_does_not_depend_on_how_a_recoding_is_known():
    """Ages rounded to five years are numbers, whether the schema says so or rows show it."""
    original = population_of()
    protected = original.assign(age=np.round(original["age"] / 5) * 5)
    external = population_of(200, seed=9)
    found = [
        risk_of(
            original, protected, ["age"], said={"age": AGE | said}, tables={"external": external}
        ).external_methods["correlation"]
        for said in ({"recode": {"round": 5}}, {})
    ]
    expected = quantile_correlation(protected["age"], np.round(external["age"] / 5) * 5)
    assert found[0] == approx(expected)
    assert found[1] == pytest.approx(expected, rel=1e-2)


def linked_tables(rows=200, seed=4):
    """People with a key, and a register that has most of them in another order."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "x": np.round(hidden + rng.normal(size=rows), 3),
            "grade": np.clip(np.round(3 + hidden + rng.normal(size=rows)), 1, 6),
            "kind": np.where(hidden > 0.3, "u", np.where(rng.random(rows) < 0.5, "v", "w")),
        }
    )
    register = frame.sample(150, random_state=1).reset_index(drop=True)
    register["x"] = np.where(rng.random(150) < 0.7, register["x"], rng.permutation(register["x"]))
    register["grade"] = np.where(
        rng.random(150) < 0.5, register["grade"], rng.permutation(register["grade"])
    )
    register["kind"] = np.where(
        rng.random(150) < 0.6, register["kind"], rng.permutation(register["kind"])
    )
    extra = frame.head(10).assign(id=[f"new{i}" for i in range(10)])
    return frame, pd.concat([register, extra], ignore_index=True)


LINKED = {
    "x": ("continuous", lambda a, b: stats.pearsonr(a, b)[0]),
    "grade": ("ordinal", lambda a, b: stats.spearmanr(a, b)[0]),
    "kind": ("nominal", lambda a, b: association(pd.crosstab(a, b), method="cramer")),
}


@pytest.mark.parametrize("name", list(LINKED))
def test_correlation_of_linked_values(name):
    frame, register = linked_tables()
    kind, measure = LINKED[name]
    both = frame.merge(register, on="id")
    found = risk_of(
        frame, keys=[name], said={name: {"type": kind}}, tables={"external": register}, key="id"
    )
    expected = measure(both[f"{name}_x"], both[f"{name}_y"])
    assert 0.2 < expected < 0.95
    assert found.external_methods["correlation"] == approx(expected)


def test_correlations_of_several_linked_attributes():
    frame, register = linked_tables()
    both = frame.merge(register, on="id")
    weights = {"x": 1.0, "grade": 2.0, "kind": 4.0}
    said = {n: {"type": LINKED[n][0], "rut_weight": w} for n, w in weights.items()}
    found = risk_of(frame, keys=list(LINKED), said=said, tables={"external": register}, key="id")
    parts = [LINKED[n][1](both[f"{n}_x"], both[f"{n}_y"]) for n in weights]
    expected = np.average(parts, weights=list(weights.values()))
    assert found.external_methods["correlation"] == approx(expected)


def test_correlation_of_linked_values_is_not_weighted():
    """Weights say nothing of who can be found: the linked values are those of all linked units."""
    frame, register = linked_tables()
    register = register.head(150)
    protected = frame[frame["id"].isin(register["id"])].reset_index(drop=True)
    protected["w"] = np.random.default_rng(1).exponential(20, 150) + 1
    found = [
        risk_of(
            table, keys=["x"], said={"x": AGE}, tables={"external": register}, key="id", **weights
        ).external_methods["correlation"]
        for table, weights in ((protected.drop(columns="w"), {}), (protected, {"weight": "w"}))
    ]
    both = protected.merge(register, on="id")
    expected = stats.pearsonr(both["x_x"], both["x_y"])[0]
    assert found[0] == approx(expected)
    assert found[1] == approx(expected)


def test_a_negative_correlation_of_linked_values_counts_nothing():
    frame, register = linked_tables()
    register["x"] = -register["x"]
    register.loc[0, "x"] = frame["x"].max()
    found = risk_of(frame, keys=["x"], said={"x": AGE}, tables={"external": register}, key="id")
    assert found.external_methods["correlation"] == 0.0


def test_linked_bands_are_ordered():
    """Bands are ordinal, so Spearman's correlation; Cramér's V is for nominal values."""
    frame, register = linked_tables()
    to_band = {1.0: "0-9", 2.0: "10-19", 3.0: "20-29", 4.0: "30-39", 5.0: "40-49", 6.0: "50-59"}
    original = frame.assign(grade=frame["grade"] * 10 - 5 - (np.arange(200) % 5))
    protected = frame.assign(grade=frame["grade"].map(to_band))
    external = register.assign(grade=register["grade"] * 10 - 5)
    found = risk_of(
        original,
        protected,
        ["grade"],
        said={"grade": AGE},
        tables={"external": external},
        key="id",
    )
    both = frame.merge(register, on="id")
    expected = stats.spearmanr(both["grade_x"], both["grade_y"])[0]
    assert found.external_methods["correlation"] == approx(expected)


def test_without_the_key_in_the_external_table_distributions_are_compared():
    frame, register = linked_tables()
    found = risk_of(
        frame, keys=["kind"], tables={"external": register.drop(columns="id")}, key="id"
    )
    expected = frequency_correlation_by_hand(frame["kind"], register["kind"])
    assert found.external_methods["correlation"] == approx(expected)


# -- a population --------------------------------------------------------------------------------


def test_uniques_that_are_unique_in_the_population():
    people = population_of(600, seed=6)
    sample = people.sample(150, random_state=2)
    keys = ["zip", "sex", "region"]
    mine, theirs = cells(sample, keys), cells(people, keys)
    sizes, ext = matches(mine, mine), matches(mine, theirs)
    expected = int(((sizes == 1) & (ext == 1)).sum())
    found = risk_of(sample, keys=keys, tables={"population": people})
    assert 0 < expected < (sizes == 1).sum()
    assert found.population_uniques == expected
    assert found.external is None
    assert found.total == found.internal
    assert found.journalist.largest == approx(inverse(ext).max())
    assert found.journalist.mean == approx(inverse(ext).mean())
    assert found.journalist.at_risk == approx((inverse(ext) > 0.2).mean())
    assert found.marketer == approx(inverse(ext).mean())
    assert found.prosecutor.largest == 1.0
    assert found.prosecutor.mean == approx((1 / sizes).mean())


def test_population_uniques_where_missing_matches_everything():
    """The first is alone by its values, but may be the last, whose key is missing."""
    sample = pd.DataFrame({"a": ["x", "y", None], "b": ["p", "q", "p"]})
    people = pd.DataFrame({"a": ["x", "y", "z", "z"], "b": ["p", "q", "s", "s"]})
    found = [
        risk_of(
            sample, keys=["a", "b"], risk={"missing_keys": how}, tables={"population": people}
        ).population_uniques
        for how in ("value", "any")
    ]
    assert found == [2, 1]


def test_a_population_in_single_years_and_a_release_in_bands():
    people = population_of(600, seed=6)
    sample = people.sample(150, random_state=2)
    protected = sample.assign(age=tens(sample["age"]))
    banded = people.assign(age=tens(people["age"]))
    keys = ["age", "zip"]
    mine, theirs = cells(protected, keys), cells(banded, keys)
    found = risk_of(sample, protected, keys, said={"age": AGE}, tables={"population": people})
    expected = (matches(mine, mine) == 1) & (matches(mine, theirs) == 1)
    assert found.population_uniques == expected.sum() > 0


def test_the_population_comes_before_the_external_table():
    people = population_of(600, seed=6)
    sample, register = people.sample(150, random_state=2), people.sample(200, random_state=3)
    keys = ["region", "sex"]
    found = risk_of(sample, keys=keys, tables={"population": people, "external": register})
    mine = cells(sample, keys)
    assert found.external == approx(inverse(matches(mine, cells(register, keys))).mean())
    assert found.marketer == approx(inverse(matches(mine, cells(people, keys))).mean())


def test_share_at_risk_above_a_threshold():
    frame = pd.DataFrame({"a": ["v"] * 1 + ["w"] * 2 + ["x"] * 4 + ["y"] * 5})
    found = risk_of(frame, keys=["a"])
    assert found.prosecutor.at_risk == approx(7 / 12)  # 1/5 is not above 0.2
    found = risk_of(frame, keys=["a"], risk={"threshold": 0.5})
    assert found.prosecutor.at_risk == approx(1 / 12)
    assert found.above_threshold == 1
    assert risk_of(frame, keys=["a"], risk={"threshold": 1.0}).above_threshold == 0


# -- linkage and interval disclosure -------------------------------------------------------------


def linkage_by_hand(squares):
    """The share linked from the squared distances, protected × original; ties share the count."""
    total = 0.0
    for i, row in enumerate(squares):
        ties = np.isclose(row, row.min(), rtol=1e-9, atol=1e-9)
        total += ties[i] / ties.sum()
    return total / len(squares)


def gaps(original, protected, apart):
    """Squared distances in one attribute; 1 where one side is missing, 0 where both are."""
    found = np.empty((len(protected), len(original)))
    for i, z in enumerate(protected):
        for j, x in enumerate(original):
            gone = pd.isna(z), pd.isna(x)
            found[i, j] = float(any(gone) and not all(gone)) if any(gone) else apart(z, x) ** 2
    return found


def number_gaps(original, protected, scale=None):
    unit = np.nanstd(original, ddof=1) if scale is None else scale
    return gaps(original, protected, lambda z, x: (z - x) / unit)


def category_gaps(original, protected):
    return gaps(original, protected, lambda z, x: float(z != x))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_linkage_is_that_of_all_pairs(seed, missing):
    rng = np.random.default_rng(seed)
    grades = ["low", "mid", "good", "high"]
    original = pd.DataFrame(
        {
            "x": rng.integers(0, 40, 60).astype(float),
            "kind": rng.choice(list("uvw"), 60),
            "grade": rng.choice(grades, 60),
        }
    )
    protected = original.copy()
    protected["x"] += rng.integers(-3, 4, 60)
    moved = rng.random(60) < 0.3
    protected.loc[moved, "kind"] = rng.choice(list("uvw"), moved.sum())
    protected.loc[moved, "grade"] = rng.choice(grades, moved.sum())
    for frame in (original, protected):
        for name in frame:
            frame.loc[rng.random(60) < missing, name] = None
    said = {"x": {"type": "continuous"}, "grade": {"type": "ordinal", "order": grades}}
    found = risk_of(original, protected, ["x", "kind", "grade"], said=said)
    rank = {grade: place / 3 for place, grade in enumerate(grades)}
    squares = (
        number_gaps(original["x"], protected["x"])
        + category_gaps(original["kind"], protected["kind"])
        + number_gaps(original["grade"].map(rank), protected["grade"].map(rank), 1.0)
    )
    expected = linkage_by_hand(squares)
    assert 0.05 < expected < 0.95
    assert found.linkage == approx(expected)
    assert found.linkage_records == 60


def test_a_band_stands_at_its_middle():
    rng = np.random.default_rng(3)
    original = pd.DataFrame({"age": rng.integers(10, 60, 50).astype(float), "sex": list("fm") * 25})
    protected = original.assign(age=tens(original["age"]))
    middles = original["age"] // 10 * 10 + 4.5
    expected = linkage_by_hand(
        number_gaps(original["age"], middles) + category_gaps(original["sex"], original["sex"])
    )
    found = risk_of(original, protected, ["age", "sex"], said={"age": AGE})
    assert found.linkage == approx(expected)


def test_a_shuffled_file_links_by_chance():
    frame = pd.DataFrame({"a": [f"v{i}" for i in range(40)]})
    shuffled = frame.iloc[::-1].reset_index(drop=True)
    assert risk_of(frame, keys=["a"]).linkage == 1.0
    assert risk_of(frame, shuffled, ["a"]).linkage == 0.0


def test_merged_categories_are_compared_after_recoding():
    original = pd.DataFrame({"a": list("ppqqrrss") * 3})
    into = {"p": "low", "q": "low", "r": "high", "s": "high"}
    protected = pd.DataFrame({"a": original["a"].map(into)})
    found = risk_of(original, protected, ["a"], said={"a": {"recode": {"map": into}}})
    assert found.linkage == approx(1 / 12)


def test_a_grade_that_the_original_never_has_stands_where_the_order_says():
    """ "none" comes before "low": it is nearest to "low", and farthest from "high"."""
    order = ["none", "low", "mid", "high"]
    original = pd.DataFrame({"a": ["low", "mid", "high"]})
    protected = pd.DataFrame({"a": ["none", "none", "none"]})
    said = {"a": {"type": "ordinal", "order": order}}
    assert risk_of(original, protected, ["a"], said=said).linkage == approx(1 / 3)
    original = pd.DataFrame({"a": ["low", "mid", "mid", "high", "high"]})
    protected = pd.DataFrame({"a": ["low", "mid", "mid", "none", "none"]})
    found = risk_of(original, protected, ["a"], said=said)
    # One of one, two of two shared; the last two are led to "low" and not to their own.
    assert found.linkage == approx((1 + 1 / 2 + 1 / 2 + 0 + 0) / 5)


def test_linkage_by_a_key():
    frame = linked_tables()[0].head(80)
    order = np.random.default_rng(1).permutation(80)
    protected = frame.assign(x=frame["x"] + 0.2).iloc[order].reset_index(drop=True)
    found = risk_of(frame, protected, ["x"], said={"x": AGE}, key="id")
    expected = linkage_by_hand(number_gaps(frame["x"], frame["x"] + 0.2))
    assert found.linkage == approx(expected)
    assert 0 < expected < 1


@pytest.mark.parametrize("width", [0.05, 0.5])
def test_interval_disclosure(width):
    rng = np.random.default_rng(2)
    original = pd.DataFrame(
        {
            "x": rng.normal(50, 10, 120),
            "y": np.where(rng.random(120) < 0.2, np.nan, rng.exponential(size=120)),
            "sex": list("fm") * 60,
        }
    )
    protected = original.copy()
    protected["x"] += rng.normal(0, 2, 120)
    protected["y"] += rng.normal(0, 0.05, 120)
    protected.loc[rng.random(120) < 0.25, "x"] = None
    said = {"x": {"type": "continuous"}, "y": {"type": "continuous"}}
    found = risk_of(original, protected, ["sex"], said=said, risk={"interval": width})
    close, known = {}, {}
    for name in ("x", "y"):
        half = width * original[name].std()
        known[name] = original[name].notna().sum()
        close[name] = ((original[name] - protected[name]).abs() <= half).sum()
    assert found.interval_width == width
    assert found.interval_variables == approx({n: close[n] / known[n] for n in close})
    assert found.interval == approx(sum(close.values()) / sum(known.values()))
    assert 0 < found.interval < 1


def test_interval_disclosure_by_hand():
    """Deviation 10, half width 0.5: of 1, 11, 21 released as 1.5, 12 and nothing one is close."""
    original = pd.DataFrame({"x": [1.0, 11.0, 21.0], "sex": list("fmf")})
    protected = original.assign(x=[1.5, 12.0, None])
    found = risk_of(original, protected, ["sex"], said={"x": {"type": "continuous"}})
    assert found.interval == approx(1 / 3)


def test_a_band_discloses_what_is_near_its_middle():
    original = pd.DataFrame({"age": np.arange(20.0, 60.0)})
    protected = pd.DataFrame({"age": tens(original["age"])})
    found = risk_of(original, protected, ["age"], said={"age": AGE})
    half = 0.05 * original["age"].std()
    close = (original["age"] % 10 - 4.5).abs() <= half
    assert found.interval == approx(close.mean())
    assert 0 < close.mean() < 1


def test_the_last_value_suppressed_does_not_raise_disclosure():
    """A column suppressed wholly discloses nothing; one suppressed but for a cell, nearly."""
    rng = np.random.default_rng(1)
    original = pd.DataFrame(
        {"sex": list("fm") * 20, "x": rng.normal(size=40), "y": np.arange(40.0)}
    )
    nearly, wholly = original.copy(), original.copy()
    nearly.loc[1:, "x"] = None
    wholly["x"] = None
    wholly["x"] = wholly["x"].astype(float)
    said = {"x": {"type": "continuous"}, "y": {"type": "continuous"}}
    before, after = (risk_of(original, p, ["sex"], said=said) for p in (nearly, wholly))
    assert before.interval == approx(41 / 80)
    assert after.interval == approx(40 / 80)


def test_tables_that_are_not_aligned():
    frame = population_of(60)
    found = risk_of(frame, frame.head(40), ["age", "sex"], said={"age": AGE}, aligned=False)
    assert found.linkage is None
    assert found.linkage_records is None
    assert found.interval is None
    assert "linkage: the tables are not aligned" in found.reason
    assert "interval: the tables are not aligned" in found.reason


def test_no_number_to_disclose():
    found = risk_of(population_of(30)[["sex", "region"]], keys=["sex"])
    assert found.interval is None
    assert "interval: " in found.reason


# -- edges ---------------------------------------------------------------------------------------


def test_one_record():
    frame = pd.DataFrame({"a": ["x"], "b": [3.0], "s": ["u"], "w": [20.0]})
    found = risk_of(
        frame,
        keys=["a", "b"],
        said={"s": SENSITIVE},
        weight="w",
        tables={"external": frame, "population": frame},
    )
    assert_classes(found, np.ones(1))
    assert found.external == 1.0
    assert found.population_uniques == 1
    assert found.individual.sum == approx(benedetti_franconi(1, 20.0))
    assert found.sensitive[0].distinct_l == 1
    assert found.linkage == 1.0


def test_one_key_has_no_special_uniques():
    found = risk_of(population_of(30), keys=["sex"]).suda
    assert found.contributions is None
    assert found.reason


def test_no_unique_no_score():
    frame = pd.concat([population_of(30)] * 2, ignore_index=True)
    found = risk_of(frame, keys=["sex", "region", "zip"]).suda
    assert found.scores["largest"] == 0.0
    assert set(found.contributions.values()) == {0.0}


def test_missing_levels_among_special_uniques():
    frame = pd.DataFrame({"a": ["x", "x", "x", None], "b": ["p", "p", "p", "p"]})
    found = risk_of(frame, keys=["a", "b"]).suda
    assert found.level_contributions["a"] == {"(missing)": 100.0}


@pytest.mark.parametrize("gone", ["column", "cells"])
def test_a_key_that_was_removed(gone):
    frame = population_of(80)
    protected = frame.drop(columns="zip") if gone == "column" else frame.assign(zip=None)
    found = risk_of(frame, protected, ["zip", "sex", "region"])
    mine = cells(frame, ["sex", "region"])
    assert found.keys == ("sex", "region")
    assert_classes(found, matches(mine, mine))


@pytest.mark.parametrize("only", [["risk"], ["rut"], ["risk", "rut"]])
def test_all_keys_removed(only):
    frame = population_of(40)
    schema = {
        "options": {"aligned": True},
        "variable": {"zip": KEY, "sex": KEY},
        "risk": {"measure": "classes"},
    }
    result = microgauge.assess(
        frame, frame.drop(columns=["zip", "sex"]), schema=schema, only=only, external=frame
    )
    assert result.risk is None
    assert result.rut is None
    assert mentions(result, "Risk was not measured", "removed")
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("only", [["risk"], ["rut"], ["gdu", "risk"]])
def test_risk_by_name_needs_quasi_identifiers(only):
    frame = population_of(40)
    with pytest.raises(InputError, match=r"no quasi-identifier .* --keys age,sex,"):
        microgauge.assess(frame, frame, only=only)


def test_without_quasi_identifiers_a_note_says_so():
    frame = population_of(40)
    result = microgauge.assess(frame, frame, skip=["propensity", "clusters", "ecdf"])
    assert result.risk is None
    assert result.rut is None
    assert mentions(result, "Risk was not measured", "--keys age,sex,")


def test_names_of_the_contract():
    frame = weighted_frame().assign(s=list("uv") * 30)
    content = run(
        frame, keys=["a", "b"], said={"s": SENSITIVE}, weight="w", tables={"external": frame}
    ).to_dict()["risk"]
    names = (
        "internal external external_methods combine total safety missing_keys k uniques classes "
        "class_quantiles expected_reidentifications individual loglinear sensitive suda linkage "
        "interval prosecutor journalist marketer"
    )
    assert set(names.split()) <= set(content)
    assert {"2", "3", "5"} <= set(content["classes"])
    assert {"sum", "above_threshold"} <= set(content["individual"])
    assert {"tau1", "tau2"} <= set(content["loglinear"])
    assert {"name", "distinct_l", "entropy_l", "recursive_l", "t"} <= set(content["sensitive"][0])
    assert {"scores", "contributions"} <= set(content["suda"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"combine": "min"},
        {"missing_keys": "all"},
        {"external_method": "chance"},
        {"external_method": []},
        {"threshold": 1.5},
        {"interval": 0},
        {"c": 0},
        {"l": 0},
        {"suda_max": 0},
        {"suda_fraction": 1.0},
        {"weights": [0, 0]},
        {"weights": [1]},
        {"record_weight": 3},
        {"surprise": 1},
    ],
)
def test_choices_that_make_no_sense(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        run(population_of(30), keys=["sex"], risk=wrong)


def test_the_same_twice():
    frame = population_of(80, missing=0.1)
    one, other = (
        run(frame, keys=["age", "sex", "zip"], said={"age": AGE}, tables={"external": frame})
        for _ in range(2)
    )
    assert one.to_dict()["risk"] == other.to_dict()["risk"]


@pytest.mark.parametrize("seed", [1, 2])
def test_names_of_categories_do_not_matter(seed):
    """A one-to-one map on both sides, and on the external table, changes no figure."""
    rng = np.random.default_rng(seed)
    frame = population_of(100, seed, missing=0.05)
    protected = frame.copy()
    moved = rng.random(100) < 0.2
    protected.loc[moved, "region"] = "north"
    external = frame.sample(70, random_state=1)
    names = {"north": "zz", "east": "b, c", "south": "a", "west": "w|w"}
    keys = ["sex", "region"]

    def content(*tables):
        said = {"sex": {"type": "nominal"}, "region": {"type": "nominal"}}
        found = run(tables[0], tables[1], keys, said=said, tables={"external": tables[2]})
        found = found.to_dict()["risk"]
        found["suda"].pop("level_contributions")
        return found

    before = content(frame, protected, external)
    renamed = [t.assign(region=t["region"].map(names)) for t in (frame, protected, external)]
    assert content(*renamed) == approx_tree(before)


def test_too_many_classes_are_told_and_nothing_is_measured(monkeypatch):
    frame = pd.DataFrame({"a": range(60), "b": [0, 1] * 30, "x": [1.5, 2.5, 3.5] * 20})
    said = {name: {"type": "nominal", "role": "quasi_identifier"} for name in "ab"}
    monkeypatch.setattr("microgauge.passes.classes.MOST_CLASSES", 50)
    whole = microgauge.assess(frame, frame, schema={"variable": said}, only=["risk"])
    assert whole.risk.classes_total == 60  # one batch: nothing had to be added up
    batches = Local._batches
    monkeypatch.setattr(Local, "_batches", lambda self, axes, size: batches(self, axes, 16))
    found = microgauge.assess(frame, frame, schema={"variable": said}, only=["risk", "rut"])
    assert found.risk is None
    assert any("more than 50 classes" in note for note in found.notes)


def test_where_rows_are_not_matched_records_are_not_called_people():
    original = make_survey(300, 2)[["region", "sex", "age", "income"]]
    keys = {"variable": {name: {"role": "quasi_identifier"} for name in ("region", "sex", "age")}}
    strangers = make_survey(300, 3)[["region", "sex", "age", "income"]]
    apart = microgauge.assess(original, strangers, schema=keys, only=["verdict", "risk"])
    assert not apart.inputs.alignment.aligned
    first, stories = apart.presenter.report(apart, "internal", 10)[-1].blocks[:2]
    assert first.text.startswith("These figures look at the released file by itself and treat each")
    assert f"the risk that the verdict names ({apart.verdict.risk:.3f})" in first.text
    assert dict(stories.rows)["class risk"].endswith("if each record were a person")
    assert "treat each of its records as if it were a person" in " ".join(apart.long_text().split())
    classes = keys | {"risk": {"measure": "classes"}}
    by_classes = microgauge.assess(original, strangers, schema=classes, only=["verdict", "risk"])
    assert "the risk that the verdict names" not in by_classes.long_text()
    matched = microgauge.assess(
        original,
        perturb(original, 0.2),
        schema=keys | {"options": {"aligned": True}},
        only=["risk"],
    )
    assert "as if it were a person" not in " ".join(matched.long_text().split())
    assert "if each record were a person" not in " ".join(matched.long_text().split())
