"""What the measures of both files together do not see: values that a recoding took off the scale.

Numbers that are still numbers are compared with the original as it was. Where released values are
bands or merged categories, the original is recoded before it is compared, and the words say so.
"""

from __future__ import annotations

from dataclasses import replace

from microgauge.languages.messages import say
from microgauge.results import Assessment, VariableResult
from microgauge.results.blocks import Group, Headline, Stories
from microgauge.results.wording import figure, in_words

SECTIONS = ("propensity", "clusters", "ecdf")
MOST_NAMED = 4


def set_apart(result: Assessment) -> list[VariableResult]:
    """Variables whose recoding costs what these measures do not count."""
    return [variable for variable in result.variables if variable.left_scale]


def apart_from(result: Assessment) -> str:
    """Which recodings are not in the figures; nothing where all is in them."""
    names = [variable.name for variable in set_apart(result)]
    if not names:
        return ""
    return say("apart from the recoding of {names}", names=in_words(names, MOST_NAMED))


def costs(result: Assessment) -> list[str]:
    """What those recodings alone leave of each variable; nothing where it is not known."""
    told = [
        say("{name} {utility}", name=v.name, utility=figure(v.recoding.utility, 2))
        for v in set_apart(result)
        if v.recoding is not None and v.recoding.utility is not None
    ]
    return (
        [say("recoding alone keeps: {told} (1 all)", told=in_words(told, MOST_NAMED))]
        if told
        else []
    )


def headline_apart(headline: Headline, result: Assessment) -> Headline:
    """A headline whose sentence says what it does not count."""
    names = [variable.name for variable in set_apart(result)]
    if not names or headline.sentence is None:
        return headline
    sentence = say(
        "{sentence} The recoding of {names} is not counted in this.",
        sentence=headline.sentence,
        names=in_words(names, MOST_NAMED),
    )
    return replace(headline, sentence=sentence)


def recoded_first(result: Assessment, section: str, groups: list[Group]) -> list[Group]:
    """Groups with what they do not count before them, once: in the first section there is."""
    first = next((name for name in SECTIONS if name in result.sections), None)
    if section != first or not groups or not set_apart(result):
        return groups
    rows = ((say("recoding"), apart_from(result)), *(("", said) for said in costs(result)))
    return [replace(groups[0], blocks=(Stories(rows=rows), *groups[0].blocks)), *groups[1:]]
