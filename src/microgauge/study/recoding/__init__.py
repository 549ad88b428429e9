"""Global recodings: how each variable was recoded, and other tables recoded alike."""

from microgauge.study.recoding.alike import recoded_like, recoded_original
from microgauge.study.recoding.matched import (
    MOST_MATCHED,
    MatchedCells,
    matched_cells,
    may_be_rounded,
    shown_rule,
)
from microgauge.study.recoding.order import ordered_by_recoding
from microgauge.study.recoding.recoding import (
    Form,
    Recoding,
    declared_recoding,
    found_recodings,
)

__all__ = [
    "MOST_MATCHED",
    "Form",
    "MatchedCells",
    "Recoding",
    "declared_recoding",
    "found_recodings",
    "matched_cells",
    "may_be_rounded",
    "ordered_by_recoding",
    "recoded_like",
    "recoded_original",
    "shown_rule",
]
