"""Building and running a generated harness around an object file; the reference's outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.compare import Output, compare
from tunepass.evaluators.harness.failures import harness_failure
from tunepass.evaluators.harness.report import Report, read_outputs, read_report
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.measure.tolerance import Mask, Tolerance
from tunepass.evaluators.process.run import Completed, Limits, base_environment, run_limited
from tunepass.evaluators.toolchains.compiling import SUFFIX, WRAPPED, Compiling, mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

Calls = tuple[tuple[Output, ...], ...]
SLOWER = 20.0  # a check may take this many times the reference's before it counts as hung


@dataclass(frozen=True, slots=True)
class Reference:
    """What the untouched source computes: seed -> outputs of a call with poison pattern 0, and with 1."""

    outputs: Mapping[int, Calls]
    seconds: float  # of the slowest run, two calls and the filling of the arrays

    def check_limits(self, limits: Limits) -> Limits:
        return replace(limits, wall_s=min(limits.wall_s, 2.0 + SLOWER * self.seconds))

    def time_limits(self, limits: Limits, plan: MeasurePlan) -> Limits:
        """A cut candidate still makes its warm-up and probe calls; a fast one fills the budget."""
        needed = 2.0 + plan.warmup_s + 5 * plan.budget_s + SLOWER * self.seconds
        return replace(limits, wall_s=min(max(limits.wall_s, plan.budget_s * 5), needed))


@dataclass(frozen=True, slots=True)
class PlainRun:
    """What the calls computed, and the log beside it."""

    outputs: Calls
    log: str


@dataclass(frozen=True, slots=True)
class HarnessRun:
    """One linked program, run in its folder."""

    program: Path
    folder: Path
    environment: tuple[tuple[str, str], ...] = ()
    cpus: Sequence[int] = ()
    prefix: tuple[str, ...] = ()  # valgrind and its words

    def check(self, seed: int, limits: Limits, calls: int = 1) -> Calls | Failed:
        _, report, failure = self._run(["mode=check", f"seed={seed}", f"calls={calls}"], limits)
        return failure or read_outputs(self.folder / "outputs", report.arrays)

    def time(self, seed: int, plan: Sequence[str], limits: Limits) -> tuple[Report, tuple[Output, ...]] | Failed:
        _, report, failure = self._run(["mode=time", f"seed={seed}", *plan], limits)
        return failure or (report, read_outputs(self.folder / "outputs", report.arrays)[-1])

    def plain(self, mode: str, seed: int, limits: Limits, calls: int = 1) -> PlainRun | Failed:
        """`calls` calls in `mode` (count or sanitize), with what the program printed."""
        done, report, failure = self._run([f"mode={mode}", f"seed={seed}", f"calls={calls}"], limits)
        return failure or PlainRun(read_outputs(self.folder / "outputs", report.arrays), done.stderr)

    def _run(self, words: Sequence[str], limits: Limits) -> tuple[Completed, Report, Failed | None]:
        report_path, outputs = self.folder / "report", self.folder / "outputs"
        report_path.unlink(missing_ok=True)
        outputs.unlink(missing_ok=True)
        done = run_limited(
            [*self.prefix, self.program, *words, f"report={report_path}", f"outputs={outputs}"],
            limits=limits,
            cwd=self.folder,
            env=base_environment(dict(self.environment)),
            cpus=self.cpus,
        )
        report = read_report(report_path)
        return done, report, harness_failure(done, report, limits)


@dataclass(frozen=True, slots=True)
class BuiltHarness:
    """The harness's object and the user's further objects, ready to be linked with candidates."""

    compiling: Compiling
    objects: tuple[Path, ...]
    link_words: tuple[str, ...]
    folder: Path
    text: str

    def link(self, candidate_object: Path, candidate: Candidate, folder: Path) -> tuple[Path | None, Failed | None]:
        target = folder / "candidate"
        _, failure = self.compiling.link([candidate_object, *self.objects], target, candidate, self.link_words)
        return (None if failure else target), failure

    def run_reference(
        self, candidate: Candidate, seeds: Sequence[int], limits: Limits, tolerance: Tolerance
    ) -> Reference:
        """Raises ToolError with the tools' words when the reference itself cannot be compiled, linked or run."""
        source = self.compiling.source
        target, _, failure = self.compiling.compile_candidate(
            candidate, self.folder, rename_main=mentions_main(self.text)
        )
        if failure is not None:
            raise ToolError(f"{source} does not compile as it is", hint=failure.log)
        program, failure = self.link(target, candidate, self.folder)
        if program is None:
            raise ToolError(f"{source} does not link with its harness", hint=_link_hint(failure))
        outputs: dict[int, Calls] = {}
        run, slowest = HarnessRun(program, self.folder, candidate.environment), 0.0
        for seed in dict.fromkeys(seeds):
            done, report, failure = run._run(["mode=check", f"seed={seed}", "calls=2"], limits)
            if failure is not None:
                raise ToolError(_reference_problem(source, failure), hint=_reference_hint(failure))
            outputs[seed] = read_outputs(self.folder / "outputs", report.arrays)
            _check_deterministic(source, outputs[seed], tolerance)
            slowest = max(slowest, done.seconds)
        return Reference(outputs, slowest)


