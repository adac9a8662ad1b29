"""Arguments of what makes files for builds: `flags-file` and `gcc-plugin`."""

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
        format_help="for -include (the default), @FILE, clang's --config, gcc's -specs=, the gcc plugin, or a program",
    )
    parser.add_argument("source", metavar="SOURCE", help="a source with an entry in its folder's lock")
    parser.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: printed)")
    parser.add_argument("--frozen", action="store_true", help="a stale entry is an error, with status 3")


def add_gcc_plugin(commands: Commands) -> None:
    parser = add_command(commands, "gcc-plugin", "build the plugin for an installed gcc, against its headers")
    parser.add_argument("--compiler", metavar="GCC", default="gcc", dest="program", help="the gcc that is to load it")
    # not in this folder: Python would take it for the package of that name
    how = "tunepass.so, or its folder (default: .tunepass)"
    parser.add_argument("-o", "--output", metavar="FILE", default=".tunepass", help=how)
