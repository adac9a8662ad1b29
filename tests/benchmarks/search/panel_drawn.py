"""Searches of drawn problems (drawn.py): our strategies beside Optuna's TPE and random search, one problem a seed.

Two scores of a true time: (default - best) / (default - optimum), and optimum over best. The time is that of what was
measured best; after the last evaluation, of what the search recommends (TPE: of what was measured best).
"""

from __future__ import annotations

import heapq
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.search import variants
from tests.benchmarks.search.drawn import KINDS, OBJECTIVE, DrawnProblem, is_for_choosing
from tests.benchmarks.search.runs import Places, code_version
from tests.benchmarks.search.tables import markdown
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Integer, Parameter, Real
from tunepass.study.outcome import Measured, Outcome
from tunepass.study.study import Study

if TYPE_CHECKING:
    import optuna

Floats = NDArray[np.float64]
MARKS = (20, 50, 100)
TPE = "Optuna TPE, multivariate"
REJECTIONS = 200  # suggestions in a row that break the constraint, after which a feasible one is drawn
RUN_KEY = 0x72756E
WITHOUT_REPEATS = " without repeats"


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """After each evaluation the true time of what was measured best (the default before anything was), after the last
    one of what is recommended; and the CPU seconds of asking and telling; `failed` of all evaluations."""

    times: list[float]
    seconds: list[float]
    failed: int
    default: float
    optimum: float

    @property
    def gained(self) -> Floats:
        """(default - best) / (default - optimum); 1 where nothing can be gained."""
        possible = self.default - self.optimum
        return (self.default - np.array(self.times)) / possible if possible > 0 else np.ones(len(self.times))


class Asked(Protocol):
    """A search that is asked for one configuration, and told the outcomes in any order."""

    def ask(self) -> Configuration | None: ...
    def tell(self, configuration: Configuration, outcome: Outcome) -> None: ...
    def recommended(self) -> Configuration | None:
        """None: what was measured best."""


class Ours:
    """A strategy of ours. Without noise, and as `auto without repeats`, the study measures each configuration once."""

    def __init__(self, problem: DrawnProblem, strategy: str, seed: int, evals: int):
        name, repeats = (
            strategy.removesuffix(WITHOUT_REPEATS),
            problem.is_noisy and not strategy.endswith(WITHOUT_REPEATS),
        )
        factory = variants.factory(name)
        self._study = Study(problem.space, [OBJECTIVE], strategy=factory, seed=seed, max_evals=evals, repeats=repeats)

    def ask(self) -> Configuration | None:
        suggested = self._study.suggest(1)
        return suggested[0] if suggested else None

    def tell(self, configuration: Configuration, outcome: Outcome) -> None:
        self._study.observe(configuration, outcome)

    def recommended(self) -> Configuration | None:
        recommended = self._study.recommended
        return None if recommended is None else recommended.trial.configuration


class Tpe:
    """What breaks the constraint is told as failed, at no cost."""

    def __init__(self, problem: DrawnProblem, seed: int):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=problem.workers > 1)
        self._failed, self._space = optuna.trial.TrialState.FAIL, problem.space
        self._study = optuna.create_study(sampler=sampler)
        self._study.enqueue_trial(dict(problem.space.default))
        self._rng, self._trials = np.random.default_rng([seed, RUN_KEY]), dict[Configuration, list[int]]()

    def ask(self) -> Configuration:
        for _ in range(REJECTIONS):
            trial = self._study.ask()
            configuration = Configuration({p.name: _suggested(trial, p) for p in self._space.parameters})
            if self._space.contains(configuration):
                self._trials.setdefault(configuration, []).append(trial.number)
                return configuration
            self._study.tell(trial.number, state=self._failed)
        return self._space.sample(1, self._rng)[0]

    def tell(self, configuration: Configuration, outcome: Outcome) -> None:
        if not self._trials.get(configuration):
            return  # drawn in place of what broke the constraint
        number = self._trials[configuration].pop()
        if isinstance(outcome, Measured):
            self._study.tell(number, outcome.values[OBJECTIVE.name])
        else:
            self._study.tell(number, state=self._failed)

    def recommended(self) -> Configuration | None:
        return None


