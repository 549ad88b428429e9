"""Global data utility."""
