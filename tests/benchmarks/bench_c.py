"""PolyBench/C 4.2.1 with one pragma line a kernel: is it read, are legal schedules right, what does `loop auto` gain.

    python -m tests.benchmarks.bench_c [--kernels gemm,lu] [--budget 60s] [--threads 1,2] [--only read,right]

`make bench-c` runs it: hours as it is. A result file keeps what is done, so that it goes on where it stopped.
TUNEPASS_POLYBENCH names an unpacked PolyBench; without it, it is fetched into the cache folder. Nothing is kept here.

read   the source with one line more is a kernel with a legal space; how many schedules that has
right  ten random ones of them print what the source prints, source and schedules compiled with -ffp-contract=off: on
       gramschmidt's matrix, whose rank is not full, one product rounded otherwise changes every later digit
gain   of the build with the budget over gcc -O3 -march=native; beside it clang with Polly and gcc -Ofast, all measured
       in turns, and every program's dump compared with the source's
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import geometric_mean

import numpy as np

import tunepass
from tunepass.backends.base import Target
from tunepass.backends.c.backend import CBackend
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.command import CommandRun
from tunepass.evaluators.measure.printed import expected_texts, texts_differ
from tunepass.evaluators.toolchains.compiling import CompileLimits
from tunepass.ir.run import OutputCheck
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.study.outcome import Failed

URL = "https://github.com/MatthiasJReisinger/PolyBenchC-4.2.1/archive/refs/heads/master.tar.gz"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tunepass" / "polybench"
PRAGMA = '#pragma tunepass loop auto{parallel} metric "{{time}}" check_with("-DPOLYBENCH_DUMP_ARRAYS")\n'
MARK = "#pragma scop"
GCC = ("gcc", "-O3", "-march=native")
SAME_ROUNDING = "-ffp-contract=off"
COMPILE_S = 120.0  # of unrolled copies of many pieces
POLLY_OPTIONS = ("-polly", "-polly-tiling", "-polly-vectorizer=stripmine")
POLLY = ("clang", "-O3", "-march=native", *(word for option in POLLY_OPTIONS for word in ("-mllvm", option)))
PARALLEL_POLLY = ("-mllvm", "-polly-parallel", "-lgomp")
BESIDE = ("tunepass", "polly", "Ofast")
SCHEDULES, ROUNDS, RUN_S = 10, 9, 120
STEPS = ("read", "right", "gain")


@dataclass
class Result:
    """Of one kernel; times are seconds, by the name of what was built."""

    kernel: str
    problem: str = ""
    schedules: int | None = None
    read_s: float = 0.0
    right: int | None = None
    outcomes: dict[str, int] = field(default_factory=dict)
    gains: dict[str, dict[str, float]] = field(default_factory=dict)  # by threads: seconds of each program
    wrong: list[str] = field(default_factory=list)
    choices: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A PolyBench kernel with the pragma line, in a folder of its own."""

    source: Path
    utilities: Path
    size: str

    @property
    def words(self) -> tuple[str, ...]:
        further = ("-DPOLYBENCH_TIME", f"-D{self.size}_DATASET", "-I", str(self.utilities))
        return (*further, str(self.utilities / "polybench.c"), "-lm")


def polybench() -> Path:
    """The unpacked sources: where the environment says, or fetched once."""
    named = os.environ.get("TUNEPASS_POLYBENCH")
    if named:
        return Path(named)
    if not CACHE.exists():
        CACHE.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE.parent) as scratch, urllib.request.urlopen(URL, timeout=60) as reply:
            with tarfile.open(fileobj=reply, mode="r|gz") as archive:
                archive.extractall(scratch, filter="data")
            (unpacked,) = Path(scratch).iterdir()
            unpacked.rename(CACHE)
    return CACHE


def kernels(root: Path) -> dict[str, Path]:
    """Their sources by name."""
    sources = sorted(p for p in root.rglob("*.c") if p.stem == p.parent.name and MARK in p.read_text())
    return {source.stem: source for source in sources}


