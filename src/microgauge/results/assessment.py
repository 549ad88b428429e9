"""Everything said of one protected table: what was compared, and the result of each section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import ENGLISH, say
from microgauge.log import Note
from microgauge.records import dataclass
from microgauge.results.analyses import IndicatorResult, RegressionResult
from microgauge.results.balance import Rut
from microgauge.results.disclosure import Disclosure
from microgauge.results.gdu import GDU
from microgauge.results.given_back import Frames, given_back
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

if TYPE_CHECKING:
    from microgauge.render.plots import AssessmentPlots

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
    frames: Frames = "polars"
    """What its tables are: pandas where pandas was given; never part of the JSON result."""
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
        risky, frames = given.pop("risky", None), given.pop("frames", "polars")
        manifest = given.pop("manifest", None)
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
            "frames": frames,
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

    def report(
        self, edition: Edition = "internal", min_count: int = 10, language: str = ENGLISH
    ) -> str:
        """The report as HTML; assess with `details` for its pictures."""
        from microgauge.render.report import report_html

        return report_html(self, edition, min_count, language)

    def to_excel(self, path: str | Path) -> None:
        """Write all tables into one workbook, a sheet for each."""
        from microgauge.render.workbook import result_workbook
        from microgauge.results.writing import check_ending, check_writable, write_whole

        check_writable(check_ending(path, (".xlsx",), say("a workbook")))
        write_whole(path, result_workbook(self))

    @property
    def plot(self) -> AssessmentPlots:
        """Charts that a notebook displays: `plot.map()`, `plot.variables()`, `plot.pairs()`."""
        from microgauge.render.plots import AssessmentPlots

        return AssessmentPlots(self)

    def summary(self, language: str = ENGLISH) -> bytes:
        """One page for the committee, as the content of a PDF file."""
        from microgauge.render.summary import summary_pdf

        return summary_pdf(self, language)

    def variable_table(self) -> Any:
        """A data frame with a row for each analysed variable."""
        from microgauge.render.frames import variable_frame

        return given_back(variable_frame(self), self.frames)

    def pair_table(self) -> Any:
        """A data frame with a row for each pair of variables."""
        from microgauge.render.frames import pair_frame

        return given_back(pair_frame(self), self.frames)

    def loss_table(self) -> Any:
        """A data frame with a row for each analysed variable: what changed in it."""
        from microgauge.render.frames import loss_frame

        return given_back(loss_frame(self), self.frames)

    def table_table(self) -> Any:
        """A data frame with a row for each compared table."""
        from microgauge.render.frames import table_frame

        return given_back(table_frame(self), self.frames)

    def tables_table(self) -> Any:
        """A data frame with a row for each table of several variables, the worst first."""
        from microgauge.render.frames import scored_table_frame

        return given_back(scored_table_frame(self), self.frames)

    def indicator_table(self) -> Any:
        """A data frame with a row for each indicator and group."""
        from microgauge.render.frames import indicator_frame

        return given_back(indicator_frame(self), self.frames)

    def loglinear_table(self) -> Any:
        """A data frame with a row for each term of the log-linear model."""
        from microgauge.render.frames import loglinear_frame

        return given_back(loglinear_frame(self), self.frames)

    def validity_table(self) -> Any:
        """A data frame with a row for each criterion of analytic validity."""
        from microgauge.render.frames import validity_frame

        return given_back(validity_frame(self), self.frames)

    def cluster_table(self) -> Any:
        """A data frame with a row for each number of groups."""
        from microgauge.render.frames import cluster_frame

        return given_back(cluster_frame(self), self.frames)

    def regression_table(self) -> Any:
        """A data frame with a row for each regression; needs [[regression]]."""
        from microgauge.render.frames import regression_frame

        return given_back(regression_frame(self), self.frames)

    def coefficient_table(self) -> Any:
        """A data frame with a row for each coefficient of each regression."""
        from microgauge.render.frames import coefficient_frame

        return given_back(coefficient_frame(self), self.frames)

    def disclosure_table(self) -> Any:
        """A data frame with a row for each target that an intruder wants to know."""
        from microgauge.render.frames import disclosure_frame

        return given_back(disclosure_frame(self), self.frames)

    def intruder_table(self) -> Any:
        """A data frame with a row for each intruder."""
        from microgauge.render.frames import intruder_frame

        return given_back(intruder_frame(self), self.frames)

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
        return self.short_text()

    def short_text(
        self, ending: Sequence[tuple[str, str]] = (), more: str = "print(result.long_text())"
    ) -> str:
        """The verdict and what matters most, in at most 40 lines of 80 columns.

        `ending` adds lines under labels of their own; `more` says how to see everything.
        """
        from microgauge.render.short import short_text

        return short_text(self, ending, more)

    def long_text(self) -> str:
        """What every section says, line by line."""
        from microgauge.render.text import summary

        return summary(self)

    def headline_text(self) -> str:
        """The two grades and their figures in a few lines."""
        from microgauge.render.short import first_text

        return first_text(self)

    def revision_of(self, first: Assessment) -> str | None:
        """Which grades of a first verdict turned out otherwise, in a sentence; None if neither."""
        from microgauge.render.short import revision

        return revision(first, self)

    def __repr__(self) -> str:
        told = []
        if self.verdict is not None:
            told += [f"useful={self.verdict.useful.grade}", f"safe={self.verdict.safe.grade}"]
            told += [_shown("utility", self.verdict.utility), _shown("risk", self.verdict.risk)]
        if self.gdu is not None:
            told.append(_shown("gdu", self.gdu.value))
        rows = f"rows={self.inputs.original.rows}→{self.inputs.protected.rows}"
        return f"Assessment({', '.join([*told, rows, f'variables={len(self.variables)}'])})"

    def _repr_html_(self) -> str:
        from microgauge.render.notebook import notebook_view

        return notebook_view(self)


def _shown(name: str, value: float | None) -> str:
    return f"{name}=null" if value is None else f"{name}={value:.3f}"


def _records(sentences: Iterable[str], known: Iterable[Note]) -> tuple[Note, ...]:
    """Sentences as records: those that are known keep their codes."""
    by_sentence = {note.sentence: note for note in known}
    return tuple(by_sentence.get(said, Note("note", said)) for said in sentences)


def _in_order(found: Mapping[str, Any]) -> dict[str, Any]:
    """The sections that were computed, the package's own ones first."""
    known = [name for name in ORDER if name in found]
    names = [*known, *(name for name in found if name not in known)]
    return {name: found[name] for name in names if found[name] is not None}
