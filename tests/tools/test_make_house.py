"""The picture of the house shows every room, as it is drawn today."""

from __future__ import annotations

from pathlib import Path

import pytest

import microgauge

TOOLS = Path(__file__).parents[2] / "tools"
ROOMS = [place.name for place in Path(microgauge.__file__).parent.iterdir() if place.is_dir()]


@pytest.fixture
def house(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    import make_house

    return make_house


def test_the_picture_is_the_one_that_is_drawn(house):
    assert house.PICTURE.read_text(encoding="utf-8") == house.picture()


@pytest.mark.parametrize("room", [name for name in ROOMS if name != "__pycache__"])
def test_every_room_is_in_it(house, room):
    assert f">{room}</text>" in house.picture()
