"""The arguments of a `kernel` pragma beside the function's own parameters: what they say has to agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from tunepass.diagnostics import SourceError, nearest
from tunepass.expr.algebra import lift, mul
from tunepass.expr.nodes import BOOL, INTEGER, REAL, BoolType, Constant, Expr, RealType
from tunepass.expr.typing import binary
from tunepass.frontends.c.call.inputs import ELEMENT_LIMIT
from tunepass.frontends.c.pragmas.arguments import ArgumentText
from tunepass.frontends.c.pragmas.kernel import KernelPragma
from tunepass.frontends.c.setup.elements import UnknownElement
from tunepass.frontends.cfamily.types.declared import CType, is_integral
from tunepass.frontends.gpu.elements import LayoutReader
from tunepass.frontends.gpu.functions import GpuFormal, GpuFunction, GpuUnit, Symbol
from tunepass.frontends.gpu.numbers import Numbers
from tunepass.ir.gpu import ElementLayout, GpuArgument, GpuBuffer, GpuScalar, Memory
from tunepass.ir.gpu_elements import BYTES, numbers_of, plain_name

UNPASSED = ("image", "sampler_t", "pipe", "cudaTextureObject_t", "cudaSurfaceObject_t", "texture", "surface", "queue_t")


@dataclass(frozen=True, slots=True)
class ArgumentReader:
    """Reads the arguments of one kernel."""

    unit: GpuUnit
    numbers: Numbers

    def read(self, pragma: KernelPragma, function: GpuFunction) -> tuple[GpuArgument, ...]:
        """In the order of the pragma; symbols stand wherever it has them. A length may name any scalar, also one that
        is passed after the array."""
        names = {formal.name for formal in function.formals}
        given = [a for a in pragma.arguments if a.name in names or a.name not in self.unit.symbols]
        self._check_count(pragma, given, function)
        formals = {a.name: formal for a, formal in zip(given, function.formals)}
        read: dict[str, GpuArgument] = {}
        for argument in sorted(pragma.arguments, key=lambda a: a.direction is not None):  # scalars first
            if argument.name in read:
                raise SourceError(f"argument `{argument.name}` is given twice", argument.span)
            if argument.name not in formals:
                read[argument.name] = self._symbol(argument, self.unit.symbols[argument.name])
            elif argument.direction is None:
                read[argument.name] = self._scalar(argument, formals[argument.name])
            else:
                read[argument.name] = self._buffer(argument, formals[argument.name])
        arguments = tuple(read[argument.name] for argument in pragma.arguments)
        if not any(isinstance(a, GpuBuffer) and a.direction != "in" and a.memory == "global" for a in arguments):
            hint = "mark the buffers it writes `out` or `inout`"
            raise SourceError(f"no argument of `{pragma.name}` is written", pragma.span, hint)
        return arguments

    def _check_count(self, pragma: KernelPragma, given: Sequence[ArgumentText], function: GpuFunction) -> None:
        formals = function.formals
        for argument, formal in zip(given, formals):
            if formal.name and argument.name != formal.name:
                close = nearest(argument.name, [f.name for f in formals])
                hint = f"did you mean `{close}`?" if close else f"the definition says `{formal.text}`"
                expected = f"expected `{formal.name}`, the kernel's next parameter, found `{argument.name}`"
                raise SourceError(expected, argument.span, hint)
        if len(given) != len(formals):
            count = f"{len(formals)} parameter{'' if len(formals) == 1 else 's'}"
            listed = ", ".join(f"`{f.text}`" for f in formals) or "none"
            message = f"`{pragma.name}` has {count}, the pragma gives {len(given)}"
            raise SourceError(message, pragma.span, f"the definition has {listed}")

    def _scalar(self, argument: ArgumentText, formal: GpuFormal) -> GpuScalar:
        assert argument.value is not None
        declared = f"the definition says `{formal.text}`"
        kind = formal.type
        if kind.base.startswith(UNPASSED):
            raise SourceError(f"`{argument.name}` cannot be passed: {kind.base}", argument.span, declared)
        if kind.function:
            raise SourceError(f"`{argument.name}` is a pointer to a function", argument.span, declared)
        if kind.depth or kind.dims:
            element = f"{kind.base}[LENGTH]"
            how = f"{argument.name}: local {element}" if formal.memory == "local" else f"{argument.name}: in {element}"
            raise SourceError(f"`{argument.name}` is an array", argument.span, f"{declared}; write `{how}`")
        if kind.base in self.unit.types.records:
            raise SourceError(f"`{argument.name}` is a struct passed by value", argument.span, declared)
        value = self.numbers.number(argument.value, "a number", whole=False)
        self.numbers.at_default(value, argument.value)
        numbers = numbers_of(kind.base, self.unit.dialect)
        number = numbers[0] if numbers else kind.base
        integral = is_integral(number) or (numbers is None and not isinstance(value.type, RealType))
        if integral and isinstance(value.type, RealType):
            hint = "`/` is real division; `//` divides whole numbers"
            raise SourceError(
                f"`{argument.name}` is {kind.base}, got a real value", argument.span, f"{declared}; {hint}"
            )
        if not integral and not isinstance(value.type, (RealType, BoolType)):
            value = _as_real(value)
        self.numbers.add(argument.name, value, BOOL if number == "bool" else INTEGER if integral else REAL)
        return GpuScalar(name=argument.name, element=kind.base, value=value)

    def _buffer(self, argument: ArgumentText, formal: GpuFormal) -> GpuBuffer:
        declared, kind = f"the definition says `{formal.text}`", formal.type
        if kind.base.startswith(UNPASSED):
            raise SourceError(f"`{argument.name}` cannot be passed: {kind.base}", argument.span, declared)
        if not formal.opaque and not kind.depth and not kind.dims:
            hint = f"{declared}; write `{argument.name} = VALUE`"
            raise SourceError(f"`{argument.name}` is a scalar", argument.span, hint)
        if kind.depth > 1:
            raise SourceError(f"`{argument.name}` is an array of pointers", argument.span, declared)
        self._check_memory(argument, formal, declared)
        if argument.direction in ("out", "inout") and formal.constant:
            message = f"`{argument.name}` is `{argument.direction}` but const"
            raise SourceError(message, argument.span, f"{declared}; make it `in`")
        return self._built(argument, CType(kind.base), declared, formal.memory, opaque=formal.opaque)

    def _check_memory(self, argument: ArgumentText, formal: GpuFormal, declared: str) -> None:
        if argument.direction == "local" and formal.memory != "local":
            hint = "local memory is `__local` in OpenCL; in CUDA `dynamic(BYTES)` asks for shared memory"
            raise SourceError(f"`{argument.name}` is no local memory", argument.span, f"{declared}; {hint}")
        if argument.direction != "local" and formal.memory == "local":
            hint = f"{declared}; write `{argument.name}: local {argument.element}[LENGTH]`"
            raise SourceError(f"`{argument.name}` is local memory, which nothing is read from", argument.span, hint)
        if argument.direction == "local" and (argument.fill or argument.lo):
            raise SourceError(f"`{argument.name}` is local memory, which cannot be filled", argument.span, declared)

    def _symbol(self, argument: ArgumentText, variable: Symbol) -> GpuBuffer:
        if argument.direction in (None, "local"):
            hint = f"write `{argument.name}: in {variable.type.base}[LENGTH]`"
            raise SourceError(f"`{argument.name}` is an array of this file", argument.span, hint)
        constant = variable.constant
        if constant and argument.direction != "in":
            raise SourceError(
                f"`{argument.name}` is `{argument.direction}` but constant", argument.span, "make it `in`"
            )
        kind = variable.type
        declared = f"the file declares `{plain_name(kind.base)} {variable.name}`"
        memory: Memory = "constant" if constant else "global"
        base = CType(plain_name(kind.base))
        return self._built(argument, base, declared, memory, opaque=False, symbol=True)

    def _built(
        self,
        argument: ArgumentText,
        declared_type: CType,
        declared: str,
        memory: Memory,
        *,
        opaque: bool,
        symbol: bool = False,
    ) -> GpuBuffer:
        stated = self.unit.element(argument.element or "")
        if not opaque and declared_type.base not in ("void", stated.base):
            message = f"`{argument.name}` is an array of {declared_type.base}, not {stated.base}"
            raise SourceError(message, argument.span, declared)
        return GpuBuffer(
            name=argument.name,
            element=stated.base,
            direction="out" if argument.direction == "local" else argument.direction,  # type: ignore[arg-type]
            length=self._length(argument),
            memory=memory,
            fill=self.numbers.number(argument.fill, "a number", whole=False, index=INTEGER) if argument.fill else None,
            lo=self.numbers.number(argument.lo, "a number", whole=False) if argument.lo else None,
            hi=self.numbers.number(argument.hi, "a number", whole=False) if argument.hi else None,
            symbol=symbol,
            layout=self._layout(argument, stated),
        )

    def _layout(self, argument: ArgumentText, element: CType) -> ElementLayout | None:
        try:
            reader = LayoutReader(self.unit.types, self.unit.dialect, self.numbers.constants)
            layout = reader.layout_of(element)
        except UnknownElement as problem:
            message = f"the elements of `{argument.name}`, {element.base}, cannot be filled and compared"
            close = nearest(element.base, BYTES)
            hint = f"{problem}; did you mean `{close}`?" if close else str(problem)
            raise SourceError(message, argument.span, hint) from None
        if layout is not None and argument.fill is not None:
            raise SourceError(f"`fill` gives one number, an element of `{argument.name}` is a struct", argument.span)
        return layout

    def _length(self, argument: ArgumentText) -> Expr:
        lengths = [self.numbers.number(text, "a number of elements") for text in argument.lengths]
        whole = reduce(mul, lengths)
        first, last = argument.lengths[0], argument.lengths[-1]
        count = self.numbers.at_default(whole, first)
        if not 1 <= count <= ELEMENT_LIMIT:
            message = f"the length of `{argument.name}` must be 1 to {ELEMENT_LIMIT}, got {count}"
            raise SourceError(message, self.numbers.source.span(first.start, last.end))
        return whole


def _as_real(value: Expr) -> Expr:
    """A whole value of a parameter that takes reals."""
    return lift(float(value.value)) if isinstance(value, Constant) else binary("*", value, lift(1.0))
