"""An Optuna script with tunepass as its sampler: one line differs from a script with another sampler.

pip install 'tunepass[optuna]'
python samples/integrations/optuna_sampler.py
"""

import optuna

from tunepass.integrations.optuna import TunepassSampler


def seconds(trial: optuna.Trial) -> float:
    """A made-up cost, in place of a compiler and a run."""
    tile = trial.suggest_categorical("tile", [8, 16, 32, 64, 128])
    unroll = trial.suggest_int("unroll", 1, 8)
    if tile % unroll:
        raise optuna.TrialPruned  # no constraint is known to Optuna before the trial
    prefetch = trial.suggest_float("prefetch", 0.0, 1.0)
    return 1 + abs(tile - 32) / 8 + 4 / unroll + (prefetch - 0.3) ** 2


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=TunepassSampler(seed=0))
study.optimize(seconds, n_trials=25)
print(f"best time: {study.best_value:.3f} s with {study.best_params}")
