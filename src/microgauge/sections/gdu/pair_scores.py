"""Every pair: its tests on both sides, and what became of the association."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.engines.rounds import Asking, in_blocks, together
from microgauge.errors import Undefined
from microgauge.kernels import in_threads
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.gdu.association import TOO_MANY_CELLS, WHY, Associations, PairTest
from microgauge.measures.gdu.choice import Scale, SeenVariable, choose, scale_of
from microgauge.measures.gdu.direction import turns
from microgauge.measures.gdu.normality import is_normal
from microgauge.measures.gdu.steps import KEPT, NONE, OUTCOMES, REVERSED, outcomes, similarities
from microgauge.records import dataclass
from microgauge.results import PairScore
from microgauge.schema import Which
from microgauge.sections.gdu.pairs import Answer, Ask, Asker, Seen
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side

REMOVED = say("a variable was removed")
EMPTY = say("all values are missing in the original")
BLOCK_BYTES = 1 << 27
"""Facts of one side held at a time."""
LEAST_BYTES = 1 << 24
BYTES_PER_ROW = 1 << 13
"""A round costs as much as there are rows: with few of them blocks are smaller, down to the least,
because memory that is asked for anew takes longer than to count in it."""
KEPT_BYTES = 1 << 28
"""What is kept of the original's answers for other candidates."""


class _Way(NamedTuple):
    """How two kinds of variables are tested on both sides: tests, and whether b comes first."""

    original: tuple[PairTest, bool]
    protected: tuple[PairTest, bool]
    recode_first: tuple[bool, bool]


class _Pair(NamedTuple):
    """A pair that can be tested: its place among all pairs, and what is asked on each side."""

    place: int
    original: Ask
    protected: Ask
    recoded: Ask
    """The original with recoded axes, for comparing directions; as it is where none is recoded."""


