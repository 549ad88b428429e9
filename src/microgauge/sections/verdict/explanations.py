"""What the verdict means, for whoever reads a report."""

from microgauge.languages.messages import say

EXPLANATIONS = {
    "verdict": {
        "question": say("Is the file useful, is it safe, and what is to be done about it?"),
        "range": say("good, fair, poor; unknown where nothing was measured"),
        "direction": say(
            "by the limits that were set; without any, by where the file stands between "
            "shuffled variables and a fresh sample, and by a risk of at most 0.05 or 0.2"
        ),
        "reference": say(
            "limits are set by [require] in the schema or --require; the utility is "
            "chosen in [verdict]"
        ),
    },
}
