"""What changes no figure, what can only be best, and what never happens."""

import math
from dataclasses import fields, is_dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge import InputError
from microgauge.engines.local import Local
from support.figures import assert_same_figures, assess, figures, score, seeds, variable
from support.surveys import CONTINUOUS, ORDINAL, TYPES, make_survey, perturb, schema

pytestmark = pytest.mark.slow

strengths = st.sampled_from([0.0, 0.05, 0.3, 1.0])
shares = st.sampled_from([0.0, 0.1])

FEW = settings(max_examples=12, deadline=None)


def two_tables(seed, strength, missing, rows=90):
    """A survey and a protected version: noise, merged categories, banded and top-coded numbers."""
    original = make_survey(rows, seed, missing)
    protected = perturb(original, strength, seed)
    protected["education"] = protected["education"].replace({2: 1, 6: 5})
    top = original["income"].quantile(0.8)
    protected["income"] = original["income"].clip(upper=top)
    return original, protected


# -- what changes no figure ----------------------------------------------------------------------


@given(seeds, strengths, shares, st.integers(1, 100))
@FEW
def test_the_split_into_batches(seed, strength, missing, rows):
    original, protected = two_tables(seed, strength, missing)
    whole = assess(original, protected, schema=schema())
    batches = Local._batches
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Local, "_batches", lambda self, axes, size: batches(self, axes, rows))
        split = assess(original, protected, schema=schema())
    assert_same_figures(whole, split)


@given(seeds, strengths, shares)
@FEW
def test_the_split_into_batches_of_sums(seed, strength, missing):
    original, protected = two_tables(seed, strength, missing)
    whole = assess(original, protected, schema=schema())
    batches = Local._batches
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microgauge.sections.gdu.pairs.SMALL_TABLE", 1)
        patch.setattr(Local, "_batches", lambda self, axes, size: batches(self, axes, 13))
        split = assess(original, protected, schema=schema())
    assert_same_figures(whole, split)


@given(seeds, strengths, shares)
@FEW
def test_both_tables_rows_permuted_together(seed, strength, missing):
    original, protected = two_tables(seed, strength, missing)
    order = np.random.default_rng(seed).permutation(len(original))
    plain = assess(original, protected, schema=schema())
    moved = assess(original.iloc[order], protected.iloc[order], schema=schema())
    assert_same_figures(plain, moved)
    assert plain.inputs.alignment.aligned == moved.inputs.alignment.aligned
    for name in original:
        assert variable(plain, name) == variable(moved, name)


@given(seeds, strengths, shares, st.permutations(list(TYPES)), st.permutations(list(TYPES)))
@FEW
def test_columns_reordered(seed, strength, missing, order, other_order):
    original, protected = two_tables(seed, strength, missing)
    plain = assess(original, protected, schema=schema())
    assert_same_figures(plain, assess(original[order], protected[other_order], schema=schema()))


NAMES = ["b", "A", "10-19", "3.0", "true", "NA", "zz top", "é", "90+", "(missing)"]


@given(seeds, strengths, shares, st.permutations(NAMES), st.permutations(NAMES))
@FEW
def test_categories_renamed_on_both_sides(seed, strength, missing, regions, grades):
    original = make_survey(90, seed, missing)
    protected = perturb(original, strength, seed)
    plain = assess(original, protected, schema=schema())
    region = dict(zip(["north", "east", "south", "west"], regions, strict=False))
    grade = dict(zip([1, 2, 3, 4, 5, 6], grades, strict=False))
    renamed = [
        t.assign(region=t["region"].map(region), education=t["education"].map(grade))
        for t in (original, protected)
    ]
    said = schema({"education": {"order": [grade[i] for i in range(1, 7)]}})
    assert_same_figures(plain, assess(*renamed, schema=said))


@given(seeds, st.permutations(["a", "b", "c", "d"]), st.permutations(["x", "y", "z"]))
@FEW
def test_merged_categories_renamed_with_their_map(seed, before, after):
    original = make_survey(90, seed)
    merge = {"north": 0, "east": 0, "south": 1, "west": 2}
    old = dict(zip(merge, before, strict=True))
    results = []
    for names, targets in ((dict.fromkeys(merge), None), (old, after)):
        source = {name: names[name] or name for name in merge}
        target = targets or ["u", "v", "w"]
        mapping = {source[name]: target[i] for name, i in merge.items()}
        table = original.assign(region=original["region"].map(source))
        protected = table.assign(region=table["region"].map(mapping))
        said = schema({"region": {"recode": {"map": mapping}}})
        results.append(assess(table, protected, schema=said))
    assert_same_figures(*results)


