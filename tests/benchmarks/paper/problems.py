"""The seven programs: their spaces, what the model says of configurations, and the exact front."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.backends.base import Target
from tunepass.exact.branch_and_bound import BranchAndBound
from tunepass.expr.numpy_eval import Columns
from tunepass.jobs.estimates import Estimator, estimator_of
from tunepass.space.space import Space
from tunepass.study.results.pareto import hypervolume

ROOT = Path(__file__).parents[3]
KEEP = ROOT / "build" / "exact-fronts"
SAMPLES = ROOT / "samples" / "spatial"
PROGRAMS = ("BlackScholes", "KMeans", "OuterProduct", "DotProduct", "GEMM", "TPCHQ6", "GDA")
DEVICE = "stratix-v"
OBJECTIVES = ("cycles", "alms")
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Problem:
    """A program on the device; `pruned` is the space that Spatial's restrictions leave."""

    name: str
    model: Estimator
    pruned: Space
    space: Space  # the raw product of the parameters

    @cached_property
    def front(self) -> Floats:
        """The exact one (n, 2), which may take minutes the first time."""
        return exact_front(self.model, self.name)

    @property
    def digest(self) -> str:
        """Of what the model says."""
        return digest_of(self.model)

    @property
    def corner(self) -> Floats:
        """On logarithms, a tenth of a decade beyond the exact front's ends."""
        return np.asarray(np.log10(self.front).max(axis=0) + 0.1)

    def share(self, losses: Floats) -> float:
        """The share of the exact front's hypervolume, on logarithms, that `losses` (n, 2) dominate."""
        if not len(losses):
            return 0.0
        whole = hypervolume(np.log10(self.front), self.corner.tolist())
        return hypervolume(np.log10(losses), self.corner.tolist()) / whole

    def price(self, columns: Columns, n: int) -> tuple[Floats, Bools]:
        """Losses (n, 2) and what fits (n,)."""
        values = dict(zip([*self.model.costs.values, "fits"], self.model.program.run(columns, n)))
        losses = np.column_stack([np.asarray(values[name], np.float64) for name in OBJECTIVES])
        return losses, np.asarray(values["fits"], np.bool_)


def digest_of(model: Estimator) -> str:
    return model.backend.identity(Space(model.kernel.parameters)).compiler.split()[-1]


def exact_front(model: Estimator, name: str) -> Floats:
    """By branch and bound, kept on disk for as long as the model says the same."""
    kept = KEEP / f"{name}-{digest_of(model)}.npy"
    if not kept.exists():
        objectives = [model.costs.values[o] for o in OBJECTIVES]
        KEEP.mkdir(parents=True, exist_ok=True)
        front = BranchAndBound().solve(Space(model.kernel.parameters), objectives, [model.costs.fits])
        np.save(kept, front.values)
    return np.asarray(np.load(kept))


@cache
def problem(name: str) -> Problem:
    path = str(SAMPLES / f"{name}.scala")
    model, _ = estimator_of(path, None, Target(device=DEVICE, restrict=False))
    pruned, _ = estimator_of(path, None, Target(device=DEVICE))
    spaces = [Space(m.kernel.parameters, m.kernel.constraints) for m in (pruned, model)]
    return Problem(name, model, *spaces)


@cache
def code_digest() -> str:
    """Of the code that a search runs."""
    folders = ("acquisition", "space", "strategies", "study", "surrogates")
    files = sorted(f for folder in folders for f in (ROOT / "tunepass" / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:10]
