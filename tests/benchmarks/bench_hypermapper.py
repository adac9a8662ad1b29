"""HyperMapper 2.0's experiments on the FPGA model: Figures 5 to 8, Tables IV and V.

    python tests/benchmarks/bench_hypermapper.py [--only fig5,fig6,fig7,fig8,table5] [--programs NAME,...] [--seeds N]
        [--evals N]

fig5     recall of the feasibility classifier over the 81 settings of Table III, five-fold, after the warm-up (1,000
         draws) and after 500 further evaluations of the search
fig6     GDA with and without the feasibility classifier: how many designs fit, and how good the front is
fig7     the search's front against the exact one
fig8     hypervolume against evaluations, every strategy; its last column is Table IV
table5   importance of every parameter for logic and cycles

Hypervolume is a share of the exact front's (branch and bound), on logarithms of both objectives, to a reference that is
a tenth of a decade beyond the exact front's ends; Table IV's indicator is one minus it. Spaces are the raw products.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from tunepass.backends.base import Target
from tunepass.exact.branch_and_bound import BranchAndBound
from tunepass.jobs.estimates import Estimator, estimator_of
from tunepass.space.configuration import Configuration
from tunepass.space.features.encoding import Encoding
from tunepass.space.space import Space
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.pareto_wall import ParetoWall, ParetoWallSettings
from tunepass.strategies.random import Random, RandomSettings
from tunepass.study.outcome import Infeasible, Measured
from tunepass.study.pareto import hypervolume
from tunepass.study.study import Study

KEEP = Path(__file__).parents[2] / "build" / "exact-fronts"
SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"
PROGRAMS = ("BlackScholes", "KMeans", "OuterProduct", "DotProduct", "GEMM", "TPCHQ6", "GDA")
DEVICE = "stratix-v"
WARM_UP = 1000
MOST_TREES = 1000  # --trees: fewer makes fig5 quick
TABLE_III = tuple(product((10, 100, 1000), (None, 4, 8), ("sqrt", 0.5, 0.75), (0.5, 0.75, 0.9)))
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A program on the device; `pruned` is the space that Spatial's restrictions leave."""

    name: str
    model: Estimator
    pruned: Space
    space: Space  # the raw product of the parameters
    front: Floats  # the exact one (n, 2)
    corner: Floats
    volume: float

    def share(self, losses: Floats) -> float:
        """The share of the exact hypervolume that `losses` (n, 2) dominate."""
        return hypervolume(np.log10(losses), self.corner.tolist()) / self.volume if len(losses) else 0.0


def exact_front(model: Estimator, name: str) -> Floats:
    """By branch and bound, kept on disk for as long as the model says the same."""
    space = Space(model.kernel.parameters)
    kept = KEEP / f"{name}-{model.backend.identity(space).compiler.split()[-1]}.npy"
    if not kept.exists():
        objectives = [model.costs.values[o.name] for o in model.backend.objectives()]
        KEEP.mkdir(parents=True, exist_ok=True)
        np.save(kept, BranchAndBound().solve(space, objectives, [model.costs.fits]).values)
    return np.asarray(np.load(kept))


def constrained(model: Estimator) -> Space:
    """The kernel's parameters and whatever constraints it has."""
    return Space(model.kernel.parameters, model.kernel.constraints)


@cache
def problem(name: str) -> Problem:
    path = str(SAMPLES / f"{name}.scala")
    model, _ = estimator_of(path, None, Target(device=DEVICE, restrict=False))
    pruned, _ = estimator_of(path, None, Target(device=DEVICE))
    front = exact_front(model, name)
    corner = np.log10(front).max(axis=0) + 0.1
    return Problem(
        name,
        model,
        constrained(pruned),
        constrained(model),
        front,
        corner,
        hypervolume(np.log10(front), corner.tolist()),
    )


@dataclass(frozen=True)
class Run:
    configurations: list[Configuration]
    losses: Floats  # (n, 2), where it fits
    fits: NDArray[np.bool_]
    cpu_s: float

    def front_at(self, n: int) -> Floats:
        return self.losses[:n][self.fits[:n]]


