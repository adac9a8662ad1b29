"""The ledger of checks: what was checked of a trial or a winner, what could not be checked, and what nobody requested.

A check that could not be made in whole could not run: its reason says which part is missing. Nothing that could not run
counts as passed. docs/trials.md has a row for each check.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast, get_args

from tunepass.diagnostics import StudyError

State = Literal["ran", "could not run", "not requested"]
STATES: tuple[str, ...] = get_args(State)

# Every check, and what it proves of a candidate or a winner.
CHECKS: Mapping[str, str] = {
    "outputs": "it computes what the untouched source computes",
    "seeds": "with several sets of data",
    "sizes": "at other sizes than the tuned one",
    "scalars": "with other values of scalars that decide no length",
    "contents": "with other contents of arrays that the pragma fills",
    "guard pages": "it touches nothing beyond its arrays, byte by byte, and changes no input",
    "floating-point state": "it leaves rounding, flushing, traps and x87 registers as its caller had them",
    "tolerance": "the allowed difference follows from the source's own rounding, and does not accept zeros",
    "special values": "with NaN, infinities, denormals and the largest numbers",
    "overlap": "with arrays that overlap",
    "all results": "everything that the kernel may write is compared",
    "symbols": "it replaces no function that the harness or the start of its program calls",
    "applied": "the compiler did what the directives ask for",
    "timed results": "calls that were timed computed the right results",
    "new inputs": "no call has the inputs of an earlier one",
    "outside clock": "a clock of another process bears out the times",
    "small stack": "a thread with a stack of 1 MiB can call it",
    "concurrent calls": "two threads can call it at once",
    "repeated calls": "its 65,600th call computes what its first one does",
    "processors": "it computes the same with other numbers of processors",
    "data races": "ThreadSanitizer finds no data race",
    "schedules": "it computes the same with other numbers of threads, under load and with pauses",
    "sanitizers": "AddressSanitizer and UndefinedBehaviorSanitizer find nothing",
    "processes": "it reached no process and no shared memory but its own",
    "written files": "it wrote nothing outside its folder",
    "system calls": "it made no system call that a candidate has no business with",
    "core": "nobody else measured on its core meanwhile",
    "machine speed": "its time is corrected for changes of the machine's speed",
    "rounds": "its gain was measured in turns with the default",
}
_PLACE = {name: place for place, name in enumerate(CHECKS)}


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the ledger.

    Args:
        name: of the check, one of those in docs/trials.md or a plug-in's own.
        state: "ran", "could not run" or "not requested".
        reason: why it could not run, or was not requested.
        remedy: how to get a check that could not run.

    Raises:
        StudyError: there is no such state, or a check that could not run has no reason.

    Example:
        >>> extension.Check("sizes", "could not run", "the source itself fails at n = 1").state
        'could not run'
    """

    name: str
    state: State = "ran"
    reason: str = ""
    remedy: str = ""

    def __post_init__(self) -> None:
        if not all(isinstance(text, str) for text in (self.name, self.reason, self.remedy)) or not self.name:
            raise StudyError(f"a check has a name and texts, got {self.name!r}, {self.reason!r}, {self.remedy!r}")
        if self.state not in STATES:
            raise StudyError(f"the state of a check is one of {', '.join(STATES)}, got {self.state!r}")
        if self.state == "could not run" and not self.reason:
            raise StudyError(f"{self.name}: a check that could not run has a reason")


def ran(*names: str) -> tuple[Check, ...]:
    """Rows of checks that were made."""
    return tuple(Check(name) for name in names)


def not_requested(reason: str, *names: str) -> tuple[Check, ...]:
    """Rows of checks that nobody asked for, or that there is nothing to ask of."""
    return tuple(Check(name, "not requested", reason) for name in names)


def one_line(text: str, most: int = 200) -> str:
    """The text without line ends, cut to a length that a table can have."""
    joined = " ".join(text.split())
    return joined if len(joined) <= most else joined[: most - 1] + "…"


