"""Steps as forms: what a field asks for, what stands beside it, and what a preview says."""

import json
import re

import pytest

from microgauge.app import recipes, results
from microgauge.languages.catalogue import words_of
from microgauge.languages.messages import in_language, say
from microgauge.masking.methods import method, method_names
from microgauge.masking.step import Look

NUMBERS = {(name, one.name) for name in method_names() for one in recipes.parameters_of(name)
           if one.shape in ("number", "whole")}  # fmt: skip
CHOICES = [(name, one) for name in method_names() for one in recipes.parameters_of(name)
           if one.shape == "choice"]  # fmt: skip


def begun(visitor, *, proposals=False):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    if proposals:
        visitor.send(visitor.get("/describe"), "/describe/proposals")
        visitor.wait()
    visitor.send(visitor.get("/protect"), "/protect")


def step(visitor, name, place=0, **fields):
    page = visitor.get(f"/protect/1/{place}?method={name}")
    return visitor.send(page, f"/protect/1/{place}", **fields)


def steps_of(visitor):
    return visitor.running.project.state["recipes"][0]["content"]["step"]


def beside(page, label):
    """The part of a page that begins with the name of a field, up to the next one."""
    start = rf'(?:<label for="p-{label}">|<legend>(?:(?!</legend>).)*{label})'
    end = r'(?:<div class="field|<fieldset|<p class="bar sticky)'
    found = re.search(f"{start}.*?(?={end})", page.html, re.DOTALL)
    assert found, label
    return found[0]


# -- hints -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "parameter"), sorted(NUMBERS))
def test_values_of_a_hint_can_be_taken(name, parameter):
    (one,) = [one for one in recipes.parameters_of(name) if one.name == parameter]
    said = re.fullmatch(r"Several values are explored: (.+) or (.+)", one.hint)
    few, many = (recipes.numbers_in(text) for text in said.groups())
    assert len(few) == 2
    assert few == many[:2]
    assert len(many) > 2
    if one.shape == "whole":
        assert all(isinstance(value, int) for value in many)
    look = Look({"x": "code"}, 10_000)
    for value in many:
        made = method(name)(
            **{parameter: value}, **({} if name == "sample" else {"variables": ("x",)})
        )
        assert not made.faults(look)


def test_a_hint_fits_its_parameter(described):
    page = described.get("/protect/1/0?method=microaggregation")
    assert "3, 5 or 3 to 9 by 2" in page.text
    assert "0.1" not in page.text
    assert "0.1, 0.2 or 0.1 to 0.5 by 0.1" in described.get("/protect/1/0?method=noise").text
    page = described.get("/protect/1/0?method=recode")
    assert "With commas between: 0, 18, 30, 65." in page.text
    page = described.get("/protect/1/0?method=local_suppression")
    assert "A line for each variable: age = 3" in page.text


# -- choices ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "one"), CHOICES, ids=lambda value: getattr(value, "name", value))
def test_a_choice_is_ticked_and_says_what_it_means(described, name, one):
    page = described.get(f"/protect/1/0?method={name}")
    form = page.form("/protect/1/0")
    assert form.choices[f"p-{one.name}"] == [word for word, _ in one.choices]
    assert f"p-{one.name}" not in dict(form.fields)
    for word, meaning in one.choices:
        assert meaning != word
        assert f"{meaning} {word}" in page.text
    assert f"{one.default} ( unless said )".replace(" ", "") in page.text.replace(" ", "")


def test_one_ticked_is_the_value_and_several_are_explored(visitor):
    begun(visitor)
    there = {"variable": ["age", "income"]}
    step(visitor, "microaggregation", **there, **{"p-groups": ["mdav"]})
    assert steps_of(visitor)[0]["groups"] == "mdav"
    page = visitor.get("/protect/1/0")
    shown = page.form("/protect/1/0")
    assert [value for key, value in shown.fields if key == "p-groups"] == ["mdav"]
    page = visitor.send(page, "/protect/1/0", **{"p-groups": ["each", "mdav"]})
    assert steps_of(visitor)[0]["groups"] == {"grid": ["each", "mdav"]}
    assert "Explore 2 candidates" in page.text
    page = visitor.get("/protect/1/0")
    fields = page.form("/protect/1/0").fields
    assert [value for key, value in fields if key == "p-groups"] == ["each", "mdav"]
    visitor.send(page, "/protect/1/0", **{"p-groups": []})
    assert "groups" not in steps_of(visitor)[0]


