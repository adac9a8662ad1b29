"""The body of a C or C++ kernel: what is called or run to judge it, and the loop nests that are rewritten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Expr
from tunepass.ir.body import Body
from tunepass.ir.run import RunCommand
from tunepass.ir.scop_directives import ScopNest

UNCOMPARED = "not compared, "  # how a note begins on what a kernel writes and nothing compares
Direction = Literal["in", "out", "inout", "work"]  # `work`: zero before each call, and not compared
Container = Literal[
    "object", "resizable"
]  # what an argument of C++ may be besides an address; the length may be compared


@dataclass(frozen=True, slots=True)
class Literals:
    """Numbers in a source's text: whole ones from 2 and real ones above 0; and the codes of its letters, of ASCII."""

    whole: tuple[int, ...] = ()
    real: tuple[float, ...] = ()
    letters: tuple[int, ...] = ()


NO_LITERALS = Literals()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarArgument:
    """A scalar passed by value; `value` is an expression over the scalars before it."""

    name: str
    element: str  # the C type, as in the kernel's definition
    value: Expr
    enumerators: tuple[int, ...] = ()  # of an enum: its values


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number in an element, or an array of numbers: `.position.x`, of the C type `element`. A pointer is compared by
    what it points into (`opaque`: nothing there is ever compared), a union (`bytes`) byte by byte. With an `offset` in
    bytes, `count` numbers stand there; without one the harness's compiler finds them by the path."""

    path: str
    element: str
    kind: Literal["number", "real", "imaginary", "pointer", "opaque", "bytes"] = "number"
    offset: int | None = None
    count: int = 1

    @property
    def alone(self) -> bool:
        """Is the element this number, and no struct or vector of numbers?"""
        return self.kind == "number" and not self.path and self.offset is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedValue:
    """What the function returns, if that is compared."""

    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayArgument:
    """A pointer argument of `length` elements. Inputs are filled with `fill(i)` if given, else uniform in [lo, hi].

    With `row` the function gets an array of pointers to rows of that many elements. `pointer_rows`, innermost first,
    are the lengths of rows of such pointers where further pointers lead to these. With `by_value` it is one element,
    which the function gets itself."""

    name: str
    element: str  # the C element type: double, float, int, ...
    direction: Direction
    length: Expr  # over the scalar arguments
    fill: Expr | None = None  # over the scalar arguments and the index `i`
    lo: Expr | None = None
    hi: Expr | None = None
    leaves: tuple[Leaf, ...] = ()  # of an element that is no plain number
    enumerators: tuple[str, ...] = ()  # of an enum: its elements are drawn from these
    row: Expr | None = None
    pointer_rows: tuple[Expr, ...] = ()
    by_value: bool = False
    container: Container | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalVariable:
    """A variable of the file, compared after each call and restored before. It starts as the source initialises it, or
    `filled` like an inout array."""

    name: str
    dims: int  # 0: it is no array
    leaves: tuple[Leaf, ...] = ()  # of an element that is no plain number
    enumerators: tuple[str, ...] = ()
    filled: bool = False
    fill: Expr | None = None
    lo: Expr | None = None
    hi: Expr | None = None
    named: bool = False  # by the source; else found
    condition: str = ""  # of the preprocessor, without which there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedArgument:
    """What the kernel gets is `text` of the source: a function's name, or 0 for a null pointer."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenArgument:
    """What the setup function makes; the pragma says no more than its name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlace:
    """Memory that the setup function made: `text` is an expression of C for an array, or for one object where it has no
    `length`. It is compared after each call; before, it is as the setup leaves it, poisoned, or `filled`.

    With `within` it lies in many pieces, for each element of that earlier place: where the pointers that are the member
    `member` of the element lead (`followed`), or the member itself; `text` is then its name alone. Without `within`,
    `followed` says that `text` is a pointer. `again` are members of its own elements that lead to more of them."""

    text: str
    element: str  # the C type as the pragma has it; empty: the object's own
    direction: Literal["out", "inout"]
    length: str = ""  # an expression of C: the number of `element`s; of a place in pieces, those in a piece
    rest: bool = False  # its length is the rest of the allocation that it lies in
    within: str = ""  # the `text` of the place in whose elements it lies
    member: str = ""  # empty: the whole element
    followed: bool = False
    again: tuple[str, ...] = ()
    found: bool = False  # not named by the pragma
    filled: bool = False
    fill: Expr | None = None
    lo: Expr | None = None
    hi: Expr | None = None
    leaves: tuple[Leaf, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Functions of the user's that make the open arguments before each call, and free them after it. With `once` they
    run once before all timed calls: the kernel writes nothing else than the places."""

    function: str
    teardown: str = ""
    once: bool = False
    scalars: tuple[str, ...] = ()  # the arguments that it takes: what it makes depends on them
    places: tuple[MemoryPlace, ...] = ()


Argument = ScalarArgument | ArrayArgument | NamedArgument | OpenArgument
Size = tuple[tuple[str, int | float], ...]  # values of scalars, by name


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFunction:
    """A function after the source's text that calls the kernel, where no other file can, with numbers and addresses.
    `counted`: after each address it takes the number of elements, and containers are made (harness/entry.h). `flags`
    are the compiler's, without which it may not call the kernel."""

    function: str
    prototype: str
    text: str
    counted: bool = False
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCall:
    """The generated harness's call: the definition's own prototype text and its arguments in order.

    Results are also compared at `sizes` (None: those that the arguments allow, some drawn from `seed`), in which
    further `pairs` of arrays may overlap and `shared` ones may be the same array, and with numbers that are not
    `finite` or extreme."""

    function: str
    prototype: str  # `void matmul(int n, const double *A, ...)`, without body or semicolon
    arguments: tuple[Argument, ...]
    entry: EntryFunction | None = None
    returned: ReturnedValue | None = None
    globals: tuple[GlobalVariable, ...] = ()
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None  # None: what the reference's own rounding says
    sizes: tuple[Size, ...] | None = None
    seed: int = 0
    pairs: tuple[tuple[str, str], ...] = ()
    shared: tuple[tuple[str, str], ...] = ()
    finite: bool | None = True
    setup: Setup | None = None
    uncompared: tuple[str, ...] = ()  # what the kernel may write and nothing compares, in sentences
    literals: Literals = NO_LITERALS
    requirements: tuple[Expr, ...] = ()  # constraints over scalars alone: at other sizes it is never called
    own_types: bool = False  # the prototype names types that the source or its headers define
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class TunedConstant:
    """An expression that a parameter's value takes the place of, as an expression of `type`; where that is
    empty, as it is. `default` is the part of it that states the parameter's default."""

    parameter: str
    type: str
    span: Span
    default: Span


@dataclass(frozen=True, slots=True)
class LoopHint:
    """Hints that the compiler is given for the loop after `span`: copies of its body, and whether to vectorise it;
    numbers, names of parameters or None. No code but hints uses the parameters `settled`."""

    span: Span
    unroll: int | str | None
    vectorize: int | str | None
    settled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CKernel(Body):
    """A function that a generated harness calls, or a program with a run of its own."""

    kind: ClassVar[str] = "c"
    judged_by: KernelCall | RunCommand
    scops: tuple[ScopNest, ...] = ()
    constants: tuple[TunedConstant, ...] = ()
    hints: tuple[LoopHint, ...] = ()
    requirements: tuple[Expr, ...] = ()  # the source's constraints, over parameters and scalar arguments

    @property
    def call(self) -> KernelCall | None:
        return self.judged_by if isinstance(self.judged_by, KernelCall) else None

    @property
    def uncompared_results(self) -> tuple[str, ...]:
        return () if self.call is None else self.call.uncompared

    @property
    def run(self) -> RunCommand | None:
        return self.judged_by if isinstance(self.judged_by, RunCommand) else None
