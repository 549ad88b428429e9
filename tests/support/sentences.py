"""Sentences that the program prints of small prepared tables, and their forms.

A form has NAME for names of variables, categories and candidates, # for numbers but 0 and 1.
`python -m support.sentences` (with src and tests on the path) keeps those of today in
tests/sentences/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import microgauge
from microgauge.errors import InputError
from microgauge.render import text
from microgauge.render.ranking import diagnosis_text, ranking_text
from microgauge.results.blocks import Figures, Group, Headline, Sentence, Stories, Table
from support.forms import codes, forms, listed

FOLDER = Path(__file__).parents[1] / "sentences"
FORMS, PRINTED, CODES = (FOLDER / f"{name}.txt" for name in ("forms", "printed", "codes"))

SAYING = {"sentence", "remedy", "reason", "why", "against", "said", "notes", "missed"}
"""Names of the JSON result whose texts are for people."""
PLAIN = ("verdict", "finding", "headline")
"""Kinds of sentences that a head of unit reads."""


@dataclass(frozen=True)
class Said:
    """A sentence that was printed, and where."""

    case: str
    kind: str
    text: str


# -- prepared tables -----------------------------------------------------------------------------


def people(rows: int = 120, seed: int = 3) -> pd.DataFrame:
    """Names of columns and categories can be told from words of sentences."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    return pd.DataFrame(
        {
            "q_age": age,
            "q_sex": rng.choice(["q_f", "q_m"], rows),
            "q_region": rng.choice(["q_n", "q_e", "q_s"], rows, p=[0.6, 0.3, 0.1]),
            "q_income": np.round(20 * age + rng.normal(0, 80, rows), 1),
            "q_health": rng.choice(["q_low", "q_mid", "q_high"], rows),
        }
    )


