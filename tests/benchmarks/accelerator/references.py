"""Energies and predictions beside those of geepee and deepGP_approxEP, on the examples of these projects.

    project    where                                    what it trains
    geepee     github.com/thangbui/geepee               examples/gpr_alpha_examples.py: power EP, sparse and deep
    approxep   github.com/thangbui/deepGP_approxEP      numpy/tests/test_toy_1D.py: a deep process of a step

Both are by the authors of Bui et al. 2016. Neither is part of this project: a folder that `--python` can import is
given on the command line, and each runs in a process of its own (reference_worker.py). First the energy and predictions
of both are compared at the parameters that the other project has trained, then both are trained, each by its own means.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.accelerator.deep_models import log_density
from tests.benchmarks.accelerator.extended_precision import energy as exact_energy
from tunepass.surrogates import deep_layer, fitc
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_energy import DeepEnergy
from tunepass.surrogates.deep_gp import DeepNetwork, DeepProcess
from tunepass.surrogates.deep_layer import Layer, flattened
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.fitc import Fitc
from tunepass.surrogates.pairs import standardised
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings, deviation

WORKER = Path(__file__).parent / "reference_worker.py"
PROJECTS = {"geepee": "geepee", "approxep": "deepGP_approxEP"}
INDUCING = 20  # of the examples, in every node
ITERATIONS = 2000  # of a deep training, there at most
NO_NOISE = -700.0  # log sigma^2 of the hidden nodes of geepee, which have none
# Energy, RMSE and log density in the comments of gpr_alpha_examples.py, by name and alpha; test_toy_1D.py has none
PUBLISHED = {
    "geepee": {
        ("sparse, collapsed", 0.001): (-64.573, 0.169, 0.348),
        ("sparse, collapsed", 0.1): (-64.617, 0.169, 0.348),
        ("sparse, collapsed", 0.2): (-64.627, 0.169, 0.348),
        ("sparse, collapsed", 0.3): (-64.644, 0.169, 0.348),
        ("sparse, collapsed", 0.5): (-64.757, 0.169, 0.348),
        ("sparse, collapsed", 0.7): (-68.756, 0.169, 0.350),
        ("sparse, collapsed", 0.8): (-72.153, 0.167, 0.349),
        ("sparse, collapsed", 1.0): (-71.305, 0.169, 0.303),
        ("one layer, tied", 0.1): (-37.454, 0.168, 0.363),
        ("one layer, tied", 0.5): (-22.191, 0.172, 0.309),
        ("one layer, tied", 1.0): (-97.553, 0.167, 0.136),
        ("two layers", 1.0): (-51.385, 0.168, 0.311),
    },
    "approxep": {},
}


class ReferenceError(RuntimeError):
    """The other project's code did not run."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A trained example of another project; the energy and predictions are its own.

    `energy` and `mean` are as the project has them, `matched` and `matched_mean` with this project's jitter.
    """

    name: str
    alpha: float
    x: Floats
    y: Floats
    new: Floats
    new_y: Floats
    energy: float
    matched: float
    mean: Floats
    variance: Floats
    matched_mean: Floats
    matched_variance: Floats
    layers: tuple[Layer, ...]  # none in a collapsed example
    theta: Floats
    z: Floats
    scaled: bool  # whether the energy is of standardised losses

    @staticmethod
    def of(raw: Mapping[str, object]) -> Example:
        def array(key: str) -> Floats:
            return np.asarray(raw.get(key, []), dtype=np.float64)

        parts = raw.get("layers", [])
        assert isinstance(parts, list)
        return Example(
            str(raw["name"]), float(str(raw["alpha"])), array("x"), array("y"), array("new"), array("new_y"),
            float(str(raw["energy"])), float(str(raw["energy_with_jitter"])), array("mean"), array("variance"),
            array("mean_with_jitter"), array("variance_with_jitter"), tuple(layer_of(part) for part in parts),
            array("theta"), array("z"), bool(raw.get("scaled")),
        )  # fmt: skip

    @property
    def shift_and_scale(self) -> tuple[float, float]:
        """What its losses are standardised by before its energy."""
        return (float(self.y.mean()), deviation(self.y)) if self.scaled else (0.0, 1.0)


def layer_of(raw: Mapping[str, object]) -> Layer:
    """A layer from a reference's parameters; its nodes share a noise, and None is none."""
    shift = np.asarray(raw["shift"], dtype=np.float64)
    noise = NO_NOISE if raw["noise"] is None else float(str(raw["noise"]))
    return Layer(
        np.asarray(raw["lengthscales"], dtype=np.float64), np.array([float(str(raw["amplitude"]))]),
        np.full(len(shift), noise), np.asarray(raw["z"], dtype=np.float64),
        np.asarray(raw["factor"], dtype=np.float64), shift,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """An energy in nats, and predictions (n, 1) of new losses, noise included."""

    energy: float
    mean: Floats
    variance: Floats


def evaluated(example: Example) -> Evaluated:
    """This project's energy and predictions at the example's parameters."""
    shift, scale = example.shift_and_scale
    y = (example.y - shift) / scale
    if example.layers:
        energy = DeepEnergy(example.x, y, power=example.alpha)
        network = DeepNetwork.of(example.layers)
        mean, variance = network.moments(example.new)
        value, variance = energy.at(flattened(example.layers), example.layers)[0], variance + network.noise
        return Evaluated(value, shift + scale * mean, scale**2 * variance)
    process = Fitc(example.x, np.zeros(1, np.int64), y[:, 0], "se", np.zeros(len(y)), example.alpha).condition(
        example.theta, example.z
    )
    posterior = process.posterior(example.new)
    return Evaluated(
        -process.log_evidence, posterior.mean[:, None], posterior.variance[:, None] + np.exp(example.theta[-1])
    )


def trained(example: Example, steps: int) -> Evaluated:
    """This project's own training on the example's rows, with as many inducing inputs and the same power.

    Losses are standardised; the energy is given for the losses as the example's energy is, but for their mean.
    """
    scale = 1.0 if example.scaled else deviation(example.y)
    y = np.ascontiguousarray(example.y[:, 0])
    more = len(y) * float(np.log(scale))
    if not example.layers:
        sparse = SparseProcess(
            settings=SparseSettings(
                kernel="se", fewest_inducing=INDUCING, most_inducing=INDUCING, training="ml", power=example.alpha,
                draws=24, starts=5, iterations=200,
            )
        )  # fmt: skip
        sparse.fit(example.x, y)
        theta, z = sparse.trained.theta, sparse.trained.z
        fitted = Fitc(example.x, np.zeros(1, np.int64), standardised(y), "se", np.zeros(len(y)), example.alpha)
        posterior = sparse.posterior(example.new)
        return Evaluated(
            more - fitted(theta, z)[0], posterior.mean[:, None], posterior.variance[:, None] + sparse.noise
        )
    deep = DeepProcess(
        DeepSettings(
            hidden=tuple(layer.nodes for layer in example.layers[:-1]), fewest_inducing=INDUCING,
            most_inducing=INDUCING, power=example.alpha, batch=len(y), steps=steps,
        )
    )  # fmt: skip
    deep.fit(example.x, y)
    if deep.layers is None:
        raise ReferenceError(f"the training diverged: {deep.fallback}")
    energy = DeepEnergy(example.x, standardised(y)[:, None], power=example.alpha)
    posterior = deep.posterior(example.new)
    value = energy.at(flattened(deep.layers), deep.layers)[0]
    return Evaluated(more + value, posterior.mean[:, None], posterior.variance[:, None] + deep.noise)


def examples(project: str, folder: Path, python: str, iterations: int) -> list[Example]:
    """The project's trained examples. ReferenceError where its code does not run."""
    jitter = json.dumps({"sparse": fitc.JITTER, "deep": deep_layer.JITTER})
    command = [python, str(WORKER), project, str(folder.resolve()), jitter, str(iterations)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ReferenceError(f"{python} does not start: {error}") from error
    if done.returncode:
        reason = (done.stderr.strip() or "no message").splitlines()[-1]
        raise ReferenceError(f"{python} cannot run the code in {folder}: {reason}")
    return [Example.of(raw) for raw in json.loads(done.stdout)]


def rmse_and_density(example: Example, mean: Floats, variance: Floats) -> tuple[float, float]:
    rmse = float(np.sqrt(((mean - example.new_y) ** 2).mean()))
    return rmse, float(log_density(mean, variance, example.new_y)[0])


def print_same_parameters(project: str, cases: Sequence[Example]) -> None:
    """Both codes at the parameters that the other project has trained."""
    titles = ("alpha", "energy there", "with our jitter", "ours - that", "ours - 64 bits", "means", "variances")
    print(f"\n| at {PROJECTS[project]}'s parameters | {' | '.join(titles)} |")
    print(f"|---|{'---|' * len(titles)}")
    for case in cases:
        ours, exact = evaluated(case), ""
        if case.layers:
            shift, scale = case.shift_and_scale
            y = (case.y - shift) / scale
            exact = f"{ours.energy - exact_energy(case.layers, case.x, y, deep_layer.JITTER, case.alpha):.1e}"
        means = float(np.abs(ours.mean - case.matched_mean).max())
        variances = float(np.abs(ours.variance - case.matched_variance).max())
        print(
            f"| {case.name} | {case.alpha:g} | {case.energy:.4f} | {case.matched:.4f} | "
            f"{ours.energy - case.matched:.1e} | {exact} | {means:.1e} | {variances:.1e} |"
        )


def print_trained(project: str, cases: Sequence[Example], steps: int) -> None:
    """Each code trained by its own means: energy, RMSE, log density."""
    print(f"\n| trained: energy, RMSE, log density | alpha | published | {PROJECTS[project]} | ours |")
    print("|---|---|---|---|---|")
    for case in cases:
        ours = trained(case, steps)
        there = (case.energy, *rmse_and_density(case, case.mean, case.variance))
        here = (ours.energy, *rmse_and_density(case, ours.mean, ours.variance))
        shown = [figures_of(PUBLISHED[project].get((case.name, case.alpha))), figures_of(there), figures_of(here)]
        print(f"| {case.name} | {case.alpha:g} | {' | '.join(shown)} |")


def figures_of(figures: Sequence[float] | None) -> str:
    if figures is None:
        return "none"
    energy, *others = figures
    return ", ".join([f"{energy:.1f}", *(f"{value:.3f}" for value in others)])


def print_all(folders: Mapping[str, Path | None], python: str, iterations: int = ITERATIONS) -> None:
    """Tables of each project whose folder is given; of the others and of those that fail the reason."""
    for project, folder in folders.items():
        if folder is None:
            print(f"\n{PROJECTS[project]}: not run, --{project} FOLDER (a checkout that Python 3 imports) is not given")
            continue
        try:
            cases = examples(project, folder, python, iterations)
        except ReferenceError as error:
            print(f"\n{PROJECTS[project]}: not run, {error}")
            continue
        print_same_parameters(project, cases)
        print_trained(project, cases, iterations)
