"""Searches of recorded tables, their rows as the pool, with the model as prior mean and without.

Counts are kept in a file by all that they depend on, so that a run that was stopped goes on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.benchmarks.gpu.searches import ALONE, GOAL, WITH, WITHOUT, Counts, ratio
from tests.benchmarks.hls.records import Entry, fixed_of, recorded
from tests.benchmarks.paper.problems import code_digest
from tests.benchmarks.search.problems import FAILURE, Problem
from tests.benchmarks.search.tables import markdown
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Ordinal, Parameter
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured, Outcome
from tunepass.study.study import Study

WITHIN = 1.10
WIDE = 8  # a number whose values span this factor is on the log scale
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Search:
    entry: Entry
    kind: str
    seed: int
    evals: int


@lru_cache(maxsize=4)
def searched(entry: Entry, data: Path) -> Problem:
    """The table with its rows as the space, failures too."""
    table = recorded(data, entry.table)
    known: dict[Configuration, float] = {}
    space = Space.from_table(list(table.outcomes), [_parameter(p, entry) for p in table.space.parameters])
    for configuration, outcome in table.outcomes.items():
        if isinstance(outcome, Measured):
            value = outcome.values[entry.time]
            known[configuration] = float(np.exp2(-value)) if entry.negated else value

    def outcome(configuration: Configuration) -> Outcome:
        found = known.get(configuration)
        return FAILURE if found is None else Measured({"time": found})

    losses = np.array(list(known.values()))
    return Problem(entry.table, space, Objective("time"), outcome, float(losses.min()), losses)


def _parameter(stated: Parameter, entry: Entry) -> Parameter:
    """Categories in the order of the source's, numbers as the table has them; no default is handed over."""
    if isinstance(stated, Categorical):
        ours = {p.name: p for p in entry.parameters()} if entry.parameters else {}
        return Categorical(stated.name, list(ours[stated.name].domain if stated.name in ours else stated.domain))
    assert isinstance(stated, Ordinal)
    values = sorted(stated.domain)
    numbers = [float(v) for v in values if isinstance(v, (int, float))]
    return Ordinal(stated.name, values, log=len(values) > 2 and numbers[0] > 0 and numbers[-1] / numbers[0] >= WIDE)


@lru_cache(maxsize=4)
def model(entry: Entry, data: Path) -> Expr:
    known = {name: alg.lift(v) for name, v in fixed_of(data, entry.table).items() if isinstance(v, (int, float))}
    said = entry.price()
    return alg.substitute(alg.mul(said.time, said.effort), known)


def evaluations(search: Search, data: Path) -> int:
    """Until the first within WITHIN of the optimum; one more than there are where none is."""
    subject = searched(search.entry, data)
    prior = PriorMean.from_expression(model(search.entry, data)) if search.kind == WITH else None
    study = Study(
        subject.space, [subject.objective], strategy="auto", seed=search.seed, max_evals=search.evals, prior_mean=prior
    )
    for count in range(1, search.evals + 1):
        suggested = study.suggest(1)
        if not suggested:
            break
        outcome = subject.outcome(suggested[0])
        study.observe(suggested[0], outcome)
        if isinstance(outcome, Measured) and outcome.values["time"] <= WITHIN * subject.optimum:
            return count
    return search.evals + 1


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts by search in `path`; without one nothing is kept."""

    data: Path
    path: Path | None = None

    def count(self, search: Search) -> int:
        """Appended where it is new: two runs at once may share the file."""
        if self.path is None:
            return evaluations(search, self.data)
        key = f"{search.entry.table} {search.kind} {search.seed} {search.evals} {self._digest(search)}"
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        known: dict[str, int] = dict(map(json.loads, lines))
        if key not in known:
            known[key] = evaluations(search, self.data)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, known[key]]) + "\n")
        return known[key]

    def _digest(self, search: Search) -> str:
        """Of the search's code; with the model, of its time and of what it says fits."""
        said = search.entry.price()
        told = repr((said.time, said.effort)) if search.kind == WITH else ""
        return hashlib.sha256((code_digest() + told).encode()).hexdigest()[:12]


def table(entries: Sequence[Entry], kept: Kept, seeds: Sequence[int], evals: int, told: Told) -> tuple[str, bool]:
    """With the model against without, on the same seeds."""
    every = [_counts(entry, kept, seeds, evals, told) for entry in entries]
    rows = [
        [entry.table, *(f"{counts[kind].mean():.1f}" for kind in ALONE), f"{ratio([counts], WITH, WITHOUT)[0]:.2f}"]
        for entry, counts in zip(entries, every, strict=True)
    ]
    share, error = ratio(every, WITH, WITHOUT)
    line = (
        f"Evaluations until within 10 % of the optimum, with the model over without: geometric mean {share:.2f} ± "
        f"{share * error:.2f} over {len(every)} tables, {len(seeds)} seeds (goal {GOAL}); {evals + 1} where {evals} "
        "do not reach it."
    )
    return f"{line}\n\n{markdown(['table', *ALONE, 'ratio'], rows)}", share <= GOAL


def _counts(entry: Entry, kept: Kept, seeds: Sequence[int], evals: int, told: Told) -> Counts:
    counts = {kind: np.array([float(kept.count(Search(entry, kind, seed, evals))) for seed in seeds]) for kind in ALONE}
    told(f"{entry.table}: " + "; ".join(f"{kind} {found.mean():.1f}" for kind, found in counts.items()))
    return counts
