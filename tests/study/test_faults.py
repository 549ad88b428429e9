"""Faults of a schema held against two tables: all at once, each a record with its kind."""

import pandas as pd
import pytest

import microgauge
from microgauge import InputError


def test_faults_are_records_of_all_kinds_at_once():
    frame = pd.DataFrame({"unit": [1, 1, 2], "a": ["x", "y", "x"], "n": [1.5, 2.5, 3.5]})
    said = {
        "options": {"key": "unit", "missing": "dropp"},
        "variable": {"a": {"type": "continuous"}},
        "indicator": [{"statistic": "mean", "variable": "b"}],
    }
    with pytest.raises(InputError) as refused:
        microgauge.assess(frame, frame, schema=said)
    records = refused.value.records
    assert {fault.code for fault in records} == {"schema", "table", "column"}
    assert [fault.sentence for fault in records] == list(refused.value.faults)
    assert all(str(fault) in str(refused.value) for fault in records)


def test_a_repeated_key_is_a_fault_of_the_key():
    frame = pd.DataFrame({"unit": [1, 1, 2], "n": [1.5, 2.5, 3.5]})
    with pytest.raises(InputError) as refused:
        microgauge.assess(frame, frame, schema={"options": {"key": "unit"}})
    assert {fault.code for fault in refused.value.records} == {"key"}
