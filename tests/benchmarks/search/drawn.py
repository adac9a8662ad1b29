"""Drawn test problems: how many parameters matter, which interact, how evaluations fail or vary is drawn, not fixed.

    log time = sum_i a_i u_i + sum_jk b_jk u_j u_k

Of flags u is 0 or 1, a and b have either sign, and the least is computed by eliminating one flag after the other. Of
mixed kinds u_i in [0, 1] is the distance from the value in a drawn feasible configuration, and every b_jk is at least
-(share of a_j + share of a_k): that configuration is the optimum, whatever the constraint.

Each seed is a problem of its own. Settings may be chosen on the kinds of `CHOOSING` with seeds below `SPLIT`; figures
are reported with seeds from `SPLIT` on, and of kinds that are not in `CHOOSING`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Real
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome

Floats = NDArray[np.float64]
Places = Callable[[Configuration], Floats]  # u of a configuration (d,)
MAIN, JOINT, SMALL = 0.06, 0.05, 0.001  # deviations of the logarithm, as of panel_flags
SPLIT = 1000  # the first seed of the reporting half
FAILURE_DRAWS = 400
OBJECTIVE = Objective("time")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnProblem:
    """A time to minimise; `optimum` and `default` are true times.

    `step`: width of plateaus of the logarithm, 0: none. `risk` (d,) is added up where a parameter differs from default
    and optimum; more than `risk_limit` fails. `noise`: scale of the errors' logarithm, Student's t with three degrees
    of freedom, larger by up to three times where times are large. `deviation`: of a further error, normal on that
    scale and the same everywhere. `workers`: evaluations that run at once.
    """

    name: str
    space: Space
    places: Places
    main: Floats  # (d,)
    pairs: NDArray[np.int64]  # (k, 2)
    joint: Floats  # (k,)
    best: float  # log time of the optimum, without plateaus
    traps: tuple[tuple[int, ...], ...] = ()
    trap_depth: float = 0.0
    step: float = 0.0
    risk: Floats | None = None
    best_places: Floats | None = None
    risk_limit: float = np.inf
    noise: float = 0.0
    deviation: float = 0.0
    workers: int = 1

    def truth(self, configuration: Configuration) -> float:
        return self._time(self._log_time(self.places(configuration)))

    @property
    def is_noisy(self) -> bool:
        return self.noise > 0 or self.deviation > 0

    @property
    def optimum(self) -> float:
        return self._time(self.best)

    @property
    def default(self) -> float:
        return self.truth(self.space.default)

    def measured(self, configuration: Configuration, rng: np.random.Generator) -> Outcome:
        u = self.places(configuration)
        if self.risk is not None and self.risk_of(u) > self.risk_limit:
            return Failed("run", "a hidden failure")
        log_time = self._log_time(u)
        scale = self.noise * (1 + 2 * float(np.clip(log_time - self.best, 0, 1)))
        error = scale * rng.standard_t(3) + (self.deviation * rng.normal() if self.deviation else 0.0)
        return Measured({OBJECTIVE.name: self._time(log_time) * float(np.exp(error))})

    def risk_of(self, u: Floats) -> float:
        assert self.risk is not None and self.best_places is not None
        away = np.minimum(np.abs(u - self.places(self.space.default)), np.abs(u - self.best_places))
        return float(self.risk @ away)

    def _log_time(self, u: Floats) -> float:
        log_time = float(u @ self.main) + float((self.joint * u[self.pairs[:, 0]] * u[self.pairs[:, 1]]).sum())
        for trap in self.traps:  # the more flags are on the worse, unless all of them are
            on = int(u[list(trap)].sum())
            log_time += 0.0 if on == len(trap) else self.trap_depth * (1 + on) / len(trap)
        return log_time

    def _time(self, log_time: float) -> float:
        return float(np.exp(np.ceil(log_time / self.step - 1e-9) * self.step if self.step else log_time))


def least(main: Floats, pairs: NDArray[np.int64], joint: Floats) -> tuple[float, Floats]:
    """The least of sum_i main_i x_i + sum_jk joint_jk x_j x_k over x in {0, 1}^d, and x: flags are eliminated one after
    the other, those with the fewest neighbours first."""
    factors: list[tuple[tuple[int, ...], Floats]] = [((i,), np.array([0.0, a])) for i, a in enumerate(main)]
    factors += [((int(j), int(k)), np.array([[0.0, 0.0], [0.0, b]])) for (j, k), b in zip(pairs, joint)]
    eliminated: list[tuple[int, tuple[int, ...], Floats]] = []
    left, constant = set(range(len(main))), 0.0
    while left:
        scopes = {i: {v for scope, _ in factors if i in scope for v in scope} for i in left}
        flag = min(left, key=lambda i: (len(scopes[i]), i))
        scope = (flag, *sorted(scopes[flag] - {flag}))
        table = np.zeros((2,) * len(scope))
        for of, values in [factor for factor in factors if flag in factor[0]]:
            order = sorted(range(len(of)), key=lambda axis: scope.index(of[axis]))
            table += values.transpose(order).reshape([2 if v in of else 1 for v in scope])
        eliminated.append((flag, scope[1:], table.argmin(axis=0)))
        factors = [factor for factor in factors if flag not in factor[0]]
        factors += [(scope[1:], table.min(axis=0))] if len(scope) > 1 else []
        constant += float(table.min()) if len(scope) == 1 else 0.0
        left.remove(flag)
    x = np.zeros(len(main))
    for flag, others, choice in reversed(eliminated):
        x[flag] = choice[tuple(int(x[i]) for i in others)]
    return constant, x


def flags(
    seed: int, count: int | None = None, share: float | None = None, interactions: int | None = None
) -> DrawnProblem:
    """Flags, all off by default; what is None is drawn: 30 to 400 flags of which 10 to 50 % matter, and 0 to 60
    interactions of any of them."""
    rng = np.random.default_rng([0x647261776E, seed])
    d = int(np.exp(rng.uniform(np.log(30), np.log(400)))) if count is None else count
    active = rng.permutation(d)[: round(d * (rng.uniform(0.1, 0.5) if share is None else share))]
    k = int(rng.integers(61)) if interactions is None else interactions
    scale = 1.0 if count is not None else (15 / max(15, len(active))) ** 0.5
    main = rng.normal(0, SMALL, d)
    main[active] = scale * rng.normal(0, MAIN, len(active))
    pairs = _pairs(np.arange(d), k, rng)
    joint = scale * rng.normal(0, JOINT, k)
    space = Space([Categorical(f"f{i}", [False, True]) for i in range(d)])

    def places(configuration: Configuration) -> Floats:
        return np.array([bool(configuration[f"f{i}"]) for i in range(d)], np.float64)

    best, x = least(main, pairs, joint)
    return DrawnProblem(f"{d} flags", space, places, main, pairs, joint, best, best_places=x)


def mixed(seed: int, large: bool = False) -> DrawnProblem:
    """20 to 80 parameters of all kinds, or 210, under a limit of the sum of flags and integers."""
    rng = np.random.default_rng([0x6D69786564, seed])
    counts = (110, 50, 30, 20) if large else tuple(int(n) for n in rng.integers(5, 21, size=4))
    parameters: list[Parameter] = [Categorical(f"b{i}", [0, 1]) for i in range(counts[0])]
    parameters += [Integer(f"n{i}", 0, 8) for i in range(counts[1])]
    parameters += [_listed(i, rng) for i in range(counts[2])] + [Real(f"r{i}", 0.0, 1.0) for i in range(counts[3])]
    total = " + ".join(p.name for p in parameters[: counts[0] + counts[1]])
    limit = int(0.9 * (0.5 * counts[0] + 4 * counts[1]))
    space = Space(parameters, [f"{total} <= {limit}"])
    (optimum,) = space.sample(1, rng)
    d = len(parameters)
    active = rng.permutation(d)[: max(2, round(d * rng.uniform(0.1, 0.5)))]
    main = np.abs(rng.normal(0, SMALL, d))
    main[active] = (15 / max(15, len(active))) ** 0.5 * np.abs(rng.normal(0, 2 * MAIN, len(active)))
    pairs = _pairs(active, int(rng.integers(61)), rng)
    shares = main / np.maximum(1, np.bincount(pairs.ravel(), minlength=d))
    joint = shares[pairs].sum(axis=1) * rng.uniform(-1, 1, len(pairs))
    power, levels = rng.choice([1.0, 2.0], d), rng.random((d, 8))

    def places(configuration: Configuration) -> Floats:
        return np.array([_distance(p, configuration[p.name], optimum[p.name], levels[i]) ** power[i]
                         for i, p in enumerate(parameters)])  # fmt: skip

    return DrawnProblem(f"{d} mixed", space, places, main, pairs, joint, 0.0, best_places=np.zeros(d))


def _pairs(among: NDArray[np.int64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.array([rng.choice(among, 2, replace=False) for _ in range(count)], np.int64).reshape(-1, 2)


def _listed(number: int, rng: np.random.Generator) -> Parameter:
    """An ordinal on the log scale, or a category."""
    if rng.random() < 0.7:
        return Ordinal(f"o{number}", [1, 2, 4, 8, 16], log=True)
    return Categorical(f"o{number}", list("abcde"[: int(rng.integers(3, 6))]))


def _distance(parameter: Parameter, value: Value, best: Value, levels: Floats) -> float:
    """In [0, 1]; of categories, that of `levels`."""
    if value == best:
        return 0.0
    if isinstance(parameter, Categorical):
        return 1.0 if len(parameter.domain) == 2 else float(levels[list(parameter.domain).index(value)])
    place, other = (float(parameter.encode(parameter.column([v])).ravel()[0]) for v in (value, best))
    return abs(place - other)


def with_plateaus(problem: DrawnProblem, seed: int) -> DrawnProblem:
    return replace(problem, step=float(np.random.default_rng([0x706C, seed]).uniform(0.02, 0.15)))


def with_traps(problem: DrawnProblem, seed: int) -> DrawnProblem:
    """Two to five traps of three or four flags that are in no interaction, and have no effect of their own."""
    rng = np.random.default_rng([0x7472, seed])
    free = rng.permutation(np.setdiff1d(np.arange(len(problem.main)), problem.pairs.ravel()))
    sizes = rng.integers(3, 5, size=rng.integers(2, 6))
    ends = np.cumsum(sizes)
    traps = tuple(tuple(int(i) for i in free[end - size : end]) for size, end in zip(sizes, ends) if end <= len(free))
    main = problem.main.copy()
    main[[i for trap in traps for i in trap]] = 0.0
    best, x = least(main, problem.pairs, problem.joint)
    return replace(problem, main=main, best=best, best_places=x, traps=traps, trap_depth=float(rng.uniform(0.02, 0.1)))


def with_noise(problem: DrawnProblem, seed: int) -> DrawnProblem:
    return replace(problem, noise=float(np.random.default_rng([0x6E6F, seed]).uniform(0.01, 0.1)))


def with_failures(problem: DrawnProblem, seed: int) -> DrawnProblem:
    """2 to 98 % of uniform configurations fail, never the default or the optimum."""
    rng = np.random.default_rng([0x6661, seed])
    risk = rng.gamma(1.0, size=len(problem.main)) * (rng.random(len(problem.main)) < 0.3)
    risky = replace(problem, risk=risk)
    risks = [risky.risk_of(problem.places(c)) for c in problem.space.sample(FAILURE_DRAWS, rng)]
    return replace(risky, risk_limit=float(np.quantile(risks, 1 - rng.uniform(0.02, 0.98))))


def with_workers(problem: DrawnProblem, seed: int) -> DrawnProblem:
    return replace(problem, workers=int(np.random.default_rng([0x7761, seed]).integers(4, 17)))


KINDS: dict[str, Callable[[int], DrawnProblem]] = {
    "60 flags, a quarter matter": lambda seed: flags(seed, 60, 0.25, 16),
    "120 flags, a quarter matter": lambda seed: flags(seed, 120, 0.25, 16),
    "30 to 400 flags": flags,
    "20 to 80 mixed": mixed,
    "210 mixed": lambda seed: mixed(seed, large=True),
    "plateaus, flags": lambda seed: with_plateaus(flags(seed), seed),
    "failures, flags": lambda seed: with_failures(flags(seed), seed),
    "noise, mixed": lambda seed: with_noise(mixed(seed), seed),
    "plateaus, mixed": lambda seed: with_plateaus(mixed(seed), seed),
    "failures, mixed": lambda seed: with_failures(mixed(seed), seed),
    "noise, flags": lambda seed: with_noise(flags(seed), seed),
    "traps, flags": lambda seed: with_traps(flags(seed), seed),
    "asynchronous, flags": lambda seed: with_workers(flags(seed), seed),
    "asynchronous, mixed": lambda seed: with_workers(mixed(seed), seed),
    "15 % noise, flags": lambda seed: replace(flags(seed), deviation=0.15),
    "15 % noise, mixed": lambda seed: replace(mixed(seed), deviation=0.15),
}
CHOOSING = tuple(KINDS)[:8]  # the other kinds had no part in any choice


def is_for_choosing(kind: str, seeds: Sequence[int]) -> bool:
    return kind in CHOOSING and max(seeds) < SPLIT
