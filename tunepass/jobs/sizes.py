"""A kernel that is called with several sizes: a search for each, then a few variants for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.backends.base import Backend, frontend_of
from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.expr.algebra import both, lift, substitute
from tunepass.expr.nodes import Expr, free_names
from tunepass.expr.typing import constant
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import Size, SizedVariants, size_text
from tunepass.jobs.job import Job, prepare
from tunepass.passes.apply_schedule import scheduled
from tunepass.passes.search import evaluating
from tunepass.search.portfolio import Portfolio, portfolio
from tunepass.search.result import SearchResult, value_of
from tunepass.space.configuration import Configuration
from tunepass.study.lock.lock import Lock
from tunepass.study.outcome import Evaluate, Measured, bounds_only, cut_short
from tunepass.study.trial import Trial

CANDIDATES = 6  # of each size that are looked at for the others, where that means measuring them
PRICED_CANDIDATES = 200  # where a model says what they take


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedChoices:
    """`choices` are those of the `sizes`; the values are the objective's, of the choice and of the best known there."""

    sizes: tuple[Size, ...]
    choices: tuple[Configuration, ...]
    values: tuple[float, ...] = ()  # empty where only the lock is known
    best: tuple[float, ...] = ()

    def by_size(self) -> dict[str, Configuration]:
        """The lock's record: the choice of each size."""
        return {size_text(size): choice for size, choice in zip(self.sizes, self.choices)}

    @property
    def variants(self) -> tuple[Configuration, ...]:
        """Each once, in the order of the sizes."""
        return tuple(dict.fromkeys(self.choices))


def sizes_to_tune(job: Job, most: int | None) -> tuple[Size, ...]:
    """The sizes to tune for, the kernel's own first: none where one variant is to do for all."""
    limit = most_variants(job, most)
    listed = job.backend.sizes() if limit > 1 else ()
    if not listed:
        if most is not None and most > 1:
            raise TunepassError(
                f"{job.kernel.name}: --variants {most} needs sizes to tune for",
                hint="list them in the kernel's pragma: sizes(n = 256, 1024)",
            )
        return ()
    try:
        sizes = tuple(dict.fromkeys((source_size(job.backend, [name for name, _ in listed[0]]), *listed)))
        default = SizedChoices(sizes=sizes, choices=(job.space.default,) * len(sizes))
        check_dispatcher(job, default)
    except EnvironmentFault:
        raise
    except TunepassError:
        if most is not None:
            raise
        return ()
    return sizes


def most_variants(job: Job, most: int | None) -> int:
    return job.backend.variants if most is None else most


def source_size(backend: Backend, names: Sequence[str]) -> Size:
    """The size in the source: the values of these scalars."""
    known = backend.scalars()
    return tuple((name, _value(known[name], name)) for name in names)


def _value(e: Expr, name: str) -> int | float:
    value = getattr(e, "value", None)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TunepassError(f"sizes of {name} need a number for it in the kernel's arguments", hint="--variants 1")
    return value


def resized(job: Job, size: Size) -> Job:
    """The job of the same kernel with other values of its scalars; the lock has none of it."""
    kernel = job.backend.at_size(size)
    named = replace(kernel, name=f"{kernel.name}[{size_text(size)}]")  # the store has a study for each
    return prepare(named, job.backend.target, Lock(), job.objective.name)


def choose(
    jobs: Sequence[Job], results: Sequence[SearchResult], sizes: Sequence[Size], most: int
) -> SizedChoices | None:
    """At most `most` of what was tried at any size, so that each size is near its best; None where a size has none."""
    objective = jobs[0].objective
    tried = [_values(result.trials, jobs[0]) for result in results]
    if not all(tried):
        return None
    count = PRICED_CANDIDATES if jobs[0].only_priced else CANDIDATES
    candidates: dict[Configuration, None] = {}
    for result, values in zip(results, tried):
        ranked = sorted(values, key=lambda c: objective.loss(values[c]))
        candidates |= dict.fromkeys([result.choice, *ranked[:count]])
    table = [_completed(job, candidates, values) for job, values in zip(jobs, tried)]
    best = [min(values.values(), key=objective.loss) for values in table]
    slowdown = np.array(
        [
            [objective.gain(values[c], top) if c in values else np.inf for values, top in zip(table, best)]
            for c in candidates
        ]
    )
    variants: Portfolio = portfolio(slowdown, most)
    listed = list(candidates)
    choices = tuple(listed[variants.members[number]] for number in variants.numbers)
    if not np.isfinite(variants.slowdowns).all():
        return None
    return SizedChoices(
        sizes=tuple(sizes),
        choices=choices,
        values=tuple(values[choice] for values, choice in zip(table, choices)),
        best=tuple(best),
    )


def _values(trials: Sequence[Trial], job: Job) -> dict[Configuration, float]:
    """Values of the trials that succeeded, without censored ones, of which only a bound is known."""
    values: dict[Configuration, float] = {}
    for trial in trials:
        value = value_of(trial, job.objective)
        if value is not None and not bounds_only(trial.outcome) and not cut_short(trial.outcome):
            values[trial.configuration] = value
    return values


def _completed(
    job: Job, candidates: Mapping[Configuration, None], known: Mapping[Configuration, float]
) -> dict[Configuration, float]:
    """The candidates' values at the job's size: those that have none yet are evaluated."""
    values = dict(known)
    missing = [c for c in candidates if c not in values and job.space.contains(c)]
    if not missing:
        return values
    with evaluating(job.backend) as evaluate:
        for configuration in missing:
            value = _evaluated(evaluate, configuration, job)
            if value is not None:
                values[configuration] = value
    return values


def _evaluated(evaluate: Evaluate, configuration: Configuration, job: Job) -> float | None:
    outcome = evaluate(configuration).outcome
    return outcome.values[job.objective.name] if isinstance(outcome, Measured) else None


def dispatcher(job: Job, choices: SizedChoices) -> SizedVariants:
    """Data for a header that picks a variant: the variants, then the default configuration."""
    configurations = [*choices.variants, job.space.default]
    return SizedVariants(
        variants=tuple(scheduled(job.kernel, c) for c in configurations),
        sizes=choices.sizes,
        numbers=tuple(choices.variants.index(choice) for choice in choices.choices),
        conditions=tuple(_condition(job.kernel, c) for c in configurations),
    )


def _condition(kernel: Kernel, configuration: Configuration) -> Expr:
    """Condition on the sizes by the source's constraints, for this configuration."""
    parameters = {p.name for p in kernel.parameters}
    filled = kernel.filled(configuration)
    values: dict[str, Expr] = {name: constant(v) for name, v in filled.items() if not isinstance(v, tuple)}
    conditions = [
        substitute(c.written, values)
        for c in kernel.constraints
        if c.written is not None and free_names(c.written) - parameters
    ]
    return both(*conditions) if conditions else lift(True)


def check_dispatcher(job: Job, choices: SizedChoices) -> None:
    """Raises TunepassError for a kernel that no dispatcher can be written for."""
    frontend_of(job.kernel.source.name, job.kernel.source.text).dispatch(dispatcher(job, choices))


def locked_sizes(job: Job, sizes: Sequence[Size], most: int) -> SizedChoices | None:
    """The lock's choices for exactly these sizes; None if it has none."""
    entry = job.entry
    if entry is None or list(entry.sizes) != [size_text(size) for size in sizes]:
        return None
    choices = SizedChoices(sizes=tuple(sizes), choices=tuple(entry.sizes.values()))
    return choices if len(choices.variants) <= most and all(map(job.space.contains, choices.variants)) else None
