"""Message about a source that the compiler refuses."""

from __future__ import annotations

from pathlib import Path

from tunepass.diagnostics import ToolError

PRAGMAS_HINT = (
    "-Wno-unknown-pragmas after the compiler's words lets the pragmas pass, or write them as `// tunepass: ...`"
)


def not_compiled(source: Path, log: str) -> ToolError:
    """The untouched source does not compile; `log` is in the compiler's words."""
    hint = f"{PRAGMAS_HINT}\n{log}" if "-Werror=unknown-pragmas" in log or "-Werror,-Wunknown-pragmas" in log else log
    return ToolError(f"{source} does not compile as it is", hint=hint)
