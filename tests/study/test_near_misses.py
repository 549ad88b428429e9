"""Near misses: what looks as if it were meant otherwise is told, and only where it is true."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge import InputError
from support.surveys import make_survey, perturb

CODES = (
    "key-possible",
    "identifier-repeats",
    "tables-swapped",
    "columns-alike",
    "dates-as-categories",
)
ROWS = 200
SURVEY = pl.from_pandas(make_survey(ROWS)).select("region", "sex", "age", "income")
PROTECTED = pl.from_pandas(perturb(SURVEY.to_pandas(), 0.2))


def told(before: pl.DataFrame, after: pl.DataFrame, **said: Any) -> dict[str, tuple[str, ...]]:
    """The near misses that were told, and what about."""
    notes = microgauge.assess(before, after, only=["left_in"], schema=said or None).remarks
    found = {note.code: note.about for note in notes if note.code in CODES}
    words = {word for n in notes if n.code in CODES for word in re.findall(r"[\w-]+", n.sentence)}
    for column in (*before.get_columns(), *after.get_columns()):
        if column.dtype == pl.String:
            assert not words & set(column.to_list())
    return found


def test_an_ordinary_pair_of_tables_is_left_alone() -> None:
    assert told(SURVEY, PROTECTED) == {}
    assert told(SURVEY, SURVEY) == {}


# -- keys ------------------------------------------------------------------------------------

IDS = pl.Series("person_id", [f"id-{7 * i % ROWS:04}" for i in range(ROWS)])


@pytest.mark.parametrize(
    "ids",
    [
        IDS,
        pl.Series("row", range(1000, 1000 + ROWS)),
        pl.Series("serialno", [13 * i + 5 for i in range(ROWS)]),
    ],
)
def test_a_shared_column_of_different_values_may_be_the_key(ids: pl.Series) -> None:
    before, after = SURVEY.with_columns(ids), PROTECTED.with_columns(ids)
    aligned = told(before, after)
    assert aligned["key-possible"] == (ids.name,)
    assert told(before, after.sample(ROWS - 30, shuffle=True, seed=1)) == aligned
    for options in ({"key": ids.name}, {"aligned": True}, {"aligned": False}):
        assert "key-possible" not in told(before, after, options=options)


def test_what_cannot_be_the_key_is_not_proposed() -> None:
    fresh = pl.Series("person_id", [f"other-{i:04}" for i in range(ROWS)])
    assert told(SURVEY.with_columns(IDS), PROTECTED.with_columns(fresh)) == {}
    measured = pl.Series("x", np.random.default_rng(1).normal(size=ROWS))
    assert told(SURVEY.with_columns(measured), PROTECTED.with_columns(measured)) == {}
    few = pl.Series("person_id", [f"id-{i}" for i in range(10)])
    assert told(SURVEY[:10].with_columns(few), PROTECTED[:10].with_columns(few)) == {}


def test_an_identifier_with_repeats_is_told() -> None:
    repeated = pl.Series("person_id", ["id-0003", *IDS.to_list()[1:]])
    assert repeated.n_unique() == ROWS - 1
    found = microgauge.assess(
        SURVEY.with_columns(IDS), PROTECTED.with_columns(repeated), only=["left_in"]
    )
    (note,) = [note for note in found.remarks if note.code in CODES]
    assert note.code == "identifier-repeats"
    assert "1 of its cells in the protected table repeat" in note.sentence
    households = pl.Series("household_id", [i // 2 for i in range(ROWS)])
    assert told(SURVEY.with_columns(households), PROTECTED.with_columns(households)) == {}


def test_a_key_that_repeats_is_refused_with_another_one() -> None:
    before = SURVEY.with_columns(IDS, household=pl.Series([i // 2 for i in range(ROWS)]))
    with pytest.raises(InputError) as found:
        microgauge.assess(before, before.sample(ROWS, shuffle=True, seed=2), key="household")
    assert 'the key "household" is repeated' in str(found.value)
    assert str(found.value).count('"person_id" has another value in every row of either') == 1


# -- swapped ---------------------------------------------------------------------------------


def banded(frame: pl.DataFrame) -> pl.DataFrame:
    low = frame["age"] // 10 * 10
    bands = [f"{a}-{a + 9}" for a in low.to_list()]
    return frame.with_columns(pl.Series("age", bands))


def test_bands_in_the_original_alone_look_swapped() -> None:
    assert told(banded(SURVEY), SURVEY) == {"tables-swapped": ("age",)}
    assert told(SURVEY, banded(SURVEY)) == {}
    topped = SURVEY.with_columns(
        age=pl.when(pl.col("age") < 60).then(pl.col("age").cast(pl.String)).otherwise(pl.lit("60+"))
    )
    assert told(topped, SURVEY) == {"tables-swapped": ("age",)}
    assert told(SURVEY, topped) == {}


def test_bands_on_both_sides_tell_nothing() -> None:
    other = SURVEY.with_columns(
        income=pl.when(pl.col("income") < 3000)
        .then(pl.col("income").cast(pl.String))
        .otherwise(pl.lit("3000+"))
    )
    assert told(banded(SURVEY), other) == {}
    assert told(banded(SURVEY), banded(PROTECTED.with_columns(age=SURVEY["age"]))) == {}


def test_cells_suppressed_in_the_original_alone_look_swapped() -> None:
    hit = pl.Series([i % 9 == 0 for i in range(ROWS)])
    suppressed = SURVEY.with_columns(region=pl.when(~hit).then(pl.col("region")))
    assert told(suppressed, SURVEY) == {"tables-swapped": ("region",)}
    assert told(SURVEY, suppressed) == {}
    assert told(suppressed, PROTECTED) == {}
    assert told(suppressed, SURVEY[:-1]) == {}


# -- names and dates -------------------------------------------------------------------------


def test_columns_whose_names_are_nearly_the_same() -> None:
    renamed = PROTECTED.rename({"age": "Age ", "sex": "SEX"})
    assert set(told(SURVEY, renamed)) == {"columns-alike"}
    notes = microgauge.assess(SURVEY, renamed, only=["left_in"]).remarks
    assert [n.about for n in notes if n.code == "columns-alike"] == [("sex",), ("age",)]
    assert told(SURVEY.with_columns(Age=pl.col("age")), PROTECTED) == {}  # both have an age
    two = PROTECTED.drop("age").with_columns(pl.lit(1).alias("AGE"), pl.lit(2).alias("a.g.e"))
    assert told(SURVEY, two) == {}


def test_tables_whose_names_all_differ_in_case() -> None:
    upper = PROTECTED.rename(str.upper)
    with pytest.raises(InputError, match='"region" and "REGION" differ in case, blanks'):
        microgauge.assess(SURVEY, upper)


DAYS = [date(1990, 1, 1) + timedelta(days=37 * (i % 50)) for i in range(ROWS)]


@pytest.mark.parametrize("spelt", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m", "%Y-%m-%d %H:%M"])
def test_dates_as_texts_are_told(spelt: str) -> None:
    texts = pl.Series("born", [day.strftime(spelt) for day in DAYS])
    before, after = SURVEY.with_columns(texts), PROTECTED.with_columns(texts)
    assert told(before, after) == {"dates-as-categories": ("born",)}
    assert told(before, after, variable={"born": {"type": "nominal"}}) == {}
    assert told(before, after, variable={"born": {"role": "exclude"}}) == {}


def test_dates_as_dates_and_other_texts_are_not() -> None:
    dates = pl.Series("born", DAYS)
    assert told(SURVEY.with_columns(dates), PROTECTED.with_columns(dates)) == {}
    for texts in (["1990-1995", "1996-2000"], ["a-1", "b-2", "c-3"], ["12-34-5", "1.2.3", "9.8.7"]):
        column = pl.Series("code", [texts[i % len(texts)] for i in range(ROWS)])
        assert told(SURVEY.with_columns(column), PROTECTED.with_columns(column)) == {}