@dataclass(frozen=True, eq=False)
class Scored:
    """Pairs one beside the other; where a figure is not known it is NaN, here and not outside."""

    names: Sequence[tuple[str, str]]
    utility: Floats
    reasons: Sequence[str | None]
    blocks: Sequence[_Block]

    @property
    def utilities(self) -> Iterator[tuple[str, str, float | None]]:
        """The names of each pair and its utility."""
        for (a, b), utility in zip(self.names, self.utility.tolist(), strict=True):
            yield a, b, None if utility != utility else utility

    @property
    def some(self) -> bool:
        """Whether any pair has a utility."""
        return bool((~np.isnan(self.utility)).any())

    def scores(self) -> tuple[PairScore, ...]:
        """A record for each pair."""
        found: list[PairScore | None] = [None] * len(self.names)
        for block in self.blocks:
            for place, fields in block.records():
                a, b = self.names[place]
                found[place] = PairScore(a=a, b=b, reason=self.reasons[place], **fields)
        return tuple(
            PairScore(a=a, b=b, reason=reason) if score is None else score
            for score, (a, b), reason in zip(found, self.names, self.reasons, strict=True)
        )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Works out the utility of every pair of a study."""

    study: Study
    log: Log

    def scored(self) -> Asking[Scored]:
        """All pairs that are wanted."""
        wanted = self._wanted()
        reasons: list[str | None] = [None] * len(wanted)
        pairs = list(self._planned(wanted, reasons))
        originals, protecteds = self._asker("original"), self._asker("protected")

        def size(pair: _Pair) -> int:
            return max(originals.fact_bytes(pair.original), protecteds.fact_bytes(pair.protected))

        utility = np.full(len(wanted), np.nan)
        blocks: list[_Block] = []
        done = 0
        for block in in_blocks(pairs, size, self._block_bytes):
            before, after = yield from together(
                self._originals(originals, [a for p in block for a in (p.original, p.recoded)]),
                protecteds.answers(p.protected for p in block),
            )
            found = _Block.of(block, before, after, self.study.options.threshold)
            utility[found.place] = found.utility
            for place, reason in found.reasons():
                reasons[place] = reason
            blocks.append(found)
            done += len(block)
            self.log.progress(say("testing pairs"), done / len(pairs))
        names = [(a.name, b.name) for a, b in wanted]
        return Scored(names, utility, reasons, blocks)

    @property
    def _block_bytes(self) -> int:
        rows = max(self.study.original.rows, self.study.protected.rows)
        return min(BLOCK_BYTES, max(LEAST_BYTES, rows * BYTES_PER_ROW))

    def _wanted(self) -> list[tuple[Described, Described]]:
        by_name = {v.name: v for v in self.study.analysed}
        if self.study.options.pairs is None:
            return list(combinations(self.study.analysed, 2))
        place = {name: i for i, name in enumerate(by_name)}
        wanted = {
            (a, b) if place[a] < place[b] else (b, a)
            for a, b in self.study.options.pairs
            if a in place and b in place
        }
        ordered = sorted(wanted, key=lambda pair: (place[pair[0]], place[pair[1]]))
        return [(by_name[a], by_name[b]) for a, b in ordered]

    # -- what is asked -----------------------------------------------------------------------

    def _planned(
        self, wanted: Sequence[tuple[Described, Described]], reasons: list[str | None]
    ) -> Iterator[_Pair]:
        """The pairs that can be tested; why the others cannot."""
        names = {v.name: (Seen(v.name), Seen(v.name, recoded=True)) for v in self.study.analysed}
        recoded = set(self.study.recodings)
        kinds, gone = self._kinds, self._gone
        ways: dict[tuple[SeenVariable, SeenVariable], _Way | str] = {}
        for place, (a, b) in enumerate(wanted):
            without = gone.get(a.name) or gone.get(b.name)
            if without is not None:
                reasons[place] = EMPTY if EMPTY in (gone.get(a.name), gone.get(b.name)) else REMOVED
                continue
            kind = kinds[a.name], kinds[b.name]
            if kind not in ways:
                ways[kind] = self._way(*kind)
            way = ways[kind]
            if isinstance(way, str):
                reasons[place] = way
                continue
            x, y = names[a.name], names[b.name]
            first = way.recode_first
            original = _ask(way.original, x[first[0]], y[first[1]])
            if a.name in recoded or b.name in recoded:
                both = x[a.name in recoded], y[b.name in recoded]
                again = _ask(way.protected, *both)
            else:
                again = original
            yield _Pair(place, original, _ask(way.protected, x[0], y[0]), again)

    def _way(self, a: SeenVariable, b: SeenVariable) -> _Way | str:
        exclude = self.study.options.changed_types == "exclude"
        try:
            chosen = choose(a, b, exclude_changed=exclude)
        except Undefined as why:
            return str(why)
        tests = chosen.tests
        return _Way(
            (tests[0], _groups_last(tests[0], chosen.original)),
            (tests[1], _groups_last(tests[1], chosen.protected)),
            chosen.recode_first,
        )

    @cached_property
    def _gone(self) -> dict[str, str]:
        """Variables without values on a side, and why their pairs cannot be tested."""
        return {
            v.name: EMPTY if v.original.empty else REMOVED
            for v in self.study.analysed
            if v.original.empty or v.removed
        }

    @cached_property
    def _kinds(self) -> dict[str, SeenVariable]:
        """Each variable's place in the table of tests, found once and not once per pair."""
        there = [v for v in self.study.analysed if v.name not in self._gone]
        kinds = in_threads(self._kind, there, shared=self.study.long)
        return {v.name: kind for v, kind in zip(there, kinds, strict=True)}

    def _kind(self, variable: Described) -> SeenVariable:
        assert variable.protected is not None
        return SeenVariable(
            scale_of(variable.original.type, self._normal(variable, variable.original)),
            scale_of(variable.protected.type, self._normal(variable, variable.protected)),
            variable.name in self.study.recodings,
        )

    def _normal(self, variable: Described, side: Side) -> bool:
        if side.type != "continuous" or not self.study.options.normality:
            return False
        if variable.given.normal is not None:
            return variable.given.normal
        return is_normal(side.levels, self.study.options.test_n)

    # -- answers -----------------------------------------------------------------------------

    def _asker(self, which: Which) -> Asker:
        options = self.study.options
        engine = self.study.original if which == "original" else self.study.protected
        return Asker(engine, self._sides(which), options.test_n, options.missing == "category")

    def _sides(self, which: Which) -> dict[Seen, Side]:
        if which == "protected":
            after = {v.name: v.protected for v in self.study.analysed}
            return {Seen(name): side for name, side in after.items() if side is not None}
        recoded = {Seen(n, recoded=True): r.recoded for n, r in self.study.recodings.items()}
        return {Seen(v.name): v.original for v in self.study.analysed} | recoded

    def _originals(self, asker: Asker, asks: list[Ask]) -> Asking[dict[Ask, Answer]]:
        """Answers on the original, of which other candidates may have asked some."""
        cache = self.study.cache
        keys = self._remembered(dict.fromkeys(asks))
        answers = {ask: cache.answers[key] for ask, key in keys.items() if key in cache.answers}
        left = [ask for ask in dict.fromkeys(asks) if ask not in answers]
        found = yield from asker.answers(left)
        size = sum(each.nbytes for each in {id(a.found): a.found for a in found.values()}.values())
        if cache.answer_bytes + size <= KEPT_BYTES:
            cache.answer_bytes += size
            cache.answers.update({keys[ask]: found[ask] for ask in found if ask in keys})
        return answers | found

    def _remembered(self, asks: Mapping[Ask, None]) -> dict[Ask, object]:
        """What an answer on the original depends on: the test, and how its variables are seen."""
        test_n, seen = self.study.options.test_n, self._prints
        return {
            ask: (ask, test_n, seen[ask.a.variable], seen[ask.b.variable])
            for ask in asks
            if not (ask.a.recoded or ask.b.recoded)
        }

    @cached_property
    def _prints(self) -> dict[str, bytes]:
        there = self.study.analysed
        prints = in_threads(lambda v: fingerprint(v.original), there, shared=self.study.long)
        return {v.name: found for v, found in zip(there, prints, strict=True)}