def marked(source: Path, root: Path, folder: Path, size: str, threads: int) -> Program:
    """A copy with the pragma line before the region that PolyBench marks."""
    shutil.copytree(source.parent, folder, dirs_exist_ok=True)
    copy = folder / source.name
    pragma = PRAGMA.format(parallel=" parallel" if threads > 1 else "")
    copy.write_text(copy.read_text().replace(MARK, pragma + MARK, 1))
    return Program(copy, root / "utilities", size)


def read(program: Program, result: Result) -> CBackend | None:
    started = time.monotonic()
    try:
        kernel = tunepass.load(program.source, words=program.words)
    except TunepassError as error:
        result.problem = str(error)
        return None
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    result.schedules, result.read_s, result.problem = space.size, time.monotonic() - started, ""
    return CBackend(kernel, Target(compiler=(*GCC, SAME_ROUNDING, *program.words)))


def right(program: Program, backend: CBackend, result: Result, seed: int) -> None:
    """Random legal schedules, each built and its dump compared."""
    space = ExtractSpace().run(Compilation(kernel=backend.kernel)).space
    assert space is not None
    drawn = space.sample(SCHEDULES, np.random.default_rng(seed))
    result.outcomes, result.right = {}, 0
    with backend.evaluator() as evaluate:
        assert isinstance(evaluate, CommandRun)
        evaluate.compiling.limits = CompileLimits(least_s=COMPILE_S, most_s=COMPILE_S)
        for configuration in drawn:
            outcome = evaluate(configuration).outcome
            stage = outcome.stage if isinstance(outcome, Failed) else "right"
            result.outcomes[stage] = result.outcomes.get(stage, 0) + 1
            if stage == "wrong_result":
                result.wrong.append(f"{dict(configuration)}: {outcome.log}")
    result.right = result.outcomes.get("right", 0)


def tune(program: Program, budget: str, threads: int, folder: Path) -> tuple[Path, str]:
    """The tuned source that a build leaves, and what it chose."""
    options = ("-o", folder, "--budget", budget, "--format", "json", "--store", folder / "store.db")
    command = [sys.executable, "-m", "tunepass", "build", program.source, *options, "--", *GCC, *program.words]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-2000:])
    answer = json.loads(done.stdout)
    chosen = {k: v for k, v in answer["choice"].items() if v != answer["default"][k]}
    return folder / f"{program.source.stem}.tuned.c", json.dumps(chosen)


def built(program: Program, source: Path, compiler: Sequence[str], output: Path) -> bool:
    """Compiles and links, once timed and once with the dump."""
    words = [*compiler, "-w", "-iquote", str(program.source.parent), str(source), *program.words]
    for target, extra in ((output, []), (output.with_suffix(".dump"), ["-DPOLYBENCH_DUMP_ARRAYS"])):
        if subprocess.run([*words, *extra, "-o", target], capture_output=True, check=False).returncode != 0:
            return False
    return True


def seconds(program: Path, threads: int) -> float:
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run([program], capture_output=True, text=True, check=True, env=environment, timeout=RUN_S)
    return float(done.stdout.split()[0])


def dump(program: Path) -> dict[str, str]:
    done = subprocess.run([program.with_suffix(".dump")], capture_output=True, text=True, check=True, timeout=RUN_S)
    return {"stderr": done.stderr}


def gain(program: Program, result: Result, budget: str, threads: int, folder: Path) -> None:
    """All programs in turns, the fastest run of each: a busy machine only adds. Those whose dump differs are named."""
    tuned, result.choices[str(threads)] = tune(program, budget, threads, folder)
    polly = (*POLLY, *(PARALLEL_POLLY if threads > 1 else ()))
    flags = ("-fopenmp",) if threads > 1 else ("-fopenmp-simd",)
    candidates: dict[str, tuple[Path, Sequence[str]]] = {
        "gcc": (program.source, GCC),
        "tunepass": (tuned, (*GCC, *flags)),
        "polly": (program.source, polly),
        "Ofast": (program.source, ("gcc", "-Ofast", "-march=native")),
    }
    programs = {
        name: folder / name
        for name, (source, words) in candidates.items()
        if built(program, source, words, folder / name)
    }
    first = dump(programs["gcc"])
    expected = expected_texts(first, first, ())
    for name, path in programs.items():
        problem = texts_differ(expected, dump(path), OutputCheck())
        if problem:
            result.wrong.append(f"{name}: {problem}")
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, path in programs.items():
            times[name].append(seconds(path, threads))
    result.gains[str(threads)] = {name: min(values) for name, values in times.items()}


