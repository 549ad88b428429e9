"""Loops are tested as they were compiled, and as their twins."""

import pytest

from microgauge.kernels import compiled
from microgauge.kernels.loading import PLAIN

WAYS = ["plain", "compiled"] if compiled() is not None else ["plain"]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setenv(PLAIN, "1")
    return request.param
