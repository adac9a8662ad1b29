"""Sums of expressions while a kernel's text is walked: of one region, and what a word is worth where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.ir.gpu_thread import CodeRegion

COUNTED = (
    *(
        "arrays",
        "values",
        "global_loads",
        "global_load_words",
        "strided_loads",
        "hoisted_loads",
        "global_stores",
        "shared_loads",
        "shared_load_words",
    ),
    *("shared_stores", "operations", "special", "barriers"),
)


@dataclass(slots=True)
class OpenRegion:
    """A region that is being read. What stands in it counts by the conditions that it is under and by the copies that
    fully unrolled loops make of it: `unrolled` has each one's variable and copies. `variable` is the region's own."""

    copies: Expr = field(default_factory=lambda: algebra.lift(1))
    whole: Expr = field(default_factory=lambda: algebra.lift(1))
    given: Expr = field(default_factory=lambda: algebra.lift(1))
    unrolled: tuple[tuple[str, Expr], ...] = ()
    variable: str = ""
    counts: dict[str, dict[Expr, Expr]] = field(default_factory=dict)  # name -> times -> amount
    inside: list[OpenRegion] = field(default_factory=list)

    def count(self, name: str, amount: algebra.ExprLike = 1, of: frozenset[str] | None = None) -> None:
        """Where given, only copies of the loops with these variables differ from each other."""
        copies = (n for variable, n in self.unrolled if of is None or variable in of)
        times = algebra.mul(self.given, *copies)
        if of is not None and self.variable not in of:
            times = algebra.div(times, self.copies)
        amounts = self.counts.setdefault(name, {})
        amounts[times] = algebra.add(amounts.get(times, algebra.lift(0)), amount)

    def total(self, name: str) -> Expr:
        return algebra.add(0, *(algebra.mul(times, n) for times, n in self.counts.get(name, {}).items()))

    def closed(self) -> CodeRegion:
        return CodeRegion(
            copies=self.copies,
            whole=self.whole,
            inside=tuple(region.closed() for region in self.inside),
            arrays=self.total("arrays"),
            values=self.total("values"),
            global_loads=self.total("global_loads"),
            global_load_words=self.total("global_load_words"),
            strided_loads=self.total("strided_loads"),
            hoisted_loads=self.total("hoisted_loads"),
            global_stores=self.total("global_stores"),
            shared_loads=self.total("shared_loads"),
            shared_load_words=self.total("shared_load_words"),
            shared_stores=self.total("shared_stores"),
            operations=self.total("operations"),
            special=self.total("special"),
            barriers=self.total("barriers"),
        )