def search(
    p: Problem, strategy: str | Callable[[Task], Strategy], evals: int, seed: int, *, space: Space | None = None
) -> Run:
    study = Study(space or p.space, p.model.backend.objectives(), strategy=strategy, max_evals=evals, seed=seed)
    start = time.process_time()
    found: list[Configuration] = []
    losses, fits = [], []
    while not study.finished and (batch := study.suggest(1)):
        prices = p.model.prices(batch)
        for i, one in enumerate(batch):
            pair = (float(prices["cycles"][i]), float(prices["alms"][i]))
            fit = bool(prices["fits"][i])
            study.observe(one, Measured(dict(zip(("cycles", "alms"), pair))) if fit else Infeasible("fits"))
            found.append(one)
            losses.append(pair)
            fits.append(fit)
    return Run(found, np.array(losses), np.array(fits), time.process_time() - start)


STRATEGIES: dict[str, Callable[[Problem, int, int], Run]] = {
    "auto": lambda p, n, seed: search(p, "auto", n, seed),
    "hypermapper": lambda p, n, seed: search(p, "hypermapper", n, seed),
    "random": lambda p, n, seed: search(p, "random", n, seed),
    "random by priors": lambda p, n, seed: search(p, lambda t: Random(t, RandomSettings(prior=True)), n, seed),
    "pruned random": lambda p, n, seed: search(p, "random", n, seed, space=p.pruned),
}


def mean_interval(values: Sequence[float]) -> str:
    """Mean and half the 80 % confidence interval, as Table IV has them."""
    half = 1.2816 * np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.3f} ± {half:.3f}"


def figure8(names: Sequence[str], evals: int, seeds: int) -> None:
    at = [n for n in (100, 200, 500, 1000, 1500) if n <= evals]
    print(f"fig8, table4: share of the exact hypervolume after so many evaluations, mean of {seeds} seed(s)")
    print(f"{'program':13} {'strategy':17}" + "".join(f"{n:>8,}" for n in at) + "   1 - share at the end   fit   CPU s")
    for name in names:
        p = problem(name)
        for strategy, run in STRATEGIES.items():
            runs = [run(p, evals, seed) for seed in range(seeds)]
            curve = [np.mean([p.share(r.front_at(n)) for r in runs]) for n in at]
            left = mean_interval([1 - p.share(r.front_at(evals)) for r in runs])
            fit, cpu = np.mean([r.fits.mean() for r in runs]), np.mean([r.cpu_s for r in runs])
            line = "".join(f"{share:8.4f}" for share in curve)
            print(f"{name:13} {strategy:17}{line}   {left:20} {fit:5.1%} {cpu:7.1f}", flush=True)


def figure7(names: Sequence[str], evals: int, seeds: int) -> None:
    print(
        f"fig7: the front that hypermapper and auto find in {evals:,} evaluations against the exact one, seed by seed"
    )
    for name in names:
        p = problem(name)
        for strategy in ("hypermapper", "auto"):
            shares = [p.share(STRATEGIES[strategy](p, evals, seed).front_at(evals)) for seed in range(seeds)]
            listed = ", ".join(f"{share:.4f}" for share in shares)
            print(f"  {name:13} {len(p.front):5} points; {strategy:12} share {listed}", flush=True)


def figure6(evals: int, seeds: int) -> None:
    print(f"fig6: GDA, {WARM_UP:,} draws and {evals - WARM_UP} evaluations chosen")
    p = problem("GDA")
    settings = ParetoWallSettings(warm_up=WARM_UP, per_iteration=100, prior=False)
    for title, chosen in (("with", settings), ("without", _without_classifier(settings))):
        runs = [search(p, lambda t, s=chosen: ParetoWall(t, s), evals, seed) for seed in range(seeds)]
        fit = np.mean([r.fits[WARM_UP:].mean() for r in runs])
        share = mean_interval([p.share(r.front_at(evals)) for r in runs])
        before = np.mean([p.share(r.front_at(WARM_UP)) for r in runs])
        print(f"  {title:8} the classifier: {fit:5.1%} of the chosen fit; share {before:.4f} before, {share} after")


