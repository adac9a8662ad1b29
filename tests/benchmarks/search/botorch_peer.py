"""BoTorch as a peer on functions of reals: `SingleTaskGP` with its own priors and log expected improvement.

As its documentation has it for one objective: a Sobol design of one more than there are dimensions (the default
first, as ours), values standardised by the model, hyperparameters fitted anew for each suggestion, then `optimize_acqf`
(256 raw samples, 4 restarts). It is told the values, and not their logarithms, with which it was behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Value = Callable[[Sequence[float]], float]  # of a place in [0, 1]^d


def search(value: Value, first: Sequence[float], seed: int, evals: int) -> list[float]:
    """The value of each evaluation, in order, `first` being the place of the first."""
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    d = len(first)
    sobol = torch.quasirandom.SobolEngine(d, scramble=True, seed=seed)
    places = [list(first), *sobol.draw(d).double().tolist()]
    values = [value(place) for place in places]
    box = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.double)
    while len(values) < evals:
        told = -torch.tensor(values, dtype=torch.double)
        model = SingleTaskGP(torch.tensor(places, dtype=torch.double), told[:, None])
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        improvement = LogExpectedImprovement(model, best_f=told.max())
        chosen, _ = optimize_acqf(improvement, box, q=1, num_restarts=4, raw_samples=256, options={"maxiter": 60})
        places.append(chosen[0].tolist())
        values.append(value(places[-1]))
    return values[:evals]
