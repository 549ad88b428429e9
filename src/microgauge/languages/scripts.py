"""What scripts of a page say: the forms that stand in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

TEXT = r'("(?:[^"\\]|\\.)*")'
SAID = re.compile(rf"\bsay\(\s*{TEXT}")
COUNTED = re.compile(rf"\bmany\([^\"(]*?,\s*{TEXT},\s*{TEXT}")


def forms_in(script: str) -> Iterator[tuple[str, str | None]]:
    """The form of each call of `say`, and both of each call of `many`.

    >>> list(forms_in('say("Limits"); many(n, "{n} file", "{n} files", { all })'))
    [('Limits', None), ('{n} file', '{n} files')]
    """
    for match in SAID.finditer(script):
        yield json.loads(match[1]), None
    for match in COUNTED.finditer(script):
        yield json.loads(match[1]), json.loads(match[2])