def ran_unless(name: str, reasons: Sequence[str], remedy: str = "") -> Check:
    """The row of a check that ran if no reason stands against it."""
    distinct = one_line("; ".join(dict.fromkeys(reasons)))
    return Check(name, "could not run", distinct, remedy) if distinct else Check(name)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The checks of a trial or a winner, at most one row each, in the table's order.

    Args:
        checks: the rows; a later row replaces an earlier one of the same check.

    Example:
        >>> ledger = extension.Ledger([extension.Check("outputs"), extension.Check("sizes", "not requested")])
        >>> [check.name for check in ledger.checks if check.state == "ran"]
        ['outputs']
    """

    checks: tuple[Check, ...] = ()

    def __post_init__(self) -> None:
        by_name = {check.name: check for check in self.checks}
        ordered = sorted(by_name.values(), key=lambda check: _PLACE.get(check.name, len(_PLACE)))
        object.__setattr__(self, "checks", tuple(ordered))

    def __bool__(self) -> bool:
        return bool(self.checks)

    def of(self, state: State) -> tuple[Check, ...]:
        """The rows in that state."""
        return tuple(check for check in self.checks if check.state == state)

    @property
    def missed(self) -> tuple[Check, ...]:
        """The checks that could not run."""
        return self.of("could not run")

    def updated(self, checks: Iterable[Check]) -> Ledger:
        """With these rows in the place of those of the same names."""
        return Ledger((*self.checks, *checks))

    def without_remedies(self) -> Ledger:
        """As a lock records it."""
        return Ledger(tuple(Check(check.name, check.state, check.reason) for check in self.checks))

    def refused(self, waived: Collection[str] = ()) -> tuple[Check, ...]:
        """The checks for whose lack `--strict` refuses a choice."""
        return tuple(check for check in self.missed if check.name not in waived)

    def completed(self, reason: str, remedy: str = "") -> Ledger:
        """With a row for every check of the table: those without one could not run, for that reason."""
        known = {check.name for check in self.checks}
        obstacles = (Check(name, "could not run", reason, remedy) for name in CHECKS if name not in known)
        return self.updated(obstacles)

    def lines(self) -> list[str]:
        """A line of counts, and a line for the checks that could not run for one reason."""
        ran, missed, others = self.of("ran"), self.missed, self.of("not requested")
        counts = [f"{len(ran)} ran"]
        counts += [f"{len(others)} not requested ({', '.join(check.name for check in others)})"] if others else []
        counts += [f"{len(missed)} could not run:"] if missed else []
        names_by_reason: dict[tuple[str, str], list[str]] = {}
        for check in missed:
            names_by_reason.setdefault((check.reason, check.remedy), []).append(check.name)
        reasons = (_missed_sentence(names, *why) for why, names in names_by_reason.items())
        return [", ".join(counts), *(f"  {sentence}" for sentence in reasons)]

    def encode(self) -> str:
        """JSON text: `{"ran":[...],"not requested":{name: reason},"could not run":{name: [reason, remedy]}}`."""
        rows: dict[str, object] = {
            "ran": [check.name for check in self.of("ran")],
            "not requested": {check.name: check.reason for check in self.of("not requested")},
            "could not run": {check.name: [check.reason, check.remedy] for check in self.missed},
        }
        return json.dumps({state: row for state, row in rows.items() if row}, separators=(",", ":"))

    @staticmethod
    def decode(text: str) -> Ledger:
        """The ledger of such a text. StudyError for another one."""
        return _decoded(text)

    @property
    def digest(self) -> str:
        """`sha256:` and the digest of the rows, without remedies."""
        rows = sorted((check.name, check.state, check.reason) for check in self.checks)
        return "sha256:" + hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _missed_sentence(names: Sequence[str], reason: str, remedy: str) -> str:
    """`sizes could not run: the source itself fails at n = 1 (to get it: ...)`."""
    return f"{', '.join(names)} could not run: {reason}" + (f" (to get it: {remedy})" if remedy else "")


@lru_cache(256)  # the trials of a store have few different ones
def _decoded(text: str) -> Ledger:
    try:
        rows = json.loads(text)
        unknown = set(rows) - set(STATES)
        rows_that_ran = ran(*rows.get("ran", ()))
        others = [Check(name, "not requested", why) for name, why in rows.get("not requested", {}).items()]
        missed = [Check(name, "could not run", *why) for name, why in rows.get("could not run", {}).items()]
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise StudyError(f"this is no ledger of checks: {text[:60]!r}") from error
    if unknown:
        raise StudyError(f"a check has no state {cast(str, min(unknown))!r}")
    return Ledger((*rows_that_ran, *others, *missed))


PRICED = "a model or a tool's report prices it: no program runs"
VERSION_1 = "the lock is of version 1, which records no checks"
EMPTY = Ledger()
UNREPORTED = "its evaluator does not report this check"


def unrecorded() -> Ledger:
    """The ledger of a locked choice without one."""
    return Ledger().completed(VERSION_1, "build again with --continue")


def priced() -> Ledger:
    """The ledger of a choice that a model priced."""
    return Ledger(not_requested(PRICED, *CHECKS))
