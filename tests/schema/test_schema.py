"""The schema: read, changed, and its faults, with parts that sections hand over."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import microgauge
from microgauge import Indicator, InputError, Model, Options, Regression, Schema, Variable
from microgauge.schema.checks import flag, fraction, number, share, two_weights, whole
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.joint.choices import PropensityChoices
from microgauge.sections.loss.choices import LossChoices
from microgauge.sections.registry import register, registered, sections
from microgauge.sections.risk.choices import RiskChoices
from microgauge.sections.section import Section
from support.toy import Toy, ToyChoices


class Toys(Toy):
    """A section with a list of tables."""

    name = "toys"
    key = "one_toy"
    several = True


# -- building --------------------------------------------------------------------------------------


def test_python_users_name_parts_by_their_sections() -> None:
    schema = Schema(
        options=Options(seed=2),
        variables={"a": Variable(role="quasi_identifier")},
        models=(Model(kind="linear", formula="y ~ a"),),
        indicators=(Indicator(statistic="mean", variable="a"),),
        regressions=(Regression(formula="y ~ a"),),
        risk=RiskChoices(threshold=0.3),
        propensity=PropensityChoices(model="cart"),
    )
    assert schema.faults() == []
    assert schema.keys == ("a",)
    assert schema.risk.threshold == 0.3
    assert schema.propensity.model == "cart"
    assert schema.indicators[0].title == "mean of a"
    assert schema.regressions[0].formula == "y ~ a"
    assert schema.loss == LossChoices()
    assert schema.of(RiskChoices) is schema.risk


def test_what_is_said_in_a_dict_is_said_in_python() -> None:
    read = Schema.from_dict({"risk": {"l": 2}, "indicator": [{"statistic": "mean"}]})
    assert read == Schema(risk=RiskChoices(l=2), indicators=(Indicator(statistic="mean"),))
    assert read != Schema()
    assert Schema() == Schema.from_dict({})


@pytest.mark.parametrize("change", [replace, lambda schema, **said: schema.changed(**said)])
def test_a_part_can_be_changed(change: Any) -> None:
    schema = Schema(loss=LossChoices(ways=3), options=Options(seed=5))
    changed = change(schema, rut=RutChoices(preset="public"), options=Options(seed=6))
    assert changed.rut.preset == "public"
    assert changed.options.seed == 6
    assert changed.loss.ways == 3
    assert schema.rut == RutChoices()


def test_it_is_frozen_and_travels() -> None:
    schema = Schema(risk=RiskChoices(l=2))
    with pytest.raises(AttributeError):
        schema.options = Options()  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert "risk=RiskChoices(" in repr(schema)


def test_unknown_parts_are_refused() -> None:
    with pytest.raises(TypeError, match=r'no part "rsk"\. Did you mean "risk"'):
        Schema(rsk=RiskChoices())
    with pytest.raises(AttributeError, match="'rsk'"):
        _ = Schema().rsk


# -- reading ---------------------------------------------------------------------------------------


def test_unknown_tables_and_entries_get_the_nearest_name() -> None:
    found = Schema.from_dict({"rsik": {}, "indicators": [], "risk": {"combin": "max"}}).faults()
    assert found == [
        'the schema has an unknown section "rsik". Did you mean "risk"?',
        'the schema has an unknown section "indicators". Did you mean "indicator"?',
        '[risk] has an unknown entry "combin". Did you mean "combine"?',
    ]


def test_every_kind_of_table_tells_where_its_faults_are() -> None:
    found = Schema.from_dict(
        {
            "options": {"seed": -1, "pairs": [["a"], ["a", "b"]]},
            "variable": {"a": {"type": "nomnal", "recode": {"map": {"1": "x"}, "prefix": 2}}},
            "model": [{"kind": "scale", "items": ["a"]}],
            "level": {"weak": {"a": {"round": 0}, "b": "suppress"}},
            "indicator": [{"statistic": "mean", "variable": "a"}, {"statistic": "ratio"}],
            "regression": [{"formula": "y ~ a", "robust": "yes"}],
            "clusters": {"groups": [1]},
        }
    ).faults()
    assert found == [
        "[options] pairs must be a list of pairs of variable names.",
        "[options] seed must be a whole number from 0 to 2^64 - 1.",
        '[variable.a] type is "nomnal"; it must be one of nominal, ordinal, continuous. Did you '
        'mean "nominal"?',
        "[variable.a] recode must have one of map, breaks, top/bottom, round, prefix; it has map "
        "and prefix.",
        "[[model]] number 1: a scale needs items, a list of at least two variables.",
        "[clusters] groups must be a whole number from 2 to 10,000.",
        "[level.weak] a round must be a number above 0.",
        "[[indicator]] number 2 has no variable.",
        "[[indicator]] number 2: a ratio needs a denominator, a second variable.",
        "[[regression]] number 1: robust must be true or false.",
    ]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ({"risk": []}, "[risk] must be a table, found list."),
        ({"risk": {"weights": 1}}, "[risk] weights must be a list, found int."),
        ({"risk": {"external_method": 1}}, "[risk] external_method must be a list, found int."),
        ({"indicator": {}}, "[[indicator]] must be a list, found dict."),
        ({"indicator": [1]}, "[[indicator]] number 1 must be a table, found int."),
        ({"rut": {"utility": 1}}, "[rut] utility must be a list, found int."),
        ({"rut": {"alpha": 0.5, "beta": 0.6}}, "[rut] alpha and beta must add up to 1."),
    ],
)
def test_what_does_not_fit_is_a_fault(content: dict[str, Any], fault: str) -> None:
    assert fault in Schema.from_dict(content).faults()


@pytest.mark.parametrize("items", [[["a"], "b"], [1, 2], [{}, "a"], [[[]]]])
def test_items_of_a_model_that_are_no_names(items: list[Any]) -> None:
    """Told with what else is wrong, also where columns are looked up by them."""
    schema = Schema.from_dict({"model": [{"items": items}]})
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.5, 0.5]})
    with pytest.raises(InputError, match="items must be a list of names of variables"):
        microgauge.assess(frame, frame, schema=schema)


def test_short_forms_of_a_file() -> None:
    schema = Schema.from_dict(
        {
            "propensity": {"interactions": True},
            "clusters": {"groups": 5},
            "loss": {"groups": "sex"},
            "risk": {"external_method": "unique", "weights": [1, 2]},
            "rut": {"utility": "ratio"},
            "model": [{"items": ["a", "b"]}, {"formula": "y ~ a"}],
        }
    )
    assert schema.faults() == []
    assert schema.propensity.interactions == "pairs"
    assert schema.clusters.groups == (5,)
    assert schema.loss.groups == ("sex",)
    assert schema.risk.external_method == ("unique",)
    assert schema.risk.weights == (1, 2)
    assert schema.rut.utility == "ratio"
    assert [model.kind for model in schema.models] == ["scale", "linear"]


# -- parts of sections -----------------------------------------------------------------------------


def test_a_mark_of_utf_8_before_a_file_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(b'\xef\xbb\xbf[variable.age]\nrole = "sensitive"\n')
    assert Schema.load(path).variables["age"].role == "sensitive"
    recipe = tmp_path / "r.toml"
    recipe.write_bytes(b'\xef\xbb\xbf[[step]]\nmethod = "round"\nvariables = ["age"]\nunit = 5\n')
    masked = microgauge.mask(pl.DataFrame({"age": [21, 34]}), recipe)
    assert masked["age"].to_list() == [20, 35]


def test_a_section_brings_its_part() -> None:
    with registered(Toy()), registered(Toys()):
        said = {"toy": {"size": 0, "playmates": ["a"], "sice": 1}, "one_toy": [{}, {"size": 0.5}]}
        schema = Schema.from_dict(said)
        assert schema.toy.playmates == ("a",)
        assert [toy.size for toy in schema.toys] == [3, 0.5]
        assert schema.of(ToyChoices) is schema.toy
        assert schema.faults() == [
            '[toy] has an unknown entry "sice". Did you mean "size"?',
            "[toy] size must be a whole number, 1 or more.",
            "[[one_toy]] number 2 size must be a whole number, 1 or more.",
        ]
        assert 'Did you mean "toy"?' in Schema.from_dict({"tooy": {}}).faults()[0]
        assert Schema(toy=ToyChoices(size=4)).toy.size == 4
    assert "unknown section" in Schema.from_dict({"toy": {}}).faults()[0]


def test_no_two_sections_have_one_name() -> None:
    with registered(Toy()), pytest.raises(ValueError, match='"toy" already'):
        register(Toy())
    assert "toy" not in [section.name for section in sections()]


@pytest.mark.parametrize("section", sections(), ids=lambda section: section.name)
def test_choices_are_sound_when_nothing_is_said(section: Section) -> None:
    if section.choices is None or section.several:
        return
    assert section.choices().faults(f"[{section.name}]") == []
    assert {f.name for f in fields(section.choices)}  # type: ignore[arg-type]


@pytest.mark.parametrize("home", ["microgauge", "microgauge.schema"])
def test_whoever_makes_the_first_schema_has_all_parts(home: str) -> None:
    script = f"from {home} import Schema; Schema().risk.threshold"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


# -- checks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [True, "1", None, float("nan"), float("inf"), [1]])
def test_no_numbers(value: object) -> None:
    assert number("x", value, above=0, optional=False)
    assert whole("x", value, 1)
    assert share("x", value, optional=False)
    assert fraction("x", value)
    assert two_weights("x", (1, value))


def test_limits_of_numbers() -> None:
    assert number("x", 0, above=0)
    assert not number("x", 0.1, above=0)
    assert not share("x", 0)
    assert not share("x", 1)
    assert fraction("x", 0)
    assert fraction("x", 1)
    assert not whole("x", 1, 1)
    assert whole("x", 1.5, 1)
    assert not whole("x", None, 1, optional=True)
    assert flag("x", None, optional=False)
    assert not two_weights("x", (0, 1))
    assert two_weights("x", [0, 1])
