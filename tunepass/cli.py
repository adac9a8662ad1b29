"""The command line: parse, dispatch, print. Results go to stdout, everything else to stderr."""

from __future__ import annotations

import importlib
import io
import os
import sys

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all that a compiler's call needs
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if argv is None and sys.getfilesystemencoding() != "utf-8":
        _start_in_utf8()
    words = list(sys.argv[1:] if argv is None else argv)
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # names that are no UTF-8 are results as they are, and told with escapes
            stream.reconfigure(errors=errors)
    try:
        if words[:1] in (["cc"], ["c++"]):  # every word belongs to the compiler, --help and --version too
            from tunepass.launcher import cc

            return cc.run(words[1:], words[0], _interruptible)
        return _interruptible(lambda: _dispatch(words), last=argv is None)
    except (Exception, KeyboardInterrupt) as error:
        return _ended_by(error)


def _ended_by(error: BaseException) -> int:
    """Says what has ended a command, and returns its status."""
    from tunepass.diagnostics import TunepassError
    from tunepass.machine_faults import is_machines, machine_fault

    if is_machines(error):
        error = machine_fault(error)
        _drop_output()
    if isinstance(error, TunepassError):
        print(error, file=sys.stderr)
        return error.exit_status
    if isinstance(error, KeyboardInterrupt):
        from tunepass.signals import signal_of

        print("tunepass: interrupted", file=sys.stderr)
        return 128 + signal_of(error)
    if isinstance(error, BrokenPipeError):  # the reader of our results has gone
        _drop_output()
        return 0
    return _internal_error(error)


def _drop_output() -> None:
    """Leave nothing for the interpreter to flush into a closed pipe or a full disk."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _start_in_utf8() -> NoReturn:
    """This program anew: names and texts are UTF-8, whatever the locale makes Python believe."""
    how = ["-m", "tunepass"] if os.path.basename(sys.argv[0]) == "__main__.py" else [sys.argv[0]]
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *how, *sys.argv[1:]])


def _interruptible(work: Callable[[], int], *, last: bool = False) -> int:
    from tunepass.signals import interrupting

    with interrupting(last=last):
        return work()


def _dispatch(words: list[str]) -> int:
    from tunepass.commands.grammar import launched
    from tunepass.commands.grammar.arguments import COMMANDS, parse
    from tunepass.diagnostics import printable

    try:
        options = parse(words)
    except SystemExit as stop:  # argparse has printed help or its own diagnostic
        return int(stop.code or 0)
    notes = launched.enter(options.launcher, options.compiler)
    answer = importlib.import_module(COMMANDS[options.command][1]).run(options)
    for note in (*notes, *answer.notes):
        print(printable(note), file=sys.stderr)
    rendered = answer.render(options.format)
    if rendered:
        from tunepass.machine_faults import doing

        text = printable(rendered) if options.format == "text" and sys.stdout.isatty() else rendered
        with doing("write the results"):
            print(text, flush=True)
    return int(answer.status)


def _place(plugin: str) -> str:
    return f"error in the plug-in {plugin}" if plugin else "internal error"


def _internal_error(error: BaseException) -> int:
    from tunepass.diagnostics import hide_passwords

    if os.environ.get("TUNEPASS_DEBUG") == "1":
        import traceback

        print(hide_passwords("".join(traceback.format_exception(error))), end="", file=sys.stderr)
    else:
        summary = hide_passwords((str(error).splitlines() or [""])[0])
        from tunepass.registry import plugin_behind

        plugin = plugin_behind(error)
        print(f"tunepass: {_place(plugin)}: {type(error).__name__}: {summary}", file=sys.stderr)
        whom = "report it to its author" if plugin else "please report it with the source"
        print(f"  = help: set TUNEPASS_DEBUG=1 for the traceback, and {whom}", file=sys.stderr)
    return 2