@given(seeds, strengths, shares, st.sampled_from([1e-6, 0.1, 7.0, 1e9]))
@FEW
def test_numbers_times_a_constant(seed, strength, missing, factor):
    original, protected = two_tables(seed, strength, missing)
    scaled = [
        t.assign(**{name: t[name] * factor for name in CONTINUOUS}) for t in (original, protected)
    ]
    plain = assess(original, protected, schema=schema())
    assert_same_figures(plain, assess(*scaled, schema=schema()), rel=1e-7)


@given(seeds, strengths, shares)
@FEW
def test_ordinal_codes_moved_apart(seed, strength, missing):
    # Only the order of ordinal codes counts.
    original, protected = two_tables(seed, strength, missing)
    moved = [
        t.assign(**{name: t[name] ** 3 - 10 for name in ORDINAL}) for t in (original, protected)
    ]
    assert_same_figures(
        assess(original, protected, schema=schema()), assess(*moved, schema=schema())
    )


@given(seeds, strengths, shares, st.sampled_from([1.0, 3.0, 0.1]))
@FEW
def test_equal_weights(seed, strength, missing, weight):
    original, protected = two_tables(seed, strength, missing)
    plain = assess(original, protected, schema=schema())
    weighted = [t.assign(weight=weight) for t in (original, protected)]
    assert_same_figures(plain, assess(*weighted, schema=schema(weight="weight")))


@given(seeds, strengths, shares)
@FEW
def test_weights_times_seven(seed, strength, missing):
    rng = np.random.default_rng(seed)
    tables = [t.assign(weight=rng.uniform(0.2, 5, 90)) for t in two_tables(seed, strength, missing)]
    plain = assess(*tables, schema=schema(weight="weight"))
    times = [t.assign(weight=t["weight"] * 7) for t in tables]
    assert_same_figures(plain, assess(*times, schema=schema(weight="weight")))


@given(seeds, strengths)
@FEW
def test_the_same_input_gives_the_same_bits(seed, strength):
    tables = two_tables(seed, strength, 0.1)
    first, second = (figures(assess(*tables, schema=schema())) for _ in range(2))
    assert first == second


def test_types_of_tables_do_not_matter(survey, tmp_path):
    polars = pytest.importorskip("polars")
    protected = perturb(survey, 0.3)
    plain = assess(survey, protected, schema=schema())
    frames = [polars.DataFrame({n: t[n].to_list() for n in t}) for t in (survey, protected)]
    assert_same_figures(plain, assess(*frames, schema=schema()), rel=1e-12)
    paths = [tmp_path / name for name in ("o.csv", "p.csv")]
    for frame, path in zip((survey, protected), paths, strict=True):
        frame.to_csv(path, index=False)
    assert_same_figures(plain, assess(*paths, schema=schema()), rel=1e-12)


# -- what is best --------------------------------------------------------------------------------


@given(seeds, shares, st.integers(12, 120))
@FEW
def test_identical_files_score_best(seed, missing, rows):
    original = make_survey(rows, seed, missing)
    result = assess(original, original.copy(), schema=schema())
    best = 1 - math.exp(-14)
    assert all(v.utility == best for v in result.gdu.variables if v.utility is not None)
    assert all(p.utility == 1.0 for p in result.gdu.pairs if p.utility is not None)
    assert {v.recoding for v in result.variables} == {None}


@given(seeds, st.sampled_from([0.05, 0.3, 1.0]))
@FEW
def test_no_protected_file_beats_the_original(seed, strength):
    original = make_survey(90, seed)
    best = assess(original, original.copy(), schema=schema()).gdu
    other = assess(original, perturb(original, strength, seed), schema=schema()).gdu
    assert other.univariate <= best.univariate
    assert other.bivariate <= best.bivariate


def test_more_noise_never_scores_better_by_much():
    # A single file can be lucky; the mean over files cannot.
    means = []
    for strength in (0.0, 0.1, 0.3, 0.7, 1.5):
        values = []
        for seed in range(12):
            original = make_survey(200, seed)
            values.append(assess(original, perturb(original, strength, seed), schema=schema()))
        means.append(np.mean([result.gdu.value for result in values]))
    assert all(after <= before + 0.02 for before, after in pairwise(means))
    assert means[0] > 0.999
    assert means[-1] < 0.7


