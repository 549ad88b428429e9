"""What stands beside the global data utility: files whose loss is known, and fewer units."""

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge.engines.local import Local
from microgauge.engines.rounds import run_one
from microgauge.log import Log
from microgauge.schema import Schema
from microgauge.sections.gdu import references as module
from microgauge.study.study import Study
from microgauge.tables import read_table
from microgauge.values.canonical import Coded, canonical_order
from support.figures import assess
from support.surveys import make_survey, perturb, schema

APART = {"aligned": False}


def drawn(original, said, protected=None):
    """The rows that files are drawn from, and the study."""
    protected = original if protected is None else protected
    sides = (original, "original"), (protected, "protected")
    tables = [read_table(table, which=which) for table, which in sides]
    study = run_one(Study.prepare(*tables, Schema.from_dict(said), Log()))
    return study, run_one(module.drawing(study))


def written(study, file):
    """A drawn file as a table that could have been read."""
    columns = {}
    for v in study.analysed:
        labels = np.append(np.asarray(v.original.levels.keys, dtype=object), None)
        columns[v.name] = labels[file.rows._codes[v.name]]
    return pd.DataFrame(columns).infer_objects()


@pytest.mark.parametrize("kind", ["permuted", "resample"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_mean_of_files_that_are_measured_like_any_other(kind, missing):
    original = make_survey(300, 3, missing)
    protected = perturb(original, 0.3).iloc[:200]
    found = getattr(assess(original, protected, schema=schema()).gdu, kind)
    study, rows = drawn(original, schema(), protected)
    count = {"permuted": 300, "resample": 200}[kind]
    assert (found.rows, found.files) == (count, 5)
    figures = []
    for number in range(5):
        table = written(study, getattr(rows, kind)(number, count))
        assert len(table) == count
        one = assess(original, table, schema=schema(**APART)).gdu
        figures.append([one.value, one.univariate, one.bivariate])
    expected = np.mean(figures, axis=0)
    assert [found.value, found.univariate, found.bivariate] == pytest.approx(expected, rel=1e-9)


def test_permuted_columns_are_the_original_ones_and_resampled_rows_its_rows():
    original = make_survey(120, 5)
    study, rows = drawn(original, schema())
    whole = written(study, rows.original())
    permuted = written(study, rows.permuted(0, 120))
    for name in original:
        assert sorted(permuted[name]) == sorted(whole[name]) == sorted(original[name])
    assert abs(permuted["age"].corr(permuted["income"], "spearman")) < 0.3
    known = set(original.itertuples(index=False, name=None))
    resample = written(study, rows.resample(0, 500))[list(original)]
    assert set(resample.itertuples(index=False, name=None)) <= known


# -- what changes no figure ----------------------------------------------------------------------


def beside(result):
    gdu = result.gdu
    return [getattr(file, part) for file in (gdu.permuted, gdu.resample)
            for part in ("value", "univariate", "bivariate")]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_how_numbers_are_written_changes_no_figure(seed, tmp_path, monkeypatch):
    """Text spells 10 before 9, so that raw values are not in the order of levels."""
    monkeypatch.setattr("microgauge.sections.gdu.pairs.SMALL_TABLE", 1)
    monkeypatch.setattr("microgauge.sections.gdu.pairs.SHARED_ROWS", 0)
    rng = np.random.default_rng(seed)
    numbers = rng.multivariate_normal(np.zeros(4), np.eye(4) + 0.3, 200).round(2)
    original = pd.DataFrame(numbers * 10.0, columns=list("abcd"))
    protected = (original + rng.normal(0.0, 2.0, original.shape)).round(1)
    for table, name in ((original, "o.csv"), (protected, "p.csv")):
        table.to_csv(tmp_path / name, index=False)
    held = microgauge.assess(original, protected, only=["gdu"])
    spelled = microgauge.assess(tmp_path / "o.csv", tmp_path / "p.csv", only=["gdu"])
    assert beside(spelled) == beside(held)


@pytest.mark.parametrize("seed", range(4))
def test_no_order_and_no_name_changes_a_figure(seed):
    original = make_survey(150, seed, 0.05)
    protected = perturb(original, 0.3, seed)
    plain = beside(assess(original, protected, schema=schema()))
    rng = np.random.default_rng(seed)
    order = rng.permutation(150)
    moved = assess(original.iloc[order], protected.iloc[order], schema=schema())
    assert beside(moved) == pytest.approx(plain, rel=1e-9)
    names = list(rng.permutation(list(original)))
    assert beside(assess(original[names], protected, schema=schema())) == pytest.approx(plain)
    regions = dict(zip(["north", "east", "south", "west"], ["b", "A", "zz", "é"], strict=True))
    renamed = [t.assign(region=t["region"].map(regions)) for t in (original, protected)]
    assert beside(assess(*renamed, schema=schema())) == pytest.approx(plain, rel=1e-9)
    scaled = [t.assign(income=t["income"] * 7.0) for t in (original, protected)]
    assert beside(assess(*scaled, schema=schema())) == pytest.approx(plain, rel=1e-7)
    weighed = [t.assign(w=3.0) for t in (original, protected)]
    assert beside(assess(*weighed, schema=schema(weight="w"))) == pytest.approx(plain, rel=1e-9)


def test_batches_change_no_figure(monkeypatch):
    original, protected = make_survey(150, 1), perturb(make_survey(150, 1), 0.3)
    plain = beside(assess(original, protected, schema=schema()))
    batches = Local._batches
    monkeypatch.setattr(Local, "_batches", lambda self, axes, size: batches(self, axes, 17))
    assert beside(assess(original, protected, schema=schema())) == pytest.approx(plain, rel=1e-9)


def test_another_seed_is_another_draw():
    original = make_survey(150, 1)
    found = [beside(assess(original, original, schema=schema(seed=seed))) for seed in (1, 2, 1)]
    assert found[0] == found[2] != found[1]


def test_the_order_of_rows_is_that_of_what_they_hold():
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 4, 80), rng.integers(0, 30, 80), rng.integers(0, 3, 80)
    names = np.array([2, 0, 3, 1, 4])  # categories under other names; the last is missing

    def rows(order, renamed):
        columns = [
            Coded("a", (names[a] if renamed else a)[order], 5, False),
            Coded("b", b[order], 31, True),
            Coded("c", c[order], 4, True),
        ]
        places = canonical_order(columns[::-1] if renamed else columns)
        return np.column_stack([a, b, c])[order][places]

    plain = rows(np.arange(80), False)
    assert np.array_equal(plain, rows(rng.permutation(80), True))


# -- weights, sizes and choices ------------------------------------------------------------------


def test_weighted_files_keep_weighted_distributions():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 4_000)
    original = pd.DataFrame({"x": np.where(x, "a", "b"), "y": x + rng.normal(size=4_000)})
    original["w"] = np.where(x, 3.0, 1.0)  # two in four of the rows, three in four of the weight
    said = {"options": {"weight": "w", **APART}}
    study, rows = drawn(original, said)
    file = rows.permuted(0, 4_000)
    table = written(study, file)
    assert not file.rows.weighted
    assert (table["x"] == "a").mean() == pytest.approx(
        np.average(x, weights=original["w"]), abs=0.03
    )
    resample = rows.resample(0, 1_000)
    drawn_x = written(study, resample)["x"] == "a"
    assert drawn_x.mean() == pytest.approx(x.mean(), abs=0.05)
    assert np.array_equal(resample.rows.weights > 1.0, drawn_x)
    found = assess(original, original, schema=said).gdu
    assert found.permuted.bivariate == 0.0
    assert found.resample.bivariate > 0.8


