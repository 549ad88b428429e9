"""The panel's list of pairs, its protections, and how figures become scores."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def panel(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import panel

    return panel


@pytest.fixture
def iris(panel):
    from benchmarks.panel.datasets import named

    return named("iris")


def made(iris, name, seed=3):
    from benchmarks.panel.listed import PROTECTIONS

    return PROTECTIONS[name].make(iris, seed)


# -- the list ----------------------------------------------------------------------------------


def test_pairs_name_protections_and_say_why(panel):
    from benchmarks.panel.listed import PROTECTIONS
    from benchmarks.panel.pairs import read_pairs

    pairs = [pair for kind in ("risk", "utility") for pair in read_pairs(kind)]
    assert max(Counter((pair.kind, pair.a, pair.b) for pair in pairs).values()) == 1
    for pair in pairs:
        assert {pair.a, pair.b} <= set(PROTECTIONS), pair
        assert pair.a != pair.b
        assert pair.why


@pytest.mark.parametrize("kind", ["risk", "utility"])
def test_there_are_enough_pairs_and_half_are_neighbours(panel, kind):
    from benchmarks.panel.pairs import read_pairs

    pairs = read_pairs(kind)
    assert len(pairs) >= 25
    assert sum(pair.neighbours for pair in pairs) >= len(pairs) / 2


def test_pairs_go_one_way(panel):
    """A list that said a ≥ b ≥ … ≥ a would contradict itself."""
    from graphlib import TopologicalSorter

    from benchmarks.panel.pairs import read_pairs

    for kind in ("risk", "utility"):
        after: dict[str, set[str]] = {}
        for pair in read_pairs(kind):
            after.setdefault(pair.b, set()).add(pair.a)
        TopologicalSorter(after).prepare()


def test_neighbours_have_nothing_between_them(panel):
    from benchmarks.panel.pairs import read_pairs

    for kind in ("risk", "utility"):
        pairs = read_pairs(kind)
        below: dict[str, set[str]] = {}
        for pair in pairs:
            below.setdefault(pair.a, set()).add(pair.b)
        for pair in pairs:
            further = set().union(*(reached(below, name) for name in below[pair.a]))
            assert not (pair.neighbours and pair.b in further), pair.name


def reached(below, name):
    """All that is below a protection, by however many steps."""
    here = below.get(name, set())
    return here.union(*(reached(below, one) for one in here))


# -- the data sets -----------------------------------------------------------------------------


def test_at_least_twelve_real_data_sets_with_keys_and_targets(panel):
    from benchmarks.panel.datasets import listed_names, named

    there = [data for name in listed_names() if (data := named(name)) is not None]
    assert len(there) >= 12
    for data in there:
        assert 3 <= len(data.keys) <= 6
        assert data.numbers, data.name
        assert data.targets, data.name
        assert not set(data.keys) & set(data.targets)
        assert {*data.keys, *data.targets} <= set(data.variables), data.name
        assert data.rows <= 5_000


# -- protections: the weaker one's distortion is part of the stronger one's --------------------


@pytest.mark.parametrize("family", [("swap5", "swap10", "swap30"), ("permute1", "permute_keys")])
def test_what_is_moved_stays_moved_alike(iris, family):
    frames = [made(iris, name) for name in family]
    for weak, strong in pairwise(frames):
        for key in iris.keys:
            before, first, then = (f[key].to_numpy() for f in (iris.frame, weak, strong))
            moved = first != before
            assert (then[moved] == first[moved]).all()
    assert (frames[-1][iris.keys[-1]] != frames[0][iris.keys[-1]]).any()


def test_swaps_move_the_share_they_say_and_keep_every_distribution(panel):
    from benchmarks.panel.protections import swapped_rows

    shares = (0.05, 0.1, 0.3, 1.0)
    rows = [swapped_rows(1_000, share, np.random.default_rng(1)) for share in shares]
    for share, found in zip(shares, rows, strict=True):
        assert (found != np.arange(1_000)).sum() == round(share * 1_000)
        assert (found[found] == np.arange(1_000)).all()


def test_suppressed_cells_are_nested_and_others_untouched(iris):
    frames = [made(iris, name) for name in ("suppress5", "suppress15", "suppress30")]
    for key in iris.keys:
        gone = [frame[key].is_null().to_numpy() for frame in frames]
        assert [int(g.sum()) for g in gone] == [8, 22, 45]
        for few, many in pairwise(gone):
            assert (many | ~few).all()
        kept = frames[-1][key].is_not_null()
        assert frames[-1][key].filter(kept).equals(iris.frame[key].filter(kept))


def test_samples_are_nested(iris):
    half, tenth = (set(made(iris, name)["unit"]) for name in ("sample50", "sample10"))
    assert (len(half), len(tenth)) == (75, 15)
    assert tenth < half


def test_noise_is_the_same_draw_times_a_factor(iris):
    for key in iris.numbers:
        small, large = (
            made(iris, name)[key].to_numpy() - iris.frame[key].to_numpy()
            for name in ("noise10", "noise100")
        )
        assert large == pytest.approx(10 * small)


@pytest.mark.parametrize(
    "family",
    [
        ("original", "round5", "round10", "round50"),
        ("original", "bands_fine", "bands_coarse"),
        ("original", "top90", "top60"),
    ],
)
def test_coarser_values_are_finer_ones_put_together(iris, family):
    frames = [made(iris, name) for name in family]
    for fine, coarse in pairwise(frames):
        for key in iris.numbers:
            assert len(set(zip(fine[key], coarse[key], strict=True))) == fine[key].n_unique()
        assert coarse.select(iris.keys).n_unique() < fine.select(iris.keys).n_unique()


@pytest.mark.parametrize(
    "family",
    [
        ("wide_round10", "wide_round50"),
        ("original", "wide_bands_fine", "wide_bands_coarse"),
        ("original", "named_bands_fine", "named_bands_coarse"),
        ("original", "wide_top90", "wide_top60"),
    ],
)
def test_all_numbers_become_coarser(iris, family):
    frames = [made(iris, name) for name in family]
    assert len(iris.all_numbers) == 4
    for fine, coarse in pairwise(frames):
        for name in iris.all_numbers:
            assert len(set(zip(fine[name], coarse[name], strict=True))) == fine[name].n_unique()
            assert coarse[name].n_unique() < fine[name].n_unique()


@pytest.mark.parametrize("name", ["swap10", "noise30", "suppress15", "bands_fine", "top90"])
def test_wide_files_distort_the_keys_alike_and_the_rest_too(iris, name):
    narrow, wide = made(iris, name), made(iris, f"wide_{name}")
    assert narrow.select(iris.keys).equals(wide.select(iris.keys))
    assert narrow["petal length (cm)"].equals(iris.frame["petal length (cm)"])
    assert not wide["petal length (cm)"].equals(iris.frame["petal length (cm)"])


@pytest.mark.parametrize("family", [("wide_swap5", "wide_swap10", "wide_swap30")])
def test_swaps_of_all_variables_stay(iris, family):
    frames = [made(iris, name) for name in family]
    for weak, strong in pairwise(frames):
        for name in iris.variables:
            before, first, then = (f[name].to_numpy() for f in (iris.frame, weak, strong))
            moved = first != before
            assert moved.any()
            assert (then[moved] == first[moved]).all()


def test_a_unit_is_at_most_a_hundredth_of_the_spread(panel):
    import polars as pl
    from benchmarks.panel.wide import unit_of

    assert unit_of(pl.Series(range(101))) == pytest.approx(0.5)
    assert unit_of(pl.Series([*range(101)] * 20 + [1_000_000])) == pytest.approx(0.5)
    assert unit_of(pl.Series([0] * 99 + [300])) == pytest.approx(2)
    assert unit_of(pl.Series([0.0, *[0.5] * 3, 1.0])) == pytest.approx(0.005)


def test_a_pair_is_broken_and_its_other_relations_stay(panel):
    """x goes with y most; a, b and c keep their groups of x, as x is permuted within them."""
    import polars as pl
    from benchmarks.panel.datasets import DataSet
    from benchmarks.panel.wide import pair_broken

    rng = np.random.default_rng(1)
    x = rng.normal(size=2_000)
    columns = {"x": x, "y": x + 0.1 * rng.normal(size=2_000)}
    columns |= {name: x + rng.normal(size=2_000) for name in "abc"}
    columns |= {"z": rng.normal(size=2_000)}
    frame = pl.DataFrame(columns).with_row_index("unit")
    data = DataSet("made", frame, ("x", "z"), ("y",), dict.fromkeys(columns, "continuous"))
    broken = pair_broken(data, 1)
    assert broken.drop("x").equals(frame.drop("x"))
    assert broken["x"].sort().equals(frame["x"].sort())

    def rank(table, other):
        return float(np.corrcoef(table["x"].to_numpy(), table[other].to_numpy())[0, 1])

    assert rank(frame, "y") > 0.99
    assert rank(broken, "y") < 0.75
    for other in "abc":
        assert abs(rank(broken, other) - rank(frame, other)) < 0.15


def test_declared_bands_say_what_letters_mean(iris):
    from benchmarks.panel.cases import Case
    from benchmarks.panel.listed import PROTECTIONS

    case = Case(iris, PROTECTIONS["named_bands_coarse"], 0)
    said = case.schema["variable"]["sepal length (cm)"]
    assert said["role"] == "quasi_identifier"
    assert said["recode"]["labels"][0] == "Z"
    assert set(case.protected["sepal length (cm)"]) <= set(said["recode"]["labels"])
    assert "recode" not in Case(iris, PROTECTIONS["original"], 0).schema["variable"]["target"]


def test_copies_are_the_first_records_of_the_resample(iris):
    whole, half, tenth, none = (
        made(iris, name) for name in ("resample", "copied50", "copied10", "independent")
    )
    assert half[:75].equals(whole[:75])
    assert tenth[:15].equals(whole[:15])
    assert tenth[15:].equals(none[15:])
    assert not tenth[:15].equals(none[:15])


def test_another_seed_draws_another_file(iris):
    from benchmarks.panel.listed import PROTECTIONS

    for name, protection in PROTECTIONS.items():
        assert made(iris, name, 1).equals(made(iris, name, 1)), name
        assert made(iris, name, 1).equals(made(iris, name, 2)) != protection.seeded, name


# -- scores ------------------------------------------------------------------------------------


def kept(name, seed, figures, patterns=None):
    from benchmarks.panel.keeping import Kept

    return Kept("iris", name, seed, 150, "risk", "", patterns or {}, 0.0, figures)


def compared(files, a, b, rises=True):
    from benchmarks.panel.pairs import Pair
    from benchmarks.panel.scores import compared

    pair = Pair("risk", a, b, True, "")
    return compared("iris", {(k.protection, k.seed): k for k in files}, [pair], "x", rises)


def test_right_tied_unknown_and_wrong(panel):
    files = [kept("a", 0, {"x": 0.5})]
    files += [kept("b", s, {"x": x}) for s, x in enumerate((0.4, 0.5, None, 0.6), start=1)]
    [one] = compared(files, "a", "b")
    assert one.points == [1.0, 0.5, 0.5, 0.0]
    assert (one.score, one.unknown) == (0.5, 1)
    [other] = compared(files, "a", "b", rises=False)
    assert other.points == [0.0, 0.5, 0.5, 1.0]


def test_without_chance_a_pair_counts_once_and_not_if_nothing_was_distorted(panel):
    files = [
        kept("a", 0, {"x": 0.5}, {"risk": "1"}),
        kept("b", 0, {"x": 0.4}, {"risk": "2"}),
        kept("c", 0, {"x": 0.4}, {"risk": "2"}),
        kept("d", 1, {"x": 0.4}),
    ]
    [one] = compared(files, "a", "b")
    assert one.points == [1.0]
    assert compared(files, "b", "c") == []
    assert [one.beyond_chance for one in compared(files, "b", "a")] == [True]
    assert [one.beyond_chance for one in compared(files, "d", "a")] == [False]


def test_halves_alternate_in_alphabetical_order(panel):
    from benchmarks.panel.scores import halves

    assert halves(["c", "a", "b"]) == {"a": "chooses", "b": "confirms", "c": "chooses"}


def test_a_run_that_was_stopped_is_taken_up_again(panel, tmp_path):
    from benchmarks.panel import keeping, working

    task = working.Task("iris", 0, "risk", ("original", "remove1"), 150, None, tmp_path, False)
    first = working.done(task)
    assert [k.protection for k in first] == ["original", "remove1"]
    assert first[0].figures["R_internal"] > first[1].figures["R_internal"]
    lines = task.shelf.file.read_text().splitlines()
    task.shelf.file.write_text(lines[0] + "\n" + lines[1][:40])
    assert list(task.shelf.read(False)) == ["original"]
    assert working.done(task)[0] == first[0]
    task.shelf.file.write_text(lines[0].replace(keeping.code(), "older"))
    assert task.shelf.read(False) == {}
    assert list(task.shelf.read(True)) == ["original"]


# -- figures of utility, resamples, the page ---------------------------------------------------


def test_figures_are_read_by_their_place(panel):
    from benchmarks.panel.utility import found, there

    result = {
        "gdu": {"value": 0.9},
        "tables": {"score": 0.8},
        "loss": {"ctbil": None, "tables": [{"rcv": -0.5}, {"rcv": None}, {"rcv": 0.1}]},
    }
    assert found(result, ("gdu.value",)) == 0.9
    assert found(result, ("tables.value", "tables.score")) == 0.8
    assert found(result, ("loss.tables.*.rcv",)) == pytest.approx(0.3)
    assert found(result, ("loss.ctbil",)) is None
    assert there(result, ("loss.ctbil",))
    assert not there(result, ("propensity.auc_cross",))
    assert found(result, ("propensity.auc_cross",)) is None


def test_every_figure_of_utility_has_a_measurer_that_makes_it(iris):
    from benchmarks.panel.cases import Case
    from benchmarks.panel.listed import PROTECTIONS
    from benchmarks.panel.measures import EXTRA, FIGURES, MEASURERS

    case = Case(iris, PROTECTIONS["wide_noise30"], 1)
    asked = frozenset().union(*EXTRA.values())
    kinds = {f.measurer for f in FIGURES.values() if f.kind == "utility"} - asked
    made_by = {name: MEASURERS[name](case) for name in kinds}
    for measurer, figures in made_by.items():
        assert {FIGURES[name].measurer for name in figures} == {measurer}
    assert {"gdu", "U_m", "rut"} <= set(made_by["utility"])
    assert made_by["propensity"]["U_p"] > 0
    assert made_by["loss"]["il1s"] > 0
    assert made_by["clusters"]["U_c"] > 0


def test_fewer_seeds_of_a_measurer_are_no_missing_figures(panel):
    from benchmarks.panel.pairs import Pair
    from benchmarks.panel.scores import compared

    files = [kept("a", 0, {"x": 0.5})] + [
        kept("b", s, {"x": 0.4} if s < 3 else {}) for s in (1, 2, 3)
    ]
    by_name = {(k.protection, k.seed): k for k in files}
    pair = Pair("utility", "a", "b", True, "")
    [whole] = compared("iris", by_name, [pair], "x", True)
    [first] = compared("iris", by_name, [pair], "x", True, 2)
    assert (whole.unknown, first.unknown) == (1, 0)
    assert first.points == [1.0, 1.0]


def test_files_with_chance_that_are_the_same_are_in_no_order(panel):
    files = [kept(name, 1, {"x": 0.5}, {"utility": "1"}) for name in "ab"]
    files += [kept("c", 1, {"x": 0.5}, {"utility": "2"})]
    from benchmarks.panel.pairs import Pair
    from benchmarks.panel.scores import compared as every

    by_name = {(k.protection, k.seed): k for k in files}
    assert every("iris", by_name, [Pair("utility", "a", "b", True, "")], "x", True) == []
    assert len(every("iris", by_name, [Pair("utility", "a", "c", True, "")], "x", True)) == 1
    assert len(every("iris", by_name, [Pair("risk", "a", "b", True, "")], "x", True)) == 1


def test_the_mean_ratio_of_resamples_may_be_off_by_chance(panel):
    from benchmarks.panel.resamples import Resampled

    one = Resampled("iris", 150, 10, (1.3,) * 20)
    assert one.allowed == pytest.approx(3 * 0.1 + 0.05)
    assert one.met
    assert not Resampled("iris", 150, 10, (1.4,) * 20).met


def test_pairs_on_one_scale_neither_remove_nor_band(panel):
    from benchmarks.panel.pairs import Pair

    assert Pair("utility", "swap5", "swap10", True, "").on_scale
    for other in ("remove1", "wide_bands_fine_swap10", "named_bands_coarse"):
        assert not Pair("utility", "original", other, True, "").on_scale


def test_the_page_is_filled_between_its_marks(panel, tmp_path):
    import json

    from benchmarks.panel import page

    figure = {"value": 0.9, "low": 0.8, "high": 1.0, "chooses": 0.9, "confirms": None, "known": 0.9}
    figure |= {"on_scale": 0.8}
    figure |= {"comparisons": 1_200, "unknown": 3, "main": True, "seeds": 5, "default": False}
    figures = {"<few>": figure | {"seeds": 1}, "best": figure | {"value": 0.95, "default": True}}
    found = {"pairs": 63, "neighbours": 46, "data_sets": ["a", "b"], "most_rows": 5_000, "seeds": 5}
    (tmp_path / "u.json").write_text(json.dumps(found | {"figures": figures}), encoding="utf-8")
    (tmp_path / "p.md").write_text(page.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    words = ["--utility", "u.json", "--page", "p.md", "--picture", "p.svg"]
    for _ in range(2):  # a second time changes nothing
        page.main([w if w.startswith("--") else str(tmp_path / w) for w in words])
    said = (tmp_path / "p.md").read_text(encoding="utf-8")
    assert (
        said.count("| **best** | **0.950** | 0.800 – 1.000 | 0.900 | – | 3 | 0.900 | 0.800 |") == 1
    )
    assert said.count("| <few> (one seed) |") == 1
    assert "63 pairs, 46 of them neighbours, in 2 data sets" in said
    drawn = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert "&lt;few&gt;" in drawn
    assert drawn.count("<circle") == 2
