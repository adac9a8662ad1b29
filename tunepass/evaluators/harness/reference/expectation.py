"""Expected results of candidates in each case, and how far from them they may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.evaluators.harness.compare import Mismatch, Output, compare
from tunepass.evaluators.harness.harness import Calls
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.distributions import APART, DISTRIBUTIONS
from tunepass.evaluators.harness.reference.rounding import Rounded, Rounding, joined, spreads_of
from tunepass.evaluators.measure.rounding import (
    Floats,
    StatedTolerance,
    ValueSpread,
    are_few,
    is_roughly_steady,
    is_steady,
    largest,
    moved_by,
    needs_rounding,
    pooled,
    spread_of,
    tolerance_of,
    tolerance_of_elements,
    tolerance_of_other_inputs,
)
from tunepass.evaluators.measure.tolerance import Array, Tolerance, integer_distance, is_right

OTHER_OUTPUTS = "the source makes other arrays there"
UNSTEADY = "rounding decides too much of what the source itself computes there"


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected outputs in one case: a call with poison pattern 0 and one with 1, and the tolerance of each array."""

    calls: Calls
    tolerances: tuple[Tolerance, ...]

    def mismatches(self, pattern: int, outputs: Sequence[Output]) -> tuple[Mismatch, ...]:
        return compare(self.calls[pattern], outputs, self.tolerances)


@dataclass(frozen=True, slots=True)
class Expectations:
    """By case; `timed` are the tolerances of the usual case's outputs for inputs that a timed call changed, and
    `left_out` the optional cases in which rounding decides what the source computes, `loose` those in which many whole
    numbers may be off by one, `unrounded` why ways of rounding are missing; `by_element`: is the tolerance of each
    element its own?"""

    expected: dict[Case, Expected]
    timed: tuple[Tolerance, ...]
    left_out: dict[Case, str]
    loose: tuple[Case, ...]
    unrounded: tuple[str, ...]
    by_element: bool


def expectations(computed: Mapping[Case, Calls], stated: StatedTolerance, rounding: Rounding) -> Expectations:
    """Tolerances know the usual case: results that are small at a small size by chance need as much room as others."""
    spreads = {case: [spread_of(a.values, [b.values]) for a, b in zip(*calls)] for case, calls in computed.items()}
    usually = [case for case in computed if case.usual]
    real = [output.values.dtype.kind == "f" for output in computed[usually[0]][0]]
    needed = any(needs_rounding(stated, spread) for spread, is_real in zip(spreads[usually[0]], real) if is_real)
    again: list[Rounded] = []
    obstacles: list[str] = []
    if needed or any(case.special in DISTRIBUTIONS for case in computed):
        again, obstacles = rounding.run(tuple(computed))
    if needed:
        spreads = {case: spreads_of(case, calls, again) for case, calls in computed.items()}
    left_out = {c: UNSTEADY for c, calls in computed.items() if c.optional and not _is_steady(c, calls, again)}
    left_out |= {c: OTHER_OUTPUTS for c, calls in computed.items() if c.optional and len(calls[0]) != len(real)}
    compared = {case: calls for case, calls in computed.items() if case not in left_out}
    usual = [joined(arrays) for arrays in zip(*(spreads[case] for case in usually))]
    sizes = {case: [s.joined(always) for s, always in zip(spreads[case], usual)] for case in compared}
    by_element = stated.relative is None and needed
    if by_element:
        moved = {case: _moved(case, calls, again) for case, calls in compared.items()}
        tolerances = _by_element(compared, moved, sizes)
        last = usually[-1]
        timed = tuple(map(_timed, moved[last], sizes[last], compared[last][0]))
    else:
        tolerances = {
            case: tuple(tolerance_of(stated, size, out.values.dtype) for size, out in zip(sizes[case], calls[0]))
            for case, calls in compared.items()
        }
        timed = tolerances[usually[-1]]
        if stated.relative:  # 0 asks for equality
            tolerances |= _besides_stated(tolerances, compared, again)
    expected = {
        case: Expected(calls, _of_whole_numbers(case, calls, tolerances[case], again))
        for case, calls in compared.items()
    }
    loose = tuple(case for case, each in expected.items() if _is_loose(each))
    return Expectations(expected, timed, left_out, loose, tuple(obstacles) if needed else (), by_element)


def _is_steady(case: Case, calls: Calls, again: Sequence[Rounded]) -> bool:
    """Are whole numbers the same however it rounds, or off by one, and others much the same, and finite?"""
    for results in again:
        for first, other in zip(calls[case.poison], results.get(case, ())):
            if first.values.dtype.kind != "f":
                if not _are_off_by_one(first.values, other.values):
                    return False
            elif not case.extreme:
                if (np.isfinite(first.values) & ~np.isfinite(other.values)).any():
                    return False
                moved = moved_by(first.values, [other.values])
                steady = is_roughly_steady if case.special in APART else is_steady
                if not steady(moved, spread_of(first.values), first.values.dtype):
                    return False
    return True


def _are_off_by_one(values: Array, others: Array) -> bool:
    """Such as quantized numbers are; what moves further, as a place does, is another result."""
    if values.shape != others.shape or values.dtype.kind == "b":
        return bool(np.array_equal(values, others))
    differ = values != others
    return bool((integer_distance(values[differ], others[differ]) <= 1).all())


def _is_loose(expected: Expected) -> bool:
    """May more than a few whole numbers be off by one?"""
    whole = [
        tolerance.elements > 0
        for output, tolerance in zip(expected.calls[0], expected.tolerances, strict=True)
        if output.values.dtype.kind in "iu" and tolerance.elements is not None
    ]
    return not all(map(are_few, whole))


