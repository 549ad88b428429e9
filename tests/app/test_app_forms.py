"""Forms for analyses and options, and looking at each of several candidates."""

import tomllib

import pytest

from microgauge.app import choices, schemas
from support.app import visited

ANALYSES, CHOICES = "/describe/analyses", "/describe/choices"
HOSTILE = "<script>hacked()</script>"


def begun(visitor, *candidates):
    visitor.choose(original="original.csv", candidate=list(candidates) or "weak.csv")
    visitor.wait()


def filled(visitor, path, **fields):
    page = visitor.send(visitor.get(path), path, **{f"f-{k}": v for k, v in fields.items()})
    visitor.wait()
    return page


def schema_of(visitor):
    return tomllib.loads(visitor.running.project.state["schema"])


def test_analyses_are_added_changed_and_removed(visitor):
    begun(visitor)
    page = filled(
        visitor,
        f"{ANALYSES}/indicator/0",
        name="Mean income",
        statistic="mean",
        variable="income",
        by="sex",
        where="age >= 30",
        resamples="50",
    )
    assert page.path == ANALYSES
    assert "Mean income" in page.text
    filled(visitor, f"{ANALYSES}/indicator/1", statistic="share", variable="sex", category="f")
    filled(visitor, f"{ANALYSES}/regression/0", formula="income ~ age + sex", robust="yes")
    filled(visitor, f"{ANALYSES}/model/0", kind="scale", items="age, income")
    first = {"name": "Mean income", "statistic": "mean", "variable": "income", "by": "sex"}
    assert schema_of(visitor) == {
        "indicator": [
            first | {"where": "age >= 30", "resamples": 50},
            {"statistic": "share", "variable": "sex", "category": "f"},
        ],
        "regression": [{"formula": "income ~ age + sex", "robust": True}],
        "model": [{"kind": "scale", "items": ["age", "income"]}],
    }
    filled(visitor, f"{ANALYSES}/indicator/0", where="", resamples="")
    assert schema_of(visitor)["indicator"][0] == first
    visitor.send(visitor.get(ANALYSES), f"{ANALYSES}/indicator/0/remove")
    assert [one["statistic"] for one in schema_of(visitor)["indicator"]] == ["share"]
    visitor.send(visitor.get(ANALYSES), f"{ANALYSES}/indicator/0/remove")
    assert "indicator" not in schema_of(visitor)


def test_options_and_choices_are_what_the_schema_declares(visitor):
    begun(visitor)
    for kind in choices.kinds().values():
        path = f"{ANALYSES}/{kind.key}/0" if kind.several else f"{CHOICES}/{kind.key}"
        page = visitor.get(path)
        assert page.status == 200
        assert kind.fields
        for field in kind.fields:
            assert field.explanation, (kind.key, field.name)
            assert f'id="f-{field.name}"' in page.html
            assert field.explanation in page.text, (kind.key, field.name)
            if field.default and field.shape in ("line", "lines"):
                assert f'placeholder="{field.default}"' in page.html, (kind.key, field.name)
    filled(visitor, f"{CHOICES}/options", seed="7", pairs="age, sex\nage, income", aligned="yes")
    filled(visitor, f"{CHOICES}/tables", groups="age = 30, 60", by="sex")
    filled(visitor, f"{CHOICES}/require", risk="<=0.9")
    assert schema_of(visitor) == {
        "options": {"aligned": True, "pairs": [["age", "sex"], ["age", "income"]], "seed": 7},
        "tables": {"groups": {"age": [30, 60]}, "by": "sex"},
        "require": {"risk": "<=0.9"},
    }
    assert "age, sex" in visitor.get(CHOICES).text
    filled(visitor, f"{CHOICES}/options", seed="", pairs="", aligned="")
    assert "options" not in schema_of(visitor)


