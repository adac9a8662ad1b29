"""What lengthscales the developers' tables have, and how well priors of them predict (strategies/bo/lengthscales.py).

    TUNEPASS_DATA=FOLDER python -m tests.benchmarks.search.lengthscale_fit [--rows 50] [--draws 2] [--compare 15,40]

The moments of the posterior by role, each kernel left out in turn: the hyperparameters of a few dozen rows of each
table are drawn under the present priors; each role's log-normal gets the mean and deviation of its draws, ln(p) / 2
taken off, where each kernel counts alike; four times. `left out` is the gain in the held-out log density of a row
(nats) over Gamma(3, 1), of kernels whose tables the numbers were not fitted to.

`--compare`: what a process of so many rows predicts of 100 others of the table, under each prior: log density, and rank
correlation, over Gamma(3, 1). The moments gain in the first measure and lose in this one: they are wide, and a process
of few rows is then too sure of some.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np

from tests.benchmarks.search.problems import Floats, _as_given, core
from tunepass.evaluators.recorded.table import read
from tunepass.space.features.derived import derived_features
from tunepass.space.features.embedding import Embedding
from tunepass.space.parameters.order_features import Role
from tunepass.strategies.bo.lengthscales import ROLES, RoleLengthscales
from tunepass.strategies.bo.models import held_out_score
from tunepass.study.outcome import Measured
from tunepass.study.trust import rank_correlation
from tunepass.surrogates.base import Posterior
from tunepass.surrogates.gp import GaussianProcess, GpSettings, mixture
from tunepass.surrogates.hyperpriors import VANILLA, Gamma, LogNormal
from tunepass.surrogates.kernels import Features

MOMENTS = RoleLengthscales(  # what the fit gave
    linear=LogNormal(0.8, 2.3),
    log=LogNormal(-0.5, 1.5),
    flag=LogNormal(0.8, 1.6),
    category=LogNormal(0.9, 2.2),
    order=LogNormal(0.4, 2.0),
    derived=LogNormal(1.0, 1.5),
)
ROWS = (50, 140)  # of a table, to fit to and to compare with
ROUNDS, SAMPLES, LEAST_WIDTH = 4, 5, 0.3
PSEUDO_DRAWS = 40.0  # how many draws' worth all roles' common moments count: few tables have orders
PLAIN = GpSettings(lengthscale=Gamma(3.0, 1.0), draws=8, starts=1, samples=SAMPLES)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows x (n, f) and log losses y (n,) of one table."""

    kernel: str
    embedding: Embedding
    x: Floats
    y: Floats


def samples(data: Path, name: str, rows: int, draws: int) -> list[Sample]:
    """`draws` samples of measured rows."""
    recorded = read(data / f"{name}.json")
    objective = recorded.objectives[0]
    known = [
        (c, objective.loss(o.values[objective.name])) for c, o in recorded.outcomes.items() if isinstance(o, Measured)
    ]
    known = [(c, loss) for c, loss in known if loss > 0]
    if len(known) < 2 * rows:
        return []
    space = _as_given(recorded, name)
    embedding = Embedding(space.parameters, derived=derived_features(space))
    found = []
    for draw in range(draws):
        chosen = [known[i] for i in np.random.default_rng([draw, len(known)]).choice(len(known), rows, replace=False)]
        y = np.log([loss for _, loss in chosen])
        if y.std() > 0:
            found.append(Sample(kernel(name), embedding, embedding.rows(space.columns([c for c, _ in chosen])), y))
    return found


def is_space(path: Path) -> bool:
    return str(json.loads(path.read_text(encoding="utf-8")).get("schema")).startswith("tunepass-recorded-space")


def kernel(name: str) -> str:
    """A table's kernel, without the device or the version of the tools."""
    return re.split(r"[-_](?=[^-_]*$)", name.rpartition("/")[2])[0].lower()


def process(sample: Sample, settings: GpSettings) -> GaussianProcess:
    features = Features.of(sample.embedding.group, sample.embedding.nominal)
    fitted = GaussianProcess(features, settings)
    fitted.fit(sample.x, sample.y)
    return fitted


def with_roles(priors: RoleLengthscales, sample: Sample) -> GpSettings:
    return replace(PLAIN, lengthscale=replace(priors, more_than=0).priors(sample.embedding.roles))