def fingerprint(side: Side) -> bytes:
    """Equal where a variable's levels are."""
    return side.levels.once(("print", side.type), lambda: _fingerprint(side))


def _fingerprint(side: Side) -> bytes:
    keys = side.levels.keys
    if isinstance(keys, tuple):
        held = b"labels" + repr(keys).encode("utf-8", "surrogatepass")
    else:
        held = b"numbers" + keys.tobytes()
    return sha256(side.type.encode() + held).digest()


def _groups_last(test: PairTest, scales: tuple[Scale, Scale]) -> bool:
    return test in ("kruskal-wallis", "anova") and scales[1] == "nominal"


def _ask(test: tuple[PairTest, bool], a: Seen, b: Seen) -> Ask:
    """Groups come first in tests that have groups."""
    return Ask(test[0], b, a) if test[1] else Ask(test[0], a, b)


# -- both sides --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Side:
    """Answers of one side, one beside the other."""

    found: Sequence[Associations]
    which: Index
    """Which of `found` an answer stands in."""
    place: Index
    rows: Counts
    p: Floats
    coefficient: Floats
    why: NDArray[np.int8]

    @staticmethod
    def of(answers: Sequence[Answer]) -> _Side:
        found = {id(answer.found): answer.found for answer in answers}
        order = {key: i for i, key in enumerate(found)}
        which = np.array([order[id(answer.found)] for answer in answers], dtype=np.intp)
        place = np.array([answer.place for answer in answers], dtype=np.intp)
        each = list(found.values())
        starts = np.cumsum([0, *map(len, each)])[which] + place

        def column(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(one, name) for one in each])[starts]

        columns = (column(name) for name in ("rows", "p", "coefficient", "why"))
        return _Side(each, which, place, *columns)


