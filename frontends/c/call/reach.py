"""What a function and all that it calls in its file may do with the file's variables."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tunepass.frontends.cfamily.branches.conditions import place_of, with_all_branches
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.cfamily.text.tokens import Token, closings, tokens
from tunepass.frontends.cfamily.types.declared import CType, Types
from tunepass.frontends.cfamily.unit import Function, Unit

ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--")


@dataclass(frozen=True)
class Reach:
    """The code of a function and of all that it may call in its file. `rest` counts the names in other code."""

    tokens: tuple[Token, ...]
    rest: Mapping[str, int]

    @cached_property
    def ends(self) -> Mapping[int, int]:
        return closings(self.tokens)

    @cached_property
    def mentions(self) -> Mapping[str, Sequence[int]]:
        """The places of each name that is no member's."""
        found: dict[str, list[int]] = {}
        for at, token in enumerate(self.tokens):
            if token.kind == "name" and not (at and self.tokens[at - 1].at(".", "->")):
                found.setdefault(token.text, []).append(at)
        return found


@dataclass(frozen=True, eq=False)
class Routine:
    """A function with its code: branches over parameters that are not active and the macros in them too."""

    name: str
    start: int  # of the name
    static: bool
    tokens: tuple[Token, ...]

    @cached_property
    def names(self) -> Counter[str]:
        return Counter(token.text for token in self.tokens if token.kind == "name")


@dataclass(frozen=True, eq=False)
class Code:
    """The functions of a file and its headers."""

    unit: Unit

    def reach(self, function: FunctionDefinition) -> Reach:
        own = next(routine for routine in self._routines if routine.start == function.name_start)
        reached, waiting = {own: None}, [own]
        while waiting:
            for name in waiting.pop().names:
                new = [routine for routine in self._by_name.get(name, ()) if routine not in reached]
                reached |= dict.fromkeys(new)
                waiting += new
        alone = {own} | {routine for routine in reached if routine.static}
        while shared := {r for r in alone - {own} if any(r.name in o.names for o in self._routines if o not in alone)}:
            alone -= shared
        rest = Counter(token.text for token in self._everything.tokens if token.kind == "name")
        for routine in alone:
            rest -= routine.names
        return Reach(tuple(token for routine in reached for token in routine.tokens), rest)

    @cached_property
    def _everything(self) -> Unit:
        return with_all_branches(self.unit)

    @cached_property
    def _routines(self) -> tuple[Routine, ...]:
        return tuple(
            Routine(f.name.text.rpartition("::")[2], f.name.start, "static" in f.words, tuple(self._code(f)))
            for f in self.unit.functions
        )

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Routine]]:
        found: dict[str, list[Routine]] = {}
        for routine in self._routines:
            found.setdefault(routine.name, []).append(routine)
        return found

    @cached_property
    def _places(self) -> Sequence[int]:
        return [place_of(token) for token in self._everything.tokens]

    def _code(self, function: Function) -> Iterator[Token]:
        own = self.unit.tokens[function.first : function.closing + 1]
        if self._everything is self.unit or function.in_header:
            yield from own
            return
        first, last = bisect_left(self._places, place_of(own[0])), bisect_left(self._places, own[-1].end)
        inside = self._everything.tokens[first:last]
        yield from inside
        known = {id(token) for token in own}
        yield from self._macros({t.text for t in inside if t.kind == "name" and id(t) not in known})

    def _macros(self, names: set[str]) -> Iterator[Token]:
        """The texts of these macros, and of those that they use."""
        waiting, seen = list(names), set[str]()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                words = [token for macro in self.unit.text.macros.get(name, ()) for token in tokens(macro.body)]
                waiting += [token.text for token in words if token.kind == "name"]
                yield from words


def may_change(name: str, kind: CType, reach: Reach, types: Types) -> bool:
    """Does anything it reaches assign to the variable or its elements, or make a pointer to it?"""
    dims = len(types.resolved(kind).dims)
    return any(_is_changed(reach, at, dims) for at in reach.mentions.get(name, ()))


def may_write_through(name: str, kind: CType, reach: Reach) -> bool:
    """May anything it reaches write to what a pointer leads to, because it hands the pointer on?"""
    steps = kind.depth + len(kind.dims)
    pointer = bool(kind.depth) or kind.dims[:1] == ("*",)
    return pointer and any(_is_handed_on(reach, at, steps) for at in reach.mentions.get(name, ()))


def _is_handed_on(reach: Reach, at: int, steps: int) -> bool:
    """A pointer is read for more than an element, and not for whether it is NULL."""
    code, before = reach.tokens, at - 1
    while before >= 0 and code[before].at("*") and _is_prefix(code, before):
        before, steps = before - 1, steps - 1
    subscripts, after = _subscripts(reach, at, steps)
    if subscripts >= steps or (after < len(code) and code[after].at("==", "!=", "&&", "||", "?")):
        return False
    if before >= 0 and code[before].at("!", "==", "!=", "&&", "||"):
        return False
    return not (before > 0 and code[before].at("(") and code[before - 1].at("if", "while", "sizeof"))


def _is_prefix(code: Sequence[Token], at: int) -> bool:
    """Is this `*` no product?"""
    return at == 0 or (code[at - 1].kind == "op" and not code[at - 1].at(")", "]"))


def _subscripts(reach: Reach, at: int, dims: int) -> tuple[int, int]:
    """How many subscripts follow a name, where a member stands for `dims`, and which token is behind them."""
    code, subscripts, after = reach.tokens, 0, at + 1
    while after < len(code):
        if code[after].at("["):
            subscripts, after = subscripts + 1, reach.ends.get(after, len(code)) + 1
        elif code[after].at(".", "->"):
            subscripts, after = max(subscripts, dims), after + 2
        else:
            break
    return subscripts, after


def _is_changed(reach: Reach, at: int, dims: int) -> bool:
    code = reach.tokens
    if at and (code[at - 1].at("++", "--") or (code[at - 1].at("&") and _is_address(reach, at - 1))):
        return True
    subscripts, after = _subscripts(reach, at, dims)
    if after < len(code) and code[after].at(*ASSIGNING):
        return True
    measured = code[max(0, at - 2) : at]
    return subscripts < dims and not any(token.at("sizeof") for token in measured)


def _is_address(reach: Reach, at: int) -> bool:
    """Is this `&` no `and` of two numbers? After a bracket it is one, unless that ends a cast to a pointer."""
    before = reach.tokens[at - 1] if at else None
    if before is None or before.at("return"):
        return True
    if before.at(")"):
        return reach.tokens[at - 2].at("*")
    return before.kind == "op" and not before.at("]")
