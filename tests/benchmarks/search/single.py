"""Tables of one objective: evaluations against the peers', failures, ablations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.search import peers, runs, tables, variants
from tests.benchmarks.search.problems import MODELLED, problem
from tests.benchmarks.search.runs import Job, Places, Run
from tests.benchmarks.search.tables import MARKS, Runs, markdown, number

MATCH = 60  # evaluations after which BaCO's result is the one to match
EARLY = 20


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the data is, and how much is run; `others` is the number of seeds of strategies other than the first."""

    places: Places
    peers: Path
    seeds: int
    others: int
    evals: int
    jobs: int
    told: Callable[[str], None]

    def of(self, problems: Sequence[str], strategies: Sequence[str], evals: int | None = None) -> dict[str, Runs]:
        """Runs by strategy and problem."""
        jobs = [
            Job(p, s, seed, self.evals if evals is None else evals)
            for number, s in enumerate(strategies)
            for p in problems
            for seed in range(self.others if number else self.seeds)
        ]
        done = runs.run(self.places, jobs, self.jobs, self.told)
        return {
            s: {p: [done[j] for j in jobs if (j.problem, j.strategy) == (p, s)] for p in problems} for s in strategies
        }

    def recorded(self, problems: Sequence[str]) -> dict[str, dict[str, peers.Peer]]:
        """Peers' runs by tuner and problem."""
        found: dict[str, dict[str, peers.Peer]] = {}
        for name in problems:
            optimum = problem(self.places.data, name, self.places.kept / "models").optimum
            for tuner, peer in peers.recorded(self.peers, name, optimum).items():
                found.setdefault(tuner, {})[name] = peer
        return found


def evaluations(bench: Bench, problems: Sequence[str], strategies: Sequence[str] = variants.NAMED) -> str:
    """Optimum over best, ours and the peers', in all and problem by problem."""
    ours, theirs = bench.of(problems, strategies), bench.recorded(problems)
    marks = [mark for mark in MARKS if mark <= bench.evals]
    whole = [name for name in problems if name not in MODELLED]  # the peers that went to 100 did so on these only
    rows = []
    for label, by_problem in ours.items():
        cells = [tables.summary(by_problem, mark, problems) for mark in marks]
        failed = f"{tables.failed_share(by_problem, problems, MATCH):.1%}"
        count = len(by_problem[problems[0]])
        rows.append([f"**{label}**", str(count), *cells, failed, tables.milliseconds(tables.seconds(by_problem))])
    for tuner, by_name in sorted(theirs.items()):
        if len(by_name) == len(problems):
            their_runs = {name: peer.runs for name, peer in by_name.items()}
            counts = sorted({len(peer.runs) for peer in by_name.values()})
            cells = [tables.summary(their_runs, mark, problems) for mark in marks]
            failed = f"{np.mean([peer.failed for peer in by_name.values()]):.1%}"
            seconds = tables.milliseconds(float(np.median([peer.seconds for peer in by_name.values()])))
            rows.append([tuner, "-".join(map(str, counts)), *cells, failed, seconds])
    head = ["strategy", "seeds", *(f"at {mark}" for mark in marks), "failed", "ms a suggestion"]
    parts = [markdown(head, rows)]
    if 100 in marks and set(whole) < set(problems):
        parts.append(_at_hundred(ours, theirs, whole))
    return tables.with_details("\n\n".join(parts), _problem_by_problem(ours, theirs, problems, marks))


def _lead(ours: Sequence[Run], theirs: Sequence[Run], mark: int) -> str:
    """The difference of two means over seeds that are no pairs, and its standard error."""
    shares = [np.array(tables.shares_at(runs, mark)) for runs in (ours, theirs)]
    if min(map(len, shares)) < 2:
        return "–"
    error = np.sqrt(sum(values.var(ddof=1) / len(values) for values in shares))
    return f"{shares[0].mean() - shares[1].mean():+.3f} ± {error:.3f}"


def _at_hundred(ours: dict[str, Runs], theirs: dict[str, dict[str, peers.Peer]], whole: Sequence[str]) -> str:
    """At 100 evaluations, where peers were recorded that far."""
    rows = [[f"**{label}**", tables.summary(by_problem, 100, whole)] for label, by_problem in ours.items()]
    for tuner, by_name in sorted(theirs.items()):
        cell = tables.summary({name: peer.runs for name, peer in by_name.items()}, 100, whole)
        if cell != "–":
            rows.append([tuner, cell])
    return f"At 100 evaluations over the {len(whole)} complete tables:\n\n" + markdown(["strategy", "at 100"], rows)


