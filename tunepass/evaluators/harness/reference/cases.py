"""Cases in which a kernel's results are compared: seeds, sizes, ends of memory, distributions, special values, overlap.

One process runs all cases of a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tunepass.evaluators.harness.compare import POINTER

SPECIAL = {1: "NaN and infinities", 2: "denormals and zeros of both signs", 3: "the largest numbers"}  # checks.h
DISTRIBUTIONS = {
    4: "equal elements",
    5: "ascending elements",
    6: "few whole numbers",
    7: "very small numbers",
    8: "very large numbers",
}
SCALED = (7, 8)
FURTHER_SEEDS = 6
SHORT = 4096  # elements of all arrays, with which further calls cost next to nothing
REDISTRIBUTED = 1 << 16  # elements of all arrays, at most, where distributions are tried at the tuned size
SHIFTS = (0, 1, -1)  # elements between the beginnings of two arrays that overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a kernel may be called with besides the size that it is tuned at. `sizes` are the further ones, in words
    (`n = 383`), of which the last is small; `stated` if the source says so, else all but the first `basic` ones may be
    left out where they take the source long. `middle` is the number of one that is cheap and not small, `remainders`
    are those of each by 16, `one_size` is why there are none. `pairs` of arrays may overlap; special values are asked
    for (`finite=False`), tried on the winner (None) or not at all. An array of random numbers is `drawn`. `elements`
    are those of all arrays at the tuned size; `found` are variables that are compared though nobody said so.
    """

    sizes: tuple[str, ...] = ()
    stated: bool = False
    basic: int = 0
    middle: int = 0
    remainders: tuple[int, ...] = ()
    one_size: str = ""
    finite: bool | None = True
    drawn: bool = False
    elements: int = SHORT + 1
    pairs: tuple[tuple[str, str], ...] = ()
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call in mode=check; frontends/c/harness/checks.h says what the numbers mean. `words` says it to the user.
    An `optional` one is left out where the source computes nothing there that candidates can be compared with."""

    seed: int
    size: int = 0
    at_start: bool = False
    poison: int = 0
    special: int = 0
    pair: int = 0
    shift: int = 0
    words: str = ""
    optional: bool = False

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
    return tuple(case for case in allowed if not (near and case.usual) or case == first)


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
    return "\nif the kernel is never called with other sizes, end its pragma with `sizes()`"


def _at_size(seed: int, size: int, words: str, at_start: int) -> Case:
    return Case(seed=seed, size=size, at_start=bool(at_start), poison=at_start, words=f"at {words}")


def _distributed(seed: int, inputs: Inputs) -> list[Case]:
    """At a further size that is cheap; else at the tuned one, if that is."""
    if not inputs.drawn or (not inputs.sizes and inputs.elements > REDISTRIBUTED):
        return []
    return [
        Case(
            seed=seed, size=inputs.middle, special=k, at_start=k % 2 == 1, shift=k, words=f"with {words}", optional=True
        )
        for k, words in DISTRIBUTIONS.items()
    ]


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
    ]


def _overlap_words(first: str, second: str, shift: int) -> str:
    if shift == 0:
        return f"with {second} in the place of {first}"
    return f"with {second} {abs(shift)} element {'after' if shift > 0 else 'before'} {first}, overlapping"


def _small(inputs: Inputs) -> int:
    """The number of the last further size, which is large enough for vectors and cheap; else of the tuned one."""
    return len(inputs.sizes)
