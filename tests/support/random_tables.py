"""Tables with rare categories and outliers, releases of them, and what an attacker makes of both.

`python -m support.random_tables 300` attacks so many and says what came back;
`python -m support.random_tables 60 weighted` those of samples whose records have weights;
`python -m support.random_tables 30 twice` two pages each, of an original with a record and without.
"""

import sys
from collections import Counter

import numpy as np
import pandas as pd

import microgauge
from support import attacker
from support.reports import QUICK, data_of

NUMBERS, FACTORS = ("income", "hours"), ("region", "kind", "job")
WEIGHT = "weight"


def original(rng):
    """A table: common categories and rare ones, numbers and a few far beyond them."""
    rows = int(rng.integers(60, 900))
    frame = pd.DataFrame(
        {
            "region": _factor(rng, rows, "r", int(rng.integers(2, 7))),
            "kind": _factor(rng, rows, "k", int(rng.integers(2, 4))),
            "job": _factor(rng, rows, "j", int(rng.integers(3, 12))),
            "income": rng.lognormal(10, rng.uniform(0.3, 1.4), rows).round(2),
            "hours": rng.normal(38, 6, rows).round(1),
            "age": rng.integers(16, 95, rows).astype(float),
        }
    )
    for _ in range(int(rng.integers(0, 4))):
        frame.loc[int(rng.integers(rows)), "income"] = round(rng.uniform(1e6, 9e8), 2)
    return frame


def _factor(rng, rows, letter, size):
    """Categories, of which some are of one, two or a few records."""
    values = np.array([f"{letter}{i}" for i in rng.integers(0, size, rows)], dtype=object)
    places = iter(rng.permutation(rows))
    # A name that sorts first makes a rare category the reference of a regression.
    mark = str(rng.choice(["_", "-"]))
    for number in range(int(rng.integers(0, 4))):
        for _ in range(int(rng.choice([1, 1, 2, 3, 5, 8, 12]))):
            values[next(places)] = f"{letter}{mark}rare{number}"
    return values


def weighted(frame, rng):
    """The same as a sample: weights of a design, or wildly uneven ones."""
    few = rng.choice([1.0, 2.5, 40.0], len(frame), p=[0.6, 0.3, 0.1])
    uneven = np.maximum(rng.lognormal(3, rng.uniform(0.2, 1.5), len(frame)).round(2), 0.01)
    return frame.assign(**{WEIGHT: few if rng.random() < 0.4 else uneven})


def release(frame, rng):
    """One of the usual ways to protect a table, or two of them."""
    for method in rng.choice(METHODS, int(rng.integers(1, 3)), replace=False):
        frame = method(frame, rng)
    return frame