def test_small_files_are_warned_of():
    original = make_survey(25, 1)
    result = assess(original, perturb(original, 0.5), schema=schema())
    assert result.gdu.permuted.value > 0.8
    warned = [note for note in result.remarks if note.code == "gdu-near-permuted"]
    assert len(warned) == 1
    said = f"would score {result.gdu.permuted.value:.2f}"
    assert said in warned[0].sentence
    assert said in " ".join(result.long_text().split())


def test_a_file_like_the_permuted_original_is_warned_of():
    original = make_survey(1_500, 1)
    rng = np.random.default_rng(0)
    shuffled = original.apply(lambda column: rng.permutation(column.to_numpy()))
    notes = assess(original, shuffled, schema=schema()).remarks
    assert "gdu-near-permuted" in {note.code for note in notes}
    kept = assess(original, perturb(original, 0.1), schema=schema())
    assert "gdu-near-permuted" not in {note.code for note in kept.remarks}
    assert kept.gdu.permuted.value < 0.75 < 0.85 < kept.gdu.resample.value


def test_they_are_shown():
    original = make_survey(400, 1)
    result = assess(original, perturb(original, 0.2), schema=schema())
    text = " ".join(result.long_text().split())
    assert f"left but by chance) {result.gdu.permuted.value:.2f}" in text
    assert f"a resample of the original {result.gdu.resample.value:.2f}" in text


