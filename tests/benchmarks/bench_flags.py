"""Hundreds of flags of a compiler: tunepass against Optuna's TPE, OpenTuner, random and genetic search.

    python -m tests.benchmarks.bench_flags --checkouts DIR [--python VENV/bin/python] [--compiler gcc] [--seeds 3]
        [--evaluations 100,300] [--measure cpu|time|instructions] [--programs tinyexpr,aes,fastlz,kissfft]
        [--tuners tunepass,optuna,opentuner,random,genetic] [--work DIR]

The parameters are those that `tunepass flags COMPILER --level O2` prints, with `--native` where time is measured.
Everything is built, checked and measured by the same code, one evaluation after another; a failure is a failure for
all. `cpu` is the least processor time of six rounds in one run of a C program, which others on the machine disturb
least; `time` the least wall time of five runs; `instructions` what valgrind sees executed, on a smaller task: the same
on any machine, and another question than time. The last fifth of tunepass's evaluations makes the best simpler, as a
build does. After each seed of a program the choices of all tuners are run again, with -O2 and in turns, and so is the
simplest trial of tunepass within 1 % of its best: the tables have the geometric mean over programs and seeds of the
speed-up over -O2, as the searches saw it and in these turns. Finished searches are kept in the working folder.
"""

from __future__ import annotations

import argparse
import math
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copy
from statistics import median

import numpy as np

from tests.benchmarks.applications.described import PROGRAMS, copy_program
from tests.benchmarks.applications.flag_searches import (
    RUNS,
    TUNERS,
    Measuring,
    bests,
    by_genes,
    by_peer,
    by_random,
    by_tunepass,
    changes,
    simplest_trial,
)
from tests.benchmarks.bench_applications import Found, Notes
from tunepass.backends.application.task import task_of
from tunepass.backends.base import default_of
from tunepass.evaluators.application import ApplicationRun, DeterministicRun
from tunepass.ir.application import Application
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import load
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective

OBJECTIVE = {
    "cpu": Objective("cpu", unit="ms"),
    "time": Objective("time", unit="ms"),
    "instructions": Objective("instructions"),
}
COUNTER = Path(__file__).parent / "applications" / "count_instructions.py"
TIMED = Path(__file__).parent / "applications" / "timed.c"
SIMPLER = "tunepass, simpler"
ROUNDS = 25
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


def described(name: str, arguments: argparse.Namespace, folder: Path, block: str) -> Kernel:
    """The program in `folder`, with the block of parameters."""
    program = PROGRAMS[name]
    copy_program(name, arguments.checkouts, folder)
    words, run = program.words, "{command: ./program}"
    if arguments.measure == "cpu":
        copy(TIMED, folder)
        words = words.replace("driver.c", TIMED.name)
        run = '{command: ./program, metrics: ["cpu: {cpu} ms"]}'
    if arguments.measure == "instructions":
        words = f"-DSMALL {words}"
        command = shlex.join([sys.executable, str(COUNTER.resolve()), "./program"])
        run = f'{{command: {command}, metrics: ["instructions: {{instructions}}"], deterministic: true}}'
    compiler = program.compiler if arguments.compiler == "gcc" else arguments.compiler
    text = block + DESCRIPTION.format(name=name, compiler=compiler, words=words, run=run)
    (folder / "tune.yaml").write_text(text)
    return load(folder / "tune.yaml")


def evaluator_of(kernel: Kernel, measure: str) -> DeterministicRun:
    kind = DeterministicRun if measure == "instructions" else ApplicationRun
    return kind(task_of(kernel, kernel.body_as(Application), (OBJECTIVE[measure],)))


