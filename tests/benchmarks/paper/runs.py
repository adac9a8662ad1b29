"""One search of one program with one seed, kept in a file by all that it depends on.

    kind          what it evaluates
    hypermapper   Figure 8 and Table IV: 10,000 draws from the priors, then 25 iterations of 100 (12,500)
    active        Figures 5 to 7: 1,000 uniform draws, then iterations of 100
    unfiltered    the same without the feasibility classifier, which is HyperMapper 1.0 (Figure 6)
    baseline      the Spatial compiler's: 100,000 uniform draws from what its restrictions leave, or all of it
    uniform       100,000 uniform draws from the raw product
    auto          tunepass's own strategy: 500 evaluations, a 25th; what fits is hidden as from the others

The paper says of Figure 8's runs that they end at 12,500 samples; the compiler's script of the time draws 10,000 first,
in iterations of 100, with forests of 20 trees.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.benchmarks.paper.problems import OBJECTIVES, Bools, Floats, Problem, code_digest
from tunepass.space.features.encoding import Encoding
from tunepass.space.space import Space
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.pareto_wall import ParetoWall, ParetoWallSettings
from tunepass.study.outcome import Infeasible, Measured
from tunepass.study.task import factory_of
from tunepass.study.trial import Trial
from tunepass.surrogates.feasibility import FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings

TREES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much of each is evaluated; the defaults are the paper's."""

    warm_up: int = 10_000  # of Figure 8
    iterations: int = 25
    active_warm_up: int = 1_000  # of Figures 5 to 7
    active_iterations: int = 50  # of Figure 5
    few_iterations: int = 5  # of Figures 6 and 7
    per_iteration: int = 100
    baseline: int = 100_000
    auto: int = 500
    importance: int = 100_000  # draws of Table V
    trees: tuple[int, ...] = (10, 100, 1000)  # Table III
    seeds: int = 5


