"""From a `run` pragma to a command, its metrics and what its output is compared with."""

from __future__ import annotations

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.pragmas.run import CheckText, RunPragma
from tunepass.frontends.params.command import build_metrics, split, split_command
from tunepass.ir.run import OutputCheck, RunCommand


def build_run(pragma: RunPragma, loops: bool = False) -> RunCommand:
    """With `loops` that are rewritten, its output is compared unless it says otherwise."""
    arguments = split_command(pragma.command, pragma.span, 'write `run "./a.out 512"`')
    metrics = build_metrics(pragma.metrics)
    text = pragma.check
    if text is None:
        check = OutputCheck() if loops else None
    else:
        check = None if text.none else _output_check(text)
    return RunCommand(arguments=arguments, metrics=metrics, check=check, span=pragma.span)


def _output_check(text: CheckText) -> OutputCheck:
    words = split(text.words, "text", text.span)
    file = next((word for word in words if not word.startswith("-")), None)
    if file is not None:
        hint = 'write `check_with("-DDUMP_RESULTS")`; sources follow `--`'
        raise SourceError(f"`{file}` is no option of a compiler", text.span, hint)
    return OutputCheck(
        files=text.files,
        words=words,
        relative=text.tolerance.relative if text.tolerance else None,
        absolute=(text.tolerance.absolute or 0.0) if text.tolerance else 0.0,
    )
