"""Forward substitution: whole numbers and pointers that an iteration sets stand for what they are set to.

    int index = i * m + j;              a[i * m + j] = 0;
    a[index] = 0;

A use is replaced where its definition has always run before it and nothing has changed the names in it since. What is
replaced everywhere is left out of the region; else the region stays as it is. Pointers that are set before the region
are followed too, and stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tunepass.frontends.c.scops.lowering.casts import Casts
from tunepass.frontends.c.scops.lowering.objects import Objects
from tunepass.frontends.c.scops.numbers.plain_text import initial_value
from tunepass.frontends.c.scops.statements import occurrences
from tunepass.frontends.c.scops.statements.edits import Edit, edited, edits_within
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.c.scops.statements.variables import Variable, read_variables
from tunepass.frontends.c.scops.substitution.definitions import (
    TEXT_LIMIT,
    ReachingDefinition,
    number_of,
    operands_of,
    place_of,
    place_text,
)
from tunepass.frontends.c.scops.substitution.lasting import Known, Lasting
from tunepass.frontends.c.scops.substitution.live import has_labels, is_live_after, path_to
from tunepass.frontends.c.scops.substitution.uses import Replacement, Uses
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Block,
    Declaration,
    Declarator,
    Evaluated,
    For,
    ForEach,
    If,
    Jump,
    Name,
    Statement,
    While,
)


class Forwarded(NamedTuple):
    """The region without definitions of locals; `names` are locals of outside that it names no more."""

    region: Region
    names: frozenset[str] = frozenset()


def forwarded(region: Region, apart: frozenset[str]) -> Forwarded:
    """`apart` are pointers set before the region whose memory no other name in it reaches: they stay as they are."""
    taken = region.addressed
    nothing = Forwarded(region)
    if has_labels(region.function.body):
        return nothing
    excluded, resolved = apart, occurrences.declared_pointers(region.statements)
    while True:
        walker = _Walker(region, excluded, resolved, taken)
        statements = walker.statements()
        left = walker.left(statements)
        excluded |= left
        found = frozenset(walker.dropped) - left
        if not left and resolved <= found:
            break
        resolved &= found
    if not statements:
        return nothing
    changed = replace(region, statements=statements, edits=tuple(walker.replacement.edits))
    return Forwarded(changed, frozenset(walker.outside))


class _Walker:
    """`dropped` are the locals whose definitions are left out; `excluded` are left alone. `resolved` are pointers
    that are taken to be left out too: what they reach is known."""

    def __init__(self, region: Region, excluded: frozenset[str], resolved: frozenset[str], taken: frozenset[str]):
        self.region, self.function, self.unit = region, region.function, region.unit
        self.excluded, self.taken = excluded, taken
        self.replacement = Replacement(region.unit, list(region.edits))
        self.variables = read_variables(region.unit, region.function, region.function.body.start)
        self.lasting = Lasting(self.variables, taken, resolved)
        self.placing = occurrences.placing(region.statements)
        self.inside = False
        self.dropped: set[str] = set()
        self.set: set[str] = set()  # locals with a definition in the region
        self.outside: set[str] = set()  # of these, what is declared outside

    # --- the whole ------------------------------------------------------------------------------------------------

    def statements(self) -> tuple[Statement, ...]:
        """The region's, with what is known where it begins."""
        first = self.region.statements[0]
        known: dict[str, ReachingDefinition] = {}
        for around, inside in path_to(self.function.body, first.start):
            self.variables.open()
            if isinstance(around, Block):
                for s in around.statements:
                    if s is inside or s is first:
                        break
                    self._step(s, known)
            elif isinstance(around, For | While | ForEach):
                known = self.lasting.surviving(known, around)
                if isinstance(around, For) and isinstance(around.begin, Declaration):
                    self.variables.declare(around.begin, "local")
            elif isinstance(around, Evaluated):  # `try`: a handler begins after any part of what is tried
                known = self.lasting.surviving(known, around)
            if inside is first:
                break
        self.inside = True
        return self._sequence(self.region.statements, known)

    def left(self, statements: Sequence[Statement]) -> frozenset[str]:
        """Locals that were left out but are still needed, or that cannot be left out."""
        names = self.dropped
        body, region = self.function.body, self.region
        remaining = occurrences.named_in(statements, self.unit) & names
        live = {n for n in self.outside - remaining if is_live_after(body, region.start, region.end, n)}
        return frozenset(remaining | live | (names - self.set) | (self.replacement.hidden & names))

    # --- statements -----------------------------------------------------------------------------------------------

    def _sequence(self, statements: Sequence[Statement], known: dict[str, ReachingDefinition]) -> tuple[Statement, ...]:
        """Without definitions; `known` are those in force, changed on the way."""
        return tuple(s for each in statements if (s := self._step(each, known)) is not None)

    def _step(self, s: Statement, known: dict[str, ReachingDefinition]) -> Statement | None:
        match s:
            case Declaration():
                return self._declaration(s, known)
            case Evaluated(expression=Assign("=", Name() as name, _)) if self._assignment(s, name.text, known):
                return None if self.inside else s
            case Jump(kind="label" | "case"):
                known.clear()
                return s
        changed = self._statement(s, known) if self.inside else s
        survivors = self.lasting.surviving(known, s, inside=False)
        known.clear()
        known.update(survivors)
        return changed

    def _statement(self, s: Statement, known: Known) -> Statement:
        uses = Uses(known if isinstance(s, Block | If) else self.lasting.surviving(known, s), self.replacement)
        match s:
            case Block():
                return replace(s, statements=self._scoped(s.statements, known))
            case If():
                condition = Uses(
                    self.lasting.unchanged(
                        known, Effects.of(Evaluated(expression=s.condition, first=s.first, last=s.first))
                    ),
                    self.replacement,
                )
                then, other = self._branch(s.then, known), s.other and self._branch(s.other, known)
                return replace(s, condition=condition.expression(s.condition), then=then, other=other)
            case For():
                return self._loop(s, uses)
            case While():
                return replace(s, condition=uses.expression(s.condition), body=self._branch(s.body, uses.known))
            case ForEach():
                return replace(s, array=uses.expression(s.array), body=self._branch(s.body, uses.known))
            case Evaluated(expression=e) if e is not None:
                return replace(s, expression=uses.expression(e))
            case Jump(value=e) if e is not None:
                return replace(s, value=uses.expression(e))
        return s

    def _loop(self, s: For, uses: Uses) -> For:
        self.variables.open()
        begin = s.begin
        if isinstance(begin, Declaration):
            begin = replace(begin, declarators=tuple(_valued(d, uses) for d in begin.declarators))
            self.variables.declare(begin, "inner")
        elif begin is not None:
            begin = uses.expression(begin)
        condition = None if s.condition is None else uses.expression(s.condition)
        advance = None if s.advance is None else uses.expression(s.advance)
        body = self._branch(s.body, uses.known)
        self.variables.close()
        return replace(s, begin=begin, condition=condition, advance=advance, body=body)

    def _branch(self, s: Statement, known: Known) -> Statement:
        if isinstance(s, Block):
            return replace(s, statements=self._scoped(s.statements, known))
        return self._statement(s, known)

    def _scoped(self, statements: Sequence[Statement], known: Known) -> tuple[Statement, ...]:
        self.variables.open()
        inside = self._sequence(statements, dict(known))
        self.variables.close()
        return inside

    # --- definitions ----------------------------------------------------------------------------------------------

    def _declaration(self, s: Declaration, known: dict[str, ReachingDefinition]) -> Statement | None:
        kept: list[Declarator] = []
        for d in s.declarators:
            uses = Uses(self.lasting.unchanged(known, Effects.of(s)), self.replacement)
            changed = _valued(d, uses) if self.inside else d
            self.variables.declare(replace(s, declarators=(d,)), "inner" if self.inside else "local")
            for name in [n for n, definition in known.items() if d.name.text in (n, *definition.operands)]:
                del known[name]
            variable = self.variables.get(d.name.text)
            local = variable is not None and self._is_candidate(variable) and not (d.name.made or d.name.within)
            if not local or variable is None or {"typedef", "static", "extern"} & set(s.words):
                kept.append(changed)
                continue
            if d.value is None and self.inside:
                self.dropped.add(d.name.text)
                continue
            end = d.last.within[1] if d.last.within else d.last.end
            definition = self._definition(variable, changed, d.name.end, end, d.name.start)
            if definition is not None:
                known[d.name.text] = definition
            if definition is None or not self.inside:
                kept.append(changed)
            else:
                self._drop(variable)
        return replace(s, declarators=tuple(kept)) if kept or not s.declarators else None

    def _assignment(self, s: Evaluated, name: str, known: dict[str, ReachingDefinition]) -> bool:
        """Is it a definition? Then it is known from here."""
        assert isinstance(s.expression, Assign)
        variable = self.variables.get(name)
        if variable is None or not self._is_candidate(variable) or s.first.made or s.first.within or s.last.within:
            return False
        effects = Effects.of(s)
        before = self.lasting.unchanged(known, Effects()) if self.inside else known
        value = Uses(before, self.replacement).expression(s.expression.value) if self.inside else s.expression.value
        changed = Declarator(
            name=s.first, shape=(), pointers=(), restricted=False, parameters=None, value=value, last=s.last,
        )  # fmt: skip
        definition = self._definition(variable, changed, s.first.end, s.last.end, -1)
        survivors = self.lasting.unchanged(known, effects)
        known.clear()
        known.update(survivors)
        if definition is None:
            return False
        known[name] = definition
        if self.inside:
            self._drop(variable)
            self.replacement.add(Edit(s.start, s.end, ";"))
        return True

    def _drop(self, variable: Variable) -> None:
        self.dropped.add(variable.name)
        self.set.add(variable.name)
        if variable.scope != "inner":
            self.outside.add(variable.name)

    def _is_candidate(self, variable: Variable) -> bool:
        """A local number or pointer of its own, whose address nobody has."""
        if variable.scope == "global" or variable.static or variable.volatile or variable.name in self.excluded:
            return False
        pointer = bool(variable.shape) and all(variable.pointers)
        number = self.inside and variable.integral and variable.name in self.placing
        return variable.name not in self.taken and (pointer or number)

    def _definition(
        self, variable: Variable, d: Declarator, start: int, end: int, origin: int
    ) -> ReachingDefinition | None:
        """Of what is written as `= value` in [start, end); `d` has the value with what is known already."""
        text = edited(self.unit.source.text, start, end, self.replacement.edits).strip().removesuffix(";").strip()
        initial = initial_value(d.value, text)
        if initial is None or d.reference or "#" in text or len(text) > TEXT_LIMIT:
            return None
        value, text = initial
        value = Casts(Objects(self.unit, self.variables)).plain(value)
        words = self._made(start, end)
        if occurrences.pasted(text, self.unit):
            return None
        if variable.shape:
            place = place_of(value, variable, self.variables)
            if place is None:
                return None
            root, offset = place
            root_text, offset_text = place_text(text)
            operands = operands_of(offset, root)
            own = ReachingDefinition(
                variable.name, offset, root, f"({text})", operands, origin, words, root_text, offset_text
            )
        else:
            number = number_of(value, text, variable, self.variables)
            if number is None:
                return None
            own = ReachingDefinition(
                variable.name, number[0], None, number[1], operands_of(number[0], None), origin, words
            )
        return None if variable.name in own.operands else own

    def _made(self, start: int, end: int) -> frozenset[str]:
        """The names that macros make in [start, end), and those of the definitions used there."""
        around = (*self.region.before, *self.region.inside)
        made = {t.text for t in around if t.made and t.kind == "name" and start <= t.start < end}
        used = [e.words for e in edits_within(self.replacement.edits, start, end)]
        return frozenset(made.union(*used))


def _valued(d: Declarator, uses: Uses) -> Declarator:
    return d if d.value is None else replace(d, value=uses.expression(d.value))
