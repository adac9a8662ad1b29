"""Rules that pick a point of a Pareto front.

fastest    the best in time (`cycles`, `seconds`, `time`)
smallest   the least in the first objective that is minimised and no time
knee       the furthest below the line between the front's ends: with every loss scaled to [0, 1] over the front,
           on the log scale where it is positive, the smallest sum (Das, 1999, for two objectives)
NAME       the best in the objective NAME
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import TunepassError, spelling_hint
from tunepass.search.result import Gain, value_of
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.results.distance import distance_from_default
from tunepass.study.study import Study
from tunepass.study.trial import Trial

Floats = NDArray[np.float64]
TIMES = ("cycles", "seconds", "time")
KNEE = "knee"
PICKS = ("fastest", "smallest", KNEE)


def objective_of(pick: str | None, objectives: Sequence[Objective]) -> Objective:
    """The objective that a pick is the best of; of a knee, and without a pick, the first."""
    by_name = {o.name: o for o in objectives}
    if pick in by_name:
        return by_name[pick]
    if pick is None or pick == KNEE:
        return objectives[0]
    if pick not in PICKS:
        hint = spelling_hint(pick, [*PICKS, *by_name], f"there are {', '.join([*PICKS, *by_name])}", quote=repr)
        raise TunepassError(f"nothing to pick is called {pick!r}", hint=hint)
    timed = pick == "fastest"
    objective = next((o for o in objectives if _is(pick, o)), None)
    if objective is None:
        kind = "no time" if timed else "nothing that is to be small but time"
        raise TunepassError(
            f"{pick} cannot be picked: {kind} is among the objectives {', '.join(by_name)}",
            hint="name an objective of them, or knee",
        )
    return objective


def possible(objectives: Sequence[Objective]) -> tuple[str, ...]:
    """The picks that these objectives have, besides their own names."""
    some = [pick for pick in PICKS if pick == KNEE or any(_is(pick, objective) for objective in objectives)]
    return tuple(some) if len(objectives) > 1 else ()


def _is(pick: str, objective: Objective) -> bool:
    """Does the pick, fastest or smallest, minimise objectives of this kind?"""
    timed = objective.name in TIMES
    return timed if pick == "fastest" else not timed and not objective.maximise


def picked_of(pick: str | None, front: Sequence[Trial], objectives: Sequence[Objective]) -> Trial:
    """The trial of a front (not empty) that `pick` names."""
    losses = np.array([[o.loss(value_of(t, o) or 0.0) for o in objectives] for t in front])
    if pick == KNEE and KNEE not in {o.name for o in objectives}:
        return front[int(np.argmin(_scaled(losses).sum(axis=1)))]
    first = list(objectives).index(objective_of(pick, objectives))
    order = np.lexsort([*np.delete(losses, first, axis=1).T[::-1], losses[:, first]])
    return front[int(order[0])]


def _scaled(losses: Floats) -> Floats:
    """Every column from 0 to 1."""
    positive = (losses > 0).all(axis=0)
    scale = np.where(positive, np.log(np.where(positive, losses, 1.0)), losses)
    lo, hi = scale.min(axis=0), scale.max(axis=0)
    return np.asarray((scale - lo) / np.where(hi > lo, hi - lo, 1.0))


def choice_of(study: Study, pick: str | None) -> tuple[Configuration, tuple[Gain, ...]]:
    """The point of the study's front that `pick` names, with its gains; without a front the default and none."""
    front, default = study.pareto, study.space.default
    if not front:
        return default, ()
    picked = picked_of(pick, front, study.objectives)
    equal = [t for t in front if t.outcome == picked.outcome]
    chosen = min(equal, key=lambda t: distance_from_default(study.space, t.configuration))
    first = next((t for t in study.trials if t.configuration == default), None)
    return chosen.configuration, gains_of(chosen, first, study.objectives)


def gains_of(chosen: Trial, default: Trial | None, objectives: Sequence[Objective]) -> tuple[Gain, ...]:
    """Gains of the choice over the default in every objective; without a ratio where the default has no values."""
    gains = []
    for objective in objectives:
        value, before = value_of(chosen, objective), value_of(default, objective) if default else None
        assert value is not None
        gain = None if before is None else objective.gain(before, value)
        gains.append(Gain(objective=objective, default=before, chosen=value, gain=gain))
    return tuple(gains)
