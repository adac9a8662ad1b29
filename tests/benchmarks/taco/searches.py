"""Searches of one problem by tunepass and by others, every configuration measured once for all of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tunepass.expr.nodes import Expr
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter, Permutation
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.study import Study

PEERS = Path(__file__).parent / "peers.py"
METHODS = ("auto", "plain", "random", "optuna", "opentuner")  # auto has the model as its prior mean, plain has not
FORBIDDEN_MOST = 20_000  # suggestions that known constraints forbid before a peer has no more

Time = Callable[[Configuration], "float | None"]  # ms; None where it failed


@dataclass(frozen=True, slots=True)
class Problem:
    space: Space
    parameters: tuple[Parameter, ...]
    model: Expr | None
    time: Time


def search(problem: Problem, method: str, seed: int, budget: int, python: str) -> list[float | None]:
    """The times of the configurations in the order of their evaluation, the default first."""
    if method in ("auto", "plain"):
        return _study(problem, problem.model if method == "auto" else None, seed, budget)
    if method == "random":
        drawn = problem.space.sample(min(budget, problem.space.size), np.random.default_rng(seed))
        first = [problem.space.default, *(c for c in drawn if c != problem.space.default)]
        return [problem.time(configuration) for configuration in first[:budget]]
    return _peer(problem, method, seed, budget, python)


def best_so_far(times: Sequence[float | None]) -> list[float]:
    best, found = float("inf"), []
    for time in times:
        best = best if time is None else min(best, time)
        found.append(best)
    return found


def _study(problem: Problem, model: Expr | None, seed: int, budget: int) -> list[float | None]:
    prior = None if model is None else PriorMean.from_expression(model)
    time = Objective("time", unit="ms")
    study = Study(problem.space, [time], strategy="auto", seed=seed, max_evals=budget, prior_mean=prior)
    times: list[float | None] = []
    while suggested := study.suggest(1):
        ms = problem.time(suggested[0])
        study.observe(suggested[0], Failed("run", "") if ms is None else Measured({"time": ms}))
        times.append(ms)
    return times


def _peer(problem: Problem, method: str, seed: int, budget: int, python: str) -> list[float | None]:
    """Values are offered with the default first where they have no order. What it suggests twice counts once."""
    domains = {p.name: _domain(p) for p in problem.parameters}
    described = [
        [p.name, "unordered" if isinstance(p, Permutation) or _unordered(p) else "ordered", len(domains[p.name])]
        for p in problem.parameters
    ]
    first = {p.name: domains[p.name].index(p.default) for p in problem.parameters}
    with subprocess.Popen(
        [python, str(PEERS), method, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as peer:
        assert peer.stdin is not None and peer.stdout is not None
        peer.stdin.write(json.dumps({"parameters": described, "first": first}) + "\n")
        peer.stdin.flush()
        found = list(_answered(problem, domains, peer.stdin, peer.stdout, budget))
        peer.kill()
    return found


def _answered(problem: Problem, domains, asked, told, budget: int) -> Iterator[float | None]:
    seen: dict[Configuration, float | None] = {}
    forbidden = 0
    while len(seen) < budget and forbidden < FORBIDDEN_MOST:
        line = told.readline()
        if not line:
            raise RuntimeError("the peer ended")
        configuration = Configuration({name: domains[name][place] for name, place in json.loads(line).items()})
        if not problem.space.contains(configuration):
            forbidden += 1
            answer = "forbidden"
        else:
            if configuration in seen:
                forbidden += 1
            else:
                seen[configuration] = problem.time(configuration)
                yield seen[configuration]
            ms = seen[configuration]
            answer = "fail" if ms is None else repr(ms)
        asked.write(answer + "\n")
        asked.flush()


def _unordered(parameter: Parameter) -> bool:
    return any(isinstance(value, (str, bool)) for value in parameter.domain)


def _domain(parameter: Parameter) -> list[Value]:
    return list(parameter.domain)
