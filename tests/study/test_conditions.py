"""Conditions and formulas of a schema: what they mean, and that they are never run as code."""

import contextlib
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microgauge
from microgauge import InputError
from microgauge.cli import main
from support.command import refused

pytestmark = pytest.mark.slow

# -- which rows ----------------------------------------------------------------------------------

ROWS = 24


def table():
    """Numbers, codes and words, all with missing cells; `mark` tells which rows were taken."""
    rng = np.random.default_rng(11)
    columns = {
        "a": rng.integers(-3, 4, ROWS).astype(float),
        "b": np.round(rng.uniform(-2, 2, ROWS), 1),
        "my col": rng.integers(0, 3, ROWS).astype(float),
        "code": rng.choice(["1", "2", "-1", "1.5", "x", "y"], ROWS),
        "word": rng.choice(["red", "light blue", "Zoë's", "in", "a and b"], ROWS),
    }
    data = {
        name: [None if rng.random() < 0.2 else value for value in values.tolist()]
        for name, values in columns.items()
    }
    return pl.DataFrame({"mark": [float(2**i) for i in range(ROWS)], **data})


TABLE = table()
RECORDS = TABLE.to_dicts()
TYPES = {name: {"type": "continuous"} for name in ("mark", "a", "b", "my col")}


def taken(condition, frame=TABLE, types=TYPES):
    """The rows in which a condition holds, read off the total of powers of two."""
    entry = {"statistic": "total", "variable": "mark", "where": condition, "resamples": 10}
    said = {"indicator": [entry], "variable": types}
    (found,) = microgauge.assess(frame, frame, schema=said, only=["indicators"]).indicators
    if found.original is None:
        assert found.reason == "original: no unit is left; protected: no unit is left"
        return []
    assert found.original == found.protected
    bits = int(found.original)
    rows = [i for i in range(frame.height) if bits >> i & 1]
    assert found.units_original == len(rows)
    return rows


def rows_in(judge):
    """The rows for which a function of a row is True; None is not."""
    return [i for i, row in enumerate(RECORDS) if judge(row) is True]


def known(judge, *names):
    """A function of a row, unknown where one of some cells is missing."""
    return lambda row: None if any(row[n] is None for n in names) else judge(row)


def no(judge):
    def turned(row):
        value = judge(row)
        return None if value is None else not value

    return turned


def both(*judges):
    def judged(row):
        values = [judge(row) for judge in judges]
        return False if False in values else None if None in values else True

    return judged


def either(*judges):
    return no(both(*(no(judge) for judge in judges)))


A = known(lambda r: r["a"] > 0, "a")
B = known(lambda r: r["b"] > 0, "b")

