"""Members of objects as variables of their own: `m.data[i]`, `s->n`, `v.size()`, where the object stays what it is."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tunepass.frontends.c.scops.lowering.accessors import Getter, returned_value
from tunepass.frontends.c.scops.lowering.objects import THIS, Objects
from tunepass.frontends.c.scops.lowering.rewriting import mapped, parts_of
from tunepass.frontends.c.scops.numbers.affine import isl_name
from tunepass.frontends.c.scops.statements.variables import Variable
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Declaration,
    Expression,
    For,
    If,
    Index,
    Items,
    Member,
    Name,
    Number,
    Record,
    Statement,
    While,
)
from tunepass.frontends.cfamily.text.tokens import Token

COUNTS = ("size", "length")


@dataclass
class Members:
    """`made` are the variables by name, `spelled` what code has to call those that are read by a function."""

    objects: Objects
    steady: frozenset[str] = frozenset()  # objects that are named to reach their members only
    unresized: frozenset[str] = frozenset()  # containers whose elements are reached only
    taken: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()  # what the nest sets, or may set
    held: Mapping[str, Mapping[str, Expression]] = field(default_factory=dict)  # what members were initialised with
    made: dict[str, Variable] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    inside: frozenset[str] = frozenset()  # the classes that the nest's function is a member of, with their bases

    def named(self, e: Expression) -> Expression:
        return mapped(e, self._step)

    def _step(self, e: Expression) -> Expression:
        match e:
            case Member(Name() as base, name, arrow):
                return self._member(e, base, name, arrow)
            case Call(Member(Name() as base, name, _), ()) if name.text in COUNTS and base.text in self.unresized:
                variable = Variable("", "size_t", (), (True,), "global")
                return self._made(f"{base.text}.size()", variable, base.token, e)
            case Call(Member(Index(Name() as base, Number(token)), name, _), ()) if name.text in COUNTS:
                if base.text in self.unresized and base.text not in self.written:
                    variable = Variable("", "size_t", (), (True,), "global")
                    return self._made(f"{base.text}[{token.text}].size()", variable, base.token, e)
            case Index():
                return replace(e, subscript=self.settled(e.subscript))
        return e

    def settled(self, e: Expression) -> Expression:
        """A bound or a subscript in which elements that the nest does not write are names."""
        return mapped(e, lambda inner: self._constant_element(inner) or inner if isinstance(inner, Index) else inner)

    def with_settled_headers(self, s: Statement) -> Statement:
        match s:
            case Block():
                return replace(s, statements=tuple(self.with_settled_headers(inner) for inner in s.statements))
            case If():
                other = None if s.other is None else self.with_settled_headers(s.other)
                return replace(s, then=self.with_settled_headers(s.then), other=other)
            case While():
                return replace(s, condition=self.settled(s.condition), body=self.with_settled_headers(s.body))
            case For(begin=Declaration() | Assign() as begin, condition=condition) if condition is not None:
                body = self.with_settled_headers(s.body)
                return replace(s, begin=self._started(begin), condition=self.settled(condition), body=body)
        return s

    def _started(self, begin: Declaration | Assign) -> Declaration | Assign:
        if isinstance(begin, Assign):
            return Assign(begin.op, begin.target, self.settled(begin.value))
        values = [None if d.value is None else self.settled(d.value) for d in begin.declarators]
        return replace(begin, declarators=tuple(replace(d, value=v) for d, v in zip(begin.declarators, values)))

    def _constant_element(self, e: Index) -> Expression | None:
        """`ends[1]` of whole numbers that the nest does not write."""
        subscripts: list[str] = []
        base: Expression = e
        while isinstance(base, Index) and isinstance(base.subscript, Number) and not base.subscript.token.made:
            subscripts.insert(0, base.subscript.token.text)
            base = base.base
        root = (self.made.get(base.text) or self.objects.variables.get(base.text)) if isinstance(base, Name) else None
        if root is None or not isinstance(base, Name) or base.text in self.written or not root.alone or root.volatile:
            return None
        element = replace(root, shape=(), pointers=(True,), scope="global")
        if len(subscripts) != len(root.shape) or not element.integral:
            return None
        return self._made(f"{base.text}[{']['.join(subscripts)}]", element, base.token, e)

    def _member(self, e: Member, base: Name, name: Token, arrow: bool) -> Expression:
        root = self.made.get(base.text) or self.objects.variables.get(base.text)
        if root is None or not (base.text in self.steady or base.text in self.made):
            return e
        if len(root.shape) != int(arrow) or (arrow and root.pointers[:1] != (True,)):
            return e
        member = self.objects.member(root, name.text)
        if member is None:
            return e
        known = self.held.get(base.text, {}).get(name.text)
        if known is not None:
            return known
        path = f"{base.text}{'->' if arrow else '.'}{name.text}"
        if isinstance(e, Getter):
            self.spelled.setdefault(path, e.text)
        elif member.integral and (hiding := self._hiding(root, name.text)) is not None:
            getter = self._getter(hiding, name.text)
            if getter is None:
                return e
            object_ = self.spelled.get(base.text, base.text)
            self.spelled.setdefault(path, f"{object_}{'->' if arrow else '.'}{getter}()")
        own = member.pointers[:1] != (True,) and root.alone
        alone = own or (root.scope in ("formal", "global") and root.alone)
        # Nothing of an object is private to the nest: the first of its `pointers` says so.
        pointers = (True, *member.pointers[1:])
        return self._made(path, replace(member, alone=alone, pointers=pointers), e.name, e)

    def _hiding(self, root: Variable, name: str) -> Record | None:
        """The class outside of which the nest's code cannot name the member."""
        record = self.objects.hiding(root, name)
        return record if record is not None and record.name not in self.inside else None

    def _getter(self, record: Record, member: str) -> str | None:
        """A public function of the class, `const` and without parameters, that returns the member."""
        for function in self.objects.unit.functions:
            inside = function.record == record.name and function.scopes[-1].access == "public" and not function.formals
            after = function.unit.tokens[function.formals_end + 1 : function.opening]
            if not inside or not any(token.text == "const" for token in after):
                continue
            match returned_value(function):
                case Name(token) if token.text == member:
                    return function.name.text
                case Member(Name(this), name) if (this.text, name.text) == (THIS, member):
                    return function.name.text
        return None

    def _made(self, path: str, variable: Variable, place: Token, e: Expression) -> Expression:
        """The member under a name of its own, unless isl's name of it is that of something else."""
        if isl_name(path) in self.taken:
            return e
        self.made[path] = replace(variable, name=path)
        return Name(Token("name", path, place.start, place.end, True))


