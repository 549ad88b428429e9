"""What chance alone does to tables: resamples and random samples of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined


def resampled(p: Floats, rows: int) -> float:
    """Expected total variation of `rows` units drawn with replacement; 0 none, below 1.

    Half the sum over cells of E|X - np|/n of the binomial distribution, in De Moivre's closed form
    2 m (1 - p) P(X = m)/n, m the first whole number above np.
    """
    from scipy.special import gammaln, xlog1py, xlogy

    if rows < 1:
        raise Undefined("there are no rows")
    p = p[p > 0]
    m = np.minimum(np.floor(rows * p) + 1.0, rows)
    log = gammaln(rows + 1) - gammaln(m + 1) - gammaln(rows - m + 1)
    log = log + xlogy(m, p) + xlog1py(rows - m, -p)
    return float((m * (1.0 - p) * np.exp(log)).sum() / rows)


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
            raise Undefined("there is no table")
        if lost <= 0.0:
            return 1.0
        if lost > self.lost(low):
            raise Undefined("a random sample of a single unit would score higher")
        while high - low > 1:
            middle = (low + high) // 2
            if self.lost(middle) >= lost:
                low = middle
            else:
                high = middle
        above, below = self.lost(low), self.lost(high)
        step = (above - lost) / (above - below) if above > below else 0.0
        return (low + min(max(step, 0.0), 1.0) * (high - low)) / self.units


def jackknife_error(replicates: Sequence[float]) -> float:
    """Standard error from values that each leave one of G groups out: √((G - 1)/G Σ(θ - mean)²).

    >>> round(jackknife_error([0.9, 0.92, 0.91]), 4)
    0.0115
    """
    values = np.array(replicates, dtype=np.float64)
    if len(values) < 2:
        raise Undefined("there are fewer than two groups of units")
    apart = values - values.mean()
    return float(np.sqrt((len(values) - 1) / len(values) * (apart * apart).sum()))
