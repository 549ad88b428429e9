"""The work: every data set and seed in one of several processes, kept as it goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from benchmarks.panel import datasets, keeping
from benchmarks.panel.cases import Case
from benchmarks.panel.keeping import Kept, Shelf
from benchmarks.panel.listed import PROTECTIONS
from benchmarks.panel.measures import MEASURERS
from microgauge.errors import MicrogaugeError

ONE_THREAD = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Processes at work are as many as cores: more threads only get in each other's way."""


@dataclass(frozen=True)
class Task:
    """All files of a data set for a seed (0: those without chance), as a measurer sees them."""

    data: str
    seed: int
    measurer: str
    protections: tuple[str, ...]
    rows: int
    folder: Path | None
    kept: Path
    any_code: bool

    @property
    def shelf(self) -> Shelf:
        return Shelf(self.kept, self.data, self.rows, self.measurer, self.seed)


def done(task: Task) -> list[Kept]:
    """The figures of a task's files: kept ones, and those that were missing made now."""
    shelf = task.shelf
    known = shelf.read(task.any_code)
    missing = [name for name in task.protections if name not in known]
    if missing:
        data = datasets.named(task.data, task.rows, task.folder)
        if data is None:
            return []
        for name in missing:
            known[name] = measured(Case(data, PROTECTIONS[name], task.seed), task)
            shelf.add(known[name])
    return [known[name] for name in task.protections]


def measured(case: Case, task: Task) -> Kept:
    """The figures of one file, or why there are none."""
    began, reason = perf_counter(), None
    try:
        figures = MEASURERS[task.measurer](case)
    except MicrogaugeError as fault:
        figures, reason = {}, str(fault)
    return Kept(
        data=case.data.name,
        protection=case.protection.name,
        seed=case.seed,
        rows=case.data.rows,
        measurer=task.measurer,
        code=keeping.code(),
        patterns=keeping.patterns(case),
        seconds=round(perf_counter() - began, 3),
        figures=figures,
        reason=reason,
    )


def finished(todo: list[Task], jobs: int) -> Iterator[Kept]:
    """All files, in processes of their own."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # the processes to come take it over
    began = perf_counter()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(done, task): task for task in todo}
        for count, future in enumerate(as_completed(running), start=1):
            task = running[future]
            said = f"{count}/{len(todo)} {task.data} seed {task.seed}"
            print(f"{said}, {perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
            yield from future.result()
