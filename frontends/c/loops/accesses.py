"""From the text of a nest's body to what an iteration does: affine subscripts, operation counts, element sizes.

Whatever is not affine in the loops' indices and the call's sizes makes the whole body opaque; nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.diagnostics import Source
from tunepass.frontends.c.loops.body import BodyReader, OuterNames, UnreadableError
from tunepass.frontends.c.loops.body_tokens import BodyTokens
from tunepass.frontends.c.macros import MacroDefault
from tunepass.frontends.c.pragmas.models import scalar_values
from tunepass.frontends.c.syntax.definitions import Formal, FunctionDefinition, canonical_type
from tunepass.frontends.c.syntax.statements import changes
from tunepass.ir.accesses import Access, OpaqueBody, Work
from tunepass.ir.c_kernel import ArrayArgument, KernelCall
from tunepass.ir.loops import Loop, Nest

ELEMENT_BYTE: Mapping[str, int] = {
    **dict.fromkeys(("char", "signed char", "unsigned char", "bool", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "int16_t", "uint16_t", "_Float16"), 2),
    **dict.fromkeys(("int", "unsigned int", "float", "int32_t", "uint32_t"), 4),
    **dict.fromkeys(("double", "int64_t", "uint64_t", "size_t", "ptrdiff_t"), 8),
    **dict.fromkeys(("long", "unsigned long", "long long", "unsigned long long"), 8),
    **dict.fromkeys(("long double", "__float128"), 16),
}

EXTENT = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a body's names may mean: the source's code (comments blanked), the call, its function, the macros; `tuned`
    are the macros that parameters set."""

    source: Source
    code: str
    call: KernelCall | None
    function: FunctionDefinition | None
    macros: Mapping[str, MacroDefault]
    tuned: frozenset[str]


def read_work(nest: Nest, around: Surroundings) -> Work | OpaqueBody:
    """What an iteration of `nest` does, or why that cannot be said."""
    function, call = around.function, around.call
    if call is None or function is None:
        return OpaqueBody("the sizes are known of a `kernel` only, not of a program", nest.body)
    if not function.body_start <= nest.span.start < function.body_end:
        return OpaqueBody(f"the nest is not in `{call.function}`, whose sizes are known", nest.body)
    try:
        return _AccessReader(nest, around, function, call).work()
    except UnreadableError as error:
        return OpaqueBody(error.reason, around.source.span(error.start, error.end))


class _AccessReader:
    def __init__(self, nest: Nest, around: Surroundings, function: FunctionDefinition, call: KernelCall):
        self.nest, self.around = nest, around
        text = around.code[function.body_start : function.body_end]
        scalars = scalar_values(call)
        pairs = list(zip(function.formals, call.arguments))
        known = {f.name: int(v) for f, a in pairs if isinstance(v := scalars.get(a.name), int)}
        known = {n: v for n, v in known.items() if next(changes(text, n), None) is None}
        known |= {n: v for n, m in around.macros.items() if (v := _whole(m.text)) is not None}
        self.sizes = {n: v for n, v in known.items() if n not in around.tuned}
        arrays = {f.name: (_element_byte(a), self._extents(f)) for f, a in pairs if isinstance(a, ArrayArgument)}
        self.names = OuterNames(
            arrays={
                name: (byte, extents)
                for name, (byte, extents) in arrays.items()
                if byte is not None and extents is not None and next(changes(text, name), None) is None
            },
            sizes=self.sizes,
            opaque=around.tuned | {n for n in around.macros if n not in self.sizes},
        )

    def work(self) -> Work:
        loops = self.nest.loops
        trips = tuple((loop.index, self._trips(loop)) for loop in loops)
        body = BodyReader(
            self._tokens(self.nest.body.start, self.nest.body.end), self.names, [loop.index for loop in loops]
        )
        body.read()
        steps = {loop.index: -loop.step if loop.down else loop.step for loop in loops}
        return Work(
            trips=trips,
            accesses=tuple(
                Access(
                    array=key.array,
                    element_byte=use.element_byte,
                    strides=tuple((index, stride * steps[index]) for index, stride in key.strides),
                    offset=key.offset,
                    read=use.read,
                    written=use.written,
                )
                for key, use in body.accesses.items()
            ),
            operations=body.operations,
            divisions=body.divisions,
            calls=body.calls,
            chained=max(1, body.chained),
        )

    def _extents(self, formal: Formal) -> tuple[int, ...] | None:
        """Of all dimensions but the first; None where one is not known, or where it is a pointer to pointers."""
        if formal.text.count("*") > 1:
            return None
        dimensions = EXTENT.findall(formal.text)
        inner = dimensions if "*" in formal.text else dimensions[1:]
        extents = [self._number(extent) for extent in inner]
        return tuple(e for e in extents if e is not None) if None not in extents else None

    def _trips(self, loop: Loop) -> int:
        start, end = self._bound(loop.start, loop), self._bound(loop.end, loop)
        distance = start - end if loop.down else end - start
        trips = -(-distance // loop.step)
        if trips < 1:
            raise UnreadableError(f"the loop over `{loop.index}` does not run", *self._place(loop))
        return trips

    def _bound(self, text: str, loop: Loop) -> int:
        value = self._number(text)
        if value is None:
            raise UnreadableError(f"the bound `{text}` of this loop is not known", *self._place(loop))
        return value

    def _number(self, text: str) -> int | None:
        """The value of whole-number arithmetic on sizes; None where it is anything else."""
        names = OuterNames(arrays={}, sizes=self.sizes, opaque=frozenset())
        try:
            return BodyReader(BodyTokens(text, 0), names, []).constant()
        except UnreadableError:
            return None

    def _tokens(self, start: int, end: int) -> BodyTokens:
        return BodyTokens(self.around.code[start:end], start)

    def _place(self, loop: Loop) -> tuple[int, int]:
        span = loop.span or self.nest.span
        return span.start, span.end


def _whole(text: str) -> int | None:
    digits = text.strip("()")
    return int(digits) if digits.isdigit() and len(digits) < 18 else None


def _element_byte(argument: ArrayArgument) -> int | None:
    return ELEMENT_BYTE.get(canonical_type(argument.element))
