"""The three steps from two tests to a utility (Kocar 2018, 3.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats
from microgauge.records import dataclass
from microgauge.results import Outcome

OUTCOMES: tuple[Outcome, ...] = ("kept", "none", "lost", "gained", "reversed")
KEPT, NONE, LOST, GAINED, REVERSED = range(5)


@dataclass(frozen=True)
class Verdict:
    """What became of an association, and how much of it is left: 1 all, 0 nothing."""

    outcome: Outcome
    utility: float


def outcomes(p_original: Floats, p_protected: Floats, threshold: float) -> NDArray[np.int8]:
    """Step 1: which were significant, as places in `OUTCOMES`; of those kept the next steps decide.

    >>> outcomes(np.array([0.2, 0.01, 0.01, 0.2]), np.array([0.6, 0.6, 0.01, 0.01]), 0.05)
    array([1, 2, 0, 3], dtype=int8)
    """
    before, after = p_original < threshold, p_protected < threshold
    alike = np.where(before, KEPT, NONE)
    return np.where(before == after, alike, np.where(before, LOST, GAINED)).astype(np.int8)


def significance(p_original: float, p_protected: float | None, threshold: float) -> Verdict | None:
    """Step 1 of one association. None where both are significant and the next steps decide.

    A p of None is a protected side that cannot be tested: it counts as not significant.

    >>> significance(0.2, 0.6, 0.05)
    Verdict(outcome='none', utility=1.0)
    >>> significance(0.001, None, 0.05)
    Verdict(outcome='lost', utility=0.0)
    """
    after = np.inf if p_protected is None else p_protected
    found = int(outcomes(np.array(p_original), np.array(after), threshold))
    return None if found == KEPT else Verdict(OUTCOMES[found], float(found == NONE))


def similarities(original: Floats, protected: Floats) -> Floats:
    """Step 3: 1 - |c_p - c_o| / max(c_p, c_o), and 1 if both are 0.

    >>> similarities(np.array([0.5, 0.0]), np.array([0.2, 0.0]))
    array([0.4, 1. ])
    """
    largest = np.maximum(np.abs(original), np.abs(protected))
    return 1.0 - np.abs(protected - original) / np.where(largest == 0, 1.0, largest)


def similarity(original: float, protected: float) -> float:
    """Step 3 of one association."""
    return float(similarities(np.array(original), np.array(protected)))
