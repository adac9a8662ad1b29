"""The models that bench_deep.py compares: predictions of losses, their noise included, and searches of a table.

gp se, ML; gp matern, ML   a process an objective, as Havasi 2017 trains it: maximum likelihood, 20 starts
gp matern, MAP             a process an objective with our priors
sparse                     FITC an objective, Matern-5/2, MAP, as many inducing inputs as its defaults say
deep, joint_deep           one hidden layer of two nodes; as the paper, 2,000 epochs in batches of 50
sampled_deep               one hidden layer of two nodes and one an output, with its defaults; of `step` and `orders`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.accelerator.designs import DesignTable
from tunepass.acquisition.hypervolume import SMSego
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.space.space import Space
from tunepass.strategies.bo.deep_model import DeepModel
from tunepass.strategies.bo.models import GpModel, Model
from tunepass.strategies.bo.objective_models import JointDeepModels, ObjectiveModels, SeparateModels
from tunepass.strategies.bo.sparse_model import SparseModel
from tunepass.study.results.pareto import hypervolume, nondominated
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.gp import GaussianProcess, GpSettings
from tunepass.surrogates.hyperpriors import FLAT
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.surrogates.kernels import Features, KernelName
from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings

MODELS = ("gp se, ML", "gp matern, ML", "gp matern, MAP", "sparse", "deep", "joint_deep")
EPOCHS, BATCH = 2000, 50
Predict = Callable[[Floats], tuple[Floats, Floats]]  # means and variances (m, k)


def gp_settings(name: str) -> GpSettings:
    if name == "gp matern, MAP":
        return GpSettings()
    kernel: KernelName = "se" if " se" in name else "matern52"
    return GpSettings(kernel=kernel, lengthscale=None, amplitude=FLAT, noise=FLAT, draws=24, starts=20)


def paper_settings(rows: int) -> DeepSettings:
    return DeepSettings(batch=BATCH, steps=EPOCHS * -(-rows // BATCH))


def predictor(name: str, x: Floats, losses: Floats) -> Predict:
    """A model of losses (n, k) at rows x (n, d)."""
    if name == "joint_deep":
        joint = JointDeepProcess(paper_settings(len(x)))
        joint.fit_joint(x, losses)
        return joint_predictor(joint)
    parts = [_single(name, x, np.ascontiguousarray(loss)) for loss in losses.T]

    def separate(new: Floats) -> tuple[Floats, Floats]:
        both = [part(new) for part in parts]
        return np.column_stack([mean for mean, _ in both]), np.column_stack([variance for _, variance in both])

    return separate


def joint_predictor(process: JointDeepProcess | SampledDeepProcess) -> Predict:
    def predict(new: Floats) -> tuple[Floats, Floats]:
        posterior = process.joint_posterior(new)
        return posterior.mean, np.diagonal(posterior.covariance, axis1=1, axis2=2) + process.noise

    return predict


def _single(name: str, x: Floats, loss: Floats) -> Predict:
    if name.startswith("gp"):
        process = GaussianProcess(Features.plain(x.shape[1]), gp_settings(name))
        process.fit(x, loss)
        noise = process.fitted.kernel.noise * float(loss.std()) ** 2
        return _with_noise(process, noise)
    if name == "sampled_deep":
        sampled = SampledDeepProcess()
        sampled.fit(x, loss)
        return joint_predictor(sampled)
    other = DeepProcess(paper_settings(len(x))) if name == "deep" else SparseProcess()
    other.fit(x, loss)
    return _with_noise(other, other.noise)


def _with_noise(process: GaussianProcess | DeepProcess | SparseProcess, noise: float) -> Predict:
    def predict(new: Floats) -> tuple[Floats, Floats]:
        posterior = process.posterior(new)
        return posterior.mean, posterior.variance + noise

    return predict


def log_density(mean: Floats, variance: Floats, losses: Floats) -> Floats:
    """Mean over rows, (k,)."""
    variance = np.maximum(variance, 1e-12)
    return np.asarray(-0.5 * (np.log(2 * np.pi * variance) + (losses - mean) ** 2 / variance).mean(axis=0))


def searched_models(name: str, seed: int, space: Space) -> ObjectiveModels:
    """As the strategies refit them: anew when rows have grown by 8 %, from the last parameters in between."""
    encoding, embedding = Encoding(space), Embedding(space.parameters)
    if name == "joint_deep":
        return JointDeepModels(encoding, lambda: JointDeepProcess(DeepSettings(seed=seed)))

    def model(number: int) -> Model:
        if name.startswith("gp"):
            return GpModel(embedding, gp_settings(name))
        if name == "sparse":
            return SparseModel(embedding, SparseSettings(seed=seed + number))
        return DeepModel(encoding, DeepSettings(seed=seed + number))

    return SeparateModels([model(number) for number in range(2)])


def starting_designs(table: DesignTable, seed: int) -> list[int]:
    """All designs in the order in which a random search tries them; searches begin with the first ones."""
    return [int(index) for index in np.random.default_rng([seed, 0x73746172]).permutation(len(table.losses))]


@dataclass(frozen=True, slots=True)
class TableSearch:
    """A search of recorded designs: the one that SMSego's utility is largest for, by the logarithms of both losses."""

    table: DesignTable
    start: int  # random designs that all models share
    iterations: int

    def run(self, name: str, seed: int) -> list[int]:
        """The designs tried, the random ones first; of `random`, all are."""
        order = starting_designs(self.table, seed)
        if name == "random":
            return order[: self.start + self.iterations]
        tried = order[: self.start]
        models, losses = searched_models(name, seed, self.table.space), np.log(self.table.losses)
        rows = models.rows(self.table.space.columns(list(self.table.configurations)))
        for left in range(self.iterations, 0, -1):
            tried.append(self._next(models, rows, losses, tried, left))
        return tried

    def volumes(self, tried: list[int]) -> list[float]:
        """The hypervolume after the start and after each iteration."""
        return [self.volume(tried[: self.start + i]) for i in range(self.iterations + 1)]

    def front(self, tried: list[int]) -> Floats:
        """The losses (m, 2) that no other of these designs has both below, by their errors."""
        losses = self.table.losses[tried]
        front = np.unique(losses[nondominated(losses)], axis=0)
        return np.asarray(front, dtype=np.float64)

    def _next(self, models: ObjectiveModels, rows: Floats, losses: Floats, tried: list[int], left: int) -> int:
        models.fit(rows[tried], losses[tried], rows[:0])
        others = np.setdiff1d(np.arange(len(rows)), tried)
        acquisition = SMSego.of(losses[tried], np.log(self.table.reference), left=left)
        return int(others[np.argmax(acquisition.utility(models.posteriors(rows[others])))])

    def volume(self, tried: list[int]) -> float:
        return self.volume_of(self.table.losses[tried])

    def volume_of(self, losses: Floats) -> float:
        return float(hypervolume(losses, np.array(self.table.reference)))
