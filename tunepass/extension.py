"""Public names for plug-ins, besides those of `tunepass` itself: expressions, identities, models of devices.

A plug-in imports `tunepass`, this module, and in its tests `tunepass.testing`; names elsewhere may change.
"""

from __future__ import annotations

from tunepass.acquisition.base import Acquisition as Acquisition
from tunepass.acquisition.base import JointAcquisition as JointAcquisition
from tunepass.backends.base import cost_model as cost_model
from tunepass.backends.base import default_of as default_of
from tunepass.backends.base import named as named_objectives
from tunepass.evaluators.capabilities import ComparesAgain as ComparesAgain
from tunepass.evaluators.capabilities import EvaluatesSideBySide as EvaluatesSideBySide
from tunepass.evaluators.capabilities import KeepsPrograms as KeepsPrograms
from tunepass.evaluators.capabilities import LooksAgain as LooksAgain
from tunepass.evaluators.capabilities import NoiseFree as NoiseFree
from tunepass.evaluators.capabilities import Prepares as Prepares
from tunepass.evaluators.capabilities import Remembers as Remembers
from tunepass.evaluators.capabilities import ReportsChecks as ReportsChecks
from tunepass.evaluators.capabilities import ReportsQuantities as ReportsQuantities
from tunepass.evaluators.capabilities import Sanitizes as Sanitizes
from tunepass.evaluators.capabilities import SetsUpAgain as SetsUpAgain
from tunepass.evaluators.capabilities import Summarises as Summarises
from tunepass.evaluators.capabilities import TimesRounds as TimesRounds
from tunepass.evaluators.capabilities import WaitsForCores as WaitsForCores
from tunepass.evaluators.capabilities import Warns as Warns
from tunepass.evaluators.own_text import BlamesOwnText as BlamesOwnText
from tunepass.evaluators.own_text import WritesText as WritesText
from tunepass.expr import algebra as algebra
from tunepass.expr.nodes import Expr as Expr
from tunepass.expr.parser import parse as parse_expression
from tunepass.hwmodels.base import EstimatePart as EstimatePart
from tunepass.hwmodels.base import ModelError as ModelError
from tunepass.hwmodels.base import Slice as Slice
from tunepass.interchange.door import Door as Door
from tunepass.pruning.base import Remaining as Remaining
from tunepass.pruning.base import Solver as PruningSolver
from tunepass.spread import Spread as Spread
from tunepass.strategies.bo.bayesian import Bayesian as Bayesian
from tunepass.strategies.bo.bayesian import BayesianSettings as BayesianSettings
from tunepass.study.capabilities import Believes as Believes
from tunepass.study.capabilities import HasSources as HasSources
from tunepass.study.capabilities import KnowsConfigurations as KnowsConfigurations
from tunepass.study.capabilities import NotesPending as NotesPending
from tunepass.study.capabilities import RatesParameters as RatesParameters
from tunepass.study.capabilities import Renews as Renews
from tunepass.study.capabilities import ReportsFeasibleRecall as ReportsFeasibleRecall
from tunepass.study.capabilities import ReportsPriorWeight as ReportsPriorWeight
from tunepass.study.capabilities import Revises as Revises
from tunepass.study.capabilities import WeighsSources as WeighsSources
from tunepass.study.identity import source_hash as source_hash
from tunepass.study.ledger import Check as Check
from tunepass.study.ledger import Ledger as Ledger
from tunepass.study.optimize.pruner import Curve as Curve
from tunepass.study.outcome import Evaluate as Evaluate
from tunepass.study.space_description import space_hash as space_hash
from tunepass.surrogates.base import Floats as Floats

__all__ = [
    "Acquisition",
    "Bayesian",
    "BayesianSettings",
    "Believes",
    "BlamesOwnText",
    "Check",
    "ComparesAgain",
    "Curve",
    "Door",
    "EstimatePart",
    "Evaluate",
    "EvaluatesSideBySide",
    "Expr",
    "Floats",
    "HasSources",
    "JointAcquisition",
    "KeepsPrograms",
    "KnowsConfigurations",
    "Ledger",
    "LooksAgain",
    "ModelError",
    "NoiseFree",
    "NotesPending",
    "Prepares",
    "PruningSolver",
    "RatesParameters",
    "Remaining",
    "Remembers",
    "Renews",
    "ReportsChecks",
    "ReportsFeasibleRecall",
    "ReportsPriorWeight",
    "ReportsQuantities",
    "Revises",
    "Sanitizes",
    "SetsUpAgain",
    "Slice",
    "Spread",
    "Summarises",
    "TimesRounds",
    "WaitsForCores",
    "Warns",
    "WeighsSources",
    "WritesText",
    "algebra",
    "cost_model",
    "default_of",
    "named_objectives",
    "parse_expression",
    "source_hash",
    "space_hash",
]
