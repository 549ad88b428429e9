"""Risk of disclosure: how surely a record or its sensitive value can be told from the file."""
