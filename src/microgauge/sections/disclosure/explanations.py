"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.languages.messages import say
from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "disclosure": {
        "question": say(
            "How much does an intruder who knows the keys get: people found, or something "
            "learned of them?"
        ),
        "range": say("0 to 1"),
        "direction": say("0 nothing, 1 everybody"),
        "reference": say("the larger of found and learned"),
        "reading": (
            (0.05, say("called good where no limit is set")),
            (0.2, say("called fair where no limit is set")),
            (None, say("called poor where no limit is set")),
        ),
    },
    "found": {
        "question": say(
            "What is the chance that an intruder who knows a person's keys finds that "
            "person's record?"
        ),
        "range": say("0 to 1"),
        "direction": say("0 nobody is found"),
        "reference": say("record linkage against the truth"),
        "reading": (
            (0.01, say("at most one person in a hundred, on average")),
            (0.05, say("at most one person in twenty, on average")),
            (0.2, say("at most one person in five, on average")),
            (None, say("more than one person in five, on average")),
        ),
    },
    "learned": {
        "question": say(
            "How much more often is a value that all matching records show right than "
            "guessing would be?"
        ),
        "range": say("-1 to 1"),
        "direction": say("0 nothing is learned"),
        "reference": say("after Raab, Nowok and Dibben 2024"),
        "reading": (
            (0.0, say("nothing beyond guessing")),
            (0.05, say("little beyond guessing")),
            (0.2, say("something beyond guessing")),
            (None, say("much beyond guessing")),
        ),
    },
    "disco": {
        "question": say(
            "Of how many people do records with the same keys show one value only, and the "
            "right one?"
        ),
        "range": say("0 to 1"),
        "direction": say("0 nobody; high wherever one value is common, whatever the file"),
        "reference": say("Raab, Nowok and Dibben 2024"),
    },
    "copied": {
        "question": say(
            "How many people who are alone with their values stand in the file unchanged?"
        ),
        "range": say("0 to 1"),
        "direction": say("0 nobody"),
        "reference": say("NIST's unique exact matches"),
        "reading": (
            (0.0, say("nobody")),
            (0.01, say("at most one in a hundred of them")),
            (0.1, say("at most one in ten of them")),
            (None, say("more than one in ten of them")),
        ),
    },
    "membership": {
        "question": say("Can one tell who was in the original?"),
        "range": say("0.5 to 1"),
        "direction": say("0.5 nobody can"),
        "reference": say("DeLong 1988"),
        "reading": (
            (0.5, say("no better than tossing a coin")),
            (0.55, say("hardly better than tossing a coin")),
            (0.65, say("clearly better than tossing a coin")),
            (None, say("far better than tossing a coin")),
        ),
    },
}
