"""Limited-memory BFGS (Nocedal & Wright 2006, Alg. 7.4 and 7.5) for a dozen variables, with backtracking.

SciPy's L-BFGS-B gives the same minima, but its small BLAS calls start threads: milliseconds an iteration on a busy
machine, and sums that may depend on how many there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from tunepass.surrogates.base import Floats

_sum = np.add.reduce  # of few numbers: the method `sum` takes twice as long
Pair = tuple[Floats, Floats, float]  # step, change of the gradient, their product
Objective = Callable[[Floats], tuple[float, Floats]]
MEMORY = 8
SUFFICIENT = 1e-4  # Armijo's constant
HALVINGS = 20


def minimise(
    objective: Objective, start: Floats, *, bound: float, iterations: int = 50, tolerance: float = 1e-4
) -> tuple[Floats, float]:
    """A local minimum of `objective` (value, gradient) in the box |x_i| <= bound, and its value."""
    x = within(start, bound)
    value, gradient = objective(x)
    pairs: deque[Pair] = deque(maxlen=MEMORY)
    for _ in range(iterations):
        step = -_times_inverse_hessian(gradient, pairs)
        slope = float(_sum(step * gradient))
        if slope >= 0:
            pairs.clear()
            step, slope = -gradient, -float(_sum(gradient * gradient))
        if not pairs:
            step, slope = (
                step / max(1.0, float(np.abs(gradient).max())),
                slope / max(1.0, float(np.abs(gradient).max())),
            )
        point = _backtrack(objective, x, value, step, slope, bound)
        if point is None:
            break
        new, new_value, new_gradient = point
        moved, turned = new - x, new_gradient - gradient
        if (product := _sum(moved * turned)) > 1e-10:
            pairs.append((moved, turned, product))
        converged = value - new_value <= tolerance * 1e-2 * max(1.0, abs(value))
        x, value, gradient = new, new_value, new_gradient
        if converged or float(np.abs(gradient).max()) < tolerance:
            break
    return x, value


def _times_inverse_hessian(gradient: Floats, pairs: deque[Pair]) -> Floats:
    """Two-loop recursion over the remembered pairs."""
    q, weights = gradient.copy(), []
    for s, y, product in reversed(pairs):
        weight = _sum(s * q) / product
        weights.append(weight)
        q -= weight * y
    if pairs:
        s, y, product = pairs[-1]
        q *= product / _sum(y * y)
    for (s, y, product), weight in zip(pairs, reversed(weights)):
        q += s * (weight - _sum(y * q) / product)
    return q


def _backtrack(
    objective: Objective, x: Floats, value: float, step: Floats, slope: float, bound: float
) -> tuple[Floats, float, Floats] | None:
    """The first halving of `step` that decreases enough; None when there is none."""
    length = 1.0
    for _ in range(HALVINGS):
        new = within(x + length * step, bound)
        new_value, new_gradient = objective(new)
        if new_value <= value + SUFFICIENT * length * slope:
            return new, new_value, new_gradient
        length /= 2
    return None


def within(x: Floats, bound: float) -> Floats:
    """`x` with |x_i| <= bound; `np.clip` takes five times as long for a dozen numbers."""
    return np.asarray(np.minimum(np.maximum(x, -bound), bound))