def _of_whole_numbers(
    case: Case, calls: Calls, tolerances: Sequence[Tolerance], again: Sequence[Rounded]
) -> tuple[Tolerance, ...]:
    """Tolerances in which the whole numbers of an optional case that rounding moves may be off by one."""
    known = [results[case] for results in again if case in results] if case.optional else []
    allowed = list(tolerances)
    for k, output in enumerate(calls[case.poison] if known else ()):
        if output.values.dtype.kind in "iu":
            moved = np.any([output.values != results[k].values for results in known], axis=0)
            allowed[k] = replace(tolerances[k], elements=moved.astype(np.float64)) if moved.any() else tolerances[k]
    return tuple(allowed)


def _moved(case: Case, calls: Calls, again: Sequence[Rounded]) -> list[Floats]:
    """How far the elements of each output move; the two calls of the reference itself count too."""
    return [
        moved_by(
            output.values,
            [*(results[case][k].values for results in again if case in results), calls[1 - case.poison][k].values],
        )
        for k, output in enumerate(calls[case.poison])
    ]


def _by_element(
    compared: Mapping[Case, Calls], moved: Mapping[Case, Sequence[Floats]], sizes: Mapping[Case, Sequence[ValueSpread]]
) -> dict[Case, tuple[Tolerance, ...]]:
    """Elements are pooled over all cases, those with special values apart. Numbers of other magnitudes than usual are
    compared for what is wrong by much: there the element that moves most says how far all may be off, and the largest
    is the outputs' size."""
    pools: dict[Case, list[Floats]] = {case: [] for case in compared}
    for k in range(len(next(iter(compared.values()))[0])):
        alone = [case for case in compared if case.extreme or case.special in APART]
        pooled_cases = [case for case in compared if case not in alone]
        regular, late = ([case for case in pooled_cases if case.late == is_late] for is_late in (False, True))
        for together in filter(None, (regular, late, *([case] for case in alone))):
            values = np.concatenate([compared[case][case.poison][k].values for case in together])
            moves = np.concatenate([moved[case][k] for case in together])
            pool = moves
            if values.dtype.kind == "f":
                pool = largest(values, moves) if together[0].special in APART else pooled(values, moves)
            ends = np.cumsum([moved[case][k].size for case in together])[:-1]
            for case, part in zip(together, np.split(pool, ends)):
                pools[case].append(part)
    return {
        case: tuple(
            _tolerance(m, pool, _size(case, spread), output)
            for m, pool, spread, output in zip(moved[case], pools[case], sizes[case], calls[0])
        )
        for case, calls in compared.items()
    }


def _besides_stated(
    stated: Mapping[Case, Sequence[Tolerance]], compared: Mapping[Case, Calls], again: Sequence[Rounded]
) -> dict[Case, tuple[Tolerance, ...]]:
    """A stated tolerance is meant for the usual call. In other cases an element may be off as far as rounding moves it
    and those near it, too, as in differences of numbers that differ little, and at sizes at which a problem is worse
    conditioned. Ways of rounding that the stated one refuses in the usual call do not count: a source with `rint`
    rounds to other numbers where all is rounded up."""
    usual = {case: calls for case, calls in compared.items() if case.usual}
    allowed = [results for results in again if all(_is_allowed(c, usual[c], results, stated[c]) for c in usual)]
    widened = {}
    for case, calls in compared.items():
        if not case.usual and allowed:
            outputs = calls[case.poison]
            moved = _moved(case, calls, allowed)
            by_rounding = [_tolerance(m, pooled(o.values, m), spread_of(o.values), o) for m, o in zip(moved, outputs)]
            pairs = zip(stated[case], by_rounding)
            widened[case] = tuple(replace(tolerance, elements=further.elements) for tolerance, further in pairs)
    return widened


def _is_allowed(case: Case, calls: Calls, results: Rounded, stated: Sequence[Tolerance]) -> bool:
    outputs = results.get(case, ())
    return len(outputs) == len(stated) and all(
        first.values.shape == other.values.shape and bool(is_right(first.values, other.values, tolerance).all())
        for first, other, tolerance in zip(calls[case.poison], outputs, stated)
    )


def _size(case: Case, spread: ValueSpread) -> ValueSpread:
    """Most outputs are small beside the largest where inputs differ much."""
    return replace(spread, size=spread.peak) if case.special in APART else spread


def _tolerance(moved: Floats, pool: Floats, spread: ValueSpread, output: Output) -> Tolerance:
    if output.values.dtype.kind != "f":
        return Tolerance()
    return tolerance_of_elements(moved, pool, spread, output.values.dtype)


def of_changed_inputs(expected: Sequence[Output], again: Sequence[Sequence[Output]]) -> tuple[Tolerance, ...]:
    """Tolerances of what the source computes once, of which nothing is stated, from what it computes `again` for the
    same inputs, rounding otherwise."""
    tolerances = []
    for k, output in enumerate(expected):
        if output.values.dtype.kind == "f":
            others = [outputs[k].values for outputs in again]
            moved = moved_by(output.values, others)
            tolerances.append(_tolerance(moved, pooled(output.values, moved), spread_of(output.values), output))
        else:
            tolerances.append(Tolerance())
    return tuple(tolerances)


def _timed(moved: Floats, spread: ValueSpread, output: Output) -> Tolerance:
    if output.values.dtype.kind != "f":
        return Tolerance()
    return tolerance_of_other_inputs(moved, spread, output.values.dtype)