def _problem_by_problem(
    ours: dict[str, Runs], theirs: dict[str, dict[str, peers.Peer]], problems: Sequence[str], marks: Sequence[int]
) -> str:
    """Means over seeds of the first strategy beside BaCO's and the best other peer's."""
    label, by_problem = next(iter(ours.items()))
    baco = theirs.get("baco", {})
    head = ["problem", *(f"{label} at {mark}" for mark in marks), f"ahead of baco at {EARLY}"]
    head += [f"worst decile at {MATCH}", f"baco at {MATCH}"]
    head += [f"best other peer at {MATCH}", f"evaluations to baco's {MATCH}"]
    rows, needed = [], list[float]()
    for name in problems:
        mine = by_problem[name]
        decile = float(np.quantile(tables.shares_at(mine, min(MATCH, marks[-1])), 0.1))
        row = [name, *(number(tables.mean_at(mine, mark)) for mark in marks)]
        row += [_lead(mine, baco[name].runs if name in baco else (), EARLY), number(decile)]
        goal = tables.mean_at(baco[name].runs, MATCH) if name in baco else None
        others = {t: tables.mean_at(of[name].runs, MATCH) for t, of in theirs.items() if t != "baco" and name in of}
        best = max(((v, t) for t, v in others.items() if v is not None), default=None)
        row += [number(goal), "–" if best is None else f"{best[0]:.3f} {best[1]}"]
        if goal is None:
            rows.append([*row, "–"])
            continue
        count = tables.evaluations_to(mine, goal)
        needed.append(MATCH if count is None else count)
        rows.append([*row, f"not in {len(mine[0].shares)}" if count is None else f"{count} ({count / MATCH:.2f})"])
    text = markdown(head, rows)
    if not needed:
        return text
    pooled = _pooled(by_problem, baco, problems)
    return (
        f"{text}\n\nEvaluations to match baco's result at {MATCH}: median {np.median(needed):.0f} "
        f"({np.median(needed) / MATCH:.2f} of baco's), mean {np.mean(needed):.1f} (one that was not matched counts "
        f"as {MATCH}); to match its mean over problems: {pooled}."
    )


def _pooled(mine: Runs, baco: dict[str, peers.Peer], problems: Sequence[str]) -> str:
    both = [name for name in problems if name in baco]
    goal = float(np.mean([tables.mean_at(baco[name].runs, MATCH) for name in both]))
    curve = np.mean([np.mean([run.shares for run in mine[name]], axis=0) for name in both], axis=0)
    reached = np.flatnonzero(curve >= goal)
    return f"{int(reached[0]) + 1} ({(int(reached[0]) + 1) / MATCH:.2f})" if len(reached) else "not reached"


def failures(bench: Bench, problems: Sequence[str], strategies: Sequence[str] = ("auto", "random")) -> str:
    """Failed evaluations where some configurations fail: until a peer's final quality is met, and in all."""
    ours, theirs = bench.of(problems, strategies), bench.recorded(problems)
    head = ["problem", *(f"{label}: failed in {MATCH}" for label in strategies)]
    head += [f"best peer (quality at {MATCH}, failed in {MATCH})", f"{strategies[0]}: failed until that quality"]
    rows = []
    for name in problems:
        counts = [float(np.mean([sum(run.failed[:MATCH]) for run in ours[label][name]])) for label in strategies]
        if max(counts) == 0:
            continue
        row = [name, *(f"{count:.1f}" for count in counts)]
        here = {t: of[name] for t, of in theirs.items() if name in of}
        if not here:
            rows.append([*row, "–", "–"])
            continue
        quality, tuner = max((tables.mean_at(peer.runs, MATCH) or 0.0, t) for t, peer in here.items())
        theirs_failed = here[tuner].failed * MATCH
        rows.append([*row, f"{tuner} ({quality:.3f}, {theirs_failed:.1f})", _until(ours[strategies[0]][name], quality)])
    return markdown(head, rows)


def _until(mine: Sequence[Run], quality: float) -> str:
    """Mean failures over the evaluations after which the mean share is the peer's."""
    count = tables.evaluations_to(mine, quality)
    if count is None:
        return f"not met in {len(mine[0].shares)}"
    return f"{np.mean([sum(run.failed[:count]) for run in mine]):.1f} (in {count} evaluations)"


def ablations(bench: Bench, problems: Sequence[str], labels: Sequence[str]) -> str:
    """One switch each, on the same problems."""
    bases = sorted({label.partition(":")[0] for label in labels})
    ours = bench.of(problems, [*bases, *labels])
    marks = [mark for mark in MARKS if mark <= bench.evals]
    rows = []
    for base in bases:
        for label in (base, *(label for label in labels if label.startswith(f"{base}:"))):
            by_problem = ours[label]
            cells = [tables.summary(by_problem, mark, problems) for mark in marks]
            gap = _gap(by_problem, ours[base], problems, min(MATCH, marks[-1])) if label != base else ""
            failed = f"{tables.failed_share(by_problem, problems, MATCH):.1%}"
            rows.append([f"**{label}**" if label == base else label, *cells, gap, failed])
    head = [
        "switch",
        *(f"at {mark}" for mark in marks),
        f"change at {min(MATCH, marks[-1])} ± standard error",
        "failed",
    ]
    return markdown(head, rows)


def priors(bench: Bench, problems: Sequence[str]) -> str:
    """Parameters' priors that favour the best configuration's values, and ones that favour the worst one's."""
    labels = ["auto", *(label for label in variants.ABLATIONS if "priors" in label)]
    marks = [mark for mark in MARKS if mark <= bench.evals]
    plain = bench.of(problems, labels[:1])["auto"]
    rows = [["none", "auto", *(tables.summary(plain, mark, problems) for mark in marks)]]
    for kind in ("right", "wrong"):
        names = [f"{name}+{kind}" for name in problems]
        for label, by_problem in bench.of(names, labels).items():
            rows.append([kind, label, *(tables.summary(by_problem, mark, names) for mark in marks)])
    return markdown(["priors", "strategy", *(f"at {mark}" for mark in marks)], rows)


def _gap(turned: Runs, base: Runs, problems: Sequence[str], mark: int) -> str:
    """Mean difference over problems; its standard error from the seeds, which are independent."""
    means, variances = [], []
    for name in problems:
        one, other = tables.shares_at(turned[name], mark), tables.shares_at(base[name], mark)
        means.append(np.mean(one) - np.mean(other))
        variances.append((np.var(one) + np.var(other)) / max(1, len(one) - 1))
    return f"{np.mean(means):+.3f} ± {np.sqrt(np.sum(variances)) / len(problems):.3f}"
