"""Faults of the tables that risk is measured against are told of these tables."""

from __future__ import annotations

import polars as pl
import pytest

import microgauge

NAME = "protected table"
"""A column whose name is like words of messages."""


@pytest.mark.parametrize("which", ["external", "population"])
def test_faults_name_the_table_they_are_in(which: str) -> None:
    table = pl.DataFrame({NAME: [1.5, 2.5, 3.5, 4.5], "b": ["x", "y", "x", "y"]})
    held = pl.DataFrame({NAME: [1.5, float("inf"), 3.5, 4.5], "b": ["x", "y", "x", "y"]})
    variables = {NAME: {"type": "continuous", "role": "quasi_identifier"}}
    with pytest.raises(microgauge.InputError) as caught:
        microgauge.assess(table, table, schema={"variable": variables}, **{which: held})
    assert caught.value.faults == (
        f'"{NAME}" is infinite in 1 cell of the {which} table. Make such cells missing, or declare '
        "a finite code for them.",
    )
