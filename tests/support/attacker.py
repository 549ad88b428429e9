"""Somebody who holds a public report and the released file, knows how it is made, and counts.

Each attack reads the page's data and the released table alone and makes claims: a group, what of
it, and between which bounds it must lie. `leaks` holds them against the original, which only
the test has: a claim is a leak where it is right, narrow, and of what nobody should get.
"""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from math import exp, floor, inf, log10

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linprog

from support.reports import section_of, table_rows

OTHERS = "(others)"
CLOSE = 0.1
"""Bounds so close to each other, as a part of the value, give it away (the p % rule)."""


@dataclass(frozen=True)
class Claim:
    """What somebody says to know: a number of a group lies between two bounds."""

    attack: str
    what: str
    """count, value, score or name."""
    about: tuple
    low: float = -inf
    high: float = inf


def steps():
    """Round numbers from large to small."""
    return (m * 10.0**e for e in range(9, -13, -1) for m in (5, 2, 1))


def grain(*numbers):
    """The largest round number that all are multiples of: what they were rounded to, at most."""
    known = [abs(x) for x in numbers if x]
    for step in steps():
        if known and all(abs(x - step * round(x / step)) < 1e-7 * min(x, step) for x in known):
            return step
    return 1e-12


def bounds(value, *beside):
    """Where a number lies that was rounded like those beside it."""
    half = max(grain(value, *beside) / 2, 1e-8 * abs(value))
    return value - half, value + half


def reports_in(data):
    return [r for r in data["reports"] if r] if data["kind"] == "rank" else [data]


def weighed(released, weight):
    """What each record counts for: its weight, which the released file holds too, or 1."""
    return released[weight] if weight else pd.Series(1.0, index=released.index)


# -- systems of shares ---------------------------------------------------------------------------


def largest(rows, groups):
    """The most that each group may hold under the known sums: (members, low, high) each.

    `rows` are known sums; `groups` lists sets of unknown counts, which are numbered.
    """
    size = 1 + max(max(members) for members, *_ in rows)
    matrix, limits = [], []
    for members, low, high in rows:
        row = np.zeros(size)
        row[list(members)] = 1.0
        matrix += [row, -row]
        limits += [high, -low]
    found = []
    for group in groups:
        aim = np.zeros(size)
        aim[list(group)] = -1.0
        best = linprog(aim, A_ub=np.array(matrix), b_ub=np.array(limits), bounds=(0, None))
        found.append(inf if best.status != 0 else -best.fun)
    return found


def by_shares(data, released, rows, weight=None):
    """Counts of categories: shares of pictures and of indicators, and that all is one."""
    claims = []
    weights = weighed(released, weight)
    whole, lightest = (weights.sum(), weights.min()) if weight else (rows, 1.0)
    for name in released.columns:
        known = _told_shares(data, name)
        if not known:
            continue
        labels = sorted({label for label, *_ in known} - {OTHERS})
        labels += [*sorted(set(released[name].dropna().astype(str)) - set(labels)), "?"]
        place = {label: i for i, label in enumerate(labels)}
        system = [(set(range(len(labels))), whole - 1e-6, whole + 1e-6)]
        for label, told, low, high in known:
            members = (
                {place[label]}
                if label != OTHERS
                else set(place.values()) - {place[x] for x in told}
            )
            system.append((members, low * whole, high * whole))
        shown = {label for label, *_ in known}
        hidden = [label for label in labels if label not in shown]
        groups = [{place[label]} for label in hidden] + [{place[label] for label in hidden}]
        names = [(label,) for label in hidden] + [tuple(hidden)]
        for label, most in zip(names, largest(system, groups), strict=True):
            claims.append(Claim("shares", "count", (name, label), 0.0, most / lightest))
    return claims


def _told_shares(data, name):
    """Label, labels told beside it, and between what its share lies."""
    found = []
    for report in reports_in(data):
        for variable in report["variables"]:
            detail = variable["detail"]
            if variable["name"] == name and detail and "labels" in detail:
                shares = [*detail["before"], *detail["after"]]
                told = [label for label in detail["labels"] if label != OTHERS]
                for label, share in zip(detail["labels"], detail["before"], strict=True):
                    found.append((label, told, *bounds(share, *shares)))
        for row in table_rows(section_of(report, "indicators")):
            match = re.fullmatch(rf"share of {re.escape(name)}: (.*)", row[0])
            if match and row[1] is not None:
                found.append((match[1], [], *bounds(row[1], *_interval(row))))
    return found


def _interval(row):
    drawn = row[4] if isinstance(row[4], dict) else {}
    return [*(drawn.get("original_ci") or ()), *(drawn.get("protected_ci") or ())]