def _suggested(trial: optuna.Trial, parameter: Parameter) -> Value:
    if isinstance(parameter, Integer):
        return trial.suggest_int(parameter.name, parameter.lo, parameter.hi)
    if isinstance(parameter, Real):
        return trial.suggest_float(parameter.name, parameter.lo, parameter.hi)
    return trial.suggest_categorical(parameter.name, list(parameter.domain))


def searched(problem: DrawnProblem, search: Asked, seed: int, evals: int) -> DrawnRun:
    """`workers` evaluations run at once, each as long as is drawn."""
    rng = np.random.default_rng([seed, RUN_KEY, 1])
    running: list[tuple[float, int, Configuration, float]] = []
    times, seconds, failed, asked, now = list[float](), list[float](), 0, 0, 0.0
    default = problem.default
    least, best = np.inf, default
    while len(times) < evals:
        while len(running) < problem.workers and asked < evals:
            start = time.process_time()
            configuration = search.ask()
            if configuration is None:
                break
            asked += 1
            duration = float(rng.lognormal(0.0, 0.5))
            heapq.heappush(running, (now + duration, asked, configuration, time.process_time() - start))
        if not running:  # the space is exhausted
            times += [best] * (evals - len(times))
            break
        now, _, configuration, spent = heapq.heappop(running)
        outcome = problem.measured(configuration, rng)
        start = time.process_time()
        search.tell(configuration, outcome)
        seconds.append(spent + time.process_time() - start)
        failed += not isinstance(outcome, Measured)
        if isinstance(outcome, Measured) and outcome.values[OBJECTIVE.name] < least:
            least, best = outcome.values[OBJECTIVE.name], problem.truth(configuration)
        times.append(best)
    if (recommended := search.recommended()) is not None:
        times[-1] = problem.truth(recommended)
    return DrawnRun(times, seconds, failed, default, problem.optimum)


def kept(places: Places, kind: str, method: str, seed: int, evals: int) -> DrawnRun:
    """`searched`, once."""
    version = "peer" if method == TPE else code_version()[:20]
    name = f"{method}-{seed}-{evals}-{version}".replace(" ", "-").replace(",", "").replace(":", "")
    path = places.kept / "drawn" / kind.replace(" ", "-").replace(",", "") / f"{name}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        problem = KINDS[kind](seed)
        search: Asked = Tpe(problem, seed) if method == TPE else Ours(problem, method, seed, evals)
        path.write_text(json.dumps(asdict(searched(problem, search, seed, evals))), encoding="utf-8")
    return DrawnRun(**json.loads(path.read_text(encoding="utf-8")))


def methods(strategies: Sequence[str]) -> list[str]:
    return [*strategies, *([TPE] if find_spec("optuna") is not None else [])]


def table(
    places: Places, kinds: Sequence[str], searches: Sequence[str], seeds: Sequence[int], told: Callable[[str], None]
) -> str:
    """Means over seeds ± standard errors; how far the first search is ahead, in pairs, after the last mark."""
    rows = []
    for kind in kinds:
        runs = {}
        for method in searches:
            runs[method] = [kept(places, kind, method, seed, MARKS[-1]) for seed in seeds]
            told(f"{kind}: {method}")
        first = np.array([run.gained for run in runs[searches[0]]])
        for method, of in runs.items():
            gained = np.array([run.gained for run in of])
            shares = np.array([run.optimum / np.array(run.times) for run in of])
            ahead = "" if method == searches[0] else _mean((first - gained)[:, MARKS[-1] - 1], signed=True)
            spent = [1e3 * s for run in of for s in run.seconds]
            rows.append([kind + (" *" if is_for_choosing(kind, seeds) else ""), method,
                         *(_mean(gained[:, mark - 1]) for mark in MARKS),
                         *(_mean(shares[:, mark - 1]) for mark in MARKS[1:]), ahead,
                         f"{np.mean(spent):.3g} ({np.max(spent):.3g})"])  # fmt: skip
    head = ["kind", "strategy", *(f"gained at {mark}" for mark in MARKS)]
    head += [*(f"optimum over best at {mark}" for mark in MARKS[1:]), f"ahead at {MARKS[-1]}", "ms: mean (largest)"]
    return markdown(head, rows)


def _mean(values: Floats, signed: bool = False) -> str:
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{values.mean():{'+' if signed else ''}.3f} ± {error:.3f}"
