"""What an earlier table of the same kernel on another device is worth, as it is, shuffled and inverted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.benchmarks.search.problems import Problem, problem
from tests.benchmarks.search.runs import Places, code_version, share
from tests.benchmarks.search.tables import markdown
from tunepass.evaluators.recorded import read
from tunepass.strategies.prior_mean import PriorMean
from tunepass.study.outcome import Measured
from tunepass.study.recall import recall_within
from tunepass.study.study import Study

KINDS = ("none", "as it is", "shuffled", "inverted")
MARKS = (10, 20, 40)
TOLERANCES = (0.05, 0.10, 0.20)  # of HiPerBOt's recall, Eq. 12
LEAST = 0.97  # of the plain value at 40, with a source that misleads


def source(data: Path, name: str, kind: str, seed: int) -> PriorMean | None:
    """All measured rows of a table; their values as they are, shuffled, or in the opposite order."""
    if kind == "none":
        return None
    configurations, stated = _measured(data, name)
    values = np.array(stated)
    if kind == "shuffled":
        values = np.random.default_rng(seed).permutation(values)
    elif kind == "inverted":
        values = np.sort(values)[::-1][np.argsort(np.argsort(values))]
    return PriorMean.from_observations(configurations, values.tolist())


@lru_cache(maxsize=4)
def _measured(data: Path, name: str) -> tuple[list, list[float]]:  # type: ignore[type-arg]
    recorded = read(data / f"{name}.json")
    objective = recorded.objectives[0].name
    rows = [(c, o.values[objective]) for c, o in recorded.outcomes.items() if isinstance(o, Measured)]
    return [c for c, _ in rows], [value for _, value in rows]


def searched(subject: Problem, strategy: str, prior: PriorMean | None, seed: int, evals: int) -> list[float]:
    """The loss of each evaluation; inf where it failed."""
    study = Study(subject.space, [subject.objective], strategy=strategy, seed=seed, max_evals=evals, prior_mean=prior)
    losses = []
    while suggested := study.suggest(1):
        outcome = subject.outcome(suggested[0])
        study.observe(suggested[0], outcome)
        measured = isinstance(outcome, Measured)
        losses.append(subject.objective.loss(outcome.values[subject.objective.name]) if measured else np.inf)
    return losses


def kept(places: Places, pair: tuple[str, str], strategy: str, kind: str, seed: int, evals: int) -> list[float]:
    """`searched`, once; without a source the target alone says which run it is."""
    origin, target = pair
    folder = places.kept / "transfer" / target / ("none" if kind == "none" else origin)
    path = folder / f"{strategy}-{kind.replace(' ', '-')}-{seed}-{evals}-{code_version()[:20]}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subject = problem(places.data, target, places.kept / "models")
        losses = searched(subject, strategy, source(places.data, origin, kind, seed), seed, evals)
        path.write_text(json.dumps([loss if np.isfinite(loss) else None for loss in losses]), encoding="utf-8")
    stated = json.loads(path.read_text(encoding="utf-8"))
    return [np.inf if loss is None else float(loss) for loss in stated]


def table(places: Places, pairs: Sequence[tuple[str, str]], seeds: int, told: Callable[[str], None]) -> str:
    """Optimum over best by pair, then what the pairs come to."""
    rows, values = [], {kind: [] for kind in KINDS}  # type: dict[str, list[list[float]]]
    for number, pair in enumerate(pairs, start=1):
        told(f"pair {number} of {len(pairs)}: {pair[0]} -> {pair[1]}")
        subject = problem(places.data, pair[1], places.kept / "models")
        for kind in KINDS:
            runs = [kept(places, pair, "auto", kind, seed, MARKS[-1]) for seed in range(seeds)]
            values[kind].append([float(np.mean([_best(run, mark, subject.optimum) for run in runs])) for mark in MARKS])
        plain, true = values["none"][-1], values["as it is"][-1]
        bad = [values[kind][-1][-1] for kind in KINDS[2:]]
        shown = [plain[0], plain[-1], true[0], true[-1], *bad]
        rows.append([pair[0], pair[1].partition("/")[2], *(f"{value:.3f}" for value in shown)])
    head = [
        "source",
        "target",
        "plain at 10",
        "plain at 40",
        "with source at 10",
        "at 40",
        "shuffled at 40",
        "inverted at 40",
    ]
    return _verdict(values) + "\n\n" + markdown(head, rows)


def _best(losses: Sequence[float], mark: int, optimum: float) -> float:
    best = min(losses[:mark], default=np.inf)
    return share(best, optimum) if np.isfinite(best) else 0.0


def _verdict(values: dict[str, list[list[float]]]) -> str:
    """Means over pairs, and in how many pairs each goal is met."""
    rows = []
    plain = np.array(values["none"])[:, -1]
    for kind in KINDS:
        found = np.array(values[kind])
        goal = found[:, 0] >= plain - 1e-9 if kind in KINDS[:2] else found[:, -1] >= LEAST * plain
        rows.append([kind, *(f"{mean:.3f}" for mean in found.mean(axis=0)), f"{goal.mean():.0%}"])
    head = ["source", *(f"at {mark}" for mark in MARKS), "pairs that meet the goal"]
    note = (
        f"The goal: plain's value at {MARKS[-1]} after {MARKS[0]} evaluations; at {MARKS[-1]} within 3% of it with a "
    )
    return markdown(head, rows) + f"\n\n{note}source that misleads. {len(plain)} pairs."


def recalls(places: Places, pairs: Sequence[tuple[str, str]], seeds: int, told: Callable[[str], None]) -> str:
    """HiPerBOt's recall (Eq. 12) after 1% of the target's rows and 100 more evaluations."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for number, pair in enumerate(pairs, start=1):
        told(f"recall, pair {number} of {len(pairs)}: {pair[0]} -> {pair[1]}")
        subject = problem(places.data, pair[1], places.kept / "models")
        evals = len(subject.losses) // 100 + 100
        for strategy, kind in (
            ("density_ratio", "as it is"),
            ("auto", "as it is"),
            ("auto", "none"),
            ("random", "none"),
        ):
            runs = [kept(places, pair, strategy, kind, seed, evals) for seed in range(seeds)]
            cells = [np.mean([recall_within(run, subject.losses, tolerance=t) for run in runs]) for t in TOLERANCES]
            found.setdefault((strategy, kind), []).append([float(cell) for cell in cells])
    rows = [[s, k, *(f"{mean:.3f}" for mean in np.mean(cells, axis=0))] for (s, k), cells in found.items()]
    return markdown(["strategy", "source", *(f"R({t:.0%})" for t in TOLERANCES)], rows)
