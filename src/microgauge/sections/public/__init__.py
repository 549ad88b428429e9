"""What data users may see of a result: the one place that decides it.

Whoever holds the public report and the released file can subtract, invert and solve. So a result
is changed before any section puts it into words: what rests on few records or on one goes, with
all from which it could be worked out, and what stays is rounded to a step that depends on the
number of records. No section, and no renderer, holds more than may be told.
"""

from __future__ import annotations

from microgauge.languages.messages import say

OTHERS = say("(others)")
"""All categories of a variable that have no name of their own."""
