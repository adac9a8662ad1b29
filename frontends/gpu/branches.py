"""One branch of each `#if` whose branches open or close more brackets than they close or open: a signature that is
written twice, with one body after it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tunepass.frontends.c.syntax.lexical import Directive, Scan, blanked


@dataclass(frozen=True, slots=True)
class _Branch:
    directive: Directive
    start: int
    end: int


def one_branch(scanned: Scan, defined: Collection[str]) -> Scan:
    """`defined` are the macros that are, as far as the file says."""
    dropped: list[tuple[int, int]] = []
    code = scanned.statements
    for chain in _chains(scanned.directives):
        if any(_depth(code[b.start : b.end]) for b in chain):
            kept = _kept(chain, defined)
            dropped += [(b.start, b.end) for b in chain if b is not kept]
    regions: list[tuple[int, int]] = []
    for start, end in sorted(dropped):
        if not regions or start >= regions[-1][1]:
            regions.append((start, end))
    alive = tuple(d for d in scanned.directives if not any(start <= d.start < end for start, end in regions))
    return Scan(scanned.source, blanked(scanned.code, regions), scanned.pragmas, alive)


def _chains(directives: Sequence[Directive]) -> Iterator[list[_Branch]]:
    """The branches of each `#if`, outer ones after those inside."""
    opened: list[list[Directive]] = []
    for directive in directives:
        if directive.kind in ("if", "ifdef", "ifndef"):
            opened.append([directive])
        elif directive.kind in ("elif", "else") and opened:
            opened[-1].append(directive)
        elif directive.kind == "endif" and opened:
            own = opened.pop()
            ends = [*(d.start for d in own[1:]), directive.start]
            yield [_Branch(d, d.start + len(d.text), end) for d, end in zip(own, ends)]


def _depth(code: str) -> int:
    return code.count("{") - code.count("}")


def _kept(chain: Sequence[_Branch], defined: Collection[str]) -> _Branch | None:
    """The first whose condition is not known to fail; None where all are."""
    for branch in chain:
        kind, body = branch.directive.kind, branch.directive.body.split()
        name = body[0] if body else ""
        if (kind == "ifdef" and name not in defined) or (kind == "ifndef" and name in defined):
            continue
        return branch
    return None
