"""Where somebody new to it was lost: each page says what to do next, and does it."""

import tomllib

import polars as pl
import pytest

from microgauge.app.jobs import Run
from microgauge.app.pages.runs import download_name
from support.app import visited

SCHEMA = """
[options]
weight = "gone"
seed = 7

[variable.gone]
role = "weight"

[variable.lost]
role = "sensitive"

[variable.age]
role = "quasi_identifier"

[[indicator]]
statistic = "mean"
variable = "income"
"""
DROP, ANEW = "/describe/drop", "/describe/anew"


def described_by(visitor, text):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    visitor.send(visitor.get("/describe/schema"), "/describe/schema", text=text)
    visitor.wait()
    return visitor.get("/describe")


def schema_of(visitor):
    return tomllib.loads(visitor.running.project.state["schema"])


# -- a description of other files --------------------------------------------------------------


def test_entries_of_variables_that_no_file_has_are_dropped(visitor):
    page = described_by(visitor, SCHEMA)
    assert "2 variables that are described are in none of these files" in page.text
    assert visitor.client.get("/describe/schema.toml").text == SCHEMA
    form = page.form(DROP).filled()
    for _ in range(2):  # a double click
        assert visitor.post(DROP, form).path == "/describe"
    left = tomllib.loads(SCHEMA)
    del left["variable"]["gone"], left["variable"]["lost"], left["options"]["weight"]
    assert schema_of(visitor) == left
    visitor.wait()
    page = visitor.get("/describe")
    assert DROP not in page.html
    assert visitor.running.jobs.runs("describe")[0].state == "done"


def test_a_new_description_is_begun(visitor):
    page = described_by(visitor, SCHEMA)
    page = visitor.send(page, ANEW)
    assert page.path == "/describe"
    assert visitor.running.project.state["schema"] == ""
    visitor.wait()
    assert ANEW not in visitor.get("/describe").html


def test_a_description_that_was_changed_elsewhere_is_not_thrown_away(visitor):
    page = described_by(visitor, SCHEMA)
    text = SCHEMA + 'category = "x"\n'
    visitor.send(visitor.get("/describe/schema"), "/describe/schema", text=text)
    for to in (DROP, ANEW):
        assert visitor.send(page, to).status == 409
    assert visitor.running.project.state["schema"] == text


def test_a_file_of_the_same_name_with_other_columns_is_looked_at_anew(visitor, tables):
    described_by(visitor, '[variable.region]\nrole = "quasi_identifier"\n')
    assert visitor.running.jobs.runs("describe")[0].state == "done"
    for name in ("original.csv", "weak.csv"):
        pl.read_csv(tables / name).rename({"region": "place"}).write_csv(tables / name)
    page = visitor.get("/describe")
    assert DROP not in page.html, "what is described is not what is there"
    visitor.send(page, "/describe/again")
    visitor.wait()
    page = visitor.get("/describe")
    assert "1 variable that is described is in none of these files" in page.text
    visitor.send(page, DROP)
    assert schema_of(visitor) == {}


def test_only_what_the_schema_says_of_a_column_goes():
    """A variable may be called like another option's value."""
    from microgauge.app import schemas

    text = '[options]\nmissing = "drop"\nkey = "drop"\n[variable.drop]\nrole = "id"\n'
    assert schemas.without(tomllib.loads(text), "drop") == {"options": {"missing": "drop"}}


# -- keys ----------------------------------------------------------------------------------------


def test_without_keys_it_is_said_what_is_missing(visitor):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    page = visitor.get("/describe")
    assert "No keys are described: the risk cannot be measured without them" in page.text
    assert "Take the proposals" in page.text
    assert 'id="no-keys"' in page.html
    assert "#no-keys" in page.links
    # It is so: the command cannot tell.
    run = visitor.wait(visitor.send(visitor.get("/measure"), "/measure").path.rsplit("/", 1)[-1])
    assert run.state == "done"
    assert "Its safety was not measured" in visitor.get(f"/look/{run.id}").text
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.wait()
    assert "No keys are described" not in visitor.get("/describe").text


def test_an_identifier_is_no_proposal(tables):
    for name in ("original.csv", "weak.csv"):
        numbers = pl.Series(range(4_000, 4_150)).shuffle(3)
        pl.read_csv(tables / name).with_columns(
            household_id=numbers, age_weight=pl.lit(1.5)
        ).write_csv(tables / name)
    with visited(tables) as visitor:
        visitor.choose(original="original.csv", candidate="weak.csv")
        visitor.wait()
        page = visitor.get("/describe")
        assert page.text.count("looks like an identifier: leave it out of the release") == 1
        visitor.send(page, "/describe/proposals")
        assert set(schema_of(visitor)["variable"]) == {"age", "sex", "region", "income"}


