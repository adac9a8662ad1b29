"""What one thread of a GPU kernel holds and does, as its source's text says: what register estimates are made from.

Amounts are expressions over the kernel's parameters. What a fully unrolled loop repeats counts as often as the compiler
writes it; a loop that runs is a region of its own, whose amounts are of one copy of its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.expr.nodes import Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRegion:
    """The statements of the function itself or of a loop that runs, without those of loops in it; words of 32 bits.

    `copies`: how often the compiler writes the text for one test of the condition; `whole`: 1 where these are all
    of its trips, so that no loop is left, else 0. `global_load_words` are without those that go to local arrays;
    `strided_loads` have an index that multiplies by what only the run knows, and so an address each; those whose
    product stays the same from trip to trip are `hoisted_loads`: their addresses live as long as the loop."""

    copies: Expr
    whole: Expr
    arrays: Expr  # words of the local arrays that it declares
    values: Expr  # words of its other local variables
    global_loads: Expr
    global_load_words: Expr
    strided_loads: Expr
    hoisted_loads: Expr
    global_stores: Expr
    shared_loads: Expr
    shared_load_words: Expr
    shared_stores: Expr
    operations: Expr
    special: Expr  # divisions, roots, exponentials
    barriers: Expr
    inside: tuple[CodeRegion, ...] = ()

    def regions(self) -> Iterator[CodeRegion]:
        """Itself and all in it, outermost first."""
        yield self
        for region in self.inside:
            yield from region.regions()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadCode:
    """`pointers` and `scalars` are the function's arguments, in words. `most_threads` and `least_blocks` are what its
    `__launch_bounds__` promise the compiler."""

    body: CodeRegion
    pointers: int
    scalars: int
    most_threads: Expr | None = None
    least_blocks: Expr | None = None
