"""Published studies made again, with this package's own methods and measures."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from microgauge.log import Progress, silent

if TYPE_CHECKING:
    from microgauge.results import Reproduction

__all__ = ["FOLDER", "STUDIES", "Progress", "reproduce"]


FOLDER = Path(__file__).parent / "data"
"""Public-domain tables that studies are made again on."""

STUDIES = {
    "kocar": ("kocar", "worked examples of recoding, perturbation and global data utility"),
    "woo-1": ("woo_simulated", "four methods on symmetric data (table 1)"),
    "woo-2": ("woo_simulated", "four methods on skewed data (table 2)"),
    "woo-3": ("woo_survey", "nine masked versions of a household survey (table 3, figure 1)"),
    "woo-4": ("woo_universe", "ten swap settings on a universe file (table 4)"),
    "kim-9": ("kim", "three scenarios by three levels (table 9)"),
    "kim-10": ("kim", "three levels on a survey of Alaska (table 10)"),
    "relation": ("relation", "what variables and pairs tell of models (Kocar, section 4)"),
}
"""The module that makes each study, and what it is."""


def reproduce(study: str, *, seed: int = 1, progress: Progress = silent) -> Reproduction:
    """Make a published study again: its figures beside ours, and a verdict on each claim.

    The studies are kocar, woo-1 to woo-4, kim-9, kim-10 and relation.
    """
    from microgauge.errors import InputError, hint

    if study not in STUDIES:
        raise InputError(
            f'there is no study "{study}".{hint(study, STUDIES)} There are {", ".join(STUDIES)}.'
        )
    from microgauge.schema.checks import seed_faults

    if faults := seed_faults("seed", seed):
        raise InputError(*faults)
    found: Reproduction = import_module(f"microgauge.papers.{STUDIES[study][0]}").reproduce(
        study, seed, progress
    )
    return found
