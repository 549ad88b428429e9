"""Utility on the scale of risk, and the balance of the two (Kim 2025)."""
