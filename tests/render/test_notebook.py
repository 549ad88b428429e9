"""Results in Python: what a notebook shows, charts, workbooks, and tables of the reader's kind."""

from __future__ import annotations

import io
import json
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microgauge
from microgauge.errors import InputError
from microgauge.render.workbook import SHEETS, sheets_of, workbook
from microgauge.results.given_back import given_back
from support.reports import HOSTILE, demo_ranking, demo_result, hostile_ranking, hostile_result
from support.surveys import KEY, make_survey, perturb, types_of

KEYS = dict.fromkeys(("region", "sex", "age"), KEY)


@pytest.fixture(scope="module")
def result():
    original = make_survey(300, 1)
    said = types_of(original, KEYS)
    return microgauge.assess(original, perturb(original, 0.2), schema=said)


# -- what a notebook shows -----------------------------------------------------------------------


def test_a_notebook_shows_the_verdict_the_map_and_the_weakest_variables(result):
    view = result._repr_html_()
    for sentence in (result.verdict.useful.sentence, result.verdict.safe.sentence):
        assert sentence in unescape(view).replace("\u00a0", " ")
    assert view.count("<svg") == 1
    assert "weakest variables" in view
    assert "Useful?" in view
    assert "Safe?" in view


def test_a_ranking_shows_its_choice_the_map_and_the_candidates():
    ranking = demo_ranking()
    view = ranking._repr_html_()
    assert view.count("<svg") == 1
    assert all(candidate.name in view for candidate in ranking.candidates)
    assert ranking.recommended.reason in unescape(view).replace("\u00a0", " ")


class Elements(HTMLParser):
    """What a browser would make of a page: its elements and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("made", [hostile_result, hostile_ranking])
def test_names_of_data_are_text_in_a_notebook(made):
    read = Elements()
    read.feed(made()._repr_html_())
    assert not read.found & {"script", "img", "iframe", "a", "style", "object", "form"}
    assert not [name for name in read.attributes if name.startswith("on")]
    assert "href" not in read.attributes


def test_results_say_what_they_are(result):
    assert repr(result).startswith(f"Assessment(useful={result.verdict.useful.grade}, safe=")
    assert "rows=300→300" in repr(result)
    assert repr(demo_ranking()).startswith("Ranking(candidates=")
    found = microgauge.diagnose(make_survey(100), schema=types_of(make_survey(100), KEYS))
    assert repr(found).startswith("Diagnosis(rows=100, ")
    assert "<pre>" in found._repr_html_()


def test_without_a_verdict_the_headline_is_shown():
    original = make_survey(100)
    found = microgauge.assess(original, perturb(original, 0.2), only=["gdu"])
    assert "Global data utility" in found._repr_html_()
    assert "useful" not in repr(found)


# -- charts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["map", "variables", "pairs"])
def test_charts_of_a_file_display_and_are_saved(result, name, tmp_path):
    chart = getattr(result.plot, name)()
    shown = chart._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert json.loads(json.dumps(shown["application/vnd.vegalite.v5+json"], allow_nan=False))
    chart.save(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"svg or \.png"):
        chart.save(tmp_path / "chart.pdf")


def test_the_chart_of_pairs_holds_every_pair_once(result):
    rows = result.plot.pairs().spec["data"]["values"]
    assert len(rows) == len(result.gdu.pairs)
    here = {frozenset((row["a"], row["b"])): row["utility"] for row in rows}
    assert here == {frozenset((p.a, p.b)): p.utility for p in result.gdu.pairs}


def test_charts_of_a_ranking_display():
    ranking = demo_ranking()
    for chart in (ranking.plot.map(), ranking.plot.levels()):
        assert chart._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_a_chart_of_what_was_not_measured_says_so():
    original = make_survey(60)
    found = microgauge.assess(original, original, only=["left_in"])
    for name in ("map", "variables", "pairs"):
        with pytest.raises(ValueError, match=r"leave|name keys"):
            getattr(found.plot, name)()


# -- workbooks -----------------------------------------------------------------------------------


def test_a_workbook_holds_every_table(tmp_path):
    result = demo_result()
    result.to_excel(tmp_path / "all.xlsx")
    found = pd.read_excel(tmp_path / "all.xlsx", sheet_name=None, engine="calamine")
    assert list(found) == list(sheets_of(result))
    pairs = result.pair_table()
    assert len(found["pairs"]) == len(pairs)
    kept = pd.to_numeric(found["pairs"]["utility"])
    assert np.allclose(kept, pairs["utility"].to_numpy(), equal_nan=True)
    # Nothing that a result has tables of is forgotten.
    made = {name for name in dir(result) if name.endswith("_table")}
    assert len(SHEETS) == len(made)


def test_equal_results_are_equal_workbooks(result):
    from microgauge.render.workbook import result_workbook

    assert result_workbook(result) == result_workbook(result)


def test_a_workbook_of_a_ranking_names_the_candidates(tmp_path):
    ranking = demo_ranking()
    ranking.to_excel(tmp_path / "all.xlsx")
    found = pd.read_excel(tmp_path / "all.xlsx", sheet_name=None, engine="calamine")
    names = [candidate.name for candidate in ranking.candidates]
    assert list(found["candidates"]["name"]) == names
    assert set(found["verdict"]["candidate"]) <= set(names)


def test_labels_are_no_formulas_and_no_links():
    import zipfile

    table = pl.DataFrame({"=1+1": ["=cmd|' /C calc'!A0", "https://example.org", "+1", *HOSTILE]})
    content = workbook({"a": table})
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        sheet = parts.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet
        assert not [name for name in parts.namelist() if "rels/sheet" in name]


# -- tables of the reader's kind -----------------------------------------------------------------


def test_tables_come_back_as_what_went_in(result):
    assert isinstance(result.pair_table(), pd.DataFrame)
    original = make_survey(80)
    changed = perturb(original, 0.2)
    both = {
        pl.DataFrame: (pl.from_pandas(original), pl.from_pandas(changed)),
        pa.Table: (pa.Table.from_pandas(original), pa.Table.from_pandas(changed)),
    }
    for kind, (before, after) in both.items():
        found = microgauge.assess(before, after, only=["gdu"])
        assert isinstance(found.variable_table(), kind)
    asked = microgauge.assess(original, changed, only=["gdu"], frames="polars")
    assert isinstance(asked.variable_table(), pl.DataFrame)


def test_a_masked_table_comes_back_as_what_went_in():
    original = make_survey(50)
    recipe = {"step": [{"method": "round", "variables": ["income"], "unit": 100}]}
    found = microgauge.mask(original, recipe)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == list(original.columns)
    as_polars = microgauge.mask(pl.from_pandas(original), recipe)
    assert isinstance(as_polars, pl.DataFrame)
    assert found["income"].tolist() == as_polars["income"].to_list()


def test_missing_values_stay_missing_in_pandas():
    table = pl.DataFrame(
        {
            "whole": [1, None],
            "number": [1.5, None],
            "flag": [True, None],
            "text": ["a", None],
            "full": [1, 2],
        },
        schema_overrides={"whole": pl.UInt8},
    )
    found = given_back(table, "pandas")
    assert found.isna().sum().tolist() == [1, 1, 1, 1, 0]
    assert str(found["whole"].dtype) == "UInt8"
    assert found["full"].tolist() == [1, 2]
    assert given_back(table.clear(), "pandas").shape == (0, 5)
    with pytest.raises(ValueError, match="pandas or pyarrow"):
        given_back(table, "spark")