@dataclass(slots=True)
class Bench:
    arguments: argparse.Namespace
    notes: Notes
    block: str

    def kernel(self, name: str, what: str) -> Kernel:
        return described(name, self.arguments, self.arguments.work / f"{name}-{what}", self.block)

    def key(self, *parts: object) -> str:
        a = self.arguments
        return " ".join(map(str, [a.compiler, a.measure, *parts, max(a.evaluations)]))

    def searched(self, name: str, tuner: str, seed: int) -> Found:
        """The values in order, the default's first, and what was best."""
        a, kernel = self.arguments, self.kernel(name, f"{tuner}-{seed}")
        space, most = Space(kernel.parameters, kernel.constraints), max(a.evaluations)
        assert default_of(kernel) == space.default
        found: dict[str, object] = {}
        with evaluator_of(kernel, a.measure) as evaluator:
            measuring = Measuring(evaluator, OBJECTIVE[a.measure], RUNS[a.measure])
            if tuner == "tunepass":
                study = by_tunepass(kernel, space, measuring, most, seed)
                found["simpler"] = changes(simplest_trial(study), space.default)
            elif tuner == "random":
                by_random(space, measuring, most, seed)
            elif tuner == "genetic":
                by_genes(space, measuring, most, seed)
            else:
                found["outside"] = by_peer(a.python, tuner, kernel, space, measuring, most, seed)
        best = bests(measuring, a.evaluations, space.default)
        return {"values": measuring.values, "failed": measuring.stages, "best": best, **found}

    def compared(self, name: str, seed: int, choices: Mapping[str, Mapping[str, object]]) -> Found:
        """By choice the speed-up over the default in turns: of the least times, and the median of the turns'."""
        kernel = self.kernel(name, f"turns-{seed}")
        default = Space(kernel.parameters, kernel.constraints).default
        whole = {label: Configuration({**default, **choice}) for label, choice in choices.items()}  # type: ignore[dict-item]
        distinct = list(dict.fromkeys([default, *whole.values()]))
        with evaluator_of(kernel, self.arguments.measure) as evaluator:
            assert isinstance(evaluator, ApplicationRun)
            times = dict(zip(distinct, evaluator.compare_again(distinct, ROUNDS)))
        gains: dict[str, object] = {}
        for label, configuration in whole.items():
            ours, base = times[configuration], times[default]
            paired = median([b / o for b, o in zip(base, ours)]) if ours else 0.0
            gains[label] = [min(base) / min(ours) if ours else 0.0, paired]
        return gains


def gains(values: Sequence[float | None], marks: Sequence[int]) -> list[float]:
    """The speed-up over the first, the default, at each number of evaluations."""
    assert values[0] is not None
    return [values[0] / min(v for v in values[:mark] if v is not None) for mark in marks]


def runs(arguments: argparse.Namespace) -> Iterator[tuple[str, int]]:
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        for name in arguments.programs.split(","):
            yield name, seed


@dataclass(slots=True)
class Table:
    """Logarithms of speed-ups by label and mark, one a program and seed."""

    title: str
    logs: dict[tuple[str, int], list[float]] = field(default_factory=dict)

    def add(self, label: str, mark: int, gain: float) -> None:
        self.logs.setdefault((label, mark), []).append(math.log(gain))

    def text(self) -> str:
        labels, marks = [list(dict.fromkeys(key[i] for key in self.logs)) for i in (0, 1)]
        head = ["tuner", *(f"at {mark}" for mark in marks), *(f"tunepass ahead at {mark}" for mark in marks)]
        lines = [self.title, "", f"| {' | '.join(map(str, head))} |", "|---" * len(head) + "|"]
        for label in labels:
            means = [f"{math.exp(np.mean(logs)):.3f}" if (logs := self.logs.get((label, m))) else "" for m in marks]  # type: ignore[index, arg-type]
            leads = [self._lead(str(label), int(mark)) for mark in marks]
            lines.append(f"| {' | '.join([str(label), *means, *leads])} |")
        return "\n".join(lines)

    def _lead(self, label: str, mark: int) -> str:
        ours, theirs = self.logs.get(("tunepass", mark), []), self.logs.get((label, mark), [])
        if label == "tunepass" or len(ours) != len(theirs) or not ours:
            return ""
        lead = np.array(ours) - np.array(theirs)
        error = f" ± {lead.std(ddof=1) / math.sqrt(len(lead)):.3f}" if len(lead) > 1 else ""
        return f"{lead.mean():+.3f}{error}"


