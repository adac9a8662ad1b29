"""`tunepass replay`: how fast a strategy finds what a recorded space is known to hold."""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict

from tunepass.commands.executors import opened_cluster
from tunepass.commands.targets import strategy_of
from tunepass.evaluators.recorded.replay import ReplayReport, ReplayRun
from tunepass.jobs.spreading.replays import ReplayRequest, replay_elsewhere, replay_seeds
from tunepass.reports.answer import Answer, Json, table

SPACES = {"stated": "the stated space", "rows": "the recorded rows"}


def run(options: argparse.Namespace) -> Answer:
    strategy_of(options)  # checks it
    request = ReplayRequest(
        recorded=options.recorded,
        strategy=options.strategy,
        surrogate=options.surrogate,
        max_evals=options.max_evals,
        seeds=tuple(options.seeds),
        objectives=tuple(options.objective or ()),
        noise=options.noise,
        transfer_from=tuple(options.transfer_from),
    )
    with opened_cluster(options) as executor:
        report = replay_seeds(request) if executor is None else replay_elsewhere(request, executor)
    return Answer(_text(report), _data(report))


def _data(report: ReplayReport) -> Json:
    data: dict[str, Json] = asdict(report)
    return data


def _text(report: ReplayReport) -> str:
    unit = f" {report.unit}" if report.unit else ""
    noise = ", measured with the recorded noise" if report.noise else ""
    head = (
        f"{report.name}: {', '.join(report.objectives)}, optimum {report.optimum:.6g}{unit}, "
        f"{report.size:,} configurations ({SPACES[report.space]}){noise}"
    )
    if report.transfer:
        head += f"; transfer from {report.transfer}"
    titles = ("seed", "evaluations", "best", "of optimum", "failures", "feasible foreseen", "ms per suggestion")
    rows: list[tuple[str, ...]] = [(*titles, "rank correlation", "weight") if report.transfer else titles]
    rows += [_row(run, report) for run in report.runs]
    return "\n".join([head, table(rows, indent="  ")])


def _row(run: ReplayRun, report: ReplayReport) -> tuple[str, ...]:
    best = run.best_so_far[-1] if run.best_so_far else None
    failures = ", ".join(f"{count} {kind}" for kind, count in run.failures.items()) or "none"
    each = 1000 * math.fsum(run.strategy_s) / len(run.strategy_s) if run.strategy_s else 0.0
    value = "nothing measured" if best is None else f"{best:.6g}"
    recall = "-" if run.feasible_recall is None else f"{100 * run.feasible_recall:.0f} %"
    cells = (str(run.seed), str(run.evaluations), value, _share(best, report), failures, recall, f"{each:.1f}")
    if run.trust is None:
        return cells
    weight = "not used" if run.trust.weight is None else f"{run.trust.weight:.2f}"
    return (*cells, f"{run.trust.rank_correlation:.2f}", weight)


def _share(best: float | None, report: ReplayReport) -> str:
    """How much of the optimum the best reaches: 100 % is the optimum itself, whatever the direction."""
    if best is None or best * report.optimum <= 0:
        return "-"
    share = best / report.optimum if report.maximise else report.optimum / best
    return f"{100 * share:.1f} %"
