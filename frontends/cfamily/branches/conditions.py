"""Branches of `#if`s over parameters: what each holds under, and the code of those that are not active.

Candidates are compiled with other values of the parameters, so that each branch may be active in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.frontends.cfamily.preprocessing.chains import Chain, branch_around, chains
from tunepass.frontends.cfamily.preprocessing.preprocess import Preprocessed
from tunepass.frontends.cfamily.text.raw import Directive, read_raw
from tunepass.frontends.cfamily.text.tokens import BRACKETS, Token, closings, names_in
from tunepass.frontends.cfamily.unit import Unit
from tunepass.machine_faults import raise_machines


@dataclass(slots=True, eq=False)
class _Branch:
    """[start, end) of the text. `settled`: it is compiled, or not, for every value of the parameters."""

    start: int
    end: int
    condition: str
    settled: bool
    outer: _Branch | None
    activity: set[bool] = field(default_factory=set)  # of the code that stands in it and in no other branch

    @property
    def is_possible(self) -> bool:
        ruled_out = self.settled and self.activity == {False}
        return not ruled_out and (self.outer is None or self.outer.is_possible)


def parameter_conditions(text: Preprocessed) -> list[tuple[int, int, str]]:
    """From where to where in the source each condition holds that an `#if` over parameters makes."""
    listed = chains(text.raw.directives)
    branches = _branches(text, listed)
    if all(branch.settled for several in branches for branch in several):
        return []
    for start, _, active in text.activity:
        around = branch_around(listed, start)
        if around is not None:
            branches[around[0]][around[1]].activity.add(active)
    return [(b.start, b.end, b.condition) for several in branches for b in several if not b.settled and b.is_possible]


def _branches(text: Preprocessed, listed: Sequence[Chain]) -> list[list[_Branch]]:
    """Of each chain."""
    found: list[list[_Branch]] = []
    for chain in listed:
        settled = not any(text.reads_parameter(head) for head in chain.heads)
        outer = found[chain.around[0]][chain.around[1]] if chain.around is not None else None
        texts = [f"({text})" for text in chain.conditions]
        ends = [end if end >= 0 else len(text.raw.text) for _, end in chain.branches()]
        conditions = [" && ".join([*(f"!{t}" for t in texts[:n]), *texts[n : n + 1]]) for n in range(len(ends))]
        parts = zip(chain.heads, ends, conditions)
        found.append([_Branch(head.start, end, condition, settled, outer) for head, end, condition in parts])
    return found


def conditional_macros(text: Preprocessed) -> frozenset[str]:
    """The macros that a branch over parameters defines or takes away, in the source or a header that is not the
    system's."""
    found = _defined_in(text.raw.directives, parameter_conditions(text))
    for file in text.included if text.symbols.names else ():
        header = _read_header(file)
        if any(name in header for name in text.symbols.names):
            directives = read_raw(header).directives
            branches = [branch for several in _branches(text, chains(directives)) for branch in several]
            found |= _defined_in(directives, [(b.start, b.end, b.condition) for b in branches if not b.settled])
    return frozenset(found)


def _read_header(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        raise_machines(error)
        return ""


def _defined_in(directives: Sequence[Directive], conditions: Sequence[tuple[int, int, str]]) -> set[str]:
    inside = (
        directive
        for directive in directives
        if directive.kind in ("define", "undef") and any(s <= directive.start < e for s, e, _ in conditions)
    )
    return {name for directive in inside for name in names_in(directive.body)[:1]}


def with_all_branches(unit: Unit) -> Unit:
    """`unit` with the code of branches over parameters that its preprocessor left out, macros in it as written. A brace
    that a branch opens or closes for code behind its `#endif` is closed or left out: the compiled branch has it too."""
    conditions = parameter_conditions(unit.text)
    left_out: dict[tuple[int, int], list[Token]] = {}
    for number, section in enumerate(unit.text.raw.sections):
        if number in unit.text.active or section.outer is not None:
            continue
        for token in section.tokens:
            around = [(start, end) for start, end, _ in conditions if start <= token.start < end]
            if around:
                left_out.setdefault(max(around), []).append(token)
    if not left_out:
        return unit
    added = [token for code in left_out.values() for token in balanced(code)]
    merged = tuple(sorted((*unit.tokens, *added), key=place_of))
    return replace(unit, text=replace(unit.text, tokens=merged, pragmas=()))


def balanced(code: Sequence[Token]) -> list[Token]:
    """The code of a branch with each bracket closed in it, and none that opens before it."""
    ends = closings(code)
    closed = set(ends.values())
    complete = [t for k, t in enumerate(code) if k in closed or not t.at(*BRACKETS.values())]
    opened = [token for k, token in enumerate(code) if token.at(*BRACKETS) and k not in ends]
    last = code[-1]
    for token in reversed(opened):
        complete.append(Token("op", BRACKETS[token.text], last.start, last.end))
        if token.at("{"):
            complete.append(Token("op", ";", last.start, last.end))
    return complete


def place_of(token: Token) -> int:
    """Where it stands, or the use of the macro that it is an argument of: ascending in the compiler's order."""
    return token.within[0] if token.within else token.start
