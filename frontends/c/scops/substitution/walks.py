"""Pointers that step as loops do, as the pointer itself and how far it has come.

    for (y = 0; y < h; y++) {               for (y = 0; y < h; y++)
      for (x = 0; x < w; x++)                 for (x = 0; x < w; x++)
        *d++ = *s++;                 ->          *(d + (long)y * (w + pad) + (long)x) = *(s + (long)y * w + (long)x);
      d += pad;
    }

So are pointers read that each iteration of a loop moves by the same number of elements, whatever data it meets, and
that nothing reads after the nest before they are set again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tunepass.frontends.c.scops.lowering.rewriting import mapped, mapped_statement, names_in
from tunepass.frontends.c.scops.numbers.headers import leaving
from tunepass.frontends.c.scops.statements.edits import Edit
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.occurrences import nodes
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.c.scops.substitution.distances import NOWHERE, Distance, Trips, step_of, trips_of
from tunepass.frontends.c.scops.substitution.live import has_labels, is_live_after
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Block,
    Conditional,
    Declaration,
    Declarator,
    Evaluated,
    Expression,
    For,
    Index,
    Items,
    Lambda,
    Member,
    Name,
    Statement,
    Step,
    Tried,
)
from tunepass.frontends.cfamily.text.tokens import Token


class _NotAWalk(Exception):
    """The pointer moves in a way that is not followed."""


def with_distances(region: Region) -> Region:
    """The region with each pointer that walks at the place where it starts."""
    if has_labels(region.function.body):
        return region
    for name in sorted(_stepped(region.statements) - region.addressed):
        if _may_walk(name, region):
            region = _one(name, region)
    return region


def _one(name: str, region: Region) -> Region:
    effects = Effects.of(*region.statements)
    walk = _Walk(name, region.inside, effects.written | effects.declared)
    try:
        statements, end = walk.sequence(region.statements, Distance())
    except _NotAWalk:
        return region
    body = region.function.body
    if not walk.declared and end != Distance() and is_live_after(body, region.start, region.end, name):
        return region
    return replace(region, statements=statements, edits=(*region.edits, *walk.edits))


def _stepped(statements: Sequence[Statement]) -> frozenset[str]:
    steps = [n for n in nodes(tuple(statements)) if isinstance(n, Step) or (isinstance(n, Assign) and n.op != "=")]
    return frozenset(n.target.text for n in steps if isinstance(n.target, Name))


def _may_walk(name: str, region: Region) -> bool:
    """A pointer of the function's own, under one name, that no macro names."""
    declared = [n for n in nodes(region.statements) if isinstance(n, Declarator) and n.name.text == name]
    known = region.variables.get(name)
    if any(t.text == name and (t.made or t.within) for t in region.inside) or len(declared) + bool(known) != 1:
        return False
    if declared:
        return bool(declared[0].shape) and all(declared[0].pointers) and not declared[0].reference
    own = known is not None and known.scope in ("formal", "local") and not known.static and not known.volatile
    return own and known is not None and bool(known.shape) and known.pointers[:1] == (True,) and not known.container


