"""A few random sequences of actions; many: `python -m support.app_actions 500 --seed 1`."""

import pytest

from support.app_actions import play, prepare


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("prepared"))


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_the_app_lives_and_nothing_is_broken(seed, prepared):
    did = play(seed, prepared)
    assert {"reload", "back", "twice", "cancelled", "killed"} <= set(did)