CASES = {
    "a == 1": known(lambda r: r["a"] == 1, "a"),
    "a == 1.0": known(lambda r: r["a"] == 1, "a"),
    "1 == a": known(lambda r: r["a"] == 1, "a"),
    "a == '1'": known(lambda r: r["a"] == 1, "a"),
    "a != 1": known(lambda r: r["a"] != 1, "a"),
    "a < 1": known(lambda r: r["a"] < 1, "a"),
    "a <= 1": known(lambda r: r["a"] <= 1, "a"),
    "a > -1": known(lambda r: r["a"] > -1, "a"),
    "-1 < a": known(lambda r: r["a"] > -1, "a"),
    "a >= -1": known(lambda r: r["a"] >= -1, "a"),
    "a == -1": known(lambda r: r["a"] == -1, "a"),
    "-1 == a": known(lambda r: r["a"] == -1, "a"),
    "a == +2": known(lambda r: r["a"] == 2, "a"),
    "-a == 2": known(lambda r: r["a"] == -2, "a"),
    "b == -0.3": known(lambda r: r["b"] == -0.3, "b"),
    "b > 1e-1": known(lambda r: r["b"] > 0.1, "b"),
    "a in [1, 2]": known(lambda r: r["a"] in (1, 2), "a"),
    "a in (1, -2)": known(lambda r: r["a"] in (1, -2), "a"),
    "a in {1, 2.0}": known(lambda r: r["a"] in (1, 2), "a"),
    "a in [1, b]": either(
        known(lambda r: r["a"] == 1, "a"), known(lambda r: r["a"] == r["b"], "a", "b")
    ),
    "a not in [1, 2]": known(lambda r: r["a"] not in (1, 2), "a"),
    "a + 1 in [1, 2]": known(lambda r: r["a"] + 1 in (1, 2), "a"),
    "a in []": lambda r: False,
    "a > b": known(lambda r: r["a"] > r["b"], "a", "b"),
    "a == b": known(lambda r: r["a"] == r["b"], "a", "b"),
    "a != b": known(lambda r: r["a"] != r["b"], "a", "b"),
    "-1 < a < 2": known(lambda r: -1 < r["a"] < 2, "a"),
    "-1 <= a <= b": both(
        known(lambda r: r["a"] >= -1, "a"), known(lambda r: r["a"] <= r["b"], "a", "b")
    ),
    "not -1 <= a <= b": no(
        both(known(lambda r: r["a"] >= -1, "a"), known(lambda r: r["a"] <= r["b"], "a", "b"))
    ),
    "b < a in [1, 2]": both(
        known(lambda r: r["b"] < r["a"], "a", "b"), known(lambda r: r["a"] in (1, 2), "a")
    ),
    "a + b > 0": known(lambda r: r["a"] + r["b"] > 0, "a", "b"),
    "2 * a - b / 4 >= 1": known(lambda r: 2 * r["a"] - r["b"] / 4 >= 1, "a", "b"),
    "(a + b) * 2 < a - -b": known(
        lambda r: (r["a"] + r["b"]) * 2 < r["a"] + r["b"], "a", "b"
    ),
    "`my col` == 1": known(lambda r: r["my col"] == 1, "my col"),
    "`my col` + a > 1": known(lambda r: r["my col"] + r["a"] > 1, "my col", "a"),
    "`a` > 0 and `my col` > 0": both(A, known(lambda r: r["my col"] > 0, "my col")),
    "a > 0 and b > 0": both(A, B),
    "a > 0 or b > 0": either(A, B),
    "not a > 0": no(A),
    "not (a > 0 and b > 0)": no(both(A, B)),
    "not (a > 0 or b > 0)": no(either(A, B)),
    "(a > 0) & (b > 0)": both(A, B),
    "(a > 0) | (b > 0)": either(A, B),
    "~(a > 0)": no(A),
    "~(a > 0) & ~((b > 0) | (a == 1))": both(
        no(A), no(either(B, known(lambda r: r["a"] == 1, "a")))
    ),
    "a > 0 or b > 0 and a < 0": either(A, both(B, known(lambda r: r["a"] < 0, "a"))),
    "(a > 0 or b > 0) and a < 0": both(either(A, B), known(lambda r: r["a"] < 0, "a")),
    "word == 'red'": known(lambda r: r["word"] == "red", "word"),
    "'red' == word": known(lambda r: r["word"] == "red", "word"),
    'word != "light blue"': known(lambda r: r["word"] != "light blue", "word"),
    'word == "Zoë\'s"': known(lambda r: r["word"] == "Zoë's", "word"),
    "word in ['in', 'a and b']": known(lambda r: r["word"] in ("in", "a and b"), "word"),
    "word not in ['in', 'red']": known(lambda r: r["word"] not in ("in", "red"), "word"),
    "word == 'RED'": known(lambda r: False, "word"),
    "word != 'nothing'": known(lambda r: True, "word"),
    "code == 1": known(lambda r: r["code"] == "1", "code"),
    "code == '1'": known(lambda r: r["code"] == "1", "code"),
    "code == 1.0": known(lambda r: r["code"] == "1", "code"),
    "code == 1.5": known(lambda r: r["code"] == "1.5", "code"),
    "code == -1": known(lambda r: r["code"] == "-1", "code"),
    "-1 == code": known(lambda r: r["code"] == "-1", "code"),
    "code in [1, 'x', -1]": known(lambda r: r["code"] in ("1", "x", "-1"), "code"),
    "code not in [1, 2]": known(lambda r: r["code"] not in ("1", "2"), "code"),
    "  a  >0   ": A,
    "word == 'red' or a > 0": either(known(lambda r: r["word"] == "red", "word"), A),
}  # fmt: skip


@pytest.mark.parametrize("condition", CASES)
def test_rows(condition):
    assert taken(condition) == rows_in(CASES[condition])


