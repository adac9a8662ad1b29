"""The sparse process beside the full one on a subset of the rows, where trials are thousands.

    python -m tests.benchmarks.bench_sparse [--seeds N] [--first N] [--trials N] [--suggestions N] [--problems NAME,...]

`make bench-sparse` runs it. A study is given `--trials` uniform trials, then suggests. For each problem and seed:

density   mean log density of 400 other random configurations, and of the least tenth of 4,000, under each model;
          in units of the losses' deviation, noise included
regret    log10 of the least loss of all trials after `--suggestions` suggestions over the optimum's; less is better

The models see the same trials of a seed, so differences are paired: their mean over seeds with its standard error.
Settings are the defaults, chosen on none of these problems. Every run is printed, so that a stopped bench lost nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.search.panel_reals import PROBLEMS
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.models import GpModel, held_out_score, informative_rows
from tunepass.strategies.bo.sparse_model import SparseModel
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.task import Task
from tunepass.study.trial import Trial
from tunepass.surrogates.base import Floats, Posterior

SUBSET = 1000  # rows that `gp` is conditioned on, tunepass.strategies.bo.bayesian.ROWS
MODELS = ("gp", "sparse")
TESTS, LARGE = 400, 4000


@dataclass(frozen=True, slots=True)
class Problem:
    """`loss` of a configuration is positive, `optimum` the least of them."""

    name: str
    space: Space
    loss: Callable[[Configuration], float]
    optimum: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Of one model at one seed: densities, regret and CPU seconds a suggestion."""

    density: float
    least_density: float
    regret: float
    seconds: float


def blocked_loss(c: Configuration) -> float:
    """A blocked kernel in numbers: tiles against two caches, a loop order, a schedule, and a penalty for remainders."""
    i, j, k = (float(str(c[name])) for name in ("tile_i", "tile_j", "tile_k"))
    order, schedule, unroll = c["order"], c["schedule"], float(str(c["unroll"]))
    assert isinstance(order, tuple)
    footprint = 8 * (i * j + j * k + i * k)
    reuse = 1 / i + 1 / j + 0.5 / k
    time_s = 1.0 + 6 * reuse + (1.5 if footprint > 32768 else 0.0) + (4.0 if footprint > 1 << 20 else 0.0)
    time_s *= 1 + 0.25 * order.index(1) + 0.1 * abs(np.log2(unroll) - 2)
    return time_s * {"static": 1.0, "dynamic": 1.15, "guided": 1.05}[str(schedule)] * (1 + 0.02 * (i * unroll > 512))


def blocked_space() -> Space:
    tiles = [
        Ordinal(name, [4, 8, 16, 24, 32, 48, 64, 96, 128, 256], log=True) for name in ("tile_i", "tile_j", "tile_k")
    ]
    unroll = Ordinal("unroll", [1, 2, 4, 8, 16], log=True)
    return Space([*tiles, unroll, Permutation("order", 3), Categorical("schedule", ["static", "dynamic", "guided"])])


def problems(names: Sequence[str]) -> list[Problem]:
    space = blocked_space()
    least = min(blocked_loss(c) for c in space.enumerate())
    reals = [
        Problem(p.name, p.space, lambda c, p=p: p.price(c).values["value"], p.floor)  # type: ignore[misc,union-attr]
        for p in PROBLEMS
        if p.name in ("Hartmann6", "Levy6", "Ackley10", "Rosenbrock8")
    ]
    everything = [Problem("blocked kernel", space, blocked_loss, least), *reals]
    return [p for p in everything if not names or any(name in p.name for name in names)]


def run(problem: Problem, surrogate: str, seed: int, trials: int, suggestions: int) -> Scores:
    space, rng = problem.space, np.random.default_rng([seed, 0x737061727365])
    drawn = space.sample(trials + TESTS, rng)
    first, tests = drawn[:trials], drawn[trials:]
    candidates = space.sample(LARGE, rng)
    least = sorted(candidates, key=problem.loss)[: LARGE // 10]
    settings = BayesianSettings(surrogate=surrogate)
    task = Task(space=space, objectives=(Objective("value"),), seed=seed, max_evals=trials + suggestions)
    strategy = Bayesian(task, settings)
    losses = [problem.loss(c) for c in first]
    for number, (c, loss) in enumerate(zip(first, losses)):
        strategy.observe(Trial(number, c, Measured({"value": loss})))
    predict = predictor(strategy, first, np.log(losses))
    densities = [density(predict, strategy, part, problem) for part in (tests, least)]
    start = time.process_time()
    for number in range(suggestions):
        for c in strategy.suggest(1):
            losses.append(problem.loss(c))
            strategy.observe(Trial(trials + number, c, Measured({"value": losses[-1]})))
    seconds = (time.process_time() - start) / max(1, suggestions)
    return Scores(*densities, float(np.log10(min(losses) / problem.optimum)), seconds)


def predictor(strategy: Bayesian, rows: Sequence[Configuration], loss: Floats) -> Callable[[Floats], Posterior]:
    """The strategy's model fitted to the trials, with its noise in the variance."""
    model = strategy.models[0]
    x = model.rows(strategy.task.space.columns(list(rows)))
    keep = informative_rows(loss, SUBSET) if len(loss) > SUBSET else None
    model.fit(x, loss, x[:0], keep)
    if isinstance(model, SparseModel):
        noise, scale = float(np.exp(model.process.trained.theta[-1])), float(loss.std())
    else:
        assert isinstance(model, GpModel)
        noise, scale = model.processes[0].fitted.kernel.noise, float((loss if keep is None else loss[keep]).std())

    def noisy(x: Floats) -> Posterior:
        latent = model.posterior(x)
        return Posterior(latent.mean, latent.variance + noise * scale**2)

    return noisy


def density(
    predict: Callable[[Floats], Posterior], strategy: Bayesian, tests: Sequence[Configuration], problem: Problem
) -> float:
    x = strategy.models[0].rows(strategy.task.space.columns(list(tests)))
    return held_out_score(predict(x), np.log([problem.loss(c) for c in tests]))


def paired(values: Sequence[float]) -> str:
    array = np.array(values)
    error = array.std(ddof=1) / np.sqrt(len(array)) if len(array) > 1 else float("nan")
    return f"{array.mean():+.3f} ± {error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--first", type=int, default=700, help="the first seed")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--suggestions", type=int, default=20)
    parser.add_argument("--problems", default="", help="parts of names, between commas")
    options = parser.parse_args()
    rows = []
    for problem in problems([name for name in options.problems.split(",") if name]):
        scores: dict[str, list[Scores]] = {name: [] for name in MODELS}
        for seed in range(options.first, options.first + options.seeds):
            for name in MODELS:
                scores[name].append(run(problem, name, seed, options.trials, options.suggestions))
                print(problem.name, seed, name, scores[name][-1], flush=True)
        full, sparse = scores["gp"], scores["sparse"]
        differences = [
            paired([getattr(b, field) - getattr(a, field) for a, b in zip(full, sparse)])
            for field in ("density", "least_density", "regret")
        ]
        times = [f"{np.median([s.seconds for s in scores[name]]):.2f}" for name in MODELS]
        rows.append(f"| {problem.name} | {options.seeds} | {' | '.join(differences)} | {' | '.join(times)} |")
    print("| problem | seeds | density | density, least tenth | log10 regret | CPU s a suggestion, gp | sparse |")
    print("|---|---|---|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
