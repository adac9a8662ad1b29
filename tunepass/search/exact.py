"""A search by an exact solver: the model's expressions in, the proven front out; its points become trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tunepass.capabilities import capability
from tunepass.diagnostics import TunepassError
from tunepass.exact.base import Certificate, Front, solver
from tunepass.exact.shares import FrontsOfShares, SolvesInShares
from tunepass.expr.nodes import Expr
from tunepass.search.options import SearchOptions
from tunepass.search.picks import choice_of
from tunepass.search.result import SearchResult
from tunepass.search.stop import Stop
from tunepass.space.space import Space
from tunepass.study.ledger import priced
from tunepass.study.outcome import Evaluate
from tunepass.study.study import Study

WatchCertificate = Callable[[Certificate], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Problem for an exact solver: objectives, all minimised, and the constraints besides those of the space."""

    objectives: Sequence[Expr]
    constraints: Sequence[Expr]


def exact_front(
    problem: Problem,
    space: Space,
    options: SearchOptions,
    stop: Stop,
    watch: WatchCertificate,
    fronts: FrontsOfShares | None = None,
) -> Front:
    """The front by the solver that the options name, until it is done, `stop` says so or `max_evals` are evaluated.
    `fronts` does shares of the work elsewhere."""
    assert isinstance(options.strategy, str)
    chosen = solver(options.strategy) if fronts is None else sharing_solver(options.strategy).in_shares(fronts)
    with stop.between_steps():
        return chosen.solve(
            space, problem.objectives, problem.constraints, max_points=options.max_evals, stop=stop, progress=watch
        )


def sharing_solver(name: str) -> SolvesInShares:
    """The exact solver of that name. Raises TunepassError for one that works in this process alone."""
    sharing: SolvesInShares | None = capability(solver(name), SolvesInShares)
    if sharing is None:
        raise TunepassError(
            f"{name} decides each step by all earlier ones, in one process: --executor has no part in it",
            hint="leave --executor out; --strategy exhaustive evaluates shares of the space elsewhere",
        )
    return sharing


def solve(
    study: Study,
    problem: Problem,
    evaluate: Evaluate,
    options: SearchOptions,
    stop: Stop,
    watch: WatchCertificate,
    clock: Callable[[], float],
    fronts: FrontsOfShares | None = None,
) -> SearchResult:
    """The default and the points of the exact front become the study's trials, evaluated by `evaluate`."""
    start = clock()
    front = exact_front(problem, study.space, options, stop, watch, fronts)
    searched = clock() - start
    known = {trial.configuration for trial in study.trials}
    for configuration in (study.space.default, *front.configurations):
        if configuration not in known:
            known.add(configuration)
            study.observe(configuration, evaluate(configuration).outcome)
    choice, gains = choice_of(study, options.pick)
    return SearchResult(
        choice=choice,
        default=study.space.default,
        objectives=study.objectives,
        gains=gains,
        pareto=tuple(study.pareto),
        trials=tuple(study.trials),
        trial_count=len(study.trials),
        evaluations=front.certificate.evaluated,
        interrupted=stop.stop_signal,
        stopped=stop.requested(),
        seconds={"strategy": searched, "total": clock() - start},
        certificate=front.certificate,
        gap=front.gap,
        checks=priced(),
    )
