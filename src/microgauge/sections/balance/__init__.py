"""Risk and utility on one scale."""
