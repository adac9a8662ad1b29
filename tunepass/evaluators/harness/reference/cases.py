"""Cases in which a kernel's results are compared: seeds, sizes, ends of memory, distributions, special values, overlap.

One process runs all cases of a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tunepass.evaluators.harness.compare import POINTER

SPECIAL = {1: "NaN and infinities", 2: "denormals and zeros of both signs", 3: "the largest numbers"}  # checks.h
DISTRIBUTIONS = {  # distributions.h
    4: "equal elements",
    5: "ascending elements",
    6: "few whole numbers",
    7: "very small numbers",
    8: "very large numbers",
    9: "descending elements",
    10: "zeros",
    11: "numbers up to 8",
    12: "numbers up to 87",
    13: "numbers up to 700",
    14: "numbers of mixed magnitudes",
    15: "numbers whose squares overflow",
    16: "whole numbers up to 2^16",
    17: "whole numbers up to 2^31",
    18: "whole numbers from -2^9 to 2^9",
    19: "whole numbers from -2^16 to 2^16",
    20: "whole numbers from -2^24 to 2^24",
    21: "whole numbers from -2^31 to 2^31",
    22: "whole numbers from -2^63 to 2^63",
    23: "the largest whole numbers",
    24: "the least whole numbers",
    25: "quarters",
    26: "elements most of which are alike",
    27: "numbers whose squares underflow",
    28: "odd numbers of all bits",
    29: "the largest whole numbers beside the least",
    30: "powers of two and their neighbours",
}
PERMUTED = (4, 5, 9, 26)  # numbers as they are drawn, alike or in another order
REAL = (7, 8, 11, 12, 13, 14, 15, 25, 27, 28)  # of floating types alone
WHOLE = {16: (16, 0), 17: (31, 0), 18: (9, 9), 19: (16, 16), 20: (24, 24), 21: (31, 31), 22: (63, 63)}
WHOLE |= {23: (64, 0), 24: (63, 64), 29: (64, 64), 30: (64, 63)}
"""Distributions of whole numbers alone: the bits of the largest and of the least number."""
APART = (9, 10, *REAL, *WHOLE)
"""Distributions with tolerances of their own: outputs are of another magnitude than usually, or cancel otherwise."""
# Tried as far as the source computes numbers there.
GROWING = ((11, 12, 13, 15), (16, 17, 23), (18, 19, 20, 21, 22, 24, 30, 29))
AT_TUNED = 26  # at the tuned size, where that is cheap: rows are as long as usual
AT_MIDDLE = (4, 5, 6, 7, 8, 29, AT_TUNED)  # at the largest cheap size; the others at the largest short one
FURTHER_SEEDS = 6
SHORT = 4096  # elements of all arrays, with which further calls cost next to nothing
REDISTRIBUTED = 1 << 16  # elements of all arrays, at most, where distributions are tried at the tuned size
SHIFTS = (0, 1, -1)  # elements between the beginnings of two arrays that overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a kernel may be called with besides the size that it is tuned at.

    `sizes` are the further ones, in words (`n = 383`), of which the last is small; `stated` if the source says so, else
    all but the first `basic` ones may be left out where they take the source long. `middle` is the number of one that
    is cheap and not small, `short` of one with few elements, `remainders` are those of each by 16, and at the end of
    the tuned one, `one_size` is why there are none. At the `extra` ones the source may fail more often than at others;
    at those of `noted` something else is tried, in words, and at those of `gaps` strides may leave elements unwritten.

    `pairs` of arrays may overlap, `shared` ones be the same array; special values are asked for (`finite=False`), tried
    on the winner (None) or not at all. An array of random numbers is `drawn`; `real` and `whole`: of such arrays some
    without a range hold floating numbers, and whole ones. `elements` are those of all arrays at the tuned size; `found`
    are variables that are compared though nobody said so.
    """

    sizes: tuple[str, ...] = ()
    stated: bool = False
    basic: int = 0
    middle: int = 0
    short: int = 0
    remainders: tuple[int, ...] = ()
    one_size: str = ""
    finite: bool | None = True
    drawn: bool = False
    real: bool = True
    whole: bool = False
    elements: int = SHORT + 1
    pairs: tuple[tuple[str, str], ...] = ()
    shared: tuple[tuple[str, str], ...] = ()
    extra: tuple[int, ...] = ()
    noted: tuple[tuple[str, tuple[int, ...]], ...] = ()
    gaps: tuple[int, ...] = ()
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call in mode=check; frontends/c/harness/checks.h says what the numbers mean. `words` says it to the user.
    An `optional` one is left out where the source computes nothing there that candidates can be compared with; a `late`
    one is so as well, and no other is left out because the source does not end there. With `gaps` it may leave elements
    unwritten."""

    seed: int
    size: int = 0
    at_start: bool = False
    poison: int = 0
    special: int = 0
    pair: int = 0
    shift: int = 0
    words: str = ""
    optional: bool = False
    late: bool = False
    gaps: bool = False

    @property
    def argument(self) -> str:
        fields = (self.seed, self.size, self.at_start, self.poison, self.special, self.pair, self.shift)
        return ":".join(str(int(field)) for field in fields)

    @property
    def usual(self) -> bool:
        """As the kernel is called while it is timed."""
        return not self.words

    @property
    def extreme(self) -> bool:
        """With special values."""
        return self.special in SPECIAL

    def explained(self, log: str) -> str:
        return f"{self.words}: {log}" if self.words else log


def all_cases(seeds: Sequence[int], inputs: Inputs) -> tuple[Case, ...]:
    """What the reference is run with: further sizes with the ends of memory in turns, the first of them with the last
    seed, the others with data of their own, the last and smallest at both ends; distributions, special values and
    overlaps at that one; the tuned size with every seed, and with further ones where arrays are short."""
    last, fresh = len(inputs.sizes), max(seeds) + 1
    sizes = [_at_size(fresh + k if k > 1 else seeds[-1], k, words, k % 2) for k, words in enumerate(inputs.sizes, 1)]
    sizes = [replace(c, optional=not inputs.stated and c.size > inputs.basic and c.size < last) for c in sizes]
    sizes += [_at_size(fresh, last, inputs.sizes[-1], 1 - last % 2)] if last else []
    more = [
        Case(seed=fresh + k, at_start=k % 2 == 1, poison=k % 2, shift=k + 1, words="with other data")
        for k in range(FURTHER_SEEDS if inputs.elements <= SHORT else 0)
    ]
    usual = [Case(seed=seed, at_start=k % 2 == 1, poison=k % 2) for k, seed in enumerate(dict.fromkeys(seeds))]
    noted = {size for _, numbers in inputs.noted for size in numbers}  # read past their end where the source fails
    sizes = [
        replace(c, late=c.size in inputs.extra, at_start=c.at_start and c.size not in noted, gaps=c.size in inputs.gaps)
        for c in sizes
    ]
    distributed = _distributed(fresh, inputs)
    return (*sizes, *distributed, *_special(seeds[0], inputs), *_overlapping(seeds[0], inputs), *more, *usual)


def of_candidate(cases: Sequence[Case], sizes: Collection[int] | None, finite: bool | None = False) -> tuple[Case, ...]:
    """Of the reference's cases those in which a candidate is compared that may be called at these further sizes (None:
    at all): the tuned size with the first seed alone where one near it, with the second, is among them. Special values
    only where the source asks for them (`finite` is False)."""
    usual_values = [case for case in cases if finite is False or not case.extreme]
    allowed = [case for case in usual_values if sizes is None or case.size == 0 or case.size in sizes]
    near = any(case.size == 1 for case in allowed)
    first = next(case for case in allowed if case.usual)
    chosen = [case for case in allowed if not (near and case.usual) or case == first]
    small = max(case.size for case in chosen)
    # Other scalars just before the pragma's at the same lengths: a table may be kept that depends on both.
    return tuple(sorted(chosen, key=lambda case: 1 if case.gaps else 2 if case.size == small and case.size else 0))


def with_special_values(cases: Sequence[Case], sizes: Collection[int] | None) -> tuple[Case, ...]:
    """The reference's cases with special values in which such a candidate may be called."""
    return tuple(c for c in cases if c.extreme and (sizes is None or c.size == 0 or c.size in sizes))


