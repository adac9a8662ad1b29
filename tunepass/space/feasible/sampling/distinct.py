"""Distinct rows of a feasible set, uniform or by the parameters' priors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tunepass.space.columns import Columns, join, keys, length, take
from tunepass.space.feasible.diagram.diagram import dedupe
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.prior import Floats

SHUFFLED = 1 << 17  # feasible sets up to this size are shuffled rather than drawn from
COUNTED_ROUNDS = 24  # rounds without a new row before a draw gives up
SAMPLED_ROUNDS = 2  # the same, where a round has searched already


def sample_distinct(
    product: GroupProduct, n: int, rng: np.random.Generator, log_prior: Callable[[Columns], Floats] | None = None
) -> Columns:
    """Up to n distinct feasible rows, uniform, or by the priors whose log probability is `log_prior`.

    Fewer only when fewer exist, or, where they are sampled, are found. Rows of prior mass zero come last.
    """
    if n <= 0:
        return _no_rows(product)
    counted = product.finite and product.complete
    if counted and log_prior is None and product.size <= max(SHUFFLED, 2 * n):
        return product.rows(rng.permutation(product.size)[:n])
    rows = _draw_distinct(product, n, rng, prior=log_prior is not None)
    if counted and log_prior is not None and length(rows) < n and product.size <= 4 * max(SHUFFLED, n):
        return join([rows, _others_by_prior(product, rows, n - length(rows), rng, log_prior)])
    return rows


def _draw_distinct(product: GroupProduct, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
    distinct, idle = _no_rows(product), 0
    while length(distinct) < n and idle < (COUNTED_ROUNDS if product.complete else SAMPLED_ROUNDS):
        before = length(distinct)
        drawn = product.draw(max(n - before, 64), rng, prior=prior)
        both = join([distinct, drawn]) if before else drawn
        distinct = take(both, dedupe(keys(both))[1][:n])
        idle = idle + 1 if length(distinct) == before else 0
    return distinct


def _others_by_prior(
    product: GroupProduct, rows: Columns, n: int, rng: np.random.Generator, log_prior: Callable[[Columns], Floats]
) -> Columns:
    """Up to n rows other than `rows`, likelier ones more likely (Gumbel top-k)."""
    everything = np.arange(product.size)
    others = take(product.rows(everything), np.setdiff1d(everything, product.ranks(rows)))
    score = log_prior(others) + rng.gumbel(size=length(others))
    return take(others, np.argsort(-score, kind="stable")[:n])


def _no_rows(product: GroupProduct) -> Columns:
    return {p.name: p.column([]) for p in product.parameters}
