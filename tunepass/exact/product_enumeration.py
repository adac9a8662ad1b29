"""The Pareto front over a whole product of numeric domains, by evaluating every configuration on several threads.

What the constraints of a space rule out would be evaluated too, so `Enumeration` uses this for spaces without any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np

from tunepass.exact.base import Certificate, Floats, Front
from tunepass.exact.domains import ordered_values
from tunepass.exact.running_front import Ints, RunningFront, feasible_losses
from tunepass.expr.domain import Domain
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.cartesian_product import CartesianProduct
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter

CHUNK = 1 << 20  # configurations evaluated at once
Chunk = tuple[int, Ints, Floats]  # how many were evaluated; numbers (k,) and losses (k, m) of the chunk's own front


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
    values = {p.name: ordered_values(p) for p in parameters}
    domains: dict[str, Domain] = {name: np.array(ordered) for name, ordered in values.items()}
    product = CartesianProduct([*objectives, *constraints], domains)
    front = RunningFront(len(objectives))

    def evaluate(first: int) -> Chunk:
        n = min(step, last - first)
        rows, losses = feasible_losses(product.evaluate(first, n), len(objectives))
        candidates = front.candidates(losses)  # a front that another chunk has extended meanwhile filters as well
        return n, rows[candidates] + first, losses[candidates]

    run = product.run_length
    step, evaluated = max(1, CHUNK // run) * run, 0
    last = product.size if max_points is None else min(product.size, -(-max_points // run) * run)
    with ThreadPoolExecutor(jobs) as pool:
        for n, numbers, losses in _in_order(pool, evaluate, range(0, last, step), jobs, stop):
            evaluated += n
            if len(numbers):
                front.add(numbers, losses)
            if progress is not None:
                progress(enumerated(product.size, evaluated, len(front)))
    certificate = enumerated(product.size, evaluated, len(front))
    configurations = tuple(
        Configuration({p.name: values[p.name][row[product.names.index(p.name)]] for p in parameters})
        for row in product.places(front.points).tolist()
    )
    return Front(configurations, front.losses, certificate, 0.0 if certificate.exact else float("inf"))


def enumerated(points: int, evaluated: int, found: int) -> Certificate:
    """The certificate of an enumeration: what was not evaluated is open."""
    return Certificate(
        points=points, evaluated=evaluated, bounded=0, infeasible=0, open=points - evaluated, boxes=0, found=found
    )


def _in_order(
    pool: ThreadPoolExecutor,
    evaluate: Callable[[int], Chunk],
    starts: range,
    jobs: int,
    stop: Callable[[], bool] | None,
) -> Iterator[Chunk]:
    """Results in the order of `starts`, with few chunks in memory."""
    remaining = iter(starts)
    waiting = [pool.submit(evaluate, first) for first in islice(remaining, jobs + 1)]
    while waiting and not (stop is not None and stop()):
        result = waiting.pop(0).result()
        waiting += [pool.submit(evaluate, first) for first in islice(remaining, 1)]
        yield result
