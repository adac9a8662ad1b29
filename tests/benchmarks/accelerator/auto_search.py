"""What `auto` reaches on the accelerator's space itself, from the random designs that searches of the table begin with.

It is told what a build is told: the parameters, both objectives with their references, and which designs are too slow.
The errors of designs that it suggests are measured by training, as those of the table were.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import tunepass as tp
from tests.benchmarks.accelerator.deep_models import starting_designs
from tests.benchmarks.accelerator.designs import REFERENCE, DesignTable, accelerator, error_share, modelled
from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.python_eval import evaluate
from tunepass.space.columns import length
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured
from tunepass.study.results.pareto import hypervolume
from tunepass.surrogates.base import Floats

Measure = Callable[[Configuration], float]  # the share of images that are told wrongly


def auto_volumes(table: DesignTable, start: int, iterations: int, seed: int, measure: Measure = error_share) -> Floats:
    """Hypervolumes (iterations + 1,) after so many shared random designs and after each suggestion of `auto`."""
    space, model = accelerator()
    objectives = [tp.Objective(name, reference=limit) for name, limit in zip(("error", "power"), REFERENCE)]
    study = tp.Study(
        space, objectives, seed=seed, feasible=lambda columns: satisfied(model.fits, columns, length(columns))
    )
    losses = [table.losses[index] for index in starting_designs(table, seed)[:start]]
    for index, loss in zip(starting_designs(table, seed), losses):
        study.observe(table.configurations[index], outcome(loss))
    for _ in range(iterations):
        (configuration,) = study.suggest()
        assert evaluate(model.fits, dict(configuration))
        losses.append(np.array([100 * measure(configuration), modelled(configuration)["power"]]))
        study.observe(configuration, outcome(losses[-1]))
    told = np.array(losses)
    return np.array([hypervolume(told[: start + n], np.array(REFERENCE)) for n in range(iterations + 1)])


def outcome(loss: Floats) -> Measured:
    return Measured({"error": float(loss[0]), "power": float(loss[1])})
