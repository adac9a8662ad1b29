"""Rows of the ledger of checks for a kernel in a generated harness: what its reference allows to be checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tunepass.evaluators.harness.compare import zeros_pass
from tunepass.evaluators.harness.dialogue.conversation import outside_clock_lacks
from tunepass.evaluators.harness.programs.symbols import symbols
from tunepass.evaluators.harness.reference.cases import Case, Inputs
from tunepass.evaluators.harness.reference.float_state import float_state_check
from tunepass.evaluators.harness.reference.notes import (
    BETTER,
    POINTED,
    missing_remainders,
    remedy_for_pointers,
    replaced,
    telling_nothing,
    uncompared,
    with_output_once,
)
from tunepass.evaluators.harness.reference.reference import ALIGNED, Reference
from tunepass.evaluators.measure.timing import processor_times
from tunepass.ir.c_kernel import UNCOMPARED
from tunepass.ir.candidate import Candidate
from tunepass.study.ledger import Check, not_requested, ran, ran_unless

NAME_SIZES = "name the sizes that it is called with: `sizes(...)`"
UNASKED = ("the pragma says `finite`", "no `finite(false)`: what a finalist computes otherwise is a warning")

EXCLUDED = "the constraints exclude it at every other size"
NO_SYMBOLS = "neither the object nor the program has a table of its symbols"


def zeros_accepted(reference: Reference, seed: int) -> list[str]:
    """Reasons not to rely on the tolerance: arrays for which zeros would be right."""
    usual = reference.usual(seed)
    return [
        f"the tolerance accepts zeros for {name}: wrong results may pass"
        for name in zeros_pass(usual.calls[0], usual.tolerances)
    ]


def reference_checks(
    reference: Reference, inputs: Inputs, seeds: Sequence[int], fixed: str, unseen: Sequence[str]
) -> list[Check]:
    """Checks that every candidate has in common. `fixed` says why its inputs are, `unseen` what nothing compares."""
    narrow = [f"it relies on arrays aligned to {ALIGNED} bytes"] if reference.alignment == ALIGNED else []
    loose = [*reference.unrounded, *zeros_accepted(reference, seeds[0])]
    reasons = [text.removeprefix(UNCOMPARED) for text in (*unseen, *uncompared(reference))]
    nothing, remedy = telling_nothing(reference, inputs), remedy_for_pointers(reference)
    return [
        ran_unless("outputs", nothing, remedy if any(POINTED in words for words in nothing) else BETTER),
        ran_unless("seeds", [fixed] if fixed else []),
        ran_unless("guard pages", narrow),
        float_state_check(reference.left),
        ran_unless("tolerance", loose, "state one: `tolerance(...)`"),
        _requested_cases(reference, "special values", inputs.finite is False, UNASKED[inputs.finite is None]),
        _requested_cases(reference, "overlap", bool(inputs.pairs), "the pragma has no `aliasing(...)`"),
        ran_unless("all results", reasons, remedy),
    ]


def _requested_cases(reference: Reference, name: str, requested: bool, reason: str) -> Check:
    if not requested:
        return Check(name, "not requested", reason)
    failing = [
        f"{case.words}, {why}"
        for case, why in reference.left_out
        if (case.extreme and not case.unusual if name == "special values" else case.pair and not case.optional)
    ]
    return ran_unless(name, [f"the source itself fails {text}" for text in failing])


def size_check(reference: Reference, inputs: Inputs, cases: Sequence[Case], *, resizable: bool) -> Check:
    """Row of a candidate that was compared in these cases. `resizable`: its arrays may have other lengths."""
    if not inputs.sizes:
        if inputs.excluded:
            return Check("sizes", "not requested", EXCLUDED)
        if inputs.stated or not resizable:
            return Check("sizes", "not requested", "`sizes()`" if inputs.stated else "its arrays have one length")
        return Check("sizes", "could not run", "no whole number alone decides the lengths of its arrays", NAME_SIZES)
    failing = [
        f"the source itself fails {case.words}: {why}"
        for case, why in reference.left_out
        if case.size and not (case.special or case.pair or case.optional or case.size in replaced(reference))
    ]
    failing += missing_remainders(reference, inputs)
    if not failing and not any(case.size for case in cases):
        return Check("sizes", "not requested", EXCLUDED)
    once = with_output_once(failing, [why for _, why in reference.left_out])
    return ran_unless("sizes", list(once), NAME_SIZES)


def symbol_check(target: Path, program: Path) -> Check:
    """Were the names that it defines seen?"""
    seen = symbols(target).readable or symbols(program).readable
    return ran_unless("symbols", [] if seen else [NO_SYMBOLS], "build without -s")


def applied_check(candidate: Candidate, family: str) -> Check:
    """Did the compiler say what it did with the directives?"""
    if not candidate.requests:
        return Check("applied", "not requested", "nothing is asked of the compiler")
    silent = family == "other" and not all(request.obstacle for request in candidate.requests)
    return ran_unless("applied", ["this compiler does not say what it optimised"] if silent else [], "gcc or clang")


def timing_checks(metric: str, fixed: str) -> list[Check]:
    """Checks of a measurement."""
    renewed = [ran_unless("new inputs", [fixed] if fixed else [])]
    if metric != "time":
        counted = not_requested("instructions are counted, not timed", "outside clock", "core", "machine speed")
        return [*ran("timed results"), *renewed, *counted]
    stolen = [] if processor_times().total else ["/proc/stat does not say what the hypervisor gave to others"]
    return [
        *ran("timed results"),
        *renewed,
        ran_unless("outside clock", outside_clock_lacks()),
        ran_unless("machine speed", stolen),
    ]
