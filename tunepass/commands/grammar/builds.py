"""Arguments of what makes files for builds: `flags-file`, `gcc-plugin` and `clang-plugin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.commands.grammar.shared import add_command

if TYPE_CHECKING:
    from tunepass.commands.grammar.shared import Commands


def add_flags_file(commands: Commands) -> None:
    parser = add_command(
        commands,
        "flags-file",
        "write the lock's choice as a file that gcc and clang take",
        formats=("include", "response", "config", "specs", "choices", "json"),
        format_help="for -include (the default), @FILE, clang's --config, gcc's -specs=, the plugins, or a program",
    )
    parser.add_argument("source", metavar="SOURCE", help="a source with an entry in its folder's lock")
    parser.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: printed)")
    parser.add_argument("--frozen", action="store_true", help="a stale entry is an error, with status 3")


def add_gcc_plugin(commands: Commands) -> None:
    _add_plugin(commands, "gcc", "GCC")


def add_clang_plugin(commands: Commands) -> None:
    _add_plugin(commands, "clang", "CLANG")


def _add_plugin(commands: Commands, family: str, metavar: str) -> None:
    help_ = f"build the plugin for an installed {family}, against its headers"
    parser = add_command(commands, f"{family}-plugin", help_)
    parser.set_defaults(family=family)
    loads = f"the {family} that is to load it"
    parser.add_argument("--compiler", metavar=metavar, default=family, dest="program", help=loads)
    # not in this folder: Python would take it for the package of that name
    how = "tunepass.so, or its folder (default: .tunepass)"
    parser.add_argument("-o", "--output", metavar="FILE", default=".tunepass", help=how)
