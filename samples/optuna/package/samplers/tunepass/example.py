"""A blocked loop nest: the blocks divide each other, and the loops have an order."""

from __future__ import annotations

import optuna

import tunepass as tp
from tunepass.integrations.optuna import TunepassSampler, suggest

space = tp.Space(
    [
        tp.Ordinal("outer", [8, 16, 32, 64, 128], log=True),
        tp.Ordinal("inner", [1, 2, 4, 8, 16], log=True),
        tp.Permutation("order", ["i", "j", "k"]),
    ],
    constraints=["outer % inner == 0", "outer * inner <= 512"],
)


def time(trial: optuna.Trial) -> float:
    """A made-up cost, in place of a compiler and a run."""
    chosen = suggest(trial, space)
    return abs(chosen["outer"] - 64) / 16 + abs(chosen["inner"] - 8) + 2 * chosen["order"].index("j")


study = optuna.create_study(sampler=TunepassSampler(space, seed=0))
study.optimize(time, n_trials=20)
print(study.best_value, study.best_params)  # noqa: T201
