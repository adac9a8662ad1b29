"""The options of what asks models and devices; nothing is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.commands.grammar import shared
from tunepass.commands.grammar.values import at_least, braced, duration, named, names

if TYPE_CHECKING:
    from tunepass.commands.grammar.shared import Commands


def add_estimate(commands: Commands) -> None:
    parser = shared.add_command(commands, "estimate", "price configurations with a device's model; nothing is run")
    shared.add_source(parser, "a source that a model prices, such as a Spatial source (.scala)")
    shared.add_model(parser)
    parser.add_argument("--set", metavar="NAME=VALUE,...", help="values in place of the source's own")
    parser.add_argument("--configs", metavar="FILE.csv", help="a table of configurations; its columns are parameters")
    parser.add_argument("-o", "--output", metavar="FILE", help="a table (.csv); with --explain a picture (.svg, .html)")
    parser.add_argument("--explain", action="store_true", help="where the time and the area go")
    shared.add_cluster(parser, "where the rows of --configs are priced")


def add_pareto(commands: Commands) -> None:
    parser = shared.add_command(
        commands, "pareto", "the Pareto front of a model's objectives: exact, or as a study has it"
    )
    parser.add_argument("source", metavar="SOURCE", help="a Spatial source (.scala)")
    shared.add_model(parser)
    parser.add_argument("--objective", type=names, metavar="NAME[,NAME]", help="(default: cycles and the logic)")
    parser.add_argument("--exact", action="store_true", help="search for the exact front, with a certificate")
    parser.add_argument(
        "--strategy",
        type=named("exact_solvers"),
        metavar=braced("exact_solvers"),
        default="branch_and_bound",
        help="how, with --exact (default: branch_and_bound)",
    )
    shared.add_extrapolate(parser)
    parser.add_argument("--budget", type=duration, metavar="TIME", help="stop the exact search after it, such as 30s")
    parser.add_argument("--max-evals", type=at_least(1), metavar="N", help="stop it after so many configurations")
    parser.add_argument("-o", "--output", metavar="FILE", help="the front as a table (.csv) or a picture (.svg)")
    shared.add_cluster(parser, "where --exact --strategy exhaustive evaluates")
    shared.add_store(parser)


def add_prune(commands: Commands) -> None:
    parser = shared.add_command(
        commands, "prune", "count what limits leave of a space, and say why it is no more; nothing is run"
    )
    shared.add_limits(parser)
    parser.add_argument(
        "--solver",
        type=named("pruning_solvers"),
        metavar=braced("pruning_solvers"),
        default="diagram",
        help="(default: diagram)",
    )
    parser.add_argument("--budget", type=duration, metavar="TIME", help="bound what is not counted after it")
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="write what is left: NAME.space.json, .nni.json, .optuna.json, .optuna.py, .configspace.json, .csv, "
        ".parquet or .smt2",
    )
    parser.add_argument("--as", dest="form", metavar="FORMAT", help="the format of FILE where its name does not say it")
    parser.add_argument("--smt2", metavar="FILE", help="write the conditions as SMT-LIB 2")
    parser.add_argument("--prove", action="store_true", help="have Z3 confirm the answer, inside and outside")
    parser.add_argument(
        "--jobs", type=at_least(1), default=1, metavar="N", help="prove and list with N processes (default: 1)"
    )
    shared.add_cluster(parser, "where those run")


def add_serve(commands: Commands) -> None:
    shared.add_limits(
        shared.add_command(commands, "serve", "answer questions about what limits leave, a line of JSON each, on stdio")
    )


def add_devices(commands: Commands) -> None:
    shared.add_command(commands, "devices", "list the devices that models know, and what they hold")


def add_occupancy(commands: Commands) -> None:
    parser = shared.add_command(
        commands, "occupancy", "how many blocks of a kernel a GPU's multiprocessor holds at once"
    )
    parser.add_argument("--device", metavar="D", required=True, help="a GPU of `tunepass devices`, such as a100")
    parser.add_argument("--threads", type=at_least(1), required=True, metavar="N", help="of a block")
    parser.add_argument("--registers", type=at_least(0), required=True, metavar="N", help="of a thread")
    parser.add_argument(
        "--shared", type=at_least(0), default=0, metavar="BYTES", help="of a block, static and dynamic (default: 0)"
    )


def add_characterize(commands: Commands) -> None:
    parser = shared.add_command(commands, "characterize", "fit a device's areas to synthesis, or measure this machine")
    parser.add_argument(
        "--device", required=True, metavar="D", help="ecp5, xc7 or cyclonev, or a file like theirs; host: this machine"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where the device goes (.yaml; default: printed; of the host: the cache folder)",
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--check", action="store_true", help="the device as it ships, on templates held back")
    modes.add_argument("--point", metavar="SOURCE", help="synthesise the templates of one design of a .scala source")
    parser.add_argument("--set", metavar="NAME=VALUE,...", help="with --point, values in place of the source's own")
    shared.add_kernel(parser)
    shared.add_spatial(parser)
