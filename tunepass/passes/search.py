"""search: evaluate configurations through a study until the budget is spent, then choose."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.backends.base import Backend
from tunepass.capabilities import capability
from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.evaluators.capabilities import ReportsQuantities
from tunepass.evaluators.elsewhere import EvaluatorSource, MeasuresElsewhere
from tunepass.evaluators.model import ModelEvaluator
from tunepass.exact.base import Certificate
from tunepass.exact.shares import FrontsOfShares
from tunepass.expr.algebra import mul
from tunepass.expr.nodes import Constant
from tunepass.hwmodels.base import Costs
from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Compilation, Pass
from tunepass.passes.defect import defect_error
from tunepass.passes.model_correction import ModelCorrection
from tunepass.search.exact import Problem, WatchCertificate, solve
from tunepass.search.loop import SearchLoop
from tunepass.search.options import SearchOptions
from tunepass.search.picks import objective_of
from tunepass.search.prior import SearchPrior, model_prior
from tunepass.search.result import Progress, SearchResult
from tunepass.search.stop import Stop, never
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate
from tunepass.study.storage.store import Store
from tunepass.study.study import Study
from tunepass.study.task import Feasible

Watch = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Watches nothing."""


def ignore_certificate(certificate: Certificate) -> None:
    """Watches nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(Pass):
    """Measures where the backend has an evaluator, with what its costs say as prior mean; else asks the costs.

    `prior` is where another prior mean is from, it takes the place of the costs'. Ctrl-C ends the search, not the
    program: what was measured is kept, and the best so far becomes the choice.
    """

    name = "search"
    backend: Callable[[Kernel], Backend]
    options: SearchOptions = field(default_factory=SearchOptions)
    prior: SearchPrior | None = None
    from_model: bool = True  # without a prior, what the costs say is one
    study: str | None = None  # its name in the store
    identity: Mapping[str, str] = field(default_factory=dict)
    stop: Stop | None = None  # its clock and signals are for exact solvers; its request ends any search
    defects: Path | None = None  # the folder in which own text that does not compile is kept for a report
    source: EvaluatorSource | None = None  # of the evaluator, for an executor that measures elsewhere
    fronts: FrontsOfShares | None = None  # does shares of an exact solver's work elsewhere
    watch: Watch = ignore
    watch_certificate: WatchCertificate = ignore_certificate
    clock: Callable[[], float] = time.monotonic

    def run(self, compilation: Compilation) -> Compilation:
        space = compilation.require_space(self)
        backend = self.backend(compilation.kernel)
        objectives = backend.objectives()
        objective = objective_of(self.options.pick, objectives)
        costs, measured = backend.costs(), self._evaluator(backend)
        exact = self.options.names_exact_solver and measured is None
        evaluating, feasible = _evaluating(backend, costs, measured, objectives)
        with evaluating as evaluate:
            prior, correction = self.prior, None
            if prior is None and measured is not None and self.from_model:
                prior = _stated_prior(costs, objectives)
                correction = _model_correction(backend, costs, evaluate, objectives) if prior else None
                prior = replace(prior, mean=correction.prior_mean()) if prior and correction else prior
            study = Study(
                space,
                objectives,
                strategy="random" if exact else self.options.strategy,
                seed=self.options.seed,
                max_evals=None if exact else self.options.max_evals,
                store=self.options.store,
                name=self.study,
                identity=self._identity(backend, space),
                prior_mean=prior.mean if prior else None,
                feasible=feasible,
                repeats=False,  # the evaluators repeat runs, and finalists are measured again
            )
            origin = prior.origin if prior else None
            study.remember(origin)
            with self._closing(study):
                if exact and costs is not None:
                    result = self._exact(study, costs, evaluate)
                else:
                    loop = SearchLoop(
                        *(study, objective, evaluate, self.options, self.watch, self.clock, backend.openings()),
                        probes=backend.probes(space),
                        defect=lambda configuration, failure: defect_error(
                            backend, configuration, failure, self.defects
                        ),
                        stop=self.stop.requested if self.stop else never,
                    )
                    result = loop.run()
                if origin and correction:
                    origin = replace(origin, corrected=correction.sentence)
                result = replace(result, origin=study.remember(origin))
        return replace(compilation, search_result=result)

    def _evaluator(self, backend: Backend) -> AbstractContextManager[Evaluate] | None:
        """The backend's evaluator, or one that has other processes evaluate."""
        executor = self.options.executor
        if self.source is not None and isinstance(executor, MeasuresElsewhere):
            return executor.evaluator(self.source)
        return backend.evaluator()

    def _identity(self, backend: Backend, space: Space) -> Mapping[str, str]:
        """The study's identity. A store names a study without a name by it: kernels must not share their trials."""
        if self.study is not None or self.options.store is None:
            return self.identity
        return {"kernel": backend.kernel.name, **backend.identity(space).texts(), **self.identity}

    @contextmanager
    def _closing(self, study: Study) -> Iterator[None]:
        """Closes the study at the end. Raises EnvironmentFault, saying where its trials are, when its store is gone."""
        try:
            yield
        finally:
            rescued = study.store.rescue()
            if not isinstance(self.options.store, Store):
                study.close()
            if rescued is not None:
                raise EnvironmentFault(
                    f"the store {study.store.path} was removed or replaced while it was used; all its trials are in "
                    f"{rescued}",
                    hint=f"go on with --store {rescued}, or move it to where the store was",
                )

    def _exact(self, study: Study, costs: Costs, evaluate: Evaluate) -> SearchResult:
        problem = problem_of(costs, study.objectives, extrapolate=self.options.extrapolate)
        stop = self.stop or Stop()
        result = solve(study, problem, evaluate, self.options, stop, self.watch_certificate, self.clock, self.fronts)
        return replace(result, within_fit=len(problem.constraints) > 1)


