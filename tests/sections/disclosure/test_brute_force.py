"""Every figure against plain loops over rows, on random tables of all kinds."""

import random

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

import microgauge
from microgauge.measures.disclosure import learned
from microgauge.sections.disclosure import evidence
from support.intruder import World
from support.long import more

KEY = "quasi_identifier"
BREAKS = {"breaks": [0, 3, 6, 9], "labels": ["0-2", "3-5", "6-8", "9+"]}
BANDS = BREAKS["labels"]
TYPES = {
    "sex": "nominal",
    "region": "nominal",
    "age": "continuous",
    "grade": "ordinal",
    "years": "continuous",
    "job": "nominal",
    "income": "continuous",
}
KINDS = {"nominal": "category", "continuous": "number", "ordinal": "order"}
CLOSE = {"rel": 1e-9, "abs": 1e-12}


def band(value):
    """The place of the band of a number of years, as `BREAKS` has it."""
    return None if value is None else min(int(value) // 3, 3)


class Draw:
    """Random tables, as records of the original's terms."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.holes = float(self.rng.choice([0.0, 0.0, 0.1, 0.3]))

    def table(self, rows):
        rng = self.rng
        found = []
        for _ in range(rows):
            sex = str(rng.choice(["f", "m"]))
            record = {
                "sex": sex,
                "region": str(rng.choice(list("ABC"), p=[0.5, 0.3, 0.2])),
                "age": float(rng.integers(20, 28)),
                "grade": int(rng.integers(1, 6)),
                "years": float(rng.integers(0, 12)),
                "job": str(rng.choice(["nurse", "smith", "judge"], p=self.jobs(sex))),
                "income": float(rng.integers(0, 12) * 10 + (sex == "f") * 40),
            }
            found.append({name: self.hole(cell, self.holes) for name, cell in record.items()})
        return found

    def jobs(self, sex):
        return [0.7, 0.2, 0.1] if sex == "f" else [0.1, 0.5, 0.4]

    def hole(self, cell, share):
        return None if self.rng.random() < share else cell

    def protected(self, table, keys, share, suppressed):
        """Some cells replaced by those of others, some keys suppressed."""
        rng, found = self.rng, [dict(record) for record in table]
        for record in found:
            for name in record:
                if rng.random() < share:
                    record[name] = found[int(rng.integers(len(found)))][name]
                if name in keys:
                    record[name] = self.hole(record[name], suppressed)
        return found

    def units(self, original, protected):
        """Some units dropped, some strangers added, all in another order; whose is whose."""
        rng = self.rng
        dropped = float(rng.choice([0.0, 0.3]))
        kept = [i for i in range(len(original)) if rng.random() >= dropped] or [0]
        added = self.table(int(rng.choice([0, 3])))
        rows = [(i, protected[i]) for i in kept]
        rows += [(1000 + i, record) for i, record in enumerate(added)]
        rng.shuffle(rows)
        return [number for number, _ in rows], [record for _, record in rows]


def frame(table, ids=None, weights=None):
    types = {n: pl.String if t == "nominal" else pl.Float64 for n, t in TYPES.items()}
    types["grade"] = pl.Int64
    if any(isinstance(record["years"], str) for record in table):
        types["years"] = pl.String
    found = pl.DataFrame(table, schema=types)
    if ids is not None:
        found = found.with_columns(id=pl.Series(ids))
    return found if weights is None else found.with_columns(w=pl.Series(weights))


class Case:
    """Two or three random tables, assessed and attacked by hand."""

    def __init__(self, seed, *, aligned, holdout=False, weights=False, targets=("job", "income")):
        self.seed = seed
        draw, rng = Draw(seed), np.random.default_rng(seed + 10_000)
        names = ["sex", "region", "age", "grade", "years"]
        keys = sorted(rng.choice(names, int(rng.integers(1, 5)), replace=False).tolist())
        original = draw.table(int(rng.integers(12, 40)))
        share, suppressed = (float(rng.choice(c)) for c in ([0.0, 0.1, 0.5], [0.0, 0.2, 0.6]))
        protected = draw.protected(original, keys, share, suppressed)
        ids, protected = draw.units(original, protected)
        others = draw.table(int(rng.integers(5, 40))) if holdout else None
        self.weights = [float(w) for w in rng.uniform(1, 9, len(protected))] if weights else None
        self.banded = bool(rng.random() < 0.7)
        own = [ids.index(i) if i in ids else None for i in range(len(original))]
        recoded = [self.recode(t) if t is not None else None for t in (original, protected, others)]
        kinds = {n: KINDS[t] for n, t in TYPES.items()}
        kinds["years"] = "order" if self.banded else "number"
        interval = float(rng.choice([0.05, 0.3, 0.8]))
        self.world = World(
            recoded[0],
            recoded[1],
            kinds,
            keys,
            list(targets),
            own=own if aligned else None,
            holdout=recoded[2],
            interval=interval,
            weights=self.weights,
        )
        self.result = self.assessed(original, recoded[1], others, ids, aligned)

    def recode(self, table):
        if not self.banded:
            return table
        return [record | {"years": band(record["years"])} for record in table]

    def assessed(self, original, protected, holdout, ids, aligned):
        world = self.world
        said = {
            name: {"type": kind, "role": KEY if name in world.keys else "analysis"}
            for name, kind in TYPES.items()
        }
        if self.banded:
            said["years"] |= {"recode": BREAKS, "protected_type": "ordinal"}
            names = [None if r["years"] is None else BANDS[r["years"]] for r in protected]
            protected = [r | {"years": n} for r, n in zip(protected, names, strict=True)]
        options = {"key": "id"} if aligned else {"aligned": False}
        if self.weights:
            options |= {"weight": "w"}
        risk = {"interval": world.interval, "targets": list(world.targets)}
        tables = [
            frame(original, range(len(original)), [1.0] * len(original) if self.weights else None),
            frame(protected, ids, self.weights),
        ]
        for name in ["id"] * (not aligned):
            tables = [table.drop(name) for table in tables]
        schema = {"options": options, "variable": said, "risk": risk}
        others = None if holdout is None else frame(holdout)
        return microgauge.assess(*tables, schema=schema, holdout=others, only=["disclosure"])

    @property
    def disclosure(self):
        return self.result.disclosure

    @property
    def as_meant(self):
        """Whether nothing was recoded but what was declared: small tables show rules by chance."""
        found = {v.name for v in self.result.variables if v.recoding is not None}
        gone = [n for n in self.world.kinds if all(r[n] is None for r in self.world.original)]
        return found <= ({"years"} if self.banded else set()) and not gone


def cases(number, start, **choices):
    """So many cases; those in which something else was recoded are passed by."""
    made, seed = 0, start
    while made < number:
        assert seed < start + 2 * number, "most cases are passed by"
        case = Case(seed, **choices)
        seed += 1
        if case.as_meant:
            made += 1
            yield case


def same(found, expected, case, name):
    if expected is None:
        assert found is None, (case.seed, name)
    else:
        assert found == pytest.approx(expected, **CLOSE), (case.seed, name)


def test_figures_do_not_hang_on_how_many_profiles_are_looked_at_together(monkeypatch):
    seeds = range(12_000, 12_006)
    wanted = [Case(seed, aligned=True).disclosure for seed in seeds]
    monkeypatch.setattr(learned, "AT_A_TIME", 2)
    monkeypatch.setattr(evidence, "CLASSES_AT_A_TIME", 3)
    assert [Case(seed, aligned=True).disclosure for seed in seeds] == wanted


# -- identity ------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [0, *more(1000, 2000)])
def test_found(start):
    for case in cases(40, start, aligned=True, weights=True):
        world, found = case.world, case.disclosure.found
        n, released = len(world.original), sum(own is not None for own in world.own)
        exact, nearest = world.chances("exact"), world.chances("nearest")
        assert (case.disclosure.units, case.disclosure.released) == (n, released)
        same(found.exact, sum(exact) / n, case, "exact")
        same(found.released, sum(exact) / released, case, "released")
        same(found.nearest, sum(nearest) / n, case, "nearest")
        same(found.value, sum(nearest) / n, case, "value")
        same(found.population, sum(world.population_chances()) / n, case, "population")
        same(found.largest, max(nearest), case, "largest")
        for bound in (0.1, 0.2, 0.5):
            above = sum(chance > bound for chance in nearest) / n
            same(found.above[f"{bound:g}"], above, case, bound)
        assert found.min_matches == world.min_matches()
        check_claims(found, *world.claims())
        same(case.disclosure.risk, expected_risk(case, sum(nearest) / n), case, "risk")


def check_claims(found, number, right):
    assert found.claims == number
    if not number:
        assert found.claims_right is None
        return
    assert found.claims_right == pytest.approx(right / number)
    ends = proportion_confint(right, number, method="wilson")
    assert found.claims_right_ci == pytest.approx(ends, abs=1e-12)


def expected_risk(case, *parts):
    """The largest of some figures and of what is learned."""
    found = [t.excess if case.world.holdout is not None else t.value for t in learned_ones(case)]
    return max([*parts, *found, 0.0])


def learned_ones(case):
    return [t for t in case.disclosure.learned if t.value is not None]


# -- copies --------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [3000, *more(4000)])
def test_copied(start):
    for case in cases(30, start, aligned=False):
        world, found = case.world, case.disclosure.copied
        n = len(world.original)
        uniques, present, chances = world.copied()
        assert found.uniques == uniques
        same(found.value, present / n, case, "value")
        same(found.present, present / uniques if uniques else None, case, "present")
        same(found.found_copied, sum(chances) / n, case, "found_copied")
        assert case.disclosure.found.value is None
        assert case.disclosure.upper_bound
        same(case.disclosure.risk, expected_risk(case, sum(chances) / n), case, "risk")


@pytest.mark.parametrize("start", [5000, *more(6000)])
def test_copied_against_a_holdout(start):
    for case in cases(25, start, aligned=False, holdout=True):
        world, found = case.world, case.disclosure.copied
        n = len(world.original)
        uniques, present, chances = world.copied()
        number, hits, others = world.copied_control()
        same(found.value, present / n, case, "value")
        if not uniques or not number:
            assert found.excess is None
            assert found.reason
            continue
        same(found.control, hits / number, case, "control")
        same(found.excess, uniques / n * (present / uniques - hits / number), case, "excess")
        same(found.found_copied_control, sum(others) / number, case, "found control")
        excess = uniques / n * (sum(chances) / uniques - sum(others) / number)
        same(found.found_copied_excess, excess, case, "found excess")
        same(case.disclosure.risk, expected_risk(case, excess), case, "risk")


# -- attributes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [7000, *more(8000)])
@pytest.mark.parametrize("aligned", [True, False])
def test_learned_of_a_category(start, aligned):
    for case in cases(25, start, aligned=aligned, targets=("job",)):
        world, [found] = case.world, case.disclosure.learned
        people = world.original
        same(found.gain, world.gain("job", "exact", people), case, "gain")
        same(found.null, world.null("job", "exact", people), case, "null")
        same(found.exact, world.learned("job", "exact", people), case, "exact")
        same(found.nearest, world.learned("job", "nearest", people), case, "nearest")
        same(found.value, max(found.exact, found.nearest), case, "value")
        for name, expected in world.attribution("job").items():
            same(getattr(found, name), expected, case, name)
        for name, expected in world.replicated().items():
            same(getattr(case.disclosure.replicated, name), expected, case, name)


@pytest.mark.parametrize("start", [9000])
def test_learned_of_a_category_against_a_holdout(start):
    for case in cases(40, start, aligned=True, holdout=True, targets=("job",)):
        world, [found] = case.world, case.disclosure.learned
        if all(p["job"] is None for p in world.holdout):
            assert found.excess is None
            continue
        mine, theirs = (
            [world.learned("job", way, people) for way in ("exact", "nearest")]
            for people in (world.original, world.holdout)
        )
        same(found.value, max(mine), case, "value")
        same(found.holdout, max(theirs), case, "holdout")
        apart = max(a - b for a, b in zip(mine, theirs, strict=True))
        same(found.excess, apart, case, "excess")
        same(case.disclosure.excess, max(apart, 0.0), case, "largest excess")
        chance = sum(world.chances("nearest")) / len(world.original)
        same(case.disclosure.risk, max(chance, apart, 0.0), case, "risk")
        assert not case.disclosure.upper_bound


@pytest.mark.parametrize("start", [11_000])
def test_gain_of_a_number(start):
    for case in cases(40, start, aligned=True, targets=("income",)):
        world, [found] = case.world, case.disclosure.learned
        same(found.gain, world.gain("income", "exact", world.original), case, "gain")
        for name, expected in world.attribution("income").items():
            same(getattr(found, name), expected, case, name)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["exact", "nearest"])
def test_null_of_a_number_is_what_permutations_give(way):
    rng = random.Random(1)
    apart = []
    for case in cases(12, 12_000, aligned=True, targets=("income",)):
        world, [found] = case.world, case.disclosure.learned
        null, error = world.permuted_null("income", way, world.original, rng, 2_000)
        gain = world.gain("income", way, world.original)
        # The program draws sets too: its own error is about that of the permutations.
        error = max(error * 2**0.5, 1e-12)
        apart.append((gain - getattr(found, way) - null) / error)
    assert max(map(abs, apart)) < 4.5, apart
    assert abs(np.mean(apart)) < 3 / len(apart) ** 0.5, apart
