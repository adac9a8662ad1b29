"""The exact Pareto front of analytic objectives by evaluating every configuration, on several threads.

Branch and bound gives the same front from far fewer evaluations; this is what it is checked against, and what to use
where bounds are too wide to prune. A space with constraints of its own is enumerated instead (enumeration.py), so that
what they rule out is never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tunepass.exact.branch_and_bound import Certificate, Front, ordered_domain
from tunepass.expr.domain import Domain
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.product import Product
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.study.pareto import nondominated

CHUNK = 1 << 20  # configurations evaluated at once
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def exhaustive_front(
    parameters: Sequence[Parameter],
    objectives: Sequence[Expr],
    constraints: Sequence[Expr] = (),
    *,
    jobs: int = 1,
    max_points: int | None = None,
    progress: Callable[[Certificate], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Front:
    """The Pareto front of `objectives`, all minimised, where every constraint holds.

    Stopped after `max_points` configurations, or when `stop` says so, it is the front of what was looked at.
    """
    for parameter in parameters:
        ordered_domain(parameter)  # refuses what is not numeric
    ordered = {p.name: sorted(p.domain, key=float) for p in parameters}  # type: ignore[arg-type]
    domains: dict[str, Domain] = {name: np.array(values) for name, values in ordered.items()}
    product = Product([*objectives, *constraints], domains)
    best, losses = np.empty(0, np.int64), np.empty((0, len(objectives)))
    known = losses  # what the threads may filter by: a little old does no harm

    def look(first: int) -> tuple[int, Ints, Floats]:
        n = min(step, last - first)
        return n, *_better(product.evaluate(first, n), len(objectives), first, known)

    run = product.run_length
    step, done = max(1, CHUNK // run) * run, 0
    last = product.size if max_points is None else min(product.size, -(-max_points // run) * run)
    with ThreadPoolExecutor(jobs) as pool:
        for n, elements, found in _in_order(pool, look, range(0, last, step), jobs, stop):
            done += n
            if len(elements):
                losses, first = np.unique(np.concatenate([losses, found]), axis=0, return_index=True)
                best = np.concatenate([best, elements])[first]
                kept = nondominated(losses)
                losses, best = losses[kept], best[kept]
                known = losses
            if progress is not None:
                progress(_certificate(product.size, done, len(losses)))
    places = product.places(best)
    configurations = tuple(
        Configuration({p.name: ordered[p.name][row[product.names.index(p.name)]] for p in parameters})
        for row in places.tolist()
    )
    certificate = _certificate(product.size, done, len(losses))
    return Front(configurations, losses, certificate, 0.0 if certificate.exact else float("inf"))


def _certificate(points: int, done: int, found: int) -> Certificate:
    return Certificate(points, done, 0, 0, points - done, 0, found)


def _in_order(
    pool: ThreadPoolExecutor,
    look: Callable[[int], tuple[int, Ints, Floats]],
    starts: range,
    jobs: int,
    stop: Callable[[], bool] | None,
) -> Iterator[tuple[int, Ints, Floats]]:
    """Results in the order of `starts`, with few chunks in memory."""
    left = iter(starts)
    waiting = [pool.submit(look, first) for first in islice(left, jobs + 1)]
    while waiting and not (stop is not None and stop()):
        result = waiting.pop(0).result()
        waiting += [pool.submit(look, first) for first in islice(left, 1)]
        yield result


def _better(outputs: Sequence[NDArray[np.generic]], m: int, first: int, known: Floats) -> tuple[Ints, Floats]:
    """The elements that are feasible, nondominated among themselves, and no worse than what is known."""
    keep = np.ones(len(outputs[0]), dtype=bool)
    for holds in outputs[m:]:
        keep &= holds.astype(bool, copy=False)
    elements = np.flatnonzero(keep)
    losses = np.stack([np.asarray(o[elements], dtype=np.float64) for o in outputs[:m]], axis=1)
    fine = np.isfinite(losses).all(axis=1)
    if m == 2 and len(known):
        at = np.searchsorted(known[:, 0], losses[:, 0], side="right") - 1
        fine &= (at < 0) | (known[np.maximum(at, 0), 1] > losses[:, 1])
    elements, losses = elements[fine], losses[fine]
    if len(losses):
        kept = nondominated(losses)
        elements, losses = elements[kept], losses[kept]
    return elements + first, losses
