"""What an earlier table of the same kernel on another device is worth, as it is, shuffled and inverted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.benchmarks.search.problems import Problem, problem
from tests.benchmarks.search.recall import recall, recall_within
from tests.benchmarks.search.runs import Places, code_version, share
from tests.benchmarks.search.tables import markdown, with_details
from tunepass.jobs.transfer import table_source
from tunepass.strategies.prior_mean.sources import ObservedPriorMean, PriorMean
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

FIRST, BUDGET = 10, 40
MISLEADING = ("shuffled", "inverted")
PERCENTILES = (1.0, 5.0)  # of HiPerBOt's recall, Eq. 11
TOLERANCES = (0.05, 0.10, 0.20)  # ... and Eq. 12
LEAST = 0.97  # of the plain value at 40, with a source that misleads
TIE = 0.01  # what a measurement differs by when it is made again
Pair = tuple[str, str]


def source(data: Path, name: str, kind: str, seed: int) -> PriorMean | None:
    """A table as `replay --transfer-from` takes it; its values as they are, shuffled, or in the opposite order."""
    if kind == "none":
        return None
    prior = _table(data, name)
    if kind == "as it is":
        return prior
    values = prior.observed
    if kind == "shuffled":
        values = np.random.default_rng(seed).permutation(values)
    else:
        values = np.sort(values)[::-1][np.argsort(np.argsort(values))]
    return PriorMean.from_observations(prior.configurations, values.tolist())


@lru_cache(maxsize=4)
def _table(data: Path, name: str) -> ObservedPriorMean:
    return table_source(data / f"{name}.json").prior


def searched(subject: Problem, strategy: str, prior: PriorMean | None, seed: int, evals: int) -> list[float]:
    """The loss of each of `evals` evaluations, of a budget of BUDGET or more; inf where it failed."""
    budget = max(evals, BUDGET)
    study = Study(
        subject.space,
        [subject.objective],
        strategy=strategy,
        seed=seed,
        max_evals=budget,
        prior_mean=prior,
        repeats=False,
    )
    losses: list[float] = []
    while len(losses) < evals and (suggested := study.suggest(1)):
        outcome = subject.outcome(suggested[0])
        study.observe(suggested[0], outcome)
        measured = isinstance(outcome, Measured)
        losses.append(subject.objective.loss(outcome.values[subject.objective.name]) if measured else np.inf)
    return losses


def kept(places: Places, pair: Pair, strategy: str, kind: str, seed: int, evals: int) -> list[float]:
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


@dataclass(frozen=True, slots=True)
class Bench:
    """Means over seeds of optimum over best."""

    places: Places
    pairs: Sequence[Pair]
    seeds: int
    told: Callable[[str], None]

    def mean(self, pairs: Sequence[Pair], kind: str, evals: int, mark: int) -> float:
        """Seed s searches with pairs[s], in turn; all have one target."""
        subject = problem(self.places.data, pairs[0][1], self.places.kept / "models")
        found = [
            kept(self.places, pairs[seed % len(pairs)], "auto", kind, seed, evals)[:mark] for seed in range(self.seeds)
        ]
        return float(np.mean([_best(losses, subject.optimum) for losses in found]))


def table(places: Places, pairs: Sequence[Pair], seeds: int, told: Callable[[str], None]) -> str:
    """What the pairs come to, then each pair, then each target with sources that mislead, a source a seed."""
    bench = Bench(places, pairs, seeds, told)
    of = {target: [pair for pair in pairs if pair[1] == target] for _, target in pairs}
    plain = {target: [bench.mean(of[target][:1], "none", BUDGET, mark) for mark in (FIRST, BUDGET)] for target in of}
    told("plain: done")
    informed = {pair: [bench.mean([pair], "as it is", BUDGET, mark) for mark in (FIRST, BUDGET)] for pair in pairs}
    told("with a source: done")
    misled = {target: [bench.mean(of[target], kind, BUDGET, BUDGET) for kind in MISLEADING] for target in of}
    single = [
        [*pair, *(f"{value:.3f}" for value in (*plain[pair[1]], *informed[pair]))]
        for pair in sorted(pairs, key=lambda pair: informed[pair][1] - plain[pair[1]][1])
    ]
    targets = [
        [target, *(f"{value:.3f}" for value in (plain[target][1], *misled[target]))]
        for target in sorted(of, key=lambda target: min(misled[target]) / plain[target][1])
    ]
    heads = [f"{what} at {mark}" for what in ("plain", "with source") for mark in (FIRST, BUDGET)]
    each = markdown(["source", "target", *heads], single)
    bad = markdown(["target", f"plain at {BUDGET}", *(f"{kind} at {BUDGET}" for kind in MISLEADING)], targets)
    return with_details(_verdict(plain, informed, misled), each, bad)


def _best(losses: Sequence[float], optimum: float) -> float:
    best = min(losses, default=np.inf)
    return share(best, optimum) if np.isfinite(best) else 0.0


def _verdict(plain: dict[str, list[float]], informed: dict[Pair, list[float]], misled: dict[str, list[float]]) -> str:
    late = np.array([plain[target][1] for _, target in informed])
    early = np.array([plain[target][0] for _, target in informed])
    found, last = np.array(list(informed.values())).T
    gained = last - late
    lines = [
        f"{len(found)} pairs: plain {early.mean():.3f} at {FIRST} and {late.mean():.3f} at {BUDGET}; "
        f"with a source {found.mean():.3f} at {FIRST}.",
        f"At {FIRST} with a source at least plain's value at {BUDGET}: {(found >= late - 1e-9).mean():.0%} of pairs; "
        f"less than {TIE:.0%} below it: {(found >= (1 - TIE) * late).mean():.0%}; "
        f"better than plain at {FIRST}: {(found > early).mean():.0%}.",
    ]
    error = gained.std(ddof=1) / np.sqrt(len(gained)) if len(gained) > 1 else 0.0
    lines.append(
        f"At {BUDGET} with a source {last.mean():.3f} ({gained.mean():+.3f} ± {error:.3f} in pairs); more than {TIE} "
        f"behind plain on {(gained < -TIE).mean():.0%} of pairs, at most by {max(0.0, -gained.min()):.3f}."
    )
    at = np.array([plain[target][1] for target in misled])
    for number, kind in enumerate(MISLEADING):
        value = np.array([misled[target][number] for target in misled])
        near = (value >= LEAST * at).mean()
        lines.append(
            f"{kind.capitalize()}, at {BUDGET}: {value.mean():.3f} against {at.mean():.3f} plain "
            f"({value.mean() / at.mean() - 1:+.1%}); within {1 - LEAST:.0%} of it on {near:.0%} of {len(at)} targets."
        )
    return "\n".join(lines)


def recalls(places: Places, pairs: Sequence[Pair], seeds: int, told: Callable[[str], None]) -> str:
    """HiPerBOt's recall (Eq. 11, 12) after 1% of the target's rows and 100 more evaluations."""
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
            cells = [np.mean([recall(run, subject.losses, percentile=p) for run in runs]) for p in PERCENTILES]
            cells += [np.mean([recall_within(run, subject.losses, tolerance=t) for run in runs]) for t in TOLERANCES]
            found.setdefault((strategy, kind), []).append([float(cell) for cell in cells])
    rows = [[s, k, *(f"{mean:.3f}" for mean in np.mean(cells, axis=0))] for (s, k), cells in found.items()]
    heads = [f"R(best {p:.0f}%)" for p in PERCENTILES] + [f"R(within {t:.0%})" for t in TOLERANCES]
    return markdown(["strategy", "source", *heads], rows)
