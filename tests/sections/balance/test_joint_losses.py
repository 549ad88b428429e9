"""Several losses of one attribute, and distances of several attributes at once."""

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge import InputError
from microgauge.measures.balance.losses import euclidean_bound, manhattan_bound
from support.figures import approx
from support.surveys import CATEGORY, KEY, NUMBER


def rut_of(original, protected, *, said=None, rut=None, **options):
    variables = {name: dict(NUMBER) for name in original if name != "g"} | {"g": KEY | CATEGORY}
    for name, more in (said or {}).items():
        variables[name] = variables[name] | more
    options.setdefault("aligned", True)
    schema = {"options": options, "variable": variables, "rut": rut or {}}
    result = microgauge.assess(original, protected, schema=schema, only=["risk", "rut"])
    assert str(result)
    assert result._repr_html_()
    return result.rut


def points(rows=60, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "g": rng.choice(list("ab"), rows),
            "x": rng.uniform(0, 10, rows).round(2),
            "y": rng.uniform(0, 200, rows).round(1),
        }
    )


def moved(frame, seed=2):
    rng = np.random.default_rng(seed)
    noise = {"x": 1.0, "y": 9.0}
    return frame.assign(**{n: frame[n] + rng.normal(0, s, len(frame)) for n, s in noise.items()})


# -- vectors ------------------------------------------------------------------------------------


def test_the_points_of_the_paper():
    """(1, 2) released as (4, 6): Euclid 5, Manhattan 7; another unit stays where it was."""
    frame = pd.DataFrame({"g": list("ab"), "x": [1.0, 9.0], "y": [2.0, 12.0]})
    one = frame.assign(x=[4.0, 9.0], y=[6.0, 12.0])
    found = rut_of(frame, one, rut={"vectors": [["x", "y"]]}).vectors[0]
    assert found.variables == ("x", "y")
    assert found.manhattan == approx(7 / 2)
    assert found.euclidean == approx(np.sqrt(25 / 2))
    assert (found.manhattan_bound, found.euclidean_bound) == (18.0, approx(np.hypot(8, 10)))
    assert found.manhattan_loss == approx(3.5 / 18)
    both = frame.assign(x=[4.0, 12.0], y=[6.0, 16.0])
    found = rut_of(frame, both, rut={"vectors": [["x", "y"]]}).vectors[0]
    assert (found.manhattan, found.euclidean) == (7.0, 5.0)


def test_bounds_add_up():
    assert manhattan_bound([3.0, 4.0, 12.0]) == 19.0
    assert euclidean_bound([3.0, 4.0, 12.0]) == 13.0


def test_distances_against_numpy():
    frame = points()
    released = moved(frame)
    released.loc[[1, 5, 7], "y"] = None
    frame.loc[9, "x"] = None
    found = rut_of(frame, released, rut={"vectors": [["x", "y"]]})
    vector = found.vectors[0]
    known = frame[["x", "y"]].notna().all(axis=1)
    here = known & released[["x", "y"]].notna().all(axis=1)
    apart = (frame[["x", "y"]] - released[["x", "y"]])[here].abs()
    assert vector.compared == here.sum() == 56
    assert vector.suppressed == approx(3 / 59)
    assert vector.manhattan == approx(apart.sum(axis=1).mean())
    assert vector.euclidean == approx(np.sqrt((apart**2).sum(axis=1).mean()))
    ranges = frame["x"].max() - frame["x"].min(), frame["y"].max() - frame["y"].min()
    gone = 3 / 59
    assert vector.manhattan_loss == approx(vector.manhattan / sum(ranges) * (1 - gone) + gone)
    assert vector.euclidean_loss == approx(vector.euclidean / np.hypot(*ranges) * (1 - gone) + gone)
    # It stands beside: nothing else moves.
    plain = rut_of(frame, released)
    assert plain.vectors == ()
    assert (plain.loss, plain.value) == (found.loss, found.value)


def test_a_vector_as_long_as_its_only_moving_part():
    """Of attributes that stay, only the bounds count: the distances are those of the other."""
    frame = points()
    released = frame.assign(x=moved(frame)["x"])
    found = rut_of(
        frame, released, said={"x": {"loss": ["proximity", "euclidean"]}},
        rut={"vectors": [["y", "x"]]},
    )  # fmt: skip
    losses = next(a for a in found.attributes if a.name == "x").losses
    vector, span = found.vectors[0], frame["x"].max() - frame["x"].min()
    assert vector.manhattan == approx(losses["proximity"] * span)
    assert vector.euclidean == approx(losses["euclidean"] * span)