@dataclass(frozen=True, eq=False)
class _Block:
    """What became of some pairs."""

    place: Index
    tests: Sequence[tuple[PairTest, PairTest]]
    before: _Side
    after: _Side
    utility: Floats
    outcome: NDArray[np.int8]
    """Its place in `OUTCOMES`."""
    turned: Flags
    """Whether directions were compared."""
    flipped: Flags

    @staticmethod
    def of(
        pairs: Sequence[_Pair],
        originals: Mapping[Ask, Answer],
        protecteds: Mapping[Ask, Answer],
        threshold: float,
    ) -> _Block:
        """The three steps (Kocar 2018, 3.4), for all pairs."""
        before = _Side.of([originals[pair.original] for pair in pairs])
        after = _Side.of([protecteds[pair.protected] for pair in pairs])
        recoded = _Side.of([originals[pair.recoded] for pair in pairs])
        # A protected side that cannot be tested counts as not significant.
        p_after = np.where(after.why == 0, after.p, np.inf)
        outcome = outcomes(before.p, p_after, threshold)
        kept = outcome == KEPT
        # An original that recoding makes constant has no direction that could be reversed.
        turned = kept & (before.why == 0) & (recoded.why == 0)
        opposite, flipped = _turned(recoded, after, turned)
        outcome[opposite] = REVERSED
        utility = np.where(outcome == NONE, 1.0, 0.0)
        kept &= ~opposite
        utility[kept] = similarities(before.coefficient[kept], after.coefficient[kept])
        utility[_untold(before, after)] = np.nan
        return _Block(
            np.array([pair.place for pair in pairs], dtype=np.intp),
            [(pair.original.test, pair.protected.test) for pair in pairs],
            before,
            after,
            utility,
            outcome,
            turned,
            flipped,
        )

    def reasons(self) -> Iterator[tuple[int, str]]:
        """Why pairs could not be tested, on one side or the other."""
        for i in np.flatnonzero((self.before.why > 0) | (self.after.why > 0)).tolist():
            place = int(self.place[i])
            if self.before.why[i]:
                yield place, say("original: {why}", why=WHY[self.before.why[i] - 1])
            else:
                why = WHY[self.after.why[i] - 1]
                counts = (
                    "" if why.code == TOO_MANY_CELLS else say(", which counts as no association")
                )
                yield place, say("protected: {why}{counts}", why=why, counts=counts)

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The place of each pair that has a utility, and the fields of its record."""
        before, after = self.before, self.after
        columns = (
            self.place, before.rows, before.p, before.coefficient, after.rows, after.p,
            after.coefficient, after.why, self.outcome, self.utility, self.turned, self.flipped,
        )  # fmt: skip
        told = ~_untold(before, after)
        tests = [test for test, here in zip(self.tests, told.tolist(), strict=True) if here]
        rows = zip(tests, *(column[told].tolist() for column in columns), strict=True)
        for (own, other), place, n_o, p_o, c_o, n_p, p_p, c_p, why, out, u, turned, flipped in rows:
            yield (
                place,
                {
                    "test": own,
                    "test_protected": other,
                    "n_original": n_o,
                    "p_original": p_o,
                    "coefficient_original": c_o,
                    "n_protected": None if why else n_p,
                    "p_protected": None if why else p_p,
                    "coefficient_protected": None if why else c_p,
                    "outcome": OUTCOMES[out],
                    "utility": u,
                    "signs_flipped": flipped if turned else None,
                },
            )


def _untold(before: _Side, after: _Side) -> Flags:
    """Pairs that have no utility."""
    many = [i for i, why in enumerate(WHY, 1) if why.code == TOO_MANY_CELLS]
    return np.asarray((before.why > 0) | np.isin(after.why, many))


def _turned(before: _Side, after: _Side, here: Flags) -> tuple[Flags, Flags]:
    """Whether directions are opposite, and whether signs flipped, for pairs that are flagged."""
    opposite, flipped = np.zeros_like(here), np.zeros_like(here)
    pairs = np.flatnonzero(here)
    both = before.which[pairs] * len(after.found) + after.which[pairs]
    for each in np.unique(both).tolist():
        of_before, of_after = divmod(each, len(after.found))
        some = pairs[both == each]
        found = turns(
            before.found[of_before], before.place[some], after.found[of_after], after.place[some]
        )
        opposite[some], flipped[some] = found.opposite, found.signs_flipped
    return opposite, flipped
