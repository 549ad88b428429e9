"""The order of columns moves no figure."""

import numpy as np
import pytest

import microgauge
from support.surveys import make_survey

SECTIONS = ["gdu", "tables", "loss", "risk", "ecdf", "propensity", "clusters"]
KEYS = ["region", "sex", "age"]
ABOUT = (("a", "b"), ("name",), ("variable",), ("variables",), ("method", "groups"))
"""Fields that say what an entry of a list is about."""


def entries(content):
    """What a list holds, by what it is about, and by its place where nothing says so."""
    for fields in ABOUT:
        if all(isinstance(one, dict) and {*fields} <= one.keys() for one in content):
            return {about(one, fields): one for one in content}
    return dict(enumerate(content))


def about(one, fields):
    """Names in alphabetical order: which of two is the first may depend on that of columns."""
    held = [one[field] for field in fields]
    return " ".join(sorted(str(x) for v in held for x in (v if isinstance(v, list) else [v])))


def figures(content, path=()):
    """Every number of a result, by its way there."""
    if isinstance(content, list):
        content = entries(content)
    if isinstance(content, dict):
        return {k: v for key, one in content.items() for k, v in figures(one, (*path, key)).items()}
    return {path: content} if isinstance(content, int | float) else {}


@pytest.mark.slow
def test_reordered_columns_move_no_figure():
    original, protected = make_survey(300), make_survey(300, seed=9)
    rng = np.random.default_rng(3)
    weights = rng.integers(2, 30, 300)
    names = [*original.columns, "weight"]
    found = []
    for order in (names, names[::-1], [str(name) for name in rng.permutation(names)]):
        result = microgauge.assess(
            original.assign(weight=weights)[order],
            protected.assign(weight=weights)[order],
            schema={"loss": {"robust": True}},
            keys=[name for name in order if name in KEYS],
            weight="weight",
            only=SECTIONS,
        )
        assert result.loss.eigenvalues_robust > 0
        assert result.risk.loglinear.tau1 > 0
        assert all(cluster.value > 0 for cluster in result.clusters)
        plain = result.to_dict()
        plain["loss"].pop("correlations")  # matrices, in the order of their names
        found.append({k: v for s in SECTIONS for k, v in figures(plain[s], (s,)).items()})
    assert len(found[0]) > 500
    for other in found[1:]:
        assert other.keys() == found[0].keys()
        assert other == pytest.approx(found[0], rel=1e-9, abs=1e-9)