def _swapped(frame, rng):
    name = str(rng.choice(FACTORS))
    places = rng.permutation(len(frame))[: len(frame) // 5]
    values = frame[name].to_numpy(copy=True)
    values[places] = values[rng.permutation(places)]
    return frame.assign(**{name: values})


def _without_rare(frame, rng):
    name = str(rng.choice(FACTORS))
    counts = frame[name].value_counts()
    rare = counts.index[counts < 10]
    return frame.assign(**{name: frame[name].where(~frame[name].isin(rare), counts.index[0])})


def _top_coded(frame, rng):
    return frame.assign(income=np.minimum(frame["income"], frame["income"].quantile(0.97)))


def _noisy(frame, rng):
    noise = rng.normal(1.0, 0.05, len(frame))
    return frame.assign(income=(frame["income"] * noise).round(2))


def _largest_hidden(frame, rng):
    income = frame["income"].copy()
    income[income.idxmax()] = income.nlargest(2).iloc[1]
    return frame.assign(income=income)


def _same(frame, rng):
    return frame.copy()


METHODS = np.array(
    [_swapped, _without_rare, _top_coded, _largest_hidden, _noisy, _same], dtype=object
)


def _said():
    """Every statistic with and without groups, and a regression on every factor."""
    found = []
    for number in NUMBERS:
        found.append({"statistic": "median", "variable": number, "resamples": 20})
        for statistic in ("mean", "total"):
            found.append({"statistic": statistic, "variable": number, "resamples": 20})
            found += [
                {"statistic": statistic, "variable": number, "by": factor, "resamples": 20}
                for factor in FACTORS
            ]
    found += [{"statistic": "share", "variable": factor} for factor in FACTORS]
    models = [{"formula": f"{number} ~ {factor}"} for number in NUMBERS for factor in FACTORS]
    return {"indicator": found, "regression": models}


def page_of(frame, releases, threshold):
    """The data of the public report of one release, or of several."""
    said = {**_said(), "options": {"weight": WEIGHT} if WEIGHT in frame else {}}
    if len(releases) == 1:
        only = ["gdu", "ecdf", "indicators", "regressions"]
        result = microgauge.assess(frame, releases[0], schema=said, only=only, details=True)
    else:
        said = {**said, "variable": {"kind": {"role": "quasi_identifier"}}}
        result = microgauge.rank(frame, releases, schema=said, skip=QUICK, details=True)
    return data_of(result.report(edition="public", min_count=threshold))


def attacked(number, weight=None):
    """What comes back from one table, which a number chooses, and whether anything was told."""
    rng = np.random.default_rng([number, 7])
    frame = original(rng)
    if weight:
        frame = weighted(frame, np.random.default_rng([number, 8]))
    threshold = int(rng.choice([3, 5, 10]))
    several = 1 if number % 5 else int(rng.integers(2, 4))
    releases = [release(frame, rng) for _ in range(several)]
    data = page_of(frame, releases, threshold)
    found = []
    for released in releases:
        known = (data, released, len(frame), threshold)
        claims = attacker.attacked(*known, NUMBERS, FACTORS, weight)
        claims += attacker.single_values(data, frame, released, NUMBERS)
        found += attacker.leaks(claims, frame, released, threshold, weight)
    labels = {
        label
        for name in FACTORS
        for label in set(frame[name]) - set.union(*(set(r[name]) for r in releases))
    }
    found += attacker.names_in(data, sorted(labels), "categories")
    return found, told(data)


def attacked_twice(number):
    """What two pages of one original tell, with a record and without it.

    Shares of figures that are not the same and that one of them has alone, and claims about who
    is left out: by turns the richest, anybody, and one of a rare category.
    """
    rng = np.random.default_rng([number, 77])
    frame = original(rng)
    while len(frame) < 300:
        frame = original(rng)
    sizes = frame["job"].map(frame["job"].value_counts())
    who = (frame["income"].idxmax(), int(rng.integers(len(frame))), sizes.idxmin())[number % 3]
    both = [(frame, release(frame, rng))]
    both.append(tuple(table.drop(index=who).reset_index(drop=True) for table in both[0]))
    pages = [page_of(before, [after], 10) for before, after in both]
    one, other = map(attacker.figures_by_name, pages)
    shared, every = one.keys() & other.keys(), one.keys() | other.keys()
    moved = sum(one[name] != other[name] for name in shared) / len(shared)
    right = [
        claim
        for name in NUMBERS
        for claim in attacker.by_two_pages(pages, len(frame), name)
        if claim.low <= (true := frame[name][who]) <= claim.high
        and claim.high - claim.low < 2 * attacker.CLOSE * abs(true)
    ]
    return moved, 1 - len(shared) / len(every), right


def told(data):
    """How many distributions, pairs, indicators and terms a page tells."""
    counts = Counter()
    for report in attacker.reports_in(data):
        counts["variables"] += sum(v["utility"] is not None for v in report["variables"])
        counts["pairs"] += sum(u is not None for _, _, u in report["pairs"]["matrix"])
        rows = attacker.table_rows(attacker.section_of(report, "indicators"))
        counts["indicators"] += len(rows)
        for group in attacker.section_of(report, "regressions"):
            counts["terms"] += len(attacker.table_rows(group.get("blocks", ())))
    return counts


def main():
    """Attack many and say what came back."""
    many, counts, leaking = int(sys.argv[1]), Counter(), 0
    if "twice" in sys.argv:
        moved, alone, right = zip(*map(attacked_twice, range(many)), strict=True)
        sys.stdout.write(
            f"{many} pairs of pages: figures that differ {np.median(moved):.1%}, at most "
            f"{max(moved):.1%}; on one page alone {np.median(alone):.1%}, at most "
            f"{max(alone):.1%}; values that come back {sum(map(len, right))}\n"
        )
        return
    weight = WEIGHT if "weighted" in sys.argv else None
    for number in range(many):
        found, shown = attacked(number, weight)
        counts += shown
        leaking += bool(found)
        for claim in found:
            sys.stdout.write(f"{number} {claim}\n")
    told_of = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    sys.stdout.write(f"{many} tables, {leaking} of them leak; told: {told_of}\n")


if __name__ == "__main__":
    main()
