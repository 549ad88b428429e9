"""What an intruder finds and learns, whatever the protection."""

from __future__ import annotations

from typing import Literal

from microgauge.records import dataclass

Ends = tuple[float, float]
"""The ends of a 95 % interval."""
Part = Literal["found", "learned", "found_copied", "excess"]


@dataclass(frozen=True, kw_only=True)
class Worst:
    """The part that the risk comes from."""

    part: Part
    variable: str | None = None
    """The target, of what is learned."""


@dataclass(frozen=True, kw_only=True)
class GroupFound:
    """How many of a group are found."""

    level: str
    units: int
    found: float


@dataclass(frozen=True, kw_only=True)
class Found:
    """Identity: the mean chance that an intruder who knows the keys of a unit finds its record."""

    value: float | None
    """From the nearest records, which are the equal ones where there are any."""
    exact: float | None = None
    """From equal records only."""
    nearest: float | None = None
    released: float | None = None
    """`exact` as a mean over released units."""
    ci: Ends | None = None
    population: float | None = None
    """`exact` where the file is a sample: by sampling weights."""
    min_matches: int | None = None
    """The fewest records that a released unit's keys agree with."""
    claims: int | None = None
    """Units whose keys agree with exactly one record."""
    claims_right: float | None = None
    """The share of these that is the right record."""
    claims_right_ci: Ends | None = None
    largest: float | None = None
    """The highest chance of a unit."""
    above: dict[str, float] | None = None
    """The shares of units with a chance above some."""
    group: str | None = None
    groups: tuple[GroupFound, ...] = ()
    """The groups of a variable in which most are found."""
    looked_for: int | None = None
    """Profiles for which the nearest were looked for, where not all were."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class CopiedUnits:
    """Real records in a file whose records are nobody's."""

    value: float | None
    """The share of original units that are alone in all variables and stand in the file."""
    uniques: int | None = None
    """Units that are alone in all variables."""
    present: float | None = None
    """The share of these that stands in the file."""
    found_copied: float | None = None
    """The mean chance of a unit to be found by its copy."""
    found_copied_ci: Ends | None = None
    control: float | None = None
    """The share that stands in the file of holdout units that equal no original one."""
    excess: float | None = None
    """Copied beyond the control."""
    excess_ci: Ends | None = None
    found_copied_control: float | None = None
    found_copied_excess: float | None = None
    found_copied_excess_ci: Ends | None = None
    variables: tuple[str, ...] = ()
    interval: float | None = None
    """Numbers within so many standard deviations are equal."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Replicated:
    """Replicated uniques (Raab, Nowok and Dibben 2024): shares of records unique in their keys."""

    unique_original: float | None
    """UiO."""
    unique_protected: float | None = None
    """UiS, of protected records."""
    unique_present: float | None = None
    """UiOiS."""
    replicated: float | None = None
    """repU."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class LearnedTarget:
    """Attributes: what an intruder learns of one target from records that match the keys."""

    target: str
    value: float | None
    """The larger of `exact` and `nearest`; 0 where nothing is learned, below by chance."""
    exact: float | None = None
    exact_ci: Ends | None = None
    nearest: float | None = None
    nearest_ci: Ends | None = None
    gain: float | None = None
    """How much more often the only value among equal records is right than of anyone."""
    null: float | None = None
    """What a file without any relation of keys and target would give of it."""
    ci: Ends | None = None
    """Of `value`; both ways are held at once."""
    disclosed: float | None = None
    """DiS."""
    correct: float | None = None
    """DiSCO."""
    original: float | None = None
    """DiO."""
    both: float | None = None
    """DiSDiO."""
    present: float | None = None
    """iS."""
    cap_base: float | None = None
    cap_original: float | None = None
    cap_protected: float | None = None
    dcap: float | None = None
    tcap: float | None = None
    holdout: float | None = None
    """The same as `value` of people who are not in the original."""
    excess: float | None = None
    """What taking part costs: learned of units less learned of the holdout."""
    excess_ci: Ends | None = None
    flags: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Membership:
    """Whether one can tell who was in the original."""

    auc: float | None
    """0.5: nobody can tell; 1: always."""
    auc_ci: Ends | None = None
    tpr_01: float | None = None
    """Units told to be in, where 1 % of others are wrongly told so."""
    tpr_01_ci: Ends | None = None
    tpr_10: float | None = None
    tpr_10_ci: Ends | None = None
    score: str | None = None
    """By distance to the nearest record, or by the ratio of densities."""
    nearer_share: float | None = None
    """Units nearer to the file than their twin in the holdout: a check on overfitting only."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class WpAttack:
    """One of the three attacks of WP29 against a control."""

    attack: float | None
    """The share of guesses on units of the original that are right."""
    attack_ci: Ends | None = None
    naive: float | None = None
    """Without the file's relations."""
    naive_ci: Ends | None = None
    control: float | None = None
    """On people of the holdout."""
    control_ci: Ends | None = None
    risk: float | None = None
    ci: Ends | None = None
    attacks: int | None = None
    target: str | None = None
    """The variable that was inferred best."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Intruder:
    """What an intruder gets who knows less: some of the keys, or all of them with error."""

    knows: Literal["all", "some", "with error"]
    keys: tuple[str, ...]
    found: float | None
    learned: float | None
    target: str | None = None
    """Of which most is learned."""
    error: float | None = None
    """The share of key values that are known wrongly."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class LookedFor:
    """For how many people the nearest records were looked for, of all whose keys agree with no
    record of the file; the drawn ones stand for the others."""

    drawn: int
    of: int


@dataclass(frozen=True, kw_only=True)
class Disclosure:
    """What an intruder who knows the keys gets: 0 nothing, 1 everybody."""

    risk: float | None
    risk_ci: Ends | None = None
    upper_bound: bool = False
    """Whether the figure also holds what the file says of anyone."""
    worst: Worst | None = None
    keys: tuple[str, ...] = ()
    """Those that can be compared in the protected file."""
    keys_gone: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    units: int = 0
    released: int | None = None
    found: Found
    copied: CopiedUnits
    replicated: Replicated
    learned: tuple[LearnedTarget, ...] = ()
    learned_ci: Ends | None = None
    """Of the largest, all targets held at once."""
    excess: float | None = None
    """The largest excess of a target, where there is a holdout; never below 0."""
    excess_ci: Ends | None = None
    holdout: int | None = None
    """People of the holdout."""
    holdout_shared: float | None = None
    """The share of them that equals an original unit, where that is more than by chance."""
    membership: Membership | None = None
    attacks: dict[str, WpAttack] | None = None
    intruders: tuple[Intruder, ...] = ()
    looked_for: LookedFor | None = None
    """For whom the nearest records were looked for, where not for all."""
    seed: int = 1
    reason: str | None = None