def test_a_word_that_is_none_of_a_choice_is_told_and_kept(described):
    page = step(described, "round", variable=["age"], **{"p-unit": "5", "p-mode": "upwards"})
    assert page.status == 422
    assert "mode must be nearest, floor or ceiling." in beside(page, "mode")
    fields = page.form("/protect/1/0").fields
    assert [value for key, value in fields if key == "p-mode"] == ["upwards"]


# -- values, and which way a variable needs --------------------------------------------------


def test_the_values_of_variables_stand_beside_the_fields(described):
    page = described.get("/protect/1/0?method=recode")
    ages = [row["age"] for row in rows_of(described)]
    assert f"age numbers from {min(ages)} to {max(ages)}" in page.text
    regions = [row["region"] for row in rows_of(described)]
    for name in ("north", "south", "east"):
        assert f"{name} {100 * regions.count(name) / len(regions):.0f} %" in page.text
    assert "data-there" not in described.get("/protect/1/0?method=suppress").html


def rows_of(visitor):
    import polars as pl

    return pl.read_csv(visitor.running.folder.root / "original.csv").to_dicts()


def test_of_chosen_variables_alone_values_are_shown(described):
    page = step(described, "recode", variable=["sex"])
    shown = {name: "hidden" not in rest
             for name, rest in re.findall(r'data-of="(\w+)"([^>]*)>', page.html)}  # fmt: skip
    assert shown == {"age": False, "sex": True, "region": False, "income": False}


@pytest.mark.parametrize(
    ("variable", "fields", "where", "said"),
    [
        ("sex", {}, "map", '"sex" is a category: give map or prefix.'),
        ("age", {}, "breaks", '"age" holds numbers: give breaks or map.'),
        (
            "sex",
            {"p-breaks": "0, 5"},
            "breaks",
            '"sex" is a category; breaks are for numbers: give map or prefix.',
        ),
        ("age", {"p-breaks": "5, 0"}, "breaks", "breaks must be rising numbers."),
        ("age", {"p-labels": "young, old", "p-prefix": "1"}, "labels", "labels go with breaks."),
    ],
)
def test_what_a_variable_needs_is_told_at_its_field(described, variable, fields, where, said):
    page = step(described, "recode", variable=[variable], **fields)
    assert page.status == 422
    assert page.text.index("The step is not saved") < page.text.index("Variables")
    part = beside(page, where)
    assert said in part.replace("&#34;", '"')


def test_what_is_wrong_with_a_variable_is_told_at_the_variables(described):
    page = step(described, "noise", variable=["sex"], **{"p-share": "0.1"})
    part = re.search(r'<fieldset class="field faulty">.*?</fieldset>', page.html, re.DOTALL)
    assert "noise is for numbers" in part[0]
    assert 'name="variable"' in part[0]


def test_a_matrix_is_filled_in_line_by_line(visitor):
    begun(visitor)
    text = "north = { north = 0.8, south = 0.2 }\nsouth = { south = 1.0 }"
    page = step(visitor, "pram", variable=["region"], **{"p-matrix": text})
    assert page.path == "/protect/1", page.text
    assert steps_of(visitor)[0]["matrix"] == {
        "north": {"north": 0.8, "south": 0.2},
        "south": {"south": 1.0},
    }
    assert dict(visitor.get("/protect/1/0").form("/protect/1/0").fields)["p-matrix"] == text
    page = visitor.send(
        visitor.get("/protect/1/0"), "/protect/1/0", **{"p-matrix": "north = { south = 0.2 }"}
    )
    assert "shares that add up to 1" in beside(page, "matrix")


# -- ticking, removing -----------------------------------------------------------------------


def test_keys_are_ticked_at_once_where_scripts_run(visitor):
    begun(visitor)
    assert "data-tick" not in visitor.get("/protect/1/0?method=swap").html
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.wait()

    def told(name):
        html = visitor.get(f"/protect/1/0?method={name}").html
        buttons = re.findall(r'data-tick="(\w+)" hidden', html)
        return buttons, re.findall(r'value="(\w+)" data-role="(\w+)"', html)

    keys = [(name, "quasi_identifier") for name in ("age", "sex", "region")]
    assert told("swap") == (["quasi_identifier", "sensitive"], [*keys, ("income", "sensitive")])
    # What a method cannot take is not ticked for it.
    assert told("noise")[1] == [keys[0], ("income", "sensitive")]
    assert told("pram") == (["quasi_identifier"], keys[1:])


