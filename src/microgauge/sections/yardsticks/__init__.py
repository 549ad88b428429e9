"""Files whose loss is known."""
