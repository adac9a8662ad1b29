"""Studies with a cheap level: functions whose lower fidelity is another function, recorded kernels whose cheap level is
another device or another input of the same designs, and all but the last with the cheap level turned round.

The functions are those of Kandasamy et al.: Branin and Hartmann6 with other coefficients at the lower fidelity (2017,
"Multi-fidelity Bayesian optimisation with continuous approximations", Appendix; 2016, "Gaussian process bandit
optimisation with multi-fidelity evaluations", Appendix D).
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.search.problems import Problem, problem
from tests.benchmarks.search.runs import Places, code_version
from tests.benchmarks.search.tables import markdown
from tunepass.search.fidelity import FULL, Fidelity, FidelityStudy
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Real
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured, Outcome
from tunepass.study.study import Study

Floats = NDArray[np.float64]
COST, BUDGET, MARKS = 0.1, 30, (10, 20, 30)
CHEAP = "cheap"
PAIRS = (
    ("kernel_tuner/convolution-A4000", "kernel_tuner/convolution-MI250X"),
    ("kernel_tuner/dedispersion-A4000", "kernel_tuner/dedispersion-MI250X"),
    ("kernel_tuner/gemm-2080Ti", "kernel_tuner/gemm-Titan"),
    ("kernel_tuner/conv_bat-Titan", "kernel_tuner/conv_bat-2080Ti"),
)
INPUTS = (("spector/bfs_dense", "spector/bfs_sparse"), ("spector/spmv_5000", "spector/spmv_500000"))
KINDS = ("none", "cheap", "misleading")
Curve = list[tuple[float, float]]  # spent so far, least loss so far


class Levels(ABC):
    """A problem of two fidelities; `misleading` has the cheap one's order turned round."""

    space: Space
    objective: Objective
    optimum: float

    @abstractmethod
    def price(self, configuration: Configuration, *, cheap: bool) -> Outcome: ...

    def with_cheap(self, seed: int, budget: float, *, misleading: bool = False) -> Curve:
        study = FidelityStudy(self.space, self.objective, [Fidelity(CHEAP, COST)], budget=budget, seed=seed)
        curve, least = Curve(), math.inf
        while suggested := study.suggest():
            (asked,) = suggested
            cheap = asked.fidelity == CHEAP
            outcome = self.price(asked.configuration, cheap=cheap)
            if isinstance(outcome, Measured) and cheap and misleading:
                outcome = Measured({n: 1 / v for n, v in outcome.values.items()})
            study.observe(asked.configuration, outcome, fidelity=asked.fidelity)
            if isinstance(outcome, Measured) and asked.fidelity == FULL:
                least = min(least, self.objective.loss(outcome.values[self.objective.name]))
            curve.append((study.spent, least))
        return curve

    def plain(self, seed: int, evals: int) -> Curve:
        study = Study(self.space, [self.objective], seed=seed, max_evals=evals)
        curve, least = Curve(), math.inf
        while suggested := study.suggest():
            outcome = self.price(suggested[0], cheap=False)
            study.observe(suggested[0], outcome)
            if isinstance(outcome, Measured):
                least = min(least, self.objective.loss(outcome.values[self.objective.name]))
            curve.append((len(study.trials), least))
        return curve


class Function(Levels):
    """A positive function of reals in [0, 1]."""

    def __init__(self, dimensions: int, optimum: float):
        self.space = Space([Real(f"x{i}", 0.0, 1.0) for i in range(dimensions)])
        self.objective, self.optimum = Objective("y"), optimum

    @abstractmethod
    def value(self, x: Floats, *, cheap: bool) -> float: ...

    def price(self, configuration: Configuration, *, cheap: bool) -> Outcome:
        x = np.array([float(str(configuration[p.name])) for p in self.space.parameters])
        return Measured({"y": self.value(x, cheap=cheap)})


class Branin(Function):
    def __init__(self) -> None:
        super().__init__(2, 1.397887)

    def value(self, x: Floats, *, cheap: bool) -> float:
        a, b, far = 15 * x[0] - 5, 15 * x[1], 1.0 if cheap else 0.0
        square, line = 5.1 / (4 * math.pi**2) - 0.01 * far, 5 / math.pi - 0.1 * far
        wave = 1 / (8 * math.pi) + 0.05 * far
        return float((b - square * a * a + line * a - 6) ** 2 + 10 * (1 - wave) * math.cos(a) + 10 + 1)


