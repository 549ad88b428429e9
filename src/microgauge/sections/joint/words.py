"""Whether the two files can be told apart, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say, strung
from microgauge.results import ClusterResult, EcdfResult, PropensityResult
from microgauge.results.blocks import Figure, Group, Headline, Stories
from microgauge.results.joint import Boosted, Sees
from microgauge.results.wording import about_per_cent, counted, figure, ratio_words, scientific

TITLE = say("Can the two files be told apart?")


def _told_apart(*rows: tuple[str, str]) -> list[Group]:
    """Lines under the heading that the three sections share."""
    return [Group(title=TITLE, blocks=(Stories(rows=rows),))] if rows else []


def headline(result: PropensityResult) -> Headline:
    """The ratio, and what it means: how it was found out is for experts."""
    said = say(
        "As a whole the two files are {told}; {sight_said}.",
        told=_told(result),
        sight_said=sight_said(result.sees),
    )
    ratio = Figure(
        label=say("told apart: ratio to chance"),
        value=result.ratio,
        digits=None,
        explain="propensity",
        share=False,
    )
    return Headline(sentence=None if result.ratio is None else said, figures=(ratio,))


def propensity_words(result: PropensityResult) -> list[Group]:
    """The story, the figures, and the variables that give the file away."""
    rows = [(say("propensity"), propensity_story(result))]
    if result.value is not None:
        said = say(
            "U_p {value}, {auc_words}", value=scientific(result.value), auc_words=auc_words(result)
        )
        if result.null_share is not None:
            said += say(
                ", share of {resamples} that have more: {null_share}",
                resamples=counted(result.resamples, "resample"),
                null_share=about_per_cent(result.null_share),
            )
        rows.append(("", said))
        given_away = giveaways(result)
        if given_away and result.beyond_chance:
            rows.append(
                ("", say("given away by {given_away}", given_away=strung(given_away, ", ")))
            )
    if result.boosted is not None:
        rows.append(("", boosted_story(result.boosted)))
    return _told_apart(*rows)


def boosted_story(found: Boosted, rounded: bool = False) -> str:
    """What boosted trees say, in a sentence."""
    if found.auc_cross is None or found.ratio is None:
        return say("by boosted trees: not defined: {reason}", reason=found.reason)
    told = (
        beyond_said(found.size, found.auc_cross)
        if found.beyond_chance
        else say("not told apart beyond chance")
    )
    return say(
        "by boosted trees: {told}, AUC {auc_cross} cross-fitted, U_p {ratio_said} "
        "shuffled labels give",
        told=told,
        auc_cross=figure(found.auc_cross, 2),
        ratio_said=_ratio_said(found.ratio, rounded),
    )


def auc_words(result: PropensityResult) -> str:
    """The AUC of rows that the model did not see, and of those it was fitted to."""
    fitted = say("AUC {auc}", auc=figure(result.auc, 2))
    if result.auc_cross is None:
        return say("{fitted} on the rows it was fitted to", fitted=fitted)
    return say(
        "AUC {auc_cross} cross-fitted ({auc} fitted)",
        auc_cross=figure(result.auc_cross, 2),
        auc=figure(result.auc, 2),
    )


def clusters_words(results: Sequence[ClusterResult]) -> list[Group]:
    """A line for each number of groups, and one over all of them."""
    return _told_apart(*cluster_stories(results))


def cluster_stories(results: Sequence[ClusterResult]) -> list[tuple[str, str]]:
    """A line for each number of groups, and one over all of them where there are several."""
    rows = [
        ("" if number else say("clusters"), _cluster_story(cluster))
        for number, cluster in enumerate(results)
    ]
    known = [cluster.ratio for cluster in results if cluster.ratio is not None]
    if len(known) > 1:
        above = sum(ratio > 1 for ratio in known)
        at = say("{above} of {n} numbers of groups", above=above, n=len(known))
        rows.append(("", say("at {at} further from equal shares than labels at random", at=at)))
    return rows


def _cluster_story(cluster: ClusterResult) -> str:
    groups = counted(cluster.groups, "group")
    said = say(
        "U_c {value} in {groups} ({method})",
        value=scientific(cluster.value),
        groups=groups,
        method=cluster.method,
    )
    if cluster.value is None:
        return say("{said}: {reason}", said=said, reason=cluster.reason)
    if cluster.ratio is not None:
        said += say(", ratio to labels at random {ratio}", ratio=figure(cluster.ratio, 2))
    return said + _resamples_with_more(cluster.null_share, cluster.resamples)


def _resamples_with_more(share: float | None, resamples: int, what: str = "") -> str:
    if share is None:
        return ""
    drawn = counted(resamples, "resample")
    more = say("have more {what}", what=what) if what else say("have more")
    return say(
        "; share of {drawn} that {more}: {share}",
        drawn=drawn,
        more=more,
        share=about_per_cent(share),
    )


def ecdf_words(result: EcdfResult) -> list[Group]:
    """A line on the distribution functions."""
    return _told_apart((say("distribution"), ecdf_story(result)))


def ecdf_story(result: EcdfResult) -> str:
    """How far the distribution functions are apart, beside resamples where they were drawn."""
    if result.reason:
        return say("not defined: {reason}", reason=result.reason)
    said = say(
        "U_m {maximum}, U_s {mean_square}",
        maximum=scientific(result.maximum),
        mean_square=scientific(result.mean_square),
    )
    said += "" if result.exact else say(" at {points:,} points", points=result.points)
    said += _resamples_with_more(result.null_share_maximum, result.resamples, say("of U_m"))
    if result.null_share_mean_square is not None:
        said += say(
            ", more of U_s: {null_share_mean_square}",
            null_share_mean_square=about_per_cent(result.null_share_mean_square),
        )
    return said


def _ratio_said(ratio: float, rounded: bool) -> str:
    """A ratio to chance, which data users see rounded down, and as 1 where that is less."""
    if not rounded:
        return ratio_words(ratio)
    if ratio <= 1.0:
        return say("not told to be more than what")
    return say("at least {ratio_words}", ratio_words=ratio_words(ratio))


def propensity_story(result: PropensityResult, rounded: bool = False) -> str:
    """Whether the files can be told apart, in a sentence."""
    if result.value is None or result.ratio is None:
        return say("not defined: {reason}", reason=result.reason)
    terms = "" if result.terms is None else say(", {terms}", terms=counted(result.terms, "term"))
    return say(
        "{told}: U_p is {ratio_said} a resample of the original would have "
        "({model}{terms}; {sight_said})",
        told=_told(result),
        ratio_said=_ratio_said(result.ratio, rounded),
        model=result.model,
        terms=terms,
        sight_said=sight_said(result.sees),
    )


def _told(result: PropensityResult) -> str:
    """The size of the difference where there is one; else what was looked at."""
    if result.beyond_chance:
        return beyond_said(result.size, result.auc_cross)
    if result.size in ("clear", "easy"):
        return say(
            "told apart no more clearly than chance may do, though the model also tells rows "
            "apart that it did not see"
        )
    related = result.sees is not None and result.sees.of > 0
    if related and result.sees_permuted is False:
        return say(
            "not told apart, which says little (rows so few or relations so weak that a file with "
            "every column permuted need not be told apart either)"
        )
    if result.sees is None or result.sees.share < 1 or (related and not result.sees_permuted):
        return say("not told apart by what the model can see")
    return say("hardly to be told apart")


GUESSING = 0.5
"""The AUC of whoever guesses."""


def beyond_said(size: str | None, auc_cross: float | None) -> str:
    """A difference that is no chance, and its size: of many rows chance explains very little.

    >>> beyond_said("clear", 0.6)
    'told apart beyond chance, by a clear difference'
    """
    if size != "small":
        return BEYOND[size]
    if auc_cross is not None and round(auc_cross, 2) <= GUESSING:
        return say(
            "told apart beyond chance, by so small a difference that the model is no better than "
            "guessing on records that it was not fitted to"
        )
    return say(
        "told apart beyond chance, by so small a difference that the model is little better than "
        "guessing on records that it was not fitted to"
    )


BEYOND = {
    "clear": say("told apart beyond chance, by a clear difference"),
    "easy": say("easily told apart"),
    None: say("told apart beyond chance"),
}
"""Differences that are no chance, by their size."""


def sight_said(sees: Sees | None) -> str:
    """The same as a part of a sentence."""
    return say("the model sees {sight_words}", sight_words=sight_words(sees))


def sight_words(sees: Sees | None) -> str:
    """What a model can see, beside each variable by itself."""
    if sees is None or sees.how == "none":
        return say("each variable by itself and no pair")
    if not sees.of:
        return say("the one variable that has values")
    if sees.how == "trees":
        return say("every variable, alone and with others")
    how = "" if sees.how == "full" else say(" in coarse groups")
    if sees.pairs == sees.of:
        return say("all pairs of variables{how}", how=how)
    return say("{pairs:,} of {of:,} pairs of variables{how}", pairs=sees.pairs, of=sees.of, how=how)


def giveaways(result: PropensityResult, most: int = 4) -> list[str]:
    """The variables whose absence makes the files most alike, those that matter first."""
    value = result.value or 0.0
    drops = [v for v in result.variables if v.drop is not None and v.drop > 0.05 * value]
    return [v.name for v in sorted(drops, key=lambda v: -(v.drop or 0.0))[:most]]
