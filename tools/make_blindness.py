"""Draws Model I's blindness: docs/images/blindness.svg.

Original: heavy-tailed pairs (t with 2 degrees of freedom). Protected: normal data with the same
mean and covariance. A model with squares and products only (Model I) gives both files the same
scores; one with cubes (Model II) does not. After table 1 of Woo et al. (2009).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from microgauge.measures.joint.joint import Joint, JointVariable
from microgauge.measures.joint.propensity import LogitModel, expected_distance, score_distance
from microgauge.measures.joint.terms import Term, build

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "blindness.svg"
ROWS = 10_000
MODEL_I: list[Term] = [((0, 1),), ((1, 1),), ((0, 1), (1, 1)), ((0, 2),), ((1, 2),)]
MODEL_II: list[Term] = [*MODEL_I, ((0, 2), (1, 2)), ((0, 3),), ((1, 3),)]
COLOURS = {"original": "#0072b2", "protected": "#d55e00"}


def study() -> Joint:
    """The original and the wrong simulation, one below the other."""
    rng = np.random.default_rng(3)
    root = np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]])
    chance = np.sqrt(rng.chisquare(2, ROWS) / 2)[:, np.newaxis]
    original = rng.normal(size=(ROWS, 2)) @ root.T / chance
    protected = rng.multivariate_normal(original.mean(axis=0), np.cov(original.T), ROWS)
    variables, codes = [], []
    for place, column in enumerate(np.vstack([original, protected]).T):
        values, inverse = np.unique(column, return_inverse=True)
        variables.append(JointVariable(f"z{place + 1}", "continuous", len(values), values))
        codes.append(inverse)
    return Joint(tuple(variables), np.column_stack(codes), np.repeat([False, True], ROWS))


def panel(joint: Joint, terms: list[Term], title: str, left: int) -> str:
    """Histograms of both files' scores, one above the other's mirror image."""
    fitted = LogitModel.of(build(joint, terms)).fitted(joint.protected.astype(float))
    value = score_distance(fitted.probability, 0.5)
    ratio = value / expected_distance(fitted.rank or 0, 0.5, joint.rows)
    edges = np.linspace(0, 1, 41)
    parts = [
        f'<text x="{left}" y="28" font-weight="bold">{title}</text>',
        f'<text x="{left}" y="48">ratio {ratio:,.1f}</text>',
    ]
    for name, side, sign in (("original", ~joint.protected, -1), ("protected", joint.protected, 1)):
        counts, _ = np.histogram(fitted.probability[side], edges)
        for place, share in enumerate(np.sqrt(counts / counts.sum())):
            height = 85 * share
            top = 150 - height if sign < 0 else 150
            parts.append(
                f'<rect x="{left + 8 * place}" y="{top:.1f}" width="7" height="{height:.1f}" '
                f'fill="{COLOURS[name]}"/>'
            )
    parts += [
        f'<text x="{left + 320 * tick - 8:.0f}" y="262">{tick:g}</text>' for tick in (0, 0.5, 1)
    ]
    return "\n".join(parts)


def picture() -> str:
    """Both models side by side."""
    joint = study()
    legend = "".join(
        f'<rect x="{20 + 110 * i}" y="276" width="12" height="12" fill="{colour}"/>'
        f'<text x="{38 + 110 * i}" y="287">{name}</text>'
        for i, (name, colour) in enumerate(COLOURS.items())
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="740" height="300" font-size="14" '
        'font-family="system-ui,sans-serif" fill="#222">\n'
        "<title>Propensity scores of two files by two models</title>\n"
        '<rect width="100%" height="100%" fill="#fff"/>\n'
        + panel(joint, MODEL_I, "Model I: squares and products", 20)
        + panel(joint, MODEL_II, "Model II: cubes too", 395)
        + '\n<text x="300" y="287">propensity score (heights: root of shares)</text>'
        + f"{legend}\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