def _without_classifier(settings: ParetoWallSettings) -> ParetoWallSettings:
    return replace(settings, feasibility=None)


def figure5(names: Sequence[str]) -> None:
    print("fig5: five-fold recall of 81 random forests (Table III): best by mean, and by the worst program")
    for title, more in (("after the warm-up", 0), ("after 500 chosen", 500)):
        scores = []
        for name in names:
            p = problem(name)
            settings = ParetoWallSettings(warm_up=WARM_UP, per_iteration=100, prior=False)
            run = search(p, lambda t, s=settings: ParetoWall(t, s), WARM_UP + more, 0)
            scores.append(_recalls(p, run))
        table = np.array(scores)  # (programs, 81)
        best, safest = int(table.mean(axis=0).argmax()), int(table.min(axis=0).argmax())
        print(
            f"  {title}: mean {table[:, best].mean():.3f} by {_setting(best)};"
            f" worst program {table[:, safest].min():.3f} by {_setting(safest)}; all settings {table.mean():.3f}"
        )
        for name, row in zip(names, table):
            print(f"    {name:13} {row.min():.3f} to {row.max():.3f}", flush=True)


def _recalls(p: Problem, run: Run) -> list[float]:
    encoding = Encoding(p.space)
    x, y = encoding.encode(p.space.columns(run.configurations)), run.fits
    folds = min(5, int(y.sum()), int((~y).sum()))
    if folds < 2:
        return [float(y.any())] * len(TABLE_III)
    split, found = StratifiedKFold(folds, shuffle=True, random_state=0), []
    for trees, depth, features, weight in TABLE_III:
        forest = RandomForestClassifier(
            min(trees, MOST_TREES), max_depth=depth, max_features=features,
            class_weight={True: weight, False: 1 - weight}, random_state=0,
        )  # fmt: skip
        guess = cross_val_predict(forest, x, y, cv=split)
        found.append(float((guess & y).sum() / y.sum()))
    return found


def _setting(i: int) -> str:
    trees, depth, features, weight = TABLE_III[i]
    return f"{min(trees, MOST_TREES)} trees, depth {depth}, features {features}, weight {weight}"


def table5(names: Sequence[str]) -> None:
    print("table5: importance by a random forest's impurity over 5,000 draws (rows sum to 1)")
    for name in names:
        p = problem(name)
        configurations = p.space.sample(5000, np.random.default_rng(0))
        encoding, prices = Encoding(p.space), p.model.prices(configurations)
        x = encoding.encode(p.space.columns(configurations))
        for objective in ("alms", "cycles"):
            forest = RandomForestRegressor(100, random_state=0).fit(x, np.asarray(prices[objective], float))
            listed = {q.name: 0.0 for q in p.model.kernel.parameters}
            for feature, value in zip(encoding.features, forest.feature_importances_):
                owner = max((q for q in listed if feature.startswith(q)), key=len)
                listed[owner] += float(value)
            print(f"  {name:13} {objective:7}" + "  ".join(f"{q} {v:.3f}" for q, v in listed.items()), flush=True)


def main() -> None:
    global MOST_TREES
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--only", default="fig5,fig6,fig7,fig8,table5")
    arguments.add_argument("--programs", default=",".join(PROGRAMS))
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--evals", type=int, default=1500)
    arguments.add_argument("--trees", type=int, default=MOST_TREES, help="at most, in fig5")
    given = arguments.parse_args()
    MOST_TREES = given.trees
    names, only = given.programs.split(","), given.only.split(",")
    start = time.process_time()
    if "fig5" in only:
        figure5(names)
    if "fig6" in only:
        figure6(given.evals, given.seeds)
    if "fig7" in only:
        figure7([n for n in names if n in ("BlackScholes", "OuterProduct", "DotProduct")], given.evals, given.seeds)
    if "fig8" in only:
        figure8(names, given.evals, given.seeds)
    if "table5" in only:
        table5(names)
    print(f"{time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()
