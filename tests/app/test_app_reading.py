"""What every page reads: the state and the recipes, at a cost that nobody notices."""

import json
import timeit

import pytest

from microgauge.app.folder import Folder
from microgauge.app.project import Project
from microgauge.commands.explore.grid import Grid
from microgauge.errors import InputError


def test_a_copy_of_the_state_costs_less_than_to_read_its_text(tmp_path):
    step = {"method": "noise", "variables": ["age", "income"], "share": {"grid": [0.1, 0.2]}}
    content = {"seed": 1, "step": [step] * 8}
    recipe = {"id": "1", "name": "long", "content": content, "undo": [content] * 50}
    project = Project(Folder.of(str(tmp_path)))
    project.change(lambda state: state.update(recipes=[recipe], language="de"))
    assert project.language == "de"
    project.state["recipes"][0]["undo"].clear()
    assert project.state["recipes"] == [recipe]
    text = (tmp_path / "microgauge-app" / "project.json").read_text()
    took = [
        min(timeit.repeat(work, number=3, repeat=7))
        for work in (lambda: project.state, lambda: json.loads(text))
    ]
    assert took[0] < took[1], took


def test_a_change_that_fails_changes_nothing(tmp_path):
    project = Project(Folder.of(str(tmp_path)))
    before = project.state

    def failing(state):
        state["schema"] = "half"
        raise InputError("no")

    with pytest.raises(InputError):
        project.change(failing)
    assert project.state == before
    assert not (tmp_path / "microgauge-app" / "project.json").exists()


def test_a_grid_is_read_once_however_often_it_is_looked_at(visitor, monkeypatch):
    read = []

    def load(source, load=Grid.load):
        read.append(source)
        return load(source)

    visitor.choose(original="original.csv")
    visitor.wait()
    monkeypatch.setattr(Grid, "load", staticmethod(load))
    page = visitor.send(visitor.get("/protect"), "/protect", name="once")
    step = visitor.get(f"{page.path}/0?method=noise")
    shares = "0.11, 0.22, 0.33"
    visitor.send(step, f"{page.path}/0", variable=["income"], **{"p-share": shares})
    for path in (page.path, "/protect", page.path):
        assert "3 candidates" in visitor.get(path).text
    assert len([one for one in read if one["step"]]) == 1