def test_they_can_be_switched_off():
    original = make_survey(100, 1)
    said = schema() | {"gdu": {"references": False}}
    found = assess(original, original, schema=said).gdu
    assert found.permuted is found.resample is None
    with pytest.raises(microgauge.InputError, match=r"\[gdu\] references"):
        assess(original, original, schema=schema() | {"gdu": {"references": "no"}})


def test_large_files_get_fewer_and_then_none_unless_asked_for(monkeypatch):
    original = make_survey(200, 1)
    work = 200 * len(assess(original, original, schema=schema()).gdu.pairs)
    monkeypatch.setattr(module, "WORK", 2 * work)
    assert assess(original, original, schema=schema()).gdu.permuted.files == 2
    monkeypatch.setattr(module, "MOST_WORK", work - 1)
    found = assess(original, original, schema=schema()).gdu.resample
    assert found.value is None
    assert "references = true" in found.reason
    asked = assess(original, original, schema=schema() | {"gdu": {"references": True}})
    assert asked.gdu.resample.value > 0.8
    sampled = assess(original, original, schema=schema(sample_rows=150)).gdu.permuted
    assert sampled.value is None
    assert "sample_rows" in sampled.reason


def test_candidates_of_one_original_share_them(monkeypatch):
    original = make_survey(150, 1)
    made = []
    mean = module._mean

    def counting(study, rows, kind, count, files):
        made.append((kind, count))
        return mean(study, rows, kind, count, files)

    monkeypatch.setattr(module, "_mean", counting)
    candidates = [perturb(original, share) for share in (0.1, 0.2)]
    candidates.append(candidates[0].iloc[:100])
    said = schema({"region": {"role": "quasi_identifier"}})
    microgauge.rank(original, candidates, schema=said, only=["gdu"])
    assert sorted(made) == [("permuted", 150), ("resample", 100), ("resample", 150)]


# -- fewer units ---------------------------------------------------------------------------------


def test_large_files_are_also_measured_as_if_from_fewer_units():
    original = make_survey(5_001, 1)
    protected = perturb(original, 0.1)
    plain = assess(original, protected, schema=schema() | {"gdu": {"references": False}}).gdu
    said = schema(test_n=1000) | {"gdu": {"references": False}}
    fewer = assess(original, protected, schema=said).gdu
    found = plain.at_1000
    assert (found.value, found.univariate, found.bivariate) == (
        fewer.value,
        fewer.univariate,
        fewer.bivariate,
    )
    assert found.value != plain.value
    small = assess(original.iloc[1:], protected.iloc[1:], schema=said).gdu
    assert small.at_1000 is None
    assert assess(original.iloc[1:], protected, schema=said).gdu.at_1000 is not None


def test_models_count_at_fewer_units_as_they_are():
    original = make_survey(5_001, 1)
    model = [{"kind": "linear", "formula": "income ~ age + height"}]
    said = schema(balance=[0.3, 0.3, 0.4]) | {"model": model, "gdu": {"references": False}}
    found = assess(original, perturb(original, 0.1), schema=said).gdu
    parts = (found.at_1000.univariate, found.at_1000.bivariate, found.multivariate)
    assert found.at_1000.value == pytest.approx(np.dot(parts, (0.3, 0.3, 0.4)))
    assert found.at_1000.reason is None
