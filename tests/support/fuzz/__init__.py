"""A fuzzer: hostile inputs by families, from a seed, and what must never happen with them.

    PYTHONPATH=src:tests python -m support.fuzz --cases 10000 --seed 1
    PYTHONPATH=src:tests python -m support.fuzz --family csv --number 17 --show

A case is known by seed, family and number, so that a failure can be repeated alone.
"""
