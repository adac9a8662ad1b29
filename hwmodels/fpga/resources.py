"""A vector of device resources, each an expression: what a controller or a memory is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tunepass.expr import algebra
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.curves import Curve, Depth, Ways, evaluate


class Area(Mapping[str, Expr]):
    """Resource name -> expression; a resource that is not there is 0. `+` adds, `.times(n)` replicates."""

    def __init__(self, amounts: Mapping[str, ExprLike] | None = None):
        lifted = {name: algebra.lift(amount) for name, amount in (amounts or {}).items()}
        self._amounts = {name: e for name, e in lifted.items() if algebra.number(e) != 0}

    def __getitem__(self, name: str) -> Expr:
        return self._amounts.get(name, algebra.lift(0))

    def __iter__(self) -> Iterator[str]:
        return iter(self._amounts)

    def __len__(self) -> int:
        return len(self._amounts)

    def __add__(self, other: Area) -> Area:
        return Area({name: algebra.add(self[name], other[name]) for name in dict.fromkeys((*self, *other))})

    def times(self, n: ExprLike) -> Area:
        return Area({name: algebra.mul(amount, n) for name, amount in self._amounts.items()})


def total(areas: list[Area]) -> Area:
    """The sum, each resource added once."""
    names = dict.fromkeys(name for area in areas for name in area)
    return Area({name: algebra.add(*(area[name] for area in areas)) for name in names})


def constant(table: Mapping[str, Curve], x: float = 0.0) -> Area:
    """A device's table at `x` (a width, or a number of stages)."""
    return Area({name: _whole(evaluate(polynomial, x)) for name, polynomial in table.items()})


def sized(table: Mapping[str, Ways | Depth], w: int, n: ExprLike) -> Area:
    """A device's template for `n` ways of `w` bits, or of `n` words."""
    return Area({name: amount.at(w, n) if isinstance(amount, Ways) else amount.at(n) for name, amount in table.items()})


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value
