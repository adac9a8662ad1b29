"""Hundreds of flags of a compiler: tunepass against Optuna's TPE, OpenTuner, random and genetic search.

    python -m tests.benchmarks.bench_flags --checkouts DIR [--python VENV/bin/python] [--compiler gcc] [--seeds 3]
        [--evaluations 100,300] [--measure time|instructions] [--programs tinyexpr,lz4,zlib,editdistance]
        [--tuners tunepass,optuna,opentuner,random,genetic] [--work DIR]

The parameters are those that `tunepass flags COMPILER --level O2` prints, with `--native` where time is measured.
Everything is built, checked and measured by the same code, one evaluation after another; a failure is a failure for
all. The table has the geometric mean over programs and seeds of the speed-up over -O2 that the best of so many
evaluations has, as it was measured then. `instructions` counts what valgrind sees executed, on a smaller task: the same
on any machine, busy or not, and another question than time. Finished searches are kept in the working folder.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from tests.benchmarks.applications.described import PROGRAMS, copy_program
from tests.benchmarks.bench_applications import PEERS, USUAL, Found, Notes, task_in
from tunepass.backends.application_task import task_of
from tunepass.backends.base import default_of
from tunepass.evaluators.application import ApplicationRun, DeterministicRun
from tunepass.evaluators.measure.repeats import Repeats
from tunepass.ir.application import Application
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import load
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study

TUNERS = ("tunepass", "optuna", "opentuner", "random", "genetic")
OBJECTIVE = {"time": Objective("time", unit="ms"), "instructions": Objective("instructions")}
COUNTER = Path(__file__).parent / "applications" / "count_instructions.py"
DESCRIPTION = """\
name: {name}
sources: ["*"]
build:
  command: {compiler} {{FLAGS}} {words} -o program -lm
  product: program
  time_limit: 60s
run: {run}
check: {{output: all, relative: 1e-9}}
"""


class Asks(Protocol):
    """A tuner: configurations, and what each was worth, None for a failure."""

    def __call__(self) -> Configuration: ...


def described(name: str, arguments: argparse.Namespace, folder: Path, block: str) -> Kernel:
    """The program in `folder`, with the block of parameters."""
    program = PROGRAMS[name]
    copy_program(name, arguments.checkouts, folder)
    words, run = program.words, "{command: ./program}"
    if arguments.measure == "instructions":
        words = f"-DSMALL {words}"
        command = shlex.join([sys.executable, str(COUNTER.resolve()), "./program"])
        run = f'{{command: {command}, metrics: ["instructions: {{instructions}}"], deterministic: true}}'
    compiler = program.compiler if arguments.compiler == "gcc" else arguments.compiler
    text = block + DESCRIPTION.format(name=name, compiler=compiler, words=words, run=run)
    (folder / "tune.yaml").write_text(text)
    return load(folder / "tune.yaml")


def evaluator_of(kernel: Kernel, measure: str) -> DeterministicRun:
    if measure == "time":
        return ApplicationRun(replace(task_in(kernel), plan=USUAL))
    return DeterministicRun(task_of(kernel, kernel.body_as(Application), (OBJECTIVE[measure],)))


class Measuring:
    """Evaluations, and what each was worth; None for a failure."""

    def __init__(self, evaluator: DeterministicRun, objective: Objective):
        self.evaluator, self.objective = evaluator, objective
        self.values: list[float | None] = []

    def __call__(self, configuration: Configuration) -> Outcome:
        if isinstance(self.evaluator, ApplicationRun):
            self.evaluator._repeats = Repeats(USUAL, (self.objective,))  # nothing to race against
        outcome = self.evaluator.evaluate(configuration).outcome
        self.values.append(outcome.values[self.objective.name] if isinstance(outcome, Measured) else None)
        return outcome


def by_tunepass(space: Space, measuring: Measuring, evaluations: int, seed: int) -> None:
    study = Study(space, [measuring.objective], strategy="auto", seed=seed, max_evals=evaluations)
    while len(measuring.values) < evaluations and (suggested := study.suggest(1)):
        outcome = measuring(suggested[0])
        study.observe(suggested[0], outcome if isinstance(outcome, Measured) else _failed(outcome))


def _failed(outcome: Outcome) -> Outcome:
    return outcome if isinstance(outcome, Failed) else Failed("run", "")


def by_random(space: Space, measuring: Measuring, evaluations: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for configuration in [space.default, *space.sample(evaluations - 1, rng)]:
        measuring(configuration)


def by_genes(space: Space, measuring: Measuring, evaluations: int, seed: int, size: int = 20) -> None:
    """A steady population: two parents by tournaments of three, each value from either, one in 50 drawn anew."""
    rng = np.random.default_rng(seed)
    first = [space.default, *space.sample(size - 1, rng)][:evaluations]
    people = [(_loss(measuring(configuration), measuring.objective), configuration) for configuration in first]
    while len(measuring.values) < evaluations:
        parents = [min((people[i] for i in rng.integers(len(people), size=3)), key=lambda p: p[0]) for _ in range(2)]
        drawn = space.sample(1, rng)[0]
        child = Configuration(
            {p: drawn[p] if rng.random() < 0.02 else parents[rng.integers(2)][1][p] for p in space.default}
        )
        if not space.contains(child):
            continue
        people.append((_loss(measuring(child), measuring.objective), child))
        people.remove(max(people, key=lambda p: p[0]))


def _loss(outcome: Outcome, objective: Objective) -> float:
    return outcome.values[objective.name] if isinstance(outcome, Measured) else math.inf


def by_peer(
    python: str, tuner: str, kernel: Kernel, space: Space, measuring: Measuring, evaluations: int, seed: int
) -> None:
    """Through a pipe; a configuration that violates a constraint is a failure at no cost."""
    values = {p.name: [p.default, *(v for v in p.domain if v != p.default)] for p in kernel.parameters}  # type: ignore[union-attr]
    words = [python, str(PEERS.resolve()), tuner, str(seed)]
    folder = Path(kernel.source.name).parent  # OpenTuner writes a log where it runs
    with subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as peer:
        assert peer.stdin and peer.stdout
        peer.stdin.write(json.dumps(values).encode() + b"\n")
        peer.stdin.flush()
        while len(measuring.values) < evaluations and (line := peer.stdout.readline()):
            configuration = Configuration(json.loads(line))
            value = _loss(measuring(configuration), measuring.objective) if space.contains(configuration) else math.inf
            peer.stdin.write(b"fail\n" if value == math.inf else f"{value}\n".encode())
            peer.stdin.flush()
        peer.kill()


def searched(arguments: argparse.Namespace, name: str, tuner: str, seed: int, block: str) -> Found:
    """The values in order, the default's first."""
    kernel = described(name, arguments, arguments.work / f"{name}-{tuner}-{seed}", block)
    space, most = Space(kernel.parameters, kernel.constraints), max(arguments.evaluations)
    with evaluator_of(kernel, arguments.measure) as evaluator:
        measuring = Measuring(evaluator, OBJECTIVE[arguments.measure])
        if tuner == "tunepass":
            by_tunepass(space, measuring, most, seed)
        elif tuner == "random":
            by_random(space, measuring, most, seed)
        elif tuner == "genetic":
            by_genes(space, measuring, most, seed)
        else:
            by_peer(arguments.python, tuner, kernel, space, measuring, most, seed)
    assert default_of(kernel) == space.default
    return {"values": measuring.values}


