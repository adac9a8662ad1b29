"""Whole applications against Optuna's TPE and OpenTuner, at equal wall time.

    python -m tests.benchmarks.bench_applications --checkouts DIR [--python VENV/bin/python] [--seeds 5] [--budget 60]
        [--applications tinyexpr,lz4,zlib,editdistance] [--tuners tunepass,optuna,opentuner] [--work DIR]

`make bench-applications ARGS=...` runs it. DIR holds checkouts of tinyexpr, lz4 and zlib, and the sources of
editdistance (pip download --no-binary :all: editdistance). VENV has optuna and opentuner. Everything is built and
run by the same code. The peers get the median of three runs of each configuration whose output is right, as their
users would have it, within the budget's seconds; they choose the configuration with the best value. Then all
choices of a seed are run again in turns with the default, and that is the gain that counts. What was done is kept
in the working folder, and not done again.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from tests.benchmarks.applications.described import PROGRAMS, prepare
from tunepass.backends.application.task import task_of
from tunepass.backends.base import default_of
from tunepass.evaluators.application import ApplicationRun, ApplicationTask
from tunepass.evaluators.measure.repeats import WALL_TIME, Repeats
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.ir.application import Application
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import load
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured

TUNERS = ("tunepass", "optuna", "opentuner")
PEERS = Path(__file__).parent / "applications" / "peers.py"
USUAL = MeasurePlan(budget_s=60.0, precision=1e-9, least=3, most=3, cutoff_factor=1e9)
ROUNDS = 15
Found = Mapping[str, object]


def task_in(kernel: Kernel) -> ApplicationTask:
    return task_of(kernel, kernel.body_as(Application), (WALL_TIME,))


def tuned(description: Path, budget_s: float, seed: int) -> Found:
    """By tunepass: its choice."""
    words = ["build", str(description), "-o", str(description.parent / "out"), "--budget", f"{budget_s:g}s"]
    words += ["--seed", str(seed), "--format", "json"]
    done = subprocess.run([sys.executable, "-m", "tunepass", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"tunepass {' '.join(words)} ended with {done.returncode}\n{done.stderr}")
    told = json.loads(done.stdout)
    return {"choice": told["choice"], "evaluations": told["evaluations"]}


def by_peer(kernel: Kernel, python: str, tuner: str, budget_s: float, seed: int) -> Found:
    """By another tuner: the configuration of its best value."""
    started, best, count = time.monotonic(), (math.inf, default_of(kernel)), 0
    values = {p.name: [p.default, *(v for v in p.domain if v != p.default)] for p in kernel.parameters}  # type: ignore[union-attr]
    with (
        ApplicationRun(replace(task_in(kernel), plan=USUAL)) as evaluator,
        subprocess.Popen([python, str(PEERS), tuner, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as peer,
    ):
        assert peer.stdin and peer.stdout
        peer.stdin.write(json.dumps(values).encode() + b"\n")
        peer.stdin.flush()
        while time.monotonic() - started < budget_s and (line := peer.stdout.readline()):
            configuration = Configuration(json.loads(line))
            evaluator._repeats = Repeats(USUAL, (WALL_TIME,))  # nothing to race against
            outcome = evaluator.evaluate(configuration).outcome
            value = outcome.values[WALL_TIME.name] if isinstance(outcome, Measured) else math.inf
            best, count = min(best, (value, configuration), key=lambda pair: pair[0]), count + 1
            peer.stdin.write(b"fail\n" if value == math.inf else f"{value}\n".encode())
            peer.stdin.flush()
        peer.kill()
    return {"choice": dict(best[1]), "evaluations": count}


def gains(kernel: Kernel, choices: Mapping[str, Mapping[str, object]]) -> dict[str, float]:
    """Over the default, in turns."""
    default = default_of(kernel)
    distinct = list(dict.fromkeys([default, *(Configuration(choice) for choice in choices.values())]))  # type: ignore[arg-type]
    with ApplicationRun(task_in(kernel)) as evaluator:
        values = evaluator.compare_again(distinct, ROUNDS)
    gain = {c: median([a / b for a, b in zip(values[0], times)]) for c, times in zip(distinct, values)}
    return {tuner: gain[Configuration(choice)] for tuner, choice in choices.items()}  # type: ignore[arg-type]


class Notes:
    """What was done, a JSON object a line."""

    def __init__(self, path: Path):
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.known: dict[str, Found] = {entry["key"]: entry["found"] for entry in map(json.loads, lines)}

    def once(self, key: str, work: object) -> Found:
        if key not in self.known:
            found = self.known[key] = work()  # type: ignore[operator]
            with self.path.open("a") as file:
                file.write(json.dumps({"key": key, "found": found}) + "\n")
        return self.known[key]


def run(arguments: argparse.Namespace) -> int:
    work: Path = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    notes = Notes(work / "results.jsonl")
    names, tuners = arguments.applications.split(","), arguments.tuners.split(",")
    all_gains: dict[str, list[float]] = {tuner: [] for tuner in tuners}
    for name in names:
        kernel = load(prepare(name, arguments.checkouts, work / name))
        for seed in range(arguments.seeds):
            choices: dict[str, Mapping[str, object]] = {}
            for tuner in tuners:
                found = notes.once(
                    f"{name} {tuner} {arguments.budget:g} {seed}",
                    lambda tuner=tuner, seed=seed, name=name, kernel=kernel: (
                        tuned(prepare(name, arguments.checkouts, work / name), arguments.budget, seed)
                        if tuner == "tunepass"
                        else by_peer(kernel, arguments.python, tuner, arguments.budget, seed)
                    ),
                )
                choices[tuner] = found["choice"]  # type: ignore[assignment]
                print(f"{name} seed {seed} {tuner}: {found['evaluations']} evaluations, {found['choice']}", flush=True)
            key = f"{name} gains {arguments.budget:g} {seed} {arguments.tuners}"
            measured = notes.once(key, lambda kernel=kernel, choices=choices: gains(kernel, choices))
            print(f"{name} seed {seed}: " + ", ".join(f"{t} {float(g):.3f}x" for t, g in measured.items()), flush=True)  # type: ignore[arg-type]
            for tuner, gain in measured.items():
                all_gains[tuner].append(float(gain))  # type: ignore[arg-type]
    return summary(all_gains, arguments.budget)


def summary(all_gains: Mapping[str, Sequence[float]], budget_s: float) -> int:
    means = {tuner: math.exp(sum(map(math.log, values)) / len(values)) for tuner, values in all_gains.items()}
    for tuner, values in all_gains.items():
        told = f"geometric mean {means[tuner]:.3f}x, worst {min(values):.3f}x"
        print(f"{tuner:10} {told}, {len(values)} runs of {budget_s:g} s")
    ours = all_gains.get("tunepass", [1.0])
    ahead = all(means["tunepass"] >= mean for mean in means.values()) if "tunepass" in means else True
    return 0 if ahead and min(ours) >= 0.99 else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--applications", default=",".join(PROGRAMS))
    parser.add_argument("--tuners", default=",".join(TUNERS))
    parser.add_argument("--work", type=Path, default=Path("bench-applications"))
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
