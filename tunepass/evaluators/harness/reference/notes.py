"""Notes on what is not compared with the reference, and why: sizes, distributions, special values, memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tunepass.evaluators.harness.compare import POINTER, Output
from tunepass.evaluators.harness.reference.cases import Case, Inputs, is_known_with_numbers
from tunepass.evaluators.harness.reference.determinism import NOT_FINITE, poison_left
from tunepass.evaluators.harness.reference.distributions import CHAIN, GROWING, REFILLED
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.ir.c_kernel import UNCOMPARED

OTHER_MEMORY = -2  # a pointer to none of the harness's arrays (frontends/c/harness/outputs.h)
RETURNED = "return"  # the name of what the kernel returns
BETTER = "say with `range`, `fill` or `setup` which inputs make it differ"
POINTED = "is not compared, and the pointer alone tells nothing"
NAMED = "name them in the kernel pragma"
WRITTEN = "memory behind a returned pointer has no known length: write to an argument instead"
MOST_NAN = 0.1  # of the elements of an output, without a note
WIDEST = 16  # remainders of sizes


def left_out(reference: Reference, inputs: Inputs) -> tuple[str, ...]:
    """Notes on the cases that were left out. Small sizes that the user did not name are left out without one, as long
    as others leave the same remainders; so are large numbers, as long as smaller ones are compared."""
    required = [(case, why) for case, why in reference.left_out if not case.optional]
    named = [(case, why) for case, why in required if case.size <= 1 or inputs.stated]
    named = [(case, why) for case, why in named if case.size not in replaced(reference)]
    notes = (
        *(f"nothing is compared {case.words}, where the source itself fails: {why}" for case, why in named),
        *([f"results are compared at the tuned size alone: {inputs.one_size}"] if inputs.one_size else ()),
        *missing_remainders(reference, inputs),
        *_untried(reference, inputs),
        *_not_finite(reference),
        *_partly_telling(reference, inputs),
        *_loose(reference),
        *_alike(reference, [case for case, _ in reference.left_out if case.optional and _is_noted(case, reference)]),
    )
    return tuple(with_output_once(notes, [why for _, why in reference.left_out]))


def with_output_once(notes: Iterable[str], reasons: Iterable[str]) -> Iterator[str]:
    """Notes on one line each. The lines behind the first of a reason are the program's output: it is told once."""
    outputs, printed = {why.partition("\n")[2] for why in reasons} - {""}, set[str]()
    for note in notes:
        text = note
        for output in outputs:
            if output in note:
                text = text.replace(output, "") if output in printed else text
                printed.add(output)
        yield " ".join(text.split())


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


def remedy_for_pointers(reference: Reference) -> str:
    """Advice for memory behind pointers: write to an argument, or name the memory."""
    return WRITTEN if POINTER + RETURNED in _to_other_memory(reference) else NAMED


def _to_other_memory(reference: Reference) -> list[str]:
    """Outputs that hold a pointer to none of the harness's arrays."""
    outputs = [output for expected in reference.expected.values() for output in expected.calls[0]]
    names = (o.name for o in outputs if o.name.startswith(POINTER) and (o.values == OTHER_MEMORY).any())
    return list(dict.fromkeys(names))


def telling_nothing(reference: Reference, inputs: Inputs) -> list[str]:
    """Reasons why no comparison tells anything: all that the kernel computes is the same in every case."""
    outputs = _same_everywhere(reference, inputs)
    names = {output.name for expected in reference.expected.values() for output in expected.calls[0]}
    return [*outputs.values()] if names == outputs.keys() else []


def _partly_telling(reference: Reference, inputs: Inputs) -> Iterator[str]:
    """Notes on arrays that tell nothing or little."""
    same, nothing = _same_everywhere(reference, inputs), telling_nothing(reference, inputs)
    for name, why in same.items():
        if nothing or name in inputs.filled:
            yield f"{why}: {remedy_for_pointers(reference) if name.startswith(POINTER) else BETTER}"
    usual = [pair for case, each in reference.expected.items() if case.usual for pair in zip(*each.calls)]
    for name in dict.fromkeys(output.name for output, _ in usual if output.values.dtype.kind == "f"):
        pairs = [pair for pair in usual if pair[0].name == name]
        values = np.concatenate([first.values[~poison_left(first, second)] for first, second in pairs])
        lost = int(np.isnan(values).sum())
        if name not in same and lost > MOST_NAN * values.size:
            yield f"{lost} of {values.size} values of {name} are NaN, which tells little of a configuration: {BETTER}"


def _same_everywhere(reference: Reference, inputs: Inputs) -> dict[str, str]:
    """By name the results and the arrays only written that random inputs do not change, in words; others differ by
    themselves. Without random inputs those that hold NaN, as what is never written does; pointers to other memory."""
    first: dict[str, Output] = {}
    differing, written = set[str](), {RETURNED, *inputs.filled}
    for expected in reference.expected.values():
        for output in expected.calls[0]:
            of_written = output.name.partition(".")[0] in written or output.name.startswith(POINTER)
            if not of_written or output.name in differing or not output.values.size:
                continue
            value = first.setdefault(output.name, Output(output.name, output.values[:1])).values[0]
            same = output.values == value
            if value != value:
                same = np.isnan(output.values)
            if not same.all():
                differing.add(output.name)
    same_outputs = {name: output.values[0] for name, output in first.items() if name not in differing}
    return {
        name: _words_of_same(name, value)
        for name, value in same_outputs.items()
        if (value == OTHER_MEMORY if name.startswith(POINTER) else inputs.drawn or value != value)
    }


def _words_of_same(name: str, value: np.generic) -> str:
    if name.startswith(POINTER):
        return f"memory that {name.removeprefix(POINTER)} leads to {POINTED}"
    return f"{'the result' if name == RETURNED else name} is {value:.6g} in all cases: that tells nothing"


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
    missing = sorted(set(range(WIDEST)) - compared - set(inputs.excluded))
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
    leading = [name.removeprefix(POINTER) for name in _to_other_memory(reference)]
    return (
        *(f"{UNCOMPARED}of unknown length: memory that {name} leads to" for name in reference.uncompared),
        *(f"{UNCOMPARED}in none of the arrays and places: memory that {name} leads to" for name in leading),
    )
