"""The fuzzer as a command: a table by family, and every failure with how to repeat it."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter

from support.fuzz.families import FAMILIES, WEIGHTS
from support.fuzz.processes import Runner
from support.fuzz.running import Outcome


def chosen() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="of all families together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--family", choices=list(FAMILIES), help="only this one")
    parser.add_argument("--number", type=int, help="only this case")
    parser.add_argument("--show", action="store_true", help="print what each case said")
    return parser.parse_args()


def shares(cases: int, families: list[str]) -> dict[str, int]:
    """How many cases each family gets."""
    whole = sum(WEIGHTS.get(name, 1.0) for name in families)
    found = {name: int(cases * WEIGHTS.get(name, 1.0) / whole) for name in families}
    found[families[0]] += cases - sum(found.values())
    return found


def order(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Cases of all families by turns, so that a run that is cut short has seen them all."""
    return [(name, number) for number in range(max(counts.values()))
            for name, count in counts.items() if number < count]  # fmt: skip


def table(outcomes: list[Outcome]) -> str:
    """A line for each family."""
    head = (
        f"{'family':<10}{'cases':>7}{'done':>7}{'refused':>9}{'last':>6}{'failed':>8}{'slowest':>9}"
    )
    lines = [head]
    for name in [*dict.fromkeys(o.family for o in outcomes), "all"]:
        some = [o for o in outcomes if name in (o.family, "all")]
        codes = Counter("refused" if o.code == 2 else "done" for o in some)
        lines.append(
            f"{name:<10}{len(some):>7}{codes['done']:>7}{codes['refused']:>9}"
            f"{sum(o.last for o in some):>6}{sum(bool(o.faults) for o in some):>8}"
            f"{max(o.seconds for o in some):>8.1f}s"
        )
    return "\n".join(lines)


def main() -> int:
    """Run the cases; 1 where one failed."""
    given = chosen()
    families = [given.family] if given.family else list(FAMILIES)
    cases = order(shares(given.cases, families))
    if given.number is not None:
        cases = [(families[0], given.number)]
    outcomes, start = [], time.monotonic()
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        runner = Runner()
        for family, number in cases:
            found = runner.run(family, number, given.seed)
            outcomes.append(found)
            if given.show:
                seen = f"{family} {number}: {found.code}, {found.seconds:.2f}s\n{found.said}"
                sys.stdout.write(f"{seen!s}\n")
            for fault in found.faults:
                case = f"--seed {given.seed} --family {family} --number {number}"
                sys.stdout.write(f"FAILED {case}: {fault}\n")
            sys.stdout.flush()
            if given.seconds is not None and time.monotonic() - start > given.seconds:
                break
        runner.end()
    sys.stdout.write(f"{table(outcomes)}\n")
    return int(any(o.faults for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
