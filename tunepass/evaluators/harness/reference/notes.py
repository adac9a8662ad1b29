"""Notes on what is not compared with the reference, and why: sizes, distributions, special values, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunepass.evaluators.harness.compare import POINTER
from tunepass.evaluators.harness.reference.cases import GROWING, Case, Inputs
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.ir.c_kernel import UNCOMPARED

OTHER_MEMORY = -2  # a pointer to none of the harness's arrays (frontends/c/harness/outputs.h)
WIDEST = 16  # remainders of sizes


def left_out(reference: Reference, inputs: Inputs) -> tuple[str, ...]:
    """Notes on the cases that were left out. Small sizes that the user did not name are left out without one, as long
    as others leave the same remainders; so are large numbers, as long as smaller ones are compared."""
    required = [(case, why) for case, why in reference.left_out if not case.optional]
    named = [(case, why) for case, why in required if case.size <= 1 or inputs.stated]
    return (
        *(f"nothing is compared {case.words}, where the source itself fails: {why}" for case, why in named),
        *([f"results are compared at the tuned size alone: {inputs.one_size}"] if inputs.one_size else ()),
        *missing_remainders(reference, inputs),
        *_untried(reference, inputs),
        *_alike(reference, [case for case, _ in reference.left_out if case.optional and _is_noted(case, reference)]),
    )


def _untried(reference: Reference, inputs: Inputs) -> Iterator[str]:
    compared, reasons = {case.size for case in reference.expected}, {c.size: why for c, why in reference.left_out}
    for words, sizes in inputs.noted:
        if compared.isdisjoint(sizes):
            yield f"nothing is compared {words}: {next(reasons[size] for size in sizes)}"


def _is_noted(case: Case, reference: Reference) -> bool:
    first = {each: group[0] for group in GROWING for each in group}.get(case.special, case.special)
    return case.special > 0 and first not in {compared.special for compared in reference.expected}


def missing_remainders(reference: Reference, inputs: Inputs) -> Iterator[str]:
    """Remainders of sizes by WIDEST at which nothing is compared."""
    if not inputs.remainders:
        return
    compared = {inputs.remainders[case.size - 1] for case in reference.expected}  # the tuned size's is the last
    missing = sorted(set(range(WIDEST)) - compared)
    if missing:
        reasons = {inputs.remainders[c.size - 1]: why for c, why in reference.left_out if c.size and not c.special}
        why = next((reasons[r] for r in missing if r in reasons), "arrays would be too large")
        listed = ", ".join(map(str, missing))
        yield f"nothing is compared at sizes that leave the remainder {listed} of {WIDEST}: {why}"


def _alike(reference: Reference, cases: Sequence[Case]) -> Iterator[str]:
    """One note for all cases that are left out for the same reason."""
    reasons = dict(reference.left_out)
    for why in dict.fromkeys(reasons[case] for case in cases):
        words = " or ".join(case.words.removeprefix("with ") for case in cases if reasons[case] == why)
        yield f"nothing is compared with {words}: {why}"


def uncompared(reference: Reference) -> tuple[str, ...]:
    """Notes on memory that is not compared, as only the source's own run shows."""
    leading = dict.fromkeys(
        output.name.removeprefix(POINTER)
        for expected in reference.expected.values()
        for output in expected.calls[0]
        if output.name.startswith(POINTER) and (output.values == OTHER_MEMORY).any()
    )
    return (
        *(f"{UNCOMPARED}of unknown length: memory that {name} leads to" for name in reference.uncompared),
        *(f"{UNCOMPARED}in none of the arrays and places: memory that {name} leads to" for name in leading),
    )
