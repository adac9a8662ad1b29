"""Six pipelines of Halide: tunepass and Halide's own autoschedulers, for one thread, in one run.

    python -m tests.benchmarks.bench_halide [--evaluations 40] [--seed 0] [--apps blur,harris] [--choices FILE]
        [--only search|time] [--pause]

Four pipelines are Python programs (tests/benchmarks/halide/apps.py), two are C++ generators, which g++ builds against
the headers of Halide's package. Adams2019 also gets restarts with `random_dropout` and other seeds, for the time that
the tuner took; the best of them is reported. All are told parallelism 1. With `--choices` the two halves may run apart:
`--only search` writes the choices, `--only time` measures those of the file. All schedules are built and measured once
before the final times, which are measured in turns; `--pause` waits for a line on the standard input between the two.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import geometric_mean, median

import tunepass as tp
from tests.benchmarks.halide.apps import APPS
from tunepass.evaluators.toolchains.compiling import CompileLimits
from tunepass.integrations import halide
from tunepass.integrations.halide.asking import folder_of
from tunepass.integrations.halide.evaluator import PipelineRun, Recipe, by_autoscheduler

HERE = Path(__file__).parent / "halide" / "generators"
GENERATORS: Mapping[str, tuple[tuple[int, ...], Mapping[str, tuple[int, ...]]]] = {
    "harris": ((1024, 768), {"image": (1024, 768)}),
    "convolution": ((32, 56, 56), {}),
}
NAMES = (*APPS, *GENERATORS)
ALONE = {"parallelism": "1"}
SCHEDULERS: Mapping[str, Recipe] = {
    name: by_autoscheduler(name, ALONE) for name in ("Mullapudi2016", "Li2018", "Adams2019")
}
DROPOUT = "Adams2019, restarted"
TUNED = "tunepass"
DEFAULT = "default"
COLUMNS = (DEFAULT, *SCHEDULERS, DROPOUT, TUNED)
PATIENCE = CompileLimits(least_s=300, most_s=300)
ROUNDS = 9
Schedules = dict[str, Recipe]


def algorithm(name: str, folder: Path) -> halide.Algorithm:
    """The pipeline, from its Python program or its generator. Raises SystemExit where g++ does not build that."""
    if name in APPS:
        return APPS[name]()
    root = folder_of()
    program = folder / name
    library = root / "lib64"
    words = ["g++", "-std=c++17", "-fno-rtti", str(HERE / f"{name}.cpp"), f"-I{root / 'include'}", f"-L{library}"]
    words += ["-Wl,--whole-archive", "-lHalide_GenGen", "-Wl,--no-whole-archive", "-lHalide", f"-Wl,-rpath,{library}"]
    if subprocess.run([*words, "-o", program], check=False).returncode:
        raise SystemExit(f"g++ does not build {name}.cpp against {root}")
    subprocess.run([program, "-g", name, "-f", name, "-o", folder, "-e", "hlpipe", "target=host"], check=True)
    sizes, shapes = GENERATORS[name]
    return halide.Algorithm(folder / f"{name}.hlpipe", sizes, shapes=shapes, name=name)


class Comparison(PipelineRun):
    """Measures named recipes of one pipeline: a parameter has their numbers."""

    def __init__(self, problem: halide.Problem, recipes: Sequence[Recipe]):
        untouched = problem.recipe(tp.Space(problem.kernel.parameters).default)
        super().__init__(problem.algorithm, problem.kernel, lambda c: recipes[int(str(c["recipe"]))], untouched)
        self.compiling.limits = PATIENCE

    def value(self, number: int) -> float | str:
        """Milliseconds, or the stage that failed."""
        outcome = self(self.configuration(number)).outcome
        return outcome.values["time"] if isinstance(outcome, tp.Measured) else getattr(outcome, "stage", "failed")

    @staticmethod
    def configuration(number: int) -> tp.Configuration:
        return tp.Configuration({"recipe": number})


def search(name: str, evaluations: int, seed: int, folder: Path) -> tuple[Schedules, dict[str, object]]:
    """The schedules to compare, and how the searches went."""
    problem = halide.Problem(algorithm(name, folder))
    started = time.monotonic()
    result = problem.pipeline(max_evals=evaluations, seed=seed).run(problem.kernel)
    spent = time.monotonic() - started
    restarted, tried = restart(problem, spent, seed)
    space = tp.Space(problem.kernel.parameters)
    schedules = {DEFAULT: problem.recipe(space.default), **SCHEDULERS}
    schedules |= {DROPOUT: restarted, TUNED: problem.recipe(result.choice)}
    assert result.found is not None
    found = {
        "seconds": round(spent),
        "trials": len(result.found.trials),
        "failures": dict(result.found.failures),
        "restarts": tried,
        "choice": ", ".join(f"{n} = {v}" for n, v in result.choice.items() if space.default.get(n) != v),
    }
    return schedules, found


def restart(problem: halide.Problem, seconds: float, seed: int) -> tuple[Recipe, int]:
    """The fastest of Adams2019's schedules in the time: its usual one, then drawn ones; and their number."""
    recipes = [SCHEDULERS["Adams2019"]]
    best, least = recipes[0], float("inf")
    started = time.monotonic()
    with Comparison(problem, recipes) as run:
        while time.monotonic() - started < seconds:
            value = run.value(len(recipes) - 1)
            if isinstance(value, float) and value < least:
                best, least = recipes[-1], value
            drawn = {**ALONE, "random_dropout": str((50, 80, 95)[len(recipes) % 3]), "random_dropout_seed": "0"}
            drawn["random_dropout_seed"] = str(seed * 1000 + len(recipes))
            recipes.append(by_autoscheduler("Adams2019", drawn))
    return best, len(recipes) - 1


