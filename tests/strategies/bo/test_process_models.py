"""The sparse and the deep process as models of the Bayesian loop."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tunepass.acquisition.correlated import CorrelatedImprovement
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.deep_model import DeepModel
from tunepass.strategies.bo.hypervolume import Hypervolume, HypervolumeSettings
from tunepass.strategies.bo.lengthscales import ROLES
from tunepass.strategies.bo.models import Model, last_refit
from tunepass.strategies.bo.objective_models import JointDeepModels, JointModels
from tunepass.strategies.bo.sampled_model import SampledModel, SampledModels
from tunepass.strategies.bo.sparse_model import SparseModel
from tunepass.surrogates.base import Floats, JointPosterior, JointSurrogate, Mask
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.surrogates.sampled_training import SampledSettings
from tunepass.surrogates.sparse_gp import SparseSettings
from tunepass.testing.strategy import Build, StrategyContract, drive, small_space, task

SPARSE = SparseSettings(fewest_inducing=5, draws=3, starts=1, iterations=5)
DEEP = DeepSettings(steps=30, refit_steps=5)
SAMPLED = SampledSettings(steps=15, refit_steps=5, fewest_inducing=10, predicted_samples=8)
MODELS: dict[str, Callable[[], Model]] = {
    "sparse": lambda: SparseModel(Embedding(small_space().parameters), SPARSE),
    "deep": lambda: DeepModel(Encoding(small_space()), DEEP),
    "sampled_deep": lambda: SampledModel(Embedding(small_space().parameters), SAMPLED),
}
EACH = pytest.mark.parametrize("name", list(MODELS))


def single(surrogate: str) -> Build:
    return lambda t: Bayesian(
        t, BayesianSettings(surrogate=surrogate, sparse=SPARSE, deep=DEEP, sampled=SAMPLED, pool=50)
    )


def several(surrogate: str) -> Build:
    return lambda t: Hypervolume(
        t, HypervolumeSettings(surrogate=surrogate, sparse=SPARSE, deep=DEEP, sampled=SAMPLED, pool=50, samples=32)
    )


@pytest.mark.slow
class TestDeep(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return single("deep")


@pytest.mark.slow
class TestJointDeep(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return several("joint_deep")


@pytest.mark.slow
class TestSampledDeep(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return single("sampled_deep")


@pytest.mark.slow
class TestSampledDeepOfSeveral(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return several("sampled_deep")


@pytest.mark.slow
class TestSparseOfSeveral(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return several("sparse")


def sample(model: Model, n: int, seed: int = 0) -> tuple[Floats, Floats]:
    x = model.rows(small_space().sample_columns(n, np.random.default_rng(seed)))
    return x, np.sin(3 * x[:, 0]) + x[:, 1]


@EACH
def test_parameters_do_not_depend_on_the_path(name: str) -> None:
    steady, sudden = MODELS[name](), MODELS[name]()
    x, loss = sample(steady, 34)
    assert last_refit(34) < 34
    for n in (32, 33, 34):
        steady.fit(x[:n], loss[:n], x[:0])
    sudden.fit(x, loss, x[:0])
    np.testing.assert_array_equal(steady.posterior(x).mean, sudden.posterior(x).mean)


@EACH
def test_fantasies_and_bounds_are_believed(name: str) -> None:
    model = MODELS[name]()
    x, loss = sample(model, 24)
    model.fit(x[:20], loss[:20], x[20:])
    assert np.isfinite(model.posterior(x).mean).all()
    bounds = np.arange(20) == 3
    model.fit(x[:20], np.where(bounds, loss.min() - 9.0, loss[:20]), x[:0], bounds=bounds)
    assert model.posterior(x[3:4]).mean[0] > loss.min() - 4.0


@EACH
def test_left_out_losses_and_the_score_are_of_rows_that_were_not_seen(name: str) -> None:
    model = MODELS[name]()
    x, loss = sample(model, 20)
    model.fit(x, loss, x[:0])
    left_out = model.left_out(x, loss)
    assert left_out.mean.shape == (20,) and (left_out.variance > 0).all()
    assert np.corrcoef(left_out.mean, loss)[0, 1] > 0.5 and np.isfinite(model.score())


def test_the_sparse_process_is_conditioned_on_rows_that_a_full_one_would_drop() -> None:
    model = MODELS["sparse"]()
    x, loss = sample(model, 60)
    model.fit(x, loss, x[:0], keep=np.arange(20))
    assert isinstance(model, SparseModel) and len(model.process.leave_one_out().mean) == 60
    noise = np.full(60, 0.5)
    model.fit(x, loss, x[:2], noise=noise)
    assert len(model.process.leave_one_out().mean) == 62


@pytest.mark.parametrize("surrogate", ["sparse", "deep", "sampled_deep"])
def test_suggestions_are_feasible_distinct_and_reproducible(surrogate: str) -> None:
    settings = BayesianSettings(surrogate=surrogate, sparse=SPARSE, deep=DEEP, sampled=SAMPLED, pool=50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runs = [drive(Bayesian(task(seed=3), settings), 22) for _ in range(2)]
    assert runs[0] == runs[1] and len(set(runs[0])) == 22
    assert all(small_space().contains(c) for c in runs[0])


@pytest.mark.parametrize("surrogate,evaluations", [("sparse", 19), ("deep", 11)])
def test_each_objective_has_a_process_of_its_own(surrogate: str, evaluations: int) -> None:
    settings = HypervolumeSettings(surrogate=surrogate, sparse=SPARSE, deep=DEEP, pool=50)
    strategy = Hypervolume(task(objectives=2), settings)
    assert len(set(drive(strategy, evaluations))) == evaluations
    kinds = {"sparse": SparseModel, "deep": DeepModel}
    assert [type(model) for models in strategy.model_sets for model in models.models] == [kinds[surrogate]] * 2


def joint(objectives: int, surrogate: str = "joint_deep", **settings: object) -> Hypervolume:
    chosen = HypervolumeSettings(surrogate=surrogate, deep=DEEP, sampled=SAMPLED, pool=50, **settings)  # type: ignore[arg-type]
    return Hypervolume(task(objectives=objectives), chosen)


@pytest.mark.parametrize("surrogate,kind", [("joint_deep", JointDeepModels), ("sampled_deep", SampledModels)])
@pytest.mark.parametrize("acquisition", ["ehvi", "smsego", "chebyshev"])
def test_one_joint_process_serves_all_objectives(acquisition: str, surrogate: str, kind: type) -> None:
    runs = []
    for _ in range(2):
        strategy = joint(2, surrogate, acquisition=acquisition)
        runs.append(drive(strategy, 11))
        assert [type(models) for models in strategy.model_sets] == [kind]
    assert runs[0] == runs[1] and len(set(runs[0])) == 11


def test_a_batch_and_more_objectives_of_the_joint_process() -> None:
    strategy = joint(4, samples=64)
    drive(strategy, 8)
    assert len(set(strategy.suggest(9))) == 9


def test_expected_hypervolume_of_the_joint_process_reads_correlations(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def change(self: CorrelatedImprovement, posterior: JointPosterior) -> Floats:
        seen.append(np.abs(posterior.covariance[:, 0, 1]).max())
        return np.zeros(len(posterior.mean))

    monkeypatch.setattr(CorrelatedImprovement, "_change", change)
    drive(joint(2), 9)
    assert max(seen) > 0


def joint_models(surrogate: str) -> JointModels:
    if surrogate == "sampled_deep":
        return SampledModels(Embedding(small_space().parameters), SAMPLED)
    return JointDeepModels(Encoding(small_space()), lambda: JointDeepProcess(replace(DEEP, steps=40)))


@pytest.mark.parametrize("surrogate", ["deep", "sampled_deep"])
def test_joint_parameters_do_not_depend_on_the_path_and_pending_losses_are_predicted(surrogate: str) -> None:
    models = [joint_models(surrogate) for _ in range(2)]
    x, loss = sample(MODELS[surrogate](), 34)
    losses = np.column_stack([loss, loss**2])
    for n in (32, 33, 34):
        models[0].fit(x[:n], losses[:n], x[:0])
    models[1].fit(x, losses, x[:0])
    both = [m.posteriors(x) for m in models]
    np.testing.assert_array_equal(both[0].mean, both[1].mean)
    assert np.isfinite(models[1].score())
    models[1].fit(x[:30], losses[:30], x[30:], keep=np.arange(20))
    assert np.isfinite(models[1].posteriors(x).covariance).all()


def test_a_class_of_joint_surrogates_has_all_objectives_in_one() -> None:
    class Averages(JointSurrogate):
        def fit_joint(self, x: Floats, losses: Floats, observed: Mask | None = None) -> None:
            self.mean = losses.mean(axis=0)

        def joint_posterior(self, x: Floats) -> JointPosterior:
            return JointPosterior(np.tile(self.mean, (len(x), 1)), np.tile(np.eye(len(self.mean)), (len(x), 1, 1)))

    strategy = Hypervolume(task(objectives=2), HypervolumeSettings(surrogate=Averages, pool=50))
    assert len(set(drive(strategy, 9))) == 9 and type(strategy.model_sets[0]) is JointModels


def test_settings_reach_the_processes() -> None:
    with_seed = Bayesian(task(seed=5), BayesianSettings(surrogate="deep", deep=replace(DEEP, hidden=(3,))))
    (deep,) = with_seed.models
    assert isinstance(deep, DeepModel) and deep.settings == replace(DEEP, hidden=(3,), seed=5)
    (one_loss,) = Bayesian(task(seed=5), BayesianSettings(surrogate="joint_deep", deep=DEEP)).models
    assert isinstance(one_loss, DeepModel) and one_loss.settings == replace(DEEP, seed=5)
    (sparse,) = Bayesian(task(seed=5), BayesianSettings(surrogate="sparse", sparse=SPARSE)).models
    assert isinstance(sparse, SparseModel) and sparse.settings == replace(SPARSE, seed=5)
    settings = BayesianSettings(surrogate="sampled_deep", sampled=SAMPLED, lengthscales=replace(ROLES, more_than=0))
    (sampled,) = Bayesian(task(seed=5), settings).models
    assert isinstance(sampled, SampledModel) and sampled.settings.seed == 5
    assert isinstance(sampled.settings.lengthscale, tuple)