def test_a_mark_of_utf_8_is_taken_off(visitor):
    visitor.choose(original="original.csv")
    visitor.wait()
    text = '[variable.age]\nrole = "quasi_identifier"\n'
    page = visitor.get("/describe/schema")
    sent = visitor.upload(page, "s.toml", b"\xef\xbb\xbf" + text.encode(), purpose="schema")
    assert sent.path == "/describe"
    assert visitor.running.project.state["schema"] == text
    page = visitor.get("/describe/schema")
    visitor.send(page, "/describe/schema", text="\ufeff" + text.replace("age", "sex"))
    assert visitor.running.project.state["schema"] == text.replace("age", "sex")


# -- results -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ticked", [[], ["1"], ["1", "1"], ["0", "77"], ["x", "0"]])
def test_two_candidates_are_needed_to_compare(measured, ticked):
    query = "&".join(f"of={one}" for one in ticked)
    page = measured.get(f"/look/{measured.run}/compare?{query}")
    assert page.status == 422
    assert "Tick two candidates to compare." in page.text
    kept = [v for n, v in page.form(f"/look/{measured.run}/compare").fields if n == "of"]
    assert kept == sorted({one for one in ticked if one in ("0", "1")})
    assert "disabled" not in page.html


def test_more_than_two_are_too_many(measured, monkeypatch):
    from microgauge.app import results

    def three(result):
        return [*result["candidates"], result["candidates"][0]]

    monkeypatch.setattr(results, "candidates_of", three)
    page = measured.get(f"/look/{measured.run}/compare?of=0&of=1&of=2")
    assert page.status == 422
    assert "Tick two candidates to compare, and no more." in page.text


def test_why_one_is_recommended_is_a_sentence(measured):
    page = measured.get(f"/look/{measured.run}")
    place = page.html.index('class="chosen"')
    reason = page.html[place:].partition("</p>")[2].partition("<p>")[2].partition("</p>")[0]
    assert reason[0].isupper(), reason
    assert reason.endswith("."), reason


def test_files_are_named_after_what_was_measured(measured):
    answer = measured.client.get(f"/runs/{measured.run}/files/summary.pdf")
    said = answer.headers["content-disposition"]
    assert said == f'attachment; filename="summary-strong_weak-{measured.run}.pdf"'


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("people.csv.gz", "report-people-0007.html"),
        ("a/b/weak.parquet, c/strong.csv", "report-weak_strong-0007.html"),
        ("book.xlsx::Größe 1", "report-book-Größe 1-0007.html"),
        ("../../etc/passwd", "report-passwd-0007.html"),
        ('a"b\r\nX-Evil: 1.csv', "report-abX-Evil 1-0007.html"),
        ("\u202egnp.csv", "report-gnp-0007.html"),
        ("..", "report-file-0007.html"),
        ("ä" * 300 + ".csv", f"report-{'ä' * 50}-0007.html"),
    ],
)
def test_hostile_names_of_files_name_no_other(title, name):
    run = Run("0007", "measure", title, [])
    assert download_name(run, "report.html") == name


def test_names_that_are_not_ascii_come_through(tables):
    (tables / "weak.csv").rename(tables / "Größe 2.csv")
    with visited(tables) as visitor:
        visitor.choose(original="original.csv", candidate="Größe 2.csv")
        visitor.wait()
        page = visitor.send(visitor.get("/measure"), "/measure")
        run = visitor.wait(page.path.rsplit("/", 1)[-1])
        answer = visitor.client.get(f"/runs/{run.id}/files/result.json")
        said = answer.headers["content-disposition"]
        assert said == f"attachment; filename*=utf-8''result-Gr%C3%B6%C3%9Fe%202-{run.id}.json"


def test_the_command_line_has_a_button_that_needs_no_inline_script(measured):
    for path in (f"/look/{measured.run}", f"/runs/{measured.run}"):
        page = measured.get(path)
        assert "data-copy hidden" in page.html, "without scripts there is nothing to press"
        assert 'aria-live="polite"' in page.html
        assert "onclick" not in page.html
        assert "unsafe-inline" not in page.answer.headers["content-security-policy"]
