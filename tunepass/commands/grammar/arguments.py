"""The command line's grammar: argparse and nothing else, so that `tunepass --help` is instant."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from tunepass.commands.grammar import builds, models, results, tuning
from tunepass.commands.grammar.launched import split_launcher
from tunepass.diagnostics import hide_passwords
from tunepass.version import __version__

if TYPE_CHECKING:
    from tunepass.commands.grammar.shared import Commands

EPILOG = """\
exit status: 0 done (keeping the default is success), 1 every evaluation failed, 2 the source or the command line
is wrong, 3 the lock is stale under --frozen, 4 the machine has failed, 129, 130 and 143 interrupted by SIGHUP, SIGINT
or SIGTERM (everything measured is kept)
"""

# A command's name: what it adds to the grammar, and the module that runs it.
COMMANDS: Mapping[str, tuple[Callable[[Commands], None], str]] = {
    "build": (tuning.add_build, "tunepass.commands.build"),
    "cc": (tuning.add_cc, "tunepass.launcher.cc"),
    "c++": (tuning.add_cxx, "tunepass.launcher.cc"),
    "space": (tuning.add_space, "tunepass.commands.space"),
    "estimate": (models.add_estimate, "tunepass.commands.estimate"),
    "pareto": (models.add_pareto, "tunepass.commands.pareto"),
    "prune": (models.add_prune, "tunepass.commands.prune"),
    "serve": (models.add_serve, "tunepass.commands.serve"),
    "devices": (models.add_devices, "tunepass.commands.devices"),
    "occupancy": (models.add_occupancy, "tunepass.commands.occupancy"),
    "characterize": (models.add_characterize, "tunepass.commands.characterize"),
    "verify": (results.add_verify, "tunepass.commands.verify"),
    "diff": (results.add_diff, "tunepass.commands.diff"),
    "explain": (results.add_explain, "tunepass.commands.explain"),
    "report": (results.add_report, "tunepass.commands.report"),
    "replay": (tuning.add_replay, "tunepass.commands.replay"),
    "store": (results.add_store_checks, "tunepass.commands.store"),
    "lock": (results.add_lock, "tunepass.commands.lock"),
    "hypermapper": (results.add_hypermapper, "tunepass.commands.hypermapper"),
    "import": (results.add_import, "tunepass.commands.import_"),
    "flags": (results.add_flags, "tunepass.commands.flags"),
    "flags-file": (builds.add_flags_file, "tunepass.commands.builds.flags_file"),
    "gcc-plugin": (builds.add_gcc_plugin, "tunepass.commands.builds.compiler_plugins"),
    "clang-plugin": (builds.add_clang_plugin, "tunepass.commands.builds.compiler_plugins"),
    "plugins": (results.add_plugins, "tunepass.commands.plugins"),
    "doctor": (results.add_doctor, "tunepass.commands.doctor"),
}
TAKES_COMPILER = frozenset({"build", "space", "verify", "diff", "flags-file"})


class Parser(argparse.ArgumentParser):
    """A parser whose complaints, which quote the command line, leave out passwords."""

    def error(self, message: str) -> NoReturn:
        super().error(hide_passwords(message))


def build_parser() -> argparse.ArgumentParser:
    """The whole grammar. What follows `--` is the compiler's and is split off before argparse sees it."""
    parser: argparse.ArgumentParser = Parser(
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
    """The options of one command line, its compiler as `compiler` and the words that start that one as `launcher`; a
    mistake ends in SystemExit(2)."""
    ours, compiler = split_compiler(words)
    parser = build_parser()
    options = parser.parse_args(ours)
    if "taco" in options:
        _check_source(parser, options)
    if compiler and options.command not in TAKES_COMPILER:
        parser.error(f"{options.command} takes no compiler arguments after --")
    options.launcher, options.compiler = split_launcher(compiler) if compiler else ([], [])
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
