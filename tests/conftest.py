"""Small survey-like tables made with a fixed seed, and ways to look into a result.

No test reads a file it has not written itself.
"""

import os
import shutil
import socket
import sys
import warnings
from contextlib import contextmanager
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from scipy import stats

import microgauge

# The same examples on every machine: a failure in one place can be repeated in another.
settings.register_profile("repeatable", derandomize=True, database=None)
settings.load_profile("repeatable")

assess = partial(microgauge.assess, only=["gdu"])

NOMINAL = ("region", "sex")
ORDINAL = ("education", "health")
CONTINUOUS = ("age", "income", "score", "height")

TYPES = (
    dict.fromkeys(NOMINAL, "nominal")
    | dict.fromkeys(ORDINAL, "ordinal")
    | dict.fromkeys(CONTINUOUS, "continuous")
)


def make_survey(rows=400, seed=1, missing=0.0):
    """Two variables of each kind and more, all tied to one hidden number."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)

    def tied(strength):
        return strength * hidden + np.sqrt(1 - strength**2) * rng.normal(size=rows)

    frame = pd.DataFrame(
        {
            "region": np.array(["north", "east", "south", "west"])[
                np.searchsorted([-0.7, 0.0, 0.8], tied(0.4))
            ],
            "sex": 1 + (tied(0.15) > 0),
            "education": 1 + np.searchsorted([-1.2, -0.4, 0.2, 0.9, 1.5], tied(0.6)),
            "health": 1 + np.searchsorted([-1.0, 0.0, 1.0], tied(-0.3)),
            "age": np.clip(np.round(50 + 17 * tied(-0.4)), 18, 95).astype(int),
            "income": np.round(np.exp(7 + 0.7 * tied(0.5)), 1),
            "score": 100 + 15 * tied(0.5),
            "height": 170 + 9 * rng.normal(size=rows),
        }
    )
    return with_holes(frame, missing, rng) if missing else frame


def with_holes(frame, share, rng):
    """The frame with a share of the cells of every column missing, at random."""
    frame = frame.copy()
    for name in frame:
        if frame[name].dtype.kind in "iu":
            frame[name] = frame[name].astype(float)
        frame.loc[rng.random(len(frame)) < share, name] = None
    return frame


def perturb(frame, strength, seed=2):
    """Noise on numbers, random answers in categories; missing cells stay missing."""
    rng = np.random.default_rng(seed)
    found = frame.copy()
    for name in frame:
        here = frame[name].notna().to_numpy()
        if TYPES[name] == "continuous":
            found[name] = frame[name] + frame[name].std() * strength * rng.normal(size=len(frame))
        else:
            values = frame[name].dropna().unique()
            changed = here & (rng.random(len(frame)) < strength)
            found.loc[changed, name] = rng.choice(values, changed.sum())
    return found


def schema(variables=None, **options):
    """A schema that declares the survey's types, with more said of some variables."""
    said = {name: {"type": kind} for name, kind in TYPES.items()}
    for name, more in (variables or {}).items():
        said[name] = said.get(name, {}) | more
    return {"options": options, "variable": said}


def types_of(frame, **options):
    """The survey's schema for the columns that a frame has."""
    whole = schema(**options)
    whole["variable"] = {name: said for name, said in whole["variable"].items() if name in frame}
    return whole


def variable(result, name):
    """What happened to a variable."""
    return next(v for v in result.variables if v.name == name)


def score(result, name):
    """A variable's score."""
    return next(v for v in result.gdu.variables if v.name == name)


def pair(result, a, b):
    """A pair's score, whichever way round it stands."""
    return next(p for p in result.gdu.pairs if {p.a, p.b} == {a, b})


def one(original, protected, said=None, **options):
    """A run with the single variable x."""
    tables = [pd.DataFrame({"x": column}) for column in (original, protected)]
    return assess(*tables, schema={"options": options, "variable": {"x": said or {}}})


def figures(result):
    """Every number of a result by its name, with pairs named regardless of their order."""
    gdu = result.gdu
    found = {
        "value": gdu.value,
        "univariate": gdu.univariate,
        "bivariate": gdu.bivariate,
        "grc": gdu.grc,
    }
    for v in gdu.variables:
        for field in ("statistic", "p", "recoding_utility", "utility", "bivariate_utility"):
            found[v.name, field] = getattr(v, field)
    for p in gdu.pairs:
        for field in (
            "p_original",
            "p_protected",
            "coefficient_original",
            "coefficient_protected",
            "utility",
            "n_original",
            "n_protected",
            "outcome",
            "test",
            "test_protected",
        ):
            found["-".join(sorted((p.a, p.b))), field] = getattr(p, field)
    return found


def assert_same_figures(one, other, rel=1e-9):
    """Equal words, equal nulls, numbers equal but for the last digits."""
    one, other = figures(one), figures(other)
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, float):
            assert other[name] == pytest.approx(value, rel=rel, abs=1e-290), name
        else:
            assert other[name] == value, name


def scipy_ks(original, protected):
    """scipy's two-sample Kolmogorov–Smirnov test of two pandas columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy tells where it falls back on the asymptotic p
        return stats.ks_2samp(original.dropna(), protected.dropna(), method="auto")


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
    from microgauge.sections.gdu import pairs

    limits = {
        "default": {},
        "scores": {"SMALL_TABLE": 1},
        "sparse": {"SMALL_TABLE": 1 << 40, "DENSE_TABLE": 1},
        "blocks": {"SMALL_TABLE": 1 << 8, "BLOCK_BYTES": 1},
    }[request.param]
    for name, value in limits.items():
        monkeypatch.setattr(pairs, name, value)
    return request.param


# -- Spark ---------------------------------------------------------------------------------------


@contextmanager
def quiet_spark(log):
    """Spark's own words go to a file, for as long as it runs; what it says of pandas nowhere."""
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """One Spark for the whole run: two workers, three retries, and a Connect server beside."""
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java, and there is no java on the PATH")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.files.minPartitionNum": "3",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "test")
        patch.setenv("GRPC_VERBOSITY", "NONE")
        with quiet_spark(folder / "log"):
            sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
            session = sql.SparkSession.builder.master("local[2,4]").config(map=settings)
            session = session.getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="session")
def connect(spark, tmp_path_factory):
    """The same Spark over Spark Connect."""
    port = spark.conf.get("spark.connect.grpc.binding.port")
    with quiet_spark(tmp_path_factory.mktemp("connect") / "log"):
        sql = pytest.importorskip("pyspark.sql.connect.session", reason="no Spark Connect")
        session = sql.SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    yield session
    session.stop()
