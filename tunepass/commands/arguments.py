"""The command line's grammar: argparse and nothing else, so that `tunepass --help` is instant."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tunepass.registry import EXACT_SOLVERS, EXECUTORS, PRUNING_SOLVERS
from tunepass.version import __version__

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DEFAULT_BUDGET_S = 60.0
DEFAULT_REPLAY = 100  # evaluations
MOST_SEEDS = 10_000
_UNIT_S = {"h": 3600.0, "m": 60.0, "s": 1.0}
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?")

EPILOG = """\
exit status: 0 done (keeping the default is success), 1 every evaluation failed, 2 the source or the command line
is wrong, 3 the lock is stale under --frozen, 4 the machine has failed, 129, 130 and 143 interrupted by SIGHUP, SIGINT
or SIGTERM (everything measured is kept)
"""


def duration(text: str) -> float:
    """Seconds of `90s`, `10m`, `1h30m`; a bare number is refused, because nobody agrees on its unit."""
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        raise argparse.ArgumentTypeError(f"a duration is written like 90s, 10m or 1h30m, got {text!r}")
    seconds = sum(float(part) * _UNIT_S[unit] for part, unit in zip(match.groups(), "hms") if part)
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"a duration must be positive and finite, got {text!r}")
    return seconds


def _at_least(low: int) -> type[int]:
    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = -1
        if not low <= value < 2**31:
            raise argparse.ArgumentTypeError(f"expected an integer of at least {low}, got {text!r}")
        return value

    return convert  # type: ignore[return-value]  # argparse wants a type, a function does


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return value


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(name.isidentifier() for name in names) or len(set(names)) != len(names):
        raise argparse.ArgumentTypeError(f"expected distinct names separated by commas, got {text!r}")
    return names


def _size(text: str) -> str:
    """A word for frontends, which know the names."""
    name, _, value = text.rpartition("=")
    if not name or not value.isdecimal() or not 0 < int(value) < 2**40:
        raise argparse.ArgumentTypeError(f"a size is written like N=4096, got {text!r}")
    return f"--size={name}={int(value)}"


def seeds(text: str) -> tuple[int, ...]:
    """`0..9`, `3`, `1,4,7..9`: distinct, in the order given."""
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\.\.(\d{1,9}))?\s*", part)
        lo, hi = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if lo > hi or len(numbers) + hi - lo >= MOST_SEEDS:
            raise argparse.ArgumentTypeError(
                f"seeds are written like 0..9 or 1,4,7 ({MOST_SEEDS} at most), got {text!r}"
            )
        numbers += range(lo, hi + 1)
    return tuple(dict.fromkeys(numbers))


def _command(commands: Commands, name: str, summary: str, usage: str | None = None) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=summary, usage=usage, allow_abbrev=False)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how results are printed")
    return parser


STRATEGY_HELP = "auto, random, exhaustive or bayesian; where a model prices, also branch_and_bound"
PICK_HELP = """\
of several objectives, the one the choice is the best of; of a .scala source also fastest, smallest or knee, or several
of them, separated by commas"""


def _add_spatial(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--app", metavar="NAME", help="of several apps in a .scala source, this one")
    parser.add_argument(
        "--no-restrictions", action="store_true", help="of a .scala source the raw product of its parameters"
    )
    parser.add_argument(
        "--size",
        metavar="NAME=N",
        type=_size,
        action="append",
        help="of a .scala source, what a size is that it leaves open; repeatable",
    )
    parser.add_argument(
        "--operators",
        metavar="FILE",
        type=lambda path: (f"--operators={path}",),
        help="of a deep-learning model, your own operators and resources: a table of formulas",
    )


def _add_extrapolate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--extrapolate", action="store_true", help="an exact front also has what a model was fitted to nothing like"
    )


TACO_OWN = ("param", "constraint")  # words that TACO's tool has not
TACO_WORDS = {  # what stands after the `=`, and what it says
    "f": ("TENSOR:FORMAT", "with --taco: a tensor's format, such as -f=B:ds"),
    "t": ("TENSOR:TYPE", "with --taco: the type of its elements"),
    "d": ("VARIABLE:EXTENT", "with --taco: how far an index variable goes"),
    "i": ("TENSOR:FILE", "with --taco: where a tensor's numbers are"),
    "s": ("SCHEDULE", "with --taco: directives, such as -s='split(i,i0,i1,chunk)'"),
    "nthreads": ("N", "with --taco: the threads of parallel loops"),
    "schedule": ("HOW[,CHUNK]", "with --taco: static or dynamic, of parallel loops"),
    "param": ("LINE", "with --taco: a parameter of the schedule, such as --param='chunk: pow2(2, 512) = 16'"),
    "constraint": ("LINE", "with --taco: what holds of parameters"),
}


def _add_source(parser: argparse.ArgumentParser, what: str | None = None) -> None:
    """A source, or an expression with the words that TACO's tool takes."""
    parser.add_argument("source", metavar="SOURCE", nargs="?", help=what)
    parser.add_argument(
        "--taco", metavar="EXPRESSION", help="instead of a SOURCE, such as 'A(i,k)=B(i,j)*C(j,k)' -f=B:ds -s=..."
    )
    for word, (shown, how) in TACO_WORDS.items():
        names = (f"--{word}",) if word in TACO_OWN else (f"-{word}", f"--{word}")
        kind = _taco_word(word)
        parser.add_argument(*names, metavar=shown, action="append", dest="taco_words", type=kind, help=how)


