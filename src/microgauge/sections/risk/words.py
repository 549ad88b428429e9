"""How risky a file is, in sentences."""

from __future__ import annotations

from microgauge.results import Risk, SensitiveRisk
from microgauge.results.blocks import Block, Figure, Headline, Stories
from microgauge.results.wording import figure, short


def headline(risk: Risk) -> Headline:
    """The whole risk."""
    return Headline(figures=(Figure(label="risk", value=risk.total, explain="risk"),))


def words(risk: Risk) -> list[Block]:
    """How risky the file is, line by line."""
    return [Stories(rows=tuple(risk_stories(risk)))]


def risk_stories(risk: Risk, most: int = 4) -> list[tuple[str, str]]:
    """How risky a file is, line by line: a heading and a sentence."""
    missing = "is a value of its own" if risk.missing_keys == "value" else "matches any value"
    found = [
        ("keys", f"{', '.join(risk.keys)} (a missing one {missing})"),
        ("risk", _total_story(risk)),
        (
            "classes",
            f"smallest {risk.k}; {risk.uniques:,} of {risk.records:,} records unique "
            f"({risk.uniques / risk.records:.1%}), {risk.classes['3'].share:.1%} in classes of at "
            "most 3",
        ),
    ]
    if risk.individual.sum is not None:
        found.append(
            ("population", f"{short(risk.individual.sum)} re-identifications by sampling weights")
        )
    for place, sensitive in enumerate(risk.sensitive):
        found.append(("" if place else "sensitive", _sensitive(sensitive)))
    ranked = sorted((risk.suda.contributions or {}).items(), key=lambda item: -item[1])
    held = ", ".join(f"{name} {share:.0f}%" for name, share in ranked[:most] if share > 0)
    if held:
        found.append(("special", f"unique by few variables, with {held}"))
    if risk.linkage is not None:
        found.append(("linkage", f"{risk.linkage:.1%} of records nearest to their own original"))
    return found


def _total_story(risk: Risk) -> str:
    if risk.total is None:
        return f"not defined: {risk.reason}"
    said = f"{figure(risk.total)} (internal {figure(risk.internal)}"
    if risk.external is not None:
        said += f", external {figure(risk.external)}; {risk.combine}"
    return f"{said}); {risk.expected_reidentifications:,.0f} expected re-identifications"


def _sensitive(found: SensitiveRisk) -> str:
    if found.distinct_l is None:
        return f"{found.name}: {found.reason}"
    return (
        f"{found.name}: {found.distinct_l}-diverse (entropy {figure(found.entropy_l, 2)}, "
        f"recursive {found.recursive_l}), t {figure(found.t, 2)}"
    )
