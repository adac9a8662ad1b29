"""Limited-memory BFGS (Nocedal & Wright 2006, Alg. 7.4 and 7.5) for a dozen variables, with backtracking.

SciPy's L-BFGS-B gives the same minima, but its small BLAS calls start threads: milliseconds an iteration on a busy
machine, and sums that may depend on how many there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from tunepass.surrogates.base import Floats

Objective = Callable[[Floats], tuple[float, Floats]]
MEMORY = 8
SUFFICIENT = 1e-4  # Armijo's constant
HALVINGS = 20


def minimise(
    objective: Objective, start: Floats, *, bound: float, iterations: int = 50, tolerance: float = 1e-4
) -> tuple[Floats, float]:
    """A local minimum of `objective` (value, gradient) in the box |x_i| <= bound, and its value."""
    x = np.clip(start, -bound, bound)
    value, gradient = objective(x)
    pairs: deque[tuple[Floats, Floats]] = deque(maxlen=MEMORY)
    for _ in range(iterations):
        step = -_times_inverse_hessian(gradient, pairs)
        slope = float((step * gradient).sum())
        if slope >= 0:
            pairs.clear()
            step, slope = -gradient, -float((gradient * gradient).sum())
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
        if (moved * turned).sum() > 1e-10:
            pairs.append((moved, turned))
        converged = value - new_value <= tolerance * 1e-2 * max(1.0, abs(value))
        x, value, gradient = new, new_value, new_gradient
        if converged or float(np.abs(gradient).max()) < tolerance:
            break
    return x, value


def _times_inverse_hessian(gradient: Floats, pairs: deque[tuple[Floats, Floats]]) -> Floats:
    """Two-loop recursion over the remembered (step, gradient change) pairs."""
    q, weights = gradient.copy(), []
    for s, y in reversed(pairs):
        weight = (s * q).sum() / (s * y).sum()
        weights.append(weight)
        q -= weight * y
    if pairs:
        s, y = pairs[-1]
        q *= (s * y).sum() / (y * y).sum()
    for (s, y), weight in zip(pairs, reversed(weights)):
        q += s * (weight - (y * q).sum() / (s * y).sum())
    return q


def _backtrack(
    objective: Objective, x: Floats, value: float, step: Floats, slope: float, bound: float
) -> tuple[Floats, float, Floats] | None:
    """The first halving of `step` that decreases enough; None when there is none."""
    length = 1.0
    for _ in range(HALVINGS):
        new = np.clip(x + length * step, -bound, bound)
        new_value, new_gradient = objective(new)
        if new_value <= value + SUFFICIENT * length * slope:
            return new, new_value, new_gradient
        length /= 2
    return None