def _taco_word(word: str) -> Callable[[str], tuple[str, str]]:
    return lambda text: (word, text)


def _add_generator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--backend",
        choices=("tunepass", "taco", "model"),
        default="tunepass",
        help="of a .taco source, what writes its C: tunepass, or the program taco (PATH, TUNEPASS_TACO); of a GPU "
        "kernel (.cu, .cl) model: the model alone, nothing is compiled",
    )


def _add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", metavar="PATH", help="the trials' database (default: .tunepass/store.db, TUNEPASS_STORE)"
    )


def _add_kernel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernel", metavar="NAME", help="only this kernel of the source")


def _add_build(commands: Commands) -> None:
    parser = _command(
        commands, "build", "tune a source and build it", "tunepass build [options] SOURCE [-- COMPILER ARGS...]"
    )
    _add_source(parser, "an annotated source")
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
    parser.add_argument("--max-evals", type=_at_least(1), metavar="N", help="configurations to evaluate at most")
    parser.add_argument("--strategy", default="auto", metavar="S", help=STRATEGY_HELP)
    parser.add_argument(
        "--objective", type=_names, metavar="NAME[,NAME]", help="what to minimise (default: all measured)"
    )
    parser.add_argument(
        "--metric",
        choices=("time", "instructions"),
        help="what a kernel is judged by; instructions are counted by valgrind",
    )
    parser.add_argument(
        "--sanitize", action="store_true", help="run the finalists once under ASan and UBSan; a finding disqualifies"
    )
    parser.add_argument("--pick", metavar="NAME", help=PICK_HELP)
    parser.add_argument("--seed", type=_at_least(0), default=0, metavar="N", help="of every random choice (default: 0)")
    parser.add_argument(
        "--jobs",
        type=_at_least(1),
        metavar="N",
        help="compile up to N candidates at a time (default: 1; as many as there are cores where nothing is timed)",
    )
    parser.add_argument(
        "--variants",
        type=_at_least(1),
        metavar="K",
        help="tune for each of the kernel's sizes(...), keep K variants at most, and write what picks one by the size "
        "(default: 3 for .cu and .cl sources, else 1: no such thing)",
    )
    _add_spatial(parser)
    _add_extrapolate(parser)
    _add_generator(parser)
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
    _add_kernel(parser)
    _add_store(parser)


def _add_cc(commands: Commands) -> None:
    commands.add_parser("cc", help="stand in for the compiler: CC='tunepass cc'", add_help=False)


def _add_cxx(commands: Commands) -> None:
    commands.add_parser("c++", help="stand in for the C++ compiler: CXX='tunepass c++'", add_help=False)


def _add_space(commands: Commands) -> None:
    parser = _command(
        commands,
        "space",
        "print the parameters, constraints and exact size of a source's space",
        "tunepass space [options] SOURCE [-- COMPILER ARGS...]",
    )
    _add_source(parser)
    parser.add_argument("--device", metavar="D", help="also the limits of the device that a GPU kernel is tuned for")
    _add_kernel(parser)
    _add_spatial(parser)


