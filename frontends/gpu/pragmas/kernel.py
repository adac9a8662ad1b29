"""The `kernel` pragma of a GPU kernel as written: the arguments, the launch and what is expected of its resources.

kernel NAME(ARGUMENT, ...) grid(X[, Y[, Z]]) block(X[, Y[, Z]]) CLAUSE ...
    dynamic(BYTES)              shared memory that is asked for at the launch
    shared(BYTES)               of a block, static and dynamic together
    registers(NUMBER)           of a thread
    accumulators(NUMBER)        values that live in a thread over its loops
    tolerance(RELATIVE[, ABSOLUTE])
    sizes(NAME = VALUE, ...)    of scalars, for which variants are tuned
    reference(NAME[, grid(...)][, block(...)][, dynamic(BYTES)])
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.c.pragmas.arguments import parse_call
from tunepass.frontends.c.pragmas.kernel import KernelPragma, SizesText, parse_sizes
from tunepass.frontends.c.pragmas.names import qualified_name
from tunepass.frontends.params.tokens import Cursor, ExpressionText, PragmaToken
from tunepass.frontends.params.values import ToleranceText, parse_tolerance

DIRECTIONS = ("in", "out", "inout", "local")
EXTENTS = ("grid", "block")
NUMBERS = ("dynamic", "shared", "registers", "accumulators")
CLAUSES = (*EXTENTS, *NUMBERS, "tolerance", "sizes", "reference")
HOW = "write `grid(ceildiv(n, BX), ceildiv(n, BY)) block(BX, BY)`"
BYTES = ("dynamic", "shared")


@dataclass(frozen=True, slots=True)
class ExtentText:
    """`grid(X, Y)` with at most three numbers."""

    numbers: tuple[ExpressionText, ...]
    span: Span  # of the whole clause


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchText:
    """What is None is not said."""

    grid: ExtentText | None = None
    block: ExtentText | None = None
    dynamic: ExpressionText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceText:
    name: str
    span: Span  # of the name
    launch: LaunchText


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuKernelPragma:
    """`call` has the name, the arguments, the tolerance and the sizes."""

    call: KernelPragma
    launch: LaunchText
    shared: ExpressionText | None
    registers: ExpressionText | None
    accumulators: ExpressionText | None
    reference: ReferenceText | None

    @property
    def span(self) -> Span:
        return self.call.span


def parse_gpu_kernel(cursor: Cursor) -> GpuKernelPragma:
    name, span, arguments = parse_call(cursor, DIRECTIONS)
    clauses = _Clauses()
    while cursor.next.kind == "name":
        clauses.read(cursor)
    cursor.finish("the kernel", f"after the arguments: {', '.join(f'`{word}(…)`' for word in CLAUSES)}")
    missing = next((word for word in EXTENTS if word not in clauses.extents), None)
    if missing is not None:
        what = "how many blocks" if missing == "grid" else "how many threads a block has"
        cursor.fail(f"`{missing}(…)` is missing: {what}", HOW)
    numbers = clauses.numbers
    call = KernelPragma(
        name=name,
        arguments=arguments,
        tolerance=clauses.tolerance,
        sizes=clauses.sizes,
        aliasing=(),
        finite=True,
        globals=None,
        span=span,
    )
    return GpuKernelPragma(
        call=call,
        launch=_launch(clauses),
        shared=numbers.get("shared"),
        registers=numbers.get("registers"),
        accumulators=numbers.get("accumulators"),
        reference=clauses.reference,
    )


class _Clauses:
    """What stands after the arguments, in any order, each once."""

    def __init__(self, known: tuple[str, ...] = CLAUSES) -> None:
        self.known = known
        self.extents: dict[str, ExtentText] = {}
        self.numbers: dict[str, ExpressionText] = {}
        self.tolerance: ToleranceText | None = None
        self.sizes: tuple[SizesText, ...] | None = None
        self.reference: ReferenceText | None = None
        self.given: set[str] = set()

    def read(self, cursor: Cursor) -> None:
        word = take_clause(cursor, self.known, self.given)
        match word.text:
            case "grid" | "block":
                self.extents[word.text] = _extent(cursor, word)
            case "tolerance":
                self.tolerance = parse_tolerance(cursor)
            case "sizes":
                self.sizes = parse_sizes(cursor)
            case "reference":
                self.reference = _reference(cursor)
            case _:
                what = "a number of bytes" if word.text in BYTES else "a number"
                self.numbers[word.text] = bracketed(cursor, word, what)


def take_clause(cursor: Cursor, known: tuple[str, ...], given: set[str]) -> PragmaToken:
    """The word that a clause begins with; it becomes one of those `given`."""
    word = cursor.take()
    if word.text not in known:
        close = nearest(word.text, known)
        listed = ", ".join(f"`{name}(…)`" for name in known)
        hint = f"did you mean `{close}`?" if close else f"known: {listed}"
        cursor.fail(f"unknown clause `{word.text}`", hint, token=word)
    if word.text in given:
        cursor.fail(f"`{word.text}` is given twice", token=word)
    given.add(word.text)
    return word


def bracketed(cursor: Cursor, word: PragmaToken, what: str) -> ExpressionText:
    """`(EXPRESSION)` after a word."""
    cursor.expect("(", f"after `{word.text}`", f"write `{word.text}({'BYTES' if word.text in BYTES else 'NUMBER'})`")
    text = cursor.expression(")", what)
    cursor.expect(")", f"after {what}")
    return text


def _extent(cursor: Cursor, word: PragmaToken) -> ExtentText:
    cursor.expect("(", f"after `{word.text}`", HOW)
    numbers = [cursor.expression(",)", "a number of blocks" if word.text == "grid" else "a number of threads")]
    while comma := cursor.accept(","):
        if len(numbers) == 3:
            cursor.fail(f"`{word.text}` has at most three numbers", "x, y and z", token=comma)
        numbers.append(cursor.expression(",)", "a number"))
    cursor.expect(")", "after the numbers", HOW)
    return ExtentText(tuple(numbers), cursor.span(word, cursor.last))


def _reference(cursor: Cursor) -> ReferenceText:
    how = "write `reference(matmul_plain, grid(n // 16, n // 16), block(16, 16))`"
    cursor.expect("(", "after `reference`", how)
    name, first = qualified_name(cursor, "another kernel's name", how)
    span = cursor.span(first, cursor.last)
    clauses = _Clauses((*EXTENTS, "dynamic"))
    while cursor.accept(","):
        cursor.name("`grid(…)`, `block(…)` or `dynamic(…)`", how) if cursor.next.kind != "name" else None
        clauses.read(cursor)
    cursor.expect(")", "after the reference", how)
    return ReferenceText(name=name, span=span, launch=_launch(clauses))


def _launch(clauses: _Clauses) -> LaunchText:
    return LaunchText(
        grid=clauses.extents.get("grid"), block=clauses.extents.get("block"), dynamic=clauses.numbers.get("dynamic")
    )
