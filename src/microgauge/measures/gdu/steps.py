"""The three steps from two tests to a utility (Kocar 2018, 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

from microgauge.results import Outcome


@dataclass(frozen=True)
class Verdict:
    """What became of an association, and how much of it is left: 1 all, 0 nothing."""

    outcome: Outcome
    utility: float


def significance(p_original: float, p_protected: float | None, threshold: float) -> Verdict | None:
    """Step 1. None where both are significant and the next steps decide.

    A p of None is a protected side that cannot be tested: it counts as not significant.

    >>> significance(0.2, 0.6, 0.05)
    Verdict(outcome='none', utility=1.0)
    >>> significance(0.001, None, 0.05)
    Verdict(outcome='lost', utility=0.0)
    """
    before = p_original < threshold
    after = p_protected is not None and p_protected < threshold
    if before and after:
        return None
    if not before and not after:
        return Verdict("none", 1.0)
    return Verdict("lost" if before else "gained", 0.0)


def similarity(original: float, protected: float) -> float:
    """Step 3: 1 - |c_p - c_o| / max(c_p, c_o), and 1 if both are 0.

    >>> similarity(0.5, 0.2)
    0.4
    """
    largest = max(abs(original), abs(protected))
    if largest == 0:
        return 1.0
    return 1.0 - abs(protected - original) / largest