def advice(case: Case, inputs: Inputs, wrong: Sequence[str]) -> str:
    """Hint for results that are `wrong` in variables or at a size that nobody named."""
    names = {name.removeprefix(POINTER).partition(".")[0] for name in wrong}
    if names and names <= set(inputs.found):
        left = ", ".join(sorted(names))
        return f"\nif nothing else reads what is left in {left}, say in the pragma which variables count: `globals(…)`"
    if not case.size or inputs.stated:
        return ""
    if case.gaps:
        number = next(words for words, sizes in inputs.noted if case.size in sizes).split()[2]  # with another NUMBER
        return (
            "\nif the kernel is never called with other scalars, a constraint says so: "
            f"`#pragma tunepass constraint {number} == ...`"
        )
    return "\nif the kernel is never called with other sizes, end its pragma with `sizes()`"


def _at_size(seed: int, size: int, words: str, at_start: int) -> Case:
    return Case(seed=seed, size=size, at_start=bool(at_start), poison=at_start, words=f"at {words}")


def _distributed(seed: int, inputs: Inputs) -> list[Case]:
    """At a further size that is cheap; else at the tuned one, if that is."""
    if not inputs.drawn or (not inputs.sizes and inputs.elements > REDISTRIBUTED):
        return []
    return [
        Case(
            seed=seed,
            size=_size_of(k, inputs),
            special=k,
            at_start=k % 2 == 1,
            shift=k,
            words=f"with {words}",
            optional=True,
        )
        for k, words in DISTRIBUTIONS.items()
        if _changes_inputs(k, inputs)
    ]


