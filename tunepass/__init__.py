"""tunepass: the tuning pass that any compiler can embed. Names load on first use, so that importing costs nothing."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOME_OF = {
    "Configuration": "tunepass.space.configuration",
    "Space": "tunepass.space.space",
    "Real": "tunepass.space.parameter",
    "Integer": "tunepass.space.parameter",
    "Ordinal": "tunepass.space.parameter",
    "Categorical": "tunepass.space.parameter",
    "Permutation": "tunepass.space.parameter",
    "Objective": "tunepass.study.objective",
    "Measured": "tunepass.study.outcome",
    "Infeasible": "tunepass.study.outcome",
    "Failed": "tunepass.study.outcome",
    "Trial": "tunepass.study.trial",
    "Study": "tunepass.study.study",
    "PriorMean": "tunepass.strategies.bo.prior_mean",
    "Store": "tunepass.study.storage.store",
    "Lock": "tunepass.study.lock.lock",
    "Kernel": "tunepass.ir.kernel",
    "Pass": "tunepass.passes.base",
    "Pipeline": "tunepass.passes.base",
    "Result": "tunepass.passes.base",
    "load": "tunepass.jobs.reading",
    "TunepassError": "tunepass.diagnostics",
}

__all__ = ["__version__", *sorted(_HOME_OF)]

if TYPE_CHECKING:
    from tunepass.diagnostics import TunepassError as TunepassError
    from tunepass.ir.kernel import Kernel as Kernel
    from tunepass.jobs.reading import load as load
    from tunepass.passes.base import Pass as Pass
    from tunepass.passes.base import Pipeline as Pipeline
    from tunepass.passes.base import Result as Result
    from tunepass.space.configuration import Configuration as Configuration
    from tunepass.strategies.bo.prior_mean import PriorMean as PriorMean
    from tunepass.study.lock.lock import Lock as Lock
    from tunepass.study.objective import Objective as Objective
    from tunepass.study.outcome import Failed as Failed
    from tunepass.study.outcome import Infeasible as Infeasible
    from tunepass.study.outcome import Measured as Measured
    from tunepass.study.storage.store import Store as Store
    from tunepass.study.study import Study as Study
    from tunepass.study.trial import Trial as Trial


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tunepass' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
