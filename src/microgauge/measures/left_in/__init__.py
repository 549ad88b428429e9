"""Does a column still hold what names people? Rules over its different values and their rows."""
