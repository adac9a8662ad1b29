"""A strategy that tries the neighbours of the best trial."""

import numpy as np

import tunepass as tp


class HillClimber(tp.Strategy):
    """The best trial's neighbours first, then configurations at random."""

    def __init__(self, task: tp.Task) -> None:
        super().__init__(task)
        self.tried: set[tp.Configuration] = set()  # suggested or observed
        self.best: tp.Configuration | None = None
        self.best_loss = np.inf

    def suggest(self, n: int) -> list[tp.Configuration]:
        """The first `n` new ones of: the best trial's neighbours, random draws, the whole (finite) space."""
        space = self.task.space
        rng = np.random.default_rng([self.task.seed, len(self.tried)])
        near = space.neighbours(self.best) if self.best is not None else [space.default]
        chosen: list[tp.Configuration] = []
        for candidates in (near, space.sample(4 * n, rng), space.enumerate()):
            for candidate in candidates:
                if len(chosen) == n:
                    return chosen
                if candidate not in self.tried:
                    self.tried.add(candidate)
                    chosen.append(candidate)
        return chosen

    def observe(self, trial: tp.Trial) -> None:
        self.tried.add(trial.configuration)
        if isinstance(trial.outcome, tp.Measured):
            objective = self.task.objectives[0]
            loss = objective.loss(trial.outcome.values[objective.name])
            if loss < self.best_loss:
                self.best, self.best_loss = trial.configuration, loss