def problem_of(costs: Costs, objectives: Sequence[Objective], *, extrapolate: bool = False) -> Problem:
    """Problem for an exact solver: the objectives' expressions as losses, constrained to designs that fit. Unless
    `extrapolate`, the designs must also lie within the range that the model was fitted to."""
    losses = [mul(-1, costs.values[o.name]) if o.maximise else costs.values[o.name] for o in objectives]
    known = [] if extrapolate or isinstance(costs.within_fit, Constant) else [costs.within_fit]
    return Problem(objectives=losses, constraints=[costs.fits, *known])


def _stated_prior(costs: Costs | None, objectives: Sequence[Objective]) -> SearchPrior | None:
    """Prior mean from the costs of the one objective; None for several objectives."""
    if costs is None or len(objectives) > 1 or objectives[0].name not in costs.values:
        return None
    return model_prior(costs.name, costs.prior(objectives[0].name))


def _model_correction(
    backend: Backend, costs: Costs | None, evaluate: Evaluate, objectives: Sequence[Objective]
) -> ModelCorrection | None:
    """Correction of the model by the evaluator's reports; None if it reports nothing."""
    reporting = capability(evaluate, ReportsQuantities)
    if costs is None or reporting is None:
        return None
    name = objectives[0].name
    return ModelCorrection(name=name, plain=costs.prior(name), evaluator=reporting, correct=backend.corrected)


def evaluating(backend: Backend) -> AbstractContextManager[Evaluate]:
    """Evaluator of one configuration, by measurement or by the model."""
    return _evaluating(backend, backend.costs(), backend.evaluator(), backend.objectives())[0]


def _evaluating(
    backend: Backend,
    costs: Costs | None,
    measured: AbstractContextManager[Evaluate] | None,
    objectives: tuple[Objective, ...],
) -> tuple[AbstractContextManager[Evaluate], Feasible | None]:
    """The evaluator, and a predicate that tells without an evaluation if a configuration is feasible."""
    if costs is None:
        if measured is None:
            raise TunepassError(f"{backend.kernel.name}: there is neither a model nor a way to measure it")
        return measured, None
    model = model_evaluator(backend.kernel, costs, () if measured is not None else objectives)
    if measured is not None:
        return measured, model.fits if costs.limits and not costs.expected else None
    return nullcontext(model), model.fits


def model_evaluator(kernel: Kernel, costs: Costs, objectives: Sequence[Objective]) -> ModelEvaluator:
    """Evaluates configurations by what the costs say of the objectives, within their limits."""
    limits = {name: (costs.values[name], limit) for name, limit in costs.limits.items()}
    values = {o.name: costs.values[o.name] for o in objectives}
    return ModelEvaluator(kernel.parameters, values, limits, costs.fits)
