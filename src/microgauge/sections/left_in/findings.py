"""What is said of a column that names people: what it holds, and what to do about it."""

from __future__ import annotations

from microgauge.languages.messages import say
from microgauge.results.left_in import LeftIn
from microgauge.results.wording import about_per_cent, counted

REMOVE = say("Remove the column.")
RANDOM = say("Remove the column, or replace it by a random number that is kept nowhere else.")
SPELT = {
    "email": (say("e-mail addresses"), REMOVE),
    "url": (say("web addresses"), REMOVE),
    "ip": (say("addresses of machines"), REMOVE),
    "phone": (say("telephone numbers"), REMOVE),
    "iban": (say("bank accounts"), REMOVE),
    "card": (say("numbers of payment cards"), REMOVE),
    "national-id": (say("numbers that states give to persons"), REMOVE),
    "hash": (say("hashes or other codes that a computer made of or for a person"), RANDOM),
    "date": (
        say("dates with their day"),
        say("Keep the year, or the age in bands; or remove the column."),
    ),
    "coordinates": (
        say("coordinates that tell a house"),
        say("Keep a region, or round them to whole degrees; or remove the column."),
    ),
    "free-text": (
        say("free text"),
        say("Remove the column, or code its answers into categories: no one can read all of it."),
    ),
}
"""By code: what the cells are, and what to do."""
DIFFERENT = {
    "key": (say("it is the key that joins the tables, and names every unit"), RANDOM),
    "id": (say("the schema says that it is an id"), RANDOM),
    "found-id": (say("it is an identifier in the original"), RANDOM),
    "code": (say("long codes, one for every record or for every few"), RANDOM),
    "text": (
        say("texts that are nearly all different"),
        say("Remove the column, or merge its values."),
    ),
    "running-number": (
        say("whole numbers that were given out: they repeat less than chance would"),
        RANDOM,
    ),
    "called-name": (say("its name is that of people's names, and its values are many"), REMOVE),
    "called-address": (
        say("its name is that of addresses, and its values are many"),
        say("Keep a region; or remove the column."),
    ),
    "called-contact": (
        say("its name is that of contacts or accounts, and its values are many"),
        REMOVE,
    ),
    "called-national-id": (
        say("its name is that of numbers that states give to persons, and its values are many"),
        REMOVE,
    ),
    "called-person-id": (
        say("its name is that of numbers of persons or households, and its values are many"),
        RANDOM,
    ),
    "called-birth": (
        say("its name is that of dates of birth or death, and its values are many"),
        say("Keep the year, or the age in bands; or remove the column."),
    ),
}
"""The same for columns that are known by how their values differ, by the schema, or by name."""


def finding(column: str, code: str, share: float | None) -> LeftIn:
    """What is said of a column; without a share where its values were not told apart."""
    if share is None:
        why, remedy = DIFFERENT[code]
        return LeftIn(
            column=column, why=why, share=None, code=code, grade="stop",
            sentence=say('"{column}": {why}.', column=column, why=why), remedy=remedy,
            reason=say("its values were not told apart"),
        )  # fmt: skip
    if code in SPELT:
        why, remedy = SPELT[code]
        sentence = say(
            '"{column}" holds {why} in {percent} of its filled cells.',
            column=column,
            why=why,
            percent=percent(share),
        )
    else:
        why, remedy = DIFFERENT[code]
        sentence = say(
            '"{column}": {why}; {percent} of its filled cells have a value of their own.',
            column=column,
            why=why,
            percent=percent(share),
        )
    return LeftIn(
        column=column, why=why, share=share, code=code, grade="stop", sentence=sentence,
        remedy=remedy,
    )  # fmt: skip


def crowded(column: str, holds: str) -> LeftIn:
    """Of a column with more texts than are told apart, which can be no categories."""
    return LeftIn(
        column=column,
        why=say("{holds}, which are no categories", holds=holds),
        share=None,
        code="crowded",
        grade="stop",
        sentence=say(
            '"{column}" holds {holds}, which are no categories.', column=column, holds=holds
        ),
        remedy=say("Remove the column, or merge its values."),
        reason=say("too many to count (distinct_values in [options])"),
    )


def unchanged_file(variables: int) -> LeftIn:
    """Of a file whose rows are those of the original."""
    return LeftIn(
        column=None,
        why=say("nothing was changed"),
        share=1.0,
        code="unchanged",
        grade="stop",
        sentence=say(
            "The protected file holds the very rows of the original: no cell of its "
            "{analysed_variables} was changed, and no record left out.",
            analysed_variables=counted(variables, "analysed variable"),
        ),
        remedy=say("Protect the file, or check that the right one was given."),
    )


def percent(share: float) -> str:
    """A share in words that are right for very small and very large ones.

    >>> percent(1.0), percent(0.9999), percent(0.42), percent(0.0004)
    ('all', 'nearly all', '42 %', 'fewer than 1 %')
    """
    if share >= 1.0:
        return say("all")
    if share >= 0.995:
        return say("nearly all")
    return about_per_cent(share) if share >= 0.01 else say("fewer than 1 %")