class Hartmann6(Function):
    RATES = np.array(
        [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
    )
    CENTRES = 1e-4 * np.array(
        [[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
         [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]]
    )  # fmt: skip
    HEIGHTS, LOWER = np.array([1.0, 1.2, 3.0, 3.2]), np.array([0.01, -0.01, -0.1, 0.1])

    def __init__(self) -> None:
        super().__init__(6, 0.07763)

    def value(self, x: Floats, *, cheap: bool) -> float:
        heights = self.HEIGHTS + 3 * self.LOWER if cheap else self.HEIGHTS
        return 3.4 - float((heights * np.exp(-(self.RATES * (x - self.CENTRES) ** 2).sum(axis=1))).sum())


@dataclass(eq=False)
class Recorded(Levels):
    """A kernel on a device, its cheap level on another, or on another input."""

    near: Problem
    far: Problem

    def __post_init__(self) -> None:
        self.space, self.objective, self.optimum = self.far.space, self.far.objective, self.far.optimum

    def price(self, configuration: Configuration, *, cheap: bool) -> Outcome:
        return (self.near if cheap else self.far).outcome(configuration)


FUNCTIONS: dict[str, Callable[[], Levels]] = {"Branin": Branin, "Hartmann6": Hartmann6}
NEAR = {far: near for near, far in (*PAIRS, *INPUTS)}
NAMES = (*FUNCTIONS, *NEAR)


def levels(places: Places, name: str) -> Levels:
    if name in FUNCTIONS:
        return FUNCTIONS[name]()
    return Recorded(*(problem(places.data, table, places.kept / "models") for table in (NEAR[name], name)))


def kept(places: Places, name: str, kind: str, seed: int) -> list[float]:
    """The least loss at each of MARKS, once."""
    folder = places.kept / "fidelity" / name.replace("/", ".")
    path = folder / f"{kind}-{seed}-{code_version()[:20]}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subject = levels(places, name)
        if kind == "none":
            curve = subject.plain(seed, BUDGET)
        else:
            curve = subject.with_cheap(seed, BUDGET, misleading=kind == "misleading")
        found = [min((v for spent, v in curve if spent <= mark + 1e-9), default=math.inf) for mark in MARKS]
        path.write_text(json.dumps([v if math.isfinite(v) else None for v in found]), encoding="utf-8")
    return [math.inf if v is None else float(v) for v in json.loads(path.read_text(encoding="utf-8"))]


def table(places: Places, wanted: Sequence[str], seeds: Sequence[int]) -> str:
    """Of functions log10 of the regret, less is better; of recorded kernels the optimum over the best. In parentheses
    what the cheap level changes, in pairs of seeds, with its standard error."""
    cells = [_cells(places, name, levels(places, name), kind, seeds) for name in wanted for kind in _kinds(name)]
    return markdown(["problem", "cheap level", *(f"at {mark}" for mark in MARKS)], cells)


def _kinds(name: str) -> tuple[str, ...]:
    return KINDS[:2] if name in dict(INPUTS).values() else KINDS


def _cells(places: Places, name: str, subject: Levels, kind: str, seeds: Sequence[int]) -> list[str]:
    score, plain = (_score(subject, np.array([kept(places, name, k, seed) for seed in seeds])) for k in (kind, "none"))
    gap, texts = score - plain, [f"{mean:.3f}" for mean in score.mean(axis=0)]
    if kind != "none":
        error = gap.std(axis=0, ddof=1) / math.sqrt(len(gap)) if len(gap) > 1 else gap[0] * math.nan
        texts = [f"{text} ({g:+.3f} ± {e:.3f})" for text, g, e in zip(texts, gap.mean(axis=0), error)]
    return [name, kind, *texts]


def _score(subject: Levels, least: Floats) -> Floats:
    """Of least losses (seeds, marks)."""
    if isinstance(subject, Function):
        return np.asarray(np.log10(np.maximum(least - subject.optimum, 1e-6)))
    return np.asarray(subject.optimum / least)