@dataclass
class _Walk:
    """Of one pointer. `changed` are the variables that the region sets."""

    pointer: str
    code: tuple[Token, ...]  # of the region
    changed: frozenset[str] | set[str]
    declared: bool = False  # inside the region
    edits: list[Edit] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)  # of the loops around
    active: list[Trips] = field(default_factory=list)  # loops around that run at least once, where this is reached

    def sequence(self, statements: Sequence[Statement], at: Distance) -> tuple[tuple[Statement, ...], Distance]:
        done: list[Statement] = []
        for s in statements:
            changed, at = self._statement(s, at)
            done.append(changed)
        return tuple(done), at

    def _statement(self, s: Statement, at: Distance) -> tuple[Statement, Distance]:
        match s:
            case Block():
                inside, at = self.sequence(s.statements, at)
                return replace(s, statements=inside), at
            case For() if self._moves(s):
                return self._loop(s, at)
            case Declaration() if any(d.name.text == self.pointer for d in s.declarators):
                if len(s.declarators) > 1 or self._names(s.declarators[0].value):
                    raise _NotAWalk
                self.declared = True
                return s, Distance() if s.declarators[0].value is not None else NOWHERE
            case Evaluated(expression=Assign("=", Name() as target, value)) if target.text == self.pointer:
                if self._names(value):
                    raise _NotAWalk
                return s, Distance()
            case Evaluated(expression=e) if (moved := self._whole_step(e)) is not None:
                self.edits.append(Edit(s.start, s.end, ";"))
                return replace(s, expression=None), at.plus(moved)
            case Evaluated() | Declaration():
                return self._with_steps(s, at)
        if self._moves(s):
            raise _NotAWalk
        return mapped_statement(s, lambda e: self._used(e, at)), at

    def _moves(self, s: Statement) -> bool:
        """Is the pointer stepped or set inside?"""
        inside = list(nodes(s))
        set_ = any(isinstance(n, (Assign, Step)) and self._is_pointer(n.target) for n in inside)
        return set_ or any(isinstance(n, Declarator) and n.name.text == self.pointer for n in inside)

    def _is_pointer(self, e: Expression) -> bool:
        return isinstance(e, Name) and e.text == self.pointer

    def _names(self, e: Expression | None) -> int:
        """How often an expression names the pointer."""
        return sum(isinstance(n, Name) and n.text == self.pointer for n in nodes(e))

    def _whole_step(self, e: Expression | None) -> Distance | None:
        """By how much an expression that does nothing else moves the pointer."""
        match e:
            case Step(op, target) if self._is_pointer(target):
                return Distance((), 1 if op.text == "++" else -1)
            case Assign("+=" | "-=" as op, target, value) if self._is_pointer(target):
                step = step_of(value)
                if step is None or self._varies(value):
                    raise _NotAWalk
                return step if op == "+=" else step.times_number(-1)
        return None

    def _varies(self, *values: Expression) -> bool:
        """Is a value not the same all through the nest, loops around aside?"""
        names = set[str]().union(*(names_in(value) for value in values))
        return bool(names & self.changed - set(self.indices)) or self.pointer in names

    # --- loops ----------------------------------------------------------------------------------------------------

    def _loop(self, s: For, at: Distance) -> tuple[Statement, Distance]:
        trips = trips_of(s)
        if trips is None or leaving(s.body) is not None or self._varies(trips.first, trips.end):
            raise _NotAWalk
        if self._names(s.condition) or trips.index in self.indices or trips.index in Effects.of(s.body).written:
            raise _NotAWalk
        self.indices.append(trips.index)
        self.active.append(trips)
        kept = len(self.edits)
        _, end = self._iteration(s, Distance())  # how far one iteration goes
        resets = self._is_reset(s.body)
        del self.edits[kept:]
        if not resets and (end is NOWHERE or end.varies_with(trips.index)):
            raise _NotAWalk
        run = NOWHERE if resets else trips.run(end)
        if run is None:
            raise _NotAWalk
        start = at.plus(run)
        changed, _ = self._iteration(s, start)
        self.active.pop()
        self.indices.pop()
        after = None if resets else trips.whole(end)
        return changed, NOWHERE if after is None else at.plus(after)

    def _iteration(self, s: For, at: Distance) -> tuple[For, Distance]:
        body, at = self._statement(s.body, at)
        advance, at = self._advance(s, at)
        return replace(s, body=body, advance=advance), at

    def _is_reset(self, s: Statement) -> bool:
        """Is the pointer set, or declared, in what runs in each iteration?"""
        match s:
            case Block(statements=statements):
                return any(self._is_reset(inner) for inner in statements)
            case Declaration(declarators=declarators):
                return any(d.name.text == self.pointer for d in declarators)
            case Evaluated(expression=Assign("=", target, _)):
                return self._is_pointer(target)
        return False

    def _advance(self, s: For, at: Distance) -> tuple[Expression | None, Distance]:
        """Without the parts that step the pointer."""
        parts = s.advance.parts if isinstance(s.advance, Items) else (s.advance,)
        kept: list[Expression] = []
        for part in parts:
            moved = self._whole_step(part)
            if moved is None and part is not None:
                if self._names(part):
                    raise _NotAWalk
                kept.append(part)
            elif moved is not None and part is not None:
                at = at.plus(moved)
                self._drop(part)
        return (kept[0] if len(kept) == 1 else Items(tuple(kept)) if kept else None), at

    def _drop(self, part: Expression) -> None:
        match part:
            case Step(op, Name(token)):
                first, last = (op, token) if op.start < token.start else (token, op)
                self.edits.append(Edit(first.start, last.end, "(void)0"))
            case Assign(_, Name(token), _):
                self.edits.append(Edit(token.start, self._part_end(token), "(void)0"))

    def _part_end(self, first: Token) -> int:
        """Where the part of a loop's header ends that begins with this token."""
        level = 0
        for token in self.code[self.code.index(first) :]:
            level += token.at("(", "[") - token.at(")", "]")
            if level < 0 or (level == 0 and token.at(",")):
                return token.start
        raise _NotAWalk

    # --- uses -----------------------------------------------------------------------------------------------------

    def _with_steps(self, s: Evaluated | Declaration, at: Distance) -> tuple[Statement, Distance]:
        """A statement that may step the pointer on the way: `*p++ = 0`."""
        steps = [n for n in nodes(s) if isinstance(n, Step) and self._is_pointer(n.target)]
        if not steps:
            if self._moves(s):
                raise _NotAWalk
            return mapped_statement(s, lambda e: self._used(e, at)), at
        step = steps[0]
        if len(steps) > 1 or self._names_in(s) > 1 or not all(_always(e, step) for e in _whole(s)) or step.op.made:
            raise _NotAWalk
        token = step.target.token if isinstance(step.target, Name) else step.op
        moved = at.plus(Distance((), 1 if step.op.text == "++" else -1))
        before = step.op.start < token.start
        changed = mapped_statement(s, lambda e: self._used(e, moved if before else at))
        self.edits.append(Edit(step.op.start, step.op.end, ""))
        return changed, moved

    def _names_in(self, s: Statement) -> int:
        return sum(isinstance(n, Name) and n.text == self.pointer for n in nodes(s))

    def _used(self, e: Expression, at: Distance) -> Expression:
        return mapped(e, lambda inner: self._exchanged(inner, at))

    def _exchanged(self, e: Expression, at: Distance) -> Expression:
        match e:
            case Name(token) if token.text == self.pointer:
                return self._moved(e, at)
            case Step(_, Binary("+", Name() as name, _) as place) if name.text == self.pointer:
                return place
            case Step(_, Name() as name) if name.text == self.pointer:
                return name
            case Member(Binary("+", Name() as name, distance), member, True) if name.text == self.pointer:
                return Member(Index(name, distance), member, False)
        return e

    def _moved(self, name: Name, at: Distance) -> Expression:
        if at is NOWHERE or not at.needs <= {trips.key for trips in self.active}:
            raise _NotAWalk
        value = at.value()
        if value is None:
            return name
        expression, text = value
        self.edits.append(Edit(name.token.start, name.token.start, "("))
        self.edits.append(Edit(name.token.end, name.token.end, f" + {text})"))
        return Binary("+", name, expression)


def _whole(s: Evaluated | Declaration) -> Iterator[Expression]:
    if isinstance(s, Evaluated):
        yield from () if s.expression is None else (s.expression,)
        return
    yield from (d.value for d in s.declarators if d.value is not None)


def _always(e: Expression, step: Step) -> bool:
    """Does every evaluation of `e` evaluate the step, if it has it?"""
    for node in nodes(e):
        match node:
            case Binary("&&" | "||", _, unsure) | Lambda(body=unsure):
                found: tuple[object, ...] = (unsure,)
            case Conditional(_, one, other):
                found = (one, other)
            case Tried(blocks=blocks):
                found = blocks
            case _:
                continue
        if any(inner is step for part in found for inner in nodes(part)):
            return False
    return True
