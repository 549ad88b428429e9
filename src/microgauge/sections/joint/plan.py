"""The design that `auto` chooses for a study: on the original alone, for all candidates alike."""

from __future__ import annotations

from microgauge.engines.rounds import Asking
from microgauge.languages.messages import say
from microgauge.measures.joint.ladder import Plan, chosen_plan
from microgauge.sections.joint.choices import PropensityChoices
from microgauge.study.joint_rows import original_rows
from microgauge.study.study import Study


def planned(study: Study, chosen: PropensityChoices) -> Asking[Plan | None]:
    """The plan; None where the model is another than `auto`.

    It counts every analysed variable of the original, also those a candidate has no more, and as
    many protected rows as the smallest candidate has, so that it is the same for all of them.
    """
    if chosen.model != "auto" or chosen.formula is not None:
        return None
    before, after = (study.rows(which).rows for which in ("original", "protected"))
    fewest = study.cache.fewest_rows
    rows = min(before + (after if fewest is None else min(fewest, after)), chosen.sample)
    key = (say("propensity plan"), rows, before, chosen.leave_out)
    if key not in study.cache.answers:
        original = yield from original_rows(study)
        out = set(chosen.leave_out)
        kept = [i for i, v in enumerate(original.variables) if v.name not in out]
        study.cache.answers[key] = chosen_plan(original.only(kept), rows)
    found: Plan = study.cache.answers[key]
    return found