def shuffled(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    some = names or tuple(frame)
    return frame.assign(**{n: frame[n].to_numpy()[rng.permutation(len(frame))] for n in some})


def bands(frame: pd.DataFrame, step: int = 10) -> pd.DataFrame:
    low = frame["q_age"] // step * step
    return frame.assign(q_age=low.astype(str) + "-" + (low + step - 1).astype(str))


def schema(keys: tuple[str, ...] = ("q_age", "q_sex", "q_region"), **more: Any) -> dict[str, Any]:
    variables: dict[str, dict[str, Any]] = {
        "q_age": {"type": "continuous"}, "q_income": {"type": "continuous"},
    }  # fmt: skip
    for name in keys:
        variables.setdefault(name, {})["role"] = "quasi_identifier"
    return {"variable": variables, "propensity": {"resamples": 0}} | more


SLOW = ("clusters", "ecdf")


def assessed(protected: pd.DataFrame, said: dict[str, Any] | None = None, **more: Any) -> Any:
    original = more.pop("original", people())
    choices = {"skip": SLOW} | more
    given = schema() if said is None else said
    return microgauge.assess(original, protected, schema=given, **choices)


def ranked(tables: dict[str, pd.DataFrame], said: dict[str, Any] | None = None, **more: Any) -> Any:
    return microgauge.rank(
        people(),
        list(tables.values()),
        names=list(tables),
        schema=schema(rank={"utility": "tables"}) if said is None else said,
        **({"only": ["tables", "disclosure"]} | more),
    )


def noisy(frame: pd.DataFrame, size: float = 40.0) -> pd.DataFrame:
    noise = np.random.default_rng(6).normal(0, size, len(frame))
    return frame.assign(q_income=frame["q_income"] + noise)


def holed(frame: pd.DataFrame) -> pd.DataFrame:
    hit = np.random.default_rng(7).random(len(frame)) < 0.3
    return frame.assign(q_region=frame["q_region"].mask(hit), q_health=frame["q_health"].mask(hit))


def _left_in() -> Any:
    frame = people()
    named = frame.assign(q_mail=[f"a{i}@example.org" for i in range(len(frame))])
    return assessed(noisy(named), original=named)


def _analysed() -> Any:
    said = schema(
        indicator=[
            {"name": "q_mean", "variable": "q_income", "statistic": "mean", "resamples": 20},
            {"name": "q_share", "variable": "q_sex", "statistic": "share", "resamples": 20},
        ],
        regression=[{"formula": "q_income ~ q_age"}],
        require={"risk": "<=0.5", "utility": ">=0.99", "k": ">=2"},
    )
    return assessed(shuffled(people(), "q_income"), said)


def _one_variable() -> Any:
    said = {"variable": {"q_sex": {"role": "quasi_identifier"}}, "propensity": {"resamples": 1}}
    return assessed(shuffled(people()[["q_sex"]]), said, original=people()[["q_sex"]])


def _weighted() -> Any:
    frame = people().assign(q_w=np.random.default_rng(8).choice([0.5, 1.0, 2.0], 120))
    said = schema(options={"weight": "q_w"})
    return assessed(noisy(frame), said, original=frame)


def _keyed() -> Any:
    frame = people().assign(q_id=np.arange(120) + 1)
    said = schema(options={"key": "q_id"})
    return assessed(bands(frame).iloc[10:], said, original=frame)


def _texts_among_numbers() -> Any:
    marked = people()["q_income"].astype(str).mask(people().index < 3, "q_gone")
    loose = {"variable": {"q_age": {"role": "quasi_identifier"}}, "propensity": {"resamples": 0}}
    return assessed(people().assign(q_income=marked), loose)


def _far_off() -> Any:
    said = schema(
        indicator=[
            {"name": f"q_{what}", "variable": "q_income", "statistic": what, "resamples": 20}
            for what in ("mean", "median")
        ],
        options={"weight": "q_w"},
    )
    frame = people().assign(q_w=2.0)
    return assessed(frame.assign(q_income=frame["q_income"] * 3), said, original=frame)


def _two_candidates(**require: Any) -> Any:
    more = {"require": require} if require else {}
    said = schema(rank={"utility": "tables"}, **more)
    return ranked(
        {"q_ten": bands(people()), "q_wide": bands(shuffled(people(), "q_sex"), 40)}, said
    )


CASES: dict[str, Callable[[], Any]] = {
    "unchanged": lambda: assessed(people()),
    "noise and bands": lambda: assessed(noisy(bands(people()))),
    "shuffled": lambda: assessed(shuffled(people())),
    "one column removed": lambda: assessed(people().drop(columns="q_health")),
    "two columns removed": lambda: assessed(people().drop(columns=["q_health", "q_income"])),
    "cells suppressed": lambda: assessed(holed(people())),
    "left in": _left_in,
    "analyses and limits": _analysed,
    "no keys": lambda: assessed(noisy(people()), schema(())),
    "one key, by classes": lambda: assessed(
        noisy(people()), schema(("q_region",), risk={"measure": "classes"})
    ),
    "keys, by classes": lambda: assessed(noisy(people()), schema(risk={"measure": "classes"})),
    "one variable": _one_variable,
    "few rows": lambda: assessed(noisy(people(12)), original=people(12)),
    "one row left": lambda: assessed(people().head(1)),
    "all missing": lambda: assessed(people().assign(q_income=np.nan)),
    "weighted": _weighted,
    "joined by a key": _keyed,
    "drawn anew": lambda: assessed(people(200, 9), holdout=people(80, 10)),
    "merged into one": lambda: assessed(people().assign(q_region="q_n")),
    "turned round": lambda: assessed(people().assign(q_income=-people()["q_income"])),
    "renamed": lambda: assessed(people().assign(q_region="q_x" + people()["q_region"].str[2:])),
    "a column added": lambda: assessed(people().assign(q_new=1.5)),
    "a text among numbers": _texts_among_numbers,
    "a limit on the balance": lambda: assessed(noisy(people()), schema(require={"rut": ">=0.999"})),
    "indicators far off": _far_off,
    "ranked, no limit": _two_candidates,
    "ranked, limits": lambda: _two_candidates(risk="<=0.9"),
    "ranked, none": lambda: _two_candidates(risk="<=0.0001"),
    "ranked, unchanged": lambda: ranked({"q_same": people()}),
    "diagnosed": lambda: microgauge.diagnose(people(), schema=schema()),
    "diagnosed, one row": lambda: microgauge.diagnose(people(1), schema=schema(("q_sex",))),
}

FAULTS: dict[str, Callable[[], Any]] = {
    "no such key": lambda: assessed(people(), schema(options={"key": "q_none"})),
    "repeated key": lambda: assessed(people(), schema(options={"key": "q_sex"})),
    "infinite": lambda: assessed(people().assign(q_income=[np.inf, *people()["q_income"][1:]])),
    "no numbers": lambda: assessed(people().assign(q_income=["x", *map(str, range(119))])),
    "no column in common": lambda: assessed(pd.DataFrame({"q_z": [1.0, 2.0]})),
    "limits": lambda: assessed(people(), schema(require={"risk": ">=0.5", "nothing": "<=1"})),
}


# -- what they print -----------------------------------------------------------------------------


def printed() -> list[Said]:
    """Everything that the cases print."""
    found = []
    with _one_line_each():
        for name, made in CASES.items():
            found += [Said(name, kind, said) for kind, said in _all_said(made()) if said]
    for name, made in FAULTS.items():
        try:
            made()
        except InputError as error:
            found += [Said(name, "fault", fault) for fault in error.faults]
    return found


class _one_line_each:  # noqa: N801 (reads as a phrase)
    """Within it a terminal is so wide that no sentence is broken."""

    def __enter__(self) -> None:
        self.kept, text.WIDTH = text.WIDTH, 10_000

    def __exit__(self, *_: object) -> None:
        text.WIDTH = self.kept


def _all_said(result: Any) -> Iterator[tuple[str, str]]:
    if isinstance(result, microgauge.Assessment):
        yield from _of_assessment(result)
    else:
        drawn = ranking_text if isinstance(result, microgauge.Ranking) else diagnosis_text
        for line in drawn(result).splitlines():
            yield "text", line.strip(" -")
    yield from _of_json(result.to_dict())


def _of_assessment(result: microgauge.Assessment) -> Iterator[tuple[str, str]]:
    yield from (("code", note.code) for note in result.remarks)
    if result.verdict is not None:
        yield from (("finding code", finding.code) for finding in result.verdict.findings)
        for opinion in (result.verdict.useful, result.verdict.safe):
            yield "verdict", opinion.sentence
        for finding in result.verdict.findings:
            yield "finding", finding.sentence
            yield "finding", finding.remedy
    for headline in result.presenter.headlines(result, "internal"):
        yield "headline", headline.sentence or ""
        yield from (("headline", aside) for aside in headline.asides)
        yield from (("headline", figure.label) for figure in headline.figures)
    for group in result.presenter.words(result):
        yield from _of_block(group)
    for group in result.presenter.report(result, "internal", 10):
        yield from _of_block(group)


def _of_block(block: Any) -> Iterator[tuple[str, str]]:
    match block:
        case Sentence():
            yield "words", block.text
        case Stories():
            yield from (("words", said) for _, said in block.rows)
        case Figures():
            yield from (("words", row.said) for row in block.rows)
        case Table():
            yield from (("words", note) for note in block.notes if note)
            cells = (cell for row in block.rows for cell in row[1:])
            yield from (("words", cell) for cell in cells if isinstance(cell, str))
        case Group():
            yield "words", block.title
            for inner in block.blocks:
                yield from _of_block(inner)
        case Headline():
            raise AssertionError("a headline stands alone")


def _of_json(content: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _of_json(value, key)
    elif isinstance(content, list):
        for value in content:
            yield from _of_json(value, name)
    elif isinstance(content, str) and name in SAYING:
        yield "json", content


# -- forms ---------------------------------------------------------------------------------------

NAMES = re.compile(r"\bq_\w+\b")
LISTS = re.compile(r"NAME(?: × NAME)*(?:(?:, | and )NAME(?: × NAME)*)+(?: and # more)?")
NUMBERS = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


def form(said: str) -> str:
    """A sentence without what is of its case.

    >>> form("q_age, q_sex and q_w were removed: 12 of 1,200 (0.5) by 1")
    'NAMES were removed: # of # (#) by 1'
    """
    bare = NUMBERS.sub(lambda m: m[0] if m[0] in ("0", "1") else "#", NAMES.sub("NAME", said))
    return LISTS.sub("NAMES", bare)


def printed_forms(said: list[Said]) -> str:
    """Forms by kind, each once, in alphabetical order; short labels are left out."""
    kinds: dict[str, set[str]] = {}
    for one in said:
        if "code" not in one.kind and len(re.findall(r"[A-Za-z]{2,}", one.text)) >= 3:
            kinds.setdefault(one.kind, set()).add(form(one.text))
    parts = ("\n".join([f"# {kind}", *sorted(kinds[kind])]) for kind in sorted(kinds))
    return "\n\n".join(parts) + "\n"


def listed_codes(said: list[Said]) -> str:
    """Codes of notes and findings: those that the cases print, then those that only stand there."""
    seen = {one.text for one in said if one.kind in ("code", "finding code")}
    only = [code for code in codes() if code not in seen]
    return "\n".join(["# printed", *sorted(seen), "", "# in the source only", *only]) + "\n"


if __name__ == "__main__":
    told = printed()
    FORMS.write_text(listed(forms()), encoding="utf-8")
    PRINTED.write_text(printed_forms(told), encoding="utf-8")
    CODES.write_text(listed_codes(told), encoding="utf-8")