def test_the_table_is_worth_its_name():
    """Most conditions hold in some rows, fail in some, and are open in some."""
    for condition in ("a == 1", "-1 <= a <= b", "code == -1", "word == 'red'", "`my col` == 1"):
        values = {CASES[condition](row) for row in RECORDS}
        assert values == {True, False, None}, condition


@pytest.mark.parametrize("condition", ["a != 1", "not a == 1", "a not in [1]", "~(a == 1)"])
def test_a_missing_value_is_not_unequal(condition):
    holes = [i for i, row in enumerate(RECORDS) if row["a"] is None]
    assert holes
    assert not set(taken(condition)) & set(holes)


def test_a_missing_value_does_not_stop_what_is_certain():
    """Kleene's logic: true or unknown is true, false and unknown is false."""
    open_rows = {i for i, row in enumerate(RECORDS) if row["a"] is None}
    certain = {i for i, row in enumerate(RECORDS) if row["b"] is not None and row["b"] > 0}
    assert open_rows & certain
    assert open_rows & certain <= set(taken("a > 0 or b > 0"))
    false = {i for i, row in enumerate(RECORDS) if row["b"] is not None and row["b"] <= 0}
    assert open_rows & false
    assert open_rows & false <= set(taken("not (a > 0 and b > 0)"))


NUMBERS = st.sampled_from([-2, -1, 0, 1, 2, 0.5, -0.3])


@st.composite
def values(draw):
    """A number of a row: text, and what it is."""
    kind = draw(st.sampled_from(["column", "number", "sum"]))
    if kind == "number":
        number = draw(NUMBERS)
        return f"{number}", lambda row: float(number)
    if kind == "column":
        name = draw(st.sampled_from(["a", "b", "my col"]))
        return f"`{name}`" if " " in name else name, lambda row: row[name]
    (left, x), (right, y) = draw(values()), draw(values())
    sign = draw(st.sampled_from("+-*"))

    def worked(row):
        p, q = x(row), y(row)
        if p is None or q is None:
            return None
        return p + q if sign == "+" else p - q if sign == "-" else p * q

    return f"({left} {sign} {right})", worked


COMPARED = {
    "==": lambda p, q: p == q,
    "!=": lambda p, q: p != q,
    "<": lambda p, q: p < q,
    "<=": lambda p, q: p <= q,
    ">": lambda p, q: p > q,
    ">=": lambda p, q: p >= q,
}


@st.composite
def comparisons(draw):
    if draw(st.booleans()):
        name = draw(st.sampled_from(["code", "word"]))
        labels = draw(st.lists(st.sampled_from(["1", "2", "x", "red", "in"]), max_size=3))
        turned = draw(st.booleans())
        text = f"{name} {'not in' if turned else 'in'} {labels!r}"
        judge = known(lambda row: (row[name] in labels) is not turned, name)
        return text, judge
    (left, x), (right, y) = draw(values()), draw(values())
    op = draw(st.sampled_from(list(COMPARED)))

    def judge(row):
        p, q = x(row), y(row)
        return None if p is None or q is None else COMPARED[op](p, q)

    return f"{left} {op} {right}", judge


@st.composite
def trees(draw, depth=3):
    kind = draw(st.sampled_from(["leaf", "and", "or", "not"])) if depth else "leaf"
    if kind == "leaf":
        return draw(comparisons())
    if kind == "not":
        text, judge = draw(trees(depth - 1))
        return draw(st.sampled_from([f"not ({text})", f"~({text})"])), no(judge)
    (left, one), (right, other) = draw(trees(depth - 1)), draw(trees(depth - 1))
    joined = {"and": "and", "or": "or"} if draw(st.booleans()) else {"and": "&", "or": "|"}
    text = f"({left}) {joined[kind]} ({right})"
    return text, both(one, other) if kind == "and" else either(one, other)


@settings(max_examples=150, deadline=None)
@given(trees())
def test_any_tree_of_conditions(tree):
    text, judge = tree
    try:
        found = taken(text)
    except InputError as error:
        assert "names no column" in str(error)  # noqa: PT017 - numbers only
        return
    assert found == rows_in(judge)