def by_bins(data, released, rows, weight=None):
    """Counts of intervals of numbers, over all candidates at once."""
    claims = []
    weights = weighed(released, weight)
    whole, lightest = (weights.sum(), weights.min()) if weight else (rows, 1.0)
    names = dict.fromkeys(v["name"] for r in reports_in(data) for v in r["variables"])
    for name in names:
        details = [
            v["detail"] for r in reports_in(data) for v in r["variables"]
            if v["name"] == name and v["detail"] and "inner" in v["detail"]
        ]  # fmt: skip
        edges = sorted({edge for detail in details for edge in detail["inner"]})
        if not edges:
            continue
        system = [(set(range(len(edges) + 1)), whole - 1e-6, whole + 1e-6)]
        for detail in details:
            ends = [0, *(edges.index(edge) + 1 for edge in detail["inner"]), len(edges) + 1]
            for i, share in enumerate(detail["before"]):
                low, high = bounds(share, *detail["before"], *detail["after"])
                system.append((set(range(ends[i], ends[i + 1])), low * whole, high * whole))
        groups = [{i} for i in range(len(edges) + 1)]
        for i, most in enumerate(largest(system, groups)):
            ends = [-inf, *edges, inf]
            about = (name, ends[i], ends[i + 1])
            claims.append(Claim("bins", "count", about, 0.0, most / lightest))
    return claims


# -- totals, means, the largest contributor ------------------------------------------------------


def _indicators(data, pattern):
    """Groups and values that indicators of a name tell, with their bounds."""
    found = {}
    for report in reports_in(data):
        for row in table_rows(section_of(report, "indicators")):
            match = re.fullmatch(pattern, row[0])
            if match and row[1] is not None:
                found[match[1] if match.groups() else None] = bounds(row[1], *_interval(row))
    return found


def by_subtraction(data, released, statistic, variable, by, weight=None):
    """What hidden groups hold: the whole less the groups that are told."""
    named = re.escape(f"{statistic} of {variable}")
    whole = _indicators(data, named).get(None)
    groups = _indicators(data, rf"{named}, {re.escape(by)} (.*)")
    if whole is None or not groups:
        return []
    known = released[[by, variable]].dropna()
    sizes = weighed(released, weight)[known.index].groupby(known[by].astype(str)).sum()
    held = (lambda size: size) if statistic == "mean" else (lambda size: 1.0)
    low, high = (end * held(sizes.sum()) for end in whole)
    for label, (least, most) in groups.items():
        times = held(sizes.get(label, 0.0))
        low, high = low - most * times, high - least * times
    hidden = tuple(sorted(set(sizes.index) - set(groups)))
    return [Claim("subtraction", "value", (variable, by, hidden), low, high)]


def by_the_rest(data, released, statistic, variable, rows, weight=None):
    """The one whom a release hides: the whole less all others, as the release holds them."""
    whole = _indicators(data, re.escape(f"{statistic} of {variable}")).get(None)
    if whole is None:
        return []
    weights = weighed(released, weight)
    size = weights.sum() if weight else rows
    low, high = (end * (size if statistic == "mean" else 1.0) for end in whole)
    others = released[variable].dropna()
    held = others * weights[others.index]
    # Who is hidden may have been given the value of the next largest, and then it may be either.
    lost = others.index[others == others.max()] if len(others) == rows else [None]
    rests = [held.sum() - (held[one] if one is not None else 0.0) for one in lost]
    return [
        Claim("dominance", "value", (variable, "largest"), low - rest, high - rest)
        for rest in rests
    ]


def by_coefficients(data, formula):
    """Means of the reference category and of each other one: the intercept, and sums with it.

    Of a model with one factor, whose coefficients are differences of means.
    """
    response, factor = (part.strip() for part in formula.split("~"))
    claims = []
    for report in reports_in(data):
        for group in section_of(report, "regressions"):
            if group["block"] != "group" or group["title"] != formula:
                continue
            told = {row[0]: bounds(row[1], *_drawn(row)) for row in table_rows(group["blocks"])}
            start = told.get("Intercept")
            if start is None:
                continue
            claims.append(Claim("coefficients", "value", (response, factor, None), *start))
            for term, (low, high) in told.items():
                label = re.fullmatch(rf"{re.escape(factor)}\[T\.(.*)\]", term)
                if label:
                    about = (response, factor, label[1])
                    ends = start[0] + low, start[1] + high
                    claims.append(Claim("coefficients", "value", about, *ends))
    return claims


def _drawn(row):
    drawn = row[5] if isinstance(row[5], dict) else {}
    return drawn.get("original_ci") or ()


# -- inversion -----------------------------------------------------------------------------------


