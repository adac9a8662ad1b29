"""`tunepass hypermapper`: runs scenarios of HyperMapper and BaCO, and stands in their place for their clients."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunepass.commands.answers.hypermapper_plots import run_hypervolume, run_pareto, run_regret
from tunepass.diagnostics import TunepassError
from tunepass.interchange.hypermapper.home import write_home
from tunepass.interchange.hypermapper.reading import read_scenario
from tunepass.interchange.hypermapper.running import run_scenario
from tunepass.interchange.hypermapper.tables import write_pareto
from tunepass.machine_faults import doing
from tunepass.reports.answer import Answer
from tunepass.study.storage.location import StoreLocation


def run(options: argparse.Namespace) -> Answer:
    if options.home is not None:
        return _home(Path(options.home))
    for words, run_plot in (
        (options.plot_pareto, run_pareto),
        (options.plot_hvi, run_hypervolume),
        (options.plot_optimization_results, run_regret),
    ):
        if words is not None:
            return run_plot(words)
    if options.scenario is None:
        raise TunepassError("hypermapper takes a SCENARIO, or --home DIR")
    if len(options.tables) > 2 * options.pareto:
        raise TunepassError(f"{options.tables[-1]}: two tables at most go with --pareto, and none without")
    scenario = read_scenario(options.scenario)
    if options.pareto:
        paths = [
            *(scenario.folder / each for each in options.tables),
            *(scenario.output, scenario.pareto)[len(options.tables) :],
        ]
        points = write_pareto(scenario, paths[0], paths[1])
        text = f"{paths[1]}: {points} points of the Pareto front"
        return Answer(text, {"output": str(paths[1]), "points": points})
    run_scenario(
        scenario,
        strategy=options.strategy,
        seed=options.seed,
        store=None if options.store is None else StoreLocation.named(options.store).url,
        hypermapper3_ending=options.hypermapper3_ending,
    )
    return Answer("")


def _home(folder: Path) -> Answer:
    with doing(f"write {folder}"):
        paths = [str(path) for path in write_home(folder)]
    return Answer("\n".join([*paths, f"export HYPERMAPPER_HOME={folder.resolve()}"]), {"files": paths})
