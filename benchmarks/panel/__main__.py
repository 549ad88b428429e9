"""`python -m benchmarks.panel [--seeds N] [--datasets a,b,…] [--data FOLDER] …`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.panel import datasets, keeping, resamples, showing
from benchmarks.panel.keeping import Kept
from benchmarks.panel.listed import PROTECTIONS
from benchmarks.panel.measures import EXTRA, FIGURES, MOST_SEEDS
from benchmarks.panel.pairs import KINDS, Kind, Pair, read_pairs
from benchmarks.panel.scores import (
    SIDES,
    Compared,
    Files,
    by_data_set,
    by_pair,
    compared,
    half_score,
    halves,
    on_scale,
    score,
)
from benchmarks.panel.working import Task, finished

SEEDS = 5


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default="risk")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--rows", type=int, default=datasets.MOST_ROWS, help="at most")
    parser.add_argument("--datasets", help="names, by commas; all of the list unless given")
    parser.add_argument("--half", choices=SIDES, help="of the data sets")
    parser.add_argument("--data", type=Path, help="a folder with tables and a schema beside each")
    parser.add_argument("--jobs", type=int, default=2, help="processes at work")
    parser.add_argument("--kept", type=Path, default=keeping.FOLDER, help="where figures are kept")
    parser.add_argument("--any-code", action="store_true", help="take figures that other code made")
    parser.add_argument("--measurers", help="names, by commas; all of the kind unless given")
    parser.add_argument("--peers", action="store_true", help="other programs too")
    parser.add_argument("--boost", action="store_true", help="the boosted classifier too")
    parser.add_argument(
        "--resamples", action="store_true", help="only whether U_p's expectation holds"
    )
    parser.add_argument("--wrong", nargs="?", const="", help="pairs that this figure gets wrong")
    parser.add_argument("--json", type=Path, help="write the scores")
    return parser.parse_args()


def tasks(given: argparse.Namespace, pairs: list[Pair]) -> list[Task]:
    """One for each data set, seed and measurer; large data sets first."""
    used = list(dict.fromkeys(name for pair in pairs for name in (pair.a, pair.b)))
    measurers = {figure.measurer for figure in FIGURES.values() if figure.kind == given.kind}
    for option, extra in EXTRA.items():
        if not getattr(given, option):
            measurers -= extra
    if given.measurers is not None:
        measurers &= set(given.measurers.split(","))
    return [
        Task(data, seed, measurer, names, given.rows, given.data, given.kept, given.any_code)
        for data in chosen(given)
        for measurer in sorted(measurers)
        for seed in range(min(given.seeds, MOST_SEEDS.get(measurer, given.seeds)) + 1)
        if (names := tuple(n for n in used if PROTECTIONS[n].seeded == bool(seed)))
    ]


def chosen(given: argparse.Namespace) -> list[str]:
    """The data sets of the run."""
    names = datasets.listed_names()
    if given.data is not None:
        names += datasets.of_folder(given.data)
    wanted = names if given.datasets is None else given.datasets.split(",")
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        sys.exit(f"there is no data set {', '.join(unknown)}; there are {', '.join(names)}")
    sides = halves(names)
    return sorted(name for name in wanted if given.half in (None, sides[name]))


def seconds_by_measurer(files: Iterable[Kept]) -> dict[str, tuple[int, float]]:
    """How many files each measurer looked at, and how long all of them took."""
    found: dict[str, tuple[int, float]] = {}
    for kept in files:
        count, seconds = found.get(kept.measurer, (0, 0.0))
        found[kept.measurer] = (count + 1, seconds + kept.seconds)
    return found


def by_data(files: Iterable[Kept]) -> dict[str, dict[tuple[str, int], Kept]]:
    """The files of each data set; those of several measurers are one, with all figures."""
    found: dict[str, dict[tuple[str, int], Kept]] = {}
    for kept in files:
        here = found.setdefault(kept.data, {})
        before = here.get((kept.protection, kept.seed))
        if before is not None:
            kept.figures.update(before.figures)
        here[kept.protection, kept.seed] = kept
    return found


def compared_by_figure(
    files: dict[str, Files], pairs: list[Pair], kind: Kind
) -> dict[str, list[Compared]]:
    """Every comparison of every figure that there is."""
    there = {name for some in files.values() for kept in some.values() for name in kept.figures}
    return {
        name: [
            one
            for data in sorted(files)
            for one in compared(
                data, files[data], pairs, name, figure.rises, MOST_SEEDS.get(figure.measurer)
            )
        ]
        for name, figure in FIGURES.items()
        if figure.kind == kind and name in there
    }


def written(
    results: dict[str, list[Compared]], given: argparse.Namespace, everywhere: list[str]
) -> dict[str, object]:
    """The scores as JSON, with what they are of."""
    some = next(iter(results.values()), [])
    sides = halves(everywhere)
    return {
        "kind": given.kind,
        "pairs": len({one.pair for one in some}),
        "neighbours": len({one.pair for one in some if one.pair.neighbours}),
        "data_sets": sorted({one.data for one in some}),
        "most_rows": given.rows,
        "seeds": given.seeds,
        "figures": {
            name: {
                **vars(score(every)),
                **{side: half_score(every, sides, side) for side in SIDES},
                "on_scale": on_scale(every),
                "default": FIGURES[name].default,
                "main": FIGURES[name].main,
                "seeds": min(given.seeds, MOST_SEEDS.get(FIGURES[name].measurer, given.seeds)),
                "by_data_set": by_data_set(every),
                "by_pair": by_pair(every),
            }
            for name, every in results.items()
        },
    }


def _resamples(given: argparse.Namespace) -> int:
    """The mean ratio of U_p over resamples of each data set."""
    found = resamples.run(chosen(given), given.rows, given.jobs)
    print("\n".join(resamples.table(found)))
    if given.json is not None:
        plain = {one.data: vars(one) | {"mean": one.mean, "allowed": one.allowed} for one in found}
        given.json.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    return 0 if all(one.met for one in found) else 1


def main() -> int:
    given = arguments()
    if given.resamples:
        return _resamples(given)
    pairs = read_pairs(given.kind)
    every = list(finished(tasks(given, pairs), given.jobs))
    spent = seconds_by_measurer(every)
    files = by_data(every)
    faults = {
        (k.protection, k.reason) for some in files.values() for k in some.values() if k.reason
    }
    results = compared_by_figure(dict(files), pairs, given.kind)
    rows = {data: next(iter(some.values())).rows for data, some in files.items()}
    everywhere = sorted({*datasets.listed_names(), *files})
    main_ones = {name: every for name, every in results.items() if FIGURES[name].main}
    print(showing.scores_table(results, everywhere), end="\n\n")
    print(showing.data_table(main_ones, rows), end="\n\n")
    print(showing.pair_table(main_ones), end="\n\n")
    print(showing.time_table(spent))
    for protection, reason in sorted(faults):
        print(f"\nno figures of {protection}: {reason}")
    if given.wrong is not None:
        figure = given.wrong or next(iter(results))
        print(f"\nnot right by {figure}\n\n{showing.wrong_table(results[figure])}")
    if given.json is not None:
        content = written(results, given, everywhere)
        given.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
