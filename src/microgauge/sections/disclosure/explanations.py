"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

from microgauge.sections.section import Explanation

EXPLANATIONS: Mapping[str, Explanation] = {
    "disclosure": {
        "question": "How much does an intruder who knows the keys get: people found, or something "
        "learned of them?",
        "range": "0 to 1",
        "direction": "0 nothing, 1 everybody",
        "reference": "the larger of found and learned",
        "reading": (
            (0.05, "called good where no limit is set"),
            (0.2, "called fair where no limit is set"),
            (None, "called poor where no limit is set"),
        ),
    },
    "found": {
        "question": "What is the chance that an intruder who knows a person's keys finds that "
        "person's record?",
        "range": "0 to 1",
        "direction": "0 nobody is found",
        "reference": "record linkage against the truth",
        "reading": (
            (0.01, "at most one person in a hundred, on average"),
            (0.05, "at most one person in twenty, on average"),
            (0.2, "at most one person in five, on average"),
            (None, "more than one person in five, on average"),
        ),
    },
    "learned": {
        "question": "How much more often is a value that all matching records show right than "
        "guessing would be?",
        "range": "-1 to 1",
        "direction": "0 nothing is learned",
        "reference": "after Raab, Nowok and Dibben 2024",
        "reading": (
            (0.0, "nothing beyond guessing"),
            (0.05, "little beyond guessing"),
            (0.2, "something beyond guessing"),
            (None, "much beyond guessing"),
        ),
    },
    "disco": {
        "question": "Of how many people do records with the same keys show one value only, and the "
        "right one?",
        "range": "0 to 1",
        "direction": "0 nobody; high wherever one value is common, whatever the file",
        "reference": "Raab, Nowok and Dibben 2024",
    },
    "copied": {
        "question": "How many people who are alone with their values stand in the file unchanged?",
        "range": "0 to 1",
        "direction": "0 nobody",
        "reference": "NIST's unique exact matches",
        "reading": (
            (0.0, "nobody"),
            (0.01, "at most one in a hundred of them"),
            (0.1, "at most one in ten of them"),
            (None, "more than one in ten of them"),
        ),
    },
    "membership": {
        "question": "Can one tell who was in the original?",
        "range": "0.5 to 1",
        "direction": "0.5 nobody can",
        "reference": "DeLong 1988",
        "reading": (
            (0.5, "no better than tossing a coin"),
            (0.55, "hardly better than tossing a coin"),
            (0.65, "clearly better than tossing a coin"),
            (None, "far better than tossing a coin"),
        ),
    },
}
