"""The macros that differ with the values of parameters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from tunepass.frontends.cfamily.preprocessing.chains import Chain, chains
from tunepass.frontends.cfamily.preprocessing.directives import PlacedDirective
from tunepass.frontends.cfamily.text.marks import MacroText
from tunepass.frontends.cfamily.text.raw import Directive
from tunepass.frontends.cfamily.text.tokens import names_in

DEFINING = frozenset({"define", "undef"})


def parametric_names(
    symbols: frozenset[str], placed: Sequence[PlacedDirective], macros: Mapping[str, Sequence[MacroText]]
) -> frozenset[str]:
    """The parameters' macros, those whose texts have one, and those that a branch over one defines or takes away."""
    directives = [p.directive for p in placed]
    texts = [(m.name, m.body) for several in macros.values() for m in several]
    texts += [(defined_name(d), " ".join(d.body.split())) for d in directives if d.kind == "define"]
    bodies = _Texts(texts)
    listed = chains(directives)
    inside = defined_inside(listed, directives)
    reading = [{name for condition in chain.conditions for name in names_in(condition)} for chain in listed]
    known, new = set(symbols), set(symbols)
    while new:
        more = {macro for name in new for macro in bodies.naming(name)}
        more.update(*(names for read, names in zip(reading, inside) if read & new))
        new = more - known - {""}  # a `#define` without a name, which the compiler refuses
        known |= new
    return frozenset(known)


class _Texts:
    """The texts of macros as one, which is searched much faster than each."""

    def __init__(self, texts: Sequence[tuple[str, str]]):
        self.names = [name for name, _ in texts]
        self.whole = "\n".join(body for _, body in texts)
        self.starts = [0, *accumulate(len(body) + 1 for _, body in texts)]

    def naming(self, name: str) -> Iterator[str]:
        """The macros whose texts have the name."""
        at = self.whole.find(name)
        while at >= 0:
            if not (_is_word(self.whole[at - 1 : at]) or _is_word(self.whole[at + len(name) : at + len(name) + 1])):
                yield self.names[bisect_right(self.starts, at) - 1]
            at = self.whole.find(name, at + len(name))


def _is_word(character: str) -> bool:
    return character.isalnum() or character in ("_", "$")


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
