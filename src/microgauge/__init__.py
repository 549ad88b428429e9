"""Is a protected microdata file still good for analysis, and is it safe enough to release?

>>> import microgauge
>>> result = microgauge.assess(  # doctest: +SKIP
...     "original.csv", "protected.csv", schema="schema.toml"
... )
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge._version import __version__

if TYPE_CHECKING:
    from microgauge.commands.assess import assess, clusters, ecdf, propensity
    from microgauge.commands.diagnose import diagnose
    from microgauge.commands.explore import explore
    from microgauge.commands.rank import rank
    from microgauge.commands.verify import verify
    from microgauge.errors import InputError, MicrogaugeError, Undefined
    from microgauge.masking import mask
    from microgauge.papers import reproduce
    from microgauge.results import Assessment, Diagnosis, Ranking, Reproduction
    from microgauge.schema import (
        Indicator,
        Model,
        Options,
        Recode,
        Regression,
        Schema,
        Variable,
    )

__all__ = [
    "Assessment",
    "Diagnosis",
    "Indicator",
    "InputError",
    "MicrogaugeError",
    "Model",
    "Options",
    "Ranking",
    "Recode",
    "Regression",
    "Reproduction",
    "Schema",
    "Undefined",
    "Variable",
    "__version__",
    "assess",
    "clusters",
    "diagnose",
    "ecdf",
    "explore",
    "mask",
    "propensity",
    "rank",
    "reproduce",
    "verify",
]

_HOMES = {
    "Assessment": "results",
    "Diagnosis": "results",
    "Ranking": "results",
    "Indicator": "schema",
    "InputError": "errors",
    "MicrogaugeError": "errors",
    "Model": "schema",
    "Options": "schema",
    "Recode": "schema",
    "Regression": "schema",
    "Reproduction": "results",
    "Schema": "schema",
    "Undefined": "errors",
    "Variable": "schema",
    "assess": "commands.assess",
    "clusters": "commands.assess",
    "diagnose": "commands.diagnose",
    "ecdf": "commands.assess",
    "explore": "commands.explore",
    "mask": "masking",
    "propensity": "commands.assess",
    "rank": "commands.rank",
    "reproduce": "papers",
    "verify": "commands.verify",
}
"""Where each public name lives. Modules load on first use, so that `import microgauge` is quick."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'microgauge' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"microgauge.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