def line(result: Result, threads: Iterable[int]) -> str:
    cells = [f"{result.kernel:16}"]
    cells.append("refused" if result.schedules is None else f"{result.schedules:>14,}")
    cells.append("" if result.right is None else f"{result.right}/{sum(result.outcomes.values())} right")
    for count in threads:
        measured = result.gains.get(str(count), {})
        named = [name for name in BESIDE if name in measured]
        cells.append("  ".join(f"{name} {measured['gcc'] / measured[name]:5.2f}x" for name in named))
    return "  ".join(cells)


def summary(results: Sequence[Result], threads: Iterable[int]) -> list[str]:
    accepted = [r for r in results if r.schedules is not None]
    many = sum((r.schedules or 0) > 100 for r in accepted)
    tested = sum(sum(r.outcomes.values()) for r in accepted)
    lines = [
        f"read: {len(accepted)} of {len(results)}; with more than 100 schedules: {many}",
        f"random schedules right: {sum(r.right or 0 for r in accepted)} of {tested}",
        f"wrong results: {sum(len(r.wrong) for r in results)}",
    ]
    for count in threads:
        measured = [r.gains[str(count)] for r in results if str(count) in r.gains]
        for name in BESIDE:
            gains = [m["gcc"] / m[name] for m in measured if name in m]
            if gains:
                lines.append(f"threads {count}: {name} {geometric_mean(gains):.2f}x, geometric mean of {len(gains)}")
        ahead = sum(m["tunepass"] < m["polly"] for m in measured if "polly" in m)
        lines.append(f"threads {count}: ahead of Polly on {ahead} of {len(measured)}")
    return lines


def bench(name: str, source: Path, root: Path, result: Result, options: argparse.Namespace) -> None:
    """What is asked for and not yet known of one kernel."""
    with tempfile.TemporaryDirectory(prefix="tunepass-bench-") as scratch:
        program = marked(source, root, Path(scratch) / "one", options.size, 1)
        backend = read(program, result)
        if backend is None:
            return
        if "right" in options.only and result.right is None:
            right(program, backend, result, options.seed)
        for threads in options.threads if "gain" in options.only else ():
            if str(threads) not in result.gains:
                folder = Path(scratch) / str(threads)
                gain(marked(source, root, folder, options.size, threads), result, options.budget, threads, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=lambda text: text.split(","), help="(default: all)")
    parser.add_argument("--budget", default="60s", help="of each build")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--size", default="MEDIUM", choices=("MINI", "SMALL", "MEDIUM", "LARGE"))
    parser.add_argument("--results", type=Path, default=Path("polybench.json"), help="what is known so far")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(STEPS), help="read, right, gain")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    root = polybench()
    sources = kernels(root)
    chosen = options.kernels or list(sources)
    known = json.loads(options.results.read_text()) if options.results.exists() else {}
    results = []
    for name in chosen:
        result = Result(**known.get(name, {"kernel": name}))
        try:
            bench(name, sources[name], root, result, options)
        except (RuntimeError, TunepassError, subprocess.SubprocessError) as error:
            result.problem = str(error)
        known[name] = asdict(result)
        options.results.write_text(json.dumps(known, indent=1))
        results.append(result)
        print(line(result, options.threads), *(result.problem.splitlines()[:1]), flush=True)
    print("\n".join(["", *summary(results, options.threads)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
