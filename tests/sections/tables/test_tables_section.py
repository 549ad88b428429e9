"""Tables of two and three variables: by plain loops, by laws, and where nothing is to be told."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge import InputError
from microgauge.results.blocks import Ruler, Sentence
from microgauge.sections.tables.report import report
from microgauge.sections.tables.words import words
from support.batches import in_batches
from support.figures import approx
from support.surveys import make_survey, perturb, with_holes


def tables_of(original, protected, *, variable=None, tables=None, **options):
    schema = {"options": options, "variable": variable or {}, "tables": tables or {}}
    result = microgauge.assess(original, protected, schema=schema, only=["tables"])
    json.dumps(result.to_dict()["tables"], allow_nan=False)
    return result.tables


# -- by plain loops ------------------------------------------------------------------------------


def quantile_group(values, groups=10):
    """A function that says in which group of the values a number is."""
    known = sorted(v for v in values if v is not None)
    borders = []
    for i in range(1, groups):
        for v in known:
            if sum(1 for k in known if k <= v) * groups >= i * len(known):
                # Half way to the next value; none beyond the last.
                above = [k for k in known if k > v]
                borders += [(v + min(above)) / 2.0] if above else []
                break
    return lambda v: None if v is None else sum(1 for b in set(borders) if b < v)


def brute(original, protected, numbers, names=None):
    """1 - half the sum of differences of shares, mean over all pairs of columns."""
    names = names or sorted(original)
    coded = ({}, {})
    for name in names:
        group = quantile_group(original[name]) if name in numbers else lambda v: v
        for place, table in enumerate((original, protected)):
            coded[place][name] = [group(v) for v in table[name]]
    scores = {}
    for a, b in combinations(names, 2):
        sides = [Counter(zip(c[a], c[b], strict=True)) for c in coded]
        totals = [sum(side.values()) for side in sides]
        cells = set(sides[0]) | set(sides[1])
        l1 = sum(abs(sides[0][x] / totals[0] - sides[1][x] / totals[1]) for x in cells)
        scores[a, b] = 1.0 - l1 / 2.0
    return scores


def with_none(values, holes):
    return [None if hole else value for value, hole in zip(values, holes, strict=True)]


def mixed(rng, rows):
    """Two categories, two numbers, missing cells in some of each."""
    holes = rng.random((2, rows)) < 0.1
    return {
        "a": [str(v) for v in rng.choice(["x", "y", "z"], rows)],
        "b": [
            None if h else str(v)
            for v, h in zip(rng.choice(["p", "q"], rows), holes[0], strict=True)
        ],
        "c": rng.integers(0, 50, rows).tolist(),
        "d": [
            None if h else float(v)
            for v, h in zip(rng.gamma(1.0, size=rows), holes[1], strict=True)
        ],
    }


KINDS = {n: {"type": "nominal"} for n in "ab"} | {n: {"type": "continuous"} for n in "cd"}


def test_a_little_noise_on_few_values_moves_nothing():
    rng = np.random.default_rng(3)
    original = {n: rng.integers(1, 7, 400).tolist() for n in "ab"}
    protected = {n: [v + rng.uniform(-0.3, 0.3) for v in c] for n, c in original.items()}
    numbers = {n: {"type": "continuous"} for n in "ab"}
    tables = [pl.DataFrame(one) for one in (original, protected)]
    assert tables_of(*tables, variable=numbers).value == 1.0


class TestKMarginal:
    """The mean over tables is its definition."""

    @pytest.mark.parametrize("seed", range(6))
    def test_is_its_definition(self, seed):
        rng = np.random.default_rng(seed)
        original, protected = mixed(rng, 90), mixed(rng, 70)
        found = tables_of(pl.DataFrame(original), pl.DataFrame(protected), variable=KINDS)
        expected = brute(original, protected, "cd")
        assert found.value == found.score == approx(np.mean(list(expected.values())))
        assert found.k_marginal == approx(1000 * found.value)
        assert {t.variables: t.score for t in found.worst} == approx(expected)
        for v in found.variables:
            own = [score for pair, score in expected.items() if v.name in pair]
            assert v.value == approx(np.mean(own))

    def test_within_groups_is_the_mean_over_groups(self):
        rng = np.random.default_rng(4)
        original, protected = mixed(rng, 200), mixed(rng, 150)
        found = tables_of(
            pl.DataFrame(original), pl.DataFrame(protected), variable=KINDS, tables={"by": "a"}
        )
        group = {n: quantile_group(original[n]) for n in "cd"}
        scores = []
        for area in "xyz":
            sides = []
            for table in (original, protected):
                here = [i for i, v in enumerate(table["a"]) if v == area]
                part = {n: [table[n][i] for i in here] for n in "bcd"}
                for n in "cd":
                    part[n] = [group[n](v) for v in part[n]]
                sides.append(part)
            scores += brute(*sides, "").values()
        assert found.k_marginal == approx(1000 * np.mean(scores))

    def test_of_three_variables(self):
        rng = np.random.default_rng(5)
        table = {n: rng.choice(list("uvw"), 80).tolist() for n in "abc"}
        other = {n: rng.choice(list("uvw"), 80).tolist() for n in "abc"}
        found = tables_of(
            pl.DataFrame(table), pl.DataFrame(other), tables={"ways": 3}, aligned=False
        )
        sides = [Counter(zip(*t.values(), strict=True)) for t in (table, other)]
        l1 = sum(abs(sides[0][x] - sides[1][x]) for x in {*sides[0], *sides[1]}) / 80
        assert found.tables == 1
        assert found.value == approx(1 - l1 / 2)

    def test_weights_count_as_rows(self):
        rng = np.random.default_rng(6)
        original, protected = mixed(rng, 60), mixed(rng, 60)
        weights = rng.integers(1, 4, 60)
        frames = [pl.DataFrame(t).with_columns(w=pl.Series(weights)) for t in (original, protected)]
        repeated = [f.drop("w")[np.repeat(np.arange(60), weights)] for f in frames]
        for aligned in (True, False):
            found = tables_of(*frames, variable=KINDS, weight="w", aligned=aligned)
            assert found.value == approx(tables_of(*repeated, variable=KINDS, aligned=False).value)

    def test_declared_breaks_are_the_groups(self):
        original = pl.DataFrame({"a": [1, 5, 20, 60] * 10, "b": list("xxyy") * 10})
        protected = pl.DataFrame({"a": [4, 17, 18, 99] * 10, "b": list("xxyy") * 10})
        kinds = {"a": {"type": "continuous"}}
        found = tables_of(
            original, protected, variable=kinds, tables={"groups": {"a": [18, 65]}}, aligned=False
        )
        # 60 is in 18-64 and became 99: one of four units.
        assert found.value == approx(0.75)


# -- laws ----------------------------------------------------------------------------------------


def survey(rows=300):
    return with_holes(make_survey(rows), 0.05, np.random.default_rng(1))


class TestLaws:
    """What must hold whatever the tables."""

    def test_identical_files_score_one(self):
        found = tables_of(survey(), survey())
        assert found.value == found.one_way == found.sample_share == 1.0
        assert found.replicates == (1.0,) * 30
        assert found.standard_error == 0.0
        assert all(t.pmse_ratio == approx(0.0) for t in found.worst)

    @pytest.mark.parametrize("aligned", [True, False])
    def test_rows_and_columns_in_any_order(self, aligned):
        original, protected = survey(), perturb(survey(), 0.3)
        order = np.random.default_rng(3).permutation(len(original))
        other = order if aligned else np.random.default_rng(4).permutation(len(order))
        first = tables_of(original, protected, aligned=aligned)
        shuffled = original.iloc[order, ::-1], protected.iloc[other, ::-1]
        second = tables_of(*shuffled, aligned=aligned)
        assert second.value == approx(first.value)
        assert second.replicates == approx(first.replicates)
        assert second.sample_share == approx(first.sample_share)

    def test_categories_of_other_names(self):
        original, protected = survey(), perturb(survey(), 0.3)
        names = {"north": "d", "east": "c", "south": "b", "west": "a"}
        renamed = [f.assign(region=f["region"].map(names)) for f in (original, protected)]
        first, second = tables_of(original, protected), tables_of(*renamed)
        assert second.value == approx(first.value)
        assert second.replicates == approx(first.replicates)

    @pytest.mark.parametrize("rows", [7, 100])
    def test_batches_are_the_whole(self, rows):
        original, protected = survey(), perturb(survey(), 0.3)
        whole = tables_of(original, protected)
        with in_batches(rows):
            parts = tables_of(original, protected)
        assert parts.value == approx(whole.value)
        assert parts.replicates == approx(whole.replicates)

    def test_replicates_are_files_without_a_group(self):
        original, protected = survey(), perturb(survey(), 0.3)
        found = tables_of(original, protected, aligned=True)
        assert len(found.replicates) == 30
        assert np.mean(found.replicates) == pytest.approx(found.value, abs=0.01)
        low, high = found.value_ci
        assert low < found.value < high

    def test_the_error_is_that_of_drawing_units_anew(self):
        big = make_survey(20_000)
        noisy = perturb(big, 0.5)
        rng = np.random.default_rng(1)
        values, errors = [], []
        for _ in range(30):
            here = rng.choice(len(big), 2_000, replace=False)
            found = tables_of(big.iloc[here], noisy.iloc[here], aligned=True)
            values.append(found.value)
            errors.append(found.standard_error)
        assert 0.5 < np.mean(errors) / np.std(values, ddof=1) < 2.0

    def test_reference_points(self):
        original = make_survey(2_000)
        rng = np.random.default_rng(2)
        permuted = original.apply(lambda column: rng.permutation(column))
        drawn = [original.iloc[rng.integers(0, 2_000, 2_000)] for _ in range(5)]
        found = tables_of(original, permuted, aligned=False)
        assert found.permuted == pytest.approx(found.value, abs=0.003)
        values = [tables_of(original, one, aligned=False).value for one in drawn]
        assert found.resample == pytest.approx(np.mean(values), abs=0.003)
        for v in found.variables:
            assert v.permuted == pytest.approx(v.value, abs=0.01)
            assert v.resample > v.permuted

    def test_a_sample_is_as_good_as_itself(self):
        original = make_survey(3_000)
        for share in (0.2, 0.6):
            shares = [
                tables_of(original, original.sample(frac=share, random_state=s)).sample_share
                for s in range(4)
            ]
            assert np.mean(shares) == pytest.approx(share, rel=0.1)


def banded(numbers, width):
    low = numbers // width * width
    return [f"{a:.0f}-{a + width - 1:.0f}" for a in low]


def coarser():
    """Files of which each is coarser than the one before, from the original to removal."""
    original = make_survey(400)[["region", "sex", "education", "age", "income", "health"]]
    yield (
        "bands",
        original,
        [
            original,
            *(original.assign(age=banded(original["age"], width)) for width in (2, 4, 8, 24, 96)),
            original.drop(columns="age"),
        ],
    )
    yield (
        "floors",
        original,
        [
            original,
            *(original.assign(income=original["income"] // u * u) for u in (5, 50, 500, 2_500)),
            original.drop(columns="income"),
        ],
    )
    yield (
        "tops",
        original,
        [
            original,
            *(original.assign(age=original["age"].clip(upper=top)) for top in (80, 65, 50, 35, 20)),
            original.drop(columns="age"),
        ],
    )
    steps = [{}, {"east": "n", "north": "n"}, {"south": "s", "west": "s"}]
    merged = [original]
    for step in steps[1:]:
        merged.append(merged[-1].assign(region=merged[-1]["region"].replace(step)))
    merged.append(merged[-1].assign(region="all"))
    yield "merged", original, [*merged, original.drop(columns="region")]
    both = [original]
    for width, top in ((5, 4), (10, 3), (20, 2)):
        least = original["education"].clip(upper=top)
        both.append(original.assign(age=banded(original["age"], width), education=least))
    yield "both", original, both


@pytest.mark.parametrize("case", list(coarser()), ids=lambda case: case[0])
def test_no_score_rises_when_a_variable_is_coarsened_or_removed(case):
    _, original, files = case
    kinds = {n: {"type": "ordinal"} for n in ("education", "health")} | {"sex": {"type": "nominal"}}
    found = [tables_of(original, file, variable=kinds, aligned=True) for file in files]
    for before, after in pairwise(found):
        assert after.value <= before.value + 1e-12
        assert after.k_marginal <= before.k_marginal + 1e-9
        assert after.one_way <= before.one_way + 1e-12
        was = {v.name: (v.value, v.one_way) for v in before.variables}
        for v in after.variables:
            assert v.value <= was[v.name][0] + 1e-12
            assert v.one_way <= was[v.name][1] + 1e-12
        pairs = {t.variables: t.score for t in before.worst}
        assert all(t.score <= pairs[t.variables] + 1e-12 for t in after.worst)
    assert found[-1].value < found[0].value == 1.0


@pytest.mark.parametrize("seed", range(12))
def test_no_score_rises_on_random_merges(seed):
    rng = np.random.default_rng(seed)
    rows = 240
    table = {n: rng.choice(list("abcdefg"), rows, p=rng.dirichlet(np.ones(7))) for n in ("u", "v")}
    table["w"] = rng.choice(list("xyz"), rows)
    original = pl.DataFrame({n: c.tolist() for n, c in table.items()})
    goes = {n: {c: c for c in "abcdefg"} for n in ("u", "v")}
    before = 1.0
    for _ in range(8):
        name = str(rng.choice(["u", "v"]))
        left = sorted(set(goes[name].values()))
        if len(left) < 2:
            continue
        a, b = rng.choice(left, 2, replace=False)
        goes[name] = {k: str(a + b) if v in (a, b) else v for k, v in goes[name].items()}
        protected = original.with_columns(pl.col(n).replace(m) for n, m in goes.items())
        variable = {n: {"recode": {"map": m}} for n, m in goes.items()}
        value = tables_of(original, protected, variable=variable, aligned=False).value
        assert value <= before + 1e-12
        before = value
    assert before < 1.0


# -- spreading -----------------------------------------------------------------------------------


def test_a_band_is_spread_over_the_values_it_covers():
    original = pl.DataFrame({"a": list("xxxxyyzzzz"), "b": list("kkkkkkkkkk")})
    protected = pl.DataFrame({"a": ["xy"] * 6 + ["z"] * 4, "b": list("kkkkkkkkkk")})
    goes = {"x": "xy", "y": "xy", "z": "z"}
    [table] = tables_of(original, protected, variable={"a": {"recode": {"map": goes}}}).worst
    assert table.moved == table.recoding == approx(0.1)  # 0.4 and 0.2 became 0.3 and 0.3
    protected = protected.with_columns(a=pl.Series(["xy"] * 8 + ["z"] * 2))
    [table] = tables_of(original, protected, variable={"a": {"recode": {"map": goes}}}).worst
    assert table.moved == approx(0.1 + 0.2)


def test_values_that_the_original_lacks_are_in_no_cell_of_it():
    original = pl.DataFrame({"a": list("xxyy") * 10, "b": list("klkl") * 10})
    protected = original.with_columns(pl.col("a").replace({"y": "?"}))
    found = tables_of(original, protected, aligned=False)
    assert found.value == approx(0.5)


def test_suppressed_cells_are_a_cell_of_their_own():
    original = pl.DataFrame({"a": list("xxyy") * 10, "b": list("klkl") * 10})
    protected = original.with_columns(a=pl.Series([None, "x", "y", "y"] * 10))
    assert tables_of(original, protected).value == approx(0.75)


# -- removed, undefined --------------------------------------------------------------------------


def test_a_removed_variable_scores_zero():
    original = make_survey(100)[["region", "sex", "age"]]
    found = tables_of(original, original.drop(columns="age"))
    scores = {v.name: v for v in found.variables}
    assert scores["age"].value == scores["age"].one_way == 0.0
    assert scores["age"].removed
    assert scores["sex"].value == approx(0.5)
    assert found.value == approx(1 / 3)
    assert found.resample > found.permuted > 0.5
    assert {t.reason for t in found.worst if "age" in t.variables} == {"removed: age"}


def test_what_a_removed_variable_does_to_the_figures_is_said_where_they_are():
    original = make_survey(400)[["region", "sex", "age", "income"]]
    protected = original.drop(columns="age")
    result = microgauge.assess(original, protected, only=["verdict", "tables"])
    long = " ".join(result.long_text().split())
    assert "age: 3 of 6 tables can no longer be made and count as lost; the" in long
    left = re.search(
        r"the tables that are left agree in (\S+ %) of units, those of a resample would in "
        r"(\S+ %), of permuted columns in (\S+ %)",
        long,
    )
    # The verdict says the same figures of the same tables.
    assert all(said in result.verdict.useful.sentence for said in left.groups())
    assert "with the removed variable counted as lost; expected of a resample" in long
    (group,) = report(result.tables)
    drawn = next(block for block in group.blocks if isinstance(block, Ruler))
    assert dict(drawn.points)["its tables that are left"] == 1.0
    assert "the removed variable counted as lost in this file only" in drawn.heading
    said = [block.text for block in group.blocks if isinstance(block, Sentence)]
    assert said == [
        'Tables with age, which was removed, count as lost under "its tables", and do not under '
        '"permuted" and "resample".'
    ]


def test_tables_are_told_without_removed_variables_where_there_are_none():
    original = make_survey(100)[["region", "sex", "age"]]
    (group,) = report(tables_of(original, original))
    drawn = next(block for block in group.blocks if isinstance(block, Ruler))
    assert "its tables that are left" not in dict(drawn.points)
    assert not [block for block in group.blocks if isinstance(block, Sentence)]
    gone = tables_of(original, original[["age"]])
    told = dict(words(gone)[0].rows)
    assert told["removed"] == (
        "region, sex: 3 of 3 tables can no longer be made and count as lost; no table is left"
    )


def test_worse_than_any_sample_is_said_so():
    original = pl.DataFrame({"a": list("xxxy") * 10, "b": list("kkkl") * 10})
    protected = pl.DataFrame({"a": list("????") * 10, "b": list("????") * 10})
    result = microgauge.assess(original, protected, only=["tables"])
    assert result.tables.sample_share is None
    assert "single unit" in result.tables.reason
    assert "one of a single unit would score higher" in " ".join(str(result).split())


def test_one_variable_makes_no_table():
    original = pl.DataFrame({"a": list("xxyy") * 10})
    result = microgauge.assess(original, original, only=["tables"])
    found = result.tables
    assert found.value is found.k_marginal is found.sample_share is found.permuted is None
    assert found.reason == "there is one variable, and a table takes two"
    assert [v.one_way for v in found.variables] == [1.0]
    assert "No table is compared" in str(result)


def test_rows_that_are_all_alike_have_no_replicates():
    original = pl.DataFrame({"a": ["x"] * 30, "b": ["k"] * 30})
    found = tables_of(original, original)
    assert found.value == 1.0
    assert found.replicates == ()
    assert "replicates" in found.reason


def test_rows_of_few_kinds_have_no_standard_error():
    rng = np.random.default_rng(1)
    original = pl.DataFrame({n: rng.choice(list("xy"), 500).tolist() for n in "abc"})
    protected = original.with_columns(a=pl.Series(rng.choice(list("xy"), 500).tolist()))
    found = tables_of(original, protected)
    assert found.standard_error is found.value_ci is None
    assert "too many rows are alike" in found.reason
    numbered = tables_of(
        *(f.with_columns(n=pl.Series(rng.permutation(500))) for f in (original, protected)),
        variable={"n": {"role": "id"}},
        aligned=True,
    )
    assert numbered.value == approx(found.value)
    assert 0.0 < numbered.standard_error < 0.05


def test_groups_that_were_merged_have_no_k_marginal():
    original = make_survey(100)[["region", "sex", "age"]]
    protected = original.assign(region=original["region"].replace({"east": "north"}))
    found = tables_of(original, protected, tables={"by": "region"}, aligned=True)
    assert found.k_marginal is None
    assert 'the groups of "region" were merged' in found.reason


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"ways": 4}, "ways must be 2 or 3"),
        ({"groups": 1}, "from 2 to 100"),
        ({"groups": {"age": [3, 2]}}, "numbers that rise"),
        ({"groups": {"region": [1]}}, "breaks needs numbers"),
        ({"by": "regoin"}, 'Did you mean "region"?'),
    ],
)
def test_faults(tables, said):
    original = make_survey(50)
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        tables_of(original, original, tables=tables)


def test_frame_and_report():
    original = make_survey(200)
    result = microgauge.assess(original, perturb(original, 0.3), only=["tables"])
    frame = result.tables_table()
    assert len(frame) == result.tables.tables == 28
    moved = frame["moved"].round(9).to_list()
    assert moved == sorted(moved, reverse=True)
    page = result.report()
    assert "The worst tables" in page