def _add_verify(commands: Commands) -> None:
    parser = _command(
        commands,
        "verify",
        "say whether the lock still fits",
        "tunepass verify [options] [PATH...] [-- COMPILER ARGS...]",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="sources, folders or locks (default: this folder)")


def _add_diff(commands: Commands) -> None:
    parser = _command(
        commands, "diff", "say what changed since the lock", "tunepass diff [options] [PATH...] [-- COMPILER ARGS...]"
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="sources, folders or locks (default: this folder)")
    _add_store(parser)


def _add_explain(commands: Commands) -> None:
    parser = _command(commands, "explain", "say what the search found and why the choice won")
    parser.add_argument("source", metavar="SOURCE")
    _add_kernel(parser)
    _add_store(parser)


def _add_report(commands: Commands) -> None:
    parser = _command(commands, "report", "write the convergence picture or a page about the search")
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="a .html page or an .svg picture")
    _add_kernel(parser)
    _add_store(parser)


def _add_model(parser: argparse.ArgumentParser) -> None:
    """What every command about a model takes, besides a source: its app and a device."""
    parser.add_argument(
        "--device", metavar="D", help="the device to price it on: `tunepass devices` lists them; or a file, D.yaml"
    )
    _add_kernel(parser)
    _add_spatial(parser)


def _add_estimate(commands: Commands) -> None:
    parser = _command(commands, "estimate", "price configurations with a device's model; nothing is run")
    _add_source(parser, "a source that a model prices, such as a Spatial source (.scala)")
    _add_model(parser)
    parser.add_argument("--set", metavar="NAME=VALUE,...", help="values in place of the source's own")
    parser.add_argument("--configs", metavar="FILE.csv", help="a table of configurations; its columns are parameters")
    parser.add_argument("-o", "--output", metavar="FILE", help="a table (.csv); with --explain a picture (.svg, .html)")
    parser.add_argument("--explain", action="store_true", help="where the time and the area go")


def _add_pareto(commands: Commands) -> None:
    parser = _command(commands, "pareto", "the Pareto front of a model's objectives: exact, or as a study has it")
    parser.add_argument("source", metavar="SOURCE", help="a Spatial source (.scala)")
    _add_model(parser)
    parser.add_argument("--objective", type=_names, metavar="NAME[,NAME]", help="(default: cycles and the logic)")
    parser.add_argument("--exact", action="store_true", help="search for the exact front, with a certificate")
    parser.add_argument(
        "--strategy", choices=tuple(EXACT_SOLVERS), default="branch_and_bound", help="how, with --exact"
    )
    _add_extrapolate(parser)
    parser.add_argument("--budget", type=duration, metavar="TIME", help="stop the exact search after it, such as 30s")
    parser.add_argument("--max-evals", type=_at_least(1), metavar="N", help="stop it after so many configurations")
    parser.add_argument("-o", "--output", metavar="FILE", help="the front as a table (.csv) or a picture (.svg)")
    _add_store(parser)


