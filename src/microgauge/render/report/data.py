"""From a result to the data inside a report. What a page must not show is not in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from microgauge.languages.messages import say, strung
from microgauge.results import Assessment, Edition, InputTable
from microgauge.results.blocks import QUESTIONS, Figure, Group, Head, Headline, Part
from microgauge.results.manifest import Manifest
from microgauge.results.wording import called, counted

Data = dict[str, Any]

THRESHOLD = 10
"""Records that a figure of the public edition must rest on."""

LEFT_OUT = (
    say("risk of re-identification, and its balance with utility"),
    say(
        "how variables were protected: which values a recoding merged, suppressed and changed cells"
    ),
    say(
        "values of the original: smallest and largest ones, and categories the protected file lacks"
    ),
    say("tables of pairs, cell by cell"),
)
MONTHS = (
    say("January"), say("February"), say("March"), say("April"), say("May"), say("June"),
    say("July"), say("August"), say("September"), say("October"), say("November"),
    say("December"),
)  # fmt: skip
ROUNDED = (
    say(
        "what would come back by arithmetic: pairs of such variables, groups that would be left "
        "over, terms of regressions and statistics that one record decides; scores of variables "
        "are of the categories that are told, all others being one, and means are of scores that "
        "are told"
    ),
    say(
        "digits: figures are multiples of a step that grows as records get fewer, p-values are "
        "told by a class, ratios to chance below 1 as 1, distances of distribution functions "
        "rounded up; one record more or less leaves most figures as they are, not all of them"
    ),
)
"""What else a public edition lacks, after what rests on few records."""


def assessment_data(result: Assessment, edition: Edition, threshold: int) -> Data:
    """Everything a report of one protected file shows.

    Of a public one the result is what `for_users` left of it.
    """
    presenter = result.presenter
    headlines = presenter.headlines(result, edition)
    groups = presenter.report(result, edition, threshold)
    data: Data = {
        "kind": "assess",
        "edition": edition,
        "date": day(),
        "verdict": _verdict(headlines, edition),
        "figures": [_figure(figure) for headline in headlines for figure in headline.figures],
        "compared": compared(result, edition == "public"),
        "variables": [],
        "pairs": {"names": [], "matrix": [], "weakest": []},
        **_parts(groups),
        "questions": [[name, *said] for name, said in QUESTIONS.items()],
        "sections": _sections(groups),
        "explain": explanations(result, edition),
    }
    if edition == "public":
        data["left_out"] = [
            *LEFT_OUT,
            say(
                "whatever rests on fewer than {threshold} records: categories, bins, "
                "groups, counts",
                threshold=threshold,
            ),
            *ROUNDED,
        ]
    else:
        data["notes"] = list(result.notes)
    return data


def day() -> str:
    """Today, or the day that whoever makes files again says it is."""
    said = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(said), UTC) if said.isdecimal() else datetime.now(UTC)
    return say("{day} {month} {year}", day=now.day, month=MONTHS[now.month - 1], year=str(now.year))


def explanations(result: Assessment, edition: Edition) -> Mapping[str, Mapping[str, Any]]:
    """What the figures mean that an edition may show."""
    return result.presenter.explanations(edition)


def _verdict(headlines: Sequence[Headline], edition: Edition) -> list[str]:
    said = [headline.sentence for headline in headlines if headline.sentence is not None]
    nothing = say("No overall figure was computed.")
    return said or [say("No overall figure is told.") if edition == "public" else nothing]


def _figure(figure: Figure) -> Data:
    return {
        "key": figure.explain,
        "label": figure.label,
        "value": figure.value,
        "digits": figure.digits,
        "main": figure.main,
        "share": figure.share,
    }


def compared(result: Assessment, public: bool) -> list[list[str]]:
    """What was compared with what, and by what: what it is, what is said of it, a name."""
    inputs = result.inputs
    sizes = [_size(inputs.original), _size(inputs.protected)]
    if public:
        return [
            [say("original"), say("about {sizes}", sizes=sizes[0])],
            [say("protected"), sizes[1]],
            ["microgauge", result.microgauge],
        ]
    rows = [
        [say("original"), sizes[0], inputs.original.path],
        [say("protected"), sizes[1], inputs.protected.path],
        [say("alignment"), _matched(inputs.alignment.how), inputs.alignment.reason],
        [say("seed"), str(inputs.seed)],
        ["microgauge", result.microgauge],
    ]
    return rows if result.manifest is None else [*rows, *_made_from(result.manifest)]


def _matched(how: str) -> str:
    return say("by a key") if how == "key" else called(how)


def _made_from(manifest: Manifest) -> list[list[str]]:
    """What the inputs hold, by their hashes, and what figures rest on."""
    hashes = [
        [say("SHA-256, {role}", role=called(one.role)), grouped(one.sha256)]
        for one in manifest.inputs
        if one.role in ("original", "protected") and one.sha256 is not None
    ]
    versions = strung(
        (
            say("{name} {version}", name=name, version=version)
            for name, version in manifest.versions.items()
        ),
        ", ",
    )
    return [*hashes, *([[say("versions"), versions]] if versions else [])]


def grouped(sha256: str) -> str:
    """A hash as it can be compared by eye.

    >>> grouped("e3b0c44298fc1c14")
    'e3b0c442 98fc1c14'
    """
    return " ".join(sha256[at : at + 8] for at in range(0, len(sha256), 8))


def _size(table: InputTable) -> str:
    """
    >>> _size(InputTable(path="o.csv", rows=5497, columns=1))
    '5,497 rows, 1 column'
    """
    return strung([counted(table.rows, "row"), counted(table.columns, "column")], ", ")


def _parts(groups: Sequence[Group]) -> Data:
    """What has a drawing of its own, by its name."""
    parts = (block for group in groups for block in group.blocks if isinstance(block, Part))
    return {part.name: part.content for part in parts}


def _sections(groups: Sequence[Group]) -> list[Data]:
    """Headings with their blocks, in the order in which the page shows them."""
    found = []
    for group in groups:
        blocks = [_plain(block) for block in group.blocks if not isinstance(block, Part)]
        if blocks:
            entry = {
                "name": group.name, "title": group.title, "explain": group.explain,
                "answers": group.answers,
            }  # fmt: skip
            first = {"first": True} if group.first else {}
            found.append({**entry, **first, "blocks": blocks})
    return found


def _plain(value: Any) -> Any:
    """Blocks as dicts that say which kind of block they are."""
    if isinstance(value, Head):
        return {"number": value.number} | _told(value, "text", "digits", "explain", "optional")
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value).__name__.lower()
        return {"block": kind} | _told(value, *(field.name for field in fields(value)))
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


def _told(value: Any, *names: str) -> Data:
    """Fields that say something."""
    given = {name: getattr(value, name) for name in names}
    return {
        name: _plain(entry)
        for name, entry in given.items()
        if entry is not None and entry is not False and entry != ()
    }