def test_coarser_bands_score_worse():
    ages = pd.DataFrame({"age": np.random.default_rng(0).integers(18, 90, 500)})
    utilities = []
    for width in (2, 5, 10, 20, 45):
        bands = [f"{a}-{a + width - 1}" for a in ages["age"] // width * width]
        result = assess(ages, ages.assign(age=bands))
        utilities.append(score(result, "age").utility)
    assert utilities == sorted(utilities, reverse=True)
    assert utilities[0] > utilities[-1]


# -- what never happens --------------------------------------------------------------------------


values = {
    "codes": st.integers(1, 4),
    "numbers": st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 2)),
    "text": st.sampled_from(["a", "b", "c", "NA", "x y", "1", "2.0"]),
    "bands": st.sampled_from(["0-9", "10-19", "20+", "<0"]),
    "flags": st.booleans(),
    "constant": st.just(3),
    "nothing": st.none(),
}


@st.composite
def strange_tables(draw):
    """Two tables of a few rows with columns of any kind, alike or not."""
    names = ["p", "q", "r"][: draw(st.integers(1, 3))]
    tables = []
    sizes = draw(st.integers(1, 25)), draw(st.integers(1, 25))
    if draw(st.booleans()):
        sizes = (sizes[0], sizes[0])
    kinds = {name: draw(st.sampled_from(list(values))) for name in names}
    for rows in sizes:
        columns = {}
        for name in names:
            kind = kinds[name] if draw(st.integers(0, 3)) else draw(st.sampled_from(list(values)))
            cells = draw(
                st.lists(
                    st.one_of(values[kind], values[kind], st.none()), min_size=rows, max_size=rows
                )
            )
            columns[name] = pd.Series(cells, dtype=object)
        tables.append(pd.DataFrame(columns))
    options = {
        "missing": draw(st.sampled_from(["drop", "category"])),
        "changed_types": draw(st.sampled_from(["harmonise", "exclude"])),
    }
    if draw(st.booleans()):
        options["test_n"] = draw(st.integers(4, 30))
    if draw(st.booleans()):
        options["weight"] = "w"
        for table in tables:
            weight = st.lists(st.integers(0, 5), min_size=len(table), max_size=len(table))
            table["w"] = draw(weight.filter(any))
    said = {}
    for name in names:
        kind = draw(st.sampled_from([None, "nominal", "ordinal", "continuous"]))
        said[name] = {"type": kind} if kind else {}
    return (*tables, {"options": options, "variable": said})


def nulls_without_reason(record, path=""):
    """Scores that are null although nothing beside them says why; figures that are no numbers."""
    faults = []
    for entry in fields(record):
        found = getattr(record, entry.name)
        here = f"{path}.{entry.name}"
        if isinstance(found, float) and not math.isfinite(found):
            faults.append(f"{here} = {found}")
        if entry.name in ("utility", "value") and found is None and not record.reason:
            faults.append(f"{here} is null without a reason")
        bounded = entry.name.endswith(("utility", "value", "coefficient_original"))
        if bounded and found is not None and not -1e-9 <= found <= 1 + 1e-9:
            faults.append(f"{here} = {found}")
        if is_dataclass(found):
            faults += nulls_without_reason(found, here)
        if isinstance(found, tuple):
            for part in found:
                if is_dataclass(part):
                    faults += nulls_without_reason(part, here)
    return faults


@pytest.mark.slow
@given(strange_tables())
@settings(max_examples=200, deadline=None)
def test_strange_tables_give_figures_or_reasons(tables):
    original, protected, said = tables
    try:
        result = assess(original, protected, schema=said)
    except InputError:
        return
    assert nulls_without_reason(result.gdu) == []


def test_pairs_do_not_depend_on_other_columns(survey):
    protected = perturb(survey, 0.3)
    whole = assess(survey, protected, schema=schema())
    names = ["age", "region"]
    said = {"variable": {name: {"type": TYPES[name]} for name in names}}
    alone = assess(survey[names], protected[names], schema=said)
    one, other = (figures(result) for result in (alone, whole))
    figures_of_pair = [key for key in one if key[0] == "age-region"]
    assert len(figures_of_pair) == 10
    assert all(one[key] == other[key] for key in figures_of_pair)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_ranks_out_of_rows_tables_and_scores_are_the_same(missing, monkeypatch):
    """Few rows are ranked as they are, others by tables or by sums of scores: to the last bit."""
    from microgauge.sections.gdu import pairs

    original, protected = two_tables(4, 0.3, missing, rows=300)

    def ranked():
        found = assess(original, protected, only=["gdu"]).gdu.pairs
        return [pair for pair in found if pair.test in pairs.RANKED]

    by_rows = ranked()
    assert {pair.test for pair in by_rows} == set(pairs.RANKED)
    monkeypatch.setattr(pairs, "SHARED_ROWS", 0)
    by_tables = ranked()
    monkeypatch.setattr(pairs, "SMALL_TABLE", 0)
    assert by_rows == by_tables == ranked()