def _add_prune(commands: Commands) -> None:
    parser = _command(
        commands, "prune", "count what limits leave of a space, and say why it is no more; nothing is run"
    )
    _add_limits(parser)
    parser.add_argument("--solver", choices=tuple(PRUNING_SOLVERS), default="diagram", help="(default: diagram)")
    parser.add_argument("--budget", type=duration, metavar="TIME", help="bound what is not counted after it")
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="write what is left: NAME.space.json, .nni.json, .optuna.json, .configspace.json, .csv, .parquet or .smt2",
    )
    parser.add_argument("--as", dest="form", metavar="FORMAT", help="the format of FILE where its name does not say it")
    parser.add_argument("--smt2", metavar="FILE", help="write the conditions as SMT-LIB 2")
    parser.add_argument("--prove", action="store_true", help="have Z3 confirm the answer, inside and outside")
    parser.add_argument(
        "--jobs", type=_at_least(1), default=1, metavar="N", help="prove and list with N processes (default: 1)"
    )
    parser.add_argument(
        "--executor",
        choices=tuple(EXECUTORS),
        default="local",
        help="where those run; dask: a cluster, see docs/cli.md (default: local)",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """A priced source and limits on it."""
    _add_source(parser, "a source that a model prices, such as a model of deep learning (.py)")
    _add_model(parser)
    parser.add_argument(
        "--limit",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="the most of a resource, such as memory=16GB, or NAME>=VALUE, the least; repeatable. `tunepass estimate` "
        "names the resources",
    )
    _add_generator(parser)


def _add_serve(commands: Commands) -> None:
    _add_limits(_command(commands, "serve", "answer questions about what limits leave, a line of JSON each, on stdio"))


def _add_devices(commands: Commands) -> None:
    _command(commands, "devices", "list the devices that models know, and what they hold")


def _add_characterize(commands: Commands) -> None:
    parser = _command(commands, "characterize", "fit a device's areas to synthesis, or measure this machine")
    parser.add_argument(
        "--device", required=True, metavar="D", help="ecp5, xc7 or cyclonev, or a file like theirs; host: this machine"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where the device goes (.yaml; default: printed; of the host: the cache folder)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="the device as it ships, on templates held back")
    what.add_argument("--point", metavar="SOURCE", help="synthesise the templates of one design of a .scala source")
    parser.add_argument("--set", metavar="NAME=VALUE,...", help="with --point, values in place of the source's own")
    _add_kernel(parser)
    _add_spatial(parser)


def _add_replay(commands: Commands) -> None:
    parser = _command(commands, "replay", "run a strategy against a recorded space, and say how fast it gets how far")
    parser.add_argument("recorded", metavar="FILE.json", help="a recorded space, its rows beside it in FILE.csv.gz")
    parser.add_argument("--strategy", default="auto", metavar="S", help="auto, random, exhaustive or bayesian")
    parser.add_argument(
        "--max-evals", type=_at_least(1), default=DEFAULT_REPLAY, metavar="N", help=f"(default: {DEFAULT_REPLAY})"
    )
    parser.add_argument("--seeds", type=seeds, default=(0,), metavar="LIST", help="such as 0..9 or 1,4,7 (default: 0)")
    parser.add_argument("--objective", type=_names, metavar="NAME[,NAME]", help="(default: the first recorded)")
    parser.add_argument(
        "--transfer-from",
        action="append",
        default=[],
        metavar="FILE.json",
        help="a recorded space to start from, once for each of several: another device, size or compiler",
    )
    parser.add_argument("--noise", action="store_true", help="measure with the recorded noise")


def _add_store_command(commands: Commands) -> None:
    parser = _command(commands, "store", "say whether a store is whole, save what can be read, or print all of it")
    parser.add_argument("action", choices=("check", "repair", "export"), help="repair and export leave PATH as it is")
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a store, or what `store export` wrote (default: as for --store)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the new store (default: PATH.repaired.db), or the lines"
    )


def _add_flags(commands: Commands) -> None:
    parser = _command(commands, "flags", "print a compiler's options as parameters of a tune.yaml")
    parser.add_argument("program", metavar="COMPILER", help="gcc, clang or their like, as the build calls it")
    parser.add_argument("--level", default="O2", help="the level that is the default: O1, O2 (the default), O3 or Os")
    parser.add_argument(
        "--kinds",
        type=_names,
        default=("optimizers", "params"),
        metavar="KIND[,KIND]",
        help="optimizers, params (of clang: LLVM's own) or both, the default",
    )
    parser.add_argument("--math", action="store_true", help="also what changes results, by roundings for example")
    parser.add_argument("--native", action="store_true", help="also -march=native, for this processor alone")


def _add_occupancy(commands: Commands) -> None:
    parser = _command(commands, "occupancy", "how many blocks of a kernel a GPU's multiprocessor holds at once")
    parser.add_argument("--device", metavar="D", required=True, help="a GPU of `tunepass devices`, such as a100")
    parser.add_argument("--threads", type=_at_least(1), required=True, metavar="N", help="of a block")
    parser.add_argument("--registers", type=_at_least(0), required=True, metavar="N", help="of a thread")
    parser.add_argument(
        "--shared", type=_at_least(0), default=0, metavar="BYTES", help="of a block, static and dynamic (default: 0)"
    )


