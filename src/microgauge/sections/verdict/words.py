"""The verdict in blocks: its own sentences, and none besides."""

from __future__ import annotations

from microgauge.languages.messages import say
from microgauge.results.blocks import Block, Group, Headline, Sentence, Stories
from microgauge.results.verdict import Finding, Opinion, Verdict

MOST_FINDINGS = 6


def headline(verdict: Verdict) -> Headline:
    """Both grades and the worst findings."""
    title = say("Verdict: {title}", title=verdict.title) if verdict.title else say("Verdict")
    return Headline(blocks=(Group(title=title, name="verdict", blocks=tuple(_told(verdict))),))


def _told(verdict: Verdict) -> list[Block]:
    shown, more = verdict.findings[:MOST_FINDINGS], len(verdict.findings) - MOST_FINDINGS
    rows = [
        (say("useful"), opinion_line(verdict.useful)),
        (say("safe"), opinion_line(verdict.safe)),
    ]
    told: list[Block] = [Stories(rows=(*rows, *((one.grade, finding_line(one)) for one in shown)))]
    if more > 0:
        less = say("is one finding") if more == 1 else say("are {more} findings", more=more)
        told.append(
            Sentence(text=say("There {less} more in the JSON result.", less=less), soft=True)
        )
    return told


def opinion_line(opinion: Opinion) -> str:
    """The grade, and its sentence."""
    return say(
        "{capitalize}. {sentence}", capitalize=opinion.grade.capitalize(), sentence=opinion.sentence
    )


def finding_line(finding: Finding) -> str:
    """What was found, what to do, and where to read on."""
    return say(
        "{sentence} {remedy} ({see})",
        sentence=finding.sentence,
        remedy=finding.remedy,
        see=finding.see,
    )
