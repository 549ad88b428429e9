"""The studies of disclosure, on sizes that take seconds: what they make, count and expect."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

ROOT = Path(__file__).parents[2]
ROWS = 800


@pytest.fixture
def power(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import power

    return power


@pytest.fixture
def nist(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import nist

    return nist


@pytest.fixture
def choice(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import choice

    return choice


# -- power: a few copies ---------------------------------------------------------------------


def records(frame):
    return set(frame.fill_null(-1, matches_supertype=True).iter_rows())


def test_one_record_in_a_hundred_is_copied(power):
    made = power.files(power.Task("survey", "margins", "copies", ROWS, 3))
    none = power.files(power.Task("survey", "margins", "no copies", ROWS, 3))
    assert made.original.equals(none.original)
    assert made.holdout.equals(none.holdout)
    assert made.protected.height == ROWS
    assert len(records(made.original) & records(made.protected)) == ROWS // 100
    assert not records(none.original) & records(none.protected)


def test_noisy_copies_differ_by_a_hundredth_of_a_deviation(power):
    exact, noisy = (
        power.files(power.Task("survey", "margins", kind, 2_700, 3)).protected[:27]
        for kind in ("copies", "noisy copies")
    )
    numbers = list(power.POPULATIONS["survey"].numbers)
    assert exact.drop(numbers).equals(noisy.drop(numbers))
    original = power.files(power.Task("survey", "margins", "copies", 2_700, 3)).original
    moved = (noisy["AGEP"] - exact["AGEP"]).to_numpy() / original["AGEP"].std()
    assert 0.005 < math.sqrt(np.mean(moved**2)) < 0.015


def test_the_background_of_trees_holds_nobody_of_the_original(power):
    made = power.files(power.Task("households", "trees", "no copies", ROWS, 3))
    assert made.original.columns == made.protected.columns
    assert len(records(made.original) & records(made.protected)) < ROWS / 100
    incomes = [frame["HINCP"].median() for frame in (made.original, made.protected)]
    assert incomes[0] == pytest.approx(incomes[1], rel=0.2)


def test_eight_copies_are_noticed_by_what_looks_at_few_and_not_by_means(power):
    tried = power.study(
        [
            power.Task("survey", "margins", kind, ROWS, 3)
            for kind in ("copies", "noisy copies", "no copies")
        ],
        jobs=1,
    )
    counts = {one.kind: one.counts for one in tried}
    assert [counts[kind]["copied.excess"] for kind in counts] == [1, 1, 0]
    assert counts["copies"]["nearer_share (DCR)"] == 0
    assert "| copied.excess | 1 (" in power.table(tried)


@pytest.mark.parametrize(("count", "total"), [(0, 200), (3, 200), (95, 100), (100, 100)])
def test_intervals_of_shares_are_scipys(power, count, total):
    expected = binomtest(count, total).proportion_ci(method="exact")
    assert power.exact_interval(count, total) == pytest.approx(tuple(expected))


def test_a_missed_goal_is_named(power):
    names = power.MUST_DETECT
    good = power.Tried("copies", 100, dict.fromkeys(names, 95))
    assert power.missed([good]) == []
    weak = replace(good, counts={names[0]: 94, names[1]: 95})
    assert power.missed([weak]) == ["copied.excess: copies"]
    loud = power.Tried("no copies", 200, {names[0]: 16, names[1]: 17})
    assert power.missed([loud]) == ["membership.tpr_01: no copies"]


# -- files that others made ------------------------------------------------------------------


def people(rows, seed):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 90, rows)
    return pl.DataFrame(
        {
            "PUMA": rng.choice(["25-1", "25-2", "25-3"], rows),
            "AGEP": age.astype(str),
            "SEX": rng.choice(["1", "2"], rows),
            "EDU": (age // 12 + rng.integers(0, 3, rows)).astype(str),
            "PINCP": np.where(age < 15, "N", rng.integers(0, 900, rows).astype(str)),
        }
    )


@pytest.fixture
def folder(tmp_path):
    """An original, others, a sample of real records, and independent columns of small ε."""
    original = people(400, 1)
    rng = np.random.default_rng(3)
    files = {
        "ma_target": original,
        "ma_2018": people(400, 2),
        "lib__ma__sample": original.sample(160, seed=4),
        "lib__ma__mst": original.select([c.gather(rng.permutation(400)) for c in original]),
        "lib__ma__cart": original.sample(400, with_replacement=True, seed=5),
    }
    for name, frame in files.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
    lines = [
        "file,algorithm,features,epsilon,rows,unique_exact,k_marginal",
        "lib__ma__sample.parquet,subsample_40pcnt,some,,160,40,930",
        "lib__ma__mst.parquet,mst,some,1,400,0.1,800",
        'lib__ma__cart.parquet,cart,other,"",400,63,960',
    ]
    (tmp_path / "index.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_goals_are_met_by_files_whose_order_is_known(nist, folder, capsys):
    assert nist.main(["--data", str(folder), "--jobs", "1", "--json", str(folder / "f")]) == 0
    said = capsys.readouterr().out
    assert "MISSED" not in said
    assert said.count("met ") == 5
    assert (folder / "f").exists()


def test_what_is_not_so_is_said(nist, folder):
    setting = nist.Setting(folder, "few", "nominal")
    sample, private, cart = (nist.measured(setting, one) for one in nist.index(folder))
    assert all(goal.met for goal in nist.goals([sample, private, cart]))
    leaking = replace(private, figures=replace(cart.figures, held_risk=0.9, held_risk_ci=(0.8, 1)))
    found = {goal.name: goal for goal in nist.goals([sample, leaking, cart])}
    missed = [name for name, goal in found.items() if not goal.met]
    assert len(missed) == 4
    assert "mst is" in found["the sample is riskiest, some, with holdout"].detail
    stranger = replace(cart, listed=replace(cart.listed, rows=500))
    assert "500 rows where the original has 400" in next(nist.strangers([stranger]))


def test_orders_of_utility_are_held_against_nists(nist, folder):
    from benchmarks import nist_utility

    setting = nist.Setting(folder)
    rows = nist_utility.run(folder, setting, 1)
    assert [row.listed.k_marginal for row in rows] == [930, 800, 960]
    sample, private, cart = rows
    assert sample.figures["gdu"] > private.figures["gdu"]
    assert private.boosted_auc > 0.8 > 0.6 > cart.boosted_auc
    assert any("| gdu |" in line for line in nist_utility.lines(rows))


def test_goals_of_utility(nist):
    from benchmarks import nist_utility

    def row(place, features, tables, auc):
        listed = nist.Listed(f"lib__ma__{place}", "mst", features, None, 9, 0.0, 900 + place)
        return nist_utility.Row(listed, {"tables": tables, "auc_cross": auc}, 0.9 - place / 100)

    good = [row(i, "a" if i < 5 else "b", 0.8 + i / 100, 0.8 - i / 100) for i in range(10)]
    assert all(goal.met for goal in nist_utility.goals(good))
    assert [(f, n, r) for f, n, r in nist_utility.by_features(good, "tables")] == [
        ("a", 5, pytest.approx(1)),
        ("b", 5, pytest.approx(1)),
    ]
    turned = [replace(r, figures={"tables": -r.figures["tables"]}) for r in good]
    found = nist_utility.goals(turned)
    assert not any(goal.met for goal in found)
    assert "there is no such figure" in str(found[-1])


# -- what rank recommends --------------------------------------------------------------------


def test_real_records_drawn_again_are_riskiest_and_not_recommended(choice):
    ranking = choice.ranked(ROWS, only=["rut"])
    assert choice.faults(ranking) == []
    risks = {c.name: c.risk for c in ranking.candidates}
    assert risks["bootstrap"] > 0.1 > max(risks["independent"], risks["swap100"])
    assert risks["swap50"] > risks["swap100"]
    assert str(ranking).startswith("Release ")


def test_a_recommended_bootstrap_is_a_fault(choice):
    ranking = choice.ranked(200, max_risk=1.0, only=["rut"])
    chosen = replace(ranking, recommended=replace(ranking.recommended, name="bootstrap"))
    assert "the bootstrap is recommended" in choice.faults(chosen)
