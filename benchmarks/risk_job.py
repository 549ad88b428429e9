"""`python -m benchmarks.risk_job classes|disclosure|suppressed|suda|linkage`: one measure.

Tables are made by a seed. Prints what was found, of classes and disclosure also the seconds that
the measure took by itself: making the table left out.
"""

from __future__ import annotations

import sys
import time

import numpy as np

SIZES = (90, 2, 9, 5, 24, 50, 10)


def codes(rows: int, keys: int) -> np.ndarray:
    """Skewed categories, as those of people are."""
    rng = np.random.default_rng(1)
    columns = [
        np.minimum(rng.exponential(size / 3, rows).astype(np.intp), size - 1)
        for size in SIZES[:keys]
    ]
    return np.stack(columns, axis=1)


ROWS, KEYS = 10_000_000, 6
SUPPRESSED = 0.05


def classes() -> tuple[float, ...]:
    """Class sizes and R_internal through the engine, as `assess` finds them; seconds."""
    from microgauge.engines.local import Local
    from microgauge.measures.risk.classes import class_table, internal_risk
    from microgauge.passes import Axis, Classes
    from microgauge.values.packing import unpacked

    levels = codes(ROWS, KEYS).astype(np.uint8)
    names = [f"k{i}" for i in range(KEYS)]
    engine = Local({n: levels[:, i].copy() for i, n in enumerate(names)}, len(levels))
    sizes = list(SIZES[:KEYS])
    start = time.perf_counter()
    axes = [Axis(n, np.arange(0), s, identity=True) for n, s in zip(names, sizes, strict=True)]
    question = Classes(tuple(axes))
    cells = engine.scan([question])[question]
    found = unpacked(cells.keys, [size + 1 for size in sizes])
    table = class_table(found, sizes, cells.rows, cells.sums, missing_matches=False)
    return internal_risk(table), time.perf_counter() - start


def disclosure(suppressed: float = 0.0) -> tuple[float, ...]:
    """Found and learned of one target by equal records, as `assess` finds them; seconds.

    The same rows with a target, beside a protected copy of them: the questions of the section to
    both tables, profiles of keys, matches, found, learned. Without intervals, nearest records
    (there is nobody without a match) and synthpop's figures.
    """
    from microgauge.engines import ORIGINAL, PROTECTED
    from microgauge.engines.local import Local
    from microgauge.measures.disclosure.learned import Target
    from microgauge.passes import Axis, Classes, OwnClasses
    from microgauge.sections.disclosure.attack import Attack
    from microgauge.sections.disclosure.evidence import Profiles
    from microgauge.study.common_views import View

    names = [*(f"k{i}" for i in range(KEYS)), "t"]
    sizes = dict(zip(names, SIZES, strict=True))
    before = dict(zip(names, codes(ROWS, KEYS + 1).astype(np.uint8).T.copy(), strict=True))
    chance = np.random.default_rng(5)
    after = {
        name: np.where(chance.random(ROWS) < suppressed, np.uint8(sizes[name]), column)
        if suppressed and name != "t"
        else column
        for name, column in before.items()
    }
    protected = Local(after, ROWS)
    both = {ORIGINAL + n: c for n, c in before.items()} | {
        PROTECTED + n: c for n, c in after.items()
    }
    matched = Local(both, ROWS)
    start = time.process_time()

    def axes(prefix: str) -> tuple[Axis, ...]:
        return tuple(Axis(prefix + n, np.arange(0), s, identity=True) for n, s in sizes.items())

    shows = Classes(axes(""))
    pairs = tuple(zip(axes(ORIGINAL)[:KEYS], axes(PROTECTED)[:KEYS], strict=True))
    knows = OwnClasses(axes(ORIGINAL), pairs)
    target = Target("t", sizes["t"])
    sought, released = matched.scan([knows])[knows], protected.scan([shows])[shows]
    shown = Profiles.of({"t": released}, SIZES[:KEYS], {"t": target.size})
    people = Profiles.of({"t": sought}, SIZES[:KEYS], {"t": target.size}, shown)
    views = [View(n, "category", sizes[n], np.zeros(sizes[n]), {}) for n in names[:KEYS]]
    attack = Attack(views, [target], people, shown, 1)
    found = float(attack.own_exact.chances(attack.exact).sum() / ROWS)
    learned = attack.learned(target, attack.exact, attack.chance(target))
    return found, float(learned.worth.sum() / ROWS), time.process_time() - start


def suppressed() -> tuple[float, ...]:
    """The same where one of twenty cells of every key is suppressed."""
    return disclosure(SUPPRESSED)


def suda() -> float:
    """Special uniques of up to three keys."""
    from microgauge.measures.risk.suda import suda2

    return float(suda2(codes(100_000, 7), SIZES, most=3).scores.sum())


def linkage() -> float:
    """Three numbers, four categories and an ordered one, blurred and swapped."""
    from microgauge.measures.risk.linkage import LinkAttribute, linkage_share

    rng = np.random.default_rng(2)
    rows = 50_000
    found = []
    for _ in range(3):
        x = rng.lognormal(size=rows)
        attribute = LinkAttribute.standardised(x, x + rng.normal(0, 0.3 * x.std(), rows))
        assert attribute is not None
        found.append(attribute)
    for column in codes(rows, 4).T:
        swapped = np.where(rng.random(rows) < 0.1, rng.permutation(column), column)
        found.append(LinkAttribute("category", column, swapped))
    ranks = rng.integers(0, 24, rows) / 23.0
    found.append(LinkAttribute("number", ranks, np.round(ranks * 5) / 5))
    return linkage_share(found).share


if __name__ == "__main__":
    jobs = (classes, disclosure, suppressed, suda, linkage)
    print({job.__name__: job for job in jobs}[sys.argv[1]]())
