"""The section `disclosure` of the result, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from microgauge.engines.rounds import Asking, Need, together
from microgauge.errors import Undefined, listing
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.disclosure.learned import Chance, Target
from microgauge.records import dataclass
from microgauge.results.disclosure import (
    CopiedUnits,
    Disclosure,
    Found,
    Replicated,
)
from microgauge.schema import Role
from microgauge.sections.disclosure.attack import Attack, Both, attack_of, both_ways
from microgauge.sections.disclosure.copies import Copies
from microgauge.sections.disclosure.evidence import (
    Asked,
    Evidence,
    Profiles,
    read_evidence,
    read_holdout,
)
from microgauge.sections.disclosure.groups import Groups
from microgauge.sections.disclosure.intruders import Joint, read_joint
from microgauge.sections.disclosure.targets import (
    are_named,
    not_given_away,
    target_names,
    target_of,
)
from microgauge.sections.risk.choices import RiskChoices
from microgauge.sections.risk.classes import KeyClasses
from microgauge.sections.risk.section import MEASURED_RISK
from microgauge.sections.section import Shared
from microgauge.study.common_views import View, read_views
from microgauge.study.study import Study

NO_KEY_LEFT = say("no quasi-identifier is left in the protected file")


QUICKLY = 2_000
"""People without a match for whom a quick reading looks for the nearest records."""


def asked_disclosure(study: Study, log: Log) -> Asking[Measure | Disclosure | None]:
    """What rows say, once for every reading; None with a note where there are no keys."""
    if not study.schema.keys:
        yield Need(MEASURED_RISK)  # which says why there is none
        return None
    try:
        return (yield from Measure.ask(study, log))
    except Undefined as why:  # too many combinations of keys to hold
        return _nothing(study, str(why))


ASKED_DISCLOSURE = Shared(say("what rows say of disclosure"), asked_disclosure)


def measured_disclosure(study: Study, log: Log) -> Asking[Disclosure | None]:
    """The disclosure, where nothing else is measured."""
    return _result(study, (yield from asked_disclosure(study, log)))


def _measured(study: Study, log: Log) -> Asking[Disclosure | None]:
    del log
    return _result(study, (yield Need(ASKED_DISCLOSURE)))


def _quick(study: Study, log: Log) -> Asking[Disclosure | None]:
    del log
    asked = yield Need(ASKED_DISCLOSURE)
    return _result(study, asked.quick if isinstance(asked, Measure) else asked)


MEASURED_DISCLOSURE = Shared(say("measured disclosure"), _measured)
"""Once for all who need it."""
QUICK_DISCLOSURE = Shared(say("disclosure, quickly"), _quick)
"""A first reading: the nearest records are looked for only for some."""


def _result(study: Study, asked: Measure | Disclosure | None) -> Disclosure | None:
    if not isinstance(asked, Measure):
        return asked
    try:
        return asked.result
    except Undefined as why:  # too many combinations of keys to hold
        return _nothing(study, str(why))


def run(study: Study, log: Log) -> Asking[Disclosure | None]:
    """Every figure of disclosure."""
    del study, log
    found = yield Need(MEASURED_DISCLOSURE)
    return found  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class More:
    """What was asked beside keys and targets, where it is wanted."""

    holdout: Profiles | None = None
    copies: Copies | None = None
    joint: Joint | None = None
    groups: Groups | None = None


@dataclass(frozen=True, eq=False)
class Measure:
    """What rows have said, and what follows."""

    study: Study
    keys: Sequence[View]
    targets: Sequence[View]
    evidence: Evidence
    more: More
    log: Log
    quickly: int | None = None
    """People for whom the nearest are looked for, in a quick reading."""

    @cached_property
    def quick(self) -> Measure:
        """The same with the nearest looked for only for some; itself where it is quick anyway."""
        attacks = [self.attack, *([] if self.holdout_attack is None else [self.holdout_attack])]
        few = all(len(attack.without_match) <= QUICKLY for attack in attacks)
        more = self.more.copies is not None and self.more.holdout is not None
        slow = more or self.chosen.attacks or self.chosen.intruders
        return self if few and not slow else replace(self, quickly=QUICKLY)

    @property
    def holdout(self) -> Profiles | None:
        """People who are not in the original."""
        return self.more.holdout

    @property
    def copies(self) -> Copies | None:
        """Records in all variables."""
        return self.more.copies

    @staticmethod
    def ask(study: Study, log: Log) -> Asking[Measure | Disclosure]:
        """A round for rounded variables, where there are any, and one for all else."""
        others = {} if study.holdout is None else {"holdout": study.holdout.sides}
        views = yield from read_views(study, others)  # type: ignore[arg-type]
        keys = [views[name] for name in study.schema.keys if name in views]
        if not keys:
            return _nothing(study, NO_KEY_LEFT)
        _note_gone(study, keys, log)
        wanted = Asked(study, keys, _target_views(study, views))
        log.progress(say("looking for people by their keys"), 0.0)
        evidence, holdout, copies, joint, groups = yield from together(
            read_evidence(wanted, KeyClasses(study).weight_axis),
            _holdout(wanted, log),
            _copies(wanted, views),
            _joint(wanted),
            Groups.ask(wanted),
        )
        if not len(evidence.shown.levels) or not len(evidence.people.levels):
            return _nothing(study, say("the table has no record"))
        more = More(holdout, copies, joint, groups)
        return Measure(study, keys, wanted.targets, evidence, more, log)

    @property
    def chosen(self) -> RiskChoices:
        """The choices of the schema."""
        return self.study.schema.of(RiskChoices)

    @cached_property
    def attack(self) -> Attack:
        """The intruder who knows all keys."""
        seed = self.study.options.seed
        return attack_of(self.keys, self.wanted_targets, self.evidence, seed, self.quickly)

    @cached_property
    def wanted_targets(self) -> list[Target]:
        """Targets that no key gives away by itself, unless they were named."""
        found = [target_of(view, self.chosen.interval) for view in self.targets]
        if are_named(self.chosen, _roles(self.study)):
            return found
        return not_given_away(found, self.evidence.people, [key.size for key in self.keys])

    @cached_property
    def chances(self) -> dict[str, Chance]:
        """What a file without any relation gives, of targets that have a value on both sides."""
        found = {}
        for target in self.attack.targets:
            cells = self.evidence.people.cells[target.name]
            if cells.counts[: target.size].sum():
                found[target.name] = self.attack.chance(target)
        return found

    @cached_property
    def ways(self) -> list[Both]:
        """What is learned of every target, both ways."""
        self.log.progress(say("learning targets from matches"), 0.0)
        return both_ways(self.attack, self.chances)

    @cached_property
    def holdout_attack(self) -> Attack | None:
        """The same intruder against people who are not in the original."""
        if self.holdout is None:
            return None
        return Attack(
            self.keys,
            self.attack.targets,
            self.holdout,
            self.evidence.shown,
            self.study.options.seed,
            quickly=self.quickly,
        )

    @cached_property
    def holdout_ways(self) -> list[Both]:
        """What is learned of the targets of people who are not in the original."""
        if self.holdout_attack is None:
            return []
        known = {
            name: chance
            for name, chance in self.chances.items()
            if name in self.holdout_attack.people.cells
            and self.holdout_attack.people.cells[name].counts[:-1].sum()
        }
        return both_ways(self.holdout_attack, known)

    @cached_property
    def result(self) -> Disclosure:
        """Every figure, null with a reason where there is none."""
        from microgauge.sections.disclosure.figure import Figures

        figures = Figures(self)
        self.log.progress(say("weighing what was found"), 0.0)
        return figures.result()


def _holdout(wanted: Asked, log: Log) -> Asking[Profiles | None]:
    if wanted.study.holdout is None:
        return None
    lacking = _not_in_holdout(wanted)
    if lacking:
        log.note(
            "holdout-lacks-keys",
            say(
                "The holdout is not used, because people cannot be looked for in it: it "
                "lacks, or holds in another form (text for numbers), {lacking}.",
                lacking=listing(lacking),
            ),
            lacking,
        )
        return None
    found = yield from read_holdout(wanted)
    return found if len(found.levels) else None


def _not_in_holdout(wanted: Asked) -> list[str]:
    """Keys without which nobody of the holdout can be looked for."""
    return [key.name for key in wanted.keys if "holdout" not in key.sides]


def _copies(wanted: Asked, views: Mapping[str, View]) -> Asking[Copies | None]:
    study = wanted.study
    chosen = study.schema.of(RiskChoices)
    holdout = None if _not_in_holdout(wanted) else study.holdout
    if study.matched is not None and holdout is None and not chosen.attacks:
        return None
    found = yield from Copies.ask(study, views, chosen.interval, holdout)
    return found


def _joint(wanted: Asked) -> Asking[Joint | None]:
    if not wanted.study.schema.of(RiskChoices).intruders:
        return None
    found = yield from read_joint(wanted)
    return found


def _roles(study: Study) -> dict[str, Role]:
    return {v.name: v.role for v in study.variables}


def _target_views(study: Study, views: Mapping[str, View]) -> list[View]:
    names = target_names(study.schema.of(RiskChoices), _roles(study))
    return [views[name] for name in names if name in views]


def _nothing(study: Study, reason: str) -> Disclosure:
    return Disclosure(
        risk=None,
        keys_gone=tuple(study.schema.keys),
        units=study.original.rows,
        found=Found(value=None, reason=reason),
        copied=CopiedUnits(value=None, reason=reason),
        replicated=Replicated(unique_original=None, reason=reason),
        seed=study.options.seed,
        reason=reason,
    )


def _note_gone(study: Study, keys: Sequence[View], log: Log) -> None:
    here = {key.name for key in keys} | {v.name for v in study.variables if v.original.empty}
    strange = [
        v.name
        for v in study.variables
        if v.name in study.schema.keys and v.name not in here and not v.removed
    ]
    if strange:
        log.note(
            "keys-not-compared",
            say(
                "It is not known how numbers became categories, so that an intruder "
                "cannot use them: {strange}. Declare it (recode = {{ … }}).",
                strange=listing(strange),
            ),
            strange,
        )
