"""Records are dataclasses of the standard library, made in less time."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field, fields, replace

import pytest

from microgauge import records


@records.dataclass(frozen=True)
class Point:
    """With a default, one that is made, one that is not compared, one that is no argument."""

    x: int
    y: float = 0.5
    tags: list = field(default_factory=list, hash=False)
    note: str = field(default="", compare=False, repr=False)
    _known: dict = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclasses.dataclass(frozen=True)
class Standard:
    """The same by the standard library."""

    x: int
    y: float = 0.5
    tags: list = field(default_factory=list, hash=False)
    note: str = field(default="", compare=False, repr=False)
    _known: dict = field(default_factory=dict, init=False, repr=False, compare=False)


@records.dataclass(frozen=True, kw_only=True)
class Named:
    b: int = 1
    a: str

    def __post_init__(self):
        if self.b < 0:
            raise ValueError("negative")


@records.dataclass(frozen=True, eq=False)
class Alone:
    x: int


@records.dataclass(frozen=True)
class Own:
    x: int

    def __eq__(self, other):
        return isinstance(other, Own)

    def __hash__(self):
        return 7

    def __repr__(self):
        return "own"


@records.dataclass(frozen=True)
class Further(Point):
    z: int = 3


GIVEN = [((1,), {}), ((1, 2.0), {}), ((), {"x": 1, "tags": [2]}), ((1, 2, [3], "n"), {})]


@pytest.mark.parametrize(("given", "named"), GIVEN)
def test_a_record_is_what_a_dataclass_is(given, named):
    ours, theirs = Point(*given, **named), Standard(*given, **named)
    assert vars(ours) == vars(theirs)
    assert repr(ours) == repr(theirs).replace("Standard", "Point")
    assert hash(ours) == hash(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert ours == Point(*given, **named)
    assert ours == replace(ours, note="other")
    assert ours != replace(ours, x=2)
    assert ours != theirs
    assert pickle.loads(pickle.dumps(ours)) == copy.deepcopy(ours) == ours
    assert Point.__match_args__ == Standard.__match_args__


def test_help_shows_the_same_arguments():
    assert str(inspect.signature(Point)) == str(inspect.signature(Standard))
    assert "a: str" in str(inspect.signature(Named))


@pytest.mark.parametrize("given", [(), (1, 2, 3, 4, 5)])
def test_arguments_are_checked(given):
    for kind in (Point, Standard):
        with pytest.raises(TypeError, match="argument"):
            kind(*given)


def test_lists_are_made_for_each():
    assert Point(1).tags is not Point(1).tags


def test_records_are_frozen():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert Point.__dataclass_params__.frozen


def test_names_are_needed_where_they_are_asked_for():
    assert repr(Named(a="q")) == "Named(b=1, a='q')"
    with pytest.raises(TypeError, match="positional"):
        Named("q")
    with pytest.raises(ValueError, match="negative"):
        Named(a="q", b=-1)


def test_without_equality_records_are_told_apart():
    one = Alone(1)
    assert one != Alone(1)
    assert len({one, Alone(1)}) == 2


def test_methods_of_the_class_itself_stay():
    assert Own(1) == Own(2)
    assert hash(Own(1)) == 7
    assert repr(Own(1)) == "own"


def test_records_inherit_each_other_and_are_inherited():
    assert repr(Further(1)) == "Further(x=1, y=0.5, tags=[], z=3)"
    assert [f.name for f in fields(Further)] == ["x", "y", "tags", "note", "_known", "z"]

    @dataclasses.dataclass(frozen=True)
    class Plain(Point):
        z: int = 3

    assert Plain(1, z=4).z == 4


@records.dataclass(frozen=True)
class Awkward:
    """Fields that are called as something inside might be."""

    _held: dict = field(default_factory=dict)
    record: int = 1
    _record: int = 2
    _UNSAID: int = 3
    unsaid: list = field(default_factory=list)
    name: str = "n"
    fields: tuple = ()
    cls: int = 4


def test_no_name_of_a_field_is_in_the_way():
    one = Awkward({"a": 1}, 5, cls=6)
    assert vars(one) == {
        "_held": {"a": 1},
        "record": 5,
        "_record": 2,
        "_UNSAID": 3,
        "unsaid": [],
        "name": "n",
        "fields": (),
        "cls": 6,
    }
    assert vars(Awkward())["_held"] == {}


def test_every_record_of_the_package_holds_what_it_is_given():
    """All of them, with a value of its own for each field, against the standard library's way."""
    import importlib
    import inspect
    import pkgutil

    import microgauge

    seen = 0
    for module in pkgutil.walk_packages(microgauge.__path__, "microgauge."):
        if "spark" in module.name or module.name.endswith("__main__"):
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            mine = inspect.isclass(kind) and kind.__module__ == module.name
            if not mine or not dataclasses.is_dataclass(kind) or inspect.isabstract(kind):
                continue
            taken = [f.name for f in fields(kind) if f.init]
            if hasattr(kind, "__post_init__") or set(inspect.signature(kind).parameters) != set(
                taken
            ):
                continue  # checks its values, or takes them in its own way
            values = {name: object() for name in taken}
            one = kind(**values)
            assert all(vars(one)[name] is value for name, value in values.items()), kind
            seen += 1
    assert seen > 300
