"""What the limits mean, for whoever reads a report."""

from microgauge.languages.messages import say

EXPLANATIONS = {
    "requirements": {
        "question": say("Does the file keep the limits that were set?"),
        "range": say("kept or missed, for each limit"),
        "direction": say("a figure that is not defined keeps no limit"),
        "reference": say("limits are set by [require] in the schema, --require or --max-risk"),
    },
}
