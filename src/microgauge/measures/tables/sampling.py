"""What chance alone does to tables: resamples and random samples of the original."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say


def resampled(p: Floats, rows: int) -> float:
    """Expected total variation of `rows` units drawn with replacement; 0 none, below 1.

    Half the sum over cells of E|X - np|/n of the binomial distribution, in De Moivre's closed form
    2 m (1 - p) P(X = m)/n, m the first whole number above np.
    """
    from scipy.special import gammaln, xlog1py, xlogy

    if rows < 1:
        raise Undefined(say("there are no rows"))
    p = p[p > 0]
    m = np.minimum(np.floor(rows * p) + 1.0, rows)
    log = gammaln(rows + 1) - gammaln(m + 1) - gammaln(rows - m + 1)
    log = log + xlogy(m, p) + xlog1py(rows - m, -p)
    return float((m * (1.0 - p) * np.exp(log)).sum() / rows)


def permuted(p: Floats, rows: int) -> float:
    """Expected total variation of the table once every column of it is permuted by itself.

    A cell then holds X rows, of mean n·p_a·p_b and the variance of the hypergeometric distribution
    (or of one after the other for three variables), and is off by E|X/n - p|. X is taken as
    binomial with this mean and variance (Wise 1954), of which the expectation is exact:
    E|X - c| = μ - c + 2 (c P(X ≤ c) - E[X; X ≤ c]).
    """
    if rows < 1:
        raise Undefined(say("there are no rows"))
    n = float(rows)
    mean, variance = np.array([n]), np.array([0.0])
    for axis in range(p.ndim):
        margin = p.sum(axis=tuple(a for a in range(p.ndim) if a != axis))
        apart = mean - (variance + mean * mean) / n
        mean, variance = (
            np.multiply.outer(mean, margin),
            np.multiply.outer(apart, margin * (1.0 - margin)) * (n / max(n - 1.0, 1.0))
            + np.multiply.outer(variance, margin * margin),
        )
    return float(_deviation(mean.ravel(), variance.ravel(), n * p.ravel()).sum() / n / 2.0)


def _deviation(mean: Floats, variance: Floats, centre: Floats) -> Floats:
    """E|X - centre| of binomial numbers with this mean and variance."""
    found = np.abs(mean - centre)
    some = variance > 1e-9 * np.maximum(mean, 1e-300)
    mean, variance, centre = mean[some], variance[some], centre[some]
    chance = np.clip(1.0 - variance / mean, 1e-12, 1.0)
    trials, below = mean / chance, np.floor(centre)
    up_to = _binomial_up_to(below, trials, chance)
    part = mean * _binomial_up_to(below - 1.0, trials - 1.0, chance)
    found[some] = mean - centre + 2.0 * (centre * up_to - part)
    return found


def _binomial_up_to(k: Floats, trials: Floats, chance: Floats) -> Floats:
    """P(X ≤ k), also where the number of trials is not whole."""
    from scipy.special import betainc

    inside = (k >= 0) & (k < trials)
    found = np.where(k < 0, 0.0, 1.0)
    k, trials, chance = k[inside], trials[inside], chance[inside]
    found[inside] = betainc(trials - k, k + 1.0, 1.0 - chance)
    return found


@dataclass(eq=False)
class SampledTables:
    """All tables of the original by the sizes of their cells: what a random sample of it loses."""

    units: int
    """Units of the original."""
    tables: int = 0
    _cells: dict[int, int] = field(default_factory=dict)

    def add(self, counts: Floats) -> None:
        """Another table of the original."""
        sizes, times = np.unique(np.rint(counts[counts > 0]).astype(np.int64), return_counts=True)
        for size, number in zip(sizes.tolist(), times.tolist(), strict=True):
            self._cells[size] = self._cells.get(size, 0) + number
        self.tables += 1

    def lost(self, drawn: int) -> float:
        """Expected total variation of a sample without replacement, mean over the tables.

        E|X - μ| of the hypergeometric distribution is 2 m (N - K - n + m)/N · P(X = m), m the
        first whole number above nK/N (Ramasubban 1958).
        """
        from scipy.special import gammaln

        total, n = float(self.units), float(drawn)
        k = np.array([size for size in self._cells if 0 < size < self.units], dtype=np.float64)
        times = np.array([self._cells[int(size)] for size in k], dtype=np.float64)
        m = np.floor(n * k / total) + 1.0
        here = (m <= np.minimum(k, n)) & (total - k - n + m >= 0)
        k, times, m = k[here], times[here], m[here]

        def choose(a: Floats | float, b: Floats | float) -> Floats:
            return np.asarray(gammaln(a + 1.0) - gammaln(b + 1.0) - gammaln(a - b + 1.0))

        chance = np.exp(choose(k, m) + choose(total - k, n - m) - choose(total, n))
        deviation = 2.0 * m * (total - k - n + m) / total * chance / n
        return float((times * deviation).sum() / 2.0 / max(self.tables, 1))

    def share(self, lost: float) -> float:
        """The share of the original whose random sample is expected to lose as much.

        1 where nothing is lost. `Undefined` where a sample of a single unit loses less. What a
        sample loses never rises with its size, so that there is one answer.
        """
        low, high = 1, self.units
        if not self.tables or not self.units:
            raise Undefined(say("there is no table"))
        if lost <= 0.0:
            return 1.0
        if lost > self.lost(low):
            raise Undefined(say("a random sample of a single unit would score higher"))
        while high - low > 1:
            middle = (low + high) // 2
            if self.lost(middle) >= lost:
                low = middle
            else:
                high = middle
        above, below = self.lost(low), self.lost(high)
        step = (above - lost) / (above - below) if above > below else 0.0
        return (low + min(max(step, 0.0), 1.0) * (high - low)) / self.units
