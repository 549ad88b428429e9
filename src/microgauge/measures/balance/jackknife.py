"""How far chance moves a figure, and whether it explains a difference: delete-a-group jackknife."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from microgauge.errors import Undefined
from microgauge.languages.messages import say

GROUPS = 30
"""Groups of units, each left out once."""
LEVEL = 0.95

Ends = tuple[float, float]


def jackknife_error(replicates: Sequence[float]) -> float:
    """Standard error from values that each leave one of G groups out: √((G - 1)/G Σ(θ - mean)²).

    >>> round(jackknife_error([0.9, 0.92, 0.91]), 4)
    0.0115
    """
    values = np.array(replicates, dtype=np.float64)
    if len(values) < 2:
        raise Undefined(say("there are fewer than two groups of units"))
    apart = values - values.mean()
    return float(np.sqrt((len(values) - 1) / len(values) * (apart * apart).sum()))


def difference_interval(
    first: float, second: float, firsts: Sequence[float], seconds: Sequence[float]
) -> Ends:
    """The 95 % interval of `first - second`, from both figures without each group of units.

    The same units are left out of both at the same place, so that what both share cancels:
    the standard error of the difference, and Student's t with G - 1 degrees of freedom (Kott 2001,
    *The delete-a-group jackknife*, Journal of Official Statistics 17). The ends are the same where
    no group makes a difference. `Undefined` where the two do not have the same groups.

    >>> difference_interval(0.9, 0.8, [0.9, 0.91, 0.89], [0.8, 0.81, 0.79])
    (0.09999999999999998, 0.09999999999999998)
    """
    groups = len(firsts)
    if groups != len(seconds) or groups < 2:
        raise Undefined(say("the two were not measured without the same groups"))
    from scipy.special import stdtrit

    error = jackknife_error([a - b for a, b in zip(firsts, seconds, strict=True)])
    reach = float(stdtrit(groups - 1, (1.0 + LEVEL) / 2.0)) * error
    # Differences of rounding are none.
    reach = 0.0 if reach < 1e-12 else reach
    return first - second - reach, first - second + reach


def blocks(values: Mapping[str, float], alike: Callable[[str, str], bool]) -> list[list[str]]:
    """Names in blocks that chance does not tell apart, the best first (Woo et al. 2009, figure 2).

    A block is its best and all that are alike with that one; the next is made of those left.

    >>> blocks({"a": 0.9, "b": 0.89, "c": 0.5}, lambda a, b: abs(ord(a) - ord(b)) == 1)
    [['a', 'b'], ['c']]
    """
    left = sorted(values, key=lambda name: (-values[name], name))
    found = []
    while left:
        best = left[0]
        block = [best, *(name for name in left[1:] if alike(best, name))]
        found.append(block)
        left = [name for name in left if name not in block]
    return found
