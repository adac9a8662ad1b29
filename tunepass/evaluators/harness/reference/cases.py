"""Cases in which a kernel's results are compared: seeds, sizes, ends of memory, distributions, special values, overlap.

One process runs all cases of a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tunepass.evaluators.harness.compare import POINTER
from tunepass.evaluators.harness.reference.distributions import (
    ALIKE,
    AT_MIDDLE,
    CHAIN,
    DISTRIBUTIONS,
    EITHER_END,
    ENDS,
    EQUAL,
    INFINITE,
    LARGEST,
    LITERAL,
    MULTIPLES,
    ONE_ERROR,
    ONE_LARGE,
    PERMUTED,
    REAL,
    REFILLED,
    REPEATS,
    SIGNED,
    SPECIAL,
    TEXTS,
    WHOLE,
)

FURTHER_SEEDS = 6
FEW_SEEDS = 3
SHORT = 4096  # elements of all arrays, with which further calls cost next to nothing
REDISTRIBUTED = 1 << 16  # elements of all arrays, at most, where distributions are tried at the tuned size
CONTENTS = "contents"  # what is unusual where arrays hold others than the pragma fills them with
SHIFTS = (0, 1, -1)  # elements between the beginnings of two arrays that overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a kernel may be called with besides the size that it is tuned at.

    `sizes` are the further ones, in words (`n = 383`), of which the last is small; `stated` if the source says so, else
    all but the first `basic` ones may be left out where they take the source long. `middle` is the number of one that
    is cheap and not small, `short` of one with few elements, `remainders` are those of each by 16, and at the end of
    the tuned one, `one_size` is why there are none. At the `extra` ones the source may fail more often than at others;
    at those of `noted` something else is tried, in words, and at those of `gaps` strides may leave elements unwritten.
    Each of `instead` stands for another size where the source fails at that. At the `unusual` ones a scalar has a value
    that callers may never give: its name, that value and the tuned one. Each of `moved` is one of these, that of the
    same value at other lengths, and the size with these lengths and the tuned value, 0 for the tuned one. `wide` are
    those beyond 16 bits, the last one with most elements.

    `pairs` of arrays may overlap, `shared` ones be the same array; special values are asked for (`finite=False`), tried
    on the winner (None) or not at all. An array of random numbers is `drawn`, arrays only written are `filled`;
    `real`, `whole` and `byte`: of those drawn some hold floating numbers, whole ones, and such of a byte; `ranged`:
    some have a range, `ranged_whole`: and hold whole numbers. `elements` are those of all arrays at the tuned size;
    `refilled` are filled with numbers that differ; `found` are variables that are compared though nobody said so. The
    constraints leave the `excluded` remainders to no size. The source's text has `literals`.
    """

    sizes: tuple[str, ...] = ()
    stated: bool = False
    basic: int = 0
    middle: int = 0
    short: int = 0
    wide: tuple[int, ...] = ()
    remainders: tuple[int, ...] = ()
    one_size: str = ""
    finite: bool | None = True
    drawn: bool = False
    real: bool = True
    whole: bool = False
    byte: bool = False
    ranged: bool = False
    ranged_whole: bool = False
    elements: int = SHORT + 1
    pairs: tuple[tuple[str, str], ...] = ()
    shared: tuple[tuple[str, str], ...] = ()
    extra: tuple[int, ...] = ()
    noted: tuple[tuple[str, tuple[int, ...]], ...] = ()
    gaps: tuple[int, ...] = ()
    instead: tuple[tuple[int, int], ...] = ()
    unusual: tuple[tuple[int, str, int | float, int | float], ...] = ()
    filled: tuple[str, ...] = ()
    refilled: tuple[str, ...] = ()
    literals: bool = False
    found: tuple[str, ...] = ()
    excluded: tuple[int, ...] = ()
    moved: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call in mode=check; frontends/c/harness/checks.h says what the numbers mean. `words` says it to the user.
    An `optional` one is left out where the source computes nothing there that candidates can be compared with; a `late`
    one is so as well, and no other is left out because the source does not end there. With `gaps` it may leave elements
    unwritten. An `unusual` one is tried on finalists: callers may never give that scalar, or arrays that are filled,
    such values. One with `instead` is left out unless the source fails at that size. A `wide` one has many elements.
    `base` is the size with the same lengths and no unusual scalar; -1: there is none."""

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
    unusual: str = ""
    wide: bool = False
    instead: int = 0
    base: int = -1

    @property
    def argument(self) -> str:
        fields = (self.seed, self.size, self.at_start, self.poison, self.special, self.pair, self.shift)
        return ":".join(str(int(field)) for field in fields)

    @property
    def usual(self) -> bool:
        """As the kernel is called while it is timed."""
        return not self.words

    @property
    def plain(self) -> bool:
        """Is nothing about it unusual but its size?"""
        return not (self.special or self.pair)

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
    rare = {size: name for size, name, *_ in inputs.unusual}
    rare |= {number: rare[size] for size, number, _ in inputs.moved}
    base = {number: base for _, number, base in inputs.moved}
    sizes = [
        replace(
            c,
            late=c.size in inputs.extra,
            at_start=c.at_start and c.size not in noted | rare.keys(),
            gaps=c.size in inputs.gaps or c.size in rare,
            unusual=rare.get(c.size, ""),
            instead=dict(inputs.instead).get(c.size, 0),
            wide=c.size in inputs.wide,
        )
        for c in sizes
    ]
    special, overlapping = _special(seeds[0], inputs), _overlapping(seeds[0], inputs)
    last_of_all = (*_chained(fresh, inputs), *_refilled(fresh, inputs))
    cases = (*sizes, *_distributed(fresh, inputs), *special, *overlapping, *last_of_all, *more, *usual)
    return tuple(replace(c, base=base[c.size]) if c.unusual and c.size in base else c for c in cases)


def at_right_lengths(cases: Sequence[Case], right: Collection[int]) -> list[Case]:
    """Without the cases of each unusual scalar but at the first lengths at which the source is right with the pragma's
    scalars."""
    bases = {case.unusual: list[int]() for case in cases}
    for case in cases:
        bases[case.unusual] += [case.base] if case.base in right or case.base == 0 else []
    return [case for case in cases if case.base < 0 or case.base in bases[case.unusual][:1]]


def of_candidate(cases: Sequence[Case], sizes: Collection[int] | None, finite: bool | None = False) -> tuple[Case, ...]:
    """Of the reference's cases those in which a candidate is compared that may be called at these further sizes (None:
    at all): the tuned size with the first seed alone where one near it, with the second, is among them. Special values
    only where the source asks for them (`finite` is False)."""
    usual_values = [case for case in cases if not case.unusual and (finite is False or not case.extreme)]
    allowed = [case for case in usual_values if sizes is None or case.size == 0 or case.size in sizes]
    near = any(case.size == 1 for case in allowed)
    first = next(case for case in allowed if case.usual)
    chosen = [case for case in allowed if not (near and case.usual) or case == first]
    small = max(case.size for case in chosen)
    # Other scalars just before the pragma's at the same lengths: a table may be kept that depends on both.
    return tuple(sorted(chosen, key=lambda case: 1 if case.gaps else 2 if case.size == small and case.size else 0))


def with_special_values(
    cases: Sequence[Case], sizes: Collection[int] | None, unusual: Collection[int]
) -> tuple[Case, ...]:
    """The reference's cases with special values in which such a candidate may be called, also where a scalar is 0 if
    that may have an `unusual` value there."""
    extreme = [case for case in cases if case.extreme and is_known_with_numbers(case, cases)]
    allowed = [case for case in extreme if sizes is None or case.size == 0 or case.size in sizes]
    return tuple(case for case in allowed if not case.unusual or case.size in unusual)


def with_unusual_scalars(cases: Sequence[Case], sizes: Collection[int] | None, finite: bool | None) -> tuple[Case, ...]:
    """The same of the cases with scalars that callers may never give; with special values, too, where the source asks
    for those (`finite` is False)."""
    unusual = [case for case in cases if case.unusual and is_known_with_numbers(case, cases)]
    tried = [case for case in unusual if finite is False or not case.extreme]
    return tuple(case for case in tried if sizes is None or case.size in sizes)


def with_other_contents(cases: Sequence[Case], sizes: Collection[int] | None) -> tuple[Case, ...]:
    """The same of the cases with other contents of filled arrays."""
    refilled = [case for case in cases if case.unusual == CONTENTS]
    return tuple(case for case in refilled if sizes is None or case.size == 0 or case.size in sizes)


def is_known_with_numbers(case: Case, cases: Sequence[Case]) -> bool:
    """Are results compared with usual numbers too, if there are special values and an unusual scalar?"""
    if not (case.extreme and case.unusual):
        return True
    return any(other.plain and other.size == case.size for other in cases)


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
        if k != CHAIN and k not in REFILLED and _changes_inputs(k, inputs)
    ] + [*_large_at_sizes(seed, inputs), *_drawn_again(seed, inputs), *_wide(seed, inputs)]


def _chained(seed: int, inputs: Inputs) -> list[Case]:
    """In both directions, by the seed. After all others, and with few elements: to follow a chain from each of n takes
    n^2 steps."""
    if not (inputs.drawn and inputs.ranged_whole) or not (inputs.short or inputs.elements <= SHORT):
        return []
    words = {number: f"with {DISTRIBUTIONS[CHAIN]} {place} it" for number, place in enumerate(("before", "behind"))}
    return [
        Case(seed=each, size=inputs.short, special=CHAIN, words=words[each % 2], optional=True)
        for each in (seed, seed + 1)
    ]


def _refilled(seed: int, inputs: Inputs) -> list[Case]:
    """Other contents than those that `fill` gives, made of these: offsets of rows with other lengths, also of none."""
    if not inputs.refilled or not (inputs.short or inputs.elements <= REDISTRIBUTED):
        return []
    return [
        Case(
            seed=seed,
            size=inputs.short,
            special=k,
            at_start=k % 2 == 1,
            words=f"with {DISTRIBUTIONS[k]}",
            optional=True,
            unusual=CONTENTS,
        )
        for k in REFILLED
    ]


def _wide(seed: int, inputs: Inputs) -> list[Case]:
    """Beyond 16 bits, with more equal elements than that, and with more different ones than bytes. Bytes are also the
    largest at the last size: sums that are kept in few bits may be emptied often enough for shorter arrays alone."""
    different = [(size, SIGNED) for size in inputs.wide if inputs.whole]
    largest = [(size, LARGEST) for size in inputs.wide[-1:] if inputs.byte]
    kinds = [*((size, EQUAL) for size in inputs.wide[-1:]), *different, *largest]
    return [replace(_at_other_size(seed, size, kind, inputs), wide=True) for size, kind in kinds]


def _large_at_sizes(seed: int, inputs: Inputs) -> list[Case]:
    """Usually whole numbers are below 256: rests of blocks and other scalars may matter only to larger ones."""
    if not inputs.whole or not inputs.sizes:
        return []
    rare = {size: name for size, name, *_ in inputs.unusual}
    cases = [_at_other_size(seed, size, MULTIPLES, inputs) for size in inputs.gaps]
    other_scalars = [replace(case, gaps=True, unusual=rare.get(case.size, "")) for case in cases]
    return [_at_other_size(seed, len(inputs.sizes), SIGNED, inputs), *other_scalars]


def _drawn_again(seed: int, inputs: Inputs) -> list[Case]:
    """Results may depend on the first elements that differ alone, on where a large number stands, on what is repeated,
    on the first error of a text, of which there are several kinds, and on which arrays are at the same end."""
    kinds = {ALIKE: FURTHER_SEEDS, ONE_ERROR: FURTHER_SEEDS}
    kinds |= {LITERAL: FURTHER_SEEDS, ONE_LARGE: FEW_SEEDS, REPEATS: FEW_SEEDS, EITHER_END: FEW_SEEDS}
    return [
        Case(
            seed=seed + k,
            size=inputs.middle if d in ENDS else inputs.short,
            special=d,
            shift=k,
            words=f"with {DISTRIBUTIONS[d]}",
            optional=True,
        )
        for d, times in kinds.items()
        if _changes_inputs(d, inputs) and (inputs.short or inputs.elements <= SHORT)
        for k in range(1, times + 1)
    ]


def _at_other_size(seed: int, size: int, distribution: int, inputs: Inputs) -> Case:
    words = f"at {inputs.sizes[size - 1]}, with {DISTRIBUTIONS[distribution]}"
    return Case(seed=seed, size=size, special=distribution, words=words, optional=True, late=True)


def _size_of(distribution: int, inputs: Inputs) -> int:
    if distribution == ALIKE and inputs.elements <= REDISTRIBUTED:
        return 0
    return inputs.middle if distribution in AT_MIDDLE else inputs.short


def _changes_inputs(distribution: int, inputs: Inputs) -> bool:
    """Does the kernel have arrays that hold other numbers then?"""
    if distribution in PERMUTED:
        return True
    if distribution == LITERAL:
        return inputs.literals and (inputs.real or inputs.whole)
    if distribution in TEXTS or distribution in ENDS:
        return inputs.byte if distribution in TEXTS else inputs.ranged
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
    cases = [
        Case(seed=seed, size=_small(inputs), special=k, words=f"with {words}", optional=inputs.finite is None)
        for k, words in SPECIAL.items()
    ]
    # What is multiplied by 0 need not be read, unless it is not finite: as BLAS has it, it is not.
    zeros = [(size, name) for size, name, value, _ in inputs.unusual if isinstance(value, float) and value == 0]
    return cases + [
        Case(
            seed=seed,
            size=size,
            special=INFINITE,
            words=f"with {SPECIAL[INFINITE]} where {name} is 0",
            optional=True,
            unusual=name,
        )
        for size, name in zeros
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
