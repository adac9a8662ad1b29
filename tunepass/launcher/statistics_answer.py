"""`tunepass cc --show-stats` and `--zero-stats`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from tunepass.diagnostics import TunepassError
from tunepass.files import printable
from tunepass.launcher import statistics


def run(words: Sequence[str]) -> int:
    option, rest = words[0], list(words[1:])
    if option == "--zero-stats" and not rest:
        statistics.zero()
        return 0
    if option == "--zero-stats" or rest not in ([], ["--format", "text"], ["--format", "json"]):
        raise TunepassError(f"{option} takes no {' '.join(rest)}", hint="--show-stats takes --format json")
    sys.stdout.write(_as_json() if rest[-1:] == ["json"] else _as_text())
    return 0


def _as_json() -> str:
    outcomes = [{"tuned": how == statistics.TUNED, "source": s, "why": why} for how, s, why in statistics.read()]
    return json.dumps({"sources": outcomes}, indent=2) + "\n"


def _as_text() -> str:
    """Counts, then a line for each source, those that were not tuned first."""
    outcomes = statistics.read()
    if not outcomes:
        return "no annotated source has been compiled by tunepass cc\n"
    tuned = sum(how == statistics.TUNED for how, _, _ in outcomes)
    lines = [f"{tuned} tuned, {len(outcomes) - tuned} not tuned: annotated sources, as each was compiled last"]
    lines += [printable(f"{how:9}  {source}: {why}") for how, source, why in sorted(outcomes)]
    return "\n".join(lines) + "\n"
