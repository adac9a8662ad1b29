"""How many copies of each loop's body there are in hardware.

A loop around loops that are not unrolled becomes processing elements, where its iterations need nothing of each other;
a factor on any other such loop is refused.
"""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.dependence import parallel
from tunepass.hwmodels.hls.nest import Nest, every, negated
from tunepass.ir.hls import HlsLoop


class Lanes:
    def __init__(self, nest: Nest):
        self.nest = nest
        self._of: dict[str, Expr] = {}
        self._parallel: dict[str, bool] = {}

    def parallel(self, loop: HlsLoop) -> bool:
        if loop.name not in self._parallel:
            self._parallel[loop.name] = parallel(self.nest, loop) and self._apart(loop)
        return self._parallel[loop.name]

    def _apart(self, loop: HlsLoop) -> bool:
        """Do elements write parts of arrays that a dimension of its own tells apart?"""
        inside = {inner.name for inner in self.nest.inside(loop)}
        for placed in self.nest.placed(loop):
            if placed.operation.name == "store" and placed.operation.subscripts:
                indices = [{name for name, _ in subscript.terms} for subscript in placed.operation.subscripts]
                if not any(loop.name in names and not names & inside for names in indices):
                    return False
        return True

    def of(self, loop: HlsLoop) -> Expr:
        """e: unrolled copies, or processing elements; 1 where neither can be."""
        if loop.name not in self._of:
            copies = self.nest.copies(loop)
            self._of[loop.name] = copies if self.parallel(loop) else alg.where(self.nest.leaf(loop), copies, 1)
        return self._of[loop.name]

    def elements(self, loop: HlsLoop) -> Expr:
        """Is it built as more than one processing element?"""
        if not self.parallel(loop):
            return alg.compare(0, "!=", 0)
        return every(alg.compare(loop.unroll, ">", 1), negated(self.nest.leaf(loop)), negated(self.nest.flat(loop)))

    def most(self) -> Expr:
        """Most copies of any block."""
        nests = ((*self.nest.around[loop.name], loop) for loop in self.nest.loops.values())
        return alg.maximum(1, *(alg.mul(1, *(self.of(loop) for loop in nest)) for nest in nests))
