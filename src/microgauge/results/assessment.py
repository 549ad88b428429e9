"""Everything said of one protected table: what was compared, and the result of each section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from microgauge.log import Note
from microgauge.results.analyses import IndicatorResult, RegressionResult
from microgauge.results.balance import Rut
from microgauge.results.disclosure import Disclosure
from microgauge.results.gdu import GDU
from microgauge.results.inputs import Inputs, VariableResult
from microgauge.results.joint import ClusterResult, EcdfResult, PropensityResult
from microgauge.results.left_in import LeftIn
from microgauge.results.loss import Loss
from microgauge.results.manifest import Manifest
from microgauge.results.pictures import Details
from microgauge.results.presenter import Edition, Presenter, default_presenter
from microgauge.results.requirements import Requirement
from microgauge.results.risk import Risk
from microgauge.results.tables import Tables
from microgauge.results.verdict import Verdict
from microgauge.results.yardsticks import Yardstick

ORDER = (
    "left_in",
    "gdu",
    "propensity",
    "clusters",
    "ecdf",
    "tables",
    "loss",
    "indicators",
    "regressions",
    "disclosure",
    "risk",
    "requirements",
    "verdict",
    "yardsticks",
    "rut",
)
"""How the JSON result begins; other sections follow in the order in which they were given."""


@dataclass(frozen=True, kw_only=True, init=False, eq=False, repr=False)
class Assessment:
    """What was compared, and one result for each section that was computed.

    A section's result is an attribute: `result.gdu`, `result.risk`, and likewise of sections that
    are not the package's own. It is given to the constructor by its name or in `sections`.
    """

    microgauge: str
    schema_version: int
    inputs: Inputs
    variables: tuple[VariableResult, ...]
    sections: Mapping[str, Any]
    """The results by the names of their sections; those that were not computed are not in it."""
    remarks: tuple[Note, ...] = ()
    """What a reader should know, as records."""
    risky: Any = None
    """Row numbers and risks, where asked for; never part of the JSON result."""
    manifest: Manifest | None = None
    """What it was made from and with; None for one of several candidates."""
    presenter: Presenter = field(compare=False)
    """Puts the sections into words; whoever makes an assessment says who that is."""

    def __init__(
        self,
        *,
        microgauge: str,
        schema_version: int,
        inputs: Inputs,
        variables: tuple[VariableResult, ...],
        sections: Mapping[str, Any] | None = None,
        remarks: Iterable[Note] = (),
        presenter: Presenter | None = None,
        **given: Any,
    ) -> None:
        """Beside the fields: sentences as `notes`, which become remarks, and sections by name."""
        risky, manifest = given.pop("risky", None), given.pop("manifest", None)
        if "notes" in given:  # sentences in place of the records, as `replace` gives both
            remarks = _records(given.pop("notes"), remarks)
        fields = {
            "microgauge": microgauge,
            "schema_version": schema_version,
            "inputs": inputs,
            "variables": variables,
            "sections": _in_order({**(sections or {}), **given}),
            "remarks": tuple(remarks),
            "risky": risky,
            "manifest": manifest,
            "presenter": default_presenter() if presenter is None else presenter,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """The result of a section that is not one of the package's own."""
        sections = self.__dict__.get("sections", {})
        if name in sections:
            return sections[name]
        raise AttributeError(f'an assessment has no "{name}", and no section of that name')

    # The package's own sections, with their types; None where one was not computed.

    @property
    def left_in(self) -> tuple[LeftIn, ...] | None:
        """What names people and is still in the protected file."""
        return self.sections.get("left_in")

    @property
    def gdu(self) -> GDU | None:
        """Global data utility."""
        return self.sections.get("gdu")

    @property
    def propensity(self) -> PropensityResult | None:
        """Whether a classifier can tell the files apart."""
        return self.sections.get("propensity")

    @property
    def clusters(self) -> tuple[ClusterResult, ...] | None:
        """Whether clusters hold both files in equal shares."""
        return self.sections.get("clusters")

    @property
    def ecdf(self) -> EcdfResult | None:
        """How far the joint distributions are apart."""
        return self.sections.get("ecdf")

    @property
    def tables(self) -> Tables | None:
        """How far tables of several variables agree."""
        return self.sections.get("tables")

    @property
    def loss(self) -> Loss | None:
        """What became of values, tables and covariances."""
        return self.sections.get("loss")

    @property
    def indicators(self) -> tuple[IndicatorResult, ...] | None:
        """Statistics that the schema names."""
        return self.sections.get("indicators")

    @property
    def regressions(self) -> tuple[RegressionResult, ...] | None:
        """Regressions that the schema names."""
        return self.sections.get("regressions")

    @property
    def risk(self) -> Risk | None:
        """What quasi-identifiers give away."""
        return self.sections.get("risk")

    @property
    def disclosure(self) -> Disclosure | None:
        """What an intruder finds and learns."""
        return self.sections.get("disclosure")

    @property
    def rut(self) -> Rut | None:
        """Risk and utility on one scale."""
        return self.sections.get("rut")

    @property
    def requirements(self) -> tuple[Requirement, ...] | None:
        """The limits, and whether the file keeps them."""
        return self.sections.get("requirements")

    @property
    def verdict(self) -> Verdict | None:
        """Is it useful, is it safe, and what is to be done."""
        return self.sections.get("verdict")

    @property
    def yardsticks(self) -> tuple[Yardstick, ...] | None:
        """Files whose loss is known."""
        return self.sections.get("yardsticks")

    @property
    def details(self) -> Details | None:
        """What a report draws; not part of the JSON result."""
        return self.sections.get("details")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, in sentences."""
        return tuple(remark.sentence for remark in self.remarks)

    def changed(self, **changes: Any) -> Assessment:
        """The same with other fields or sections: `dataclasses.replace`, for type checkers."""
        return replace(self, **changes)

    @property
    def written(self) -> dict[str, Any]:
        """The sections that are part of the JSON result."""
        return {
            name: result
            for name, result in self.sections.items()
            if getattr(result, "written", True)
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import to_dict

        return dict(to_dict(self))

    def report(self, edition: Edition = "internal", min_count: int = 10) -> str:
        """The report as HTML; assess with `details` for its pictures."""
        from microgauge.render.report import report_html

        return report_html(self, edition, min_count)

    def summary(self) -> bytes:
        """One page for the committee, as the content of a PDF file."""
        from microgauge.render.summary import summary_pdf

        return summary_pdf(self)

    def variable_table(self) -> Any:
        """A polars data frame with a row for each analysed variable."""
        from microgauge.render.frames import variable_frame

        return variable_frame(self)

    def pair_table(self) -> Any:
        """A polars data frame with a row for each pair of variables."""
        from microgauge.render.frames import pair_frame

        return pair_frame(self)

    def loss_table(self) -> Any:
        """A polars data frame with a row for each analysed variable: what changed in it."""
        from microgauge.render.frames import loss_frame

        return loss_frame(self)

    def table_table(self) -> Any:
        """A polars data frame with a row for each compared table."""
        from microgauge.render.frames import table_frame

        return table_frame(self)

    def tables_table(self) -> Any:
        """A polars data frame with a row for each table of several variables, the worst first."""
        from microgauge.render.frames import scored_table_frame

        return scored_table_frame(self)

    def indicator_table(self) -> Any:
        """A polars data frame with a row for each indicator and group."""
        from microgauge.render.frames import indicator_frame

        return indicator_frame(self)

    def loglinear_table(self) -> Any:
        """A polars data frame with a row for each term of the log-linear model."""
        from microgauge.render.frames import loglinear_frame

        return loglinear_frame(self)

    def validity_table(self) -> Any:
        """A polars data frame with a row for each criterion of analytic validity."""
        from microgauge.render.frames import validity_frame

        return validity_frame(self)

    def cluster_table(self) -> Any:
        """A polars data frame with a row for each number of groups."""
        from microgauge.render.frames import cluster_frame

        return cluster_frame(self)

    def regression_table(self) -> Any:
        """A polars data frame with a row for each regression; needs [[regression]]."""
        from microgauge.render.frames import regression_frame

        return regression_frame(self)

    def coefficient_table(self) -> Any:
        """A polars data frame with a row for each coefficient of each regression."""
        from microgauge.render.frames import coefficient_frame

        return coefficient_frame(self)

    def disclosure_table(self) -> Any:
        """A polars data frame with a row for each target that an intruder wants to know."""
        from microgauge.render.frames import disclosure_frame

        return disclosure_frame(self)

    def intruder_table(self) -> Any:
        """A polars data frame with a row for each intruder."""
        from microgauge.render.frames import intruder_frame

        return intruder_frame(self)

    def __eq__(self, other: object) -> bool:
        """Whether both say the same: what is written, without pictures and lists of records."""
        if not isinstance(other, Assessment):
            return NotImplemented
        return self._said() == other._said()

    __hash__ = None  # type: ignore[assignment]

    def _said(self) -> tuple[Any, ...]:
        head = (self.microgauge, self.schema_version, self.inputs, self.variables)
        return (*head, self.written, self.notes)

    def __str__(self) -> str:
        from microgauge.render.text import summary

        return summary(self)

    def __repr__(self) -> str:
        found = []
        if self.gdu is not None:
            value = "null" if self.gdu.value is None else f"{self.gdu.value:.4f}"
            found.append(f"gdu={value}")
        if self.propensity is not None and self.propensity.ratio is not None:
            found.append(f"propensity_ratio={self.propensity.ratio:.3g}")
        return f"Assessment({', '.join([*found, f'variables={len(self.variables)}'])})"

    def _repr_html_(self) -> str:
        from microgauge.render.notebook import notebook_view

        return notebook_view(self)


def _records(sentences: Iterable[str], known: Iterable[Note]) -> tuple[Note, ...]:
    """Sentences as records: those that are known keep their codes."""
    by_sentence = {note.sentence: note for note in known}
    return tuple(by_sentence.get(said, Note("note", said)) for said in sentences)


def _in_order(found: Mapping[str, Any]) -> dict[str, Any]:
    """The sections that were computed, the package's own ones first."""
    known = [name for name in ORDER if name in found]
    names = [*known, *(name for name in found if name not in known)]
    return {name: found[name] for name in names if found[name] is not None}
