"""Whether rows correspond, on real files as they are and sorted: neighbours are no evidence.

The files are those on which the rule decides rightly in all orders. With noise on every number it
misses true pairs in smaller ones (iris, wine, engel, fertility, others of up to 300 rows), and
modechoice, with several rows for each person, is taken for aligned: docs/schema.md says so.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
import statsmodels.api as sm

from microgauge.demo import ORIGINAL
from support.figures import assess

READ = {
    "anes96": lambda: sm.datasets.anes96.load_pandas().data,
    "breast_cancer": lambda: sklearn.datasets.load_breast_cancer(as_frame=True).frame,
    "demo": lambda: pd.read_csv(ORIGINAL),
    "diabetes": lambda: sklearn.datasets.load_diabetes(as_frame=True).frame,
    "fair": lambda: sm.datasets.fair.load_pandas().data,
    "digits": lambda: sklearn.datasets.load_digits(as_frame=True).frame,
    "randhie": lambda: sm.datasets.randhie.load_pandas().data,
    "star98": lambda: sm.datasets.star98.load_pandas().data,
}
MOST_ROWS = 4_000


@cache
def real(name):
    frame = READ[name]()
    return frame.iloc[: min(len(frame), MOST_ROWS) // 2 * 2].reset_index(drop=True)


def in_order(frame, by):
    """The file as it is, sorted by its first three columns, or by its last."""
    names = {"as it is": [], "first": list(frame)[:3], "last": list(frame)[-1:]}[by]
    return frame.sort_values(names, ignore_index=True) if names else frame


def found(original, protected):
    return assess(original, protected, only=["left_in"]).inputs.alignment


ORDERS = pytest.mark.parametrize("by", ["as it is", "first", "last"])
FILES = pytest.mark.parametrize("name", READ)


@FILES
@ORDERS
def test_odd_and_even_rows_of_one_file_are_not_the_same_units(name, by):
    frame = in_order(real(name), by)
    odd, even = frame.iloc[::2].reset_index(drop=True), frame.iloc[1::2].reset_index(drop=True)
    assert not found(odd, even).aligned


@FILES
@ORDERS
def test_true_pairs_of_which_cells_are_swapped_are(name, by):
    frame = in_order(real(name), by)
    rng = np.random.default_rng(1)
    swapped = {}
    for column in frame:
        values = frame[column].to_numpy().copy()
        places = np.flatnonzero(rng.random(len(frame)) < 0.3)
        values[places] = values[rng.permutation(places)]
        swapped[column] = values
    assert found(frame, pd.DataFrame(swapped)).how == "row order"


@FILES
@ORDERS
def test_true_pairs_with_noise_on_all_numbers_are(name, by):
    frame = in_order(real(name), by)
    rng = np.random.default_rng(1)
    noisy = frame.copy()
    for column in frame.select_dtypes("number"):
        spread = 0.3 * frame[column].std()
        noisy[column] = frame[column] + rng.normal(0.0, spread, len(frame))
    alignment = found(frame, noisy)
    assert alignment.how == "row order"
    assert "1, 2, 3 or 5 apart" in alignment.reason


def test_the_reason_says_what_was_counted():
    frame = real("anes96")
    rng = np.random.default_rng(1)
    protected = frame[["age"]].where(rng.random((len(frame), 1)) < 0.8, 30.0)
    shares = [
        np.mean(frame["age"].to_numpy()[max(-lag, 0) : len(frame) - max(lag, 0)]
                == protected["age"].to_numpy()[max(lag, 0) : len(frame) - max(-lag, 0)])
        for lag in (0, -1, 1, -2, 2, -3, 3, -5, 5)
    ]  # fmt: skip
    said = (
        f"in {100 * shares[0]:.0f} % of rows, and in at most "
        f"{100 * max(shares[1:]):.0f} % of rows that are"
    )
    assert said in found(frame[["age"]], protected).reason


@pytest.mark.parametrize(("rows", "how"), [(19, "not aligned"), (20, "row order")])
def test_few_rows_are_not_aligned_unless_it_is_said(rows, how):
    frame = pd.DataFrame({"x": np.arange(rows) ** 2 % 97, "y": np.arange(rows) * 1.5})
    alignment = found(frame, frame.copy())
    assert alignment.how == how
    assert rows > 19 or "fewer than 20 rows" in alignment.reason
    forced = assess(frame, frame, schema={"options": {"aligned": True}}, only=["left_in"])
    assert forced.inputs.alignment.aligned


def test_ids_weights_and_constants_are_no_evidence():
    rng = np.random.default_rng(1)
    who = rng.permutation(5_000)[:300]
    frames = [
        pd.DataFrame({"who": who, "w": who + 1.0, "c": "same", "x": rng.integers(0, 4, 300)})
        for _ in range(2)
    ]
    said = {
        "options": {"weight": "w"},
        "variable": {"who": {"role": "id"}, "x": {"type": "nominal"}},
    }
    alignment = assess(*frames, schema=said, only=["left_in"]).inputs.alignment
    assert not alignment.aligned
    told = assess(
        *frames, schema={"variable": {"x": {"type": "nominal"}}}, only=["left_in"]
    ).inputs.alignment
    assert told.aligned
