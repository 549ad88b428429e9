"""Where a protected file stands among files whose loss is known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from microgauge.languages.messages import say
from microgauge.results import GDU, Assessment, Yardstick
from microgauge.results.blocks import Block, Group, Head, Sentence, Table


def words(result: Assessment, yardsticks: Sequence[Yardstick]) -> list[Block]:
    """The figures of each such file and of this one, and where it stands."""
    if not yardsticks:
        return []
    table = Table(
        caption=say("Yardsticks"),
        heads=(
            Head(text="", width=26),
            Head(text=say("GDU"), digits=3, width=5),
            Head(text=say("variables"), digits=3, width=9),
            Head(text=say("pairs"), digits=3, width=5),
            Head(text=say("U_p ratio"), right=True, width=9),
        ),
        rows=tuple(
            (name, *halves, None if ratio is None else f"{ratio:,.1f}")
            for name, *halves, ratio in rows(result, yardsticks)
        ),
    )
    told = [Sentence(text=said) for said in yardstick_story(result.gdu, yardsticks)]
    return [Group(title=say("Yardsticks: files whose loss is known"), blocks=(table, *told))]


def rows(
    result: Assessment, yardsticks: Sequence[Yardstick]
) -> list[tuple[str, float | None, float | None, float | None, float | None]]:
    """Name, GDU, its halves and the ratio of U_p; the protected file's own last."""
    gdu, propensity = result.gdu, result.propensity
    found = [(shown(y), y.gdu, y.univariate, y.bivariate, y.propensity_ratio) for y in yardsticks]
    own = (
        say("this protected file"),
        None if gdu is None else gdu.value,
        None if gdu is None else gdu.univariate,
        None if gdu is None else gdu.bivariate,
        None if propensity is None else propensity.ratio,
    )
    return [*found, own]


def yardstick_story(gdu: GDU | None, yardsticks: Sequence[Yardstick]) -> list[str]:
    """Where the protected file stands among files whose loss is known."""
    if gdu is None:
        return []
    found = []
    for half, words in (("univariate", say("Variables")), ("bivariate", say("Pairs"))):
        value = getattr(gdu, half)
        known = [(getattr(y, half), shown(y)) for y in yardsticks if getattr(y, half) is not None]
        if value is not None and known:
            found.append(
                say("{words} fare {among}.", words=words, among=_among(value, sorted(known)))
            )
    return found


def _among(value: float, known: list[tuple[float, str]]) -> str:
    """Between which yardsticks a value lies, worst first.

    >>> _among(0.8, [(0.3, "1 % sample"), (0.7, "10 % sample"), (0.9, "50 % sample")])
    'between a 10 % sample (0.70) and a 50 % sample (0.90)'
    """
    near = min(known, key=lambda entry: abs(entry[0] - value))
    if abs(near[0] - value) < 0.01:
        return say("like {named}", named=_named(near))
    below = [entry for entry in known if entry[0] <= value]
    above = [entry for entry in known if entry[0] > value]
    if not below:
        return say("worse than {named}", named=_named(known[0]))
    if not above:
        return say("better than {named}", named=_named(known[-1]))
    return say("between {named} and {named2}", named=_named(below[-1]), named2=_named(above[0]))


def shown(yardstick: Yardstick) -> str:
    """Its name as it is read; in the result the sign stands at the number, as it always did."""
    share = re.fullmatch(r"(\d+)% sample", yardstick.name)
    return say("{percent} % sample", percent=int(share[1])) if share else yardstick.name


def _named(entry: tuple[float, str]) -> str:
    value, name = entry
    return say("{with_article} ({value:.2f})", with_article=_with_article(name), value=value)


def _with_article(name: str) -> str:
    """As a noun in a sentence.

    >>> _with_article("10 % sample"), _with_article("80 % sample"), _with_article("columns mixed")
    ('a 10 % sample', 'an 80 % sample', 'columns mixed')
    """
    if name.startswith("columns"):
        return name
    return (
        say("an {name}", name=name)
        if name.startswith(("8", "11 ", "18 "))
        else say("a {name}", name=name)
    )
