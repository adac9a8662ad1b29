"""Are right schedules refused, and wrong kernels believed?

    python -m tests.benchmarks.bench_checks [--schedules 40] [--kernels gemm,dot] [--seed 0] [--wrong FOLDER]
                                            [--cost 3] [--stated] [--compiler "gcc -O2"]

(r) Random legal schedules of kernels that did not choose a tolerance, sums reordered by loops, by partial sums and by
    the compiler: at most 1 of 1,000 may fail as `wrong_result`. `--schedules` of each kernel; 0 leaves the part out.
    With `--stated` each states one after all, as users do: 1e-9, or 1e-4 where it computes in `float`. `--kernels` may
    name annotated sources too, whose schedules are all legal: samples/c/matmul.c.
(w) Kernels that are wrong at some sizes or for some inputs (tests/attacks/wrong, or those of FOLDER whose parameter W,
    FLT or ATTACK is 1 for the wrong one): none may be believed.
(c) CPU time of a candidate's check beside that of its whole trial, of a few samples; the median of `--cost` turns.

Nothing is timed to be compared; a busy machine only makes it slower. The exit status is 1 if a bound does not hold.
"""

from __future__ import annotations

import argparse
import re
import resource
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import numpy as np

from tests.benchmarks.checks.honest import HONEST
from tests.evaluators.kernels import QUICK
from tunepass.backends.c.backend import TIME
from tunepass.backends.c.tasks import call_task
from tunepass.diagnostics import Source, TunepassError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.outcome import Failed

ROOT = Path(__file__).parents[2]
COMPILER = ("gcc", "-O2", "-w")
MOST_REFUSED = 1e-3
SWITCH = re.compile(r"param (W|FLT|ATTACK): categorical\(0, 1\)")
SAMPLES = ("matmul.c", "stencil.c", "covariance.c")


@dataclass
class Refused:
    """Of one kernel: how many schedules came to which end, and the words of those that were refused."""

    ends: Counter[str] = field(default_factory=Counter)
    words: list[str] = field(default_factory=list)


def task_of(path: Path, plan: MeasurePlan = QUICK, compiler: tuple[str, ...] = COMPILER) -> tuple[KernelTask, Space]:
    """Task and space of the first kernel of a source."""
    text = path.read_text()
    kernel = CFrontend().parse(Source(str(path), text), words=compiler).kernels[0]
    call = kernel.body_as(CKernel).call
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert call is not None and space is not None
    threads = ("-fopenmp",) if "pragma omp" in text else ()
    return replace(call_task(kernel, call, (*compiler, *threads, "-lm"), TIME), plan=plan), space


def with_tolerance(text: str) -> str:
    """The kernel with a tolerance that its author may have chosen; as it is where it states one."""
    if "tolerance(" in text:
        return text
    pragma, rest = re.split(r"(?<=\))\n(?=[^#\n]*\b\w+\()", text, maxsplit=1)
    relative = "1e-4" if "float[" in pragma else "1e-9"
    return f"{pragma} tolerance({relative})\n{rest}"


def refused(text: str, name: str, schedules: int, seed: int, compiler: tuple[str, ...]) -> Refused:
    """Schedules of one kernel, each built, checked and timed for a moment."""
    result = Refused()
    with tempfile.TemporaryDirectory(prefix="tunepass-checks-") as folder:
        path = Path(folder) / f"{name}.c"
        path.write_text(text)
        task, space = task_of(path, compiler=compiler)
        with CompileRun(task) as evaluator:
            for configuration in space.sample(schedules, np.random.default_rng(seed)):
                outcome = evaluator.evaluate(configuration).outcome
                end = outcome.stage if isinstance(outcome, Failed) else "right"
                result.ends[end] += 1
                if isinstance(outcome, Failed):
                    result.words.append(f"{end}: {dict(configuration)}: {outcome.log[:300]}")
    return result


