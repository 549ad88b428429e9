"""What was done to each variable, as far as the files show, and which figures fit that.

After the SDC practice guide ("Choice of utility measure"): figures say little where they do not fit
the method. Values that were interchanged look far away unit by unit, and not at all in a margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microgauge.errors import listing
from microgauge.languages.messages import say
from microgauge.results.blocks import Block, Sentence, Stories
from microgauge.results.loss import Loss, Method, VariableLoss
from microgauge.sections.loss.values import Values
from microgauge.study.variable import Described

MOST_NAMED = 8
ADVICE: dict[Method, tuple[str, str]] = {
    "removed": (
        say("removed"),
        say("Nothing can be made of what was removed. What was published with it is lost."),
    ),
    "recoded": (
        say("coarser values"),
        say(
            "What users make by the new groups still holds; ask whether they need finer ones. "
            "Tails, thresholds and quantiles inside a group are gone."
        ),
    ),
    "suppressed": (
        say("cells suppressed"),
        say(
            "The values that are left are true. Look at who is left: analyses drop incomplete "
            "records, and suppressed ones are not a random part."
        ),
    ),
    "swapped": (
        say("the same values, at other records"),
        say(
            "Figures of one variable cannot show this, and distances record by record overstate "
            "it. Look at pairs, tables, regressions and means by group."
        ),
    ),
    "noisy": (
        say("other numbers"),
        say(
            "Look at variances, correlations, quantiles and regressions: noise widens a "
            "distribution and draws the coefficients of a predictor to 0, averaging narrows it. "
            "Means say little."
        ),
    ),
    "changed": (
        say("other categories"),
        say(
            "Look at shares and tables, at rare categories above all, and at regressions with them."
        ),
    ),
    "unmatched": (
        say("records that are not matched with the original's"),
        say(
            "Nothing is compared record by record. Look at tables, propensity scores and "
            "regressions: they need no matched records."
        ),
    ),
}
"""What is said of each, and what fits it."""


def with_methods(values: Values) -> tuple[VariableLoss, ...]:
    """What changed in each variable, and what was done to it."""
    described = {variable.name: variable for variable in values.study.analysed}
    return tuple(
        replace(loss, methods=_methods(described[loss.name], loss, values))
        for loss in values.variables()
    )


def _methods(variable: Described, loss: VariableLoss, values: Values) -> tuple[Method, ...]:
    """What was done to one variable; empty where nothing was, as far as matched records tell."""
    if variable.removed:
        return ("removed",)
    if variable.original.empty:
        return ()
    recoded = variable.name in values.study.recodings
    found: list[Method] = ["recoded"] if recoded else []
    if loss.changed is None or loss.changed_recoded is None:
        return (*found, "unmatched")
    emptied = values.suppressed(variable)
    if emptied:
        found.append("suppressed")
    if loss.changed_recoded > emptied:  # a cell that lost its value counts as changed
        found.append(_altered(variable, recoded=recoded))
    return tuple(found)


def _altered(variable: Described, *, recoded: bool) -> Method:
    if not recoded and variable.same_values:
        return "swapped"
    return "noisy" if variable.continuous else "changed"


def advice(loss: Loss) -> Sequence[Block]:
    """For each method that was found: where, and which figures fit it."""
    rows = [
        (title, say("{names}. {said}", names=listing(names, MOST_NAMED), said=said))
        for method, (title, said) in ADVICE.items()
        if (names := [v.name for v in loss.variables if method in v.methods])
    ]
    if not rows:
        return ()
    return (
        Sentence(text=say("What was done, as far as the files show, and which figures fit that.")),
        Stories(rows=tuple(rows)),
    )
