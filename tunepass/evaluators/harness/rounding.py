"""The reference run again so that it rounds otherwise (measure/rounding.py): rounded up, down, strictly, reordered.

Reordered code is not rounded up or down as well: vector functions of the C library are off by much then."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

from tunepass.compilers.cc import Family
from tunepass.evaluators.harness.case_runs import run_cases
from tunepass.evaluators.harness.cases import Case
from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.harness import BuiltHarness, Calls, HarnessRun
from tunepass.evaluators.measure.rounding import Spread, spread_of
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.toolchains.compiling import mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

# By compiler family: few optimisations without contraction, and all of them with sums reordered.
STRICT = ("-O1", "-fno-fast-math", "-ffp-contract=off")
REORDERED = ("-O3", "-march=native", "-ffast-math", "-ffp-contract=fast")
VARIANTS: dict[Family, tuple[tuple[str, ...], ...]] = {
    "gcc": (STRICT, REORDERED),
    "clang": (STRICT, REORDERED),
    "other": (),
}
MODES = ("up", "down")
EXTREME_S = 5.0  # of all cases with special values
Rounded = Mapping[Case, tuple[Output, ...]]


@dataclass(frozen=True, slots=True)
class Rounding:
    """Runs of the reference under other roundings."""

    harness: BuiltHarness
    candidate: Candidate
    reference: HarnessRun
    alignment: int
    limits: Limits

    def run(self, cases: Sequence[Case]) -> tuple[list[Rounded], list[str]]:
        """What is computed in each case, by each way of rounding that this compiler and this machine have, and why
        others are missing. They are made side by side: nothing is timed."""
        folder = self.harness.folder
        variants = [
            (flags, folder / f"rounding-{number}")
            for number, flags in enumerate(VARIANTS[self.harness.compiling.compiler.family])
        ]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            compiled = [pool.submit(self._compiled, *variant) for variant in variants]
            futures = [pool.submit(self._run, self.reference, mode, cases) for mode in MODES]
            futures += [pool.submit(self._run, built.result(), "", cases) for built in compiled]
        results = [future.result() for future in futures]
        obstacles = list(dict.fromkeys(each for each in results if isinstance(each, str)))
        if not variants:
            obstacles.append("nothing is known of this compiler's flags for other roundings")
        return [each for each in results if not isinstance(each, str)], obstacles

    def _run(self, run: HarnessRun | str, mode: str, cases: Sequence[Case]) -> Rounded | str:
        """The results, or why there are none. What does not end with special values ends the process of those alone."""
        if isinstance(run, str):
            return run
        results: dict[Case, tuple[Output, ...]] = {}
        failures: list[Failed] = []
        for extreme in (False, True):
            group = [case for case in cases if case.extreme == extreme]
            limits = replace(self.limits, wall_s=min(self.limits.wall_s, EXTREME_S)) if extreme else self.limits
            runs = run_cases(run, group, self.alignment, limits, rounding=mode)
            results |= {case: checked.calls[0] for case, checked in runs.checked.items()}
            failures += runs.failed.values()
        if failures and not results:
            return f"the source fails ({failures[0].stage}) when it rounds {mode or 'otherwise'}"
        return results

    def _compiled(self, flags: tuple[str, ...], folder: Path) -> HarnessRun | str:
        """The program, or why there is none: the compiler may not know the flags."""
        folder.mkdir()
        harness = self.harness
        candidate = replace(self.candidate, flags=(*self.candidate.flags, *flags), requests=())
        rename = mentions_main(harness.text)
        target, _, failure = harness.compiling.compile_candidate(candidate, folder, rename_main=rename)
        if failure is not None:
            return f"the source does not compile with {' '.join(flags)}"
        program, _ = harness.link(target, candidate, folder)
        if program is None:
            return f"the source cannot be linked with {' '.join(flags)}"
        return replace(self.reference, program=program)


def spreads_of(case: Case, calls: Calls, rounded: Sequence[Rounded]) -> list[Spread]:
    """Of each array in this case; the two calls of the reference itself count too."""
    usual = calls[case.poison]
    return [
        joined([spread_of(output.values, [r[case][k].values for r in rounded if case in r]), _twice(calls, k)])
        for k, output in enumerate(usual)
    ]


def _twice(calls: Calls, k: int) -> Spread:
    return spread_of(calls[0][k].values, [calls[1][k].values])


def joined(spreads: Sequence[Spread]) -> Spread:
    return reduce(Spread.joined, spreads)
