"""Suggestions in batches, as where several evaluations run at once: the same number of evaluations, by batch size.

A batch is suggested before anything of it is known. On the tables that noise is tried on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from tests.benchmarks.search.problems import Problem, problem
from tests.benchmarks.search.runs import Places, code_version, share
from tests.benchmarks.search.tables import markdown, with_details
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

SIZES = (1, 16)
BUDGET, MARKS = 48, (16, 32, 48)


def searched(subject: Problem, batch: int, seed: int, evals: int = BUDGET) -> list[float]:
    """Optimum over best after each evaluation, `batch` being suggested at once."""
    study = Study(subject.space, [subject.objective], seed=seed, max_evals=evals)
    losses: list[float] = []
    while suggested := study.suggest(batch):
        for configuration in suggested:
            outcome = subject.outcome(configuration)
            study.observe(configuration, outcome)
            known = isinstance(outcome, Measured)
            losses.append(subject.objective.loss(outcome.values[subject.objective.name]) if known else np.inf)
    losses += [np.inf] * (evals - len(losses))  # an exhausted space
    return [share(best, subject.optimum) if np.isfinite(best) else 0.0 for best in np.minimum.accumulate(losses)]


def kept(places: Places, name: str, batch: int, seed: int) -> list[float]:
    """`searched`, once."""
    path = places.kept / "batches" / name / f"{batch}-{seed}-{code_version()[:20]}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subject = problem(places.data, name, places.kept / "models")
        path.write_text(json.dumps(searched(subject, batch, seed)), encoding="utf-8")
    return [float(value) for value in json.loads(path.read_text(encoding="utf-8"))]


def table(places: Places, names: Sequence[str], seeds: Sequence[int]) -> str:
    """Means over problems, with what each size is ahead of one by one by and its standard error over seeds; then each
    problem at the end."""
    of = {size: np.array([[kept(places, n, size, s) for s in seeds] for n in names]) for size in SIZES}  # (p, s, n)
    rows = []
    for size, shares in of.items():
        cells = []
        for mark in MARKS:
            gaps = (shares - of[SIZES[0]])[:, :, mark - 1].mean(axis=0)
            error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else float("nan")
            ahead = "" if size == SIZES[0] else f" ({gaps.mean():+.3f} ± {error:.3f})"
            cells.append(f"{shares[:, :, mark - 1].mean():.3f}{ahead}")
        rows.append([str(size), *cells])
    single = [
        [name, *(f"{of[size][number, :, BUDGET - 1].mean():.3f}" for size in SIZES)]
        for number, name in enumerate(names)
    ]
    head = ["at once", *(f"at {mark}" for mark in MARKS)]
    each = markdown(["problem", *(f"{size} at once" for size in SIZES)], single)
    return with_details(markdown(head, rows), each)