def fitted(drawn: Sequence[tuple[Sample, Floats]]) -> RoleLengthscales:
    """Moments by role of the logarithms of lengthscales (draws, p) less ln(p) / 2, each kernel of equal weight."""
    kernels = [sample.kernel for sample, _ in drawn]
    values: dict[str, list[tuple[float, float]]] = {role: [] for role in get_args(Role)}
    for sample, thetas in drawn:
        p = len(sample.embedding.roles)
        for role, column in zip(sample.embedding.roles, thetas.T[:p]):
            values[role] += [(float(v) - 0.5 * math.log(p), 1 / kernels.count(sample.kernel)) for v in column]
    every = np.array([pair for pairs in values.values() for pair in pairs])
    common = np.average(every[:, 0], weights=every[:, 1])
    spread = np.average((every[:, 0] - common) ** 2, weights=every[:, 1])
    priors = {}
    for role, pairs in values.items():
        v, w = np.array(pairs).reshape(-1, 2).T
        total = w.sum() + PSEUDO_DRAWS / SAMPLES
        center = (w @ v + PSEUDO_DRAWS / SAMPLES * common) / total
        variance = (w @ (v - center) ** 2 + PSEUDO_DRAWS / SAMPLES * spread) / total
        priors[role] = LogNormal(float(center), max(LEAST_WIDTH, float(np.sqrt(variance))))
    return RoleLengthscales(**priors)


def fit(given: Sequence[Sample]) -> RoleLengthscales:
    start = LogNormal(0.0, 1.0)
    priors = RoleLengthscales(**dict.fromkeys(get_args(Role), start))
    for _ in range(ROUNDS):
        drawn = [(sample, np.array(process(sample, with_roles(priors, sample)).draws())) for sample in given]
        priors = fitted(drawn)
    return priors


def score(sample: Sample, settings: GpSettings) -> float:
    return held_out_score(process(sample, settings).leave_one_out(), sample.y)


def compare(data: Path, names: Sequence[str], counts: str) -> None:
    """Prints each prior's gain over Gamma(3, 1) on core tables."""
    given = [s for name in names if name in core(data) for s in samples(data, name, max(ROWS), 1)]
    candidates = {
        "roles": ROLES,
        "moments": MOMENTS,
        "vanilla": RoleLengthscales(**dict.fromkeys(get_args(Role), VANILLA)),
    }
    for count in (int(word) for word in counts.split(",")):
        plain = np.array([predicted(sample, PLAIN, count) for sample in given])
        for name, priors in candidates.items():
            gains = np.array([predicted(sample, with_roles(priors, sample), count) for sample in given]) - plain
            error = gains.std(axis=0) / math.sqrt(len(given))
            cells = [
                f"{what} {m:+.3f} ± {e:.3f}" for what, m, e in zip(("density", "ranks"), gains.mean(axis=0), error)
            ]
            print(f"{count} rows, {name}:", ", ".join(cells), flush=True)


def predicted(sample: Sample, settings: GpSettings, count: int) -> tuple[float, float]:
    """Log density and rank correlation of the rows from `count` on, given those before."""
    first = replace(sample, x=np.ascontiguousarray(sample.x[:count]), y=sample.y[:count])
    model, others = process(first, settings), np.ascontiguousarray(sample.x[count:])
    drawn, noise = [], 0.0
    for theta in model.draws():
        drawn.append(GaussianProcess(model.features, settings))
        drawn[-1].refit(first.x, first.y, theta)
        noise += float(np.exp(theta[-1])) * float(first.y.var()) / SAMPLES
    latent = mixture(drawn).posterior(others)
    density = held_out_score(Posterior(latent.mean, latent.variance + noise), sample.y[count:])
    return density, rank_correlation(latent.mean, sample.y[count:])


def text(priors: RoleLengthscales) -> str:
    found = zip(get_args(Role), replace(priors, more_than=0).priors(get_args(Role)) or ())
    return ", ".join(f"{name} ({prior.center:.2f}, {prior.width:.2f})" for name, prior in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--compare", default="", help="counts of rows; instead of the fit")
    parser.add_argument("--folds", type=int, default=4)
    options = parser.parse_args()
    data = Path(os.environ["TUNEPASS_DATA"])
    names = [str(name) for name in json.loads((data / "SPLIT.json").read_text(encoding="utf-8"))["developers"]]
    given = [
        s for name in names if is_space(data / f"{name}.json") for s in samples(data, name, options.rows, options.draws)
    ]
    kernels = sorted({sample.kernel for sample in given})
    print(f"{len(given)} samples of {len(kernels)} kernels, {options.rows} rows each")
    print("all:", text(fit(given)), flush=True)
    gains = []
    for fold in range(options.folds):
        out = set(kernels[fold :: options.folds])
        priors = fit([sample for sample in given if sample.kernel not in out])
        print(f"without {sorted(out)}:", text(priors), flush=True)
        gains += [
            score(sample, with_roles(priors, sample)) - score(sample, PLAIN) for sample in given if sample.kernel in out
        ]
    print(f"left out: {np.mean(gains):+.3f} ± {np.std(gains) / math.sqrt(len(gains)):.3f}")


if __name__ == "__main__":
    main()