def steady_objects(whole: Iterable[Expression], objects: Objects) -> tuple[frozenset[str], frozenset[str]]:
    """Objects that the expressions name to reach members only, and containers that they name to reach elements."""
    named: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    elements: Counter[str] = Counter()
    for e in whole:
        for part in parts_of(e):
            match part:
                case Name():
                    named[part.text] += 1
                case Call(Member(Name() as base, name, _), ()) if name.text in COUNTS:
                    elements[base.text] += 1
                case Member(Name() as base, _, _):
                    reached[base.text] += 1
                case Index(Name() as base, _):
                    elements[base.text] += 1
    known = {name: v for name in named if (v := objects.variables.get(name)) is not None}
    steady = {n for n, v in known.items() if not v.container and named[n] == reached[n] and objects.record(v)}
    unresized = {n for n, v in known.items() if v.container and named[n] == elements[n]}
    return frozenset(steady), frozenset(unresized)


def initial_members(declaration: Declaration, objects: Objects) -> Mapping[str, Mapping[str, Expression]]:
    """By the name of each object that a list initialises, its members' values."""
    found: dict[str, Mapping[str, Expression]] = {}
    for declarator in declaration.declarators:
        variable = objects.variables.get(declarator.name.text)
        record = objects.record(variable)
        if not isinstance(declarator.value, Items) or record is None or variable is None or variable.shape:
            continue
        if declarator.pointers or _is_designated(declarator.name, declarator.last, objects):
            continue
        if record.bases or any(f.name.text.rpartition("::")[2] == record.name for f in objects.unit.functions):
            continue  # a constructor says what the values mean
        names = [d.name.text for m in record.members for d in m.declarators]
        if len(names) == len(declarator.value.parts):
            found[declarator.name.text] = dict(zip(names, declarator.value.parts))
    return found


def _is_designated(first: Token, last: Token, objects: Objects) -> bool:
    """`{.n = 3}`: the values need not be in the members' order."""
    inside = [t for t in objects.unit.tokens if first.start <= t.start <= last.end]
    return any(b.at(".") and a.at("{", ",") for a, b in itertools.pairwise(inside)) or any(
        t.at("[") for t in inside[:2]
    )


def is_plain(e: Expression) -> bool:
    """Made of names and numbers: its value is the same wherever these are."""
    match e:
        case Name() | Number():
            return True
        case Cast(_, _, operand):
            return is_plain(operand)
        case Binary(op, left, right) if op in ("+", "-", "*"):
            return is_plain(left) and is_plain(right)
    return False


def never_changed(name: str, code: Sequence[Token]) -> bool:
    """Is it set nowhere in the tokens, but where it is declared?"""
    for before, token, after in zip([None, *code], code, [*code[1:], None]):
        if token.text != name or token.kind != "name" or (before is not None and before.at(".", "->")):
            continue
        changed = after is not None and after.at("++", "--", *(f"{op}=" for op in ("+", "-", "*", "/", "%", "&", "|")))
        assigned = after is not None and after.at("=") and not (before is not None and before.kind == "name")
        taken = before is not None and before.at("&", "++", "--", ">>")
        if changed or (assigned and not (before is not None and before.at("*"))) or taken:
            return False
    return True
