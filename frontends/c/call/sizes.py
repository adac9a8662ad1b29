"""The further sizes at which a kernel's results are compared, where the pragma's clause `sizes` does not name them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_ops import Mask
from tunepass.frontends.c.call.allowed_sizes import REMAINDERS, AllowedSizes
from tunepass.frontends.c.call.extra_sizes import (
    empty_sizes,
    in_other_order,
    larger_sizes,
    sizes_apart,
    sizes_of_blocks,
    sizes_of_one,
    wide_sizes,
    with_other_scalars,
    with_other_whole,
    with_unusual_real,
    with_unusual_whole,
    within_lengths,
)
from tunepass.frontends.c.call.inputs import element_count, fits, free_scalars, scalar_values
from tunepass.frontends.c.call.requirements import sizes_called
from tunepass.ir.c_kernel import NO_LITERALS, Argument, KernelCall, Literals, Size

LONG = 1 << 16  # elements of all arrays; where there are more, the near size is half the tuned one
SMALL = (1, 7, 37)  # of the largest scalar: less than a vector, no multiple of one, several vectors and a rest
CHEAP = 1 << 14  # elements of all arrays, at most, at sizes of which many are tried
FEW = 1 << 12  # elements of all arrays, at most, where many distributions are tried


@dataclass(frozen=True, slots=True)
class FurtherSizes:
    """`sizes` in their order: `basic` ones, those that may be left out where they take the source long, cheap ones
    first, and the last, which is small. `middle` is the number, from 1, of the largest cheap one, `short` that of one
    with few elements, `wide` those of sizes beyond 16 bits, the one with most elements last; `extra` are those of
    extra_sizes.py. At those of `noted` something else is tried, in words; at those of `gaps` other scalars, so that
    strides may leave elements unwritten. Each of `instead` stands for another one where the source fails at that:
    scalars that decide no length are smaller. At the `unusual` ones a scalar has a value that callers may never give:
    its name, that value and the tuned one; each of `moved` is one of these numbers, that of the same value at other
    lengths, and the number of the size with these lengths and the tuned value, 0 of the tuned one. `none` says why
    there are none. At no size that the constraints allow is one of the `excluded` remainders left."""

    sizes: tuple[Size, ...] = ()
    basic: int = 0
    middle: int = 0
    short: int = 0
    wide: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    noted: tuple[tuple[str, tuple[int, ...]], ...] = ()
    gaps: tuple[int, ...] = ()
    instead: tuple[tuple[int, int], ...] = ()
    unusual: tuple[tuple[int, str, int | float, int | float], ...] = ()
    moved: tuple[tuple[int, int, int], ...] = ()
    none: str = ""
    excluded: tuple[int, ...] = ()

    def remainders(self, tuned: int) -> tuple[int, ...]:
        """The remainder by REMAINDERS of the largest scalar that varies at each size, -1 of one that has a zero or is
        `noted`, and that of the `tuned` size at the end; no remainders where that is smaller."""
        noted = {number for _, numbers in self.noted for number in numbers} | {number for number, *_ in self.unusual}
        noted |= {number for _, number, _ in self.moved}
        if tuned < REMAINDERS:
            return ()
        further = (
            -1 if number in noted or 0 in dict(size).values() else max(int(v) for _, v in size) % REMAINDERS
            for number, size in enumerate(self.sizes, 1)
        )
        return (*further, tuned % REMAINDERS)


def further_sizes(call: KernelCall) -> tuple[Size, ...]:
    """The sizes at which results are compared besides the tuned one."""
    return sizes_of_call(call).sizes


def sizes_of_call(call: KernelCall) -> FurtherSizes:
    if call.sizes:
        return FurtherSizes(call.sizes, len(call.sizes), len(call.sizes), len(call.sizes))
    setup_scalars = call.setup.scalars if call.setup else ()
    if call.sizes is None:
        return automatic_sizes(call.arguments, setup_scalars, call.seed, call.requirements, call.literals)
    left = sorted(free_scalars(call.arguments).keys() - set(setup_scalars))
    if call.setup is not None and left:
        return FurtherSizes(none=f"the setup does not take {' and '.join(left)}")
    return FurtherSizes()


def automatic_sizes(
    arguments: Sequence[Argument],
    setup_scalars: Collection[str] = (),
    seed: int = 0,
    requirements: Sequence[Expr] = (),
    literals: Literals = NO_LITERALS,
) -> FurtherSizes:
    """An odd size near the tuned one, small ones, those around powers of two, sizes that leave every remainder, one
    above the tuned one, and those of extra_sizes.py, some of them drawn from `seed`, where whole numbers that the
    source gives decide the lengths, or what a setup makes: it takes the scalars `setup_scalars`.

    Equal numbers stay equal at all but a few sizes, others do not become so, and the largest stays the largest at all
    but one: a kernel may rely on n == m, or on n > m. Others that `requirements` over scalars allow stand for those
    that they exclude."""
    free = free_scalars(arguments, setup_scalars)
    if not free:
        return FurtherSizes(none="no whole number above 1 of the pragma decides the length of an array")
    ranks = {value: rank for rank, value in enumerate(sorted(set(free.values()), reverse=True))}
    part = 1 if element_count(arguments) <= LONG else 2
    near = {name: _odd_below(value // part - 2 * ranks[value]) for name, value in free.items()}
    largest = max(near.values())

    def regular_at(s: int) -> Size:
        return tuple((name, max(1, min(near[name], s - 2 * ranks[v]))) for name, v in free.items())

    called = sizes_called(requirements, arguments)
    allowed = AllowedSizes.of(free, largest, regular_at, called) if requirements else None
    if allowed is not None and not allowed.sizes:
        return FurtherSizes(excluded=(*range(REMAINDERS),))
    at = regular_at if allowed is None else allowed.at

    def possible(size: Size) -> bool:
        return size != tuple(free.items()) and fits(arguments, size, least=1) and bool(called([size]).all())

    def cheap(s: int) -> bool:
        most = CHEAP if s > REMAINDERS else LONG
        return s <= largest and not (fits(arguments, at(s), least=1) and element_count(arguments, at(s)) > most)

    end = _last(cheap, largest)
    many = {*range(1, 2 * REMAINDERS + 2), *range(end - REMAINDERS + 1, end + 1)}
    many |= {power + by for power in (1 << k for k in range(end.bit_length() + 1)) for by in (-1, 0, 1)}
    above: Size = tuple((name, value + 1) for name, value in free.items())
    if allowed is not None:
        many |= {*allowed.some()}
        above = next((size for size in allowed.above if called([size]).all()), above)
    basic = [size for size in (at(largest), *map(at, SMALL)) if possible(size)]
    optional = [size for size in (*(at(s) for s in sorted(many) if s > 0 and cheap(s)), above) if possible(size)]
    *first, last = dict.fromkeys(basic) or [above]
    between = [size for size in dict.fromkeys(optional) if size not in (*first, last)]
    middle = len(first) + len(between) - (above in between)
    regular = [size for size in (*first, *between, last) if possible(size)]
    if not regular:
        return FurtherSizes()
    random = Random(seed)
    blocks = [at(s) for s in sizes_of_blocks(end, random) if cheap(s)]
    larger = [size for size in (*blocks, *larger_sizes(arguments, free, random)) if possible(size)]
    sizes = _with_extra(
        _Regular(arguments, free, tuple(regular), len(first), middle), larger, possible, called, literals
    )
    return sizes if allowed is None else replace(sizes, excluded=allowed.excluded(max(free.values())))


@dataclass(frozen=True, slots=True)
class _Regular:
    """Regular sizes of a call in their order, of which the first are `basic` ones and `middle` is the largest cheap."""

    arguments: Sequence[Argument]
    free: Mapping[str, int]
    sizes: tuple[Size, ...]
    basic: int
    middle: int

    @property
    def small(self) -> Size:
        """The basic one with most elements that is small."""
        few = [size for size in (*self.sizes[: self.basic], self.sizes[-1]) if max(v for _, v in size) <= SMALL[-1]]
        return max(few, key=lambda size: element_count(self.arguments, size), default=self.sizes[-1])

    def reduced(self, others: Sequence[Size]) -> dict[Size, Size]:
        """By what they are where scalars are within lengths: small sizes, and others."""
        sizes = [*(size for size in self.sizes if max(v for _, v in size) <= SMALL[-1]), *others]
        pairs = {within_lengths(self.arguments, size, self.free): size for size in sizes}
        return {reduced: size for reduced, size in pairs.items() if reduced != size}


def _with_extra(
    regular: _Regular,
    larger: Sequence[Size],
    possible: Callable[[Size], bool],
    called: Callable[[Sequence[Size]], Mask],
    literals: Literals,
) -> FurtherSizes:
    """Regular sizes, the `larger` ones and those of extra_sizes.py, of which the dearest come last."""
    arguments, free, small = regular.arguments, regular.free, regular.small
    wide = [s for s in dict.fromkeys(wide_sizes(arguments, free)) if possible(s) and s not in regular.sizes]
    short = _short(arguments, regular.sizes[:-1], regular.middle) if regular.middle else 0
    scaled = _with_other_scalars(arguments, free, (small, *([regular.sizes[short - 1]] if short else [])))
    scaled = {words: [s for s in there if called([s]).all()] for words, there in scaled.items()}
    proportions = _in_other_proportions(free, small, possible)
    noted = {words: there for words, there in {**proportions, **scaled}.items() if there}
    instead = regular.reduced([size for there in proportions.values() for size in there])
    others = [size for there in noted.values() for size in there]
    instead = {r: size for r, size in instead.items() if r not in others and called([r]).all()}
    narrow = [*empty_sizes(arguments, free, small), *sizes_of_one(free, small, possible)]
    added = dict.fromkeys((*larger, *others, *(size for size in narrow if called([size]).all()), *instead))
    extra = [size for size in added if size not in (*regular.sizes, *wide)]
    changed = (*with_unusual_real(arguments, small, free), *with_unusual_whole(arguments, small, free, literals))
    unusual = {size: name for name, size in changed}
    rare = [size for size in unusual if size not in (*extra, *regular.sizes)]
    lengths = [size for size in (*(r for r in instead if instead[r] == small), tuple(free.items())) if size != small]
    moved = {size: [(*base, (unusual[size], dict(size)[unusual[size]])) for base in lengths] for size in rare}
    known = {*extra, *rare, *wide, *regular.sizes}
    moved = {
        size: [s for s in there if len(s) == len(dict(s)) and s not in known and fits(arguments, s, least=1)]
        for size, there in moved.items()
    }
    extra += [*rare, *wide, *dict.fromkeys(s for there in moved.values() for s in there)]
    sizes = (*regular.sizes[:-1], *extra, *regular.sizes[-1:])
    number, tuned = {size: number for number, size in enumerate(sizes, 1)}, scalar_values(arguments, ())
    middle = regular.middle or len(sizes)
    return FurtherSizes(
        sizes=sizes,
        basic=regular.basic,
        middle=middle,
        short=short or _short(arguments, sizes[: len(regular.sizes) - 1], middle),
        wide=tuple(number[size] for size in sorted(wide, key=lambda size: element_count(arguments, size))),
        extra=tuple(number[size] for size in extra),
        noted=tuple((words, tuple(number[size] for size in there if size in extra)) for words, there in noted.items()),
        gaps=tuple(number[size] for size in (*(s for there in scaled.values() for s in there), *rare)),
        instead=tuple((number[reduced], number[size]) for reduced, size in instead.items()),
        unusual=tuple((number[size], unusual[size], dict(size)[unusual[size]], tuned[unusual[size]]) for size in rare),
        moved=tuple(
            (number[size], number[other], number.get(other[:-1], 0)) for size in rare for other in (size, *moved[size])
        ),
    )


def _in_other_proportions(
    free: Mapping[str, int], small: Size, possible: Callable[[Size], bool]
) -> dict[str, Sequence[Size]]:
    """By what is tried, in words: sizes where equal numbers differ, and where the smallest is the largest."""
    equal = [name for name, value in free.items() if [*free.values()].count(value) > 1]
    most, least = max(free, key=lambda name: free[name]), min(free, key=lambda name: free[name])
    sizes = {
        f"where {' and '.join(equal)} differ": [*sizes_apart(free, small, possible)],
        f"where {least} is larger than {most}": [*in_other_order(free, small, possible)],
    }
    return {words: there for words, there in sizes.items() if there}


def _with_other_scalars(
    arguments: Sequence[Argument], free: Mapping[str, int], sizes: Sequence[Size]
) -> dict[str, list[Size]]:
    """The same with other values of scalars that decide no length: floating ones at the first of the sizes, whole ones
    at all of them, since a block of so many elements may be longer than what a small size has."""
    small, whole = sizes[0], dict[str, list[Size]]()
    for size in dict.fromkeys(sizes):
        for name, there in with_other_whole(arguments, size, free).items():
            whole.setdefault(f"with another {name}", []).extend(there)
    whole = {words: there for words, there in whole.items() if there}
    scaled = with_other_scalars(arguments, small, free)
    real = [name for size in scaled for name, _ in size if name not in free]
    return {f"with another {' and '.join(real)}": scaled, **whole} if scaled else whole


def _short(arguments: Sequence[Argument], sizes: Sequence[Size], middle: int) -> int:
    """The number, from 1, of a size with at most FEW elements: `middle` if it is one, else the largest multiple of
    REMAINDERS, which sources take that take no other."""
    counts = {number: element_count(arguments, size) for number, size in enumerate(sizes, 1)}
    if counts.get(middle, 0) <= FEW:
        return middle
    whole = [k for k in counts if max(int(v) for _, v in sizes[k - 1]) % REMAINDERS == 0 and counts[k] <= FEW]
    return max(whole, key=lambda number: counts[number], default=middle)


def _last(cheap: Callable[[int], bool], largest: int) -> int:
    """The largest s that is cheap, or 0."""
    low, high = 0, largest + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cheap(middle) else (low, middle)
    return low


def _odd_below(value: int) -> int:
    """The largest odd number below it, at least 1."""
    return max(1, value - 1 if value % 2 == 0 else value - 2)
