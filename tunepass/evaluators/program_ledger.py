"""The ledger of checks of programs with a run of their own: commands, applications, trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.evaluators.process.isolation import isolation_checks
from tunepass.study.ledger import Check, Ledger, not_requested, ran_unless

FIXED_INPUTS = "its inputs are fixed: the run's own"
OF_HARNESSES = "it is of functions that a generated harness calls"
UNWATCHED = "a program with a run of its own is not watched"
STATE_A_CHECK = "a `check` or an output that is compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramChecks:
    """Facts from which the ledger of one program follows. `unchecked` says why nothing tells a wrong result, `untimed`
    why that is so of the timed runs alone; `prints` that it prints its own numbers; None of `threads`: not known.
    `uncompared` are parts of its output, where not only what is `selected` is compared."""

    program: Path | str
    unchecked: Sequence[str] = ()
    untimed: Sequence[str] = ()
    uncompared: Sequence[str] = ()
    selected: bool = False
    prints: bool = False
    threads: bool | None = None
    core: Sequence[str] = ()
    speed: bool = False
    applied: Check | None = None
    environment: Mapping[str, str] | None = None

    def ledger(self) -> Ledger:
        """A row for each check, but those of the final round and of sanitizers."""
        of_harnesses = (
            "seeds",
            "sizes",
            "scalars",
            "contents",
            "guard pages",
            "floating-point state",
            "tolerance",
            "special values",
            "overlap",
            "symbols",
            "small stack",
            "concurrent calls",
            "repeated calls",
            "processors",
        )
        quiet = not_requested("it starts no threads", "data races", "schedules")
        watched = (Check("data races", "could not run", UNWATCHED), Check("schedules", "could not run", UNWATCHED))
        printed = ["it prints the numbers that it is judged by"] if self.prints else []
        return Ledger(
            (
                ran_unless("outputs", self.unchecked, STATE_A_CHECK),
                *not_requested(OF_HARNESSES, *of_harnesses),
                self._results(),
                self.applied or Check("applied", "not requested", "nothing is asked of the compiler"),
                ran_unless("timed results", [*self.unchecked, *self.untimed], STATE_A_CHECK),
                Check("new inputs", "could not run", FIXED_INPUTS),
                ran_unless("outside clock", printed, "leave the metric out: its wall time is measured"),
                *(quiet if self.threads is False else watched),
                *isolation_checks(self.program, "program", self.environment),
                ran_unless("core", self.core),
                self._speed(),
            )
        )

    def _results(self) -> Check:
        if self.selected and not self.unchecked:
            return Check("all results", "not requested", "its description names what is compared")
        return ran_unless("all results", [*self.unchecked, *self.uncompared])

    def _speed(self) -> Check:
        if self.prints:
            return Check("machine speed", "not requested", "a number that it prints stays as it is")
        return ran_unless("machine speed", [] if self.speed else ["the machine's speed was not told"])