def build_harness(compiling: Compiling, harness: str, reference: Candidate, text: str, folder: Path) -> BuiltHarness:
    """Compile the harness, at -O2 and without the candidate's flags; with the source included if it needs its types."""
    path = folder / f"harness{SUFFIX[compiling.language]}"
    path.write_text(harness)
    target = folder / "harness.o"
    includes = _include_flags(compiling.flags)
    standard = "-std=gnu++17" if compiling.language == "c++" else "-std=gnu11"
    alone: list[str | Path] = ["-O2", "-w", standard, "-DTP_WRAP_MALLOC", "-c", path, "-o", target]
    _, failure = compiling.run(alone)
    link_words = ["-lm", *(f"-Wl,--wrap={name}" for name in WRAPPED)]
    if failure is not None:
        source = str(compiling.source.resolve())
        _, with_source = compiling.run([f'-DTP_INCLUDE_SOURCE="{source}"', *includes, *reference.defines, *alone])
        if with_source is not None:
            raise ToolError(f"the harness for {compiling.source} does not compile", hint=with_source.log)
        link_words.append("-Wl,--allow-multiple-definition")  # the candidate's object comes first, so it wins
    further = compiling.compile_further(folder)
    return BuiltHarness(compiling, (target, *further), tuple(link_words), folder, text)


def _include_flags(flags: Sequence[str]) -> list[str]:
    """The words that say where headers are and what is defined."""
    kept, words = [], iter(flags)
    for word in words:
        if word in ("-I", "-D", "-U", "-include", "-isystem", "-iquote"):
            kept += [word, next(words, "")]
        elif word.startswith(("-I", "-D", "-U", "-isystem", "-iquote")):
            kept.append(word)
    return kept


def _check_deterministic(source: Path, calls: Calls, tolerance: Tolerance) -> None:
    """Two calls on equal data must agree, except where both left the poison."""
    for first, second in zip(*calls):
        unwritten = _poison_left(first, second)
        kept = [Output(o.name, o.values[~unwritten]) for o in (first, second)]
        wrong = compare([kept[0]], [kept[1]], tolerance)
        if wrong:
            raise ToolError(
                f"{source}: two calls on the same data give different results ({wrong[0]})",
                hint=f"if the kernel reads {first.name} before writing it, declare it `inout`; "
                "if it keeps state between calls, or races, nothing can be checked",
            )


def _poison_left(first: Output, second: Output) -> Mask:
    """Where call 0 left poison pattern 0 and call 1 pattern 1 (frontends/c/harness/runtime.h)."""
    a, b = first.values, second.values
    if a.dtype.kind == "f":
        poison = 203.25 if a.dtype.itemsize == 2 else -1234.5
        left: Mask = np.isnan(a) & (b == poison)
    elif a.dtype.kind == "b":
        left = np.logical_and(a == 0, b == 1)
    else:
        in_bytes = (a.view(np.uint8) == 0xA5) & (b.view(np.uint8) == 0x5A)
        left = in_bytes.reshape(len(a), a.dtype.itemsize).all(axis=1)
    return left


def _link_hint(failure: Failed | None) -> str:
    log = failure.log if failure else ""
    if "undefined reference" in log or "undefined symbol" in log:
        return f"{log}\nis the kernel `static`, or does it need a library (-l…) named after `--`?"
    return log


def _reference_problem(source: Path, failure: Failed) -> str:
    what = {
        "timeout": "does not end in time",
        "out_of_bounds": "leaves the bounds of its arrays",
        "memory": "lacks memory",
        "wrong_result": "writes to an input",
    }
    return f"{source}: the kernel as it is {what.get(failure.stage, 'does not run')}, so nothing can be judged"


def _reference_hint(failure: Failed) -> str:
    advice = {
        "out_of_bounds": "\nare the lengths in the kernel pragma right?",
        "wrong_result": "\ndeclare it `inout` in the kernel pragma",
    }
    return failure.log + advice.get(failure.stage, "")