def gains(values: Sequence[float | None], marks: Sequence[int]) -> list[float]:
    """The speed-up over the first, the default, at each number of evaluations."""
    assert values[0] is not None
    return [values[0] / min(v for v in values[:mark] if v is not None) for mark in marks]


def runs(arguments: argparse.Namespace) -> Iterator[tuple[str, int, str]]:
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        for name in arguments.programs.split(","):
            for tuner in arguments.tuners.split(","):
                yield name, seed, tuner


def run(arguments: argparse.Namespace) -> int:
    arguments.work.mkdir(parents=True, exist_ok=True)
    notes = Notes(arguments.work / "results.jsonl")
    command = [sys.executable, "-m", "tunepass", "flags", arguments.compiler, "--level", "O2"]
    command += ["--native"] if arguments.measure == "time" else []  # valgrind does not know all of a processor
    key = f"block {arguments.compiler} {arguments.measure}"
    block = str(notes.once(key, lambda: {"text": _output(command)})["text"])
    found: dict[tuple[str, int], dict[str, list[float]]] = {}
    for name, seed, tuner in runs(arguments):
        key = f"{arguments.compiler} {arguments.measure} {name} {tuner} {seed} {max(arguments.evaluations)}"
        search = notes.once(key, lambda n=name, t=tuner, s=seed: searched(arguments, n, t, s, block))
        values: list[float | None] = search["values"]  # type: ignore[assignment]
        reached = found.setdefault((name, seed), {})[tuner] = gains(values, arguments.evaluations)
        failed = sum(value is None for value in values)
        told = ", ".join(f"{gain:.3f}x at {mark}" for gain, mark in zip(reached, arguments.evaluations))
        print(f"{name} seed {seed} {tuner}: {told}; {failed} of {len(values)} failed", flush=True)
    return summary(found, arguments.evaluations)


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def summary(found: Mapping[tuple[str, int], Mapping[str, Sequence[float]]], marks: Sequence[int]) -> int:
    """Geometric means, and how far tunepass is ahead in pairs, with the standard error of its logarithm's mean."""
    tuners = list(next(iter(found.values())))
    logs = {t: np.array([[math.log(g) for g in gains[t]] for gains in found.values()]) for t in tuners}  # (pair, mark)
    for tuner in tuners:
        means = ", ".join(f"{math.exp(m):.3f}x at {mark}" for m, mark in zip(logs[tuner].mean(axis=0), marks))
        print(f"{tuner:10} {means}, {len(logs[tuner])} searches")
    if "tunepass" not in logs:
        return 0
    ahead = True
    for tuner in [t for t in tuners if t != "tunepass"]:
        lead = logs["tunepass"] - logs[tuner]
        errors = lead.std(axis=0, ddof=1) / math.sqrt(len(lead)) if len(lead) > 1 else np.full(len(marks), math.nan)
        told = ", ".join(f"{m:+.3f} ({e:.3f}) at {k}" for m, e, k in zip(lead.mean(axis=0), errors, marks))
        print(f"tunepass ahead of {tuner}, log gain: {told}")
        ahead = ahead and bool((lead.mean(axis=0) > 0).all())
    return 0 if ahead else 1


def _marks(text: str) -> list[int]:
    return sorted({int(word) for word in text.split(",")})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--evaluations", type=_marks, default=[100, 300])
    parser.add_argument("--measure", choices=sorted(OBJECTIVE), default="time")
    parser.add_argument("--programs", default="tinyexpr,lz4,zlib,editdistance")
    parser.add_argument("--tuners", default=",".join(TUNERS))
    parser.add_argument("--work", type=Path, default=Path("bench-flags"))
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
