"""What commands say in the words of a shell, said in the words of the pages.

Results and what commands print stay as they are: only whoever looks at a page is sent to a field
of it. The text on the left is the form of a message, the one on the right stands in its place; the
forms are written out, since what commands say them takes long to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from microgauge.languages.catalogue import Words, words_of
from microgauge.languages.messages import ENGLISH, say

INSTEAD: Mapping[str, str] = {
    'no limit on risk was given; set one by --max-risk 0.05, or risk = "<=0.05" in [require] of '
    "the schema": say(
        'no limit on risk was given; fill in "risk at most" on Measure, or beside the steps of '
        "the recipe"
    ),
    "no quasi-identifier is declared. Name the variables by which a person could be recognised, "
    'with --keys A,B (keys= in Python) or role = "quasi_identifier" in the schema.': say(
        "no key is described. On Describe, choose key as the role of the variables by which a "
        "person could be recognised."
    ),
    "no quasi-identifier is declared. Name the variables by which a person could be recognised: "
    "--keys {quote} (guessed by name or label; keys= in Python).": say(
        "no key is described. On Describe, choose key as the role of the variables by which a "
        "person could be recognised: {quote} (guessed by name or label)."
    ),
    'and the schema names no variable with role = "quasi_identifier", which it needs': say(
        "and no variable is described as a key, which it needs"
    ),
    "If the file holds the same people in another order, join it by a column that both files "
    "have (--key).": say(
        "If the file holds the same people in another order, join it by a column that both files "
        "have: key among the options on Describe."
    ),
    "People who are not in the original (--holdout) would show how much is true of anyone.": say(
        "People who are not in the original (a holdout, chosen on Files) would show how much is "
        "true of anyone."
    ),
    "Say in the schema what these values are.": say("Say on Describe what these values are."),
    "{no_limit}, and no file of known loss stands beside the measure ({utility_title}: {value}). "
    'Say what is enough: --require "utility>=0.8".': say(
        "{no_limit}, and no file of known loss stands beside the measure ({utility_title}: "
        '{value}). Say what is enough: "utility at least" on Measure.'
    ),
    "{rows:,} rows × {variables:,} variables: this may take {said}; --only measures some sections "
    "alone.": say("{rows:,} rows × {variables:,} variables: this may take {said}."),
    'the {role} variable "{name}" has more than {distinct_values:,} different values in the '
    "{which} table, which is too many to tell all apart beyond memory: raise distinct_values in "
    "[options], or recode it.": say(
        'the {role} variable "{name}" has more than {distinct_values:,} different values in the '
        "{which} table, which is too many to tell all apart beyond memory: raise distinct_values "
        "among the options on Describe, or recode it."
    ),
    "the {which} table has too many different values of {crowded} to tell all apart beyond "
    "memory: raise distinct_values in [options].": say(
        "the {which} table has too many different values of {crowded} to tell all apart beyond "
        "memory: raise distinct_values among the options on Describe."
    ),
    '"{name}" is declared ordinal, but {n} of its {n2} distinct values in the {which} table have '
    "no place in an order. Give order = […] in the schema with all of them, or make it "
    "nominal.": say(
        '"{name}" is described as ordered categories, but {n} of its {n2} distinct values in the '
        '{which} table have no place in an order. Give all of them under "Order of the values" '
        "(More …), or choose categories as its type."
    ),
    '"{name}": {strange} of {sum} distinct values in the protected table are no numbers. If they '
    "mark suppressed cells, declare them as missing in the schema.": say(
        '"{name}": {strange} of {sum} distinct values in the protected table are no numbers. If '
        'they mark suppressed cells, name them under "Codes that mean missing" (More …).'
    ),
    "{where} is in UTF-16, which cannot be read in batches: convert it to UTF-8, or give more "
    "--memory.": say("{where} is in UTF-16, which cannot be read in batches: convert it to UTF-8."),
    "scratch files cannot be written in {place}: {said_by_system}. Name a folder with more room "
    "(--scratch), or allow more open files (ulimit -n).": say(
        "scratch files cannot be written in {place}: {said_by_system}. Make room there, and do it "
        "again."
    ),
}


PLAINLY: Mapping[str, str] = {
    "local_suppression": "local suppression",
    "pram": "random change of categories",
    "rank_swap": "rank swapping",
    "top_bottom": "top and bottom coding",
}
"""What methods are called in English whose names are no words; catalogues have the others'."""


@cache
def spoken(language: str) -> Words:
    """The texts of a language, as pages say them."""
    words = words_of(language)
    told = {form: words.form(str.__str__(own)) for form, own in INSTEAD.items()}
    if language == ENGLISH:
        told |= PLAINLY
    return replace(words, texts={**words.texts, **told})
