"""What comes out: plain frozen records, whose fields are the names of the JSON result.

A figure that could not be computed is None, and `reason` beside it says why.
"""

from microgauge.results.analyses import (
    CoefficientResult,
    IndicatorResult,
    RegressionKind,
    RegressionResult,
)
from microgauge.results.assessment import Assessment
from microgauge.results.balance import AttributeUtility, Rut, SweepStep, VectorUtility
from microgauge.results.diagnosis import Diagnosis, LevelPreview, SubsetRisk, VariableDiagnosis
from microgauge.results.disclosure import (
    CopiedUnits,
    Disclosure,
    Found,
    GroupFound,
    Intruder,
    LearnedTarget,
    Membership,
    Replicated,
    Worst,
    WpAttack,
)
from microgauge.results.gdu import (
    GDU,
    Coverage,
    GduFigures,
    GduReference,
    ModelScore,
    Outcome,
    PairScore,
    TermScore,
    Test,
    VariableScore,
)
from microgauge.results.inputs import Alignment, Inputs, InputTable, RecodingResult, VariableResult
from microgauge.results.joint import ClusterResult, EcdfResult, PropensityResult, VariableDrop
from microgauge.results.left_in import LeftIn, stops
from microgauge.results.loss import (
    Loss,
    MatrixLoss,
    MissingCells,
    MomentsResult,
    SubdomainLoss,
    TableLoss,
    VariableLoss,
)
from microgauge.results.pictures import (
    AxisDetail,
    CategoryDetail,
    Details,
    NumberDetail,
    PairDetail,
    ToldShares,
    VariableDetail,
)
from microgauge.results.presenter import Edition, Presenter
from microgauge.results.ranking import (
    Candidate,
    Equal,
    Leader,
    Ranking,
    Recommendation,
    Standing,
    Step,
)
from microgauge.results.reproduction import Claim, FigureRow, FigureTable, Reproduction
from microgauge.results.requirements import Requirement
from microgauge.results.risk import (
    AttackerRisk,
    ClassShare,
    IndividualRisk,
    LogLinearRisk,
    Risk,
    SensitiveRisk,
    SudaRisk,
)
from microgauge.results.yardsticks import Yardstick

__all__ = [
    "GDU",
    "Alignment",
    "Assessment",
    "AttackerRisk",
    "AttributeUtility",
    "AxisDetail",
    "Candidate",
    "CategoryDetail",
    "Claim",
    "ClassShare",
    "ClusterResult",
    "CoefficientResult",
    "CopiedUnits",
    "Coverage",
    "Details",
    "Diagnosis",
    "Disclosure",
    "EcdfResult",
    "Edition",
    "Equal",
    "FigureRow",
    "FigureTable",
    "Found",
    "GduFigures",
    "GduReference",
    "GroupFound",
    "IndicatorResult",
    "IndividualRisk",
    "InputTable",
    "Inputs",
    "Intruder",
    "Leader",
    "LearnedTarget",
    "LeftIn",
    "LevelPreview",
    "LogLinearRisk",
    "Loss",
    "MatrixLoss",
    "Membership",
    "MissingCells",
    "ModelScore",
    "MomentsResult",
    "NumberDetail",
    "Outcome",
    "PairDetail",
    "PairScore",
    "Presenter",
    "PropensityResult",
    "Ranking",
    "RecodingResult",
    "Recommendation",
    "RegressionKind",
    "RegressionResult",
    "Replicated",
    "Reproduction",
    "Requirement",
    "Risk",
    "Rut",
    "SensitiveRisk",
    "Standing",
    "Step",
    "SubdomainLoss",
    "SubsetRisk",
    "SudaRisk",
    "SweepStep",
    "TableLoss",
    "TermScore",
    "Test",
    "ToldShares",
    "VariableDetail",
    "VariableDiagnosis",
    "VariableDrop",
    "VariableLoss",
    "VariableResult",
    "VariableScore",
    "VectorUtility",
    "Worst",
    "WpAttack",
    "Yardstick",
    "stops",
]
