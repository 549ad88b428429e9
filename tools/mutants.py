"""Do the tests notice when a measure is wrong? Change one place at a time and run them.

    python tools/mutants.py --count 20 --seed 3     random changes in src/microgauge/measures/
    python tools/mutants.py --known                 the changes listed in known_mutants.toml

Every change is made in a copy of the package, never in the working tree. A change that no test
notices is a survivor: a test is missing, or the place does not matter. Exit 1 if there is any.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KNOWN = Path(__file__).with_name("known_mutants.toml")
MEASURES = Path("src/microgauge/measures")
SECTIONS = {"analysis": "analyses"}
"""Folders of tests/sections/ that are not called like their folder of measures."""
SECONDS = 900
"""After so long a change has made a loop endless, which is noticed."""

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}
OPERATIONS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
}


@dataclass(frozen=True)
class Mutant:
    """One change of one place of a file, and the tests that should notice it."""

    file: Path
    line: int
    what: str
    text: str
    """The whole file with the change."""
    tests: tuple[str, ...]


# -- changes at random ---------------------------------------------------------------------------


def mutants_of(file: Path) -> Iterator[Mutant]:
    """All changes of a file: comparisons, signs, and numbers, each on its own."""
    text = (ROOT / file).read_text(encoding="utf-8")
    starts = [0]
    for written in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(written.encode()))
    source = text.encode()

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    for node in ast.walk(ast.parse(text)):
        for begin, end, before, after in _changes(node, place):
            found = source.find(before.encode(), begin, end)
            if found < 0:
                continue
            changed = source[:found] + after.encode() + source[found + len(before.encode()) :]
            line = source.count(b"\n", 0, found) + 1
            yield Mutant(file, line, f"{before} → {after}", changed.decode(), _tests_of(file))


Place = tuple[int, int, str, str]
"""Where to look from and to, for what, and what to put there."""


def _changes(node: ast.AST, at: Callable[[int, int], int]) -> Iterator[Place]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        right = node.comparators[0]
        begin = at(*_end(node.left))
        yield (begin, at(right.lineno, right.col_offset), *COMPARISONS[type(node.ops[0])])
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        begin = at(*_end(node.left))
        yield (begin, at(node.right.lineno, node.right.col_offset), *OPERATIONS[type(node.op)])
    elif isinstance(node, ast.Constant) and (other := _other(node.value)) is not None:
        # A number spelt in another way, such as 1_000, is not found there and left alone.
        yield at(node.lineno, node.col_offset), at(*_end(node)), repr(node.value), repr(other)


def _end(node: ast.expr) -> tuple[int, int]:
    """The line and column after an expression."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def _other(value: object) -> float | None:
    """Another number than the one given; None for what is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value + 1
    return value * 1.25 or 0.5 if isinstance(value, float) else None


def _tests_of(file: Path) -> tuple[str, ...]:
    """The doctests of a measure, its own tests, and those of the section that uses it."""
    family = file.relative_to(MEASURES).parts[0]
    folders = (f"tests/measures/{family}", f"tests/sections/{SECTIONS.get(family, family)}")
    return (str(file), *(folder for folder in folders if (ROOT / folder).is_dir()))


def drawn(count: int, seed: int) -> list[Mutant]:
    """Some of all changes, the same for the same seed."""
    files = sorted((ROOT / MEASURES).glob("*/*.py"))
    every = [m for file in files for m in mutants_of(file.relative_to(ROOT))]
    return random.Random(seed).sample(every, min(count, len(every)))  # noqa: S311


# -- changes that are listed ---------------------------------------------------------------------


def known() -> list[Mutant]:
    """The listed changes; each must stand exactly once in the package."""
    found = []
    for entry in tomllib.loads(KNOWN.read_text(encoding="utf-8"))["mutant"]:
        before, after = entry["before"], entry["after"]
        files = [f for f in sorted((ROOT / "src").rglob("*.py")) if before in f.read_text("utf-8")]
        if len(files) != 1 or files[0].read_text("utf-8").count(before) != 1:
            sys.exit(f"{KNOWN.name}: {before!r} does not stand exactly once in src/")
        text = files[0].read_text("utf-8")
        line = text[: text.index(before)].count("\n") + 1
        changed = text.replace(before, after)
        place = files[0].relative_to(ROOT)
        found.append(Mutant(place, line, entry["name"], changed, (entry["test"],)))
    return found


# -- running -------------------------------------------------------------------------------------


def survives(mutant: Mutant, copy: Path) -> bool:
    """Whether all tests pass with the change."""
    target = copy / mutant.file
    kept = target.read_text(encoding="utf-8")
    target.write_text(mutant.text, encoding="utf-8")
    try:
        return passes(mutant.tests, copy)
    finally:
        target.write_text(kept, encoding="utf-8")


def passes(tests: Sequence[str], copy: Path) -> bool:
    """Whether the tests pass in the copy, those that take long left out."""
    order = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    order += ["-m", "not slow and not spark and not browser", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            order, cwd=copy, env=environment, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode > 1:
        sys.exit(f"the tests could not run:\n{done.stdout.decode()[-2000:]}{done.stderr.decode()}")
    return done.returncode == 0


def report(mutants: Sequence[Mutant]) -> int:
    """Run all, print a table of the survivors, and say how many there are."""
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("src", "tests", "docs"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        for tests in sorted({mutant.tests for mutant in mutants}):
            if not passes(tests, copy):
                sys.exit(f"these tests fail without any change: {' '.join(tests)}")
        for number, mutant in enumerate(mutants, start=1):
            lives = survives(mutant, copy)
            survivors += [mutant] if lives else []
            said = "SURVIVES" if lives else "noticed"
            place = f"{mutant.file.name}:{mutant.line}"
            print(f"{number:3}/{len(mutants)}  {said:8}  {place:28} {mutant.what}", flush=True)
    print(f"\n{len(survivors)} of {len(mutants)} changes survive")
    for mutant in survivors:
        print(f"  {mutant.file}:{mutant.line}  {mutant.what}")
    return len(survivors)


def main() -> int:
    """Choose the changes and run the tests on each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--known", action="store_true", help="the listed changes only")
    parser.add_argument("--count", type=int, default=20, help="how many at random")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    return 1 if report(known() if chosen.known else drawn(chosen.count, chosen.seed)) else 0


if __name__ == "__main__":
    sys.exit(main())
