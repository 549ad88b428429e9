"""Speed and memory, as ratios measured in one run. Start with `python -m benchmarks`."""