@pytest.mark.parametrize("case", ["bands", "apart", "constant", "rule"])
def test_vectors_without_a_figure_say_why(case):
    frame = points()
    released, options, rut = moved(frame), {}, {}
    if case == "bands":
        released["x"] = [f"{int(v)}-{int(v) + 1}" for v in frame["x"]]
    elif case == "apart":
        released, options = released.head(50), {"aligned": False}
    elif case == "constant":
        frame = frame.assign(x=1.0, y=2.0)
        released = frame
    else:
        rut = {"lmax": "rule"}
    found = rut_of(frame, released, rut=rut | {"vectors": [["x", "y"]]}, **options).vectors[0]
    assert found.manhattan_loss is None
    assert found.euclidean_loss is None
    assert found.reason


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([["x"]], "two or more"),
        ([["x", "x"]], "two or more"),
        (["x"], "two or more"),
        ("x", "must be a list"),
        ([["x", 3]], "two or more"),
        ([["x", "z"]], '"z", which is no column'),
        ([["x", "g"]], "needs numbers"),
        ([["x", "n"]], "not analysed"),
    ],
)
def test_vectors_that_make_no_sense(vectors, said):
    frame = points().assign(n=np.linspace(0, 9.5, 60))
    with pytest.raises(InputError, match=said):
        rut_of(frame, frame, said={"n": {"role": "exclude"}}, rut={"vectors": vectors})


# -- several losses and similarities of one variable ----------------------------------------------


MEASURES = {"loss": ["proximity", "entropy", "consistency"], "similarity": ["cosine", "values"]}


@pytest.mark.parametrize("combine", ["mean", "max"])
def test_several_measures_become_one(combine):
    frame = points()
    weights = {"loss_weights": [2, 1, 0], "similarity_weights": [1, 3]}
    found = rut_of(
        frame, moved(frame), said={"y": MEASURES | weights}, rut={"attribute_combine": combine}
    )
    assert found.attribute_combine == combine
    attribute = next(a for a in found.attributes if a.name == "y")
    losses, alike = list(attribute.losses.values()), list(attribute.similarities.values())
    assert attribute.loss_weights == {"proximity": 2, "entropy": 1, "consistency": 0}
    if combine == "mean":
        assert attribute.loss == approx(np.average(losses, weights=[2, 1, 0]))
        assert attribute.similarity == approx(np.average(alike, weights=[1, 3]))
    else:
        assert attribute.loss == max(losses[:2])
        assert attribute.similarity == min(alike)
    plain = rut_of(frame, moved(frame), said={"y": MEASURES})
    attribute = next(a for a in plain.attributes if a.name == "y")
    assert attribute.loss == approx(np.mean(losses))
    assert attribute.loss_weights == {}


def test_measures_that_are_null_are_left_out_of_the_mean():
    frame = points()
    released = frame.assign(y=[f"{int(v // 50 * 50)}-{int(v // 50 * 50 + 49)}" for v in frame["y"]])
    said = {"y": {"loss": ["proximity", "entropy"], "loss_weights": [5, 1]}}
    attribute = next(a for a in rut_of(frame, released, said=said).attributes if a.name == "y")
    assert attribute.losses["proximity"] is None
    assert attribute.loss == attribute.losses["entropy"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"loss_weights": [1]},
        {"loss": ["entropy"], "loss_weights": [1, 2]},
        {"loss": ["entropy"], "loss_weights": [0]},
        {"loss": ["entropy"], "loss_weights": ["much"]},
        {"similarity": ["cosine", "jaccard"], "similarity_weights": [1, -1]},
        {"similarity_weights": 3},
    ],
)
def test_weights_that_make_no_sense(wrong):
    with pytest.raises(InputError, match="_weights"):
        rut_of(points(), points(), said={"x": wrong})


def test_a_way_of_combining_that_is_none():
    with pytest.raises(InputError, match="attribute_combine"):
        rut_of(points(), points(), rut={"attribute_combine": "min"})
