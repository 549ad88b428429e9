"""(d) microgauge --help beside the import of numpy."""

from __future__ import annotations

from statistics import median

from benchmarks.measure import PYTHON, Outcome, Setting, microgauge, run

RUNS = 15


def measure(setting: Setting) -> list[Outcome]:
    """Medians of runs that take turns."""
    own, numpy = [], []
    for _ in range(RUNS):
        own.append(run(*microgauge("--help")).seconds)
        numpy.append(run(PYTHON, "-c", "import numpy").seconds)
    detail = f"{median(own) * 1000:.0f} ms : {median(numpy) * 1000:.0f} ms"
    return [Outcome("d  --help / import numpy", median(own) / median(numpy), 2, False, detail)]
