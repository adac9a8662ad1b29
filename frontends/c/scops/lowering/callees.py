"""Calls of functions that the source defines: what their bodies read and write, through their pointers and of globals.

A function is known where its body reaches nothing else: no other object, no volatile or static variable of its own, and
calls of known functions only. What it writes are elements of what its caller names, so the nest around stays in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.scops.lowering.confined import is_confined
from tunepass.frontends.c.scops.lowering.rewriting import mapped, mapped_statement
from tunepass.frontends.c.scops.numbers.pure_functions import is_pure
from tunepass.frontends.c.scops.statements.effects import Effects, KnownCall, LvalueEffect, Reached, UnknownCall
from tunepass.frontends.c.scops.statements.occurrences import nodes
from tunepass.frontends.c.scops.statements.variables import Variable, Variables, read_variables
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Block,
    Call,
    Declaration,
    Evaluated,
    Expression,
    Jump,
    Name,
    Statement,
    SyntaxFault,
)
from tunepass.frontends.cfamily.unit import Function, Unit

MOST_LEVELS = 6  # of functions that call each other
LEAVING = ("throw", "co_return", "asm")
CONSTANTS = ("NULL", "nullptr", "true", "false")
Known = tuple[tuple[Reached, ...], frozenset[int]]


@dataclass
class Callees:
    """`known` by name and count of arguments; None of a function that may reach anything, whose body says why in
    `reasons`."""

    unit: Unit
    variables: Variables
    level: int = 0
    known: dict[tuple[str, int], Known | None] = field(default_factory=dict)
    reasons: dict[tuple[str, int], str] = field(default_factory=dict)

    def statements(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(mapped_statement(s, lambda e: mapped(e, self._step)) for s in statements)

    def _step(self, e: Expression) -> Expression:
        match e:
            case Call(Name() as function, arguments) if not isinstance(e, KnownCall) and not is_pure(function.text):
                if self.variables.get(function.text) is None:
                    return self._called(e, function.text, arguments)
        return e

    def _called(self, e: Call, name: str, arguments: tuple[Expression, ...]) -> Call:
        known = self._of(name, len(arguments))
        if known is not None:
            return KnownCall(e.function, arguments, *known)
        reason = self.reasons.get((name.rpartition("::")[2], len(arguments)))
        return UnknownCall(e.function, arguments, f"`{name}` is called, and in it {reason}") if reason else e

    def _of(self, name: str, count: int) -> Known | None:
        key = (name.rpartition("::")[2], count)
        if key not in self.known:
            self.known[key] = None  # of a function that calls itself
            functions = [f for f in self.unit.functions if f.name.text == key[0]]
            if functions and self.level < MOST_LEVELS and not self._is_declared_only(functions, key[0]):
                each = [self._function(f, key) for f in functions if len(f.formals) == count]
                sure = [one for one in each if one is not None]
                if each and len(sure) == len(each):
                    reached = dict.fromkeys(r for one in sure for r in one[0])
                    self.known[key] = tuple(reached), frozenset[int]().union(*(one[1] for one in sure))
        return self.known[key]

    def _is_declared_only(self, functions: Sequence[Function], name: str) -> bool:
        """Has an overload a body elsewhere, or a function of the name a class?"""
        types = {tuple(p.words for p in f.formals) for f in functions}
        declared = [d.parameters for s in self.unit.globals for d in s.declarators if d.name.text == name]
        others = [p for p in declared if p is not None and tuple(each.words for each in p) not in types]
        return any(f.record or f.template is not None for f in functions) or (self.unit.cxx and bool(others))

    def _function(self, f: Function, key: tuple[str, int]) -> Known | None:
        try:
            body = f.body
        except (SourceError, SyntaxFault):
            return None
        if _keeps_state(body):
            self.reasons[key] = "a variable is `static`, `volatile` or `extern`"
            return None
        if any(isinstance(n, Jump) and n.kind in LEAVING for n in nodes(body)):
            return None
        variables = read_variables(self.unit, f, body.start)
        inner = Callees(self.unit, variables, self.level + 1, self.known, self.reasons)
        (seen,) = inner.statements([_without_assertions(body)])
        effects = Effects.of(seen)
        formals = [p.declarators[0].name.text if p.declarators else "" for p in f.formals]
        if "" in formals or len(set(formals)) < len(formals):
            return None
        if effects.unknown and is_confined(seen, effects, formals, variables):
            return (), frozenset()
        if effects.unknown:
            self.reasons[key] = self._reason(seen, f)
        elif _is_set_anew(body, formals):
            self.reasons[key] = "a parameter is set anew"
        if key in self.reasons:
            return None
        reached: list[Reached] = []
        for effect in effects.found:
            variable = variables.get(effect.root.text)
            if variable is None and not effect.written and self._is_constant(effect.root.text):
                continue
            if variable is None or variable.volatile or variable.container:
                return None
            if not _add(effect, variable, formals, reached):
                return None
        pointers = frozenset(n for n, name in enumerate(formals) if (v := variables.get(name)) and v.shape)
        return tuple(dict.fromkeys(reached)), pointers

    def _reason(self, body: Statement, f: Function) -> str:
        """The first reason why more may be read and written, with its line in the source."""
        inside = body.statements if isinstance(body, Block) else (body,)
        effects = [(s, Effects.of(Block(statements=(s,), first=s.first, last=s.last)).unknown) for s in inside]
        at, reasons = next((pair for pair in effects if pair[1]), (body, Effects.of(body).unknown))
        line = "" if f.in_header else f" (line {self.unit.source.position(at.start)[0]})"
        return f"{reasons[0]}{line}"

    def _is_constant(self, name: str) -> bool:
        return name in CONSTANTS or name in self.unit.enumerators


def _add(effect: LvalueEffect, variable: Variable, formals: Sequence[str], reached: list[Reached]) -> bool:
    """Whether the effect is on what the caller can name, if on anything that outlasts the call."""
    depth = len(effect.subscripts)
    if variable.scope == "formal":
        number = formals.index(variable.name) if variable.name in formals else -1
        if not variable.shape:
            return not variable.pointers or (variable.constant and not effect.written)  # a number, a reference
        if not depth:
            return True  # the pointer itself, which is set to nothing else
        if depth != len(variable.shape) or number < 0:
            return False
        reached.append(Reached(number, "", depth, effect.read, effect.written))
        return True
    if variable.constant and not effect.written and not any(variable.pointers):
        return True
    if depth != len(variable.shape) or variable.scope != "global" or any(variable.pointers):
        return False
    reached.append(Reached(-1, variable.name, depth, effect.read, effect.written))
    return True


def _is_set_anew(body: Block, formals: Sequence[str]) -> bool:
    """Is a formal assigned? A pointer among them may then lead elsewhere."""
    set_ = [n.target for n in nodes(body) if isinstance(n, Assign) and n.op == "="]
    return any(isinstance(target, Name) and target.text in formals for target in set_)


def _keeps_state(body: Block) -> bool:
    declared = [n for n in nodes(body) if isinstance(n, Declaration)]
    return any({"static", "volatile", "extern"} & set(d.words) for d in declared)


def _without_assertions(body: Block) -> Block:
    kept = tuple(s for s in body.statements if not _is_assertion(s))
    return replace(body, statements=kept)


def _is_assertion(s: Statement) -> bool:
    return isinstance(s, Evaluated) and s.first.made and "assert" in s.first.macro.lower()
