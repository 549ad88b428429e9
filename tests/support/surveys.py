"""Small survey-like tables made with a fixed seed, and schemas for them."""

import numpy as np
import pandas as pd

KEY = {"role": "quasi_identifier"}
NUMBER = {"type": "continuous"}
CATEGORY = {"type": "nominal"}

NOMINAL = ("region", "sex")
ORDINAL = ("education", "health")
CONTINUOUS = ("age", "income", "score", "height")
TYPES = (
    dict.fromkeys(NOMINAL, "nominal")
    | dict.fromkeys(ORDINAL, "ordinal")
    | dict.fromkeys(CONTINUOUS, "continuous")
)


def make_survey(rows=400, seed=1, missing=0.0):
    """Two variables of each kind and more, all tied to one hidden number."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)

    def tied(strength):
        return strength * hidden + np.sqrt(1 - strength**2) * rng.normal(size=rows)

    frame = pd.DataFrame(
        {
            "region": np.array(["north", "east", "south", "west"])[
                np.searchsorted([-0.7, 0.0, 0.8], tied(0.4))
            ],
            "sex": 1 + (tied(0.15) > 0),
            "education": 1 + np.searchsorted([-1.2, -0.4, 0.2, 0.9, 1.5], tied(0.6)),
            "health": 1 + np.searchsorted([-1.0, 0.0, 1.0], tied(-0.3)),
            "age": np.clip(np.round(50 + 17 * tied(-0.4)), 18, 95).astype(int),
            "income": np.round(np.exp(7 + 0.7 * tied(0.5)), 1),
            "score": 100 + 15 * tied(0.5),
            "height": 170 + 9 * rng.normal(size=rows),
        }
    )
    return with_holes(frame, missing, rng) if missing else frame


def with_holes(frame, share, rng):
    """The frame with a share of the cells of every column missing, at random."""
    frame = frame.copy()
    for name in frame:
        if frame[name].dtype.kind in "iu":
            frame[name] = frame[name].astype(float)
        frame.loc[rng.random(len(frame)) < share, name] = None
    return frame


def perturb(frame, strength, seed=2):
    """Noise on numbers, random answers in categories; missing cells stay missing."""
    rng = np.random.default_rng(seed)
    found = frame.copy()
    for name in frame:
        here = frame[name].notna().to_numpy()
        if TYPES[name] == "continuous":
            found[name] = frame[name] + frame[name].std() * strength * rng.normal(size=len(frame))
        else:
            values = frame[name].dropna().unique()
            changed = here & (rng.random(len(frame)) < strength)
            found.loc[changed, name] = rng.choice(values, changed.sum())
    return found


def schema(variables=None, **options):
    """A schema that declares the survey's types, with more said of some variables."""
    said = {name: {"type": kind} for name, kind in TYPES.items()}
    for name, more in (variables or {}).items():
        said[name] = said.get(name, {}) | more
    return {"options": options, "variable": said}


def types_of(frame, variables=None, **options):
    """The survey's schema for the columns that a frame has."""
    whole = schema(variables, **options)
    whole["variable"] = {name: said for name, said in whole["variable"].items() if name in frame}
    return whole
