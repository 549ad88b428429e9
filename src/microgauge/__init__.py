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
    from microgauge.errors import InputError, MicrogaugeError, Undefined
    from microgauge.results import Assessment
    from microgauge.run import assess, clusters, ecdf, propensity
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
    "Indicator",
    "InputError",
    "MicrogaugeError",
    "Model",
    "Options",
    "Recode",
    "Regression",
    "Schema",
    "Undefined",
    "Variable",
    "__version__",
    "assess",
    "clusters",
    "ecdf",
    "propensity",
]

_HOMES = {
    "Assessment": "results",
    "Indicator": "schema",
    "InputError": "errors",
    "MicrogaugeError": "errors",
    "Model": "schema",
    "Options": "schema",
    "Recode": "schema",
    "Regression": "schema",
    "Schema": "schema",
    "Undefined": "errors",
    "Variable": "schema",
    "assess": "run",
    "clusters": "run",
    "ecdf": "run",
    "propensity": "run",
}
"""Where each public name lives. Modules load on first use, so that `import microgauge` is quick."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'microgauge' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"microgauge.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
