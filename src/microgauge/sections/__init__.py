"""A section for each question: what it asks of the rows, and what it makes of the answers."""
