"""Files whose order is known by construction, and which figures see it.

Real data sets (`datasets.toml`) are protected in ways of which one distorts more than another
(`protections.py`). The pairs (`pairs.toml`) were written down before the figures to be judged
were measured (the README says what was changed after a trial of others). A
figure's score is the share of pairs that it puts in the right order.
"""
