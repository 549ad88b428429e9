"""U_m and U_s equal a count of every row against every row."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge import InputError, assess, ecdf
from microgauge.measures.joint import ecdf as module
from support.surveys import make_survey, perturb, schema

KINDS = {"n": "nominal", "o": "ordinal", "x": "continuous", "y": "continuous"}
SAID = {"variable": {name: {"type": kind} for name, kind in KINDS.items()}}


def mixed(rows, rng, missing, digits=0):
    frame = pd.DataFrame(
        {
            "n": rng.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1]).astype(object),
            "o": rng.choice([1.0, 3.0, 10.0], rows),
            "x": np.round(rng.normal(size=rows), digits),
            "y": np.round(rng.gamma(2, 1, rows), digits),
        }
    )
    for name in frame:
        frame.loc[rng.random(rows) < missing, name] = None
    return frame


def below(row, other, kinds):
    """Whether a row is ≤ another in every variable."""
    for name, kind in kinds.items():
        mine, its = row[name], other[name]
        if kind == "nominal":
            if not (mine == its or (pd.isna(mine) and pd.isna(its))):
                return False
        elif not (pd.isna(mine) or (not pd.isna(its) and mine <= its)):
            return False
    return True


def brute(original, protected, kinds=KINDS):
    """The law word for word: two loops over all rows."""
    sides = [frame.to_dict("records") for frame in (original, protected)]
    differences = []
    for point in [*sides[0], *sides[1]]:
        before, after = (np.mean([below(row, point, kinds) for row in side]) for side in sides)
        differences.append(before - after)
    return np.abs(differences).max(), np.mean(np.square(differences))


@pytest.mark.slow
@given(
    seed=st.integers(0, 10_000),
    sizes=st.tuples(st.integers(3, 70), st.integers(3, 70)),
    missing=st.sampled_from([0.0, 0.15]),
    digits=st.sampled_from([0, 1, 8]),
    entries=st.sampled_from([2, 4, 512]),
    names=st.lists(st.sampled_from(list(KINDS)), min_size=1, unique=True),
)
@settings(max_examples=40, deadline=None)
def test_equal_to_two_loops(seed, sizes, missing, digits, entries, names):
    rng = np.random.default_rng(seed)
    original, protected = (
        pd.concat([mixed(rows - 1, rng, missing, digits), mixed(1, rng, 0.0)])[names]
        for rows in sizes
    )
    kinds = {name: KINDS[name] for name in names}
    said = {"variable": {name: {"type": kind} for name, kind in kinds.items()}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_ENTRIES", entries)
        patch.setattr(module, "POINTS_AT_A_TIME", 7)
        patch.setattr(module, "ROWS_AT_A_TIME", 64)
        found = ecdf(original, protected, schema=said)
    maximum, mean_square = brute(original, protected, kinds)
    assert found.maximum == pytest.approx(maximum, abs=1e-12)
    assert found.mean_square == pytest.approx(mean_square, abs=1e-12)
    assert found.exact
    assert found.points == sum(sizes)


def by_arrays(original, protected, names):
    """The same count, a column at a time, for more rows."""
    pooled = pd.concat([original, protected])[names].to_numpy()
    under = np.ones((len(pooled), len(pooled)), dtype=bool)
    for column in pooled.T:
        under &= column[np.newaxis, :] <= column[:, np.newaxis]
    rows = len(original)
    return under[:, :rows].mean(axis=1) - under[:, rows:].mean(axis=1)


def test_more_levels_than_one_table_holds():
    rng = np.random.default_rng(1)
    original, protected = mixed(900, rng, 0.0, 8), mixed(700, rng, 0.0, 8)
    protected["x"] += 0.3
    names = ["x", "y"]
    assert pd.concat([original, protected])["x"].nunique() > module.MOST_ENTRIES
    found = ecdf(original[names], protected[names])
    difference = by_arrays(original, protected, names)
    assert found.maximum == pytest.approx(np.abs(difference).max(), abs=1e-12)
    assert found.mean_square == pytest.approx((difference**2).mean(), rel=1e-10)


def test_sampled_points_still_use_all_rows():
    rng = np.random.default_rng(2)
    original, protected = mixed(500, rng, 0.0, 3), mixed(400, rng, 0.0, 3)
    protected["x"] += 0.3
    names = ["x", "y"]
    difference = np.abs(by_arrays(original, protected, names))
    said = {"ecdf": {"exact_limit": 899, "points": 3}, "options": {"seed": 6}}
    whole = assess(original[names], protected[names], schema=said, only=["ecdf"])
    found = whole.ecdf
    assert not found.exact
    assert found.points == 3
    assert found.seed == 6
    assert any("sample of 3 of 900 rows" in note for note in whole.notes)
    # Three shares of all rows: the largest is that of a row, and the mean square is between.
    assert np.abs(difference - found.maximum).min() < 1e-12
    assert found.maximum**2 / 3 <= found.mean_square <= found.maximum**2
    again = ecdf(original[names], protected[names], schema=said)
    assert again == found


def test_as_many_points_as_rows_are_exact_figures():
    rng = np.random.default_rng(2)
    original, protected = mixed(200, rng, 0.1), mixed(150, rng, 0.1)
    exact = ecdf(original, protected, schema=SAID)
    sampled = ecdf(original, protected, schema=SAID, exact_limit=349, points=5000)
    assert (exact.exact, sampled.exact) == (True, False)
    assert ecdf(original, protected, schema=SAID, exact_limit=350).exact
    assert sampled.maximum == pytest.approx(exact.maximum, abs=1e-12)
    assert sampled.mean_square == pytest.approx(exact.mean_square, abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_identical_files_have_no_distance(missing):
    original = make_survey(300, 1, missing)
    found = ecdf(original, original.sample(frac=1, random_state=1), schema=schema())
    assert (found.maximum, found.mean_square) == (0, 0)
    other = ecdf(original, perturb(original, 0.5), schema=schema())
    assert other.maximum > 0
    assert other.mean_square > 0


def test_more_missing_values_on_one_side_are_seen():
    original = pd.DataFrame({"x": np.arange(100.0)})
    protected = original.mask(original["x"] % 2 == 0)
    found = ecdf(original, protected, schema={"variable": {"x": {"type": "continuous"}}})
    # Half the protected rows rank below every number.
    assert found.maximum == pytest.approx(0.5)


def test_one_category_by_hand():
    original, protected = (pd.DataFrame({"n": ["a"] * a + ["b"] * (10 - a)}) for a in (7, 4))
    found = ecdf(original, protected)
    assert found.maximum == pytest.approx(0.3)
    assert found.mean_square == pytest.approx(0.09)


def test_null_shares_on_request():
    shares = []
    for seed in range(8):
        original = mixed(200, np.random.default_rng(seed), 0.0, 3)
        resample = original.sample(200, replace=True, random_state=seed)
        found = ecdf(original, resample, schema=SAID, resamples=20)
        shares.append([found.null_share_maximum, found.null_share_mean_square])
    assert np.min(shares) < 0.3
    assert np.max(shares) > 0.7
    assert (np.abs(np.mean(shares, axis=0) - 0.5) < 0.25).all()
    unlike = ecdf(original, original.assign(x=original["x"] + 1), schema=SAID, resamples=20)
    assert (unlike.null_share_maximum, unlike.null_share_mean_square) == (0, 0)
    assert ecdf(original, original.copy(), schema=SAID).null_share_maximum is None


def test_mean_square_separates_better_than_the_maximum():
    """As Woo et al. found: against resamples, a wrong simulation stands out more in U_s."""
    rng = np.random.default_rng(4)
    z1 = rng.f(10, 10, 3000)
    original = pd.DataFrame({"z1": z1, "z2": 1 + 0.5 * z1 + rng.normal(0, 0.7, 3000)})
    drawn = rng.multivariate_normal(original.mean(), original.cov(), 3000)
    wrong = ecdf(original, pd.DataFrame(drawn, columns=["z1", "z2"]))
    chance = ecdf(original, original.sample(3000, replace=True, random_state=1))
    assert wrong.mean_square / chance.mean_square > wrong.maximum / chance.maximum > 2


def test_choices_that_do_not_exist():
    frame = make_survey(20, 1)
    for wrong in ({"points": 0}, {"exact_limit": -1}, {"resamples": "many"}, {"limit": 5}):
        with pytest.raises(InputError):
            ecdf(frame, frame.copy(), schema=schema(), **wrong)
