"""The macros that differ with the values of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tunepass.frontends.cfamily.chains import Chain, chains
from tunepass.frontends.cfamily.directives import PlacedDirective
from tunepass.frontends.cfamily.marks import MacroText
from tunepass.frontends.cfamily.raw import Directive
from tunepass.frontends.cfamily.tokens import names_in

WORD = re.compile(r"[A-Za-z_]\w*")
DEFINING = frozenset({"define", "undef"})


def parametric_names(
    symbols: frozenset[str], placed: Sequence[PlacedDirective], macros: Mapping[str, Sequence[MacroText]]
) -> frozenset[str]:
    """The parameters' macros, those whose texts have one, and those that a branch over one defines or takes away."""
    directives = [p.directive for p in placed]
    bodies = [(m.name, m.body) for several in macros.values() for m in several]
    bodies += [(name, d.body) for d in directives if d.kind == "define" and (name := defined_name(d))]
    listed = chains(directives)
    inside = defined_inside(listed, directives)
    known = set(symbols)
    while True:
        any_known = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(known)))})\b")
        more = {name for name, body in bodies if name not in known and any_known.search(body)}
        for number, chain in enumerate(listed):
            if any(any_known.search(condition) for condition in chain.conditions):
                more |= inside[number] - known
        if not more:
            return frozenset(known)
        known |= more


def defined_inside(listed: Sequence[Chain], directives: Iterable[Directive]) -> list[set[str]]:
    """The macros that are defined or taken away in each chain or in one inside it."""
    branch_of = {id(head): number for number, chain in enumerate(listed) for head in chain.directives}
    found: list[set[str]] = [set() for _ in listed]
    current: int | None = None
    for directive in directives:
        if id(directive) in branch_of:
            current = branch_of[id(directive)]
            if directive.kind == "endif":
                around = listed[current].around
                current = None if around is None else around[0]
        elif directive.kind in DEFINING and current is not None:
            number: int | None = current
            while number is not None:
                found[number].add(defined_name(directive))
                around = listed[number].around
                number = None if around is None else around[0]
    return found


def defined_name(directive: Directive) -> str:
    """Of `#define` and `#undef`."""
    return (names_in(directive.body[:200])[:1] or [""])[0]
