"""Stand-in for a schedule without C text."""

from __future__ import annotations

import re

from tunepass.ir.candidate import Candidate


def refused(reason: str) -> Candidate:
    """A text whose compilation fails with the reason."""
    lines = [re.sub(r"[^ -~]", "?", line) for line in reason.splitlines() if line.strip()] or ["unknown"]
    return Candidate(text="".join(f"#error {line}\n" for line in lines))
