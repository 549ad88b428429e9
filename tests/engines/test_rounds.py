"""Parts that ask in rounds: what they share, what they wait for, and how often rows are read."""

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.engines.local import Local
from microgauge.engines.rounds import Begin, IsAsked, Need, Rounds, asked, run_one, together
from microgauge.errors import InputError, Undefined
from microgauge.passes import Absent, Axis, Column, Tally
from microgauge.sections.gdu.references import DrawnRows
from support.scans import counted_scans

A, B = (Axis(name, np.arange(4), 3) for name in "ab")


def rows(seed=1, count=20):
    rng = np.random.default_rng(seed)
    return Local({name: rng.integers(0, 4, count) for name in "ab"}, count)


@pytest.fixture
def scans(monkeypatch):
    """The passes of every scan of a table's rows in memory."""
    return counted_scans(monkeypatch, lambda engine: not isinstance(engine, DrawnRows))


def run(parts, wanted=None):
    """Run generators that wait for each other by name."""
    found = Rounds(lambda name: parts[name]()).run(wanted or parts)
    return [found[name] for name in (wanted or parts)]


# -- sharing -------------------------------------------------------------------------------------


def test_equal_questions_are_asked_once_and_all_in_one_scan(scans):
    table = rows()

    def first():
        facts = yield from asked(table, [Tally(A), Absent(A, B)])
        return facts[Tally(A)].sum()

    def second():
        own = Axis("a", np.arange(4), 3)  # another object that sees the same
        facts = yield from asked(table, [Tally(own), Tally(B)])
        return facts[Tally(A)].sum() + facts[Tally(B)].sum()

    assert run({"first": first, "second": second}) == [20, 40]
    assert scans == [[Tally(A), Absent(A, B), Tally(B)]]


def test_there_are_as_many_scans_as_the_longest_part_has_rounds(scans):
    table = rows()

    def part(times):
        def work():
            total = 0
            for _ in range(times):
                facts = yield from asked(table, [Tally(A)])
                total += facts[Tally(A)].sum()
            return total

        return work

    assert run({"one": part(1), "three": part(3), "two": part(2)}) == [20, 60, 40]
    assert len(scans) == 3


def test_parts_put_together_share_rounds_and_keep_their_order(scans):
    tables = rows(1), rows(2)

    def inner(table, times):
        found = []
        for _ in range(times):
            facts = yield from asked(table, [Column(A)])
            found.append(facts[Column(A)].tolist())
        return found

    def none():
        return "nothing asked"
        yield

    def outer():
        return (yield from together(inner(tables[0], 1), none(), inner(tables[1], 2)))

    first, nothing, second = run_one(outer())
    assert nothing == "nothing asked"
    assert [len(first), len(second)] == [1, 2]
    assert len(scans) == 3  # both tables in the first round, one in the second


# -- waiting -------------------------------------------------------------------------------------


def test_a_part_that_several_wait_for_is_made_once(scans):
    table = rows()
    made = []

    def shared():
        made.append(1)
        facts = yield from asked(table, [Tally(A)])
        return facts[Tally(A)].sum()

    def waiting():
        return (yield Need("shared")) + 1

    parts = {"one": waiting, "two": waiting, "shared": shared}
    assert run(parts, ["one", "two"]) == [21, 21]
    assert made == [1]
    assert len(scans) == 1


def test_what_cannot_be_known_is_told_to_those_who_wait():
    def hopeless():
        raise Undefined("no value")
        yield

    def waiting():
        try:
            yield Need("hopeless")
        except Undefined as why:
            return f"because: {why}"

    assert run({"waiting": waiting, "hopeless": hopeless}, ["waiting"]) == ["because: no value"]
    with pytest.raises(Undefined, match="no value"):
        run({"hopeless": hopeless})


def test_a_fault_of_the_input_ends_the_run():
    def faulty():
        raise InputError("wrong")
        yield

    with pytest.raises(InputError, match="wrong"):
        run({"faulty": faulty})


def test_whether_a_part_is_asked_for():
    def curious():
        return [(yield IsAsked("other")), (yield IsAsked("nobody"))]

    def other():
        return None
        yield

    assert run({"other": other, "curious": curious})[1] == [True, False]


