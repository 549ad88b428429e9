"""All protections by name, those of keys and those of all variables."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.panel.protections import Protection, of_keys
from benchmarks.panel.wide import of_all_variables

PROTECTIONS: Mapping[str, Protection] = {p.name: p for p in (*of_keys(), *of_all_variables())}
