"""Exploring: what a grid stands for, that its figures are those of files, what is kept and when."""

import datetime
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl
import pyreadstat
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import microgauge
from microgauge import InputError, assess, mask
from microgauge.cli import main
from microgauge.commands.explore import workers as working
from microgauge.commands.explore.grid import MOST_CANDIDATES, Grid
from microgauge.commands.explore.keeping import restored
from microgauge.commands.rank import ranking_of
from microgauge.languages.messages import forms_of, said_again
from microgauge.log import Note
from microgauge.masking.recipe import Recipe, recipe_toml
from microgauge.render.frames import csv_text
from microgauge.results import Assessment, Details
from microgauge.results.plain import json_text, to_dict
from microgauge.schema import Schema
from microgauge.sections.registry import choosable
from microgauge.tables import changed_table, coded_table
from microgauge.tables import read as reading
from microgauge.tables.formats.format import Held
from microgauge.tables.source import Source
from support.command import columns_of, complaint
from support.figures import differences, says, strict_json, without_paths
from support.tables import SUFFIX, write

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
MANY = settings(max_examples=100, deadline=None)

KEYS = ("age", "sex", "region")
LINE = 80
SWAP = {"method": "swap", "variable": "income", "share": 0.2}
SHARES = [0.1, 0.3]
TWO = {"step": [SWAP | {"share": {"grid": SHARES}}]}
ON_OFF = {"grid": [True, False]}
NAN, INFINITY = float("nan"), float("inf")


# -- tables, and looking into a result -------------------------------------------------------------


@cache
def people(rows=160, seed=5):
    """Keys, codes with zeros in front, numbers with and without decimals, and holes."""
    rng = np.random.default_rng(seed)

    def holed(cells, share=0.1):
        return [None if rng.random() < share else c for c in cells]

    return pl.DataFrame(
        {
            "unit": [f"{i:04d}" for i in rng.permutation(rows)],
            "age": rng.integers(16, 90, rows),
            "sex": rng.choice(["secret-f", "secret-m"], rows),
            "region": holed(rng.choice(["secret-n", "secret-e", "secret-s"], rows).tolist()),
            "zip": holed(rng.choice(["00400", "01200", "10500"], rows).tolist()),
            "code": holed(rng.integers(1, 5, rows).tolist()),
            "income": rng.lognormal(9, 1, rows).round(),
            "x": holed(rng.normal(0, 10, rows).round(3).tolist()),
        }
    )


def schema(more=None, **tables):
    """Kim's R of classes, whose arithmetic is tested here; ids are taken off before release."""
    variables = {name: {"role": "quasi_identifier"} for name in KEYS} | (more or {})
    said = {"risk": {"measure": "classes"}, "left_in": {"ignore": ["unit"]}}
    return {"variable": variables, **said, **tables}


WHOLE = schema(
    {"income": {"role": "sensitive"}, "unit": {"role": "id"}},
    indicator=[
        {"statistic": "mean", "variable": "income", "by": "sex"},
        {"statistic": "gini", "variable": "income"},
    ],
    regression=[{"formula": "income ~ x + sex"}],
    model=[{"kind": "linear", "formula": "income ~ x"}],
    loss={"groups": ["sex"]},
    propensity={"resamples": 5},
)
"""A schema for which every section has something to say."""


def explore(recipe, original=None, **choices):
    """Risk and balance alone, unless more is asked for; it can be written as JSON."""
    given = {"schema": schema(), "only": ["risk"]} | choices
    result = microgauge.explore(people() if original is None else original, recipe, **given)
    strict_json(json_text(result))
    return result


def refused(recipe, **choices):
    """The faults of a grid that must be refused."""
    with pytest.raises(InputError) as caught:
        explore(recipe, **choices)
    assert "secret" not in str(caught.value)
    return caught.value.faults


def tries(*steps, **more):
    grid = Grid.load({"step": list(steps), **more})
    assert not grid.faults
    return grid.tries


def shares_of(found, place=0):
    return [one.content["step"][place].get("share") for one in found]


def said(result):
    return [c.settings for c in result.candidates]


def figures(result):
    """All that is said of each candidate, but for the places of its tables."""
    return [without_paths(c.assessment) for c in result.candidates]