def test_a_form_that_is_saved_as_it_is_changes_nothing():
    """Whatever a file may say in another way than the form would write it."""
    text = """
[options]
pairs = [["a, b", "c"]]
balance = [1, 0]
[tables]
groups = { "x = y" = [1, 2.5], b = [3] }
[risk]
sensitivity = { "a=b" = 2.0 }
external_method = ["class", "unique"]
holdout = "people.csv"
[propensity]
leave_out = ["7", "a"]
penalty = 2
[[indicator]]
statistic = "share"
variable = "v"
category = true
[require]
k = 3
risk = "<= 0.05"
"""
    content = tomllib.loads(text)
    assert schemas.content_of(text) == content
    for kind in choices.kinds().values():
        for entry in (
            choices.tables_of(content, kind.key) if kind.several else [content.get(kind.key, {})]
        ):
            assert choices.entry_from(kind, choices.fields_of(entry), entry) == entry


@pytest.mark.parametrize(
    ("path", "fields", "at", "said"),
    [
        ("indicator/0", {"statistic": "mean"}, "variable", "has no variable."),
        (
            "indicator/0",
            {"statistic": "mean", "variable": "income", "resamples": "3"},
            "resamples",
            "resamples must be a whole number from 10 to 10,000.",
        ),
        (
            "indicator/0",
            {"statistic": "mean", "variable": "nix"},
            "variable",
            'names "nix", which is no column.',
        ),
        (
            "indicator/0",
            {"statistic": "mean", "variable": "income", "by": HOSTILE},
            "by",
            f'names "{HOSTILE}", which is no column.',
        ),
        (
            "indicator/0",
            {"statistic": "mean", "variable": "sex", "name": "x"},
            "variable",
            'the statistic mean needs numbers, but "sex"',
        ),
        ("regression/0", {"formula": "income ~ nix"}, "formula", 'names "nix"'),
        ("regression/0", {"formula": "income ~ age", "where": "age >"}, "where", "does not parse"),
        ("options", {"threshold": "7"}, "threshold", "threshold must be a number between 0 and 1."),
        ("options", {"balance": "1"}, "balance", "balance must be two numbers"),
        ("risk", {"group": "nix"}, "group", "nix"),
        ("require", {"risk": "x"}, "risk", 'risk must be a limit such as "<=0.05".'),
    ],
)
def test_faults_stand_beside_their_field_and_nothing_is_lost(described, path, fields, at, said):
    base = ANALYSES if path[-1].isdigit() else CHOICES
    page = filled(described, f"{base}/{path}", **fields)
    assert page.status == 422
    assert said in page.text
    assert HOSTILE not in page.html
    place = page.html.index('class="faults"')
    nearest = page.html[:place].rpartition('<label for="f-')[2]
    assert nearest.startswith(f'{at}"'), nearest[:40]
    shown = dict(page.form(f"{base}/{path}").fields)
    for name, value in fields.items():
        assert shown[f"f-{name}"] == value, "what was filled in is lost"
    assert described.running.project.state["schema"] == ""


def test_the_sentence_is_the_commands_own(described, tmp_path):
    import subprocess
    import sys

    page = filled(described, f"{ANALYSES}/indicator/0", statistic="mean", variable="nix")
    (tmp_path / "s.toml").write_text('[[indicator]]\nstatistic = "mean"\nvariable = "nix"\n')
    words = ["assess", "original.csv", "weak.csv", "--schema", str(tmp_path / "s.toml")]
    found = subprocess.run(
        [sys.executable, "-m", "microgauge", *words],
        cwd=described.running.folder.root,
        capture_output=True,
        text=True,
    )
    assert found.stderr.split("microgauge: ")[1].strip() in page.text


def test_a_fault_that_only_the_tables_show_stands_at_its_analysis(visitor):
    begun(visitor)
    page = visitor.get("/describe/schema")
    text = '[[indicator]]\nstatistic = "mean"\nvariable = "gone"\n'
    visitor.send(page, "/describe/schema", text=text)
    visitor.wait()
    for path in (ANALYSES, f"{ANALYSES}/indicator/0"):
        assert 'number 1 names "gone", which is no column.' in visitor.get(path).text


