"""How a GPU kernel is launched: extents that are whole and positive, told where they cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.diagnostics import SourceError
from tunepass.expr.algebra import compare, lift
from tunepass.expr.nodes import Expr
from tunepass.frontends.c.call.arguments import span_of
from tunepass.frontends.gpu.numbers import Numbers
from tunepass.frontends.gpu.pragmas.kernel import ExtentText, LaunchText
from tunepass.frontends.params.tokens import ExpressionText
from tunepass.ir.gpu import Extent3, Launch
from tunepass.ir.gpu_elements import Dialect
from tunepass.space.constraint import Constraint

ONE = lift(1)
AXES = "xyz"
# CUDA C++ Programming Guide 13.0, table "Technical Specifications per Compute Capability": the same for all.
CUDA_MOST = {"grid": (2**31 - 1, 65535, 65535), "block": (1024, 1024, 64)}


@dataclass(frozen=True, slots=True)
class LaunchReader:
    """`implied` are the constraints without which an extent could be smaller than what is allowed."""

    numbers: Numbers
    dialect: Dialect
    implied: list[Constraint] = field(default_factory=list)

    def read(self, text: LaunchText, other: Launch | None = None) -> Launch:
        """What is not said is as in the `other` launch."""
        grid = self._extent("grid", text.grid) if text.grid is not None or other is None else other.grid
        block = self._extent("block", text.block) if text.block is not None or other is None else other.block
        dynamic = other.dynamic_shared if other is not None else None
        if text.dynamic is not None:
            dynamic = self.at_least(text.dynamic, "the number of bytes of shared memory", 0)
        return Launch(grid=grid, block=block, dynamic_shared=dynamic)

    def _extent(self, word: str, text: ExtentText | None) -> Extent3:
        assert text is not None  # the pragma's reader saw to it
        extents = [self._along(word, axis, number) for axis, number in enumerate(text.numbers)]
        x, y, z = [*extents, *[ONE] * (3 - len(extents))]
        return x, y, z

    def _along(self, word: str, axis: int, text: ExpressionText) -> Expr:
        what = f"the {word}'s extent in {AXES[axis]}"
        extent = self.at_least(text, what, 1)
        least, _ = self.numbers.range_of(extent)
        most = CUDA_MOST[word][axis]
        if self.dialect == "cuda" and least > most:
            hint = (
                f"CUDA launches at most {most} {'blocks' if word == 'grid' else 'threads of a block'} in {AXES[axis]}"
            )
            raise SourceError(f"{what} is {self._shown(extent, text)}", span_of(text, self.numbers.source), hint)
        return extent

    def at_least(self, text: ExpressionText, what: str, least: int) -> Expr:
        """A whole number that is never smaller; where some configuration's is, that one is made infeasible."""
        number = self.numbers.number(text, what)
        span = span_of(text, self.numbers.source)
        if self.numbers.at_default(number, text) < least:
            hint = f"it has to be at least {least}"
            raise SourceError(f"{what} is {self._shown(number, text)}", span, hint)
        if self.numbers.range_of(number)[0] < least and not self.numbers.is_constant(number):
            bound = self.numbers.bound(number)
            self.implied.append(Constraint(compare(bound, ">=", least), f"{text.text} >= {least}", span, derived=True))
        return number

    def _shown(self, number: Expr, text: ExpressionText) -> str:
        where = "" if self.numbers.is_constant(number) else " for the default configuration"
        return f"{self.numbers.at_default(number, text)}{where}"