@pytest.fixture
def counted(monkeypatch):
    """The settings of the candidates that are measured, one after the other."""
    found = []
    real = working.Work.measured

    def measured(self, tried):
        found.append(tried.settings)
        return real(self, tried)

    monkeypatch.setattr(working.Work, "measured", measured)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with an original and a schema."""
    monkeypatch.chdir(tmp_path)
    people().write_csv("original.csv")
    Path("schema.toml").write_text(
        "".join(f'[variable.{name}]\nrole = "quasi_identifier"\n' for name in KEYS)
        + '[risk]\nmeasure = "classes"\n[left_in]\nignore = ["unit"]\n'
    )
    return tmp_path


GRID = """\
seed = 3
[[step]]
method = "swap"
variable = "income"
share = { grid = [0.1, 0.3] }
"""


def command(recipe=GRID, *more, original="original.csv", only="risk"):
    if recipe is not None:
        Path("grid.toml").write_text(recipe, encoding="utf-8")
    return main(
        ["explore", original, "--recipe", "grid.toml", "--schema", "schema.toml", "--workers", "1",
         *(("--only", only) if only else ()), *more]
    )  # fmt: skip


# -- the grid --------------------------------------------------------------------------------------


def test_a_plain_recipe_is_one_candidate():
    recipe = {"seed": 4, "step": [SWAP]}
    (only,) = Grid.load(recipe).tries
    assert (only.name, only.settings, only.content) == ("1", {}, recipe)
    result = explore(recipe)
    assert [c.name for c in result.candidates] == ["1"]
    assert result.candidates[0].recipe == recipe
    assert result.explored


def test_a_recipe_without_a_seed_says_the_seed_it_has():
    assert tries(SWAP)[0].content["seed"] == 1


def test_all_combinations_the_last_axis_fastest():
    found = tries(
        SWAP | {"share": {"grid": [0.3, 0.1]}},
        {"method": "noise", "variable": "x", "share": {"grid": [1, 2, 3]}},
    )
    assert [one.settings for one in found] == [
        {"income share": a, "x share": b} for a in (0.3, 0.1) for b in (1, 2, 3)
    ]
    assert [one.name for one in found] == ["1", "2", "3", "4", "5", "6"]


def test_names_are_numbers_of_one_length():
    found = tries(SWAP | {"share": {"grid": [i / 100 for i in range(100)]}})
    assert [one.name for one in found] == [f"{i:03d}" for i in range(1, 101)]


def test_the_order_named_axes_then_the_seed_then_steps():
    found = tries(
        SWAP | {"share": {"grid": "much"}},
        {"method": "noise", "variable": "x", "share": {"grid": [1, 2]}},
        grid={"much": [0.1, 0.2]},
        seed={"grid": [7, 8]},
    )
    assert [tuple(one.settings.values()) for one in found] == list(
        itertools.product([0.1, 0.2], [7, 8], [1, 2])
    )
    assert list(found[0].settings) == ["much", "seed", "x share"]
    assert [one.content["seed"] for one in found[:3]] == [7, 7, 8]


def test_a_named_axis_moves_all_that_share_it():
    found = tries(
        SWAP | {"share": {"grid": "much"}},
        {"method": "pram", "variable": "sex", "keep": {"grid": "much"}},
        grid={"much": [0.1, 0.4, 0.9]},
    )
    assert [one.settings for one in found] == [{"much": v} for v in (0.1, 0.4, 0.9)]
    assert all(a["share"] == b["keep"] for a, b in (one.content["step"] for one in found))


def test_a_named_axis_may_have_words():
    found = tries(
        SWAP | {"share": {"grid": "much"}},
        grid={"much": {"grid": [0.1, 0.9], "names": ["little", "nearly all"]}},
    )
    assert [one.settings for one in found] == [{"much": "little"}, {"much": "nearly all"}]
    assert shares_of(found) == [0.1, 0.9]


def test_a_seed_may_be_a_named_axis():
    found = tries(SWAP, seed={"grid": "draw"}, grid={"draw": [3, 4]})
    assert [(one.settings, one.content["seed"]) for one in found] == [
        ({"draw": 3}, 3),
        ({"draw": 4}, 4),
    ]


def test_seeds_give_other_draws():
    result = explore({"seed": {"grid": [1, 2, 3]}, "step": [SWAP]})
    assert said(result) == [{"seed": 1}, {"seed": 2}, {"seed": 3}]
    assert len({c.utility for c in result.candidates}) == 3


def test_words_of_values():
    def words(**grid):
        return [one.settings["income share"] for one in tries(SWAP | {"share": grid})]

    assert words(grid=[0.1, 2, True]) == [0.1, 2, True]
    assert words(grid=[["a", "b"], ["c"], []]) == ["a+b", "c", ""]
    assert words(grid=[[1, 2], {"a": 1}, [["a"]]]) == ["1/2", "#2", "#3"]
    assert words(grid=[[0, 18.5, 65], [*range(7)], [True]]) == ["0/18.5/65", "#2", "#3"]
    assert words(grid=[[1], "1"]) == ["#1", "#2"]
    assert words(grid=[[1, 2], {"a": 1}], names=["wide", "narrow"]) == ["wide", "narrow"]


def test_lists_of_variables_may_be_tried():
    found = tries({"method": "swap", "share": 0.2, "variables": {"grid": [["x"], ["x", "income"]]}})
    assert [one.settings for one in found] == [
        {"swap variables": "x"},
        {"swap variables": "x+income"},
    ]


def test_breaks_and_maps_may_be_tried():
    result = explore(
        {
            "step": [
                {"method": "recode", "variable": "age",
                 "breaks": {"grid": [[0, 40], [0, 20, 40, 60, 80]], "names": ["wide", "narrow"]}},
                {"method": "recode", "variable": "sex",
                 "map": {"grid": [{"secret-f": "a"}, {"secret-f": "z", "secret-m": "z"}]}},
            ]
        }
    )  # fmt: skip
    assert said(result) == [
        {"age breaks": a, "sex map": b} for a in ("wide", "narrow") for b in ("#1", "#2")
    ]
    assert result.frontier[0] == "2"


def test_equal_values_are_tried_once():
    assert shares_of(tries(SWAP | {"share": {"grid": [0.1, 0.3, 0.1, 0.10, 0.3]}})) == [0.1, 0.3]
    assert len(tries(SWAP | {"share": {"grid": [0.1]}})) == 1


def test_two_steps_that_are_the_same_are_tried_once():
    either = {"either": [SWAP, dict(reversed(SWAP.items())), SWAP | {"share": 0.9}]}
    assert shares_of(tries(either)) == [0.2, 0.9]


def test_a_step_with_and_without():
    found = tries(SWAP | {"share": {"grid": [0.1, 0.3, 0.5]}, "skip": ON_OFF})
    assert [one.settings for one in found] == [
        {"income swap": "no"},
        *({"income swap": "yes", "income share": share} for share in (0.1, 0.3, 0.5)),
    ]
    assert found[0].content["step"] == [{"method": "swap", "skip": True}]
    assert all("skip" not in one.content["step"][0] for one in found[1:])


def test_a_skipped_step_is_one_candidate_whatever_its_parameters():
    many = {"grid": [i / 40 for i in range(40)]}
    found = tries(SWAP | {"share": many, "skip": ON_OFF}, SWAP | {"variable": "x", "skip": ON_OFF})
    assert len(found) == (40 + 1) * 2


def test_a_step_skipped_for_good():
    (only,) = tries(SWAP | {"skip": True, "share": {"grid": [0.1, 0.2]}})
    assert only.content["step"] == [{"method": "swap", "skip": True}]


def test_skipping_by_a_named_axis():
    found = tries(
        SWAP | {"skip": {"grid": "without"}},
        {"method": "noise", "variable": "x", "share": 1, "skip": {"grid": "without"}},
        grid={"without": [False, True]},
    )
    assert [[s.get("skip", False) for s in one.content["step"]] for one in found] == [
        [False, False],
        [True, True],
    ]


def test_one_of_several_steps():
    found = tries(
        {
            "either": [
                SWAP | {"share": {"grid": SHARES}},
                {"method": "microaggregation", "variable": "income", "g": {"grid": [3, 5]}},
            ]
        },
        {"method": "noise", "variable": "x", "share": {"grid": [1, 2]}},
    )
    assert [tuple(one.settings.values()) for one in found[::2]] == [
        ("swap", 0.1, 1),
        ("swap", 0.3, 1),
        ("microaggregation", 3, 1),
        ("microaggregation", 5, 1),
    ]
    assert len(found) == 8
    assert all("either" not in step for one in found for step in one.content["step"])


def test_methods_may_be_tried_by_name():
    found = tries({"method": {"grid": ["swap", "suppress"]}, "variable": "x", "share": 0.1})
    assert [one.settings for one in found] == [{"x method": "swap"}, {"x method": "suppress"}]


def test_axes_of_one_name_get_the_number_of_their_step():
    found = tries(SWAP | {"share": {"grid": SHARES}}, SWAP, SWAP | {"share": {"grid": SHARES}})
    assert list(found[0].settings) == ["income share (step 1)", "income share (step 3)"]
    assert len({tuple(one.settings.values()) for one in found}) == 4


UNLIKE = {
    "two steps of one method skipped": [SWAP | {"skip": ON_OFF}, SWAP | {"skip": ON_OFF}],
    "one method twice": [{"either": [SWAP, SWAP | {"share": 0.4}]}],
    "either twice": [
        {"either": [SWAP, {"method": "noise", "variable": "income", "share": 1}]},
        {"either": [SWAP, {"method": "noise", "variable": "income", "share": 1}]},
    ],
}


@pytest.mark.parametrize("steps", UNLIKE.values(), ids=UNLIKE)
def test_settings_tell_candidates_apart(steps):
    found = tries(*steps)
    assert len({json.dumps(one.settings, sort_keys=True) for one in found}) == len(found)


def test_a_named_axis_called_like_another():
    found = tries(SWAP | {"share": {"grid": "seed"}}, grid={"seed": SHARES}, seed={"grid": [1, 2]})
    assert len({tuple(one.settings.items()) for one in found}) == len(found) == 4


def test_words_that_do_not_tell_values_apart_are_refused():
    assert Grid.load({"step": [SWAP | {"share": {"grid": SHARES, "names": ["a", "a"]}}]}).faults


def test_a_skipped_step_says_nothing_of_a_named_axis():
    found = tries(SWAP | {"share": {"grid": "much"}, "skip": ON_OFF}, grid={"much": SHARES})
    assert found[0].content["step"][0]["skip"]
    assert found[0].settings == {"income swap": "no"}


def test_what_is_skipped_is_the_same_whatever_its_method():
    other = {"method": "noise", "variable": "income", "share": 1}
    found = tries({"either": [SWAP | {"skip": ON_OFF}, other | {"skip": ON_OFF}]})
    assert sum(one.content["step"][0].get("skip", False) for one in found) == 1


def test_as_many_candidates_as_are_allowed():
    steps = [SWAP | {"share": {"grid": [i / 2000 for i in range(MOST_CANDIDATES)]}}]
    assert len(Grid.load({"step": steps}).tries) == MOST_CANDIDATES == 1_000
    (fault,) = Grid.load({"step": steps, "seed": {"grid": [1, 2]}}).faults
    assert "2,000 candidates; at most 1,000" in fault


def test_a_huge_grid_is_refused_and_not_expanded():
    steps = [SWAP | {"share": {"grid": [i / 2000 for i in range(900)]}}] * 12
    grid = Grid.load({"step": steps})
    assert "at most 1,000" in grid.faults[0]
    assert len(grid.tries) <= 4 * MOST_CANDIDATES


values = st.lists(st.integers(0, 9).map(lambda n: n / 10), min_size=1, max_size=4)


@given(st.lists(st.tuples(values, st.booleans()), min_size=1, max_size=3), st.lists(
    st.integers(0, 3), min_size=1, max_size=2))  # fmt: skip
@MANY
def test_a_grid_is_the_product_of_its_values(axes, seeds):
    steps = [
        {"method": "swap", "variable": f"v{i}", "share": {"grid": shares}}
        | ({"skip": {"grid": [False, True]}} if skipped else {})
        for i, (shares, skipped) in enumerate(axes)
    ]
    sizes = [len(shares) * (1 + skipped) for shares, skipped in axes]
    assume(np.prod(sizes) * len(seeds) <= MOST_CANDIDATES)
    found = tries(*steps, seed={"grid": seeds})
    options = [
        list(dict.fromkeys([*shares, *([None] if skipped else [])])) for shares, skipped in axes
    ]
    wanted = list(itertools.product(dict.fromkeys(seeds), *options))
    got = [
        (one.content["seed"], *(step.get("share") for step in one.content["step"])) for one in found
    ]
    assert sorted(got, key=str) == sorted(wanted, key=str)
    assert len({json.dumps(one.settings) for one in found}) == len(found)
    assert "grid" not in json.dumps([one.content for one in found])


junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from(["", "grid", "swap", "income", "much", "secret", 0.5, NAN, INFINITY]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["grid", "names", "method", "variable", "share", "skip", "either", "map"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(st.fixed_dictionaries(
    {"step": junk | st.lists(junk, max_size=3)},
    optional={"grid": junk, "seed": junk, "sede": junk},
))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_grids_of_junk_give_a_ranking_or_a_refusal(content):
    faults = []
    try:
        explore(content, original=people(30))
    except InputError as error:
        faults += error.faults
    assert not says(faults, "secret-")


# -- faults ----------------------------------------------------------------------------------------

STEP = '[[step]]\nmethod = "swap"\nvariable = "income"\nshare = 0.1\n'

FAULTS = {
    "nothing": ("", ["needs steps"]),
    "no step": ("seed = 1\n[grid]\na = [1]", ["needs steps", '"a" is not used']),
    "a step that is no list": ('[step]\nmethod = "swap"', ["needs steps"]),
    "steps that are no tables": ('step = ["swap", 3]', ["step 1 must be a table", "step 2 must"]),
    "method": (STEP.replace("swap", "swop"), ['"swop"', 'Did you mean "swap"?']),
    "method in a grid": (
        STEP.replace('"swap"', '{ grid = ["swap", "swop"] }'),
        ['"swop"', 'Did you mean "swap"?'],
    ),
    "variable": (STEP.replace("income", "incme"), ['Did you mean "income"?']),
    "variable in a grid": (
        STEP.replace('"income"', '{ grid = ["income", "incme"] }'),
        ['no variable "incme"', 'Did you mean "income"?'],
    ),
    "parameter": (STEP.replace("share", "shar"), ['Did you mean "share"?']),
    "parameter with a grid": (
        STEP.replace("share = 0.1", "shar = { grid = [0.1, 0.2] }"),
        ['Did you mean "share"?'],
    ),
    "a share above 1": (STEP.replace("0.1", "{ grid = [0.1, 1.5] }"), ["from 0 to 1"]),
    "a share below 0": (STEP.replace("0.1", "{ grid = [-0.1, 1] }"), ["from 0 to 1"]),
    "a share of text": (STEP.replace("0.1", '{ grid = [0.1, "0.2"] }'), ["must be a number"]),
    "text for numbers": (
        STEP.replace("swap", "noise").replace("income", "sex"),
        ['"sex" is a category'],
    ),
    "unused": (STEP + "[grid]\nmuch = [0.1]", ['[grid] "much" is not used']),
    "unknown": (
        STEP.replace("0.1", '{ grid = "mch" }') + "[grid]\nmuch = [0.1]",
        ['[grid] has no "mch"', 'Did you mean "much"?', '"much" is not used'],
    ),
    "unknown, without [grid]": (
        STEP.replace("0.1", '{ grid = "much" }'),
        ['income share: [grid] has no "much"'],
    ),
    "empty": (STEP.replace("0.1", "{ grid = [] }"), ["income share", "list of values"]),
    "empty by name": (
        STEP.replace("0.1", '{ grid = "much" }') + "[grid]\nmuch = []",
        ["much: grid must be a list of values"],
    ),
    "no list": (STEP.replace("0.1", "{ grid = 0.1 }"), ["income share", "list of values"]),
    "no list by name": (
        STEP.replace("0.1", '{ grid = "much" }') + "[grid]\nmuch = 0.1",
        ["much: grid must be a list of values"],
    ),
    "too few names": (
        STEP.replace("0.1", '{ grid = [0.1, 0.2], names = ["a"] }'),
        ["income share", "as many as the 2 values"],
    ),
    "names that are a word": (
        STEP.replace("0.1", '{ grid = [0.1, 0.2], names = "ab" }'),
        ["income share", "as many as the 2 values"],
    ),
    "an entry of a grid": (
        STEP.replace("0.1", '{ grid = [0.1], name = ["a"] }'),
        ['income share: a grid has no "name"'],
    ),
    "[grid] is no table": ("grid = [1]\n" + STEP, ["[grid] must be a table"]),
    "either is no list": (
        '[[step]]\neither = { method = "swap" }',
        ["step 1: either must be a list of steps"],
    ),
    "either is empty": ("[[step]]\neither = []", ["step 1: either must be a list of steps"]),
    "either beside others": (
        STEP + 'either = [{ method = "swap", variable = "x", share = 0.1 }]',
        ["step 1: either must be a list of steps, and all of it"],
    ),
    "either of words": ('[[step]]\neither = ["swap"]', ["step 1 must be a table"]),
    "either in either": (
        '[[step]]\neither = [{ either = [{ method = "swap" }] }]',
        ["step 1 has no method"],
    ),
    "seed": ("seed = -1\n" + STEP, ["seed must be a whole number"]),
    "seed in a grid": ('seed = { grid = [1, "2"] }\n' + STEP, ["seed must be a whole number"]),
    "a seed of truth": ("seed = { grid = [true] }\n" + STEP, ["seed must be a whole number"]),
    "half a seed": ("seed = { grid = [1, 1.5] }\n" + STEP, ["seed must be a whole number"]),
    "skip": (STEP + 'skip = "no"', ["skip must be true or false"]),
    "top level": ("sede = 1\n" + STEP, ['no "sede"', 'Did you mean "seed"?']),
    "too many": (
        STEP.replace("0.1", f"{{ grid = [{', '.join(str(i / 2000) for i in range(1001))}] }}"),
        ["1,001 candidates", "1,000"],
    ),
    "not TOML": ("[[step", ["not valid TOML"]),
}


@pytest.mark.parametrize(("recipe", "words"), FAULTS.values(), ids=FAULTS)
def test_the_command_refuses_and_writes_nothing(folder, capsys, recipe, words):
    before = sorted([*(p.name for p in folder.iterdir()), "grid.toml"])
    said = complaint(capsys, command(recipe, "-o", "best.toml", "--json", "r.json"))
    for word in words:
        assert word in said
    assert "secret" not in said
    assert sorted(p.name for p in folder.iterdir()) == before


@pytest.mark.parametrize("given", [["yes", "no"], [1, 0], ["true"]])
def test_skip_in_a_grid_must_be_true_or_false(given):
    assert says(refused({"step": [SWAP | {"skip": {"grid": given}}]}), "skip must be true or false")


def test_a_named_axis_without_values_is_refused():
    assert says(refused({"grid": {"much": {"names": ["a"]}}, "step": [SWAP]}), "much")


def test_names_of_a_named_axis_go_with_it():
    share = {"grid": "much", "names": ["a", "b"]}
    content = {"grid": {"much": SHARES}, "step": [SWAP | {"share": share}]}
    assert says(refused(content), "names")


def test_a_fault_of_a_named_axis_is_told_once():
    content = {"grid": {"much": []}, "step": [SWAP | {"share": {"grid": "much"}}]}
    assert len(refused(content)) == 1


def test_a_step_that_is_no_table_is_told_once():
    assert len(refused({"step": ["swap"]})) == 1


def test_a_grid_within_a_map_is_refused():
    given = {"secret-n": {"grid": ["a", "b"]}}
    refused({"step": [{"method": "recode", "variable": "region", "map": given}]})


@pytest.mark.parametrize(
    "more",
    [
        {"method": "recode", "map": {"grid": "network", "road": "network"}},
        {"method": "recode", "map": {"grid": "network"}},
        {"method": "recode", "map": {"grid": 3}},
    ],
)
def test_a_category_called_grid(more):
    frame = pl.DataFrame({"kind": ["grid", "road", "grid"] * 10, "n": range(30)})
    given = {"variable": {"kind": {"role": "quasi_identifier"}}}
    recipe = {"step": [{"variable": "kind", **more}]}
    result = explore(recipe, original=frame, schema=given)
    (only,) = result.candidates
    assert only.recipe == {"seed": 1, **recipe}
    assert without_paths(only.assessment) == without_paths(
        assess(
            frame,
            mask(frame, recipe),
            schema=given,
            only=["left_in", "disclosure", "risk", "rut", "tables"],
        )
    )


@pytest.mark.parametrize(
    "more",
    [
        {"method": "pram", "matrix": {"grid": {"grid": 0.5, "road": 0.5}}},
        {"method": "recode", "map": {"grid": {"a": "b"}}},
        {"method": "recode", "map": {"grid": ({"grid": "a"}, {"grid": "b"})}},
    ],
)
def test_a_category_called_grid_in_a_table(more):
    Grid.load({"step": [{"variable": "kind", **more}]})


def test_a_map_with_keys_of_several_types():
    recipe = {"step": [{"method": "recode", "variable": "code", "map": {1: "low", "2": "low"}}]}
    assert mask(people(), recipe)["code"].null_count() == people()["code"].null_count()
    explore(recipe)


def test_faults_of_all_recipes_and_of_the_schema_are_told_at_once():
    faults = refused(
        {
            "seed": {"grid": [1, -1]},
            "sede": 3,
            "step": [
                {"method": "swap", "variable": {"grid": ["x", "xx"]}, "share": {"grid": [0.5, 7]}},
                {"method": "nois", "variable": "x"},
                {"method": "swap", "variable": "sexx", "shar": 0.1},
            ],
        },
        schema={"variable": {"age": {"rol": "quasi_identifier"}}},
    )
    for words in (
        ["seed must be"], ['no "sede"'], ["step 1", '"xx"'], ["step 1", "from 0 to 1"],
        ["step 2", '"nois"'], ["step 3", '"shar"'], ["step 3", '"sexx"'], ["rol"],
        ["quasi_identifier"],
    ):  # fmt: skip
        assert says(faults, *words), words
    assert len(set(faults)) == len(faults)


def test_faults_of_the_grid_and_of_recipes_are_told_at_once():
    faults = refused(
        {
            "grid": {"unused": [1]},
            "sede": 3,
            "step": [
                SWAP | {"share": {"grid": []}},
                {"method": "nois", "variable": "x"},
                {"method": "swap", "variable": "sexx", "share": {"grid": [7, 0.1]}},
            ],
        },
        schema=schema({"age": {"rol": "x"}}),
    )
    for words in (
        ["unused"], ['"sede"'], ["income share"], ["step 2", '"nois"'], ["step 3", '"sexx"'],
        ["step 3", "from 0 to 1"], ["rol"],
    ):  # fmt: skip
        assert says(faults, *words), words


def test_faults_of_all_values_are_told_with_those_of_the_grid():
    steps = [SWAP | {"share": {"grid": []}}, SWAP | {"share": {"grid": [0.1, 7]}}]
    assert says(refused({"step": steps}), "step 2", "from 0 to 1")


def test_a_fault_of_the_seed_is_told_with_those_of_the_grid():
    content = {"seed": -1, "step": [SWAP | {"share": {"grid": []}}]}
    assert says(refused(content), "seed must be")


def test_other_faults_of_a_step_are_told_with_those_of_its_grid():
    content = {"step": [SWAP | {"variable": "incme", "share": {"grid": []}}]}
    assert says(refused(content), 'Did you mean "income"?')


def test_steps_after_a_malformed_either_keep_their_number():
    faults = refused({"step": [{"either": []}, SWAP | {"variable": "incme"}]})
    assert says(faults, "step 1: either")
    assert says(faults, "step 2 (swap)", '"incme"')


def test_too_many_candidates_are_told_with_other_faults():
    grid = {"grid": [i / 2000 for i in range(1001)]}
    faults = refused({"sede": 1, "step": [SWAP | {"share": grid}]})
    assert says(faults, "1,001")
    assert says(faults, "sede")


def test_a_damaged_recipe_is_called_a_recipe(folder, capsys):
    assert command("[[step") == 2
    assert "schema" not in capsys.readouterr().err


@pytest.mark.parametrize("recipe", [None, 3, [SWAP], "no.toml", Path("no.toml")])
def test_what_is_no_recipe_is_refused(recipe):
    assert says(refused(recipe), "recipe")


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", []])
def test_workers_are_a_whole_number(workers):
    assert says(refused(TWO, workers=workers), "workers must be a whole number")


def test_choices_that_cannot_be_are_refused():
    assert says(refused(TWO, max_risk=3), "max_risk")
    assert says(refused(TWO, preset="all"), "preset")
    assert says(refused(TWO, only=["nothing"]), "nothing")
    assert says(refused(TWO, schema={}), 'role = "quasi_identifier"')
    assert says(refused(TWO, schema={"variable": {"agee": {"role": "quasi_identifier"}}}), "agee")


def test_the_command_refuses_what_cannot_be(folder, capsys):
    for more in (
        ["--workers", "0"], ["--max-risk", "2"], ["--only", "nothing"], ["--json", "."],
        ["-o", "nowhere/best.toml"], ["--map", "nowhere/map.png"],
    ):  # fmt: skip
        assert command(GRID, *more) == 2
        assert capsys.readouterr().err.startswith("microgauge: ")
    assert command(GRID, original="orignal.csv") == 2
    assert "orignal.csv" in capsys.readouterr().err
    assert not Path("grid-explored").exists()


def test_a_candidate_that_cannot_be_measured_is_refused_in_workers_as_without():
    steps = [{"method": "sample", "share": {"grid": [1.0, 0.5]}}]
    given = schema(options={"aligned": True})
    one, two = (refused({"step": steps}, schema=given, workers=n) for n in (1, 2))
    assert one == two
    assert says(two, "aligned = true")


# -- the same figures as of files ------------------------------------------------------------------

MADE = {
    "grid": {"much": [0.1, 0.4]},
    "seed": 11,
    "step": [
        {
            "either": [
                {"method": "recode", "variable": "age", "breaks": [0, 30, 60]},
                {"method": "recode", "variable": "zip", "prefix": {"grid": [2]}},
                {"method": "pram", "variables": ["code", "zip", "sex"], "keep": 0.7},
                {"method": "microaggregation", "variables": ["income", "x"], "g": 3},
                {"method": "local_suppression", "variables": list(KEYS), "k": 2},
            ]
        },
        {"method": "suppress", "variable": "region", "share": {"grid": "much"}},
        {"method": "swap", "variables": ["income", "zip"], "share": {"grid": "much"}},
    ],
}


def written(kind):
    """The original as a file of some kind."""
    name = f"original.{SUFFIX.get(kind, kind)}"
    write(people(), Path(name), kind)
    return name


@pytest.mark.parametrize("key", [None, "unit"])
@pytest.mark.parametrize("kind", ["csv", "na", "parquet"])
def test_figures_are_those_of_files_that_mask_writes(folder, kind, key):
    original = written(kind)
    steps = MADE if (kind, key) == ("csv", None) else MADE | {"grid": {"much": [0.4]}}
    choices = {"schema": schema(), "key": key, "only": ["left_in", "gdu", "tables", "risk", "rut"]}
    result = explore(steps, original=original, **choices)
    files = []
    for candidate in result.candidates:
        files.append(f"{candidate.name}.{SUFFIX.get(kind, kind)}")
        mask(original, candidate.recipe, files[-1])
        there = without_paths(assess(original, files[-1], **choices))
        assert differences(without_paths(candidate.assessment), there) == []
        assert candidate.assessment.inputs.original.path == original
        assert candidate.assessment.inputs.protected.path == candidate.name
    ranked = microgauge.rank(original, files, names=[c.name for c in result.candidates], **choices)
    assert len(files) == len(set(files)) == 5 * len(steps["grid"]["much"])
    for name in ("frontier", "recommended", "sweep", "stable", "original_risk", "notes"):
        assert getattr(result, name) == getattr(ranked, name)


@pytest.mark.parametrize("kind", ["sav", "xlsx"])
def test_figures_of_labelled_files_and_workbooks_are_those_of_files(folder, kind):
    original = f"original.{kind}"
    if kind == "sav":
        pyreadstat.write_sav(
            people(),
            original,
            variable_value_labels={"code": {1: "one", 2: "two", 3: "three", 4: "four"}},
            variable_measure={"code": "ordinal", "age": "scale"},
        )
    else:
        people().write_excel(original, worksheet="people")
    choices = {"schema": schema(), "only": ["left_in", "gdu", "tables", "loss", "risk", "rut"]}
    swapped = {"method": "swap", "variable": {"grid": ["income", "code", "zip"]}, "share": 0.3}
    for candidate in explore({"step": [swapped]}, original=original, **choices).candidates:
        mask(original, candidate.recipe, "out.parquet")
        there = without_paths(assess(original, "out.parquet", **choices))
        assert differences(without_paths(candidate.assessment), there) == []


def test_the_original_is_read_once_and_only_what_changes_is_coded_again(folder, monkeypatch):
    read, coded = [], []
    held, encode = Source.held, reading.encode
    monkeypatch.setattr(Source, "held", lambda self: read.append(self.name) or held(self))
    monkeypatch.setattr(reading, "encode", lambda cells: coded.append(cells.name) or encode(cells))
    steps = [SWAP | {"variable": "income", "share": {"grid": [0.1, 0.2, 0.3]}}]
    explore({"step": steps}, original="original.csv")
    assert read == ["original.csv"]
    assert sorted(coded) == sorted([*people().columns, *["income"] * 3])
    coded.clear()
    explore({"step": [*steps, {"method": "sample", "share": 0.9}]}, original="original.csv")
    assert len(coded) == 4 * people().width  # other rows: nothing is the same


def test_columns_that_are_the_same_keep_their_codes():
    before = people().with_columns(listed=pl.lit([1, 2]), empty=pl.lit(None))
    table = coded_table(Held.of("before", before), "original", "unit")
    after = before.with_columns(age=before["age"].reverse(), x=pl.col("x").cast(pl.Float32))
    found = changed_table("after", after, before, table, "unit")
    anew = coded_table(Held.of("after", after), "protected", "unit")
    assert list(found.columns) == list(anew.columns)
    assert found.unsupported == anew.unsupported
    assert (found.name, found.rows) == (anew.name, anew.rows)
    for name, column in found.columns.items():
        kept = column.codes is table.columns[name].codes
        assert kept == (name not in ("age", "x"))
        assert np.array_equal(column.codes[:], anew.columns[name].codes[:])
        assert list(column.values) == list(anew.columns[name].values)


def test_figures_of_a_data_frame_are_those_of_its_file(folder):
    one = explore(TWO, only=["gdu"])
    two = explore(TWO, original=written("parquet"), only=["gdu"])
    assert figures(one) == figures(two)
    assert figures(explore(TWO, original=people().to_pandas(), only=["risk"])) == figures(
        explore(TWO, original=people().to_pandas(), only=["risk"], folder="kept")
    )


def test_figures_of_every_section_are_those_of_a_file(folder):
    original = written("csv")
    people(50, 9).write_csv("known.csv")
    steps = {"step": [SWAP | {"share": {"grid": SHARES}}, {"method": "sample", "share": 0.9}]}
    choices = {"schema": WHOLE, "key": "unit", "external": "known.csv", "population": "known.csv"}
    result = explore(steps, original=original, only=None, **choices)
    for candidate in result.candidates:
        mask(original, candidate.recipe, "out.csv")
        there = without_paths(assess(original, "out.csv", **choices))
        assert differences(without_paths(candidate.assessment), there) == []
        assert None not in (candidate.assessment.gdu, candidate.assessment.propensity)


def test_a_candidate_does_not_depend_on_columns_that_others_name(folder):
    rng = np.random.default_rng(1)
    cells = rng.choice(["1", "2.5", "3", "NaN"], people().height)
    people().with_columns(n=pl.Series(cells)).write_csv("original.csv")
    grid = {"step": [{"method": "swap", "variable": {"grid": ["income", "n"]}, "share": 0.2}]}
    first = explore(grid, original="original.csv").candidates[0]
    mask("original.csv", first.recipe, "out.csv")
    there = assess(
        "original.csv", "out.csv", schema=schema(), only=["left_in", "tables", "risk", "rut"]
    )
    assert without_paths(first.assessment) == without_paths(there)


def test_a_large_original_is_the_same(folder, monkeypatch):
    wanted = explore(TWO, original="original.csv", only=["gdu"])
    monkeypatch.setattr("microgauge.tables.streaming.SHARE", 1 << 60)  # nothing fits into memory
    assert figures(explore(TWO, original="original.csv", only=["gdu"])) == figures(wanted)


def test_a_large_original_goes_to_workers(folder, monkeypatch):
    wanted = explore(TWO, original="original.csv")
    monkeypatch.setattr("microgauge.tables.streaming.SHARE", 1 << 60)
    assert figures(explore(TWO, original="original.csv", workers=2)) == figures(wanted)


def noisy(skip, share=0.3):
    return {
        "seed": 5,
        "step": [
            SWAP | {"share": share, "skip": skip},
            {"method": "noise", "variable": "x", "share": 0.5},
        ],
    }


def test_a_skipped_step_leaves_the_chance_of_the_others_alone():
    taken, skipped = mask(people(), noisy(skip=False)), mask(people(), noisy(skip=True))
    assert taken["x"].equals(skipped["x"])
    assert skipped["income"].equals(people()["income"])
    assert not taken["income"].equals(people()["income"])
    found = explore(noisy(skip=ON_OFF, share={"grid": SHARES}), only=["gdu"])
    of_x = {
        next(v.statistic for v in c.assessment.gdu.variables if v.name == "x")
        for c in found.candidates
    }
    assert len(found.candidates) == 3
    assert len(of_x) == 1


def test_a_step_after_either_has_the_same_chance_whichever_is_taken():
    steps = [{"either": [SWAP, {"method": "sample", "share": 1.0}]}, noisy(skip=False)["step"][1]]
    one, two = (mask(people(), t.content) for t in tries(*steps))
    assert one["x"].equals(two["x"])


# -- recipes as files ------------------------------------------------------------------------------

HOSTILE = [
    '"', "'", "\\", "\\n", "\n", "\r\n", "\t", "\0", "\x1b[2J", "\x1f", "\x7f", "\x80", "\x9f",
    "\u2028", "\u202e", "\ufeff", "😀", "e\u0301", "", " ", "#", "a.b", "a = b", "[[step]]", '"""',
    "'''", "\\u0041", "\U0010ffff",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_recipe_with_hostile_texts_is_read_as_it_was_written(folder, text):
    frame = pl.DataFrame({f"v{text}": ["a", text, "b"], "n": [1, 2, 3]})
    given = {"a": text, text: f"{text}x{text}", f"k{text}": "y"}
    step = {"method": "recode", "variable": f"v{text}", "map": given}
    content = {"seed": 2, "step": [step]}
    Path("best.toml").write_text(recipe_toml(content), encoding="utf-8", newline="")
    assert tomllib.loads(Path("best.toml").read_bytes().decode()) == content
    assert Recipe.load("best.toml") == Recipe.load(content)
    assert mask(frame, "best.toml").equals(mask(frame, content))


plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
finite = st.floats(allow_nan=False, allow_infinity=False)
leaf = plain | st.booleans() | st.integers(-(2**70), 2**70) | finite
contents = st.recursive(
    leaf,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=8,
)


@given(st.integers(0), st.lists(st.dictionaries(st.sampled_from(["map", "share", "k"]), contents)))
@MANY
def test_recipes_are_read_as_they_were_written(seed, steps):
    content = {"seed": seed, "step": [{"method": "swap", **step} for step in steps]}
    again = tomllib.loads(recipe_toml(content))
    assert again.get("step", []) == content["step"]
    assert again["seed"] == seed
    assert json.dumps(again.get("step", [])) == json.dumps(content["step"])  # 1 is not 1.0


ANY = [datetime.date(2020, 1, 2), datetime.time(1, 2), INFINITY]


@pytest.mark.parametrize("value", ANY, ids=str)
def test_a_recipe_may_hold_any_value_of_toml(value):
    recipe = {"seed": 1, "step": [{"method": "recode", "variable": "a", "map": {"b": value}}]}
    assert tomllib.loads(recipe_toml(recipe)) == recipe


@pytest.mark.parametrize("value", ANY, ids=str)
def test_a_map_to_any_value_is_kept_or_refused(folder, value):
    recipe = {"step": [{"method": "recode", "variable": "sex", "map": {"secret-f": value}}]}
    mask(people(), recipe)
    with suppress(InputError):
        explore(recipe, folder="kept")