def test_against_pandas():
    frame = TABLE.drop("code").drop_nulls()
    frame = frame.with_columns(mark=2.0 ** pl.int_range(frame.height))
    types = {name: said for name, said in TYPES.items() if name in frame.columns}
    there = frame.to_pandas()
    for condition in (
        "a > 0 and b < 1",
        "a in [1, 2] or not b >= 0",
        "`my col` >= 1 and a + b > 0",
        "word == 'red' or word != 'in' and -2 < a <= 1",
        "(a > 0) & ~(b > 0) | (`my col` == 2)",
        "a * 2 - b / 3 > `my col`",
    ):
        expected = np.flatnonzero(there.eval(condition)).tolist()
        assert taken(condition, frame, types) == expected


def test_text_that_is_all_numbers_is_numbers():
    frame = pl.DataFrame({"mark": [1.0, 2.0, 4.0, 8.0], "n": ["10", "9", None, "-3"]})
    types = {"mark": {"type": "continuous"}}
    assert taken("n > 9", frame, types) == [0]
    assert taken("n == 9", frame, types) == [1]
    assert taken("n < 0 or n == '10'", frame, types) == [0, 3]


def test_padded_codes_are_words():
    frame = pl.DataFrame({"mark": [1.0, 2.0, 4.0, 8.0], "n": ["01", "1", "001", None]})
    types = {"mark": {"type": "continuous"}}
    assert taken("n == '01'", frame, types) == [0]
    assert taken("n == 1", frame, types) == [1]
    assert taken("n != '001'", frame, types) == [0, 1]


def test_declared_missing_codes_are_missing():
    types = TYPES | {"a": {"type": "continuous", "missing": [1]}}
    expected = rows_in(known(lambda r: None if r["a"] == 1 else r["a"] < 2, "a"))
    assert taken("a < 2", types=types) == expected
    assert taken("a == 1", types=types) == []


def test_booleans():
    frame = pl.DataFrame({"mark": [1.0, 2.0, 4.0, 8.0], "flag": [True, False, None, True]})
    types = {"mark": {"type": "continuous"}}
    assert taken("flag == True", frame, types) == [0, 3]
    assert taken("flag != True", frame, types) == [1]
    assert taken("flag == 'true'", frame, types) == [0, 3]


def test_names_that_look_like_other_things():
    """Backticks name any column: with signs, words of the grammar, other columns' stand-ins."""
    names = ["a-b", "and", "Einkommen (€)", "x'y", "_quoted_0", "1st", "#"]
    frame = pl.DataFrame(
        {"mark": [float(2**i) for i in range(len(names))]}
        | {name: [float(i == j) for j in range(len(names))] for i, name in enumerate(names)}
    )
    types = {"mark": {"type": "continuous"}}
    for i, name in enumerate(names):
        assert taken(f"`{name}` == 1", frame, types) == [i]
    assert taken("`and` == 1 or `a-b` == 1", frame, types) == [0, 1]
    assert taken("`a-b` == 1 or _quoted_0 == 1", frame, types) == [0, 4]


def test_words_that_look_like_other_things():
    words = ["`x`", "a`", "`b", "#", "a # b", "x == 1", "é", "'"]
    frame = pl.DataFrame({"mark": [float(2**i) for i in range(len(words))], "w": words})
    types = {"mark": {"type": "continuous"}, "w": {"type": "nominal"}}
    for i, word in enumerate(words):
        assert taken(f'w == "{word}"', frame, types) == [i]
    assert taken("w == 'a`' or w == '`b'", frame, types) == [1, 2]


def test_each_side_is_judged_by_its_own_cells():
    protected = TABLE.with_columns(pl.col("a") * -1)
    entry = {"statistic": "total", "variable": "mark", "where": "a > 1", "resamples": 10}
    said = {"indicator": [entry], "variable": TYPES}
    (found,) = microgauge.assess(TABLE, protected, schema=said, only=["indicators"]).indicators
    assert found.original == sum(2**i for i in rows_in(known(lambda r: r["a"] > 1, "a")))
    assert found.protected == sum(2**i for i in rows_in(known(lambda r: -r["a"] > 1, "a")))


# -- refusals ------------------------------------------------------------------------------------


def numbers(rows=40):
    rng = np.random.default_rng(3)
    return pd.DataFrame({name: rng.normal(size=rows) for name in ("y", "a", "b", "c", "my col")})


def with_where(text):
    return {"indicator": [{"statistic": "mean", "variable": "y", "where": text}]}


def with_where_of_a_regression(text):
    return {"regression": [{"formula": "y ~ a", "where": text}]}


def with_regression(text):
    return {"regression": [{"formula": text}]}


