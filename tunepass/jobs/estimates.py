"""Estimates of configurations by a model: every named expression of a kernel's costs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunepass.backends.base import Backend, Target, backend_for, default_of
from tunepass.diagnostics import Source, TunepassError
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import Constant, Expr
from tunepass.expr.numpy_eval import Columns
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.frontends.base import Parsed
from tunepass.hwmodels.base import Costs
from tunepass.ir.kernel import Kernel
from tunepass.jobs.job import Job
from tunepass.jobs.reading import parse
from tunepass.space.configuration import Configuration
from tunepass.study.trial import Trial


@dataclass(frozen=True)
class Estimator:
    """A kernel with what its backend's costs say of it."""

    backend: Backend
    costs: Costs

    @property
    def kernel(self) -> Kernel:
        return self.backend.kernel

    @property
    def device(self) -> str:
        return self.backend.device

    @property
    def title(self) -> str:
        return f"{self.kernel.source.name}::{self.kernel.name} on {self.backend.device}"

    @cached_property
    def program(self) -> CompiledExpressions:
        return CompiledExpressions(self._expressions)

    @property
    def _expressions(self) -> list[Expr]:
        """Every named expression in order, then `fits` and whether the model was fitted to anything like it."""
        return [*self.costs.values.values(), self.costs.fits, self.costs.within_fit]

    @property
    def default(self) -> Configuration:
        """The values that the source has, whether or not its restrictions allow them."""
        return default_of(self.kernel)

    def columns(self, configurations: Sequence[Configuration]) -> Columns:
        rows = [self.kernel.filled(c) for c in configurations]
        return {p.name: p.column([row[p.name] for row in rows]) for p in self.kernel.parameters}

    def prices(self, configurations: Sequence[Configuration]) -> dict[str, NDArray[np.generic]]:
        """The named expressions, `fits` and `extrapolated`, each with a value (n,) a configuration."""
        columns, count = self.columns(configurations), len(configurations)
        if count == 1:  # to compile would take longer than to read
            *values, fits, within = (e.values for e in numpy_eval.evaluate_all(self._expressions, columns, 1))
        else:
            *values, fits, within = self.program.run(columns, count)
        beyond = np.logical_not(np.asarray(within, np.bool_))
        return {**dict(zip(self.costs.values, values)), "fits": fits, "extrapolated": beyond}

    def broken(self, configuration: Configuration) -> tuple[str, ...]:
        """The constraints of the kernel that the configuration does not keep."""
        columns = self.columns([configuration])
        satisfied = (numpy_eval.satisfied(c.expression, columns, 1)[0] for c in self.kernel.constraints)
        return tuple(c.text for c, holds in zip(self.kernel.constraints, satisfied) if not holds)


def estimator_of(
    given: str | Source, kernel: str | None, target: Target, words: Sequence[str] | None = None
) -> tuple[Estimator, Parsed]:
    """Estimator of the only kernel of a source, or of the one called `kernel`. TunepassError if no model prices it."""
    parsed = parse(given, kernel, words=words)
    source = given.name if isinstance(given, Source) else given
    if len(parsed.kernels) > 1:
        names = ", ".join(k.name for k in parsed.kernels)
        raise TunepassError(f"{source} has several kernels: {names}", hint="name one with --kernel (--app)")
    backend = backend_for(parsed.kernels[0], target)
    costs = backend.costs()
    if costs is None:
        raise TunepassError(
            f"{source}: no model prices this {parsed.kernels[0].language} kernel",
            hint="`tunepass build` measures it; a `model` pragma, or loops that directives name, make it one to price",
        )
    return Estimator(backend, costs), parsed


def extrapolated(job: Job, trials: Sequence[Trial]) -> frozenset[Configuration]:
    """The trials' configurations for which a model says something that it was fitted to nothing like."""
    costs = job.backend.costs()
    if costs is None or not job.only_priced or isinstance(costs.within_fit, Constant) or not trials:
        return frozenset()
    chosen = [trial.configuration for trial in trials]
    rows = [job.kernel.filled(c) for c in chosen]
    columns = {p.name: p.column([row[p.name] for row in rows]) for p in job.kernel.parameters}
    (within,) = CompiledExpressions([costs.within_fit]).run(columns, len(chosen))
    return frozenset(c for c, known in zip(chosen, np.asarray(within, np.bool_).tolist()) if not known)
