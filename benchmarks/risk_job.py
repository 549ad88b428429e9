"""`python -m benchmarks.risk_job classes|suda|linkage`: one measure on a table made by a seed."""

from __future__ import annotations

import sys

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


def classes() -> float:
    """Class sizes and R_internal through the engine, as `assess` finds them."""
    from microgauge.engines.local import Local
    from microgauge.measures.risk.classes import class_table, internal_risk
    from microgauge.passes import Axis, Classes
    from microgauge.values.packing import unpacked

    levels = codes(10_000_000, 6).astype(np.uint8)
    names = [f"k{i}" for i in range(6)]
    engine = Local({n: levels[:, i].copy() for i, n in enumerate(names)}, len(levels))
    sizes = list(SIZES[:6])
    axes = [Axis(n, np.arange(0), s, identity=True) for n, s in zip(names, sizes, strict=True)]
    question = Classes(tuple(axes))
    cells = engine.scan([question])[question]
    found = unpacked(cells.keys, [size + 1 for size in sizes])
    return internal_risk(class_table(found, sizes, cells.rows, cells.sums, missing_matches=False))


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
    print({"classes": classes, "suda": suda, "linkage": linkage}[sys.argv[1]]())
