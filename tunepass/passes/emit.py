"""emit: the scheduled kernel becomes source text, with a note of what was chosen and what it gained."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.passes.base import Compilation, Emitter, Pass
from tunepass.search.result import SearchResult


@dataclass(frozen=True, slots=True)
class Emit(Pass):
    """`emitter` is the frontend's; nothing is written to disk here."""

    emitter: Emitter
    name = "emit"

    def run(self, compilation: Compilation) -> Compilation:
        result = compilation.require_result(self)
        return replace(compilation, files=self.emitter(compilation.kernel, note(result)))


def note(result: SearchResult) -> str:
    """The comment's text: the choice, then a line an objective."""
    chosen = ", ".join(f"{name} = {value}" for name, value in result.choice.items())
    lines = [f"chosen of {len(result.trials)} trials: {chosen}"]
    if result.kept_default:
        lines.append("this is the default: no significant gain was found")
    else:
        lines += [gain.sentence() for gain in result.gains]
    return "\n".join(lines)
