"""Numbers that a file holds as texts are numbers to steps that nothing else will do for."""

import polars as pl
import pytest

import microgauge
from microgauge import InputError

PEOPLE = pl.DataFrame(
    {
        "age": [str(20 + place % 50) for place in range(200)],
        "code": [f"{place % 4:02d}" for place in range(200)],
        "area": [str(place % 3) for place in range(200)],
    }
)


def masked(*steps, table=PEOPLE):
    return microgauge.mask(table, {"seed": 1, "step": list(steps)})


def test_breaks_and_noise_take_them(tmp_path):
    bands = {"method": "recode", "variables": ["age"], "breaks": [0, 30, 50]}
    numbers = PEOPLE.with_columns(pl.col("age").cast(pl.Int64))
    assert masked(bands)["age"].to_list() == masked(bands, table=numbers)["age"].to_list()
    path = tmp_path / "people.parquet"
    PEOPLE.write_parquet(path)
    noise = {"method": "noise", "variables": ["age"], "share": 0.5}
    assert masked(noise, table=path)["age"].equals(masked(noise, table=numbers)["age"])


def test_others_stay_texts():
    """Which texts a category has is nothing that a step may change."""
    found = masked(
        {"method": "recode", "variables": ["age"], "breaks": [0, 30, 50]},
        {"method": "pram", "variables": ["area"], "keep": 0.8},
    )
    assert found.schema["area"] == pl.String
    assert set(found["area"]) == {"0", "1", "2"}


def test_what_spells_no_plain_numbers_stays_a_category():
    with pytest.raises(InputError, match='"code" is a category'):
        masked({"method": "noise", "variables": ["code"], "share": 0.1})
