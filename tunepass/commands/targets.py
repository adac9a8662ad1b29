"""The command line's words about kernels, as a target and as options of a search."""

from __future__ import annotations

import argparse

from tunepass.backends.base import Target
from tunepass.diagnostics import Source, TunepassError
from tunepass.exact.base import is_solver
from tunepass.jobs.reading import taco_source
from tunepass.search.options import SearchOptions
from tunepass.study.task import Factory

DEFAULT_BUDGET_S = 60.0


def target_of(options: argparse.Namespace) -> Target:
    """Target of the kernel. A command that lacks an option leaves it to the backend."""
    given = vars(options)
    metric = given.get("metric")
    if metric and options.objective:
        raise TunepassError("--metric names what a kernel is judged by, --objective too; give one of them")
    return Target(
        compiler=tuple(options.compiler),
        device=given.get("device"),
        generator="" if given.get("backend") in (None, "tunepass") else given["backend"],
        objectives=given.get("objective") or ((metric,) if metric else ()),
        restrict=not options.no_restrictions,
        seed=given.get("seed") or 0,
    )


def source_of(options: argparse.Namespace) -> str | Source:
    """The path of the source, or the source that the words of --taco make; `source` is its name from then on."""
    if options.taco is None:
        path: str = options.source
        return path
    source = taco_source(options.taco, options.taco_words or ())
    options.source = source.name
    return source


def words_of(options: argparse.Namespace) -> tuple[str, ...] | None:
    """Words for frontends: the compiler's words and the sizes; None: as the lock has them."""
    given = vars(options)
    return (*options.compiler, *(given.get("size") or ()), *(given.get("operators") or ())) or None


def search_options(options: argparse.Namespace) -> SearchOptions:
    """How `build` searches. Without a limit it has a minute; exact searches end by themselves."""
    limited = options.budget is not None or options.max_evals is not None or is_solver(options.strategy)
    return SearchOptions(
        strategy=strategy_of(options),
        seed=options.seed,
        budget_s=options.budget if limited else DEFAULT_BUDGET_S,
        max_evals=options.max_evals,
        jobs=options.jobs,
        sanitize=options.sanitize,
        picks=_picks(options.pick),
        transfer_from=tuple(options.transfer_from),
        variants=options.variants,
        extrapolate=options.extrapolate,
    )


def strategy_of(options: argparse.Namespace) -> str | Factory:
    """`--strategy`, with the `--surrogate` of `bayesian` or `hypervolume` where one is named."""
    name: str = options.strategy
    if options.surrogate is None:
        return name
    if name not in ("bayesian", "hypervolume"):
        raise TunepassError(
            f"--surrogate is what the strategies bayesian and hypervolume fit, {name} takes none",
            hint="add --strategy bayesian, or --strategy hypervolume for several objectives",
        )
    from tunepass.jobs.spreading.replays import strategy_named

    return strategy_named(name, options.surrogate)


def check_tuner(options: argparse.Namespace) -> None:
    """TunepassError where `--tuner` stands beside what names or needs a strategy of tunepass."""
    for option, given in (("--strategy", options.strategy != "auto"), ("--surrogate", options.surrogate is not None)):
        if given:
            raise TunepassError(f"--tuner takes the place of {option}; give one of them")


def _picks(text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
    if len(set(names)) < len(names) or "" in names:
        raise TunepassError(f"--pick takes distinct names separated by commas, got {text!r}")
    return names


def kernel_name(options: argparse.Namespace) -> str | None:
    """`--kernel`, also called `--app`."""
    name: str | None = options.app or options.kernel
    return name
