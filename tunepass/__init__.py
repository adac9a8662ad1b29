"""tunepass: the tuning pass that any compiler can embed. Names load on first use, so that importing costs nothing."""

from __future__ import annotations

from tunepass.version import __version__ as __version__

_HOME_OF = {
    "Configuration": "tunepass.space.configuration",
    "Space": "tunepass.space.space",
    "Real": "tunepass.space.parameter",
    "Integer": "tunepass.space.parameter",
    "Ordinal": "tunepass.space.parameter",
    "Categorical": "tunepass.space.parameter",
    "Permutation": "tunepass.space.parameter",
    "Constraint": "tunepass.space.constraint",
    "Objective": "tunepass.study.objective",
    "Measured": "tunepass.study.outcome",
    "Infeasible": "tunepass.study.outcome",
    "Failed": "tunepass.study.outcome",
    "Trial": "tunepass.study.trial",
    "Study": "tunepass.study.study",
    "CurveModel": "tunepass.study.optimize.curve_model",
    "Instances": "tunepass.study.comparison.instances",
    "Pruned": "tunepass.study.optimize.running_trial",
    "Pruner": "tunepass.study.optimize.pruner",
    "RunningTrial": "tunepass.study.optimize.running_trial",
    "SuccessiveHalving": "tunepass.study.optimize.pruner",
    "plot": "tunepass.reports.plots",
    "report": "tunepass.reports.study_page",
    "Recommendation": "tunepass.study.results.recommendation",
    "Trust": "tunepass.study.trust",
    "Fidelity": "tunepass.search.fidelity",
    "StopWhenNoGain": "tunepass.search.expected_gain",
    "FidelityStudy": "tunepass.search.fidelity",
    "PriorMean": "tunepass.strategies.prior_mean.sources",
    "SeveralPriorMeans": "tunepass.strategies.prior_mean.several",
    "Store": "tunepass.study.storage.store",
    "Lock": "tunepass.study.lock.lock",
    "Kernel": "tunepass.ir.kernel",
    "Pass": "tunepass.passes.base",
    "Pipeline": "tunepass.passes.pipeline",
    "Result": "tunepass.passes.base",
    "SearchOptions": "tunepass.search.options",
    "load": "tunepass.jobs.reading",
    "pruned_space": "tunepass.jobs.pruning",
    "PrunedSpace": "tunepass.pruning.pruned_space",
    "TunepassError": "tunepass.diagnostics",
    "SpaceError": "tunepass.diagnostics",
    "SamplingError": "tunepass.diagnostics",
    "StudyError": "tunepass.diagnostics",
    "SourceError": "tunepass.diagnostics",
    # strategies and their settings
    "Bayesian": "tunepass.strategies.bo.bayesian",
    "BayesianSettings": "tunepass.strategies.bo.bayesian",
    "Hypervolume": "tunepass.strategies.bo.hypervolume",
    "HypervolumeSettings": "tunepass.strategies.bo.hypervolume",
    "DesignSettings": "tunepass.strategies.bo.design",
    "LocalSearchSettings": "tunepass.acquisition.maximise",
    "DensityRatio": "tunepass.strategies.density_ratio",
    "DensityRatioSettings": "tunepass.strategies.density_ratio",
    "ParetoWall": "tunepass.strategies.pareto_wall",
    "ParetoWallSettings": "tunepass.strategies.pareto_wall",
    "Random": "tunepass.strategies.random",
    "RandomSettings": "tunepass.strategies.random",
    # surrogates and acquisitions
    "GaussianProcess": "tunepass.surrogates.gp",
    "GpSettings": "tunepass.surrogates.gp",
    "DeepProcess": "tunepass.surrogates.deep_gp",
    "DeepSettings": "tunepass.surrogates.deep_training",
    "SampledDeepProcess": "tunepass.surrogates.sampled_deep_gp",
    "SampledSettings": "tunepass.surrogates.sampled_training",
    "SparseProcess": "tunepass.surrogates.sparse_gp",
    "SparseSettings": "tunepass.surrogates.sparse_gp",
    "Forest": "tunepass.surrogates.forest",
    "ForestSettings": "tunepass.surrogates.forest",
    "Acquisition": "tunepass.acquisition.base",
    "JointAcquisition": "tunepass.acquisition.base",
    "JointDeepProcess": "tunepass.surrogates.joint_deep_gp",
    "JointPosterior": "tunepass.surrogates.base",
    "JointSurrogate": "tunepass.surrogates.base",
    "ExpectedImprovement": "tunepass.acquisition.expected_improvement",
    "ExpectedHypervolumeImprovement": "tunepass.acquisition.hypervolume",
    "SMSego": "tunepass.acquisition.hypervolume",
    "ChebyshevBound": "tunepass.acquisition.scalarise",
    # roles, and the types of their methods: for extensions
    "Strategy": "tunepass.strategies.base",
    "Task": "tunepass.study.task",
    "Evaluator": "tunepass.evaluators.base",
    "Evaluation": "tunepass.study.outcome",
    "Frontend": "tunepass.frontends.base",
    "Parsed": "tunepass.frontends.base",
    "EmittedFile": "tunepass.ir.files",
    "Source": "tunepass.diagnostics",
    "Backend": "tunepass.backends.base",
    "Target": "tunepass.backends.base",
    "Body": "tunepass.ir.body",
    "Binding": "tunepass.ir.kernel",
    "Choice": "tunepass.ir.kernel",
    "Identity": "tunepass.study.identity",
    "Surrogate": "tunepass.surrogates.base",
    "Posterior": "tunepass.surrogates.base",
    "Costs": "tunepass.hwmodels.base",
    "CostModel": "tunepass.hwmodels.base",
    "Breakdown": "tunepass.hwmodels.base",
    "DeviceSummary": "tunepass.hwmodels.base",
    "Executor": "tunepass.executors.base",
    "ExactSolver": "tunepass.exact.base",
    "Front": "tunepass.exact.base",
    "Certificate": "tunepass.exact.base",
    "Wrapper": "tunepass.capabilities",
    "capability": "tunepass.capabilities",
}

