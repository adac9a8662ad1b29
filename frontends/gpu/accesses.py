"""The `access` pragmas of a kernel beside its buffers and its shared arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, nearest
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.types.declared import CType
from tunepass.frontends.gpu.functions import GpuFunction, GpuUnit
from tunepass.frontends.gpu.numbers import Numbers
from tunepass.frontends.gpu.pragmas.work import AccessPragma
from tunepass.ir.gpu import GpuAccess, GpuArgument, GpuBuffer, Place
from tunepass.ir.gpu_elements import element_byte, plain_name


@dataclass(frozen=True, slots=True)
class AccessReader:
    unit: GpuUnit
    numbers: Numbers
    function: GpuFunction
    arguments: Sequence[GpuArgument]

    def read(self, pragma: AccessPragma) -> GpuAccess:
        place, byte = self._array(pragma)
        strides = [self.numbers.number(text, "a stride, in elements") for text in pragma.strides]
        return GpuAccess(
            array=pragma.name,
            place=place,
            written=pragma.written,
            count=self.numbers.amount(pragma.count, "a number of elements"),
            element_byte=byte,
            stride=strides[0] if strides else lift(1),
            row_stride=strides[1] if len(strides) > 1 else None,
            vector=self._amount(pragma, "vector") or lift(1),
            distinct=self._amount(pragma, "distinct"),
            total=self._amount(pragma, "total"),
            span=pragma.span,
        )

    def _amount(self, pragma: AccessPragma, word: str) -> Expr | None:
        text = pragma.number(word)
        if text is None:
            return None
        e = self.numbers.amount(text, "a number of elements", whole=word == "vector")
        if word == "vector" and self.numbers.at_default(e, text) < 1:
            raise SourceError("an access has at least one element", self.numbers.source.span(text.start, text.end))
        return e

    def _array(self, pragma: AccessPragma) -> tuple[Place, int]:
        """Where the array lies, and the bytes of an element."""
        stated: Place | None = pragma.place  # type: ignore[assignment]
        buffers = {a.name: a for a in self.arguments if isinstance(a, GpuBuffer)}
        buffer, symbol = buffers.get(pragma.name), self.unit.symbols.get(pragma.name)
        shared = {} if buffer is not None else self.unit.shared_arrays(self.function.code)
        if buffer is not None:
            place, byte = self._of_buffer(buffer), self._byte(CType(buffer.element), buffer)
        elif pragma.name in shared:
            place, byte = "shared", self._byte(shared[pragma.name], None)
        elif symbol is not None:
            place = "constant" if symbol.constant else "global"
            byte = self._byte(symbol.type, None)
        elif stated is not None and pragma.number("bytes") is not None:
            place, byte = stated, None
        else:
            known = [*buffers, *shared, *self.unit.symbols]
            close = nearest(pragma.name, known)
            hint = f"did you mean `{close}`?" if close else "say `in PLACE` and `bytes(N)` where this file does not"
            raise SourceError(f"no buffer and no shared array is called `{pragma.name}`", pragma.span, hint)
        self._check_place(pragma, stated, place)
        return stated or place, self._stated_byte(pragma, byte)

    def _of_buffer(self, buffer: GpuBuffer) -> Place:
        """nvcc reads what is const and restrict through the read-only cache."""
        formal = next((f for f in self.function.formals if f.name == buffer.name), None)
        if buffer.memory != "global":
            return "shared" if buffer.memory == "local" else "constant"
        through = formal is not None and formal.constant and formal.restrict and self.unit.dialect == "cuda"
        return "readonly" if through else "global"

    def _check_place(self, pragma: AccessPragma, stated: str | None, place: Place) -> None:
        on_chip = ("shared", "constant")
        if stated is not None and stated != place and (stated in on_chip) != (place in on_chip):
            raise SourceError(f"`{pragma.name}` lies in {place} memory, not in {stated}", pragma.span)
        if pragma.written and (stated or place) in ("readonly", "constant", "texture"):
            raise SourceError(f"`{pragma.name}` is stored to, and lies in {stated or place} memory", pragma.span)

    def _byte(self, element: CType, buffer: GpuBuffer | None) -> int | None:
        if buffer is not None and buffer.layout is not None:
            return buffer.layout.byte
        return None if element.depth else element_byte(plain_name(element.base), self.unit.dialect)

    def _stated_byte(self, pragma: AccessPragma, known: int | None) -> int:
        text = pragma.number("bytes")
        if text is None:
            if known is None:
                hint = "say it: `bytes(4)`"
                raise SourceError(f"the bytes of an element of `{pragma.name}` are not known", pragma.span, hint)
            return known
        value = self.numbers.at_default(self.numbers.number(text, "a number of bytes"), text)
        if value < 1:
            raise SourceError("an element has at least one byte", self.numbers.source.span(text.start, text.end))
        return int(value)
