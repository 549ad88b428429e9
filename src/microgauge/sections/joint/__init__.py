"""Both files together: propensity scores, clusters, distribution functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from microgauge.languages.messages import say
from microgauge.results.joint import ClusterResult, EcdfResult, PropensityResult
from microgauge.sections.joint.choices import ClusterChoices, EcdfChoices, PropensityChoices
from microgauge.sections.joint.explanations import CLUSTERS, ECDF, PROPENSITY
from microgauge.sections.section import Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline
    from microgauge.sections.public.told import Told


class Propensity(Section):
    """Propensity scores (Woo et al. 2009)."""

    name = "propensity"
    public = True
    title = say("Can the two files be told apart?")
    about = say("whether a classifier can tell the files apart")
    page = "propensity.md"
    module = "microgauge.sections.joint.propensity"
    result = PropensityResult
    choices = PropensityChoices
    explanations = PROPENSITY
    slow_choices: ClassVar[Mapping[str, str]] = {"boosted": say("boosted scores")}

    def headline(self, result: Assessment) -> Headline:
        """The ratio to what chance would give."""
        from microgauge.sections.joint.recoded import headline_apart
        from microgauge.sections.joint.words import headline

        return headline_apart(headline(result.sections[self.name]), result)

    def words(self, result: Assessment) -> Sequence[Block]:
        """Whether they can be told apart, and by which variables."""
        from microgauge.sections.joint.recoded import recoded_first
        from microgauge.sections.joint.words import propensity_words

        return recoded_first(result, self.name, propensity_words(result.sections[self.name]))

    def for_users(self, result: Assessment, told: Told) -> Any:
        """The figures in few digits."""
        from microgauge.sections.public.whole_files import propensity_for_users

        return propensity_for_users(result.sections[self.name], told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """The story, the scores, and what gives the file away."""
        from microgauge.sections.joint.recoded import recoded_first
        from microgauge.sections.joint.report import propensity_report

        del threshold
        told = propensity_report(result.sections[self.name], edition)
        return recoded_first(result, self.name, told)


class Clusters(Section):
    """Clusters (Woo et al. 2009)."""

    name = "clusters"
    public = True
    title = say("Clusters")
    slow = True
    about = say("whether clusters hold both files in equal shares")
    page = "clusters.md"
    module = "microgauge.sections.joint.clusters"
    result = tuple[ClusterResult, ...]
    choices = ClusterChoices
    explanations = CLUSTERS

    def words(self, result: Assessment) -> Sequence[Block]:
        """A line for each number of groups."""
        from microgauge.sections.joint.recoded import recoded_first
        from microgauge.sections.joint.words import clusters_words

        return recoded_first(result, self.name, clusters_words(result.sections[self.name]))

    def for_users(self, result: Assessment, told: Told) -> Any:
        """The figures in few digits."""
        from microgauge.sections.public.whole_files import clusters_for_users

        return clusters_for_users(result.sections[self.name], told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """A line for each number of groups."""
        from microgauge.sections.joint.recoded import recoded_first
        from microgauge.sections.joint.report import clusters_report

        del edition, threshold
        return recoded_first(result, self.name, clusters_report(result.sections[self.name]))


class Ecdf(Section):
    """Empirical distribution functions (Woo et al. 2009)."""

    name = "ecdf"
    public = True
    title = say("Distribution functions")
    slow = True
    about = say("how far the joint distributions are apart")
    page = "ecdf.md"
    module = "microgauge.sections.joint.ecdf"
    result = EcdfResult
    choices = EcdfChoices
    explanations = ECDF

    def words(self, result: Assessment) -> Sequence[Block]:
        """A line on the distribution functions."""
        from microgauge.sections.joint.recoded import recoded_first
        from microgauge.sections.joint.words import ecdf_words

        return recoded_first(result, self.name, ecdf_words(result.sections[self.name]))

    def for_users(self, result: Assessment, told: Told) -> Any:
        """The figures rounded up."""
        from microgauge.sections.public.whole_files import ecdf_for_users

        return ecdf_for_users(result.sections[self.name], told)

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """A line on the distribution functions."""
        from microgauge.sections.joint.recoded import recoded_first
        from microgauge.sections.joint.report import ecdf_report

        del edition, threshold
        return recoded_first(result, self.name, ecdf_report(result.sections[self.name]))