def by_p(data, released, rows, threshold):
    """Counts of a hidden category: those with which the test would give what the page tells.

    Where the page says that its tests see no hidden category, there is nothing to be had.
    """
    claims = []
    if "all others being one" in " ".join(data.get("left_out", ())):
        return claims
    for report in reports_in(data):
        for variable in report["variables"]:
            name, detail = variable["name"], variable["detail"]
            if not detail or "labels" not in detail:
                continue
            told = dict(zip(detail["labels"], detail["before"], strict=True))
            counts = released[name].astype(str).value_counts()
            named = [label for label in told if label != OTHERS]
            hidden = [label for label in counts.index if label not in named]
            if variable["utility"] is None or OTHERS not in told or len(hidden) != 2:
                continue
            after = np.array([counts[label] for label in [*named, *hidden]], dtype=float)
            ends = bounds(variable["utility"], *(v["utility"] or 0 for v in report["variables"]))
            for place in (0, 1):
                fits = []
                for count in range(threshold * 3):
                    before = _completed(told, named, rows, count, place)
                    if before is not None and ends[0] <= _utility(before, after) <= ends[1]:
                        fits.append(count)
                if fits:
                    about = (name, (hidden[place],))
                    claims.append(Claim("p", "count", about, min(fits), max(fits)))
    return claims


def _completed(told, named, rows, count, place):
    """The original's counts, where one of two hidden categories holds so many."""
    before = [round(told[label] * rows) for label in named]
    rest = rows - sum(before) - count
    return None if rest < 0 else np.array([*before, *((count, rest), (rest, count))[place]], float)


def _utility(before, after):
    held = np.array([before, after])
    held = held[:, held.sum(axis=0) > 0]
    return 1 - exp(-14 * float(stats.chi2_contingency(held, correction=False)[1]))


def by_means(data):
    """The score of the one variable that has none: the mean of all, less those that are told."""
    claims = []
    for report in reports_in(data):
        told = [v["utility"] for v in report["variables"] if v["utility"] is not None]
        untold = [v["name"] for v in report["variables"] if v["utility"] is None]
        mean = next((f["value"] for f in report["figures"] if f["key"] == "univariate"), None)
        over = re.search(r"over the distributions of (\d+) variable", " ".join(report["verdict"]))
        if mean is None or over is None or len(untold) != 1 or int(over[1]) == len(told):
            continue
        several = int(over[1])
        low, high = bounds(mean, *told)
        rest = sum(told)
        ends = several * low - rest, several * high - rest
        claims.append(Claim("means", "score", (untold[0],), *ends))
    return claims


def by_joint_distance(data, rows):
    """Units that the two distribution functions differ by: U_m is a number of them over all."""
    claims = []
    for report in reports_in(data):
        found = re.search(r"U_m ([\d.e-]+)", json.dumps(report["sections"]))
        if found:
            value = float(found[1])
            digits = 10.0 ** (floor(log10(value)) - 2) if value else 1e-9
            half = max(grain(value), digits) / 2
            ends = (value - half) * rows, (value + half) * rows
            claims.append(Claim("joint distance", "count", ("U_m",), *ends))
    return claims


# -- what is simply there ------------------------------------------------------------------------


def leaves(data):
    if isinstance(data, dict):
        return [leaf for key, v in data.items() if key != "explain" for leaf in leaves(v)]
    return [leaf for v in data for leaf in leaves(v)] if isinstance(data, list) else [data]


