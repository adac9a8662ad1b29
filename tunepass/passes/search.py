"""search: evaluate configurations through a study until the budget is spent, then settle on a choice."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tunepass.passes.base import Compilation, Evaluators, Pass
from tunepass.study.prior_origin import Origin
from tunepass.study.storage.store import Store
from tunepass.study.study import Study
from tunepass.study.task import PriorMeanLike, Suggester, Task
from tunepass.tuning.loop import Explorer, Stop
from tunepass.tuning.objectives import of_kernel, picked
from tunepass.tuning.result import Progress

Watch = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Watches nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(Pass):
    """`max_evals` counts the study's trials, those of earlier runs included; `budget_s` is this run's time.
    `objectives` names those to search for (none: all the kernel measures), `pick` the one the choice is the best of.
    Ctrl-C ends the search, not the program: what was measured is kept, and the best so far becomes the choice."""

    name = "search"
    evaluators: Evaluators
    objectives: tuple[str, ...] = ()
    pick: str | None = None
    strategy: str | Callable[[Task], Suggester] = "auto"
    seed: int = 0
    max_evals: int | None = None
    budget_s: float | None = None
    jobs: int = 1
    sanitize: bool = False  # run the finalists once under sanitizers; a finding makes them failed trials
    prior_mean: PriorMeanLike | None = None
    origin: Origin | None = None  # where the prior mean is from; kept with the study, and found again with its trust
    store: str | Store | None = None
    study: str | None = None  # its name in the store
    identity: Mapping[str, str] = field(default_factory=dict)
    watch: Watch = ignore
    clock: Callable[[], float] = time.monotonic

    def run(self, compilation: Compilation) -> Compilation:
        objectives = of_kernel(compilation.kernel, self.objectives)
        objective = picked(objectives, self.pick)
        study = Study(
            compilation.needs_space(self),
            objectives,
            strategy=self.strategy,
            seed=self.seed,
            max_evals=self.max_evals,
            store=self.store,
            name=self.study,
            identity=self.identity,
            prior_mean=self.prior_mean,
        )
        study.remember(self.origin)
        stop = Stop(max_evals=self.max_evals, budget_s=self.budget_s)
        try:
            with self.evaluators(compilation.kernel) as evaluate:
                found = Explorer(
                    study, objective, evaluate, stop, self.watch, self.clock, self.jobs, self.sanitize
                ).run()
            found = replace(found, origin=study.remember(self.origin))
        finally:
            if not isinstance(self.store, Store):
                study.close()
        return replace(compilation, found=found)
