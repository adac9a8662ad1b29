"""The options of what looks at results, and at what else is there: locks, stores, other tuners' files, this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tunepass.commands.grammar.shared import add_command, add_kernel, add_store, add_strict
from tunepass.commands.grammar.values import at_least, names

if TYPE_CHECKING:
    from tunepass.commands.grammar.shared import Commands


def add_verify(commands: Commands) -> None:
    parser = add_command(
        commands,
        "verify",
        "say whether the lock still fits",
        "tunepass verify [options] [PATH...] [-- COMPILER ARGS...]",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="sources, folders or locks (default: this folder)")
    add_strict(parser, "status 5 where the lock lacks a check of a choice")


def add_diff(commands: Commands) -> None:
    parser = add_command(
        commands, "diff", "say what changed since the lock", "tunepass diff [options] [PATH...] [-- COMPILER ARGS...]"
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="sources, folders or locks (default: this folder)")
    add_store(parser)


def add_explain(commands: Commands) -> None:
    parser = add_command(commands, "explain", "say what the search found and why the choice won")
    parser.add_argument("source", metavar="SOURCE")
    add_kernel(parser)
    add_store(parser)


def add_report(commands: Commands) -> None:
    parser = add_command(commands, "report", "write the convergence picture or a page about the search")
    parser.add_argument("source", metavar="SOURCE", help="a source, or a store such as Python's studies have")
    parser.add_argument("--study", metavar="NAME", help="of a store: the study (default: a page of all)")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="a .html page or an .svg picture")
    add_kernel(parser)
    add_store(parser)


def problem_size(text: str) -> tuple[int, ...]:
    """One to three whole numbers, separated by commas."""
    words = text.split(",")
    if not 1 <= len(words) <= 3 or not all(word.isascii() and word.isdigit() for word in words):
        raise argparse.ArgumentTypeError(f"N, or up to three numbers N,N,N, got {text!r}")
    return tuple(int(word) for word in words)


def add_store_checks(commands: Commands) -> None:
    parser = add_command(commands, "store", "say whether a store is whole, save what can be read, or print all of it")
    parser.add_argument("action", choices=("check", "repair", "export", "copy"), help="all leave PATH as it is")
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a store, or what `store export` wrote (default: as for --store)"
    )
    parser.add_argument("target", nargs="?", metavar="TARGET", help="the store that `store copy` adds the studies to")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the new store (default: PATH.repaired.db), or the lines"
    )
    parser.add_argument(
        "--as",
        dest="file_format",
        choices=("t4", "kernel-tuner"),
        help="export one study as T4, or as a cache file of Kernel Tuner",
    )
    parser.add_argument("--study", metavar="NAME", help="with --as: of several studies, this one")
    parser.add_argument(
        "--problem-size",
        type=problem_size,
        default=(1,),
        metavar="N[,N]",
        help="with --as kernel-tuner: that of the call of tune_kernel, which compares it (default: 1)",
    )


def add_lock(commands: Commands) -> None:
    parser = commands.add_parser(
        "lock", help="sign a lock, or verify who signed it", description="By ssh-keygen, or minisign for its keys."
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    signing = add_command(actions, "sign", "write the lock's signature beside it")
    signing.add_argument("--key", metavar="FILE", help="the key to sign with (default: the usual one of ssh)")
    verifying = add_command(
        actions, "verify", "say who signed the lock, and what for; status 1 if no allowed signer did"
    )
    verifying.add_argument(
        "--signers",
        metavar="FILE",
        help="ssh's allowed signers (default: TUNEPASS_SIGNERS, ~/.ssh/allowed_signers), or minisign's public key",
    )
    verifying.add_argument("--signer", metavar="NAME", help="who has to have signed (default: any allowed signer)")
    for action in (signing, verifying):
        action.add_argument("path", nargs="?", default=".", metavar="LOCK", help="a lock or its folder")


def add_hypermapper(commands: Commands) -> None:
    parser = add_command(commands, "hypermapper", "run a scenario of HyperMapper or BaCO, and answer their clients")
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help="the scenario's JSON file")
    parser.add_argument("tables", metavar="TABLE", nargs="*", help="with --pareto: the results, and the front's file")
    parser.add_argument("--strategy", metavar="S", help="a strategy of `tunepass build` (default: auto)")
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="N", help="of every random choice (default: 0)")
    parser.add_argument("--store", metavar="PATH", help="keep the trials here, and go on from them (default: memory)")
    parser.add_argument("--pareto", action="store_true", help="write the Pareto front of a table of results; no search")
    for name, drawn in (
        ("pareto", "fronts of two objectives"),
        ("hvi", "the hypervolume indicator over time"),
        ("optimization-results", "regret over evaluations"),
    ):
        words = f"draw {drawn}; all words after it are those of hm-plot-{name}"
        parser.add_argument(f"--plot-{name}", metavar="...", nargs=argparse.REMAINDER, help=words)
    parser.add_argument("--home", metavar="DIR", help="write a folder for HYPERMAPPER_HOME; no search")
    parser.add_argument("--hypermapper3-ending", action="store_true", help="end as HyperMapper 3 does")


def add_import(commands: Commands) -> None:
    parser = add_command(commands, "import", "make another tuner's description of a kernel a source with pragmas")
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a T1 file or a search space of NNI or ConfigSpace (.json), or a C source with `#pragma tuner start`",
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


def add_flags(commands: Commands) -> None:
    parser = add_command(commands, "flags", "print a compiler's options as parameters of a tune.yaml")
    parser.add_argument("program", metavar="COMPILER", help="gcc, clang or their like, as the build calls it")
    parser.add_argument("--level", default="O2", help="the level that is the default: O1, O2 (the default), O3 or Os")
    parser.add_argument(
        "--kinds",
        type=names,
        default=("optimizers", "params"),
        metavar="KIND[,KIND]",
        help="optimizers, params (of clang: LLVM's own) or both, the default",
    )
    parser.add_argument("--math", action="store_true", help="also what changes results, by roundings for example")
    parser.add_argument("--native", action="store_true", help="also -march=native, for this processor alone")


def add_plugins(commands: Commands) -> None:
    add_command(commands, "plugins", "list the installed plug-ins: their packages, clashes and what is broken")


def add_doctor(commands: Commands) -> None:
    add_command(commands, "doctor", "say what tunepass finds on this machine, and how to get what it does not")