def right_schedules_pass(
    names: Sequence[str], schedules: int, seed: int, stated: bool, compiler: tuple[str, ...]
) -> bool:
    total: Counter[str] = Counter()
    for name in names:
        path = Path(name)
        text = HONEST.get(name) or path.read_text()
        each = refused(with_tolerance(text) if stated else text, path.stem, schedules, seed, compiler)
        total += each.ends
        print(f"  (r) {path.stem:16} {dict(each.ends)}", flush=True)
        for words in each.words[:3]:
            print("       " + words.replace("\n", "\n       "), flush=True)
    wrong, judged = total["wrong_result"], total["wrong_result"] + total["right"]
    print(f"(r) {wrong} of {judged} right schedules of {len(names)} kernels were refused; all ends: {dict(total)}")
    return judged > 0 and wrong <= max(MOST_REFUSED * judged, 1 if judged < 1 / MOST_REFUSED else 0)


def wrong_kernels(folder: Path) -> Iterator[tuple[Path, str]]:
    """With the name of the parameter that makes it wrong."""
    for path in sorted(folder.glob("*.c")):
        switch = SWITCH.search(path.read_text())
        if switch is not None:
            yield path, switch[1]


def wrong_kernels_fail(folder: Path) -> bool:
    believed = count = 0
    for path, switch in wrong_kernels(folder):
        with tempfile.TemporaryDirectory(prefix="tunepass-checks-") as scratch:
            copy = Path(scratch) / path.name
            copy.write_text(path.read_text())
            try:
                end = _end_of(copy, switch)
            except TunepassError as error:
                end = f"not tried: {error}"
        count += 1
        believed += end.startswith("BELIEVED")
        print(f"  (w) {path.stem:24} {end}", flush=True)
    print(f"(w) {believed} of {count} wrong kernels were believed")
    return believed == 0


def _end_of(path: Path, switch: str) -> str:
    task, space = task_of(path)
    with CompileRun(task) as evaluator:
        honest, wrong = (Configuration({**space.default, switch: value}) for value in (0, 1))
        default = evaluator.evaluate(honest).outcome
        if isinstance(default, Failed):
            return f"the source is refused: {default.log}"
        outcome = evaluator.evaluate(wrong).outcome
        failure = outcome if isinstance(outcome, Failed) else evaluator.look_again(wrong)
        if failure is not None:
            return f"{failure.stage}: {failure.log.splitlines()[0]}"
        warned = [warning for warning in evaluator.warnings if warning.startswith(f"{switch}=1")]
    return f"a warning: {warned[0]}" if warned else "BELIEVED"


def checks_are_cheap(turns: int) -> bool:
    """CPU time of a candidate's check, of its program and of this process, beside that of the whole trial."""
    for name in SAMPLES:
        task, space = task_of(ROOT / "samples" / "c" / name, MeasurePlan())
        shares = []
        with CompileRun(task) as evaluator:
            evaluator.set_up()
            for _ in range(turns):
                started = _cpu_s()
                built = evaluator.prepare(space.default, link_known=True)
                with evaluator._runner(built) as run:
                    compiled = _cpu_s()
                    evaluator._judge.failed(run, built.configuration)
                    checked = _cpu_s()
                    evaluator._judge.measured(run)
                    shares.append((checked - compiled, _cpu_s() - started))
                evaluator.discard(built)
        check_s, trial_s = (median(each) for each in zip(*shares))
        print(f"  (c) {name:16} the check takes {check_s:.3f} s of {trial_s:.3f} s CPU time, {check_s / trial_s:.1%}")
    return True


def _cpu_s() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=40, help="of each kernel")
    parser.add_argument("--kernels", default=",".join(HONEST), help="names, with commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wrong", type=Path, default=ROOT / "tests/attacks/wrong", metavar="FOLDER")
    parser.add_argument("--cost", type=int, default=3, help="turns of (c)")
    parser.add_argument("--stated", action="store_true", help="the kernels of (r) state a tolerance")
    parser.add_argument("--compiler", default="gcc -O2", metavar="WORDS", help="of (r), such as 'clang -O3'")
    options = parser.parse_args()
    names, compiler = options.kernels.split(","), (*shlex.split(options.compiler), "-w")
    good = not options.schedules or right_schedules_pass(
        names, options.schedules, options.seed, options.stated, compiler
    )
    good = (not options.wrong.is_dir() or wrong_kernels_fail(options.wrong)) and good
    good = (not options.cost or checks_are_cheap(options.cost)) and good
    print("all bounds hold" if good else "a bound does not hold")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