def test_a_variable_is_left_out_of_the_file(visitor):
    begun(visitor, proposals=True)
    page = step(visitor, "remove", variable=["region"])
    assert steps_of(visitor) == [{"method": "remove", "variables": ["region"]}]
    page = step(visitor, "swap", place=1, variable=["sex", "region"], **{"p-share": "0.1"})
    assert page.status == 422
    assert '"region" was removed by a step before.' in page.text
    page = visitor.send(visitor.get("/protect/1"), "/protect/1/candidate")
    assert visitor.wait(page.path.rsplit("/", 1)[-1]).state == "done"
    (made,) = [name for name in visitor.running.project.state["files"]["candidates"]
               if name != "weak.csv"]  # fmt: skip
    text = (visitor.running.folder.root / made).read_text()
    assert text.startswith("age,sex,income\n")


# -- previews --------------------------------------------------------------------------------


def test_a_preview_says_why(visitor):
    begun(visitor, proposals=True)
    page = step(visitor, "round", variable=["age"], **{"p-unit": "2"})
    visitor.send(page, "/protect/1/preview")
    visitor.wait()
    run = visitor.running.jobs.runs("preview")[0]
    result = json.loads((visitor.running.jobs.place(run.id) / "result.json").read_text())
    page = visitor.get("/protect/1")
    assert result["verdict"]["findings"][0]["sentence"] in page.text
    assert "missed:" not in page.text
    # Each figure has its own grade beside it.
    assert re.search(r"utility [\d.]+ (Good|Fair|Poor) risk [\d.]+ (Good|Fair|Poor)", page.text)


def test_a_preview_says_which_limits_are_missed(visitor):
    begun(visitor, proposals=True)
    page = visitor.get("/measure")
    visitor.wait(visitor.send(page, "/measure", require="risk<=0.001").path.rsplit("/", 1)[-1])
    page = step(visitor, "round", variable=["age"], **{"p-unit": "2"})
    visitor.send(page, "/protect/1/preview")
    visitor.wait()
    run = visitor.running.jobs.runs("preview")[0]
    assert run.state == "done", (run.faults, run.messages)
    page = visitor.get("/protect/1")
    assert "missed: risk at most 0.001; it is" in page.text
    assert page.text.count("missed:") == 1
    # What was held against other limits stays, and says so.
    visitor.send(visitor.get("/measure"), "/measure", **{"limit-risk": "1"})
    page = visitor.get("/protect/1")
    assert "missed:" not in page.text
    assert "Tried with other limits (risk<=0.001)" in page.text


def test_a_preview_says_which_values_it_tried_and_keeps_the_limits_beside_it(visitor):
    begun(visitor, proposals=True)
    step(visitor, "round", variable=["age"], **{"p-unit": "2"})
    page = step(visitor, "round", 1, variable=["income"], **{"p-unit": "10, 50, 100"})
    limits = {"limit-risk": "0.97", "limit-utility": "0.1", "require": "gdu>=0.2"}
    visitor.send(page, "/protect/1/preview", count="2", **limits)
    page = visitor.get("/protect/1")
    kept = visitor.running.project.state["measure"]["require"]
    assert kept == "risk<=0.97, utility>=0.1, gdu>=0.2"
    assert dict(page.form("/protect/1/explore").fields)["limit-risk"] == "0.97"
    (run,) = visitor.running.jobs.runs("preview")
    assert run.commands[-1][-2:] == ["--require", kept]
    assert "Of several values, one was tried: step 2 unit 50" in page.text
    page = visitor.send(page, "/protect/1/preview", count="2", require="nix>=1")
    assert page.status == 422
    assert visitor.running.project.state["measure"]["require"] == kept
    visitor.wait()


@pytest.mark.parametrize("part", ["brief", "sentence"])
def test_what_stops_a_release_is_said_once(part):
    """It stands above the rest, which begins with it in what commands print."""
    stop, rest = say("Stop"), say("Its safety was not measured.")
    said = say(f"{{stop}} {{{part}}}", stop=stop, **{part: rest})
    told = results.beside_stop({"stop": stop, "brief": None, part: said})
    assert in_language(told, words_of("de")) == "Der Schutz wurde nicht gemessen."
    assert results.beside_stop({"stop": str(stop), "sentence": f"{stop} {rest}"}) == rest
    assert results.beside_stop({"sentence": rest}) == rest


def test_the_most_serious_is_said():
    good, poor = {"grade": "good", "sentence": "fine"}, {"grade": "poor", "sentence": "poor"}
    note, stop = ({"grade": grade, "sentence": grade} for grade in ("note", "stop"))

    def said(safe, *findings):
        return results.reason_of({"safe": safe, "useful": good, "findings": findings})

    assert said(good) is None
    assert said(good, note) == "note"
    assert said(poor, note) == "poor"
    assert said(poor, stop) == "stop"
    assert said(poor | {"brief": "short"}) == "short"
