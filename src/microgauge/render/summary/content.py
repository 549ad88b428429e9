"""What the page for the committee says, from a result of one file or of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import PurePath
from typing import Any

from microgauge.languages.catalogue import ENGLISH_WORDS, Words
from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.render.ranking import verdict as choice_said
from microgauge.render.report.data import day
from microgauge.results import Assessment, Candidate, InputTable, Ranking
from microgauge.results.figures import UTILITIES
from microgauge.results.gate import Check, file_checks
from microgauge.results.manifest import InputHash, Manifest
from microgauge.results.names import plain
from microgauge.results.requirements import SAID
from microgauge.results.verdict import Finding, Grade, Opinion
from microgauge.results.wording import beginning, called, counted, short

NO_VERDICT = say("It was not judged: the verdict was left out of this run.")
NO_CHOICE = say("No candidate is recommended; each one's findings stand in its own report.")
MOST_TABLES = 7
"""Candidates whose files have room on the page."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One of the two questions."""

    question: str
    grade: Grade
    figure: str
    """The number and the limit."""
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A table, as the page names it."""

    role: str
    said: str
    rows: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class Content:
    """Everything on the page but the map."""

    kind: str
    title: str
    date: str
    choice: tuple[str, ...]
    """Of several candidates: which to release and why; of one file, why the verdict may change."""
    answers: tuple[Answer, ...]
    limits: tuple[Check, ...]
    about_limits: str
    """Whose limits these are, or why there are none."""
    findings: tuple[Finding, ...]
    no_findings: str
    tables: tuple[Compared, ...]
    more_tables: int
    texts: tuple[tuple[str, str], ...]
    """The schema and the recipe, with their hashes."""
    made: str
    """Program, versions, seed."""


def content_of(result: Assessment | Ranking, words: Words = ENGLISH_WORDS) -> Content:
    """What the page says, in a language: how long a text is decides where it stands."""
    content = _of_ranking(result) if isinstance(result, Ranking) else _of_file(result)
    told: Content = _in_language(content, words)
    return told


def _in_language(value: Any, words: Words) -> Any:
    """Records with every message in them said in a language."""
    if isinstance(value, str):
        return words.of(value)
    if isinstance(value, tuple):
        return tuple(_in_language(one, words) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        held = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(value, **{name: _in_language(one, words) for name, one in held.items()})
    return value


def _of_file(result: Assessment) -> Content:
    verdict = result.verdict
    inputs, manifest = result.inputs, result.manifest
    named = verdict.title if verdict is not None and verdict.title else None
    tables = [("original", inputs.original), ("protected", inputs.protected)]
    return Content(
        kind=say("Summary of a protected file"),
        title=named or _base(inputs.protected.path),
        date=day(),
        choice=_provisional(result),
        answers=_answers(result),
        limits=file_checks(result),
        about_limits="" if result.requirements else say("No limit was set."),
        findings=() if verdict is None else verdict.findings,
        no_findings=NO_VERDICT
        if verdict is None
        else say("Nothing was found to be told before a release."),
        tables=(*(_compared(role, None, t, manifest) for role, t in tables), *_others(manifest)),
        more_tables=0,
        texts=_texts(manifest),
        made=_made(result.microgauge, inputs.seed, manifest),
    )


def _provisional(result: Assessment) -> tuple[str, ...]:
    """A first verdict says that it is one: nobody should sign it for the last."""
    why = None if result.verdict is None else result.verdict.provisional
    return (
        ()
        if why is None
        else (say("This is a first verdict, which may still change."), why.sentence)
    )


def _of_ranking(result: Ranking) -> Content:
    best = result.best
    first = result.candidates[0].assessment
    titles = [c.assessment.verdict.title for c in result.candidates if c.assessment.verdict]
    named = next((title for title in titles if title), None)
    shown, manifest = _shown(result), result.manifest
    tables = [_compared("original", None, first.inputs.original, manifest)]
    tables += [
        _compared("candidate", c.name, c.assessment.inputs.protected, manifest) for c in shown
    ]
    judged = None if best is None else best.assessment.verdict
    return Content(
        kind=say("Summary of {n:,} candidates of one original", n=len(result.candidates)),
        title=named or _base(first.inputs.original.path),
        date=day(),
        choice=tuple(choice_said(result)),
        answers=() if best is None else _answers(best.assessment, best.name),
        limits=_limits_of(result, best),
        about_limits=_about_limits(result, best),
        findings=() if judged is None else judged.findings,
        no_findings=NO_CHOICE if best is None else _no_findings(best.assessment),
        tables=(*tables, *_others(manifest)),
        more_tables=len(result.candidates) - len(shown),
        texts=_texts(manifest),
        made=_made(first.microgauge, first.inputs.seed, manifest),
    )


def _shown(result: Ranking) -> list[Candidate]:
    """The recommended candidate, then the others in their order, as many as have room."""
    ordered = sorted(result.candidates, key=lambda c: c.name != result.recommended.name)
    return ordered[:MOST_TABLES]


def _limits_of(result: Ranking, best: Candidate | None) -> tuple[Check, ...]:
    """The limits of the recommended candidate; without one, what each of the others misses."""
    if best is not None:
        return file_checks(best.assessment)
    checks = [c for one in result.candidates for c in file_checks(one.assessment, one.name)]
    return tuple(check for check in checks if not check.kept)


def _about_limits(result: Ranking, best: Candidate | None) -> str:
    if not result.limits:
        return say("No limit was set.")
    if best is not None:
        return say("Of {name}:", name=best.name)
    return "" if _limits_of(result, None) else say("Every candidate keeps them.")


def _no_findings(result: Assessment) -> str:
    verdict = result.verdict
    if verdict is None:
        return NO_VERDICT
    if "unknown" in (verdict.useful.grade, verdict.safe.grade):
        return say("Nothing was found in what was measured; what is unknown may hold more.")
    return say("Nothing was found to be told before a release.")


def _answers(result: Assessment, name: str | None = None) -> tuple[Answer, ...]:
    verdict = result.verdict
    asked = _asked(None if name is None else beginning(plain(name), 30))
    if verdict is None:
        return tuple(
            Answer(question=one, grade="unknown", figure=say("not judged"), sentence=NO_VERDICT)
            for one in asked
        )
    return tuple(
        Answer(question=one, grade=found.grade, figure=_figure(found, result),
               sentence=found.sentence)
        for one, found in zip(asked, (verdict.useful, verdict.safe), strict=True)
    )  # fmt: skip


def _asked(name: str | None) -> tuple[str, str]:
    """Both questions."""
    if name is None:
        return say("Is it useful?"), say("Is it safe?")
    return say("Is {name} useful?", name=name), say("Is {name} safe?", name=name)


def _figure(opinion: Opinion, result: Assessment) -> str:
    """The number that decides, and its limit."""
    if opinion.measure is None or opinion.value is None:
        return say("no figure")
    said = say("{measure} {value}", measure=_measure(opinion.measure), value=short(opinion.value))
    if opinion.limit is None:
        return say("{said}; no limit was set", said=said)
    limits = [one for one in result.requirements or () if one.limit == opinion.limit]
    side = next((SAID[one.operator] for one in limits if one.value == opinion.value), say("limit"))
    return say("{said}; {side} {limit:g} is asked for", said=said, side=side, limit=opinion.limit)


def _measure(name: str) -> str:
    """A measure in a committee's words."""
    if name in ("disclosure", "classes"):
        return say("risk")
    return say("utility") if name.partition(":")[0] in UTILITIES else name