@pytest.mark.parametrize("word", ANY, ids=str)
def test_any_word_is_kept_or_refused(folder, word):
    share = {"grid": [0.1], "names": [word]}
    with suppress(InputError):
        explore({"step": [SWAP | {"share": share}]}, folder="kept")


def test_the_command_writes_the_recommended_recipe(folder, capsys):
    recipe = (
        GRID.replace("[0.1, 0.3]", "[0.5, 0.3]")
        + '[[step]]\nmethod = "recode"\nvariable = "region"\n'
        + 'map = { grid = [{ "secret-n" = "a\\"\\\\\\n" }], names = ["some"] }\n'
    )
    assert command(recipe, "-o", "best.toml", "--json", "r.json", "--max-risk", "1") == 0
    assert "Release 2 (income share 0.3, region map some)" in " ".join(
        capsys.readouterr().out.split()
    )
    result = json.loads(Path("r.json").read_text())
    best = result["candidates"][1]
    assert result["recommended"]["name"] == best["name"] == "2"
    assert tomllib.loads(Path("best.toml").read_text()) == best["recipe"]
    assert mask("original.csv", "best.toml").equals(mask("original.csv", best["recipe"]))
    assert main(["mask", "original.csv", "--recipe", "best.toml", "-o", "out.csv"]) == 0
    there = assess(
        "original.csv", "out.csv", schema="schema.toml", only=["left_in", "tables", "risk", "rut"]
    ).to_dict()
    assert best["risk"] == there["risk"]
    assert best["rut"]["attributes"] == json.loads(json.dumps(there["rut"]["attributes"]))


