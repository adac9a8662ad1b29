"""A static control part: statements in loops whose bounds, conditions and subscripts are affine, and what they access.

Sets and maps are isl's text: `[n] -> { S0[i, j] : 0 <= i < n and 0 <= j <= i }`. Parameters and the tuples' dimensions
carry the names of `ScopParameter` and `ScopLoop`; a name that isl reads as a word of its own (`min`, `mod`, `floor`)
has an underscore more than the source's.
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span


@dataclass(frozen=True, slots=True)
class ScopParameter:
    """A whole number that nothing in the scop changes; `text` is what code calls it. `value` is known of a macro."""

    name: str
    text: str
    type: str
    value: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopArray:
    """Array or scalar (no extents) that accesses name. Different arrays do not overlap.

    `extents` are the C texts of all dimensions, outermost first; `` where unknown (the first of a pointer).
    `private`: what it holds after the scop, and held before it, is nobody's concern.
    """

    name: str
    text: str
    element: str  # C type
    element_byte: int
    extents: tuple[str, ...] = ()
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopLoop:
    """A `for`. `name` is unique (`j_2` where an index is used again), `index` the source's name of it.

    The index starts at `start` and moves by `step`, negative where it counts down. `declared`: in the loop's header.
    `pragmas` are lines of the source's own that stay before it.
    """

    name: str
    index: str
    type: str
    start: str  # isl's text
    step: int
    parent: str | None
    declared: bool
    span: Span  # of the header: `for` up to and with the bracket that closes it
    pragmas: tuple[str, ...] = ()
    spelled: str = ""  # the type as the source writes it, where that is a qualified name

    @property
    def written_type(self) -> str:
        """As text of the source's own may have it: `std::size_t` is not `size_t` everywhere."""
        return self.spelled or self.type


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopAccess:
    """Access of one instance of a statement: isl map `[n] -> { S0[i, j] -> A[i, j] }`.

    `certain`: of these elements. Otherwise of some of them, perhaps: a subscript is not affine, a function is called.
    `always`: a write happens at every instance, and leaves nothing of the older value: it is under no condition on data
    and no member of a struct. `update` is the operator, `+`, `*`, `max` or `min`, of an associative update such as
    `x += ...`, which reads and writes the same element. `polynomial`, of an access that is a guess, is its one
    subscript as coefficients by products of indices and parameters: it may be affine once parameters are numbers.
    """

    array: str
    map: str
    element_byte: int
    read: bool = False
    written: bool = False
    update: str | None = None
    certain: bool = True
    always: bool = True
    polynomial: tuple[tuple[tuple[str, ...], int], ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """`text[start : start + len(index)]` of a statement names the index of `loop`."""

    loop: str
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopStatement:
    """`text` is the source's own, macros unexpanded, and ends in `;` or `}`. `loops` are around it, outermost first.

    `schedule` maps an instance to position, index, position, ... of the source's order (2d+1 form), decreasing loops
    negated; all statements' have equal length. `uses` is None where a macro hides an index: code then has to declare
    constants of the indices' own names. `opaque` says why its accesses are a guess: what it calls or jumps.
    """

    name: str
    loops: tuple[str, ...]
    domain: str
    schedule: str
    accesses: tuple[ScopAccess, ...]
    text: str
    uses: tuple[Use, ...] | None
    span: Span
    opaque: str | None = None


@dataclass(frozen=True, slots=True)
class Hindrance:
    """Why a part of the source keeps its order, or stays whole, and what to write instead."""

    reason: str
    span: Span
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scop:
    """`pragma` is the directive, `span` what code for the scop takes the place of: its first statement to its last.

    `condition` (isl's text, a part of the `context`) is what code has to check: elsewhere the source's own text runs.
    `declarations` (C text, `double sum;`) go before that code: variables that the source declares inside. `after` (C
    text, `i = n;`) follow it: what indices declared outside hold. `taken` are names that new code must not use.
    `headers_declare`: a `for` may declare its index, as in all but C of before 1999. `text` is the source's own where
    that of the `span` cannot be indented (a line spliced inside a word, a raw string of several lines).
    """

    parameters: tuple[ScopParameter, ...]
    context: str
    arrays: tuple[ScopArray, ...]
    loops: tuple[ScopLoop, ...]
    statements: tuple[ScopStatement, ...]
    pragma: Span
    span: Span
    declarations: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    taken: frozenset[str] = frozenset()
    headers_declare: bool = True
    hindrances: tuple[Hindrance, ...] = ()
    condition: str = ""
    text: str = ""

    def __hash__(self) -> int:
        """Of what tells scops apart cheaply: tables that remember what isl found look them up all the time."""
        return hash((self.span.start, self.context, len(self.statements), len(self.arrays)))

    def loop(self, name: str) -> ScopLoop:
        return next(loop for loop in self.loops if loop.name == name)

    def array(self, name: str) -> ScopArray:
        return next(array for array in self.arrays if array.name == name)