class FinalTimes:
    """The schedules of one pipeline, built and measured once; then measured in turns."""

    def __init__(self, name: str, schedules: Schedules, folder: Path, stack: ExitStack):
        self.titles = list(schedules)
        self.run = stack.enter_context(Comparison(halide.Problem(algorithm(name, folder)), list(schedules.values())))
        self.first = {title: self.run.value(number) for number, title in enumerate(self.titles)}

    def measured(self) -> dict[str, float | str]:
        """Medians in ms; the stage that failed otherwise."""
        sound = [number for number, title in enumerate(self.titles) if isinstance(self.first[title], float)]
        rounds = self.run.compare_again([self.run.configuration(number) for number in sound], rounds=ROUNDS)
        times = {self.titles[number]: median(values) if values else "failed" for number, values in zip(sound, rounds)}
        return {title: times.get(title, self.first[title]) for title in self.titles}


def line(name: str, times: Mapping[str, float | str]) -> str:
    cells = [value if isinstance(value, str) else f"{value:.4g}" for value in (times[title] for title in COLUMNS)]
    return f"| {name} | {' | '.join(cells)} | {best_of(times) / ms(times[TUNED]):.2f} |"


def ms(value: float | str) -> float:
    return float("inf") if isinstance(value, str) else value


def best_of(times: Mapping[str, float | str]) -> float:
    return min(ms(times[title]) for title in (*SCHEDULERS, DROPOUT))


def summary(results: Sequence[Mapping[str, float | str]]) -> str:
    lines = []
    for title in (DEFAULT, *SCHEDULERS, DROPOUT):
        ratios = [ms(times[title]) / ms(times[TUNED]) for times in results if not isinstance(times[title], str)]
        if ratios:
            lines.append(f"{title} / tunepass in geometric mean {geometric_mean(ratios):.2f} over {len(ratios)}")
    best = [best_of(times) / ms(times[TUNED]) for times in results]
    ahead = sum(ratio > 1 for ratio in best)
    words = f"the best autoscheduler of each pipeline / tunepass in geometric mean {geometric_mean(best):.2f}"
    lines.append(f"{words}; ahead on {ahead} of {len(best)}")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--apps", default=",".join(NAMES))
    parser.add_argument("--choices", type=Path)
    parser.add_argument("--only", choices=("search", "time"))
    parser.add_argument("--pause", action="store_true", help="wait for a line before the final times")
    options = parser.parse_args(words)
    names = options.apps.split(",")
    if unknown := set(names) - set(NAMES):
        parser.error(f"no pipeline {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if options.only and not options.choices:
        parser.error("--only needs --choices")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    known = options.choices is not None and options.choices.exists()
    chosen: dict[str, Schedules] = json.loads(options.choices.read_text()) if known else {}
    if options.only != "time":
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                chosen[name], found = search(name, options.evaluations, options.seed, Path(folder))
            print(name, json.dumps(found), flush=True)
            if options.choices:
                options.choices.write_text(json.dumps(chosen, indent=1))
    if options.only == "search":
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        built = {name: FinalTimes(name, chosen[name], new_folder(folder, name), stack) for name in names}
        if options.pause:
            print("built; waiting for a line", flush=True)
            sys.stdin.readline()
        print(f"| pipeline | {', ms | '.join(COLUMNS)}, ms | best autoscheduler / tunepass |")
        print("|" + "---|" * (len(COLUMNS) + 2))
        results = []
        for name, final in built.items():
            results.append(final.measured())
            print(line(name, results[-1]), flush=True)
    print(summary(results))


def new_folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    return folder


if __name__ == "__main__":
    main(sys.argv[1:])
