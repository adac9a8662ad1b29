"""Building and running a generated harness around an object file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.cases import Case
from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.failures import harness_failure
from tunepass.evaluators.harness.report import Report, read_cases, read_outputs, read_report
from tunepass.evaluators.process.run import Completed, Limits, base_environment, run_limited
from tunepass.evaluators.toolchains.compiling import SUFFIX, WRAPPED, Compiling
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

Calls = tuple[tuple[Output, ...], ...]


@dataclass(frozen=True, slots=True)
class PlainRun:
    """What the calls computed, and the log beside it."""

    outputs: Calls
    log: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What the calls of a case computed, how many elements of floating inout arrays the first of several calls left
    as they were, and the case's share of the run's seconds."""

    calls: Calls
    unchanged: int
    seconds: float


@dataclass(frozen=True, slots=True)
class HarnessRun:
    """One linked program, run in its folder."""

    program: Path
    folder: Path
    environment: tuple[tuple[str, str], ...] = ()
    cpus: Sequence[int] = ()
    prefix: tuple[str, ...] = ()  # valgrind and its words

    def check(
        self, cases: Sequence[Case], alignment: int, limits: Limits, calls: int = 1
    ) -> dict[Case, Checked] | Failed:
        """`calls` calls in each case: one with the case's own poison, or several, the first with pattern 0."""
        arguments = [case.argument if calls == 1 else replace(case, poison=0).argument for case in cases]
        words = ["mode=check", f"calls={calls}", f"alignment={alignment}", f"cases={','.join(arguments)}"]
        done, report, failure = self._run(words, limits)
        if failure is not None:
            return Failed(failure.stage, cases[max(0, len(report.cases) - 1)].explained(failure.log))
        outputs = read_cases(self.folder / "outputs", report.cases, calls)
        share = done.seconds / len(cases)
        return {case: Checked(outputs[k], report.unchanged.get(k, 0), share) for k, case in enumerate(cases)}

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
