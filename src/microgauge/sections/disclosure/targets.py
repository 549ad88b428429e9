"""What an intruder wants to know: which variables are targets, and what makes two values one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from microgauge.measures.disclosure.learned import Cells, Target, determined
from microgauge.schema import ANALYSED, Role
from microgauge.sections.disclosure.evidence import Profiles
from microgauge.sections.risk.choices import KEY_ROLE, RiskChoices
from microgauge.study.common_views import View

DETERMINED = 0.99
"""A variable that one key determines for so many units is no target: it is known already."""


def target_names(chosen: RiskChoices, roles: Mapping[str, Role]) -> list[str]:
    """Targets named, else sensitive variables, else all analysed ones that are no keys; sorted."""
    every = [name for name, role in roles.items() if role in ANALYSED and role != KEY_ROLE]
    return sorted(chosen.targets or _sensitive(roles) or every)


def are_named(chosen: RiskChoices, roles: Mapping[str, Role]) -> bool:
    """Whether targets were named, or a role names them."""
    return bool(chosen.targets or _sensitive(roles))


def _sensitive(roles: Mapping[str, Role]) -> list[str]:
    return [name for name, role in roles.items() if role == "sensitive"]


def target_of(view: View, interval: float) -> Target:
    """A variable as what an intruder wants to know."""
    half = interval * view.deviation
    return Target(view.name, view.size, view.numbers if half else None, half)


def not_given_away(
    targets: Iterable[Target], people: Profiles, sizes: Sequence[int]
) -> list[Target]:
    """The targets that no key gives away by itself."""
    cells: Mapping[str, Cells] = people.cells
    return [t for t in targets if determined(people.levels, sizes, cells[t.name]) < DETERMINED]
