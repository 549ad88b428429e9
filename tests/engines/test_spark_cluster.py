"""A Spark cluster of its own on this machine: a master, two workers, one of them killed."""

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

import microgauge
from microgauge.results.plain import json_text
from support.spark import free_port
from support.surveys import make_survey

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCRIPT = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
import pandas as pd
from pyspark.sql import SparkSession
import microgauge
from microgauge.engines.spark import rows

rows.FEW_CELLS = 0  # rows stay on the workers
master, folder, source = sys.argv[1:]
settings = {
    "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1", "spark.executor.memory": "512m",
    "spark.executor.cores": "1", "spark.cores.max": "2", "spark.sql.shuffle.partitions": "4",
    "spark.local.dir": folder + "/local", "spark.sql.warehouse.dir": folder + "/warehouse",
    "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"], "spark.task.maxFailures": "8",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
session = SparkSession.builder.master(master).config(map=settings).getOrCreate()
tables = []
for name in ("o", "p"):
    frame = session.createDataFrame(pd.read_csv(f"{folder}/{name}.csv")).repartition(6)
    tables.append(frame)

def told(what, share):
    print("AT", what, flush=True)

result = microgauge.assess(*tables, engine=session, only=["gdu", "tables", "loss"], progress=told)
open(f"{folder}/spark.json", "w").write(json.dumps(result.to_dict()))
executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
print("EXECUTORS", executors, flush=True)
session.stop()
"""


@contextmanager
def node(log, *arguments):
    """A part of the cluster, ended with the test."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with log.open("ab") as file:
        process = subprocess.Popen(
            [str(home / "bin" / "spark-class"), *arguments], stdout=file, stderr=file,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home),
                 "PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_MEMORY": "256m"},
            start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
        process.wait(30)


def waited(log, words, seconds=90):
    """Until a log says something."""
    for _ in range(seconds * 5):
        if log.exists() and words in log.read_text(errors="replace"):
            return
        time.sleep(0.2)
    raise AssertionError(f"{log.name} never said {words!r}")


@pytest.fixture
def cluster(tmp_path):
    """The address of a master with two workers, and the workers."""
    pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    kinds = "org.apache.spark.deploy"
    master = (f"{kinds}.master.Master", "--host", "127.0.0.1", "--port", str(port),
              "--webui-port", "0")  # fmt: skip
    worker = (f"{kinds}.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1",
              "--memory", "700m")  # fmt: skip
    with node(tmp_path / "master.log", *master):
        waited(tmp_path / "master.log", "New state: ALIVE")
        with (
            node(tmp_path / "w1.log", *worker, "--work-dir", str(tmp_path / "w1"), address) as one,
            node(tmp_path / "w2.log", *worker, "--work-dir", str(tmp_path / "w2"), address) as two,
        ):
            for name in ("w1.log", "w2.log"):
                waited(tmp_path / name, "Successfully registered with master")
            yield address, (one, two)


def test_a_worker_killed_in_the_middle_changes_no_figure(cluster, tmp_path):
    address, (one, _) = cluster
    original = make_survey(400)
    protected = make_survey(400, seed=9)
    original.to_csv(tmp_path / "o.csv", index=False)
    protected.to_csv(tmp_path / "p.csv", index=False)
    paths = os.pathsep.join(p for p in sys.path if p)
    log = (tmp_path / "driver.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, address, str(tmp_path), "x"], text=True,
        stdout=subprocess.PIPE, stderr=log,
        env={**os.environ, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1",
             "PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    stop = threading.Timer(280, process.kill)
    stop.start()
    said = []
    with log, process:
        for line in process.stdout:
            said.append(line.strip())
            if line.startswith("AT coding the original") and one.poll() is None:
                os.killpg(one.pid, 9)  # the worker with its executor
    stop.cancel()
    told = (tmp_path / "driver.log").read_text(errors="replace")
    assert process.returncode == 0, (said, told[-2000:])
    assert one.poll() is not None
    assert "EXECUTORS 1" in said, said
    frames = [pd.read_csv(tmp_path / f"{name}.csv") for name in "op"]
    alone = microgauge.assess(
        *frames, only=["gdu", "tables", "loss"], schema={"options": {"aligned": False}}
    )
    check_same(tmp_path / "spark.json", alone)


def check_same(path, alone):
    """Every figure, to 1e-9."""
    import json

    there, here = json.loads(path.read_text()), json.loads(json_text(alone))
    compared = 0
    for section in ("gdu", "tables", "loss"):
        for one, other in zip(figures(there[section]), figures(here[section]), strict=True):
            assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
            compared += 1
    assert compared > 100


def figures(value):
    """All numbers of a content, in order."""
    if isinstance(value, dict):
        return [n for v in value.values() for n in figures(v)]
    if isinstance(value, list):
        return [n for v in value for n in figures(v)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []
