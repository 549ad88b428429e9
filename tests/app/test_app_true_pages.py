"""What pages show is what is so, and what is typed is never taken for something else."""

import re

import polars as pl
import pytest

from microgauge.app import drawing, limits, recipes
from microgauge.app.pages.files import role_words
from microgauge.languages.catalogue import Words
from support.app import wait_for

WORDS = Words("en")


# -- decimal commas ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("0,1", True),
        ("200.000,5", True),
        ("0,1, 0,2", True),
        ("70,75", True),
        ("0.1", False),
        ("0.1, 0.2", False),
        ("1,2,3", False),
        ("0.1 to 0.5 by 0.1", False),
        ("", False),
    ],
)
def test_one_number_or_two_is_asked_for(text, unclear):
    found = recipes.comma_faults("noise", {"p-share": text})
    assert list(found) == (["share"] if unclear else [])


def test_lists_have_commas():
    assert recipes.comma_faults("recode", {"p-breaks": "0,18", "p-prefix": "2"}) == {}


def test_a_decimal_comma_is_told_at_its_field_and_nothing_is_explored(described):
    page = described.get("/protect/1/0?method=noise")
    page = described.send(page, "/protect/1/0", variable=["income"], **{"p-share": "0,1"})
    assert page.status == 422
    assert "share: one number or two? Write one with a point (0.1)" in page.text
    assert "must be a number above 0" not in page.text, "one fault of a field is enough"
    assert 'value="0,1"' in page.html
    assert described.running.project.state["recipes"][0]["content"]["step"] == []


@pytest.mark.parametrize("require", ["gdu>=0,8", "k>=3; gdu>=0.8"])
def test_limits_say_how_they_are_written(require):
    (said,) = limits.faults_of(require)
    assert said.endswith("k>=3, gdu>=0.8.")
    assert limits.faults_of("k>=3, gdu>=0.8") == ()


# -- recipes as they are -----------------------------------------------------------------------


def test_lists_that_are_explored_stay_apart():
    breaks = {"grid": [[0, 18, 65], [0, 40]]}
    said = recipes.told({"method": "recode", "variables": ["age"], "breaks": breaks})
    assert said == [("breaks", "0, 18, 65; 0, 40")]
    said = recipes.told({"method": "recode", "variables": ["sex"], "map": {"f": "x", "m": "x"}})
    assert said == [("map", "f = x, m = x")]
    assert recipes.told({"method": "none such", "k": 3}) == [("k", "3")]


def test_identifiers_are_ticked_where_they_are_removed(visitor):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    text = '[variable.region]\nrole = "id"\n[variable.income]\nrole = "weight"\n'
    visitor.send(visitor.get("/describe/schema"), "/describe/schema", text=text)
    visitor.wait()
    visitor.send(visitor.get("/protect"), "/protect")
    page = visitor.get("/protect/1/0?method=remove")
    assert 'data-tick="id"' in page.html
    assert 'value="region" data-role="id"' in page.html
    assert re.search(r"region identifier .*income weight", page.text)
    assert 'data-role="id"' not in visitor.get("/protect/1/0?method=recode").html
    # What is said of values is said of the original: a step before may have changed them.
    page = visitor.get("/protect/1/0?method=recode")
    assert "Values in the original:" in page.text


def test_what_is_rare_is_there_all_the_same(visitor, tables):
    table = pl.DataFrame({"sex": ["x", *["f"] * 300], "age": [*range(301)]})
    table.write_csv(tables / "original.csv")
    visitor.choose(original="original.csv")
    visitor.send(visitor.get("/protect"), "/protect")
    visitor.wait()
    page = visitor.get("/protect/1/0?method=pram")
    assert "x < 1 %" in page.text
    assert "f > 99 %" in page.text


# -- files -------------------------------------------------------------------------------------


def test_to_choose_nothing_is_no_choice(visitor):
    page = visitor.choose()
    assert page.status == 422
    assert "Say which file is the original." in page.text
    visitor.choose(original="original.csv")
    page = visitor.choose()
    assert page.status == 200, "what was chosen can be taken back"


def test_a_choice_that_cannot_be_kept_is_shown_as_it_was_made(visitor):
    page = visitor.choose(original=["original.csv", "weak.csv"], candidate="strong.csv")
    assert page.status == 422
    chosen = [value for name, value in page.form("/files").fields if name == "role"]
    assert sorted(chosen) == ["candidate", "original", "original"]
    assert set(role_words(WORDS)) >= set(chosen)


def test_with_an_original_alone_the_way_goes_on_to_protect(visitor):
    visitor.choose(original="original.csv")
    visitor.wait()
    page = visitor.get("/describe")
    assert "Go on to protect" in page.text
    assert "Go on to measure" not in page.text
    page = visitor.get("/measure")
    assert "There is no protected version of original.csv yet" in page.text
    assert page.html.index('class="button main" href="/protect"')
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    assert "Go on to measure" in visitor.get("/describe").text


def test_an_original_and_a_version_that_were_taken_for_each_other_are_noticed(visitor, tables):
    less = pl.read_csv(tables / "weak.csv").drop("region", "sex")
    less.write_csv(tables / "weak.csv")
    visitor.choose(original="weak.csv", candidate="original.csv")
    visitor.wait()
    page = visitor.get("/describe")
    assert "2 variables of the protected version are not in the original sex region" in page.text
    assert "taken for each other?" in page.text
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    assert "taken for each other?" not in visitor.get("/describe").text


# -- the map -----------------------------------------------------------------------------------


def points(*names, risk=0.1):
    return [
        {"name": name, "risk": risk + at / 1000, "utility": 0.9} for at, name in enumerate(names)
    ]


def labels(drawn):
    found = re.findall(r'<text class="label" x="([\d.-]+)" y="([\d.-]+)">([^<]+)<', str(drawn))
    return {name: (float(x), float(y)) for x, y, name in found}


def test_names_that_do_not_fit_are_numbers():
    long = [
        "AGEP breaks 0/18/65, local_suppression k 2",
        "AGEP breaks 0/18/65, local_suppression k 5",
    ]
    assert drawing.called(points(*long), WORDS) == ["1", "2"]
    assert set(labels(drawing.chart(points(*long), WORDS))) == {"1", "2"}
    explored = [{**point, "number": n} for point, n in zip(points(*long), "38", strict=True)]
    assert drawing.called(explored, WORDS) == ["3", "8"], "while more are to come"
    assert drawing.called(points("weak", "strong"), WORDS) == ["weak", "strong"]


def test_what_candidates_are_called_stands_apart():
    """Also where they are near each other."""
    found = labels(drawing.chart(points("aaa", "bbb", "ccc"), WORDS))
    assert set(found) == {"aaa", "bbb", "ccc"}
    boxes = {name: (x, y - 9, x + 3 * 6.5, y + 2) for name, (x, y) in found.items()}
    for one in boxes:
        for other in boxes:
            assert one == other or not drawing._overlap(boxes[one], boxes[other]), (one, other)


def test_a_measured_map_and_its_table_agree(measured):
    page = measured.get(f"/look/{measured.run}")
    assert set(labels(page.html)) == {"weak", "strong"}


# -- work under way ----------------------------------------------------------------------------


def test_the_head_is_asked_whether_work_is_under_way(visitor):
    assert "Working" not in visitor.get("/busy").text
    visitor.choose(original="original.csv", candidate="weak.csv")
    page = visitor.get("/busy")
    assert "Working" in page.text
    assert page.links[0].startswith("/runs/")
    visitor.wait()
    wait_for(lambda: "Working" not in visitor.get("/busy").text)
