"""Whether the two files can be told apart, in the report."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say
from microgauge.results import ClusterResult, EcdfResult, Edition, PropensityResult
from microgauge.results.blocks import Block, Chart, Group, Sentence, Stories
from microgauge.results.wording import begun, general
from microgauge.sections.charts import SIDES, bars
from microgauge.sections.joint.words import (
    auc_words,
    boosted_story,
    cluster_stories,
    ecdf_story,
    propensity_story,
)

MOST_DROPS = 15


def _whole(*blocks: Block) -> list[Group]:
    """Blocks under the heading that the three sections share."""
    return [Group(name="whole", title=say("Whole file"), explain="propensity", blocks=blocks)]


def propensity_report(result: PropensityResult, edition: Edition) -> list[Group]:
    """The story, the scores of both files, and the variables that give the file away."""
    said, rounded = begun(auc_words(result)), edition == "public"
    if edition == "internal":  # U_p of one variable is a test of it, which can be turned back
        said = say(
            "U_p {value}, {auc_words}", value=general(result.value), auc_words=auc_words(result)
        )
    charts = [chart for chart in (_scores(result), _drops(result)) if chart is not None]
    told = [Sentence(text=propensity_story(result, rounded)), Sentence(text=said, soft=True)]
    if result.boosted is not None:
        told.append(
            Sentence(
                text=begun(
                    say("{boosted_story}.", boosted_story=boosted_story(result.boosted, rounded))
                ),
                soft=True,
            )
        )
    return _whole(*told, *charts)


def _scores(result: PropensityResult) -> Chart | None:
    sides = dict(
        zip(
            SIDES["domain"],
            (result.percentiles_original, result.percentiles_protected),
            strict=True,
        )
    )
    if result.percentiles_original is None:
        return None
    values = [
        {"at": float(at.rstrip("%")), "score": score, "side": side}
        for side, percentiles in sides.items()
        for at, score in (percentiles or {}).items()
    ]
    spec = {
        "title": say("Propensity scores: percentiles in both files"),
        "width": 340,
        "height": 180,
        "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "at", "type": "quantitative", "title": say("percentile")},
            "y": {
                "field": "score",
                "type": "quantitative",
                "title": say("score"),
                "scale": {"zero": False},
            },
            "color": {"field": "side", "type": "nominal", "scale": SIDES, "title": None},
        },
    }
    return Chart(title=say("Propensity scores"), spec=spec)


def _drops(result: PropensityResult) -> Chart | None:
    drops = [(v.name, v.drop) for v in result.variables if v.drop is not None and v.drop > 0]
    if not drops:
        return None
    return bars(
        say("Which variables give it away"),
        sorted(drops, key=lambda drop: -drop[1])[:MOST_DROPS],
        colour="$after",
        shape=".3g",
        heading=say("Which variables give it away (drop of U_p without them)"),
    )


def clusters_report(results: Sequence[ClusterResult]) -> list[Group]:
    """A line for each number of groups, and one over all of them."""
    rows = tuple(cluster_stories(results))
    return _whole(Stories(rows=rows)) if rows else []


def ecdf_report(result: EcdfResult) -> list[Group]:
    """A line on the distribution functions."""
    return _whole(Stories(rows=((say("distribution functions"), ecdf_story(result)),)))