def _size_of(distribution: int, inputs: Inputs) -> int:
    if distribution == AT_TUNED and inputs.elements <= REDISTRIBUTED:
        return 0
    return inputs.middle if distribution in AT_MIDDLE else inputs.short


def _changes_inputs(distribution: int, inputs: Inputs) -> bool:
    """Does the kernel have arrays that hold other numbers then?"""
    if distribution in PERMUTED:
        return True
    if distribution in REAL or distribution in WHOLE:
        return inputs.real if distribution in REAL else inputs.whole
    return inputs.real or inputs.whole


def beyond(failed: Collection[Case], case: Case) -> bool:
    """Does a case of whole numbers hold larger ones than one of those that failed?"""
    most, least = WHOLE[case.special]
    return any(most >= WHOLE[f.special][0] and least >= WHOLE[f.special][1] for f in failed if f.special in WHOLE)


def _special(seed: int, inputs: Inputs) -> list[Case]:
    if inputs.finite:
        return []
    return [
        Case(seed=seed, size=_small(inputs), special=k, words=f"with {words}", optional=inputs.finite is None)
        for k, words in SPECIAL.items()
    ]


def _overlapping(seed: int, inputs: Inputs) -> list[Case]:
    return [
        Case(seed=seed, size=_small(inputs), pair=k, shift=shift, words=_overlap_words(first, second, shift))
        for k, (first, second) in enumerate(inputs.pairs, 1)
        for shift in SHIFTS
    ] + [
        Case(seed=seed, size=_small(inputs), pair=k, words=_overlap_words(first, second, 0), optional=True)
        for k, (first, second) in enumerate(inputs.shared, len(inputs.pairs) + 1)
    ]


def _overlap_words(first: str, second: str, shift: int) -> str:
    if shift == 0:
        return f"with {second} in the place of {first}"
    return f"with {second} {abs(shift)} element {'after' if shift > 0 else 'before'} {first}, overlapping"


def _small(inputs: Inputs) -> int:
    """The number of the last further size, which is large enough for vectors and cheap; else of the tuned one."""
    return len(inputs.sizes)
