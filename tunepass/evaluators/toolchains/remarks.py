"""Was a requested transformation applied? Read from what the optimiser remarks about the lines of the loop.

gcc: -fopt-info-vec-loop-optimized-missed=FILE. clang: -Rpass and -Rpass-missed on stderr, and -Wpass-failed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.compilers.cc import Family
from tunepass.ir.candidate import Request, Transformation
from tunepass.study.outcome import Failed

CLANG_PASSES = "loop-vectorize|loop-unroll"
LINE = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?P<kind>optimized|missed|remark|warning): +(?P<text>.*)$"
)
VECTORIZED = re.compile(r"^vectorized loop|^loop vectorized|^basic block part vectorized|^outer loop vectorized")
UNROLLED = re.compile(r"unrolled loop|^loop unrolled|completely unrolled|loop turned into non-loop")
UNABLE = "unable to perform the requested transformation"
REFUSED = {
    "vectorize": re.compile(r"not vectorized: |loop not vectorized|couldn't vectorize"),
    "unroll": re.compile(r"not unrolled|unable to .*unroll"),
}


@dataclass(frozen=True, slots=True)
class Remark:
    """`applied` tells what was done; otherwise the text may say why something was not."""

    line: int
    applied: Transformation | None
    text: str


def remark_flags(family: Family, file: Path) -> tuple[str, ...]:
    """Flags that make the compiler talk; `file` receives gcc's remarks."""
    match family:
        case "gcc":
            return (f"-fopt-info-vec-loop-optimized-missed={file}",)
        case "clang":
            return (f"-Rpass={CLANG_PASSES}", f"-Rpass-missed={CLANG_PASSES}")
        case _:
            return ()


def parse_remarks(text: str) -> tuple[Remark, ...]:
    """Parse the remarks of either compiler. Lines that are not remarks are passed over."""
    remarks = []
    for match in (LINE.match(line) for line in text.splitlines()):
        if match:
            words = match["text"].strip()
            done = match["kind"] in ("optimized", "remark")
            applied: Transformation | None = None
            if done and VECTORIZED.search(words):
                applied = "vectorize"
            elif done and UNROLLED.search(words):
                applied = "unroll"
            remarks.append(Remark(int(match["line"]), applied, words))
    return tuple(remarks)


def _lost(request: Request, near: Sequence[Remark], remarks: Sequence[Remark]) -> bool:
    """clang may place its remark on a vectorized loop at the function that holds it. It does warn of every loop that it
    was told to vectorize and did not, so without a word about these lines an earlier line stands for the loop."""
    refused = any(REFUSED["vectorize"].search(r.text) for r in near) or any(UNABLE in r.text for r in remarks)
    if request.transformation != "vectorize" or refused:
        return False
    return any(r.line < request.first_line and r.text.startswith("vectorized loop") for r in remarks)


def not_applied(requests: Sequence[Request], remarks: Sequence[Remark]) -> Failed | None:
    """The first request that no remark on its lines confirms, with the compiler's reason if it gave one."""
    for request in requests:
        if request.obstacle:
            return Failed("not_applied", f"line {request.first_line}: did not {request.words}: {request.obstacle}")
        near = [r for r in remarks if request.first_line <= r.line <= request.last_line]
        if any(remark.applied == request.transformation for remark in near) or _lost(request, near, remarks):
            continue
        reasons = dict.fromkeys(r.text for r in near if REFUSED[request.transformation].search(r.text))
        reason = "\n".join(reasons) or "the compiler does not say why"
        return Failed("not_applied", f"line {request.first_line}: the compiler did not {request.words}\n{reason}")
    return None
