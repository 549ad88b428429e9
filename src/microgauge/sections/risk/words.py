"""How risky a file is, in sentences."""

from __future__ import annotations

from microgauge.results import Risk, SensitiveRisk
from microgauge.results.blocks import Block, Figure, Headline, Stories
from microgauge.results.wording import counted, figure, per_cent, short


def headline(risk: Risk) -> Headline:
    """The whole risk."""
    return Headline(figures=(Figure(label="class risk", value=risk.total, explain="risk"),))


def words(risk: Risk) -> list[Block]:
    """How risky the file is, line by line."""
    return [Stories(rows=tuple(risk_stories(risk)))]


def risk_stories(risk: Risk, most: int = 4) -> list[tuple[str, str]]:
    """How risky a file is, line by line: a heading and a sentence."""
    found = [
        ("keys", f"{', '.join(risk.keys)} (a missing one {_missing(risk)})"),
        ("class risk", _total_story(risk)),
        (
            "classes",
            f"smallest {risk.k:,}; {risk.uniques:,} of {counted(risk.records, 'record')} unique "
            f"({per_cent(risk.uniques / risk.records)}), "
            f"{per_cent(risk.classes['3'].share)} in classes of at most 3",
        ),
    ]
    if risk.individual.sum is not None:
        found.append(
            ("population", f"re-identifications by sampling weights: {short(risk.individual.sum)}")
        )
    for place, sensitive in enumerate(risk.sensitive):
        found.append(("" if place else "sensitive", _sensitive(sensitive)))
    ranked = sorted((risk.suda.contributions or {}).items(), key=lambda item: -item[1])
    held = ", ".join(f"{name} {share:.0f} %" for name, share in ranked[:most] if share > 0)
    if held:
        found.append(("special", f"unique by few variables, with {held}"))
    if risk.linkage is not None:
        found.append(
            (
                "linkage",
                f"{per_cent(risk.linkage)} of records nearest to their own original",
            )
        )
    return found


def _missing(risk: Risk) -> str:
    """What a missing key is taken for, why, and what the other way would give."""
    said = {"value": "is a value of its own", "any": "matches any value"}[risk.missing_keys]
    if risk.missing_keys_why == "suppression found":
        said += ", as keys were suppressed"
    other, k = (
        (risk.internal_any, risk.k_any)
        if risk.missing_keys == "value"
        else (risk.internal_value, risk.k_value)
    )
    if other == risk.internal and k == risk.k:
        return said
    return f"{said}; else internal {figure(other)}, smallest class {k}"


def _external(risk: Risk) -> str:
    said = f", external {figure(risk.external)}"
    if risk.external_unmatched:
        said += f", {per_cent(risk.external_unmatched)} without a match"
    return f"{said}; {risk.combine}"


def _total_story(risk: Risk) -> str:
    if risk.total is None:
        return f"not defined: {risk.reason}"
    by = " by sensitivity" if risk.sensitivity else ""
    said = f"{figure(risk.total)} (internal {figure(risk.internal)}{by}"
    if risk.external is not None:
        said += _external(risk)
    return f"{said}); {_expected(risk)}"


def _expected(risk: Risk) -> str:
    found = risk.expected_reidentifications
    if 0 < found < 0.5:
        return "under 1 expected re-identification"
    return counted(round(found), "expected re-identification")


def _sensitive(found: SensitiveRisk) -> str:
    if found.distinct_l is None:
        return f"{found.name}: {found.reason}"
    return (
        f"{found.name}: {found.distinct_l}-diverse (entropy {figure(found.entropy_l, 2)}, "
        f"recursive {found.recursive_l}), t {figure(found.t, 2)}"
    )