PAPER = Scale()
QUICK = Scale(
    warm_up=200, iterations=2, active_warm_up=120, active_iterations=3, few_iterations=2, per_iteration=20,
    baseline=500, auto=30, importance=300, trees=(2, 4, 8), seeds=2,
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    losses: Floats  # (n, 2), of what does not fit as well
    fits: Bools  # (n,)
    rows: Floats  # (n, features); empty where nothing asks for them
    cpu_s: float

    def feasible(self, n: int | None = None) -> Floats:
        """Of the first n evaluations."""
        return self.losses[:n][self.fits[:n]]


@dataclass(frozen=True)
class Kept:
    """Runs in a folder; what is there is not run again."""

    folder: Path
    scale: Scale
    may_run: Callable[[], bool] = lambda: True

    def run(self, p: Problem, kind: str, seed: int) -> Run | None:
        """None for one that is neither kept nor may be run."""
        task = f"{p.name}-{kind}-{seed}"
        sizes = [getattr(self.scale, name) for name in SIZES[kind]]
        told = repr((sizes, p.digest, code_digest() if kind in SEARCHES else ""))
        path = self.folder / f"{task}-{hashlib.sha256(told.encode()).hexdigest()[:12]}.npz"
        if not path.exists():
            if not self.may_run():
                return None
            self.folder.mkdir(parents=True, exist_ok=True)
            made = KINDS[kind](p, seed, self.scale)
            part = path.with_suffix(".part")
            with part.open("wb") as file:
                arrays = {"losses": made.losses, "fits": made.fits, "rows": made.rows}
                np.savez_compressed(file, **arrays, cpu_s=np.array(made.cpu_s))
            part.rename(path)
        with np.load(path) as kept:
            return Run(kept["losses"], kept["fits"], kept["rows"], float(kept["cpu_s"]))

    def runs(self, p: Problem, kind: str, seeds: int | None = None) -> list[Run]:
        """Of every seed; fewer where some may not be run."""
        found = (self.run(p, kind, seed) for seed in range(seeds or self.scale.seeds))
        return [run for run in found if run is not None]


def search(p: Problem, make: Callable[[Task], Strategy], evals: int, seed: int, batch: Callable[[int], int]) -> Run:
    """`batch`: how many to suggest at once, by how many were evaluated. The default is evaluated first."""
    start = time.process_time()
    objectives = p.model.backend.objectives()
    strategy = make(Task(space=p.space, objectives=objectives, seed=seed, max_evals=evals))
    losses, fits, rows, n = list[Floats](), list[Bools](), list[Floats](), 0
    encoding = Encoding(p.space)
    while n < evals:
        suggested = strategy.suggest(min(batch(n), evals - n)) if n else [p.space.default]
        if not suggested:
            break
        columns = p.space.columns(suggested)
        price, fit = p.price(columns, len(suggested))
        for configuration, pair, ok in zip(suggested, price.tolist(), fit):
            outcome = Measured(dict(zip(OBJECTIVES, pair))) if ok else Infeasible("fits")
            strategy.observe(Trial(n, configuration, outcome))
            n += 1
        losses.append(price)
        fits.append(fit)
        rows.append(encoding.encode(columns))
    return Run(np.concatenate(losses), np.concatenate(fits), np.concatenate(rows), time.process_time() - start)


def _draws(p: Problem, space: Space, n: int, seed: int) -> Run:
    start = time.process_time()
    columns = space.sample_columns(n, np.random.default_rng([seed, 8]))
    size = len(next(iter(columns.values())))
    losses, fits = p.price(columns, size)
    return Run(losses, fits, np.empty((0, 0)), time.process_time() - start)


def _wall(warm_up: int, scale: Scale, *, prior: bool, classifier: bool = True) -> Callable[[Task], Strategy]:
    settings = ParetoWallSettings(
        warm_up=warm_up,
        per_iteration=scale.per_iteration,
        epsilon=0.0,
        prior=prior,
        forest=ForestSettings(trees=TREES),
        feasibility=FeasibilitySettings(trees=TREES) if classifier else None,
    )
    return lambda task: ParetoWall(task, settings)


def _hypermapper(p: Problem, seed: int, scale: Scale) -> Run:
    evals = scale.warm_up + scale.iterations * scale.per_iteration
    return replace(
        search(p, _wall(scale.warm_up, scale, prior=True), evals, seed, lambda n: scale.per_iteration),
        rows=np.empty((0, 0)),
    )


def _active(p: Problem, seed: int, scale: Scale, classifier: bool = True) -> Run:
    """The first seed goes on to Figure 5's iterations; its first evaluations are those of Figures 6 and 7."""
    iterations = scale.active_iterations if seed == 0 and classifier else scale.few_iterations
    evals = scale.active_warm_up + iterations * scale.per_iteration
    make = _wall(scale.active_warm_up, scale, prior=False, classifier=classifier)
    return search(p, make, evals, seed, lambda n: scale.per_iteration)


def _auto(p: Problem, seed: int, scale: Scale) -> Run:
    """Singly up to 50, by 8 up to 200, then by 16: as `tunepass build` asks for what costs next to nothing."""
    make = factory_of("auto")
    return search(p, lambda t: make(t), scale.auto, seed, lambda n: 1 if n < 50 else 8 if n < 200 else 16)  # type: ignore[arg-type, return-value]


_ACTIVE = ("active_warm_up", "active_iterations", "few_iterations", "per_iteration")
SIZES = {
    "baseline": ("baseline",),
    "uniform": ("baseline",),
    "hypermapper": ("warm_up", "iterations", "per_iteration"),
    "active": _ACTIVE,
    "unfiltered": _ACTIVE,
    "auto": ("auto",),
}
SEARCHES = ("hypermapper", "active", "unfiltered", "auto")
KINDS: dict[str, Callable[[Problem, int, Scale], Run]] = {
    "baseline": lambda p, seed, scale: _draws(p, p.pruned, scale.baseline, seed),
    "uniform": lambda p, seed, scale: _draws(p, p.space, scale.baseline, seed),
    "hypermapper": _hypermapper,
    "active": _active,
    "unfiltered": lambda p, seed, scale: _active(p, seed, scale, classifier=False),
    "auto": _auto,
}