def test_a_form_sent_twice_adds_one(visitor):
    begun(visitor)
    path = f"{ANALYSES}/regression/0"
    form = visitor.get(path).form(path).filled({"f-formula": "income ~ age"})
    for _ in range(3):
        assert visitor.post(path, form).path == ANALYSES
    assert len(schema_of(visitor)["regression"]) == 1
    page = visitor.get(ANALYSES)
    form = page.form(f"{path}/remove").filled()
    for _ in range(2):
        assert visitor.post(f"{path}/remove", form).path == ANALYSES
    assert schema_of(visitor) == {}


def test_a_stale_tab_is_told_what_changed(visitor):
    begun(visitor)
    path = f"{ANALYSES}/indicator/0"
    stale = visitor.get(path)
    filled(visitor, path, statistic="mean", variable="income")
    late = visitor.send(stale, path, **{"f-statistic": "median", "f-variable": "age"})
    assert late.status == 409
    assert schema_of(visitor)["indicator"][0]["statistic"] == "mean"
    visitor.send(late, path)
    assert schema_of(visitor)["indicator"][0]["statistic"] == "median"


def test_names_of_analyses_are_text(visitor):
    begun(visitor)
    filled(visitor, f"{ANALYSES}/indicator/0", name=HOSTILE, statistic="mean", variable="income")
    for path in (ANALYSES, f"{ANALYSES}/indicator/0", "/describe/schema", "/describe"):
        assert HOSTILE not in visitor.get(path).html
    assert schema_of(visitor)["indicator"][0]["name"] == HOSTILE
    assert visitor.running.jobs.runs("describe")[0].state == "done"


@pytest.mark.parametrize(
    "path",
    [
        f"{ANALYSES}/indicator/1",
        f"{ANALYSES}/options/0",
        f"{ANALYSES}/nix/0",
        f"{ANALYSES}/indicator/{'9' * 5_000}",
        f"{CHOICES}/indicator",
        f"{CHOICES}/__class__",
    ],
)
def test_other_forms_there_are_not(described, path):
    assert described.get(path).status == 404


# -- several candidates ----------------------------------------------------------------------


def test_each_candidate_can_be_looked_at(visitor):
    begun(visitor, "weak.csv", "strong.csv")
    page = visitor.get("/describe")
    first, second = page.form("/describe/candidate").choices["candidate"]
    runs = len(visitor.running.jobs.runs("describe"))
    before = page.html
    page = visitor.send(page, "/describe/candidate", candidate=second)
    assert page.path == "/describe"
    visitor.wait()
    assert len(visitor.running.jobs.runs("describe")) == runs + 1
    page = visitor.get("/describe")
    assert dict(page.form("/describe/candidate").fields)["candidate"] == second
    assert page.html.count('class="spark"') == 4
    assert page.html.partition('class="spark"')[2] != before.partition('class="spark"')[2]
    visitor.send(page, "/describe/candidate", candidate=first)
    visitor.wait()
    assert len(visitor.running.jobs.runs("describe")) == runs + 1, "it was described before"
    page = visitor.send(visitor.get("/describe"), "/describe/candidate", candidate="no.csv")
    assert page.status == 422


def test_where_candidates_differ_is_told(tables):
    import polars as pl

    pl.read_csv(tables / "strong.csv").drop("region").with_columns(
        age=pl.col("age").cast(pl.String) + " or more"
    ).write_csv(tables / "strong.csv")
    with visited(tables) as visitor:
        begun(visitor, "weak.csv", "strong.csv")
        page = visitor.get("/describe")
        visitor.send(page, "/describe/each")
        visitor.wait()
        page = visitor.get("/describe")
        assert "not in strong.csv" in page.text
        assert "in strong.csv: categories" in page.text or "in strong.csv: ordered" in page.text
        assert "in weak.csv" not in page.text
        assert "/describe/each" not in page.html, "all were looked at"