def names_in(data, names, attack):
    """Words that stand in the data of a page."""
    text = "\n".join(str(leaf) for leaf in leaves(data) if isinstance(leaf, str))
    words = (name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    return [Claim(attack, "name", (name,)) for name in words]


def pairs_of_the_untold(data):
    """Pairs that have a figure though one of their variables has none."""
    claims = []
    for report in reports_in(data):
        pairs = report["pairs"]
        untold = {v["name"] for v in report["variables"] if v["utility"] is None}
        for a, b, utility in pairs["matrix"]:
            named = {pairs["names"][a], pairs["names"][b]} & untold
            if named and utility is not None:
                claims.append(Claim("pairs", "name", tuple(sorted(named))))
    return claims


def single_values(data, original, released, columns):
    """Numbers of the page that one record of the original has, and no released one."""
    numbers = {x for x in leaves(data) if isinstance(x, float) and x % 1}
    claims = []
    for name in columns:
        once = set(original[name].dropna()) - set(released[name].dropna())
        claims += [Claim("exact values", "value", (name, x), x, x) for x in once & numbers]
    return claims


def differing(one, other):
    """Share of the figures that are not the same in two pages of the same shape."""
    found = [
        pair for pair in zip(leaves(one), leaves(other), strict=False)
        if all(isinstance(x, int | float) and not isinstance(x, bool) for x in pair)
    ]  # fmt: skip
    return sum(a != b for a, b in found) / max(len(found), 1)


# -- two pages -----------------------------------------------------------------------------------


def figures_by_name(data):
    """What a page tells, each figure by what it is of."""
    found = {}
    for report in reports_in(data):
        found |= {("figure", f["key"]): f["value"] for f in report["figures"]}
        for variable in report["variables"]:
            name, detail = variable["name"], variable["detail"] or {}
            found["score", name] = variable["utility"]
            ends = [None, *detail.get("inner", ()), None]
            bins = detail.get("labels") or list(pairwise(ends))
            told = zip(bins, detail.get("before", ()), strict=False)
            found |= {("share", name, one): share for one, share in told}
        names = report["pairs"]["names"]
        for a, b, utility in report["pairs"]["matrix"]:
            found["pair", names[a], names[b]] = utility
        rows = table_rows(section_of(report, "indicators"))
        found |= {("indicator", row[0]): row[1] for row in rows}
        for group in section_of(report, "regressions"):
            rows = table_rows(group.get("blocks", ()))
            found |= {("term", group.get("title"), row[0]): row[1] for row in rows}
    return {name: value for name, value in found.items() if value is not None}


def by_two_pages(pages, rows, variable):
    """The value of whom only the first page knows: its total less that of the second."""
    claims = []
    for statistic in ("total", "mean"):
        said = re.escape(f"{statistic} of {variable}")
        ends = [_indicators(page, said).get(None) for page in pages]
        if None not in ends:
            sizes = (rows, rows - 1) if statistic == "mean" else (1, 1)
            (low, high), (least, most) = (
                (a * n, b * n) for (a, b), n in zip(ends, sizes, strict=True)
            )
            claims.append(Claim("two pages", "value", (variable,), low - most, high - least))
    return claims


# -- all at once, and who is right ---------------------------------------------------------------


def attacked(data, released, rows, threshold, numbers=(), factors=(), weight=None):
    """Everything that is claimed of a page about one original."""
    claims = by_shares(data, released, rows, weight) + by_bins(data, released, rows, weight)
    claims += by_means(data)
    claims += by_p(data, released, rows, threshold) + pairs_of_the_untold(data)
    claims += by_joint_distance(data, rows)
    for number in numbers:
        for statistic in ("mean", "total"):
            claims += by_the_rest(data, released, statistic, number, rows, weight)
            for factor in factors:
                claims += by_subtraction(data, released, statistic, number, factor, weight)
        for factor in factors:
            claims += by_coefficients(data, f"{number} ~ {factor}")
    return claims


def leaks(claims, original, released, threshold, weight=None):
    """Claims that are right and of what nobody should get."""
    weights = weighed(original, weight)
    return [c for c in claims if _CHECKS[c.what](c, original, released, threshold, weights)]


def _counted(claim, original, released, threshold, weights):
    """A group of some, but few, that is known to be few."""
    del weights
    if claim.attack == "joint distance":
        return claim.high < threshold
    name, *group = claim.about
    if claim.attack == "bins":
        count = int(((original[name] >= group[0]) & (original[name] < group[1])).sum())
    else:
        known = original[name].dropna().astype(str)
        unknown = set(known) - set(released[name].astype(str)) if "?" in group[0] else set()
        count = int(known.isin({*group[0], *unknown}).sum())
    right = claim.low - 1e-6 <= count <= claim.high + 1e-6
    return right and 0 < count < threshold and claim.high < threshold


def _valued(claim, original, released, threshold, weights):
    """What few people have together, or one, to within a tenth."""
    if claim.attack == "exact values":
        return True
    if claim.about[1] == "largest":
        name = claim.about[0]
        place = original[name].idxmax()
        true, people = original[name][place] * weights[place], 1
        if original[name][place] in set(released[name]):
            return False
    else:
        response, factor, label = claim.about
        known = original[[response, factor]].dropna()
        labels = known[factor].astype(str)
        if claim.attack == "coefficients":
            label = min(set(labels)) if label is None else label
            held = known.loc[labels == label, response]
            true = np.average(held, weights=weights[held.index]) if len(held) else 0.0
        else:
            told = set(released[factor].dropna().astype(str)) - set(label)
            held = known.loc[~labels.isin(told), response]
            true = (held * weights[held.index]).sum()
        people = len(held)
    slack = 1e-6 * abs(true)
    right = claim.low - slack <= true <= claim.high + slack
    narrow = claim.high - claim.low < 2 * CLOSE * abs(true)
    return 0 < people < threshold and right and narrow


def _scored(claim, original, released, threshold, weights):
    del original, released, threshold, weights
    return claim.high - claim.low < CLOSE


_CHECKS = {
    "count": _counted,
    "value": _valued,
    "score": _scored,
    "name": lambda *_: True,
}
