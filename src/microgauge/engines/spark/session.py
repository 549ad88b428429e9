"""The Spark session, and what it raises."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from microgauge.errors import InputError, first_line
from microgauge.languages.messages import say


def session_of(given: Any) -> Any:
    """The session to use: the user's own, or the one that Spark's configuration makes."""
    if given is not None and not (hasattr(given, "createDataFrame") and hasattr(given, "read")):
        raise InputError(
            say(
                'engine is a {name}; give "local", "spark" or a Spark session.',
                name=type(given).__name__,
            )
        )
    with quietly():
        try:
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError:
            raise InputError(
                say(
                    'the engine spark needs PySpark: pip install "microgauge[spark]", and a Java '
                    "runtime, version 17 or later."
                )
            ) from None
        found = given if given is not None else SparkSession.getActiveSession()
        if found is not None:
            return found
        try:
            return _started(SparkSession.builder.appName("microgauge"))
        except (PySparkException, OSError) as error:
            raise InputError(
                say(
                    "Spark does not start ({first_line}). It needs a Java runtime, "
                    "version 17 or later (Debian: apt-get install "
                    "openjdk-17-jre-headless), or SPARK_REMOTE set to a Spark Connect "
                    "server.",
                    first_line=first_line(error),
                )
            ) from None


def _started(builder: Any) -> Any:
    # Workers on this machine need what this Python has.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    if "connect" not in type(session).__module__:
        session.sparkContext.setLogLevel("ERROR")
    return session


@contextmanager
def quietly() -> Iterator[None]:
    """Without what Spark says of pandas: only Arrow is used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


_OURS = re.compile(r"^microgauge\.errors\.InputError: (.*)$", re.MULTILINE)
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")
_FILE = re.compile(r"reading file:? (\S+?)\.?(?=\s|$)")


@contextmanager
def spark_errors(which: str) -> Iterator[None]:
    """What Spark raises becomes one message: ours from a worker, or the file that it names.

    Spark's own text may hold cells of the data, so no more of it is told than its condition.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        with quietly():
            yield
    except (PySparkException, Py4JJavaError) as error:
        raise InputError(_fault(str(error), which)) from None


def _fault(text: str, which: str) -> str:
    if ours := _OURS.search(text):
        return say("the {which} table: {ours}", which=which, ours=ours[1])
    found = _CONDITION.search(text)
    condition = found[1] if found else say("no condition")
    if file := _FILE.search(text):
        return say(
            "Spark cannot read the part {file} of the {which} table ({condition}). "
            "It may be cut off, damaged or of other types than the others; copy or "
            "export it again.",
            file=file[1],
            which=which,
            condition=condition,
        )
    if "Python worker exited unexpectedly" in text:
        return say(
            "Spark's workers died on the {which} table as often as it tries a task. "
            "They may need more memory: spark.executor.memoryOverhead.",
            which=which,
        )
    return say(
        "Spark could not finish its work on the {which} table ({condition}); its log tells more.",
        which=which,
        condition=condition,
    )
