"""What its figures mean: the question, range, direction and reference."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, Mapping[str, str]] = {
    "disclosure": {
        "question": "How much does an intruder who knows the keys get: people found, or something "
        "learned of them?",
        "range": "0 to 1",
        "direction": "0 nothing, 1 everybody",
        "reference": "the larger of found and learned",
    },
    "found": {
        "question": "What is the chance that an intruder who knows a person's keys finds that "
        "person's record?",
        "range": "0 to 1",
        "direction": "0 nobody is found",
        "reference": "record linkage against the truth",
    },
    "learned": {
        "question": "How much more often is a value that all matching records show right than "
        "guessing would be?",
        "range": "-1 to 1",
        "direction": "0 nothing is learned",
        "reference": "after Raab, Nowok and Dibben 2024",
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
    },
    "membership": {
        "question": "Can one tell who was in the original?",
        "range": "0.5 to 1",
        "direction": "0.5 nobody can",
        "reference": "DeLong 1988",
    },
}
