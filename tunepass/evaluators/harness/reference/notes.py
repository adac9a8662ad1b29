"""Notes on what is not compared with the reference, and why: sizes, distributions, special values, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tunepass.evaluators.harness.compare import POINTER, Output
from tunepass.evaluators.harness.reference.cases import Case, Inputs, is_known_with_numbers
from tunepass.evaluators.harness.reference.determinism import NOT_FINITE
from tunepass.evaluators.harness.reference.distributions import CHAIN, GROWING, REFILLED
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.ir.c_kernel import UNCOMPARED

OTHER_MEMORY = -2  # a pointer to none of the harness's arrays (frontends/c/harness/outputs.h)
RETURNED = "return"  # the name of what the kernel returns
BETTER = "say with `range`, `fill` or `setup` which inputs make it differ"
MOST_NAN = 0.1  # of the elements of an output, without a note
WIDEST = 16  # remainders of sizes


def left_out(reference: Reference, inputs: Inputs) -> tuple[str, ...]:
    """Notes on the cases that were left out. Small sizes that the user did not name are left out without one, as long
    as others leave the same remainders; so are large numbers, as long as smaller ones are compared."""
    required = [(case, why) for case, why in reference.left_out if not case.optional]
    named = [(case, why) for case, why in required if case.size <= 1 or inputs.stated]
    named = [(case, why) for case, why in named if case.size not in replaced(reference)]
    return (
        *(f"nothing is compared {case.words}, where the source itself fails: {why}" for case, why in named),
        *([f"results are compared at the tuned size alone: {inputs.one_size}"] if inputs.one_size else ()),
        *missing_remainders(reference, inputs),
        *_untried(reference, inputs),
        *_not_finite(reference),
        *_partly_telling(reference, inputs),
        *_loose(reference),
        *_alike(reference, [case for case, _ in reference.left_out if case.optional and _is_noted(case, reference)]),
    )


def replaced(reference: Reference) -> set[int]:
    """Sizes in the place of which others are compared, with smaller scalars."""
    return {case.instead for case in reference.expected if case.instead}


def _untried(reference: Reference, inputs: Inputs) -> Iterator[str]:
    compared = {case.size for case in reference.expected} | replaced(reference)
    reasons = {case.size: why for case, why in reference.left_out if not case.special}
    for words, sizes in inputs.noted:
        why = next((reasons[size] for size in sizes if size in reasons), "")
        if why and compared.isdisjoint(sizes):
            yield f"nothing is compared {words}: {why}"


def _not_finite(reference: Reference) -> Iterator[str]:
    """A note on the sizes, such as 0, at which the source computes NaN or infinities, which it usually does not."""
    places = [c.words for c, why in reference.left_out if why == NOT_FINITE and c.late and not (c.special or c.gaps)]
    if places:
        yield f"nothing is compared {' or '.join(places)}: {NOT_FINITE}"


def telling_nothing(reference: Reference, inputs: Inputs) -> list[str]:
    """Reasons why no comparison tells anything: all that the kernel computes is the same in every case."""
    outputs = _same_everywhere(reference, inputs)
    names = {output.name for expected in reference.expected.values() for output in expected.calls[0]}
    return [*outputs.values()] if names == outputs.keys() else []


def _partly_telling(reference: Reference, inputs: Inputs) -> Iterator[str]:
    """Notes on arrays that tell nothing or little."""
    same, nothing = _same_everywhere(reference, inputs), telling_nothing(reference, inputs)
    yield from (f"{why}: {BETTER}" for name, why in same.items() if nothing or name in inputs.filled)
    usual = [output for case, each in reference.expected.items() if case.usual for output in each.calls[0]]
    for name in dict.fromkeys(output.name for output in usual if output.values.dtype.kind == "f"):
        values = np.concatenate([output.values for output in usual if output.name == name])
        lost = int(np.isnan(values).sum())
        if name not in same and lost > MOST_NAN * values.size:
            yield f"{lost} of {values.size} values of {name} are NaN, which tells little of a configuration: {BETTER}"


def _same_everywhere(reference: Reference, inputs: Inputs) -> dict[str, str]:
    """By name the results and the arrays only written that random inputs do not change, in words; others differ by
    themselves."""
    if not inputs.drawn:
        return {}
    first: dict[str, Output] = {}
    differing, written = set[str](), {RETURNED, *inputs.filled}
    for expected in reference.expected.values():
        for output in expected.calls[0]:
            alike = output.name.partition(".")[0] in written and output.name not in differing
            if not alike or not output.values.size:
                continue
            value = first.setdefault(output.name, Output(output.name, output.values[:1])).values[0]
            same = output.values == value
            if value != value:
                same = np.isnan(output.values)
            if not same.all():
                differing.add(output.name)
    return {
        name: f"{'the result' if name == RETURNED else name} is {output.values[0]:.6g} in all cases: that tells nothing"
        for name, output in first.items()
        if name not in differing
    }


def _is_noted(case: Case, reference: Reference) -> bool:
    if case.special == CHAIN or case.special in REFILLED:
        return case.special == CHAIN  # of the others the row of a finalist tells
    if case.extreme and case.unusual:
        return is_known_with_numbers(case, tuple(reference.expected))
    first = {each: group[0] for group in GROWING for each in group}.get(case.special, case.special)
    compared = {each.special for each in reference.expected if not (each.late or each.gaps)}
    return case.special > 0 and not (case.late or case.gaps) and first not in compared


def _loose(reference: Reference) -> Iterator[str]:
    """One note on all data with which many whole numbers may be off by one."""
    words = dict.fromkeys(
        c.words.removeprefix("with ") for c in reference.loose if c.special and not (c.late or c.gaps)
    )
    if words:
        yield f"many whole numbers may be off by one with {' or '.join(words)}: rounding decides which they are"


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
        words = dict.fromkeys(case.words.removeprefix("with ") for case in cases if reasons[case] == why)
        yield f"nothing is compared with {' or '.join(words)}: {why}"


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
