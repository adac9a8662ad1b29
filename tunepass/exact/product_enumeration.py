"""The Pareto front over a whole product of numeric domains, by evaluating every configuration on several threads.

What the constraints of a space rule out would be evaluated too, so `Enumeration` uses this for spaces without any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tunepass.exact.base import Certificate, Front
from tunepass.exact.domains import ordered_values
from tunepass.exact.running_front import Ints, RunningFront, feasible_losses
from tunepass.exact.shares import EnumeratedSpace, ShareFront, enumerated_front
from tunepass.expr.domain import Domain
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.cartesian_product import CartesianProduct
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter

CHUNK = 1 << 20  # configurations evaluated at once


class EnumeratedProduct(EnumeratedSpace):
    """The product of numeric parameters: a configuration's number is its place in it."""

    def __init__(self, parameters: Sequence[Parameter], objectives: Sequence[Expr], constraints: Sequence[Expr] = ()):
        self.values = {p.name: ordered_values(p) for p in parameters}
        domains: dict[str, Domain] = {name: np.array(ordered) for name, ordered in self.values.items()}
        self.product = CartesianProduct([*objectives, *constraints], domains)
        self.objectives, self.size, self.grain = len(objectives), self.product.size, self.product.run_length
        self.step = max(1, CHUNK // self.grain) * self.grain

    def front(self, share: range, known: RunningFront) -> ShareFront:
        rows, losses = feasible_losses(self.product.evaluate(share.start, len(share)), self.objectives)
        candidates = known.candidates(losses)
        return ShareFront(rows[candidates] + share.start, losses[candidates])

    def configurations(self, numbers: Ints) -> tuple[Configuration, ...]:
        names = self.product.names
        return tuple(
            Configuration({name: ordered[row[names.index(name)]] for name, ordered in self.values.items()})
            for row in self.product.places(numbers).tolist()
        )


def product_front(
    parameters: Sequence[Parameter],
    objectives: Sequence[Expr],
    constraints: Sequence[Expr] = (),
    *,
    jobs: int = 1,
    max_points: int | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[Certificate], None] | None = None,
) -> Front:
    """The front of `objectives`, all minimised, where every constraint holds; see `ExactSolver.solve`."""
    product = EnumeratedProduct(parameters, objectives, constraints)
    return enumerated_front(product, None, jobs=jobs, max_points=max_points, stop=stop, progress=progress)
