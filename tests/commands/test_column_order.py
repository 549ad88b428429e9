"""The order of columns moves no figure."""

import pytest

import microgauge
from support.surveys import make_survey

SECTIONS = ["gdu", "tables", "loss", "risk", "ecdf", "propensity"]


def differences(one, other, path=""):
    """Figures of two contents, by name, that are not the same to 1e-9."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys()
        return [
            found for key in one for found in differences(one[key], other[key], f"{path}/{key}")
        ]
    if isinstance(one, int | float) and one != pytest.approx(other, rel=1e-9, abs=1e-9):
        return [(path, one, other)]
    return []


@pytest.mark.slow
def test_reordered_columns_move_no_figure():
    """Robust eigenvalues are in loss, τ1 in risk, U_c in clusters."""
    original, protected = make_survey(300), make_survey(300, seed=9)
    names = list(original.columns)
    one, other = (
        microgauge.assess(
            original[order],
            protected[order],
            keys=["region", "sex", "age"],
            only=[*SECTIONS, "clusters"],
        )
        for order in (names, names[::-1])
    )
    assert [c.value for c in one.clusters] == pytest.approx([c.value for c in other.clusters])
    plain = one.to_dict(), other.to_dict()
    found = [d for s in SECTIONS for d in differences(plain[0][s], plain[1][s], s)]
    assert found == []
