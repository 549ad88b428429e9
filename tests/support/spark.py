"""Spark for tests: how it starts, and how it is kept quiet."""

import os
import socket
import sys
import warnings
from contextlib import contextmanager

import pytest


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


def free_port():
    """A port of this machine that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def settings_in(folder):
    """Two workers with little memory, all files in a folder, and a Connect server beside."""
    return {
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
        "spark.connect.grpc.binding.port": str(free_port()),
    }


@contextmanager
def spark_session(folder):
    """A Spark with three retries of every task, or the test is skipped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "test")
        patch.setenv("GRPC_VERBOSITY", "NONE")
        with quiet_spark(folder / "log"):
            sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
            session = sql.SparkSession.builder.master("local[2,4]").config(map=settings_in(folder))
            session = session.getOrCreate()
        yield session
        session.stop()
