"""Prior means that are right, wrong, and wrong only at the top: what they gain and what they cost.

Compared on the same seeds: `auto` without the prior mean (`plain`) and with it (`alone`), and a rule by which a search
with it and one without it take turns (`turns`: tests.benchmarks.search.prior_turns).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.search.prior_cases import CHOSEN, REPORTED, WRONG, Case, prior_mean, subject
from tests.benchmarks.search.prior_turns import TakingTurns
from tests.benchmarks.search.problems import Floats
from tests.benchmarks.search.runs import Places, code_version
from tests.benchmarks.search.tables import markdown
from tests.benchmarks.search.transfer import BUDGET
from tunepass.strategies.auto import SETTINGS
from tunepass.study.outcome import Measured
from tunepass.study.study import Study
from tunepass.study.task import Factory

MARKS = (10, 20, 40)
GOAL_AT = 20  # the evaluation whose median value without the prior mean is the value to reach
WAYS: dict[str, str | Factory] = {"plain": "auto", "alone": "auto", "turns": lambda task: TakingTurns(task, SETTINGS)}
LOSS = 0.01  # at the last mark, beyond which a prior mean harms
ERRORS = 2.0  # standard errors


@dataclass(frozen=True, slots=True)
class Compared:
    """Optimum over best (seeds, evaluations) of each of WAYS."""

    case: Case
    shares: dict[str, Floats]

    def evaluations(self, way: str) -> float:
        """The median until the goal is reached; one more than there are where it never is."""
        goal = np.median(self.shares["plain"][:, GOAL_AT - 1])
        reached = self.shares[way] >= goal - 1e-12
        return float(np.median(np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, BUDGET + 1)))

    def gain(self, way: str, mark: int) -> Floats:
        """Over the search without the prior mean (seeds,)."""
        return np.asarray((self.shares[way] - self.shares["plain"])[:, mark - 1])

    @property
    def wrong(self) -> bool:
        return self.case.kind in WRONG

    def late(self, way: str) -> bool:
        return self.evaluations(way) > 1.1 * self.evaluations("plain") + 2

    def harm_z(self, way: str) -> float:
        """By how many standard errors the loss at the last mark is beyond LOSS."""
        loss = -self.gain(way, MARKS[-1])
        error = loss.std(ddof=1) / math.sqrt(len(loss)) if len(loss) > 1 else 0.0
        return float((loss.mean() - LOSS) / error) if error > 0 else 0.0


def stored_shares(places: Places, case: Case, way: str, seed: int) -> list[float]:
    """Optimum over best after each evaluation, once."""
    name = "plain" if way == "plain" else f"{way}-{case.name.replace(' ', '-').replace('/', '.')}"
    path = places.kept / "prior-means" / case.table / f"{name}-{seed}-{code_version()[:20]}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_searched(places, case, way, seed)), encoding="utf-8")
    return [float(share) for share in json.loads(path.read_text(encoding="utf-8"))]


def _searched(places: Places, case: Case, way: str, seed: int) -> list[float]:
    models = places.kept / "models"
    searched = subject(places.data, case.table, models)
    prior = None if way == "plain" else prior_mean(places.data, case, seed, models)
    objective = searched.objective
    study = Study(searched.space, [objective], strategy=WAYS[way], seed=seed, max_evals=BUDGET, prior_mean=prior)
    least, shares = math.inf, list[float]()
    while len(shares) < BUDGET and (suggested := study.suggest(1)):
        outcome = searched.outcome(suggested[0])
        study.observe(suggested[0], outcome)
        if isinstance(outcome, Measured):
            least = min(least, objective.loss(outcome.values[objective.name]))
        shares.append(float(searched.optimum / least) if math.isfinite(least) else 0.0)
    return shares + shares[-1:] * (BUDGET - len(shares))


def table(places: Places, seeds: Sequence[int], words: Sequence[str], told: Callable[[str], None]) -> str:
    """Both panels: the cases that the rule was chosen on, and those that it is reported on."""
    parts = []
    for title, cases in (("Chosen on", CHOSEN), ("Reported on", REPORTED)):
        wanted = [case for case in cases if not words or any(word in f"{title} {case.table}" for word in words)]
        if wanted:
            compared = [_compared(places, case, seeds, told) for case in wanted]
            parts.append(f"{title}, {len(seeds)} seeds:\n\n{_rows(compared)}\n\n{_summary(compared)}")
    return "\n\n".join(parts)


def _compared(places: Places, case: Case, seeds: Sequence[int], told: Callable[[str], None]) -> Compared:
    shares = {way: np.array([stored_shares(places, case, way, seed) for seed in seeds]) for way in WAYS}
    told(f"{case.table}, {case.name}: done")
    return Compared(case, shares)


def _rows(compared: Sequence[Compared]) -> str:
    head = ["table", "prior mean", *(f"{way} at 10/20/40" for way in WAYS), "evaluations", "alone", "turns"]
    rows = []
    for each in compared:
        cells = ["/".join(f"{each.shares[way][:, mark - 1].mean():.2f}" for mark in MARKS) for way in WAYS]
        counts = [f"{each.evaluations(way):g}{' *' if way != 'plain' and each.late(way) else ''}" for way in WAYS]
        rows.append([each.case.table.partition("/")[2], each.case.name, *cells, *counts])
    return markdown(head, rows)


def _summary(compared: Sequence[Compared]) -> str:
    wrong, right = ([each for each in compared if each.wrong is kind] for kind in (True, False))
    lines = []
    for way in ("alone", "turns"):
        late = sum(each.late(way) for each in compared)
        parts = [
            f"`{way}`: late (*) on {late} of {len(compared)}",
            f"harm beyond {LOSS} at 40 on {_harmed(compared, way)}",
        ]
        if wrong:
            logs = [math.log(each.evaluations(way) / each.evaluations("plain")) for each in wrong]
            loss = -np.mean([each.gain(way, MARKS[-1]).mean() for each in wrong])
            parts.append(f"wrong ones: {math.exp(np.mean(logs)):.2f} of the evaluations, loss at 40 {loss:+.3f}")
        if right:
            gains = [np.mean([each.gain(way, mark).mean() for each in right]) for mark in MARKS]
            parts.append(f"others: gain {'/'.join(f'{gain:+.3f}' for gain in gains)}")
        lines.append("; ".join(parts) + ".")
    return "\n".join(lines)


def _harmed(compared: Sequence[Compared], way: str) -> int:
    """Cases whose loss at the last mark is beyond LOSS by ERRORS standard errors, by Holm's procedure."""
    tails = sorted(0.5 * math.erfc(each.harm_z(way) / math.sqrt(2)) for each in compared)
    level = 0.5 * math.erfc(ERRORS / math.sqrt(2))
    rejected = 0
    for number, tail in enumerate(tails):
        if tail > level / (len(tails) - number):
            break
        rejected += 1
    return rejected