def _base(path: str) -> str:
    """The name of a file without its folder: where it lies is nobody's concern."""
    return say("a data frame") if path.startswith("<") else PurePath(path).name or path


def _compared(
    role: str, name: str | None, table: InputTable, manifest: Manifest | None
) -> Compared:
    hashes = () if manifest is None else manifest.inputs
    one = next((h for h in hashes if h.role == role and h.name == name), None)
    file = _base(table.path)
    said = (
        file
        if name is None
        else name
        if table.path.startswith("<")
        else say("{name} ({file})", name=name, file=file)
    )
    rows = say("{rows} × {columns:,}", rows=counted(table.rows, "row"), columns=table.columns)
    return Compared(role=called(role), said=said, rows=rows, digest=_digest(one))


def _others(manifest: Manifest | None) -> list[Compared]:
    """Tables that risk was measured against."""
    hashes = () if manifest is None else manifest.inputs
    return [
        Compared(role=called(one.role), said=_given(one), rows="", digest=_digest(one))
        for one in hashes
        if one.role in ("external", "population", "holdout")
    ]


def _given(one: InputHash) -> str:
    if one.given is None:
        return say("a data frame")
    return _base(one.given if isinstance(one.given, str) else one.given[0])


def _digest(one: InputHash | None) -> str:
    if one is None:
        return say("no SHA-256: it was made for this run")
    if one.sha256 is None:
        return say("no SHA-256: {reason}", reason=one.reason)
    several = say(" ({n} files)", n=len(one.files)) if len(one.files) > 1 else ""
    return say("SHA-256 {sha256}{several}", sha256=one.sha256, several=several)


def _texts(manifest: Manifest | None) -> tuple[tuple[str, str], ...]:
    if manifest is None:
        return ()
    found = []
    for what, text in ((say("schema"), manifest.schema), (say("recipe"), manifest.recipe)):
        if text is None:
            continue
        if text.sha256 is not None:
            found.append(
                (
                    say("{what}: {base}", what=what, base=_base(text.path or "")),
                    say("SHA-256 {sha256}", sha256=text.sha256),
                )
            )
        elif text.content_sha256 is not None:
            found.append(
                (
                    say("{what}: no file; its content", what=what),
                    say("SHA-256 {content_sha256}", content_sha256=text.content_sha256),
                )
            )
        else:
            found.append((what, say("no SHA-256: {reason}", reason=text.reason)))
    return tuple(found)


def _made(version: str, seed: int, manifest: Manifest | None) -> str:
    if manifest is None:
        return say("microgauge {version}; seed {seed}", version=version, seed=seed)
    versions: Sequence[str] = [
        say("{name} {said}", name=name, said=said) for name, said in manifest.versions.items()
    ]
    return say(
        "{command} by {versions}; seed {seed}",
        command=manifest.command,
        versions=strung(versions, ", "),
        seed=seed,
    )
