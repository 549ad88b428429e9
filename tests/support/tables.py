"""Tables with columns of every kind, a schema that asks for everything, and files of them."""

import gzip
from datetime import date, timedelta
from itertools import pairwise

import numpy as np
import polars as pl
import pyreadstat

from support.surveys import KEY, TYPES, make_survey, perturb, schema

SECRET = "SECRET-417"
"""A cell value that no message may tell."""

NOTES = ["two\nlines", 'says "no", twice', "  blanks ", "a;b,c|d", "Łódź", None]
GRADES = ["low", "middle", "high"]


def people(rows=130, seed=1):
    """A survey with missing cells, and what a survey does not have: dates, booleans, an order."""
    rng = np.random.default_rng(seed)
    survey = pl.from_pandas(make_survey(rows, seed, missing=0.05), nan_to_null=True)
    flags = rng.integers(0, 3, rows)
    return survey.with_columns(
        employed=pl.Series([None if f == 2 else bool(f) for f in flags], dtype=pl.Boolean),
        born=pl.Series([date(1990, 1, 1) + timedelta(int(d)) for d in rng.integers(0, 900, rows)]),
        grade=pl.Series(rng.choice(GRADES, rows), dtype=pl.Enum(GRADES)),
        note=pl.Series([NOTES[i] for i in rng.integers(0, len(NOTES), rows)], dtype=pl.String),
        w=pl.Series(rng.choice([0.5, 1.0, 2.25], rows)),
        number=pl.Series(7 * np.arange(rows) + 3),
    )


def protected_version(frame, seed=5):
    """Noise, merged categories, top codes, flips, suppression."""
    rng = np.random.default_rng(seed)
    rows = frame.height
    survey = pl.from_pandas(perturb(frame.select(list(TYPES)).to_pandas(), 0.15, seed))
    survey = survey.with_columns(
        education=survey["education"].replace({2: 1, 6: 5}),
        income=frame["income"].clip(upper_bound=frame["income"].quantile(0.8)),
        score=pl.when(pl.Series(rng.random(rows) < 0.5)).then(frame["score"]).otherwise("score"),
    )
    hit = pl.Series(rng.random(rows) < 0.2)
    rest = frame.select("employed", "born", "grade", "note", "w", "number").with_columns(
        employed=pl.when(hit).then(~pl.col("employed")).otherwise("employed"),
        born=pl.col("born").dt.truncate("1mo"),
        note=pl.when(hit).then(None).otherwise("note"),
    )
    return survey.fill_nan(None).with_columns(rest)


def said(**options):
    """A schema that asks for every section."""
    roles = dict.fromkeys(("region", "sex", "age"), KEY)
    roles |= {"health": {"role": "sensitive"}, "w": {"role": "weight"}}
    return schema(roles, **options) | {
        "propensity": {"resamples": 0},
        "indicator": [
            {"variable": "income", "statistic": "mean"},
            {"variable": "income", "statistic": "total", "by": "region", "resamples": 10},
            {"variable": "score", "statistic": "median", "where": "sex == 1", "resamples": 10},
            {"variable": "sex", "statistic": "share"},
        ],
        "regression": [{"formula": "income ~ age + region"}],
        "model": [{"kind": "linear", "formula": "score ~ age + sex"}],
    }


def write(frame, path, form):
    """One file of a form: what its name ends with, or a way of writing a delimited file."""
    if form == "parquet":
        frame.write_parquet(path)
    elif form in ("arrow", "feather"):
        frame.write_ipc(path)
    elif form in ("sav", "zsav"):
        pyreadstat.write_sav(frame.to_pandas(), path, compress=form == "zsav")
    elif form == "por":
        pyreadstat.write_por(frame.to_pandas(), path)
    elif form == "dta":
        pyreadstat.write_dta(frame.to_pandas(), path)
    elif form == "xpt":
        pyreadstat.write_xport(frame.to_pandas(), path)
    else:
        write_delimited(frame, path, form)


def write_delimited(frame, path, form):
    """Commas or semicolons, compressed, with a byte order mark, or with NA for missing cells."""
    if form == "semicolon":
        frame.write_csv(path, separator=";", decimal_comma=True)
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif form == "bom":
        frame.write_csv(path, include_bom=True, line_terminator="\r\n")
    else:
        assert form in ("csv", "na"), form
        frame.write_csv(path, null_value="NA" if form == "na" else "")


SUFFIX = {"semicolon": "csv", "bom": "csv", "na": "csv"}


def parts(frame, folder, form, sizes=(0, 1, 70, 0, 19)):
    """A folder of parts: of some sizes, empty ones among them, and the rest."""
    folder.mkdir()
    cuts = np.cumsum([0, *sizes])
    pieces = [frame[a:b] for a, b in pairwise(cuts)]
    for number, piece in enumerate([*pieces, frame[int(cuts[-1]) :]]):
        write(piece, folder / f"part-{number}.{SUFFIX.get(form, form)}", form)
    return folder


def written(given, place):
    """Tables as folders of parts of unequal size, empty ones among them; all else as it is."""
    if isinstance(given, list):
        return [written(one, place.with_name(f"{place.name}{i}")) for i, one in enumerate(given)]
    if not isinstance(given, pl.DataFrame):
        return given
    rows = given.height
    return parts(given, place, "parquet", (0, 1, rows // 2, rows // 8))
