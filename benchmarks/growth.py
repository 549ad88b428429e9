"""(c) From 100,000 to 1,000,000 rows: time against n log n."""

from __future__ import annotations

import math

from benchmarks.measure import GDU, Outcome, Setting, assess, make

SIZES = (100_000, 1_000_000)


def measure(setting: Setting) -> list[Outcome]:
    """Time per n log n at the larger size over that at the smaller."""
    seconds = []
    for rows in SIZES:
        folder = setting.folder / f"mixed_{rows}"
        if not (folder / "protected.parquet").exists():
            make("mixed", folder, "--rows", str(rows))
        seconds.append(assess(folder, setting.repeats, *GDU).seconds)
    unit = [t / (n * math.log(n)) for t, n in zip(seconds, SIZES, strict=True)]
    detail = ", ".join(
        f"{n:,} rows: {t:.1f} s, {u * 1e6:.2f} µs per n log n"
        for n, t, u in zip(SIZES, seconds, unit, strict=True)
    )
    return [Outcome("c  growth / n log n", unit[1] / unit[0], 1, False, detail)]
