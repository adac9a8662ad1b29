"""`tunepass hypermapper --plot-...`: arguments of HyperMapper 2's plotting commands."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tunepass.commands.grammar.values import at_least
from tunepass.diagnostics import TunepassError
from tunepass.interchange.hypermapper.plotting.figures import LARGEST
from tunepass.interchange.hypermapper.plotting.hypervolume import plot_hypervolume
from tunepass.interchange.hypermapper.plotting.pareto import plot_pareto
from tunepass.interchange.hypermapper.plotting.regret import RegretOptions, plot_regret
from tunepass.interchange.hypermapper.reading import read_scenario
from tunepass.reports.answer import Answer

PARETO = "--plot-pareto SCENARIO [IMAGE.pdf [PARETO.csv SAMPLES.csv]...]"
HYPERVOLUME = "--plot-hvi SCENARIO IMAGE.pdf FOLDER..."


def run_pareto(words: Sequence[str]) -> Answer:
    """Pictures of fronts; names of files are relative to the scenario's `run_directory`."""
    if not words or _asks_help(words):
        return _usage(words, PARETO)
    if len(words) > 2 and len(words) % 2:
        raise TunepassError(f"{words[-1]}: tables come in pairs, front and samples", hint=f"usage: {PARETO}")
    scenario = read_scenario(words[0])
    image = scenario.folder / words[1] if len(words) > 1 else None
    tables = [scenario.folder / word for word in words[2:]]
    paths, notes = plot_pareto(scenario, image, list(zip(tables[::2], tables[1::2])))
    return _pictures(paths, notes)


def run_hypervolume(words: Sequence[str]) -> Answer:
    """Pictures of the hypervolume indicator over time."""
    if len(words) < 3 or _asks_help(words):
        return _usage(words, HYPERVOLUME)
    return _pictures(plot_hypervolume(read_scenario(words[0]), Path(words[1]), [Path(word) for word in words[2:]]))


def run_regret(words: Sequence[str]) -> Answer:
    """A picture of regret over evaluations."""
    parser = _parser()
    options = parser.parse_args(words)
    if options.help:
        return Answer(parser.format_help().rstrip())
    if options.configuration_file is None or not options.data_dirs:
        raise TunepassError("a scenario and a folder are needed: --configuration_file and --data_dirs")
    scenario = read_scenario(options.configuration_file)
    image = options.output_file or str(Path(options.output_dir) / f"{scenario.application}_regret.pdf")
    chosen = RegretOptions(
        labels=tuple(options.labels or ()),
        minimum=options.minimum,
        budget=options.budget,
        title=options.title,
        plot_log=options.plot_log,
        unlog_y_axis=options.unlog_y_axis,
        show_doe=options.show_doe,
        x_label=options.x_label,
        y_label=options.y_label,
        columns=options.ncol,
        expert_configuration=options.expert_configuration,
    )
    return _pictures([plot_regret(scenario, [Path(each) for each in options.data_dirs], Path(image), chosen)])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise TunepassError(f"--plot-optimization-results: {message}", hint="--help lists its options")


def _parser() -> argparse.ArgumentParser:
    """The options of hm-plot-optimization-results."""
    parser = _Parser(prog="tunepass hypermapper --plot-optimization-results", add_help=False)
    add = parser.add_argument
    add("--help", "-h", action="store_true", help="this text")
    add("--configuration_file", "-j", metavar="SCENARIO", help="the scenario's JSON file")
    add("--data_dirs", "-i", metavar="FOLDER", nargs="+", help="each with the tables of one tuner's runs")
    add("--labels", "-l", metavar="TEXT", nargs="+", help="of the folders, in their order (default: their names)")
    add("--minimum", "-min", metavar="X", type=_number, default=0.0, help="the objective's best value (default: 0)")
    add("--output_dir", "-od", metavar="FOLDER", default="", help="for the picture, without --output_file")
    add("--budget", "-b", metavar="N", type=at_least(1), help="evaluations that are drawn (default: all)")
    add("--output_file", "-o", metavar="IMAGE", help="the picture (default: APPLICATION_regret.pdf)")
    add("--title", "-t", metavar="TEXT", help="of the picture (default: the application's name)")
    add("--plot_log", "-log", action="store_true", help="draw the logarithm of the regret")
    add("--unlog_y_axis", "-unlog", action="store_true", help="with --plot_log: ticks show the regret itself")
    add("--show_doe", "-doe", action="store_true", help="mark the end of the design of experiment")
    add("--x_label", "-xl", metavar="TEXT", help="of the horizontal axis")
    add("--y_label", "-yl", metavar="TEXT", help="of the vertical axis")
    add("--ncol", "-nc", metavar="N", type=at_least(1), default=4, help="columns of the legend (default: 4)")
    add("--expert_configuration", "-exp", metavar="X", type=_number, help="draw this regret as a line")
    return parser


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not abs(number) <= LARGEST:
        raise argparse.ArgumentTypeError(f"expected a number, at most {LARGEST:g}, got {text!r}")
    return number


def _asks_help(words: Sequence[str]) -> bool:
    return bool({"-h", "--help"} & set(words))


def _usage(words: Sequence[str], usage: str) -> Answer:
    if not _asks_help(words):
        raise TunepassError("arguments are missing", hint=f"usage: tunepass hypermapper {usage}")
    return Answer(f"usage: tunepass hypermapper {usage}")


def _pictures(paths: Sequence[Path], notes: Sequence[str] = ()) -> Answer:
    files = [str(path) for path in paths]
    return Answer("\n".join(files), {"files": files}, notes=tuple(notes))