def run(arguments: argparse.Namespace) -> int:
    arguments.work.mkdir(parents=True, exist_ok=True)
    notes = Notes(arguments.work / "results.jsonl")
    command = [sys.executable, "-m", "tunepass", "flags", arguments.compiler, "--level", "O2"]
    command += ["--native"] if arguments.measure != "instructions" else []  # valgrind does not know all processors
    key = f"block {arguments.compiler} {arguments.measure}"
    block = str(notes.once(key, lambda: {"text": _output(command)})["text"])
    bench = Bench(arguments, notes, block)
    seen, turns = Table("As the searches saw it:"), Table(f"Run again in {ROUNDS} turns, least times:")
    for name, seed in runs(arguments):
        add_searches(bench, name, seed, seen, turns)
    print(f"\n{seen.text()}\n\n{turns.text() if turns.logs else ''}")
    table = turns if turns.logs else seen
    marks = {mark for _, mark in table.logs}
    peers = [t for t in arguments.tuners.split(",") if t != "tunepass"]
    ahead = [sum(table.logs[("tunepass", m)]) > sum(table.logs[(t, m)]) for m in marks for t in peers]
    return 0 if all(ahead) else 1


def add_searches(bench: Bench, name: str, seed: int, seen: Table, turns: Table) -> None:
    """All tuners on one program from one seed, then their choices in turns."""
    arguments, choices = bench.arguments, dict[str, Mapping[str, object]]()
    for tuner in arguments.tuners.split(","):
        found = bench.notes.once(bench.key(name, tuner, seed), lambda t=tuner: bench.searched(name, t, seed))
        values: list[float | None] = found["values"]  # type: ignore[assignment]
        reached = gains(values, arguments.evaluations)
        best: Mapping[str, Mapping[str, object]] = found["best"]  # type: ignore[assignment]
        for gain, mark in zip(reached, arguments.evaluations):
            seen.add(tuner, mark, gain)
            choices[f"{tuner} {mark}"] = best[str(mark)]
        told = ", ".join(f"{gain:.3f}x at {mark}" for gain, mark in zip(reached, arguments.evaluations))
        differ = len(best[str(max(arguments.evaluations))])
        failed = f"{values.count(None)} of {len(values)} failed"
        print(f"{name} seed {seed} {tuner}: {told}; {differ} flags differ; {failed}", flush=True)
        if tuner == "tunepass":
            choices[SIMPLER] = found["simpler"]  # type: ignore[assignment]
            flags = f"{len(choices[SIMPLER])} of {len(best[str(max(arguments.evaluations))])} flags"
            print(f"  simpler: {flags}: {choices[SIMPLER]}", flush=True)
    if arguments.measure == "instructions":
        return
    key = bench.key(name, "turns", seed, arguments.tuners)
    again = bench.notes.once(key, lambda: bench.compared(name, seed, choices))
    for label, pair in again.items():
        gain, paired = pair  # type: ignore[misc]
        tuner, _, mark = label.rpartition(" ")
        turns.add(*((label, max(arguments.evaluations)) if label == SIMPLER else (tuner, int(mark))), max(gain, 1e-3))
        print(f"  {label}: {gain:.3f}x in turns, {paired:.3f}x their median", flush=True)


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


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
    parser.add_argument("--measure", choices=sorted(OBJECTIVE), default="cpu")
    parser.add_argument("--programs", default="tinyexpr,aes,fastlz,kissfft")
    parser.add_argument("--tuners", default=",".join(TUNERS))
    parser.add_argument("--work", type=Path, default=Path("bench-flags"))
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