def with_model(text):
    return {"model": [{"kind": "linear", "formula": text}]}


def with_propensity(text):
    return {"propensity": {"formula": text.removeprefix("y ")}}


def outcome(said, frame=None):
    """What a run says: the faults of an `InputError`, or the result."""
    frame = numbers() if frame is None else frame
    sections = {"indicator": "indicators", "regression": "regressions", "model": "gdu"}
    (given,) = said
    return microgauge.assess(frame, frame.copy(), schema=said, only=[sections.get(given, given)])


@pytest.fixture
def canary(tmp_path, monkeypatch):
    """An empty folder in which code of a schema would leave a file; every call of it counts."""
    monkeypatch.chdir(tmp_path)
    calls = []
    monkeypatch.setattr(os, "system", lambda command: calls.append(command) or 0)
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: calls.append(a))
    yield calls
    assert calls == []
    assert list(tmp_path.iterdir()) == []


CODE = [
    "__import__('os').system('touch canary')",
    "open('canary', 'w').write('x')",
    "exec(\"open('canary', 'w')\")",
    "eval('1')",
    "(lambda: open('canary', 'w'))()",
    "(lambda: 1)",
    "[open('canary', 'w') for i in [1]][0]",
    "{x for x in [1]}",
    "{1: 2}",
    'f\'{open("canary", "w")}\'',
    "f'x'",
    "(x := 1)",
    "().__class__",
    "().__class__.__bases__[0].__subclasses__()",
    "a.__class__",
    "a.values.tofile('canary')",
    "a[0]",
    "a if b else c",
    "log.__globals__",
    "I.__globals__",
    "print(a)",
    "Q('a')",
    'Q("a")',
    "C(a, contr.treatment)",
    "log(a, out=b)",
    "log(*a)",
    "log(**a)",
    "poly(a, 2)",
    "bs(a, df=3)",
    "center(a)",
    "hashed(a)",
    "{open('canary', 'w')}",
    "{a}",
    "`a`.sum()",
    "`open('canary', 'w')`",
    "b'x'",
    "1j",
    "...",
    "None",
    "await a",
    "yield",
    "9**9**9",
    "9 ** 9 ** 9 ** 9",
    "1 << 99999999999",
    "a @@ b",
    "a; b",
    "import os",
    "a\n+ b",
    "a\r",
    "a\x00",
    "a\u202e",
    "a \\\n",
    "a # + b",
    "a #",
    "a = 1",
    "a :=",
    "",
    "   ",
    "((a)",
    "a))",
    "`a",
    "``",
    "'a",
    "nothing",
    "__builtins__",
    "os",
    "np",
    "_quoted_0",
    "%a%",
    "a %in% b",
    "a | b",
    "a ~ b",
    ".",
    "[a ~ b]",
]


@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize(
    "said", [with_regression, with_model, with_propensity], ids=lambda f: f.__name__
)
@pytest.mark.usefixtures("canary")
def test_a_formula_is_never_run(code, said):
    for text in (f"y ~ {code}", f"y ~ b + {code}", f"y ~ I({code})"):
        with pytest.raises(InputError):
            outcome(said(text))


@pytest.mark.parametrize("code", [*CODE[:30], "", "a + b", "a ~ b", "1", "'y'", "nothing"])
@pytest.mark.usefixtures("canary")
def test_the_response_of_a_formula_is_never_run(code):
    for said in (with_regression, with_model):
        with pytest.raises(InputError):
            outcome(said(f"{code} ~ a"))


OF_WHERE = [code for code in CODE if code not in ("a # + b", "a #", "a | b", "a @@ b")]


@pytest.mark.parametrize("code", OF_WHERE)
@pytest.mark.parametrize("said", [with_where, with_where_of_a_regression])
@pytest.mark.usefixtures("canary")
def test_a_condition_is_never_run(code, said):
    texts = [code, f"{code} > 0", f"a > 0 and {code}", f"a in [{code}]"]
    for text in texts:
        if code.strip() == "" and text.startswith("a in"):
            continue  # an empty list
        with pytest.raises(InputError):
            outcome(said(text))


