"""Options that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from tunepass.commands.grammar.values import at_least, braced, check_name, named, size_word

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


TACO_EXTENSIONS = ("param", "constraint")  # words that TACO's tool has not
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


def add_command(
    commands: Commands,
    name: str,
    summary: str,
    usage: str | None = None,
    formats: tuple[str, ...] = ("text", "json"),
    format_help: str = "how results are printed",
) -> argparse.ArgumentParser:
    """The first of the formats is the default."""
    parser = commands.add_parser(name, help=summary, description=summary, usage=usage, allow_abbrev=False)
    parser.add_argument("--format", choices=formats, default=formats[0], help=format_help)
    return parser


def add_source(parser: argparse.ArgumentParser, what: str | None = None) -> None:
    """A source, or an expression with the words that TACO's tool takes."""
    parser.add_argument("source", metavar="SOURCE", nargs="?", help=what)
    parser.add_argument(
        "--taco", metavar="EXPRESSION", help="instead of a SOURCE, such as 'A(i,k)=B(i,j)*C(j,k)' -f=B:ds -s=..."
    )
    for word, (shown, how) in TACO_WORDS.items():
        names = (f"--{word}",) if word in TACO_EXTENSIONS else (f"-{word}", f"--{word}")
        kind = _taco_word(word)
        parser.add_argument(*names, metavar=shown, action="append", dest="taco_words", type=kind, help=how)


def _taco_word(word: str) -> Callable[[str], tuple[str, str]]:
    return lambda text: (word, text)


def add_spatial(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--app", metavar="NAME", help="of several apps in a .scala source, this one")
    parser.add_argument(
        "--no-restrictions", action="store_true", help="of a .scala source the raw product of its parameters"
    )
    parser.add_argument(
        "--size",
        metavar="NAME=N",
        type=size_word,
        action="append",
        help="of a .scala source, what a size is that it leaves open; repeatable",
    )
    parser.add_argument(
        "--operators",
        metavar="FILE",
        type=lambda path: (f"--operators={path}",),
        help="of a deep-learning model, your own operators and resources: a table of formulas",
    )


def add_model(parser: argparse.ArgumentParser) -> None:
    """Arguments of every command about a model besides a source: its app and a device."""
    parser.add_argument(
        "--device", metavar="D", help="the device to price it on: `tunepass devices` lists them; or a file, D.yaml"
    )
    add_kernel(parser)
    add_spatial(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """A priced source and limits on it."""
    add_source(parser, "a source that a model prices, such as a model of deep learning (.py)")
    add_model(parser)
    parser.add_argument(
        "--limit",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="the most of a resource, such as memory=16GB, or NAME>=VALUE, the least; repeatable. `tunepass estimate` "
        "names the resources",
    )
    add_generator(parser)


def add_extrapolate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--extrapolate", action="store_true", help="an exact front also has what a model was fitted to nothing like"
    )


def add_generator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--backend",
        choices=("tunepass", "taco", "model"),
        default="tunepass",
        help="of a .taco source, what writes its C: tunepass, or the program taco (PATH, TUNEPASS_TACO); of a GPU "
        "kernel (.cu, .cl) model: the model alone, nothing is compiled",
    )


def add_strict(parser: argparse.ArgumentParser, effect: str) -> None:
    parser.add_argument("--strict", action="store_true", help=effect)
    parser.add_argument(
        "--waive",
        action="append",
        default=[],
        type=check_name,
        metavar="CHECK",
        help="with --strict: a check that may be lacking, once for each of several (docs/trials.md lists them)",
    )


def add_executor(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser, "where candidates are built and measured")
    parser.add_argument(
        "--machine",
        metavar="TEXT",
        help="with --executor dask, of several kinds of machines: a part of the host's name, processor or compiler",
    )


def add_cluster(parser: argparse.ArgumentParser, where: str) -> None:
    """`where` says what the executor does."""
    parser.add_argument(
        "--executor",
        type=named("executors"),
        metavar=braced("executors"),
        default="local",
        help=f"{where}; dask: the processes of a cluster, see docs/dask.md (default: local)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="with --executor dask: tcp://HOST:PORT or tls://HOST:PORT (TUNEPASS_DASK)",
    )
    parser.add_argument(
        "--workers", type=at_least(1), metavar="N", help="with --executor dask: N processes on this machine"
    )


def add_kernel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernel", metavar="NAME", help="only this kernel of the source")


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="PATH",
        help="the trials' database, a file or postgresql://... (default: TUNEPASS_STORE, .tunepass/store.db)",
    )
