"""Pages that were opened earlier, and what has changed since: nothing else is meant by them."""

from dataclasses import replace

import polars as pl
import pytest

from support.app import visited


def measured_alone(visitor, name):
    page = visitor.send(visitor.get("/measure"), "/measure", candidate=[name])
    visitor.wait()
    return page.path.rsplit("/", 1)[-1]


def keyed(visitor, **files):
    """Files chosen, and keys proposed by their names taken."""
    visitor.choose(**files or {"original": "original.csv", "candidate": ["weak.csv"]})
    visitor.wait()
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.wait()


def test_an_earlier_page_never_means_another_run(tables):
    with visited(tables) as visitor:
        keyed(visitor, original="original.csv", candidate=["weak.csv", "strong.csv"])
        first = measured_alone(visitor, "weak.csv")
        earlier = visitor.get("/release")
        visitor.send(visitor.get(f"/runs/{first}"), f"/runs/{first}/forget")
        second = measured_alone(visitor, "strong.csv")
        assert second != first
        page = visitor.send(earlier, "/release", choice=f"{first}:0", name="x")
        assert page.status == 422
        assert not (tables / "release-x").exists()
        visitor.send(visitor.get(f"/runs/{second}"), f"/runs/{second}/forget")
    with visited(tables) as visitor:
        third = measured_alone(visitor, "weak.csv")
        assert int(third) > int(second)


def test_a_run_never_takes_the_place_of_one_that_cannot_be_read(tables):
    with visited(tables) as visitor:
        visitor.choose(original="original.csv")
        visitor.wait()
    place = tables / "microgauge-app" / "runs" / "0001"
    (place / "run.json").write_text("{")
    before = (place / "variables.json").read_bytes()
    with visited(tables) as visitor:
        visitor.choose(original="weak.csv")
        visitor.wait()
        (run,) = visitor.running.jobs.runs()
        assert run.id == "0002"
    assert (place / "variables.json").read_bytes() == before


def test_runs_are_in_order_beyond_four_digits(tables):
    last = tables / "microgauge-app" / "runs" / "last"
    last.parent.mkdir(parents=True)
    last.write_text("9998\n")
    with visited(tables) as visitor:
        for name in ("original.csv", "weak.csv"):
            visitor.choose(original=name)
            visitor.wait()
        assert [run.id for run in visitor.running.jobs.runs()] == ["10000", "9999"]


def test_a_run_that_is_done_again_shows_nothing_of_the_time_before(tables):
    with visited(tables) as visitor:
        keyed(visitor)
        run = measured_alone(visitor, "weak.csv")
        assert f"{run}:0" in visitor.get("/release").html
        (tables / "weak.csv").rename(tables / "elsewhere")
        visitor.send(visitor.get(f"/runs/{run}"), f"/runs/{run}/again")
        assert visitor.wait(run).state == "refused"
        assert visitor.get(f"/look/{run}").status == 404
        assert visitor.get(f"/runs/{run}/files/report.html").status == 404
        assert f"{run}:0" not in visitor.get("/release").html
        (tables / "elsewhere").rename(tables / "weak.csv")
        visitor.send(visitor.get(f"/runs/{run}"), f"/runs/{run}/again")
        assert visitor.wait(run).state == "done"
        assert visitor.get(f"/look/{run}").status == 200


def with_recipe(visitor):
    """A recipe of one step, chosen files described."""
    keyed(visitor)
    visitor.send(visitor.get("/protect"), "/protect", name="one")
    page = visitor.get("/protect/1/0?method=noise")
    visitor.send(page, "/protect/1/0", variable=["income"], **{"p-share": "0.1"})


def test_a_form_for_one_variable_is_never_taken_for_another(tables):
    original = pl.read_csv(tables / "original.csv")
    original.select("income", "age", "sex").write_csv(tables / "turned.csv")
    with visited(tables) as visitor:
        visitor.choose(original="original.csv")
        visitor.wait()
        earlier, table = visitor.get("/describe/0"), visitor.get("/describe")
        visitor.choose(original="turned.csv")
        visitor.wait()
        page = visitor.send(earlier, "/describe/0", role="sensitive", label="years")
        assert page.status == 409
        assert visitor.send(table, "/describe/proposals").status == 409
        roles = ["sensitive", "", "", ""]
        assert visitor.send(table, "/describe/roles", role=roles).status == 409
        assert visitor.running.project.state["schema"] == ""