def _add_import(commands: Commands) -> None:
    parser = _command(commands, "import", "make another tuner's description of a kernel a source with pragmas")
    parser.add_argument(
        "file", metavar="FILE", help="a T1 file or NNI's search space (.json), or a C source with `#pragma tuner start`"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the annotated source, or its folder (default: printed)")
    parser.add_argument(
        "--source",
        metavar="FILE",
        action="append",
        help="the kernel's own source, if it is not beside FILE; a search space's model and constraints; repeatable",
    )
    parser.add_argument(
        "--param", metavar="NAME=LIST", action="append", help="a parameter's values as Python writes them; repeatable"
    )
    parser.add_argument(
        "--constraint", metavar="EXPRESSION", action="append", help="what holds of parameters, in Python; repeatable"
    )
    parser.add_argument(
        "--size", metavar="NAME=N", action="append", help="what a name in `#pragma tuner start` stands for; repeatable"
    )
    parser.add_argument("--kernel", metavar="NAME", help="of several sections of a C source, this one")


def _add_doctor(commands: Commands) -> None:
    _command(commands, "doctor", "say what tunepass finds on this machine, and how to get what it does not")


# A command's name: what it adds to the grammar, and the module that runs it.
COMMANDS: Mapping[str, tuple[Callable[[Commands], None], str]] = {
    "build": (_add_build, "tunepass.commands.build"),
    "cc": (_add_cc, "tunepass.commands.cc"),
    "c++": (_add_cxx, "tunepass.commands.cc"),
    "space": (_add_space, "tunepass.commands.space"),
    "estimate": (_add_estimate, "tunepass.commands.estimate"),
    "pareto": (_add_pareto, "tunepass.commands.pareto"),
    "prune": (_add_prune, "tunepass.commands.prune"),
    "serve": (_add_serve, "tunepass.commands.serve"),
    "devices": (_add_devices, "tunepass.commands.devices"),
    "occupancy": (_add_occupancy, "tunepass.commands.occupancy"),
    "characterize": (_add_characterize, "tunepass.commands.characterize"),
    "verify": (_add_verify, "tunepass.commands.verify"),
    "diff": (_add_diff, "tunepass.commands.diff"),
    "explain": (_add_explain, "tunepass.commands.explain"),
    "report": (_add_report, "tunepass.commands.report"),
    "replay": (_add_replay, "tunepass.commands.replay"),
    "store": (_add_store_command, "tunepass.commands.store"),
    "import": (_add_import, "tunepass.commands.import_"),
    "flags": (_add_flags, "tunepass.commands.flags"),
    "doctor": (_add_doctor, "tunepass.commands.doctor"),
}
TAKES_COMPILER = frozenset({"build", "space", "verify", "diff"})


def build_parser() -> argparse.ArgumentParser:
    """The whole grammar. What follows `--` is the compiler's and is split off before argparse sees it."""
    parser = argparse.ArgumentParser(
        prog="tunepass",
        description="The tuning pass that any compiler can embed.",
        epilog=EPILOG,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tunepass {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add, _ in COMMANDS.values():
        add(commands)
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of one command line, its compiler as `compiler`; a mistake ends in SystemExit(2)."""
    ours, compiler = split_compiler(words)
    parser = build_parser()
    options = parser.parse_args(ours)
    if "taco" in options:
        _check_source(parser, options)
    if compiler and options.command not in TAKES_COMPILER:
        parser.error(f"{options.command} takes no compiler arguments after --")
    options.compiler = compiler
    return options


def _check_source(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if (options.source is None) == (options.taco is None):
        parser.error(
            f"{options.command} takes a SOURCE or --taco EXPRESSION" + ", not both" * (options.taco is not None)
        )
    if options.taco is None and options.taco_words:
        word, text = options.taco_words[0]
        parser.error(f"-{word}={text} goes with --taco EXPRESSION")


def split_compiler(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments before the first `--` and the compiler's after it."""
    if "--" not in argv:
        return list(argv), []
    separator = list(argv).index("--")
    return list(argv[:separator]), list(argv[separator + 1 :])