@pytest.mark.parametrize(
    "condition",
    [
        "a",
        "not a",
        "a > 0 and b",
        "a +",
        "a >",
        "> 0",
        "a = 1",
        "a > 0,",
        "a > 0 > ",
        "1 == 1",
        "a ** 2 > 1",
        "a % 2 == 0",
        "a // 2 == 0",
        "a ^ b > 0",
        "a > 1 & b > 2",
        "(a > 0) == (b > 0)",
        "log(a) > 0",
        "a > None",
        "a == None",
        "a in [*b]",
        "a is 1",
        "a is not 1",
        "a in 5",
        "a in b",
        "a in 'abc'",
        "a in (1)",
        "a > 'x'",
        "a == [1, 2]",
        "[a] == 1",
        "a > 0 # and b > 0",
        "agee > 0",
    ],
)
@pytest.mark.usefixtures("canary")
def test_a_condition_that_means_nothing_is_refused(condition):
    """Before any work, by a message that says where it stands."""
    for said in (with_where, with_where_of_a_regression):
        with pytest.raises(InputError, match=r"number 1, where: .*condition"):
            outcome(said(condition))


def deep(depth):
    return {
        "parentheses": "(" * depth + "a" + ")" * depth,
        "signs": "-" * depth + "a",
        "sum": "+".join(["a"] * depth),
        "functions": "abs(" * depth + "a" + ")" * depth,
        "product": "*".join(["a"] * depth),
    }


@pytest.mark.parametrize("kind", deep(1))
@pytest.mark.parametrize("depth", [150, 900, 1500, 50_000])
@pytest.mark.parametrize(
    "said", [with_regression, with_model, with_propensity, with_where], ids=lambda f: f.__name__
)
@pytest.mark.usefixtures("canary")
def test_deep_nesting_is_read_or_refused(kind, depth, said):
    """No recursion beyond the stack, no crash: a result, or an `InputError`."""
    inner = deep(depth)[kind]
    formula = kind in ("parentheses", "sum")
    text = f"{inner} > 0" if said is with_where else f"y ~ {inner if formula else f'I({inner})'}"
    if said is with_where and kind == "functions":
        text = "not " * depth + "a > 0"
    if depth == 50_000:
        with pytest.raises(InputError) as caught:
            outcome(said(text))
        assert len(str(caught.value)) < 30_000
        return
    with contextlib.suppress(InputError):
        found = outcome(said(text))
        json.dumps(found.to_dict(), allow_nan=False)


def test_a_fault_does_not_repeat_a_page_of_text():
    with pytest.raises(InputError) as caught:
        outcome(with_where("a > " + "9" * 1_000_000))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("number", ["9" * 400, "0x" + "F" * 400, "1e999", "9" * 5000, "-1e999"])
@pytest.mark.parametrize("template", ["a > {}", "a == {}", "a in [{}]", "a * {} > 0", "{} != a"])
def test_numbers_beyond_all_floats_in_a_condition(number, template):
    """Refused, or compared as what they are: larger than any cell."""
    try:
        found = outcome(with_where(template.format(number)))
    except InputError:
        return
    (one,) = found.indicators
    assert one.original is not None or one.reason
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("number", ["9" * 400, "0x" + "F" * 400, "1e999", "9" * 5000])
@pytest.mark.parametrize("template", ["y ~ I(a * {})", "y ~ a + {}", "y ~ {}:a", "I(y * {}) ~ a"])
def test_numbers_beyond_all_floats_in_a_formula(number, template):
    try:
        found = outcome(with_regression(template.format(number)))
    except InputError:
        return
    (one,) = found.regressions
    json.dumps(found.to_dict(), allow_nan=False)
    assert one.overlap is None or np.isfinite(one.overlap)


@pytest.mark.parametrize(
    "formula",
    ["y ~ I(a:b)", "y ~ I(a^2)", "y ~ I(a @ b)", "I(y:a) ~ b", "y ~ log(a:b)", "y ~ C(a:b)",
     "y ~ a**2.5", "y ~ I(a/0)", "y ~ ａ", "y ~ `my col` + _quoted_0", "y ~ 1", "y ~ 0", "y ~ -a",
     "y ~ y", "y ~ exp(exp(exp(a)))", "y ~ I(((a**10)**10)**10)", "y ~ sqrt(I(0 - 1 - abs(a)))"],
)  # fmt: skip
@pytest.mark.parametrize(
    "said", [with_regression, with_model, with_propensity], ids=lambda f: f.__name__
)
@pytest.mark.usefixtures("canary")
def test_odd_formulas_are_refused_or_have_a_result(formula, said):
    """Whatever is written, nothing but an `InputError` is raised, and no NaN comes out."""
    if said is with_propensity and not formula.startswith("y ~"):
        formula = "y ~ a"
    try:
        found = outcome(said(formula))
    except InputError:
        return
    json.dumps(found.to_dict(), allow_nan=False)
    if said is with_regression:
        (one,) = found.regressions
        assert one.overlap is not None or one.reason


