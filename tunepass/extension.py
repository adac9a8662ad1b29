"""Public names for plug-ins, besides those of `tunepass` itself: expressions, identities, models of devices.

A plug-in imports `tunepass`, this module, and in its tests `tunepass.testing`; names elsewhere may change.
"""

from __future__ import annotations

from tunepass.acquisition.base import Acquisition as Acquisition
from tunepass.acquisition.base import JointAcquisition as JointAcquisition
from tunepass.backends.base import cost_model as cost_model
from tunepass.backends.base import default_of as default_of
from tunepass.backends.base import named as named_objectives
from tunepass.expr import algebra as algebra
from tunepass.expr.nodes import Expr as Expr
from tunepass.expr.parser import parse as parse_expression
from tunepass.hwmodels.base import EstimatePart as EstimatePart
from tunepass.hwmodels.base import ModelError as ModelError
from tunepass.hwmodels.base import Slice as Slice
from tunepass.pruning.base import Remaining as Remaining
from tunepass.pruning.base import Solver as PruningSolver
from tunepass.spread import Spread as Spread
from tunepass.strategies.bo.bayesian import Bayesian as Bayesian
from tunepass.strategies.bo.bayesian import BayesianSettings as BayesianSettings
from tunepass.study.identity import source_hash as source_hash
from tunepass.study.outcome import Evaluate as Evaluate
from tunepass.study.space_description import space_hash as space_hash
from tunepass.surrogates.base import Floats as Floats

__all__ = [
    "Acquisition",
    "Bayesian",
    "BayesianSettings",
    "EstimatePart",
    "Evaluate",
    "Expr",
    "Floats",
    "JointAcquisition",
    "ModelError",
    "PruningSolver",
    "Remaining",
    "Slice",
    "Spread",
    "algebra",
    "cost_model",
    "default_of",
    "named_objectives",
    "parse_expression",
    "source_hash",
    "space_hash",
]
