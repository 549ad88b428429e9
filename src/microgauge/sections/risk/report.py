"""How risky a file is, in the report."""

from __future__ import annotations

from microgauge.languages.messages import say
from microgauge.results import Assessment, Risk
from microgauge.results.blocks import Chart, Group
from microgauge.sections.charts import bars
from microgauge.sections.risk.words import words


def report(result: Assessment) -> list[Group]:
    """The stories, records in small classes, and what makes records special."""
    risk: Risk = result.sections["risk"]
    charts = [_classes(risk)]
    held = sorted((risk.suda.contributions or {}).items(), key=lambda item: -item[1])
    if any(share > 0 for _, share in held):
        special = bars(
            say("Contributions to special uniques"),
            [(name, share / 100) for name, share in held],
            colour="$bad",
            shape=".1%",
            heading=say("Special uniques: share of the score with each variable"),
        )
        charts.append(special)
    return [
        Group(
            name="risk",
            title=say("Risk of re-identification"),
            explain="risk",
            blocks=(*words(result), *charts),
        )
    ]


def _classes(risk: Risk) -> Chart:
    values = [
        {"m": most, "n": held.records, "share": held.share} for most, held in risk.classes.items()
    ]
    spec = {
        "title": say("Records in classes of at most …"),
        "width": 220,
        "height": {"step": 20},
        "data": {"values": values},
        "mark": {"type": "bar", "color": "$bad"},
        "encoding": {
            "y": {"field": "m", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": None,
                "axis": {"format": "%"},
            },
            "tooltip": [{"field": "m"}, {"field": "n"}, {"field": "share", "format": ".2%"}],
        },
    }
    return Chart(title=say("Records in small classes"), spec=spec)
