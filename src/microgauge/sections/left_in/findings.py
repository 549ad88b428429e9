"""What is said of a column that names people: what it holds, and what to do about it."""

from __future__ import annotations

from microgauge.results.left_in import LeftIn
from microgauge.results.wording import about_per_cent, counted

REMOVE = "Remove the column."
RANDOM = "Remove the column, or replace it by a random number that is kept nowhere else."
SPELT = {
    "email": ("e-mail addresses", REMOVE),
    "url": ("web addresses", REMOVE),
    "ip": ("addresses of machines", REMOVE),
    "phone": ("telephone numbers", REMOVE),
    "iban": ("bank accounts", REMOVE),
    "card": ("numbers of payment cards", REMOVE),
    "national-id": ("numbers that states give to persons", REMOVE),
    "hash": ("hashes or other codes that a computer made of or for a person", RANDOM),
    "date": ("dates with their day", "Keep the year, or the age in bands; or remove the column."),
    "coordinates": (
        "coordinates that tell a house",
        "Keep a region, or round them to whole degrees; or remove the column.",
    ),
    "free-text": (
        "free text",
        "Remove the column, or code its answers into categories: no one can read all of it.",
    ),
}
"""By code: what the cells are, and what to do."""
DIFFERENT = {
    "key": ("it is the key that joins the tables, and names every unit", RANDOM),
    "id": ("the schema says that it is an id", RANDOM),
    "found-id": ("it is an identifier in the original", RANDOM),
    "code": ("long codes, one for every record or for every few", RANDOM),
    "text": ("texts that are nearly all different", "Remove the column, or merge its values."),
    "running-number": (
        "whole numbers that were given out: they repeat less than chance would",
        RANDOM,
    ),
    "called-name": ("its name is that of people's names, and its values are many", REMOVE),
    "called-address": (
        "its name is that of addresses, and its values are many",
        "Keep a region; or remove the column.",
    ),
    "called-contact": ("its name is that of contacts or accounts, and its values are many", REMOVE),
    "called-national-id": (
        "its name is that of numbers that states give to persons, and its values are many",
        REMOVE,
    ),
    "called-person-id": (
        "its name is that of numbers of persons or households, and its values are many",
        RANDOM,
    ),
    "called-birth": (
        "its name is that of dates of birth or death, and its values are many",
        "Keep the year, or the age in bands; or remove the column.",
    ),
}
"""The same for columns that are known by how their values differ, by the schema, or by name."""


def finding(column: str, code: str, share: float | None) -> LeftIn:
    """What is said of a column; without a share where its values were not told apart."""
    if share is None:
        why, remedy = DIFFERENT[code]
        return LeftIn(
            column=column, why=why, share=None, code=code, grade="stop",
            sentence=f'"{column}": {why}.', remedy=remedy,
            reason="its values were not told apart",
        )  # fmt: skip
    if code in SPELT:
        why, remedy = SPELT[code]
        sentence = f'"{column}" holds {why} in {percent(share)} of its filled cells.'
    else:
        why, remedy = DIFFERENT[code]
        sentence = (
            f'"{column}": {why}; {percent(share)} of its filled cells have a value of their own.'
        )
    return LeftIn(
        column=column, why=why, share=share, code=code, grade="stop", sentence=sentence,
        remedy=remedy,
    )  # fmt: skip


def crowded(column: str, holds: str) -> LeftIn:
    """Of a column with more texts than are told apart, which can be no categories."""
    return LeftIn(
        column=column,
        why=f"{holds}, which are no categories",
        share=None,
        code="crowded",
        grade="stop",
        sentence=f'"{column}" holds {holds}, which are no categories.',
        remedy="Remove the column, or merge its values.",
        reason="too many to count (distinct_values in [options])",
    )


def unchanged_file(variables: int) -> LeftIn:
    """Of a file whose rows are those of the original."""
    return LeftIn(
        column=None,
        why="nothing was changed",
        share=1.0,
        code="unchanged",
        grade="stop",
        sentence="The protected file holds the very rows of the original: no cell of its "
        f"{counted(variables, 'analysed variable')} was changed, and no record left out.",
        remedy="Protect the file, or check that the right one was given.",
    )


def percent(share: float) -> str:
    """A share in words that are right for very small and very large ones.

    >>> percent(1.0), percent(0.9999), percent(0.42), percent(0.0004)
    ('all', 'nearly all', '42 %', 'fewer than 1 %')
    """
    if share >= 1.0:
        return "all"
    if share >= 0.995:
        return "nearly all"
    return about_per_cent(share) if share >= 0.01 else "fewer than 1 %"