SCRIPT = """
import sys
import numpy as np, pandas as pd
import microgauge
rng = np.random.default_rng(0)
table = pd.DataFrame({name: rng.normal(size=40) for name in "yabcdefgh"})
try:
    microgauge.assess(table, table.copy(), schema={"regression": [{"formula": sys.argv[1]}]},
                      only=["regressions"])
except microgauge.InputError:
    pass
"""


@pytest.mark.parametrize("formula", ["y ~ (a+b+c+d+e+f+g+h)**10", "y ~ ((a+b+c+d)**8)**8"])
def test_no_formula_keeps_the_machine_busy(formula):
    """A power is multiplied out term by term: nine terms to the tenth are 3.5 thousand million."""
    subprocess.run([sys.executable, "-c", SCRIPT, formula], check=True, timeout=12)


def test_column_names_are_never_run(tmp_path):
    """A backslash before a backtick: for formulaic it hides it, for Python it does not.

    What stands between backticks for one stands outside of them for the other; names of columns
    would be run. Refused, or taken for the names that they are.
    """
    canary = tmp_path / "canary"
    names = ["a\\", f" + I(open({str(canary)!r}, 'w') and x or '\\", "') #"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=50) for name in ["y", "x", *names]})
    quoted = [f"`{name}`" for name in names]
    formula = f"y ~ x - {quoted[0]} + ({quoted[1]} + {quoted[2]})"
    for said in (with_regression, with_model, with_propensity):
        with warnings.catch_warnings(), contextlib.suppress(InputError):
            warnings.simplefilter("ignore")  # as it is for users: Python warns of the backslash
            outcome(said(formula), frame)
        assert not canary.exists(), said.__name__


def test_values_are_never_run(canary):
    """Cells and category labels that look like code are labels."""
    code = "__import__('os').system('touch canary')"
    frame = numbers().assign(g=[code, "{1}", "`a`", "x"] * 10)
    said = {
        "regression": [{"formula": "y ~ g"}, {"formula": "y ~ C(g):a", "where": "g != 'x'"}],
        "indicator": [
            {"statistic": "mean", "variable": "y", "by": "g"},
            {"statistic": "share", "variable": "g"},
        ],
    }
    found = microgauge.assess(frame, frame.copy(), schema=said, only=["indicators", "regressions"])
    assert found.regressions[0].overlap == 1
    assert len(found.indicators) == 8
    assert canary == []


# -- the command ---------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "name": rng.choice(["Zaphod", "Trillian", "Marvin"], 60),
            "income": rng.choice([987654.25, 876543.75, 765432.5, 65432.125], 60)
            + rng.normal(size=60).round(3),
            "age": rng.integers(20, 80, 60),
        }
    )
    for which in ("original.csv", "protected.csv"):
        frame.to_csv(tmp_path / which, index=False)
    monkeypatch.chdir(tmp_path)
    return frame


FAULTY = r"""
[[indicator]]
statistic = "mean"
variable = "name"

[[indicator]]
statistic = "gini"
variable = "incme"
where = "age >> 3"

[[indicator]]
statistic = "meen"
variable = "income"

[[indicator]]
statistic = "median"
variable = "income"
resamples = 1
colour = "red"

[[indicator]]
statistic = "ratio"
variable = "income"

[[indicator]]
function = "os.system"

[[indicator]]
statistic = "mean"
variable = "income"
where = "__import__('os').system('touch hacked') > 0"

[[regression]]
formula = "income ~ agee"
where = "name > "

[[regression]]
formula = "log(income) ~ __import__('os').system('touch hacked')"
weight = "name"

[[regression]]
formula = "income ~ age"
kind = "probit"

[[regression]]
where = "age > 30"
"""


def refusal(capsys, text):
    Path("s.toml").write_text(text, encoding="utf-8")
    arguments = ["original.csv", "protected.csv", "--schema", "s.toml", "--json", "r.json"]
    return refused(capsys, "assess", *arguments)


