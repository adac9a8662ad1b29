"""The search of a pipeline whose device is a model: `Pipeline.default(device="stratix-v")`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.jobs.model_job import exact_front, model_run
from tunepass.jobs.modelled import model_of
from tunepass.passes.base import Compilation, Pass
from tunepass.passes.model_search import ModelSearch, never
from tunepass.registry import EXACT_SOLVERS


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedSearch(Pass):
    """As `ModelSearch`, of the model that the kernel has on `device`; `objectives` are names, none: the usual ones."""

    name = "search"
    device: str
    objectives: tuple[str, ...] = ()
    pick: str | None = None
    strategy: str = "auto"
    seed: int = 0
    max_evals: int | None = None

    def run(self, compilation: Compilation) -> Compilation:
        model = model_of(compilation.kernel, self.device)
        objectives = model.objectives(self.objectives)
        run = model_run(model, objectives)
        search = ModelSearch(
            evaluate=run,
            feasible=run.fits,
            objectives=objectives,
            pick=self.pick,
            front=exact_front(model, objectives, self.strategy, self.max_evals, never, lambda certificate: None)
            if self.strategy in EXACT_SOLVERS
            else None,
            strategy=self.strategy,
            seed=self.seed,
            max_evals=self.max_evals,
        )
        found = search.run(replace(compilation, kernel=model.kernel)).found
        return replace(compilation, found=found)
