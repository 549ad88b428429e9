"""Both files together: propensity scores, clusters, distribution functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.results.joint import ClusterResult, EcdfResult, PropensityResult
from microgauge.sections.joint.choices import ClusterChoices, EcdfChoices, PropensityChoices
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.study.study import Study


class Propensity(Section):
    """Propensity scores (Woo et al. 2009)."""

    name = "propensity"
    title = "Can the two files be told apart?"
    about = "whether a classifier can tell the files apart"
    page = "propensity.md"
    result = PropensityResult
    choices = PropensityChoices

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """U_p and what explains it."""
        from microgauge.sections.joint.propensity import run

        return run(study, log)


class Clusters(Section):
    """Clusters (Woo et al. 2009)."""

    name = "clusters"
    title = "Clusters"
    about = "whether clusters hold both files in equal shares"
    page = "clusters.md"
    result = tuple[ClusterResult, ...]
    choices = ClusterChoices

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """U_c for each number of groups."""
        from microgauge.sections.joint.clusters import run

        return run(study, log)


class Ecdf(Section):
    """Empirical distribution functions (Woo et al. 2009)."""

    name = "ecdf"
    title = "Distribution functions"
    about = "how far the joint distributions are apart"
    page = "ecdf.md"
    result = EcdfResult
    choices = EcdfChoices

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """U_m and U_s."""
        from microgauge.sections.joint.ecdf import run

        return run(study, log)