def test_the_command_tells_all_faults_at_once(folder, capsys):
    said = refusal(capsys, FAULTY)
    for fault in (
        'mean needs numbers, but "name"',
        '"incme"',
        'Did you mean "income"?',
        '"age >> 3"',
        '"meen"',
        "resamples",
        '"colour"',
        "denominator",
        "function must be",
        '"agee"',
        '"name > "',
        "a weight needs numbers",
        '"probit"',
        "[[regression]] number 4 needs a formula",
    ):
        assert fault in said, fault
    assert said.count("\n  - ") == 15
    for cell in (*folder["name"].unique(), *folder["income"].astype(str)):
        assert cell not in said
    assert not Path("hacked").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "text",
    [
        "indicator = 3\nregression = 'x'\n",
        "[indicator]\nstatistic = 'mean'\n",
        "[[indicator]]\nstatistic = ['mean']\nvariable = 'income'\n",
        "[[indicator]]\nstatistic = 'mean'\nvariable = ['income']\nby = 3\n",
        "[[indicator]]\nstatistic = 'share'\nvariable = 'name'\ncategory = ['Marvin']\n",
        "[[indicator]]\nstatistic = 'share'\nvariable = 'name'\ncategory = 2020-01-01\n",
        "[[indicator]]\nstatistic = 'quantile'\nvariable = 'income'\nquantile = nan\n",
        "[[indicator]]\nstatistic = 'arop'\nvariable = 'income'\nline = inf\n",
        "[[indicator]]\nstatistic = 'mean'\nvariable = 'income'\nwhere = 1\n",
        "[[indicator]]\nstatistic = 'mean'\nvariable = 'income'\nname = 1\n",
        "[[indicator]]\nstatistic = 'median'\nvariable = 'income'\nresamples = 1e3\n",
        "[[indicator]]\nstatistic = 'median'\nvariable = 'income'\nresamples = true\n",
        "[[regression]]\nformula = ['income ~ age']\n",
        "[[regression]]\nformula = 'income ~ age'\nkind = ['linear']\n",
        "[[regression]]\nformula = 'income ~ age'\nrobust = 1\n",
        "[[regression]]\nformula = 'income ~ age'\nwhere = true\n",
        "[[regression]]\nformula = 'income ~ age'\nweight = 3\n",
        "[[regression]]\nformula = 'income ~ I(age:age)'\n",
        "[propensity]\nformula = '~ open(1)'\n[[regression]]\nformula = 'income ~ agee'\n",
    ],
)
def test_the_command_refuses_what_has_another_form(text, capsys):
    said = refusal(capsys, text)
    assert "Marvin" not in said


@pytest.mark.usefixtures("folder")
def test_a_fault_of_the_propensity_formula_hides_no_other(capsys):
    said = refusal(
        capsys,
        "[propensity]\nformula = '~ agge'\n[[regression]]\nformula = 'income ~ nothing'\n"
        "[[indicator]]\nstatistic = 'mean'\nvariable = 'name'\n",
    )
    for fault in ('"agge"', '"nothing"', '"name"'):
        assert fault in said


def test_the_command_writes_what_the_schema_asks(folder, capsys):
    schema = (
        "[[indicator]]\nname = 'income of the old'\nstatistic = 'mean'\nvariable = 'income'\n"
        "where = '''age >= 50 and name != \"Marvin\"'''\n"
        "[[regression]]\nformula = 'income ~ age + name'\nrobust = true\n"
    )
    Path("s.toml").write_text(schema, encoding="utf-8")
    arguments = ["original.csv", "protected.csv", "--schema", "s.toml", "--json", "r.json"]
    assert main(["assess", *arguments, "--long"]) == 0
    result = json.loads(Path("r.json").read_text())
    kept = folder[(folder["age"] >= 50) & (folder["name"] != "Marvin")]
    (indicator,), (regression,) = result["indicators"], result["regressions"]
    assert indicator["original"] == pytest.approx(kept["income"].mean())
    assert indicator["overlap"] == 1
    assert regression["overlap"] == 1
    terms = [c["term"] for c in regression["coefficients"]]
    assert sorted(terms) == ["Intercept", "age", "name[T.Trillian]", "name[T.Zaphod]"]
    assert "income of the old" in capsys.readouterr().out
