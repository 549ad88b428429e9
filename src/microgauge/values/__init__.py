"""What values are: levels, labels, intervals, ranks, and how they are packed, hashed and added."""