def test_where_none_is_within_the_limits_no_recipe_is_written(folder, capsys):
    Path("old.toml").write_text("kept")
    for name in ("best.toml", "old.toml"):
        assert command(GRID, "-o", name, "--max-risk", "0.01", "--json", "r.json") == 1
        assert capsys.readouterr().out.startswith("Release none: no candidate has risk at most")
    assert not Path("best.toml").exists()
    assert Path("old.toml").read_text() == "kept"
    assert json.loads(Path("r.json").read_text())["recommended"]["name"] is None


def test_that_no_recipe_is_written_is_said(folder, capsys):
    assert command(GRID, "-o", "best.toml", "--max-risk", "0.01") == 1
    assert "best.toml" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["grid.toml", "./grid.toml", "schema.toml", "original.csv"])
def test_the_command_does_not_write_over_what_it_reads(folder, name):
    Path("grid.toml").write_text(GRID)
    before = Path(name).read_bytes()
    assert command(GRID, "-o", name) == 2
    assert Path(name).read_bytes() == before


# -- keeping ---------------------------------------------------------------------------------------


def test_a_second_run_measures_nothing(folder, counted):
    first = explore(TWO, folder="kept", only=["gdu"])
    assert counted == [{"income share": 0.1}, {"income share": 0.3}]
    assert len(list(Path("kept").iterdir())) == 2
    second = explore(TWO, folder="kept", only=["gdu"])
    assert len(counted) == 2
    assert second.to_dict() == first.to_dict() == explore(TWO, only=["gdu"]).to_dict()
    assert str(second) == str(first)


def test_a_wider_grid_measures_what_is_new(folder, counted):
    explore(TWO, folder="kept")
    del counted[:]
    wide = {"step": [SWAP | {"share": {"grid": [0.05, *SHARES, 0.2]}}]}
    found = explore(wide, folder="kept")
    assert counted == [{"income share": 0.05}, {"income share": 0.2}]
    assert found.to_dict() == explore(wide).to_dict()
    assert [c.assessment.inputs.protected.path for c in found.candidates] == ["1", "2", "3", "4"]
    del counted[:]
    explore({"step": [SWAP | {"share": 0.2}]}, folder="kept")  # the same, without a grid
    assert counted == []


def test_names_of_axes_and_words_do_not_matter(folder, counted):
    explore(TWO, folder="kept")
    share = {"grid": "much"}
    words = {"grid": SHARES[::-1], "names": ["more", "less"]}
    found = explore({"grid": {"much": words}, "step": [SWAP | {"share": share}]}, folder="kept")
    assert len(counted) == 2
    assert said(found) == [{"much": "more"}, {"much": "less"}]