def test_a_part_that_was_begun_asks_in_the_same_round(scans):
    table = rows()

    def begun():
        yield from asked(table, [Tally(A)])

    def beginning():
        yield Begin("begun")
        yield from asked(table, [Tally(B)])
        yield Need("begun")

    run({"beginning": beginning, "begun": begun}, ["beginning"])
    assert scans == [[Tally(B), Tally(A)]]


def test_outcomes_are_told_after_those_they_wait_for():
    def needing(*names):
        def work():
            for name in names:
                yield Need(name)

        return work

    parts = {"a": needing("c", "b"), "b": needing("c"), "c": needing(), "d": needing()}
    together_run = Rounds(lambda name: parts[name]())
    together_run.run(["d", "a", "b"])
    assert together_run.in_order(["d", "a", "b"]) == ["d", "c", "b", "a"]


@pytest.mark.parametrize(
    "needs", [{"a": "a"}, {"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "b"}]
)
def test_parts_that_wait_for_each_other_are_told(needs):
    def waiting(name):
        yield Need(needs[name])

    with pytest.raises(RuntimeError, match="wait for each other"):
        Rounds(waiting).run(["a"])


def test_what_is_no_question_is_told():
    def wrong():
        yield 5

    with pytest.raises(TypeError, match="Questions, Need, Begin or IsAsked"):
        run_one(wrong())


# -- how often rows are read ---------------------------------------------------------------------


@pytest.fixture
def other_reads(monkeypatch):
    """Every other time that rows are gone through: for weights, as a table, for a sample."""
    found = []
    for name in ("table", "_hashes"):
        read = getattr(Local, name)

        def reading(self, *args, read=read, name=name):
            found.append(name)
            return read(self, *args)

        monkeypatch.setattr(Local, name, reading)
    weights = Local.weights.fget
    monkeypatch.setattr(Local, "weights", property(lambda s: (found.append("w"), weights(s))[1]))
    return found


@pytest.mark.slow
def test_how_often_the_rows_of_the_demo_are_read(scans, other_reads):
    choices = {"schema": SCHEMA, "details": True, "risky": True}
    microgauge.assess(ORIGINAL, PROTECTED, **choices)
    assert len(scans) <= 10
    assert len(scans) + len(other_reads) <= 13
    scans.clear()
    other_reads.clear()
    # Beside these, yardsticks read the rows of files of their own, made from the original.
    microgauge.assess(ORIGINAL, PROTECTED, **choices, yardsticks=True)
    assert len(scans) + len(other_reads) <= 32


def wide(variables, rows=300):
    """Numbers, ordered and unordered categories, with missing cells, all in equal parts."""
    rng = np.random.default_rng(variables)
    hidden = rng.normal(size=rows)
    frame = {}
    for number in range(variables):
        mixed = 0.6 * hidden + 0.8 * rng.normal(size=rows)
        kind = number % 3
        grades = np.clip(np.round(2 * mixed), -3, 3) + 4
        column = np.round(100 * mixed, 2) if kind == 0 else grades
        column = np.where(rng.random(rows) < 0.05, np.nan, column)
        frame[f"{'nic'[kind]}{number}"] = column
    return pd.DataFrame(frame)


@pytest.mark.slow
def test_scans_do_not_grow_with_the_number_of_variables(monkeypatch, scans):
    # Numbers with many values are tested by ranks among complete units: the longest way there is.
    monkeypatch.setattr("microgauge.sections.gdu.pairs.SMALL_TABLE", 64)
    counts = []
    for variables in (10, 40, 80):
        original = wide(variables)
        protected = original.copy()
        protected["n0"] = np.round(protected["n0"], -2)
        protected["i1"] = protected["i1"].clip(upper=5)
        said = {
            name: {"type": {"n": "continuous", "i": "ordinal", "c": "nominal"}[name[0]]}
            for name in original
        }
        for name in ("i1", "c2", "i4"):
            said[name]["role"] = "quasi_identifier"
        scans.clear()
        only = ["gdu", "loss", "risk", "rut", "ecdf"]
        microgauge.assess(original, protected, schema={"variable": said}, only=only, details=True)
        counts.append(len(scans))
    assert counts[0] == counts[1] == counts[2]
    # Two to describe, one whether rows correspond, one for recodings, twice all three tables.
    assert counts[0] <= 10