def test_what_is_measured_is_what_the_form_showed(tables):
    with visited(tables) as visitor:
        keyed(visitor)
        earlier = visitor.get("/measure")
        visitor.choose(original="strong.csv", candidate="weak.csv")
        visitor.wait()
        page = visitor.send(earlier, "/measure")
        assert page.status == 409
        assert visitor.running.jobs.runs("measure") == []
        assert visitor.send(page, "/measure").path.startswith("/runs/")
        visitor.wait()


@pytest.mark.parametrize("what", ["preview", "candidate", "explore"])
def test_what_is_tried_is_the_recipe_that_was_shown(tables, what):
    with visited(tables) as visitor:
        with_recipe(visitor)
        earlier = visitor.get("/protect/1")
        page = visitor.get("/protect/1/0")
        visitor.send(page, "/protect/1/0", **{"p-share": "0.5"})
        assert visitor.send(earlier, f"/protect/1/{what}").status == 409
        assert visitor.running.jobs.runs(what) == []


def test_two_versions_that_are_made_at_a_time_have_two_names(tables):
    with visited(tables) as visitor:
        with_recipe(visitor)
        first, second = visitor.get("/protect/1"), visitor.get("/protect/1")
        for page in (first, second):
            assert visitor.send(page, "/protect/1/candidate").status == 200
        visitor.wait()
        names = [run.about["candidate"] for run in visitor.running.jobs.runs("candidate")]
        assert sorted(names) == ["one-2.csv", "one.csv"]
        assert visitor.running.project.state["files"]["candidates"][1:] == sorted(names)[::-1]


def test_a_version_of_another_original_is_no_candidate(tables):
    with visited(tables) as visitor:
        with_recipe(visitor)
        around = visitor.running.jobs._around
        last = around["candidate"].after

        def meanwhile(run):
            visitor.running.project.change(
                lambda state: state["files"].update(original="strong.csv", candidates=[])
            )
            last(run)

        around["candidate"] = replace(around["candidate"], after=meanwhile)
        visitor.send(visitor.get("/protect/1"), "/protect/1/candidate")
        visitor.wait()
        assert (tables / "one.csv").exists()
        assert visitor.running.project.state["files"]["candidates"] == []


def test_a_release_is_measured_as_it_was_chosen(tables):
    pl.read_csv(tables / "original.csv").head(40).write_csv(tables / "holdout.csv")
    with visited(tables) as visitor:
        files = {"original": "original.csv", "candidate": ["weak.csv"]}
        keyed(visitor, **files, holdout="holdout.csv")
        page = visitor.get("/measure")
        run = visitor.send(page, "/measure", require="risk<=0.9").path.rsplit("/", 1)[-1]
        visitor.wait()
        visitor.choose(**files)
        visitor.wait()
        visitor.running.project.change(lambda state: state["measure"].update(require=""))
        visitor.release(visitor.get("/release"), choice=f"{run}:0", name="x")
        visitor.wait()
        (release,) = visitor.running.jobs.runs("release")
        (words,) = release.commands
        assert words[words.index("--holdout") + 1] == "holdout.csv"
        assert words[words.index("--require") + 1] == "risk<=0.9"


def test_a_file_that_is_gone_is_no_pattern(tables):
    (tables / "weak.csv").rename(tables / "weak[1].csv")
    (tables / "strong.csv").rename(tables / "weak1.csv")
    with visited(tables) as visitor:
        keyed(visitor, original="original.csv", candidate=["weak[1].csv"])
        run = measured_alone(visitor, "weak[1].csv")
        assert visitor.running.jobs.get(run).state == "done"
        (tables / "weak[1].csv").unlink()
        page = visitor.send(visitor.get("/measure"), "/measure")
        assert page.status == 422
        visitor.send(visitor.get(f"/runs/{run}"), f"/runs/{run}/again")
        assert visitor.wait(run).state == "refused"


def test_a_preview_of_a_file_that_changed_is_not_shown(tables):
    with visited(tables) as visitor:
        with_recipe(visitor)
        visitor.send(visitor.get("/protect/1"), "/protect/1/preview", count="1")
        visitor.wait()
        assert 'class="outcome"' in visitor.get("/protect/1").html
        pl.read_csv(tables / "original.csv").head(90).write_csv(tables / "original.csv")
        assert 'class="outcome"' not in visitor.get("/protect/1").html


def test_a_choice_of_language_leads_back_to_the_very_page(tables):
    with visited(tables) as visitor:
        with_recipe(visitor)
        page = visitor.get("/protect/1/1?method=noise")
        found = visitor.send(page, "/language", language="de")
        assert found.status == 200
        assert found.form("/protect/1/1")