BALANCES = {
    "max_risk": {"max_risk": 0.99},
    "no risk is low enough": {"max_risk": 0.01},
    "min_utility": {"min_utility": 0.999},
    "both": {"max_risk": 1.0, "min_utility": 0.5},
    "preset": {"preset": "public"},
    **{
        f"rut {rut}": {"schema": schema(rut=rut)}
        for rut in (
            {"alpha": 0.9},
            {"beta": 0.9},
            {"form": "ratio"},
            {"form": "difference", "alpha": 0.2},
            {"utility": "ratio"},
            {"utility": [0.2, 0.8]},
            {"combine": "max"},
            {"preset": "sharing", "max_risk": 0.9},
        )
    },
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with a finished exploration of two candidates."""
    found = tmp_path_factory.mktemp("kept")
    explore(TWO, folder=found)
    return found


@pytest.mark.parametrize("choices", BALANCES.values(), ids=BALANCES)
def test_other_limits_and_weights_measure_nothing(kept, counted, choices):
    found = explore(TWO, folder=kept, **choices)
    assert counted == []
    wanted = explore(TWO, **choices)
    assert len(counted) == 2
    assert found == wanted
    assert str(found) == str(wanted)
    assert found.to_dict() != explore(TWO, folder=kept).to_dict()


CHANGES = {
    "a type": {"schema": schema({"code": {"type": "ordinal"}})},
    "a role": {"schema": schema({"code": {"role": "quasi_identifier"}})},
    "a missing code": {"schema": schema({"code": {"missing": [4]}})},
    "a weight of utility": {"schema": schema({"code": {"rut_weight": 2.0}})},
    "how errors are divided": {"schema": schema(rut={"lmax": "rule"})},
    "the seed of measures": {"schema": schema(options={"seed": 2})},
    "a key": {"key": "unit"},
    "sections": {"only": ["gdu"]},
    "an external table": {"external": people(40)},
    "a population": {"population": people(400)},
    "a cell": {"original": people().with_columns(age=pl.col("age").shuffle(1))},
    "a name": {"original": people().rename({"code": "codes"})},
    "a type of the table": {"original": people().with_columns(pl.col("code").cast(pl.Float64))},
    "the order of records": {"original": people().reverse()},
    "a missing cell": {"original": people().with_columns(pl.col("x").fill_null(0.0))},
}


@pytest.mark.parametrize("choices", CHANGES.values(), ids=CHANGES)
def test_what_figures_rest_on_is_measured_anew(kept, counted, choices):
    found = explore(TWO, folder=kept, **choices)
    assert len(counted) == 2
    assert found == explore(TWO, **choices)


@pytest.mark.parametrize("recipe", [TWO | {"seed": 2}, {"step": [*TWO["step"], SWAP]}])
def test_other_recipes_are_measured(kept, counted, recipe):
    explore(recipe, folder=kept)
    assert len(counted) == 2


def test_another_version_measures_anew(kept, counted, monkeypatch):
    monkeypatch.setattr("microgauge.commands.explore.keeping.__version__", "0.0.0")
    explore(TWO, folder=kept)
    assert len(counted) == 2


def test_the_content_of_files_counts_not_their_time(folder, counted):
    people(40).write_csv("known.csv")
    run = partial(explore, TWO, original="original.csv", folder="kept", external="known.csv")
    run()
    for name in ("original.csv", "known.csv"):
        os.utime(name, (1, 1))
    run()
    assert len(counted) == 2
    people(41).write_csv("known.csv")
    run()
    assert len(counted) == 4
    people(160, 6).write_csv("original.csv")
    run()
    assert len(counted) == 6


def test_an_original_that_was_moved_is_named_by_its_new_place(folder, counted):
    explore(TWO, original="original.csv", folder="kept")
    shutil.move("original.csv", "moved.csv")
    found = explore(TWO, original="moved.csv", folder="kept")
    assert len(counted) == 2
    assert {c.assessment.inputs.original.path for c in found.candidates} == {"moved.csv"}


def test_the_same_sections_said_otherwise_measure_nothing(kept, counted):
    explore(TWO, folder=kept, only=["rut", "risk"])
    explore(TWO, folder=kept, only=["gdu", "risk"], skip=["gdu"])
    assert counted == []


# -- the folder ------------------------------------------------------------------------------------


def damaged(text):
    """A kept file after all that may happen to it."""
    whole = json.loads(text)
    inner = whole["assessment"]
    return {
        "empty": "",
        "cut off": text[: len(text) // 2],
        "cut off at the end": text.rstrip()[:-1],
        "other JSON": '{"name": "other"}',
        "a list": "[]",
        "null": "null",
        "no text": b"\xff\xfe\0\1",
        "no details": json.dumps({"assessment": inner}),
        "no inputs": json.dumps({**whole, "assessment": {**inner, "inputs": {}}}),
        "an unknown field": json.dumps({**whole, "assessment": {**inner, "more": 1}}),
        "no variables": json.dumps({**whole, "assessment": {**inner, "variables": 5}}),
    }


def misfit(text):
    """Valid JSON in which something has another form."""
    whole = json.loads(text)
    inner = whole["assessment"]
    return {
        "null for a result": json.dumps({**whole, "assessment": None}),
        "a list for a result": json.dumps({**whole, "assessment": []}),
        "text for details": json.dumps({**whole, "details": "some"}),
        "a number for inputs": json.dumps({**whole, "assessment": {**inner, "inputs": 5}}),
        "text for risk": json.dumps({**whole, "assessment": {**inner, "risk": "low"}}),
        "deep": "[" * 100_000,
    }


def check_mended(counted, damage, kind):
    """What cannot be read is measured again and written anew, as it was."""
    wanted = explore(TWO, folder="kept")
    file = sorted(Path("kept").iterdir())[0]
    text = file.read_text()
    content = damage(text)[kind]
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    del counted[:]
    assert explore(TWO, folder="kept") == wanted
    assert len(counted) == 1
    assert file.read_text() == text
    assert len(list(Path("kept").iterdir())) == 2


SOME = '{"assessment": {}, "details": null}'


@pytest.mark.parametrize("kind", damaged(SOME))
def test_a_damaged_file_is_measured_again(folder, counted, kind):
    check_mended(counted, damaged, kind)


@pytest.mark.parametrize("kind", misfit(SOME))
def test_a_file_of_another_form_is_measured_again(folder, counted, kind):
    check_mended(counted, misfit, kind)


def test_what_else_is_in_the_folder_is_left_alone(folder, counted):
    explore(TWO, folder="kept")
    others = {"notes.json": "[]", "result.txt": "x", ".hidden": "y", "0123456789abcdef.json": "z"}
    for name, text in others.items():
        (Path("kept") / name).write_text(text)
    (Path("kept") / "folder.json").mkdir()
    explore(TWO, folder="kept")
    assert len(counted) == 2
    assert {n: (Path("kept") / n).read_text() for n in others} == others
    assert (Path("kept") / "folder.json").is_dir()


def test_what_a_killed_run_left_is_cleared_away(folder, counted):
    explore(TWO, folder="kept")
    (file, _) = sorted(Path("kept").iterdir())
    left = file.with_name(f".{file.name}.x1y2z3")
    left.write_text(file.read_text()[:100])
    explore(TWO, folder="kept")
    assert left.exists()  # another run may be writing it
    os.utime(left, (0, 0))
    explore(TWO, folder="kept")
    assert len(counted) == 2
    assert not left.exists()


def test_hidden_files_of_the_user_are_left_alone(folder):
    Path(".settings.json.bak").write_text("mine")
    Path(".some.json.d").mkdir()
    explore(TWO, folder=".")
    assert Path(".settings.json.bak").read_text() == "mine"


def test_one_folder_may_hold_several_explorations(folder, counted):
    one = explore(TWO, folder="kept")
    other = explore(TWO, folder="kept", original=people(100))
    del counted[:]
    assert explore(TWO, folder="kept") == one
    assert explore(TWO, folder="kept", original=people(100)) == other
    assert counted == []


def test_folders_are_made(folder):
    explore(TWO, folder=Path("some/where/else"))
    assert len(list(Path("some/where/else").iterdir())) == 2


@pytest.mark.parametrize("name", ["schema.toml", "schema.toml/kept"])
def test_a_folder_that_cannot_be_is_refused(folder, capsys, name, counted):
    assert command(GRID, "--folder", name) == 2
    printed = capsys.readouterr()
    words = {"schema.toml": "--folder: schema.toml is an input of this run"}
    assert words.get(name, f"{name} cannot be used as a folder") in printed.err
    assert counted == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(folder, counted):
    Path("kept").mkdir(mode=0o500)
    refused(TWO, folder="kept")


def test_a_folder_that_goes_away_is_told(folder):
    def gone(what, share):
        if "1 of 2" in what:
            shutil.rmtree("kept")

    assert says(refused(TWO, folder="kept", progress=gone), "kept")


def test_the_folder_of_the_command(folder, capsys, counted):
    assert command() == 0
    first = capsys.readouterr().out
    assert len(list(Path("grid-explored").iterdir())) == 2
    assert command() == 0
    assert len(counted) == 2
    assert capsys.readouterr().out == first
    assert command(GRID, "--folder", "other", "--max-risk", "0.9") == 0
    assert len(counted) == 4
    assert len(list(Path("other").iterdir())) == 2
    assert command(GRID, "--folder", "other", "--preset", "sharing") == 0
    assert len(counted) == 4


def test_kept_files_hold_no_records(folder):
    explore(TWO, folder="kept", only=["gdu"])
    for file in Path("kept").iterdir():
        text = file.read_text()
        assert strict_json(text)["recipe"]["step"][0]["method"] == "swap"
        assert not any(f'"{unit}"' in text for unit in people()["unit"])


def test_progress_counts_what_was_kept(folder):
    seen = []
    explore(TWO, folder="kept", progress=lambda what, share: seen.append((what, share)))
    assert [what for what, _ in seen if "measured" in what] == [
        f"{n} of 2 candidates measured" for n in range(3)
    ]
    del seen[:]
    explore(TWO, folder="kept", progress=lambda what, share: seen.append((what, share)))
    assert [s for s in seen if "measured" in s[0]] == [("2 of 2 candidates measured", 1.0)]


# -- results read again ----------------------------------------------------------------------------

PROTECTIONS = {
    "banded": [{"method": "recode", "variable": "age", "breaks": [0, 30, 60]}, SWAP],
    "merged": [
        {"method": "recode", "variable": "region", "map": {"secret-n": "s", "secret-s": "s"}},
        {"method": "round", "variable": "income", "unit": 1000},
        {"method": "top_bottom", "variable": "age", "top": 60},
    ],
    "drawn": [
        {"method": "synthesise", "variables": ["age", "income", "x"]},
        {"method": "sample", "share": 0.5},
    ],
    "suppressed": [{"method": "suppress", "variables": ["age", "x", "region"], "share": 1.0}],
}


def assert_same(one, other, where=""):
    """Equal to the last type: 1 is not 1.0, and a list is no tuple."""
    assert type(one) is type(other), where
    if hasattr(one, "__dataclass_fields__"):
        for name in one.__dataclass_fields__:
            assert_same(getattr(one, name), getattr(other, name), f"{where}.{name}")
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for name in one:
            assert_same(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{place}]")
    else:
        assert one == other, where


@pytest.mark.parametrize("known", [None, people(50, 9)], ids=["alone", "external"])
@pytest.mark.parametrize("steps", PROTECTIONS.values(), ids=PROTECTIONS)
def test_a_result_is_read_as_it_was_written(steps, known):
    before = assess(
        people(), mask(people(), {"step": steps}), schema=WHOLE, key="unit", details=True,
        external=known, population=known, only=choosable(),
    )  # fmt: skip
    assert None not in (
        before.gdu, before.propensity, before.clusters, before.ecdf, before.loss,
        before.indicators, before.regressions, before.risk, before.rut, before.details,
    )  # fmt: skip
    assert (before.risk.external is None) == (known is None)
    parts = [to_dict(part) for part in (before, before.details, before.remarks)]
    plain, details, remarks = said_again(json.loads(json.dumps(parts)), forms_of(parts))
    after = restored(Assessment, plain).changed(
        details=restored(Details | None, details), remarks=restored(tuple[Note, ...], remarks)
    )
    assert after == before
    assert_same(after, before)
    assert after.report() == before.report()


def test_the_report_of_kept_results_is_that_of_a_fresh_run(folder, counted):
    choices = {"schema": WHOLE, "key": "unit", "only": None, "external": people(50, 9)}
    steps = {"step": [*TWO["step"], *PROTECTIONS["merged"]]}
    fresh = explore(steps, **choices)
    first = explore(steps, folder="kept", **choices)
    assert len(counted) == 4
    again = explore(steps, folder="kept", **choices)
    assert len(counted) == 4
    assert_same(again, fresh)
    assert_same(again, first)
    for edition in ("internal", "public"):
        assert again.report(edition) == first.report(edition) == fresh.report(edition)
    assert all(c.assessment.details.variables for c in again.candidates)


# -- what is shown ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """104 candidates with settings of every length."""
    steps = [
        SWAP | {"share": {"grid": [i / 20 for i in range(13)]}},
        {"method": "suppress", "variable": "age", "share": {"grid": [i / 10 for i in range(8)]}},
    ]
    return explore({"step": steps}, max_risk=0.5)


def test_many_candidates_on_a_terminal(many):
    text = many.long_text()
    assert len(many.candidates) == 104
    assert max(columns_of(line) for line in text.splitlines()) <= LINE
    shown = {*many.frontier, many.recommended.name}
    assert f"and {104 - len(shown)} that are not on the frontier" in text
    table = text.split("\n\n")[1]
    assert len(table.splitlines()) == len(shown) + 6
    for name in many.frontier:
        (found,) = [c for c in many.candidates if c.name == name]
        assert f"{name}  income share {found.settings['income share']}, age share" in text


def test_many_candidates_in_json_table_and_report(many):
    plain = strict_json(json_text(many))
    assert [c["name"] for c in plain["candidates"]] == [f"{i:03d}" for i in range(1, 105)]
    assert len(many.table()) == 104
    page = many.report()
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert len(data["candidates"]) == len(data["settings"]) == len(data["reports"]) == 104
    whole = [n for n, r in zip(data["candidates"], data["reports"], strict=True) if r]
    assert set(whole) == {*many.frontier, many.recommended.name}
    assert many.report("public")


def test_json_has_settings_and_recipe(folder):
    result = explore(noisy(skip=ON_OFF, share={"grid": SHARES}), original="original.csv")
    plain = json.loads(json_text(result))
    assert [c["settings"] for c in plain["candidates"]] == [
        {"income swap": "no"},
        {"income swap": "yes", "income share": 0.1},
        {"income swap": "yes", "income share": 0.3},
    ]
    for entry, candidate in zip(plain["candidates"], result.candidates, strict=True):
        assert list(entry)[:3] == ["name", "settings", "recipe"]
        assert entry["recipe"] == candidate.recipe
        table = mask("original.csv", entry["recipe"])
        assert table.equals(mask("original.csv", candidate.recipe))


def test_rank_says_nothing_of_settings():
    result = microgauge.rank(people(), [people()], schema=schema(), only=["risk"])
    assert not result.explored
    assert "settings" not in result.to_dict()["candidates"][0]
    assert "Settings" not in str(result)


def test_a_row_for_each_candidate_with_a_column_for_each_axis():
    result = explore(noisy(skip=ON_OFF, share={"grid": SHARES}), max_risk=1)
    table = result.table()
    assert table.columns[-4:] == ["income swap", "income share", "frontier", "recommended"]
    assert table["name"].to_list() == ["1", "2", "3"]
    assert table["income swap"].to_list() == ["no", "yes", "yes"]
    assert table["income share"].to_list() == [None, "0.1", "0.3"]
    assert table["recommended"].sum() == 1
    assert table["risk"].to_list() == [c.risk for c in result.candidates]


def named_after(*names):
    """A grid with axes of such names."""
    shares = {"grid": [0.1, 0.4], "names": [f"={names[0]}", f"{names[-1]}"]}
    return {
        "grid": dict.fromkeys(names, shares),
        "step": [SWAP | {"share": {"grid": name}} for name in names],
    }


def test_axes_named_like_figures_have_columns_of_their_own():
    table = explore(named_after("risk", "name", "frontier")).table()
    assert {"risk", "risk (setting)", "name (setting)", "frontier (setting)"} <= set(table.columns)
    assert table["risk"].dtype == pl.Float64
    assert table["frontier"].dtype == pl.Boolean


def test_every_axis_has_a_column():
    table = explore(named_after("risk", "risk (setting)")).table()
    assert sum("setting" in name for name in table.columns) == 2


def test_words_are_no_formulas_in_a_table():
    text = csv_text(explore(named_after("much")).table())
    assert ",'=much," in text


def test_names_of_axes_are_no_formulas_in_a_table():
    header = csv_text(explore(named_after("=1+1")).table()).splitlines()[0]
    assert ",=1+1" not in header


EVIL = "</script><script>alert(1)</script><!--\u202e&\u2028"
LONG = "much-too-long-" * 12
WIDE = "漢字" * 60


@pytest.mark.parametrize("name", [EVIL, LONG, WIDE, "a\nb\tc", "x" * 300])
def test_a_terminal_has_80_columns_whatever_the_names(name):
    result = explore(named_after(name, f"other {name}"), max_risk=1.0)
    assert max(columns_of(line) for line in str(result).splitlines()) <= LINE


@pytest.mark.parametrize("name", ["\x1b[2Jred", "a\u202eb", "bell\x07"])
def test_signs_that_steer_a_terminal_are_not_written(name):
    text = str(explore(named_after(name), max_risk=1.0))
    assert all(sign.isprintable() for line in text.split("\n") for sign in line)


def test_a_report_escapes_names_and_words():
    result = explore(named_after(EVIL), only=["gdu"])
    page = result.report()
    plain = explore(named_after("much"), only=["gdu"]).report()
    assert page.count("</script") == plain.count("</script")
    assert page.count("<script") == plain.count("<script")
    assert "alert(1)" in page  # as a name
    assert "<script>alert" not in page
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data["settings"] == [c.said for c in result.candidates]
    assert EVIL in data["settings"][0]


def test_a_public_report_tells_no_settings():
    result = explore(named_after("the-secret-axis"), only=["gdu"])
    assert "the-secret-axis" in result.report()
    assert "the-secret-axis" not in result.report("public")


@pytest.mark.parametrize("name", [EVIL, LONG, "\x1b[2J\0"])
def test_maps_are_drawn_whatever_the_names(folder, name):
    from microgauge.render.pictures import risk_utility_map

    Path("map.svg").write_bytes(risk_utility_map(explore(named_after(name)), "svg"))
    assert "<script" not in Path("map.svg").read_text()


def test_the_command_writes_all_that_is_asked_for(folder, capsys):
    assert command(GRID, "--json", "r.json", "--table", "t.csv", "--report", "r.html", "--map",
                   "map", "-o", "best.toml", "--max-risk", "1") == 0  # fmt: skip
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "Settings of the candidates on the frontier" in printed.out
    assert max(columns_of(line) for line in printed.out.splitlines()) <= LINE
    made = {p.name for p in folder.iterdir()}
    assert {"r.json", "t.csv", "r.html", "map.svg", "map.png", "best.toml"} <= made
    assert pl.read_csv("t.csv")["income share"].to_list() == SHARES


def test_json_on_stdout_is_all_there(folder, capsys):
    assert command(GRID, "--json", "-") == 0
    assert len(json.loads(capsys.readouterr().out)["candidates"]) == 2


def test_any_candidate_may_be_picked(folder, capsys):
    assert command(GRID, "-o", "best.toml", "--max-risk", "1") == 0
    best = tomllib.loads(Path("best.toml").read_text())["step"][0]["share"]
    other = {0.1: 0.3, 0.3: 0.1}[best]
    name = {0.1: "1", 0.3: "2"}[other]
    capsys.readouterr()
    assert command(GRID, "-o", "picked.toml", "--pick", name) == 0
    assert tomllib.loads(Path("picked.toml").read_text())["step"][0]["share"] == other
    assert command(GRID, "-o", "none.toml", "--pick", "3") == 2
    assert 'no candidate "3"; there are 1 to 2' in capsys.readouterr().err
    assert not Path("none.toml").exists()


def test_a_candidate_that_is_not_there_is_told_before_the_work(folder, counted):
    assert command(GRID, "-o", "none.toml", "--pick", "3") == 2
    assert counted == []


def ranked(*points, **limits):
    """A ranking of made-up risks, utilities and GDUs."""
    (start,) = explore({"step": [SWAP]}, only=["gdu"]).candidates
    given = Schema.from_dict(schema(rut=limits, rank={"utility": "U"}))
    low, high = limits.get("max_risk", 1.0), limits.get("min_utility", 0.0)
    return ranking_of(
        [
            replace(
                start,
                name=str(place),
                assessment=replace(
                    start.assessment,
                    risk=replace(start.assessment.risk, total=risk),
                    rut=replace(
                        start.assessment.rut,
                        utility=utility,
                        value=(1 - risk + utility) / 2,
                        meets_limits=risk <= low and utility >= high,
                    ),
                    gdu=replace(start.assessment.gdu, value=gdu),
                ),
            )
            for place, (risk, utility, gdu) in enumerate(points, start=1)
        ],
        given,
    )


def test_a_word_where_relations_differ_and_utility_does_not():
    result = ranked((0.1, 0.9, 0.5), (0.1, 0.899, 0.8), (0.1, 0.5, 0.9), max_risk=0.2)
    assert result.recommended.name == "1"
    assert "2 has the highest GDU: 0.800 against 0.500 of 1" in result.notes[0]
    for other in ((0.1, 0.899, 0.505), (0.3, 0.9, 0.9)):
        notes = ranked((0.1, 0.9, 0.5), other, max_risk=0.2).notes
        assert not any("GDU" in note for note in notes)


def test_a_word_for_a_candidate_within_the_limits_only():
    result = ranked((0.1, 0.9005, 0.5), (0.1, 0.8995, 0.9), min_utility=0.9, max_risk=0.2)
    assert result.recommended.name == "1"
    assert result.notes == ()


def test_the_grid_of_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "explore.md").read_text(encoding="utf-8")
    grid = Grid.load(tomllib.loads(text.split("```toml\n")[1].split("```")[0]))
    assert not grid.faults
    assert len(grid.tries) == 36
    assert [grid.tries[i].settings["WAGP top_bottom"] for i in range(2)] == ["yes", "no"]


# -- several processes -----------------------------------------------------------------------------


@pytest.mark.slow
def test_figures_do_not_depend_on_the_number_of_workers(folder, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    before = {name: os.environ.get(name) for name in working.THREADS}
    choices = {"schema": WHOLE, "key": "unit", "only": None, "external": people(50, 9)}
    steps = {"step": [SWAP | {"share": {"grid": [0.1, 0.2, 0.3, 0.4]}}]}
    one = explore(steps, workers=1, **choices)
    two = explore(steps, workers=2, folder="kept", **choices)
    assert_same(one, two)
    assert one.report() == two.report()
    assert {name: os.environ.get(name) for name in working.THREADS} == before
    assert len(list(Path("kept").iterdir())) == 4


def test_no_worker_is_started_for_what_is_kept(kept, monkeypatch):
    def never(*given):
        raise AssertionError("a worker was started")

    monkeypatch.setattr(working, "ProcessPoolExecutor", never, raising=False)
    monkeypatch.setattr("multiprocessing.get_context", never)
    explore(TWO, folder=kept, workers=2)
    explore({"step": [SWAP | {"share": 0.77}]}, folder=kept, workers=2)  # one is measured here


def test_a_function_that_no_worker_can_have_is_refused():
    given = microgauge.Schema(
        variables={name: microgauge.Variable(role="quasi_identifier") for name in KEYS},
        indicators=(microgauge.Indicator(name="one", function=lambda frame: 1.0),),
    )
    wanted = explore(TWO, schema=given, only=["indicators"])
    with suppress(InputError):
        assert explore(TWO, schema=given, only=["indicators"], workers=2) == wanted


# -- interruption ----------------------------------------------------------------------------------

SIZE = 30
SLOW_GRID = GRID.replace("[0.1, 0.3]", str([i / 100 for i in range(SIZE)]))
# Where a shell starts tests in the background they ignore interrupts, and children inherit that.
START = """\
import signal
import sys
import time
from microgauge.cli import main

if __name__ == "__mp_main__":
    time.sleep({wait})  # in a worker, before it is told of its work
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
"""


def started(*more, wait=0):
    """The command with two workers, in a group of its own."""
    Path("grid.toml").write_text(SLOW_GRID)
    Path("start.py").write_text(START.format(wait=wait))
    return subprocess.Popen(
        [sys.executable, "start.py", "explore", "original.csv", "--recipe", "grid.toml",
         "--schema", "schema.toml", "--workers", "2", "--folder", "kept", "--only", "gdu",
         *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def finished():
    return list(Path("kept").glob("[!.]*.json")) if Path("kept").is_dir() else []


def group(leader):
    """Processes of a group that are alive: their numbers and command lines."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
            line = (stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, ValueError):
            continue  # it has ended
        if int(of_group) == leader and state != "Z":
            found[int(stat.parent.name)] = line
    return found


def workers_of(leader):
    return [number for number, line in group(leader).items() if "spawn_main" in line]


def until(condition, seconds=60.0):
    """Wait for something; what it was if it came, else a failure."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
    return found


@pytest.fixture
def run(folder):
    """Start the command; whatever happens, none of its processes outlives the test."""
    begun = []

    def start(*more, **choices):
        begun.append(started(*more, **choices))
        return begun[-1]

    yield start
    for process in begun:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def gone_on(counted):
    """A second run measures what is missing; its result is that of a run without interruption."""
    there = len(finished())
    again = explore(
        "grid.toml", original="original.csv", folder="kept", schema="schema.toml",
        only=["gdu"],
    )  # fmt: skip
    assert len(counted) == SIZE - there
    assert len(list(Path("kept").iterdir())) == SIZE  # and nothing half written
    assert figures(again) == figures(uninterrupted())
    for name in ("frontier", "recommended", "sweep", "original_risk", "notes"):
        assert getattr(again, name) == getattr(uninterrupted(), name)


@cache
def uninterrupted():
    """A run that nothing stops."""
    return explore(tomllib.loads(SLOW_GRID), only=["gdu"])


@linux
@pytest.mark.slow
def test_an_interruption_keeps_what_is_finished(run, counted):
    process = run("--json", "r.json", "-o", "best.toml")
    until(lambda: len(finished()) >= 4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == (
        "microgauge: stopped; finished candidates are kept in kept. The same command goes on from "
        "there.\n"
    )
    assert out == ""
    until(lambda: not group(process.pid), 10)
    assert not Path("r.json").exists()
    assert not Path("best.toml").exists()
    assert 4 <= len(finished()) < SIZE
    for file in finished():
        strict_json(file.read_text())
    gone_on(counted)


@linux
@pytest.mark.slow
def test_workers_end_with_a_parent_that_is_killed(run, counted):
    process = run()
    until(lambda: len(finished()) >= 4)
    assert len(workers_of(process.pid)) == 2
    process.kill()
    process.wait()
    until(lambda: not group(process.pid), 15)
    assert len(finished()) < SIZE
    gone_on(counted)


@linux
@pytest.mark.slow
def test_a_worker_that_dies_is_told(run):
    process = run("--json", "r.json")
    until(lambda: len(finished()) >= 2)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert err.startswith("microgauge: a worker died")
    assert len(err.splitlines()) == 1
    assert out == ""
    assert not Path("r.json").exists()
    assert finished()
    until(lambda: not group(process.pid), 10)


@linux
@pytest.mark.slow
def test_the_command_in_processes_is_the_same(run):
    process = run("--json", "r.json")
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    plain = json.loads(Path("r.json").read_text())
    for entry, wanted in zip(plain["candidates"], uninterrupted().candidates, strict=True):
        assert entry["settings"] == wanted.settings
        assert entry["risk"] == json.loads(json.dumps(to_dict(wanted.assessment.risk)))
        assert entry["gdu"] == json.loads(json.dumps(to_dict(wanted.assessment.gdu)))


@linux
@pytest.mark.slow
def test_an_interruption_of_the_whole_group_while_workers_start(run):
    process = run(wait=4)  # on a terminal, Ctrl-C goes to all of them
    until(lambda: len(workers_of(process.pid)) == 2)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.startswith("microgauge: stopped; finished candidates are kept in kept.")


FAKE = """\
import os
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from microgauge.commands.explore.workers import measured

@dataclass
class Large:
    size: int

    def measured(self, tried):
        return bytes(self.size)

def slowly(handle, size):
    time.sleep(0.01)
    return os.read(handle, size)

if __name__ == "__main__":
    Connection._recv.__defaults__ = (slowly,)
    found = measured(Large(4_000_000), list(range(8)), 2)
    for _ in range(2):
        next(found)
    time.sleep(0.1)
    found.close()
    print("closed")
"""


@linux
@pytest.mark.slow
def test_an_interruption_while_results_are_sent(folder):
    Path("fake.py").write_text(FAKE)
    process = subprocess.Popen(
        [sys.executable, "fake.py"], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.communicate(timeout=120)[0] == "closed\n"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_an_interruption_without_workers(folder, capsys, monkeypatch):
    real, seen = working.Work.measured, []

    def measured(self, tried):
        if seen:
            raise KeyboardInterrupt
        seen.append(tried)
        return real(self, tried)

    monkeypatch.setattr(working.Work, "measured", measured)
    assert command(GRID, "-o", "best.toml", "--json", "r.json") == 130
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "kept in grid-explored" in printed.err
    assert len(list(Path("grid-explored").iterdir())) == 1
    assert not Path("best.toml").exists()
    assert not Path("r.json").exists()
