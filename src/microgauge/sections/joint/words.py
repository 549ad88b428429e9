"""Whether the two files can be told apart, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.results import ClusterResult, EcdfResult, PropensityResult
from microgauge.results.blocks import Figure, Group, Headline, Stories
from microgauge.results.joint import Boosted, Sees
from microgauge.results.wording import about_per_cent, counted, figure, ratio_words, scientific

TITLE = "Can the two files be told apart?"


def _told_apart(*rows: tuple[str, str]) -> list[Group]:
    """Lines under the heading that the three sections share."""
    return [Group(title=TITLE, blocks=(Stories(rows=rows),))] if rows else []


def headline(result: PropensityResult) -> Headline:
    """The ratio, and what it means: how it was found out is for experts."""
    said = f"As a whole the two files are {_told(result)}; {sight_said(result.sees)}."
    ratio = Figure(
        label="told apart: ratio to chance",
        value=result.ratio,
        digits=None,
        explain="propensity",
        share=False,
    )
    return Headline(sentence=None if result.ratio is None else said, figures=(ratio,))


def propensity_words(result: PropensityResult) -> list[Group]:
    """The story, the figures, and the variables that give the file away."""
    rows = [("propensity", propensity_story(result))]
    if result.value is not None:
        said = f"U_p {scientific(result.value)}, {auc_words(result)}"
        if result.null_share is not None:
            said += (
                f", share of {counted(result.resamples, 'resample')} that have more: "
                f"{about_per_cent(result.null_share)}"
            )
        rows.append(("", said))
        given_away = giveaways(result)
        if given_away and result.beyond_chance:
            rows.append(("", f"given away by {', '.join(given_away)}"))
    if result.boosted is not None:
        rows.append(("", boosted_story(result.boosted)))
    return _told_apart(*rows)


def boosted_story(found: Boosted, rounded: bool = False) -> str:
    """What boosted trees say, in a sentence."""
    if found.auc_cross is None or found.ratio is None:
        return f"by boosted trees: not defined: {found.reason}"
    told = BEYOND[found.size] if found.beyond_chance else "not told apart beyond chance"
    return (
        f"by boosted trees: {told}, AUC {figure(found.auc_cross, 2)} cross-fitted, U_p "
        f"{_ratio_said(found.ratio, rounded)} shuffled labels give"
    )


def auc_words(result: PropensityResult) -> str:
    """The AUC of rows that the model did not see, and of those it was fitted to."""
    fitted = f"AUC {figure(result.auc, 2)}"
    if result.auc_cross is None:
        return f"{fitted} on the rows it was fitted to"
    return f"AUC {figure(result.auc_cross, 2)} cross-fitted ({figure(result.auc, 2)} fitted)"


def clusters_words(results: Sequence[ClusterResult]) -> list[Group]:
    """A line for each number of groups, and one over all of them."""
    return _told_apart(*cluster_stories(results))


def cluster_stories(results: Sequence[ClusterResult]) -> list[tuple[str, str]]:
    """A line for each number of groups, and one over all of them where there are several."""
    rows = [
        ("" if number else "clusters", _cluster_story(cluster))
        for number, cluster in enumerate(results)
    ]
    known = [cluster.ratio for cluster in results if cluster.ratio is not None]
    if len(known) > 1:
        above = sum(ratio > 1 for ratio in known)
        at = f"{above} of {len(known)} numbers of groups"
        rows.append(("", f"at {at} further from equal shares than labels at random"))
    return rows


def _cluster_story(cluster: ClusterResult) -> str:
    groups = counted(cluster.groups, "group")
    said = f"U_c {scientific(cluster.value)} in {groups} ({cluster.method})"
    if cluster.value is None:
        return f"{said}: {cluster.reason}"
    if cluster.ratio is not None:
        said += f", ratio to labels at random {figure(cluster.ratio, 2)}"
    return said + _resamples_with_more(cluster.null_share, cluster.resamples)


def _resamples_with_more(share: float | None, resamples: int, what: str = "") -> str:
    if share is None:
        return ""
    drawn = counted(resamples, "resample")
    more = f"have more {what}" if what else "have more"
    return f"; share of {drawn} that {more}: {about_per_cent(share)}"


def ecdf_words(result: EcdfResult) -> list[Group]:
    """A line on the distribution functions."""
    return _told_apart(("distribution", ecdf_story(result)))


def ecdf_story(result: EcdfResult) -> str:
    """How far the distribution functions are apart, beside resamples where they were drawn."""
    if result.reason:
        return f"not defined: {result.reason}"
    said = f"U_m {scientific(result.maximum)}, U_s {scientific(result.mean_square)}"
    said += "" if result.exact else f" at {result.points:,} points"
    said += _resamples_with_more(result.null_share_maximum, result.resamples, "of U_m")
    if result.null_share_mean_square is not None:
        said += f", more of U_s: {about_per_cent(result.null_share_mean_square)}"
    return said


def _ratio_said(ratio: float, rounded: bool) -> str:
    """A ratio to chance, which data users see rounded down, and as 1 where that is less."""
    if not rounded:
        return ratio_words(ratio)
    if ratio <= 1.0:
        return "not told to be more than what"
    return f"at least {ratio_words(ratio)}"


def propensity_story(result: PropensityResult, rounded: bool = False) -> str:
    """Whether the files can be told apart, in a sentence."""
    if result.value is None or result.ratio is None:
        return f"not defined: {result.reason}"
    terms = "" if result.terms is None else f", {counted(result.terms, 'term')}"
    return (
        f"{_told(result)}: U_p is {_ratio_said(result.ratio, rounded)} a resample of the original "
        f"would have ({result.model}{terms}; {sight_said(result.sees)})"
    )


def _told(result: PropensityResult) -> str:
    """The size of the difference where there is one; else what was looked at."""
    if result.beyond_chance:
        return BEYOND[result.size]
    if result.size in ("clear", "easy"):
        return (
            "told apart no more clearly than chance may do, though the model also tells rows "
            "apart that it did not see"
        )
    related = result.sees is not None and result.sees.of > 0
    if related and result.sees_permuted is False:
        return (
            "not told apart, which says little (rows so few or relations so weak that a file with "
            "every column permuted need not be told apart either)"
        )
    if result.sees is None or result.sees.share < 1 or (related and not result.sees_permuted):
        return "not told apart by what the model can see"
    return "hardly to be told apart"


BEYOND = {
    "small": "told apart beyond chance, by a small difference",
    "clear": "told apart beyond chance, by a clear difference",
    "easy": "easily told apart",
    None: "told apart beyond chance",
}
"""Differences that are no chance, by their size."""


def sight_said(sees: Sees | None) -> str:
    """The same as a part of a sentence."""
    return f"the model sees {sight_words(sees)}"


def sight_words(sees: Sees | None) -> str:
    """What a model can see, beside each variable by itself."""
    if sees is None or sees.how == "none":
        return "each variable by itself and no pair"
    if not sees.of:
        return "the one variable that has values"
    if sees.how == "trees":
        return "every variable, alone and with others"
    how = "" if sees.how == "full" else " in coarse groups"
    if sees.pairs == sees.of:
        return f"all pairs of variables{how}"
    return f"{sees.pairs:,} of {sees.of:,} pairs of variables{how}"


def giveaways(result: PropensityResult, most: int = 4) -> list[str]:
    """The variables whose absence makes the files most alike, those that matter first."""
    value = result.value or 0.0
    drops = [v for v in result.variables if v.drop is not None and v.drop > 0.05 * value]
    return [v.name for v in sorted(drops, key=lambda v: -(v.drop or 0.0))[:most]]
