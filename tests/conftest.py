"""What all tests share: settings and fixtures. Helpers are in support/.

No test reads a file it has not written itself.
"""

import os
import shutil

import pytest
from hypothesis import settings

from support.spark import quiet_spark, spark_session
from support.surveys import make_survey

# The same examples on every machine, however busy: a failure can be repeated elsewhere.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory):
    """No test touches what the user's own runs keep."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture
def survey():
    """400 units without missing cells."""
    return make_survey()


@pytest.fixture
def holey():
    """300 units with one cell in ten missing."""
    return make_survey(300, seed=3, missing=0.1)


@pytest.fixture(params=["default", "scores", "sparse", "blocks"])
def route(request, monkeypatch):
    """Every way in which tests are answered from rows: the figures must not depend on it."""
    from microgauge.sections.gdu import pair_scores, pairs

    limits = {
        "default": {},
        "scores": {"SMALL_TABLE": 1},
        "sparse": {"SMALL_TABLE": 1 << 40, "DENSE_TABLE": 1},
        "blocks": {"SMALL_TABLE": 1 << 8, "BLOCK_BYTES": 1},
    }[request.param]
    for name, value in limits.items():
        monkeypatch.setattr(pair_scores if name == "BLOCK_BYTES" else pairs, name, value)
    return request.param


# -- Spark ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """One Spark for the whole run, and a Connect server beside."""
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java, and there is no java on the PATH")
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


@pytest.fixture(scope="session")
def connect(spark, tmp_path_factory):
    """The same Spark over Spark Connect."""
    port = spark.conf.get("spark.connect.grpc.binding.port")
    with quiet_spark(tmp_path_factory.mktemp("connect") / "log"):
        sql = pytest.importorskip("pyspark.sql.connect.session", reason="no Spark Connect")
        session = sql.SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    yield session
    session.stop()


LONG = {
    "papers",
    "test_engines.py",
    "test_explore.py",
    "test_report.py",
    "test_streaming.py",
    "test_survey.py",
}
"""Whole studies, every case on every engine, grids in several processes, reports of all kinds."""
LONG_FIXTURES = {"demo", "quick"}
"""Every section of the demo, and rankings of its five candidates."""


def pytest_collection_modifyitems(items):
    """Tests of Spark, in a browser, and that take long are marked by what they ask for."""
    for item in items:
        wanted = set(getattr(item, "fixturenames", ()))
        if wanted & LONG_FIXTURES or LONG & set(item.path.parts):
            item.add_marker("slow")
        if wanted & {"spark", "connect"} or item.path.name == "test_spark.py":
            item.add_marker("spark")
        if "browser" in wanted or item.path.name.endswith("_browser.py"):
            item.add_marker("browser")
