"""The reference run again so that it rounds otherwise (measure/rounding.py): rounded up, down, up or down by chance,
strictly, and reordered.

Reordered code is not rounded up or down as well: vector functions of the C library are off by much then."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import TypeVar

from tunepass.compilers.cc import Family
from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.dialogue.sampling import Outputs
from tunepass.evaluators.harness.harness import BuiltHarness, Calls, HarnessRun
from tunepass.evaluators.harness.reference.case_runs import run_cases
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.to_nearest import CALLED, rounding_to_nearest, rounds_to_whole_numbers
from tunepass.evaluators.measure.rounding import ValueSpread, spread_of
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.toolchains.compiling import mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

MODES = ("up", "down")
BY_CHANCE = ("random:1", "random:2", "random:3")
STRICTLY = "nearest"  # in cases with special values, in which modes are not drawn
FEWER = ((0.02, 2), (0.005, 1))  # a call that lasts so many seconds is rounded by chance so many times less
# Flags, and the modes of the harness in which a program of these is run: few optimisations without contraction, with a
# call at each basic block, in which a mode can be drawn; and all optimisations with sums reordered. For some x86
# processors gcc contracts no sums unless it optimises for others.
STRICT = ("-O1", "-fno-fast-math", "-ffp-contract=off", "-fsanitize-coverage=trace-pc")
GENERIC = ("-mtune=generic",) if platform.machine() == "x86_64" else ()
REORDERED = ("-O3", "-march=native", *GENERIC, "-ffast-math", "-ffp-contract=fast")
UNTOLD = "-U__FAST_MATH__"  # for sources that refuse to be compiled so, by `#error`
VARIANTS = {STRICT: (STRICTLY, *BY_CHANCE), REORDERED: ("",)}
WATCHED = ("-O1", "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds")
TRAPPING: dict[Family, tuple[str, ...]] = {
    "gcc": (*WATCHED, "-fsanitize-undefined-trap-on-error"),
    "clang": (*WATCHED, "-fsanitize-trap=all"),
}
KNOWN: frozenset[Family] = frozenset(("gcc", "clang"))
EXTREME_S = 5.0  # of all cases with special values
BY_CHANCE_S = 2.0  # of all cases but the usual ones with modes drawn, which cost a few times the source's own time
Rounded = Mapping[Case, tuple[Output, ...]]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Rounding:
    """Runs of the reference under other roundings."""

    harness: BuiltHarness
    candidate: Candidate
    reference: HarnessRun
    alignment: int
    limits: Limits
    call_s: float = 0.0  # of the source, at the tuned size
    _programs: dict[tuple[str, ...], HarnessRun | str] = field(default_factory=dict)  # by flags, or why there is none

    def run(self, cases: Sequence[Case]) -> tuple[list[Rounded], list[str]]:
        """What is computed in each case, by each way of rounding that this compiler and this machine have, and why
        others are missing. They are made side by side: nothing is timed."""
        results = self._by_each(lambda run, mode: self._run(run, mode, cases))
        obstacles = list(dict.fromkeys(each for each in results if isinstance(each, str)))
        if not self._variants:
            obstacles.append("nothing is known of this compiler's flags for other roundings")
        return [each for each in results if not isinstance(each, str)], obstacles

    def of_variant(self, seed: int, variant: int, filling: int) -> list[Outputs]:
        """Outputs for the inputs of `seed` as `variant` changes them, by each way of rounding."""

        def computed(run: HarnessRun, mode: str) -> Outputs | str:
            variants = [] if variant == filling else [variant]
            outputs = run.compute(seed, self.limits, variants, filling, mode)
            return outputs.stage if isinstance(outputs, Failed) else outputs.outputs[variant]

        return [each for each in self._by_each(computed) if not isinstance(each, str)]

    @property
    def _variants(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        if self.harness.compiling.compiler.family not in KNOWN:
            return {}
        less = next((less for longer_s, less in FEWER if self.call_s > longer_s), 0)
        left_out = BY_CHANCE[len(BY_CHANCE) - less :]
        return {flags: tuple(mode for mode in modes if mode not in left_out) for flags, modes in VARIANTS.items()}

    def _by_each(self, result_of: Callable[[HarnessRun, str], Result | str]) -> list[Result | str]:
        """The result of each way of rounding, or why there is none."""
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            programs = {flags: pool.submit(self._program, flags) for flags in self._variants}
            usual = self._with_modes()
            futures = [pool.submit(result_of, usual, mode) for mode in MODES]
            for flags, modes in self._variants.items():
                program = programs[flags].result()
                futures += [
                    pool.submit(str, program) if isinstance(program, str) else pool.submit(result_of, program, mode)
                    for mode in modes
                ]
            return [future.result() for future in futures]

    def _with_modes(self) -> HarnessRun:
        """The reference's program, in which what rounds to whole numbers is called, if anything does."""
        if not (self._variants and self._rounds_to_whole_numbers):
            return self.reference
        program = self._program(CALLED)
        return self.reference if isinstance(program, str) else program

    @property
    def _rounds_to_whole_numbers(self) -> bool:
        return rounds_to_whole_numbers(self.harness.text)

    def _program(self, flags: tuple[str, ...]) -> HarnessRun | str:
        if flags not in self._programs:
            folder = self.harness.folder / f"rounding-{[*VARIANTS, CALLED].index(flags)}"
            program = self._compiled(flags, folder)
            if isinstance(program, str) and flags == REORDERED:
                program = self._compiled((*flags, UNTOLD), folder.with_name(f"{folder.name}-untold"))
            self._programs[flags] = program
        return self._programs[flags]

    def _run(self, run: HarnessRun, mode: str, cases: Sequence[Case]) -> Rounded | str:
        """The results, or why there are none. What does not end with special values ends the process of those alone."""
        results: dict[Case, tuple[Output, ...]] = {}
        failures: list[Failed] = []
        for group, wall_s in _groups(cases, mode):
            limits = replace(self.limits, wall_s=min(self.limits.wall_s, wall_s))
            runs = run_cases(run, group, self.alignment, limits, rounding=mode)
            results |= {case: checked.calls[0] for case, checked in runs.checked.items()}
            failures += runs.failed.values()
        if failures and not results:
            otherwise = "by chance" if mode in BY_CHANCE else mode or "otherwise"
            return f"the source fails ({failures[0].stage}) when it rounds {otherwise}"
        return results

    def watched(self) -> HarnessRun | str:
        """The source's program that ends where arithmetic is not defined, or why there is none."""
        flags = TRAPPING.get(self.harness.compiling.compiler.family)
        if flags is None:
            return "nothing is known of this compiler's flags that watch arithmetic"
        return self._compiled(flags, self.harness.folder / "watched")

    def _compiled(self, flags: tuple[str, ...], folder: Path) -> HarnessRun | str:
        """The program, or why there is none: the compiler may not know the flags."""
        folder.mkdir()
        harness, to_nearest = self.harness, flags in (STRICT, CALLED) and self._rounds_to_whole_numbers
        called = CALLED if to_nearest and flags != CALLED else ()
        candidate = harness.compiling.watched(self.candidate, *flags, *called)
        rename = mentions_main(harness.text)
        target, _, failure = harness.compiling.compile_candidate(candidate, folder, rename_main=rename)
        if failure is not None:
            return f"the source does not compile with {' '.join(flags)}"
        # With the candidate's own flags: linked with -ffast-math it would take denormal numbers for zeros.
        linked = rounding_to_nearest(harness, folder) if to_nearest else harness
        program, _ = linked.link(target, self.candidate, folder)
        if program is None and to_nearest:  # by a linker that cannot replace names
            program, _ = harness.link(target, self.candidate, folder)
        if program is None:
            return f"the source cannot be linked with {' '.join(flags)}"
        return replace(self.reference, program=program)


def _groups(cases: Sequence[Case], mode: str) -> Iterator[tuple[list[Case], float]]:
    """Cases of one process, and the seconds that they may take. With modes drawn, those with special values are left
    out, in which few elements round at all."""
    if mode in BY_CHANCE:
        yield [case for case in cases if case.usual], math.inf
        yield [case for case in cases if not (case.usual or case.extreme)], BY_CHANCE_S
    else:
        if mode != STRICTLY:
            yield [case for case in cases if not case.extreme], math.inf
        yield [case for case in cases if case.extreme], EXTREME_S


def spreads_of(case: Case, calls: Calls, rounded: Sequence[Rounded]) -> list[ValueSpread]:
    """Of each array in this case; the two calls of the reference itself count too."""
    usual = calls[case.poison]
    return [
        joined([spread_of(output.values, [r[case][k].values for r in rounded if case in r]), _twice(calls, k)])
        for k, output in enumerate(usual)
    ]


def _twice(calls: Calls, k: int) -> ValueSpread:
    return spread_of(calls[0][k].values, [calls[1][k].values])


def joined(spreads: Sequence[ValueSpread]) -> ValueSpread:
    return reduce(ValueSpread.joined, spreads)
