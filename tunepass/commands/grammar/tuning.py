"""The options of what tunes a source, and of what stands in for its compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.commands.grammar import shared
from tunepass.commands.grammar.values import at_least, duration, names, seeds

if TYPE_CHECKING:
    from tunepass.commands.grammar.shared import Commands


DEFAULT_REPLAY = 100  # evaluations
FURTHER = "; or one of a plug-in, or the path of a class (package.module:Class)"
REPLAYED_HELP = f"auto, random, exhaustive or bayesian{FURTHER}"
STRATEGY_HELP = f"auto, random, exhaustive or bayesian; where a model prices, also branch_and_bound{FURTHER}"
SURROGATE_HELP = (
    "what the strategy bayesian or hypervolume fits to trials: forest, gp, mixed, sparse, deep, joint_deep or "
    "sampled_deep "
    f"(default: forest; of hypervolume mixed){FURTHER}"
)
PICK_HELP = """\
of several objectives, the one the choice is the best of; of a .scala source also fastest, smallest or knee, or several
of them, separated by commas"""


def add_build(commands: Commands) -> None:
    parser = shared.add_command(
        commands, "build", "tune a source and build it", "tunepass build [options] SOURCE [-- COMPILER ARGS...]"
    )
    shared.add_source(parser, "an annotated source")
    parser.add_argument("-o", "--output", metavar="DIR", default="out", help="where the results go (default: out)")
    parser.add_argument(
        "--device",
        metavar="D",
        help="the machine to tune for (default: host, this one); of a .scala source an FPGA, of a .cu or .cl source a "
        "GPU: `tunepass devices` lists them; of an FPGA a file as well, D.yaml",
    )
    parser.add_argument(
        "--budget", type=duration, metavar="TIME", help="time to search, such as 90s or 10m (default: 60s)"
    )
    parser.add_argument("--max-evals", type=at_least(1), metavar="N", help="configurations to evaluate at most")
    parser.add_argument("--strategy", default="auto", metavar="S", help=STRATEGY_HELP)
    parser.add_argument("--surrogate", metavar="S", help=SURROGATE_HELP)
    parser.add_argument(
        "--tuner",
        metavar="CMD",
        help="another tuner that searches, over HyperMapper's protocol, such as hypermapper; a scenario's path follows",
    )
    parser.add_argument(
        "--objective", type=names, metavar="NAME[,NAME]", help="what to minimise (default: all measured)"
    )
    parser.add_argument(
        "--metric",
        choices=("time", "instructions"),
        help="what a kernel is judged by; instructions are counted by valgrind",
    )
    parser.add_argument(
        "--sanitize", action="store_true", help="run the finalists once under ASan and UBSan; a finding disqualifies"
    )
    shared.add_strict(parser, "write nothing (status 5) where a check of the choice could not run")
    parser.add_argument("--pick", metavar="NAME", help=PICK_HELP)
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="N", help="of every random choice (default: 0)")
    parser.add_argument(
        "--jobs",
        type=at_least(1),
        metavar="N",
        help="compile up to N candidates at a time (default: 1; a core each where nothing is timed, up to 4 where "
        "compiling takes most of the time)",
    )
    shared.add_executor(parser)
    parser.add_argument(
        "--variants",
        type=at_least(1),
        metavar="K",
        help="tune for each of the kernel's sizes(...), keep K variants at most, and write what picks one by the size "
        "(default: 3 for .cu and .cl sources, else 1: no such thing)",
    )
    shared.add_spatial(parser)
    shared.add_extrapolate(parser)
    shared.add_generator(parser)
    parser.add_argument(
        "--transfer-from",
        action="append",
        default=[],
        metavar="STORE_OR_LOCK[:STUDY]",
        help="an earlier study to start from, once for each of several, or none (default: the nearest of the kernel "
        "in the store)",
    )
    parser.add_argument("--frozen", action="store_true", help="build from the lock, never search")
    parser.add_argument("--continue", dest="search_on", action="store_true", help="search on, even if the lock fits")
    shared.add_kernel(parser)
    shared.add_store(parser)


def add_cc(commands: Commands) -> None:
    commands.add_parser("cc", help="stand in for the compiler: CC='tunepass cc'", add_help=False)


def add_cxx(commands: Commands) -> None:
    commands.add_parser("c++", help="stand in for the C++ compiler: CXX='tunepass c++'", add_help=False)


def add_space(commands: Commands) -> None:
    parser = shared.add_command(
        commands,
        "space",
        "print the parameters, constraints and exact size of a source's space",
        "tunepass space [options] SOURCE [-- COMPILER ARGS...]",
    )
    shared.add_source(parser)
    parser.add_argument("--device", metavar="D", help="also the limits of the device that a GPU kernel is tuned for")
    shared.add_kernel(parser)
    shared.add_spatial(parser)


def add_replay(commands: Commands) -> None:
    parser = shared.add_command(
        commands, "replay", "run a strategy against a recorded space, and say how fast it gets how far"
    )
    parser.add_argument("recorded", metavar="FILE.json", help="a recorded space, its rows beside it in FILE.csv.gz")
    parser.add_argument("--strategy", default="auto", metavar="S", help=REPLAYED_HELP)
    parser.add_argument("--surrogate", metavar="S", help=SURROGATE_HELP)
    parser.add_argument(
        "--max-evals", type=at_least(1), default=DEFAULT_REPLAY, metavar="N", help=f"(default: {DEFAULT_REPLAY})"
    )
    parser.add_argument("--seeds", type=seeds, default=(0,), metavar="LIST", help="such as 0..9 or 1,4,7 (default: 0)")
    parser.add_argument("--objective", type=names, metavar="NAME[,NAME]", help="(default: the first recorded)")
    parser.add_argument(
        "--transfer-from",
        action="append",
        default=[],
        metavar="FILE.json",
        help="a recorded space to start from, once for each of several: another device, size or compiler",
    )
    parser.add_argument("--noise", action="store_true", help="measure with the recorded noise")
    shared.add_cluster(parser, "where the seeds run")