TYPE_CHECKING = False  # of `typing`, whose loading costs more than a compiler's call has to spare

__all__ = ["__version__", *sorted(_HOME_OF)]

if TYPE_CHECKING:
    from tunepass.acquisition.base import Acquisition as Acquisition
    from tunepass.acquisition.base import JointAcquisition as JointAcquisition
    from tunepass.acquisition.expected_improvement import ExpectedImprovement as ExpectedImprovement
    from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement as ExpectedHypervolumeImprovement
    from tunepass.acquisition.hypervolume import SMSego as SMSego
    from tunepass.acquisition.maximise import LocalSearchSettings as LocalSearchSettings
    from tunepass.acquisition.scalarise import ChebyshevBound as ChebyshevBound
    from tunepass.backends.base import Backend as Backend
    from tunepass.backends.base import Target as Target
    from tunepass.capabilities import Wrapper as Wrapper
    from tunepass.capabilities import capability as capability
    from tunepass.diagnostics import SamplingError as SamplingError
    from tunepass.diagnostics import Source as Source
    from tunepass.diagnostics import SourceError as SourceError
    from tunepass.diagnostics import SpaceError as SpaceError
    from tunepass.diagnostics import StudyError as StudyError
    from tunepass.diagnostics import TunepassError as TunepassError
    from tunepass.evaluators.base import Evaluator as Evaluator
    from tunepass.exact.base import Certificate as Certificate
    from tunepass.exact.base import ExactSolver as ExactSolver
    from tunepass.exact.base import Front as Front
    from tunepass.executors.base import Executor as Executor
    from tunepass.frontends.base import Frontend as Frontend
    from tunepass.frontends.base import Parsed as Parsed
    from tunepass.hwmodels.base import Breakdown as Breakdown
    from tunepass.hwmodels.base import CostModel as CostModel
    from tunepass.hwmodels.base import Costs as Costs
    from tunepass.hwmodels.base import DeviceSummary as DeviceSummary
    from tunepass.ir.body import Body as Body
    from tunepass.ir.files import EmittedFile as EmittedFile
    from tunepass.ir.kernel import Binding as Binding
    from tunepass.ir.kernel import Choice as Choice
    from tunepass.ir.kernel import Kernel as Kernel
    from tunepass.jobs.pruning import pruned_space as pruned_space
    from tunepass.jobs.reading import load as load
    from tunepass.passes.base import Pass as Pass
    from tunepass.passes.base import Result as Result
    from tunepass.passes.pipeline import Pipeline as Pipeline
    from tunepass.pruning.pruned_space import PrunedSpace as PrunedSpace
    from tunepass.reports.plots import plot as plot
    from tunepass.reports.study_page import report as report
    from tunepass.search.expected_gain import StopWhenNoGain as StopWhenNoGain
    from tunepass.search.fidelity import Fidelity as Fidelity
    from tunepass.search.fidelity import FidelityStudy as FidelityStudy
    from tunepass.search.options import SearchOptions as SearchOptions
    from tunepass.space.configuration import Configuration as Configuration
    from tunepass.space.constraint import Constraint as Constraint
    from tunepass.space.parameter import Categorical as Categorical
    from tunepass.space.parameter import Integer as Integer
    from tunepass.space.parameter import Ordinal as Ordinal
    from tunepass.space.parameter import Permutation as Permutation
    from tunepass.space.parameter import Real as Real
    from tunepass.space.space import Space as Space
    from tunepass.strategies.base import Strategy as Strategy
    from tunepass.strategies.bo.bayesian import Bayesian as Bayesian
    from tunepass.strategies.bo.bayesian import BayesianSettings as BayesianSettings
    from tunepass.strategies.bo.design import DesignSettings as DesignSettings
    from tunepass.strategies.bo.hypervolume import Hypervolume as Hypervolume
    from tunepass.strategies.bo.hypervolume import HypervolumeSettings as HypervolumeSettings
    from tunepass.strategies.density_ratio import DensityRatio as DensityRatio
    from tunepass.strategies.density_ratio import DensityRatioSettings as DensityRatioSettings
    from tunepass.strategies.pareto_wall import ParetoWall as ParetoWall
    from tunepass.strategies.pareto_wall import ParetoWallSettings as ParetoWallSettings
    from tunepass.strategies.prior_mean.several import SeveralPriorMeans as SeveralPriorMeans
    from tunepass.strategies.prior_mean.sources import PriorMean as PriorMean
    from tunepass.strategies.random import Random as Random
    from tunepass.strategies.random import RandomSettings as RandomSettings
    from tunepass.study.comparison.instances import Instances as Instances
    from tunepass.study.identity import Identity as Identity
    from tunepass.study.lock.lock import Lock as Lock
    from tunepass.study.objective import Objective as Objective
    from tunepass.study.optimize.curve_model import CurveModel as CurveModel
    from tunepass.study.optimize.pruner import Pruner as Pruner
    from tunepass.study.optimize.pruner import SuccessiveHalving as SuccessiveHalving
    from tunepass.study.optimize.running_trial import Pruned as Pruned
    from tunepass.study.optimize.running_trial import RunningTrial as RunningTrial
    from tunepass.study.outcome import Evaluation as Evaluation
    from tunepass.study.outcome import Failed as Failed
    from tunepass.study.outcome import Infeasible as Infeasible
    from tunepass.study.outcome import Measured as Measured
    from tunepass.study.results.recommendation import Recommendation as Recommendation
    from tunepass.study.storage.store import Store as Store
    from tunepass.study.study import Study as Study
    from tunepass.study.task import Task as Task
    from tunepass.study.trial import Trial as Trial
    from tunepass.study.trust import Trust as Trust
    from tunepass.surrogates.base import JointPosterior as JointPosterior
    from tunepass.surrogates.base import JointSurrogate as JointSurrogate
    from tunepass.surrogates.base import Posterior as Posterior
    from tunepass.surrogates.base import Surrogate as Surrogate
    from tunepass.surrogates.deep_gp import DeepProcess as DeepProcess
    from tunepass.surrogates.deep_training import DeepSettings as DeepSettings
    from tunepass.surrogates.forest import Forest as Forest
    from tunepass.surrogates.forest import ForestSettings as ForestSettings
    from tunepass.surrogates.gp import GaussianProcess as GaussianProcess
    from tunepass.surrogates.gp import GpSettings as GpSettings
    from tunepass.surrogates.joint_deep_gp import JointDeepProcess as JointDeepProcess
    from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess as SampledDeepProcess
    from tunepass.surrogates.sampled_training import SampledSettings as SampledSettings
    from tunepass.surrogates.sparse_gp import SparseProcess as SparseProcess
    from tunepass.surrogates.sparse_gp import SparseSettings as SparseSettings


if not TYPE_CHECKING:  # which knows the names above: any other is a type error

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module 'tunepass' has no attribute {name!r}")
        import importlib

        return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
