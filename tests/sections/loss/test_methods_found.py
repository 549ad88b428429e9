"""What was done to a variable is known from the files where it can be, and said only there."""

from __future__ import annotations

import numpy as np
import pytest

import microgauge
from microgauge.sections.loss.methods import ADVICE, advice
from support.surveys import make_survey, types_of

ORIGINAL = make_survey(400, 1)


def methods(protected, **options):
    said = types_of(ORIGINAL, **options)
    loss = microgauge.assess(ORIGINAL, protected, schema=said, only=["loss"]).loss
    return {v.name: v.methods for v in loss.variables}, loss


def swapped(frame, name, share=0.3):
    rng = np.random.default_rng(2)
    rows = rng.choice(len(frame), int(share * len(frame)), replace=False)
    values = frame[name].to_numpy(copy=True)
    values[rows] = values[rng.permutation(rows)]
    return frame.assign(**{name: values})


def emptied(frame, name):
    return frame.assign(**{name: frame[name].where(np.arange(len(frame)) % 7 > 0)})


CASES = {
    "nothing": (lambda f: f, "income", ()),
    "removed": (lambda f: f.drop(columns="income"), "income", ("removed",)),
    "suppressed": (lambda f: emptied(f, "income"), "income", ("suppressed",)),
    "swapped numbers": (lambda f: swapped(f, "income"), "income", ("swapped",)),
    "swapped categories": (lambda f: swapped(f, "region"), "region", ("swapped",)),
    "noise": (lambda f: f.assign(income=f["income"] + 17.25), "income", ("noisy",)),
    "one category": (
        lambda f: f.assign(region=f["region"].where(f.index > 9, f["region"].iloc[-1])),
        "region",
        ("changed",),
    ),
    "rounded": (lambda f: f.assign(age=f["age"] // 10 * 10), "age", ("recoded",)),
    "rounded and suppressed": (
        lambda f: emptied(f.assign(age=f["age"] // 10 * 10), "age"),
        "age",
        ("recoded", "suppressed"),
    ),
    "noise and suppressed": (
        lambda f: emptied(f.assign(income=f["income"] * 1.01), "income"),
        "income",
        ("suppressed", "noisy"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_methods_are_those_that_were_used(case):
    protect, name, expected = CASES[case]
    found, _ = methods(protect(ORIGINAL))
    assert found[name] == expected
    assert all(not used for other, used in found.items() if other != name)


def test_records_that_are_not_matched_are_not_compared():
    shuffled = ORIGINAL.sample(frac=1.0, random_state=1).reset_index(drop=True)
    found, loss = methods(shuffled, aligned=False)
    assert set(found.values()) == {("unmatched",)}
    (_, told) = advice(loss)
    assert [title for title, _ in told.rows] == [ADVICE["unmatched"][0]]


def test_nothing_is_advised_where_nothing_was_done():
    _, loss = methods(ORIGINAL)
    assert advice(loss) == ()
