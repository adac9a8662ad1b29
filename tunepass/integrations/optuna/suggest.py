"""A whole configuration of a space of tunepass from one trial of Optuna."""

from __future__ import annotations

import optuna
from optuna.trial import BaseTrial

from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Integer, Parameter, Permutation, Real
from tunepass.space.space import Space


def suggest(trial: BaseTrial, space: Space) -> Configuration:
    """Suggest every active parameter of a space, under its name; of an order every position (`order[0]`, ...).

    Args:
        trial: of a study with a TunepassSampler of that space, or with any other sampler.
        space: the parameters.

    Returns:
        The configuration.

    Raises:
        optuna.TrialPruned: the values are not a configuration of the space, as another sampler or an enqueued trial may
            choose them.

    Example:
        >>> import optuna
        >>> space = tp.Space([tp.Integer("tile", 1, 64), tp.Integer("unroll", 1, 16)], ["tile % unroll == 0"])
        >>> study = optuna.create_study(sampler=TunepassSampler(space, seed=0))
        >>> study.optimize(lambda trial: suggest(trial, space)["tile"] % 7, n_trials=5)
        >>> len(study.trials)
        5
    """
    values: dict[str, Value] = {}
    places = {name: place for place, name in enumerate(space.activity.whole)}
    for p in sorted(space.parameters, key=lambda p: places.get(p.name, -1)):
        if p.when is None or p.name in space.completed(values):
            values[p.name] = _value(trial, p)
    configuration = Configuration({p.name: values[p.name] for p in space.parameters if p.name in values})
    if not space.contains(configuration):
        raise optuna.TrialPruned(f"the space does not contain {configuration!r}")
    return configuration


def _value(trial: BaseTrial, p: Parameter) -> Value:
    match p:
        case Permutation():
            return tuple(trial.suggest_categorical(f"{p.name}[{k}]", p.items) for k in range(len(p.items)))
        case Real(step=None):
            return float(trial.suggest_float(p.name, p.lo, p.hi, log=p.log))
        case Real(log=False):
            return float(trial.suggest_float(p.name, p.lo, p.hi, step=p.step))
        case Integer(log=False):
            return int(trial.suggest_int(p.name, p.lo, p.hi, step=p.step))
        case Integer(step=1):
            return int(trial.suggest_int(p.name, p.lo, p.hi, log=True))
    return trial.suggest_categorical(p.name, list(p.domain))  # type: ignore[no-any-return]
