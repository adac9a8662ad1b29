"""Recorded tables measured with noise: what is chosen after a budget, by its true value.

Every measurement of a configuration has its recorded value times exp(deviation z), z from a stream of its own for each
seed. Three ways to choose, at as many measurements: the best value seen; the recommended trial of the same search; the
recommended trial where `study.again` decides what is measured again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from tests.benchmarks.search.problems import DEV, MODELLED, Problem, problem
from tests.benchmarks.search.runs import Places, code_version, share
from tests.benchmarks.search.tables import markdown, with_details
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured, Outcome
from tunepass.study.study import Study

PROBLEMS = tuple(name for name in DEV if name not in MODELLED)
DEVIATIONS = (0.05, 0.15)
BUDGET = 60
NOISE_KEY = 0x6E6F697365


@dataclass(frozen=True, slots=True)
class Chosen:
    """Optimum over the true value of what is chosen at the end; `reached`: of the best that was measured at all."""

    seen: float
    recommended: float
    reached: float
    trials: int


def searched(subject: Problem, deviation: float, seed: int, *, again: bool, evals: int = BUDGET) -> Chosen:
    """One search of `evals` measurements, with noise of that deviation (on the log scale)."""
    study = Study(subject.space, [subject.objective], seed=seed, max_evals=evals)
    rng = np.random.default_rng([seed, NOISE_KEY])
    name = subject.objective.name

    def measured(configuration: Configuration) -> Outcome:
        outcome = subject.outcome(configuration)
        if not isinstance(outcome, Measured):
            return outcome
        return Measured({name: outcome.values[name] * float(np.exp(deviation * rng.normal()))})

    while not study.finished and (asked := (study.again() if again else []) or study.suggest()):
        for configuration in asked:
            study.observe(configuration, measured(configuration))

    def truth(configuration: Configuration) -> float:
        outcome = subject.outcome(configuration)
        assert isinstance(outcome, Measured)
        return share(subject.objective.loss(outcome.values[name]), subject.optimum)

    best, recommended = study.best, study.recommended
    if best is None or recommended is None:
        return Chosen(0.0, 0.0, 0.0, len(study.trials))
    reached = max(truth(t.configuration) for t in study.trials if t.measured)
    return Chosen(truth(best.configuration), truth(recommended.trial.configuration), reached, len(study.trials))


def kept(places: Places, name: str, deviation: float, seed: int, again: bool) -> Chosen:
    """`searched`, once."""
    way = "again" if again else "once"
    path = places.kept / "noise" / name / f"{deviation}-{way}-{seed}-{code_version()[:20]}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subject = problem(places.data, name, places.kept / "models")
        path.write_text(json.dumps(asdict(searched(subject, deviation, seed, again=again))), encoding="utf-8")
    return Chosen(**json.loads(path.read_text(encoding="utf-8")))


def table(places: Places, problems: Sequence[str], seeds: Sequence[int]) -> str:
    """Means over problems, then each problem; behind the noiseless search with the standard error of the pairs."""
    exact = {name: [kept(places, name, 0.0, seed, False).seen for seed in seeds] for name in problems}
    rows = [["none", "", f"{_mean(exact):.3f}", "", "", ""]]
    single = []
    for deviation in DEVIATIONS:
        of = {a: {n: [kept(places, n, deviation, s, a) for s in seeds] for n in problems} for a in (False, True)}
        for label, again, field in (
            ("best seen", False, "seen"),
            ("best seen", True, "seen"),
            ("recommended", True, "recommended"),
        ):
            values = {n: [float(getattr(run, field)) for run in of[again][n]] for n in problems}
            trials = float(np.mean([run.trials for runs in of[again].values() for run in runs]))
            way = "measures again" if again else "each once"
            rows.append([f"{deviation:.0%}", f"{label}, {way}", f"{_mean(values):.3f}", _behind(values, exact),
                         f"{np.mean([run.reached for runs in of[again].values() for run in runs]):.3f}",
                         f"{trials:.0f}"])  # fmt: skip
        single += [[name, f"{deviation:.0%}", f"{np.mean(exact[name]):.3f}",
                    f"{np.mean([run.seen for run in of[False][name]]):.3f}",
                    f"{np.mean([run.recommended for run in of[True][name]]):.3f}"] for name in problems]  # fmt: skip
    head = ["noise", "chosen", f"true value at {BUDGET}", "behind no noise ± standard error", "best measured", "trials"]
    each = ["problem", "noise", "no noise", "best seen, each once", "recommended, measures again"]
    return with_details(markdown(head, rows), markdown(each, sorted(single)))


def _mean(values: dict[str, list[float]]) -> float:
    return float(np.mean([np.mean(of) for of in values.values()]))


def _behind(values: dict[str, list[float]], exact: dict[str, list[float]]) -> str:
    gaps = np.array([np.array(exact[name]) - np.array(values[name]) for name in values])  # (problems, seeds)
    error = gaps.mean(axis=0).std(ddof=1) / np.sqrt(gaps.shape[1]) if gaps.shape[1] > 1 else float("nan")
    return f"{gaps.mean():+.3f} ± {error:.3f}"
