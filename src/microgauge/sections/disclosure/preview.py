"""What an intruder would get of an original that were released with some variables recoded.

Recoding alone moves nobody's record away: every person's own record is among the matches, and the
nearest records are the equal ones. So found and learned follow from how often each combination of
keys and target occurs, and are those of the file that the recoding makes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from microgauge.languages.messages import say
from microgauge.measures.disclosure.learned import Target
from microgauge.records import dataclass
from microgauge.results.disclosure import Intruder
from microgauge.schema import Role
from microgauge.sections.disclosure.attack import Attack
from microgauge.sections.disclosure.evidence import Grouping, Profiles, kept
from microgauge.sections.disclosure.figure import NO_TARGET
from microgauge.sections.disclosure.intruders import intruder_of
from microgauge.sections.disclosure.targets import are_named, not_given_away, target_of
from microgauge.sections.risk.choices import RiskChoices
from microgauge.study.common_views import View, released_view
from microgauge.study.variable import Side

NO_KEY = say("no quasi-identifier with a value is left")


@dataclass(frozen=True, eq=False)
class Release:
    """People by the keys and targets as a file would show them."""

    keys: Sequence[View]
    targets: Sequence[Target]
    people: Profiles
    seed: int

    def intruder(self, known: Collection[str] | None = None) -> Intruder:
        """What is found and learned by all keys, or by some of them; null where none has values."""
        places = [i for i, key in enumerate(self.keys) if known is None or key.name in known]
        keys = [self.keys[i] for i in places]
        names = tuple(key.name for key in keys)
        if not keys:
            return Intruder(knows="some", keys=names, found=None, learned=None, reason=NO_KEY)
        people = self.people
        if len(keys) < len(self.keys):
            people = people.regrouped(
                {i: kept(self.keys[i].size) for i in places},
                {target.name: kept(target.size) for target in self.targets},
            )
        people = replace(people, own=people.people, released=people.people)
        found = intruder_of(
            Attack(keys, self.targets, people, people, self.seed),
            "all" if len(keys) == len(self.keys) else "some",
        )
        return (
            found
            if found.learned is not None
            else replace(found, reason=say("learned: {no_target}", no_target=NO_TARGET))
        )


@dataclass(frozen=True, eq=False)
class Preview:
    """The people of an original by raw values of keys and targets, for any way to release them."""

    people: Profiles
    keys: Sequence[str]
    """In the order of the profiles' columns."""
    chosen: RiskChoices
    roles: Mapping[str, Role]
    seed: int

    def released(self, sides: Mapping[str, Side]) -> Release:
        """The original with its variables as in `sides`; a key or target that lacks is removed."""
        here = {name: side for name, side in sides.items() if not side.empty}
        places = {name: place for place, name in enumerate(self.keys) if name in here}
        if not places:
            return Release((), (), self.people, self.seed)
        keys = [released_view(name, here[name]) for name in places]
        views = [released_view(name, here[name]) for name in self.people.cells if name in here]
        people = self.people.regrouped(
            {place: _grouping(view) for place, view in zip(places.values(), keys, strict=True)},
            {view.name: _grouping(view) for view in views},
        )
        targets = [target_of(view, self.chosen.interval) for view in views]
        if not are_named(self.chosen, self.roles):
            targets = not_given_away(targets, people, [key.size for key in keys])
        return Release(keys, targets, people, self.seed)


def _grouping(view: View) -> Grouping:
    side, places = view.sides["original"]
    return np.append(places, view.size)[side.lookup], view.size
