"""An intruder in plain loops over rows: what `disclosure` must come to, one person at a time.

Nothing here knows the package. A table is a list of records, a record a dict of cells, a missing
cell None; the original and the holdout are recoded already as the protected table was.
"""

import math
from dataclasses import dataclass, field

KINDS = ("category", "number", "order")


@dataclass
class World:
    """The tables, what their columns are, and whose record is whose."""

    original: list
    protected: list
    kinds: dict
    keys: list
    targets: list
    own: list | None = None
    """For each unit of the original the place of its record, None where it was dropped."""
    holdout: list | None = None
    interval: float = 0.05
    weights: list | None = None
    """Of protected records."""
    _ranks: dict = field(default_factory=dict)
    _matches: dict = field(default_factory=dict)

    # -- cells ---------------------------------------------------------------------------------

    def place(self, name, value):
        """A number to measure distances by."""
        if self.kinds[name] == "number":
            return float(value)
        if name not in self._ranks:
            seen = {r[name] for r in [*self.original, *self.protected]} - {None}
            self._ranks[name] = {v: i for i, v in enumerate(sorted(seen))}
        return float(self._ranks[name][value])

    def span(self, name):
        """The range of the original."""
        places = [self.place(name, r[name]) for r in self.original if r[name] is not None]
        return max(places) - min(places)

    def half(self, name):
        """Numbers within so much are the same; None for what is no number."""
        if self.kinds[name] != "number":
            return None
        values = [float(r[name]) for r in self.original if r[name] is not None]
        if len(values) < 2:
            return None
        mean = math.fsum(values) / len(values)
        found = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
        return self.interval * found if found else None

    # -- matches -------------------------------------------------------------------------------

    def agree(self, person, record):
        for key in self.keys:
            a, b = person[key], record[key]
            if a is not None and b is not None and a != b:
                return False
        return True

    def exact(self, person):
        return [j for j, record in enumerate(self.protected) if self.agree(person, record)]

    def distance(self, person, record):
        total = 0.0
        for key in self.keys:
            a, b = person[key], record[key]
            if a is None or b is None:
                continue
            if self.kinds[key] == "category" or not self.span(key):
                total += a != b
            else:
                total += abs(self.place(key, a) - self.place(key, b)) / self.span(key)
        return total / len(self.keys)

    def nearest(self, person):
        distances = [self.distance(person, record) for record in self.protected]
        least = min(distances)
        return [j for j, d in enumerate(distances) if d <= least + 1e-9]

    def matches(self, way, people):
        """M of each person."""
        found = []
        for person in people:
            known = (way, self.profile(person))
            if known not in self._matches:
                self._matches[known] = getattr(self, way)(person)
            found.append(self._matches[known])
        return found

    # -- identity ------------------------------------------------------------------------------

    def chances(self, way):
        """Of each unit to be found."""
        found = []
        for own, m in zip(self.own, self.matches(way, self.original), strict=True):
            found.append(1.0 / len(m) if own is not None and own in m else 0.0)
        return found

    def population_chances(self):
        found = []
        for own, m in zip(self.own, self.matches("exact", self.original), strict=True):
            here = own is not None and own in m
            found.append(individual_risk(len(m), sum(self.weights[j] for j in m)) if here else 0.0)
        return found

    def claims(self):
        """Units with one match, and those of them whom it is."""
        number = right = 0
        for own, m in zip(self.own, self.matches("exact", self.original), strict=True):
            if len(m) == 1:
                number += 1
                right += m[0] == own
        return number, right

    def min_matches(self):
        ms = self.matches("exact", self.original)
        return min(len(m) for own, m in zip(self.own, ms, strict=True) if own is not None)

    # -- copies --------------------------------------------------------------------------------

    def same(self, a, b):
        """Whether two records are equal in all variables."""
        for name in self.kinds:
            x, y, half = a[name], b[name], self.half(name)
            if x is None or y is None:
                if x is not y:
                    return False
            elif half is None:
                if x != y:
                    return False
            elif abs(x - y) > half * (1 + 1e-9):
                return False
        return True

    def copied(self):
        """Units alone, those of them that are present, and each one's chance to be found."""
        uniques, present, chances = 0, 0, []
        for person in self.original:
            if sum(self.same(person, other) for other in self.original) > 1:
                continue
            uniques += 1
            chance = self._copy_chance(person)
            present += chance is not None
            chances.append(chance or 0.0)
        return uniques, present, chances

    def copied_control(self):
        """Holdout records that equal no unit, those that are present, and their chances."""
        number, present, chances = 0, 0, []
        for person in self.holdout:
            if any(self.same(person, other) for other in self.original):
                continue
            number += 1
            chance = self._copy_chance(person)
            present += chance is not None
            chances.append(chance or 0.0)
        return number, present, chances

    def _copy_chance(self, person):
        equal = [j for j, record in enumerate(self.protected) if self.same(person, record)]
        if not equal:
            return None
        m = self.exact(person)
        return sum(j in m for j in equal) / len(m) if m else 0.0

    # -- attributes ----------------------------------------------------------------------------

    def gain(self, target, way, people, column=None):
        """(1/N) Σ over people with an only value of ([right] - p)."""
        column = [r[target] for r in self.protected] if column is None else column
        known = [p[target] for p in people if p[target] is not None]
        half, total = self.half(target), 0.0
        for person, m in zip(people, self.matches(way, people), strict=True):
            mine = person[target]
            believed = only_value([column[j] for j in m], half)
            if mine is None or believed is None:
                continue
            share = sum(is_right(v, believed, half) for v in known) / len(known)
            total += is_right(mine, believed, half) - share
        return total / len(people)

    def null(self, target, way, people):
        """The closed form, of categories."""
        records = len(self.protected)
        known = [p[target] for p in people if p[target] is not None]
        total = 0.0
        for person, m in zip(people, self.matches(way, people), strict=True):
            if not m or person[target] is None:
                continue
            for v in {r[target] for r in self.protected} - {None}:
                q = sum(r[target] == v for r in self.protected) / records
                p = sum(k == v for k in known) / len(known)
                total += q ** len(m) * ((person[target] == v) - p)
        return total / len(people)

    def learned(self, target, way, people):
        return self.gain(target, way, people) - self.null(target, way, people)

    def permuted_null(self, target, way, people, rng, draws):
        """Mean gain over random permutations of the target, and its standard error."""
        column = [r[target] for r in self.protected]
        gains = []
        for _ in range(draws):
            rng.shuffle(column)
            gains.append(self.gain(target, way, people, column))
        mean = math.fsum(gains) / draws
        spread = math.fsum((g - mean) ** 2 for g in gains) / (draws - 1)
        return mean, math.sqrt(spread / draws)

    # -- a missing cell is a value of its own ----------------------------------------------------

    def profile(self, record):
        return tuple(record[key] for key in self.keys)

    def twins(self, record, table):
        return [other for other in table if self.profile(other) == self.profile(record)]

    def attribution(self, target):
        n = len(self.original)
        dis = disco = dio = both = present = 0
        capd = dcap = 0.0
        for person in self.original:
            mine = [r[target] for r in self.twins(person, self.original)]
            theirs = [r[target] for r in self.twins(person, self.protected)]
            t = person[target]
            discloses = len(set(theirs)) == 1
            dis += discloses
            disco += discloses and theirs[0] == t
            dio += len(set(mine)) == 1
            both += discloses and theirs[0] == t and len(set(mine)) == 1
            present += bool(theirs)
            capd += mine.count(t) / len(mine)
            dcap += theirs.count(t) / len(theirs) if theirs else 0.0
        caps = 0.0
        for record in self.protected:
            theirs = [r[target] for r in self.twins(record, self.protected)]
            caps += theirs.count(record[target]) / len(theirs)
        values = [r[target] for r in self.original]
        return {
            "disclosed": dis / n,
            "correct": disco / n,
            "original": dio / n,
            "both": both / n,
            "present": present / n,
            "cap_base": sum((values.count(v) / n) ** 2 for v in set(values)),
            "cap_original": capd / n,
            "cap_protected": caps / len(self.protected),
            "dcap": dcap / n,
            "tcap": disco / present if present else None,
        }

    def replicated(self):
        n = len(self.original)
        alone = [r for r in self.original if len(self.twins(r, self.original)) == 1]
        theirs = [len(self.twins(r, self.protected)) for r in alone]
        uis = sum(len(self.twins(r, self.protected)) == 1 for r in self.protected)
        return {
            "unique_original": len(alone) / n,
            "unique_protected": uis / len(self.protected),
            "unique_present": sum(t > 0 for t in theirs) / n,
            "replicated": sum(t == 1 for t in theirs) / n,
        }


def only_value(values, half):
    """The one value that some show, as a category or as the mean of numbers; None without one."""
    if not values or None in values:
        return None
    if half is None:
        return values[0] if len(set(values)) == 1 else None
    if max(values) - min(values) > 2 * half * (1 + 1e-9):
        return None
    return math.fsum(values) / len(values)


def is_right(mine, believed, half):
    return mine == believed if half is None else abs(mine - believed) <= half * (1 + 1e-9)


def individual_risk(f, weight):
    """Benedetti and Franconi's, of a class of f records that weigh so much."""
    p = f / weight
    if p == 1:
        return 1 / f
    odds = p / (1 - p)
    if f == 1:
        return odds * math.log(1 / p)
    if f == 2:
        return odds - odds**2 * math.log(1 / p)
    return p / (f - 1 + p)
