"""What the limits mean, for whoever reads a report."""

EXPLANATIONS = {
    "requirements": {
        "question": "Does the file keep the limits that were set?",
        "range": "kept or missed, for each limit",
        "direction": "a figure that is not defined keeps no limit",
        "reference": "limits are set by [require] in the schema, --require or --max-risk",
    },
}
