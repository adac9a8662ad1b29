"""What earlier searches of sibling kernels are worth together: the same kernel on the other devices.

The source of a target is what a search of SOURCE_EVALS evaluations measured on each of its siblings. Compared: none;
one of them, another each seed; all of them together; all of them, one in the opposite order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from tests.benchmarks.search.problems import pairs, problem
from tests.benchmarks.search.runs import Places, code_version, share
from tests.benchmarks.search.tables import markdown, with_details
from tests.benchmarks.search.transfer import BUDGET, FIRST, searched
from tunepass.space.configuration import Configuration
from tunepass.strategies.prior_mean.several import SeveralPriorMeans
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

SOURCE_EVALS = 60
KINDS = ("none", "one", "all", "all, one inverted")


@lru_cache(maxsize=64)
def earlier(places: Places, name: str, seed: int) -> tuple[tuple[Configuration, ...], tuple[float, ...]]:
    """What a search of `name` measured."""
    subject = problem(places.data, name, places.kept / "models")
    study = Study(subject.space, [subject.objective], seed=1000 + seed, max_evals=SOURCE_EVALS)
    while not study.finished and (suggested := study.suggest()):
        study.observe(suggested[0], subject.outcome(suggested[0]))
    measured = [(t.configuration, t.outcome) for t in study.trials if isinstance(t.outcome, Measured)]
    return tuple(c for c, _ in measured), tuple(o.values[subject.objective.name] for _, o in measured)


def source(places: Places, target: str, kind: str, seed: int) -> PriorMean | None:
    """The prior mean of a search of `target`."""
    siblings = sorted(a for a, b in pairs(places.data) if b == target)
    if kind == "none":
        return None
    chosen = [siblings[seed % len(siblings)]] if kind == "one" else siblings
    means: list[PriorMean] = []
    for number, name in enumerate(chosen):
        configurations, values = earlier(places, name, seed)
        if kind == "all, one inverted" and number == seed % len(chosen):
            ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
            values = tuple(np.sort(values)[::-1][ranks].tolist())
        means.append(PriorMean.from_observations(configurations, values))
    return SeveralPriorMeans(means) if len(means) > 1 else means[0]


def kept(places: Places, target: str, kind: str, seed: int) -> list[float]:
    """Optimum over best after each evaluation, once."""
    path = (
        places.kept
        / "siblings"
        / target
        / f"{kind.replace(', ', '-').replace(' ', '-')}-{seed}-{code_version()[:20]}.json"
    )
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subject = problem(places.data, target, places.kept / "models")
        losses = searched(subject, "auto", source(places, target, kind, seed), seed, BUDGET)
        losses += [losses[-1]] * (BUDGET - len(losses))  # an exhausted space
        best = np.minimum.accumulate(losses)
        path.write_text(
            json.dumps([share(b, subject.optimum) if np.isfinite(b) else 0.0 for b in best]), encoding="utf-8"
        )
    return [float(value) for value in json.loads(path.read_text(encoding="utf-8"))]


def table(places: Places, targets: Sequence[str], seeds: Sequence[int]) -> str:
    """Means over targets, with what each kind is ahead of none by and its standard error over seeds; then each."""
    marks = (FIRST, 20, BUDGET)
    of = {kind: np.array([[kept(places, t, kind, s) for s in seeds] for t in targets]) for kind in KINDS}  # (t, s, n)
    rows, single = [], []
    for kind, shares in of.items():
        cells = []
        for mark in marks:
            gaps = (shares - of["none"])[:, :, mark - 1].mean(axis=0)
            error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else float("nan")
            ahead = "" if kind == "none" else f" ({gaps.mean():+.3f} ± {error:.3f})"
            cells.append(f"{shares[:, :, mark - 1].mean():.3f}{ahead}")
        rows.append([kind, *cells])
    for number, target in enumerate(targets):
        single.append([target, *(f"{of[k][number, :, m - 1].mean():.3f}" for m in (FIRST, BUDGET) for k in KINDS)])
    head = ["sources", *(f"at {mark}" for mark in marks)]
    each = ["target", *(f"{kind} at {mark}" for mark in (FIRST, BUDGET) for kind in KINDS)]
    return with_details(markdown(head, rows), markdown(each, single))
